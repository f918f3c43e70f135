//! What of the machine is there, and under which path.

use std::os::unix::ffi::OsStrExt as _;

use openspace_isolation::{Caches, ConfinedSpec, IsolationError, Machine};

use crate::stage::{Fact, SECRET, Stage, read, write};

/// Scripts start in the workspace `~/code/app`.
const HOME: &[Fact] = &[
    ("the workspace has its own path", "pwd | sed s:^.*/home/:~/:", "~/code/app"),
    ("the home is private, and files can be made in it", "echo x > ~/.new && cat ~/.new", "x"),
    ("keys for ssh are not there", "ls ~/.ssh 2>&1 | grep -c 'No such file'", "1"),
    ("credentials of clouds are not there", "[ -e ~/.aws ] || echo no", "no"),
    ("the netrc is not there", "[ -e ~/.netrc ] || echo no", "no"),
    ("the history of shells is not there", "[ -e ~/.bash_history ] || echo no", "no"),
    ("keys of gpg are not there", "[ -e ~/.gnupg ] || echo no", "no"),
    ("tokens of other programs are not there", "[ -e ~/.config/gh ] || echo no", "no"),
    ("clusters are not there", "[ -e ~/.kube ] || echo no", "no"),
    ("keyrings are not there", "[ -e ~/.local/share/keyrings ] || echo no", "no"),
    ("the server's state and token are not there", "[ -e ~/.local/state ] || echo no", "no"),
    ("cookies are not there", "[ -e ~/.mozilla ] || echo no", "no"),
    ("other projects are not there", "ls ~/code", "app"),
    ("credentials of cargo are not there", "ls -A ~/.cargo", "bin\nconfig.toml\nregistry"),
    ("credentials of git are not there", "ls -A ~/.config", "pip"),
    ("nothing in the home has a secret in it", "grep -rs s3cret ~ | wc -l", "0"),
    ("tools of the home can be run", "~/.cargo/bin/tool; ~/.local/bin/mine", "a tool\nmy tool"),
    (
        "tools of the home cannot be changed",
        "echo x > ~/.cargo/bin/tool; rm -f ~/.local/bin/mine; ~/.local/bin/mine",
        "bash: line 1: HOME/.cargo/bin/tool: Read-only file system\n\
         rm: cannot remove 'HOME/.local/bin/mine': Read-only file system\nmy tool",
    ),
    ("tools of the home cannot be put aside", "mv ~/.cargo/bin ~/x 2>&1 | grep -c busy", "1"),
    (
        "caches can be changed",
        "echo new > ~/.cargo/registry/new && cat ~/.npm/index",
        "known packages",
    ),
    (
        "settings of npm are shown without the token",
        "cat ~/.npmrc",
        "registry=https://npm.example.org/",
    ),
    (
        "settings of git are shown without the helper",
        "git config user.name; git config credential.helper",
        "Ada",
    ),
    (
        "scripts of the shell are shown without keys",
        "cat ~/.bashrc",
        "export FROM_BASHRC=yes\nexport OPENAI_API_KEY=",
    ),
    (
        "settings of cargo are shown without the token",
        "cat ~/.cargo/config.toml",
        "[build]\njobs = 2\n[registry]",
    ),
    (
        "settings of docker are shown without credentials",
        "tr -d ' \\n' < ~/.docker/config.json",
        "{\"psFormat\":\"x\"}",
    ),
    (
        "settings of maven are shown without servers",
        "cat ~/.m2/settings.xml",
        "<settings></settings>",
    ),
    (
        "settings of pip are shown without a password",
        "tail -1 ~/.config/pip/pip.conf",
        "index-url = https://pypi.example.org/simple",
    ),
];

#[tokio::test]
async fn the_home_has_tools_and_nothing_of_the_person() {
    let stage = Stage::furnished();
    let mut place = stage.open().await;
    let home = stage.home().display().to_string();
    let facts: Vec<(&str, &str, String)> =
        HOME.iter().map(|(fact, script, it)| (*fact, *script, it.replace("HOME", &home))).collect();
    place.check_owned(&facts).await;
    assert_eq!(read(&stage.home().join(".cargo/registry/new")), "new\n");
    assert!(!stage.home().join(".new").exists());
}

const MACHINE: &[Fact] = &[
    (
        "homes and mounted disks are empty",
        "ls -A /home /media /mnt /root /srv | grep -v : | tr -d '\\n'",
        "",
    ),
    (
        "the system is where it is outside",
        "[ -x /usr/bin/env ] && [ -d /etc ] && [ -e /bin/sh ] && echo yes",
        "yes",
    ),
    ("users are those of the machine", "head -1 /etc/passwd | cut -d: -f1", "root"),
    (
        "folders that nobody listed are not there",
        "ls / | grep -cx -e work -e data -e lost+found -e boot",
        "0",
    ),
    ("there are no sockets of the machine", "find / -xdev -type s 2>/dev/null | head -1", ""),
    ("what runs has nothing in /run but our own", "ls /run", "openspace"),
    (
        "logs and mail are not there",
        "ls /var/log /var/mail /var/spool 2>&1 | grep -c 'No such'",
        "3",
    ),
    (
        "temporary files of others are not there",
        "ls -A /tmp /var/tmp /dev/shm | grep -v : | grep -v ^.tmp | tr -d '\\n'",
        "",
    ),
    (
        "temporary files can be made",
        "mktemp > /dev/null && touch /var/tmp/x /dev/shm/x && echo yes",
        "yes",
    ),
    (
        "devices are the harmless ones",
        "ls /dev | grep -cx -e sda -e vda -e mem -e kmsg -e kvm -e fuse",
        "0",
    ),
    (
        "only root could read it outside, so nobody can inside",
        "cat /etc/shadow 2>&1 | grep -c 'Permission denied'",
        "1",
    ),
];

#[tokio::test]
async fn the_machine_is_shown_as_far_as_it_is_listed() {
    Stage::furnished().open().await.check(MACHINE).await;
}

const ENVIRONMENT: &[(&str, &str)] = &[
    ("AWS_SECRET_ACCESS_KEY", "s3cret"),
    ("CARGO_HOME", "HOME/.cargo"),
    ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
    ("DISPLAY", ":0"),
    ("EDITOR", "vi"),
    ("GITHUB_TOKEN", "s3cret"),
    ("GOPATH", "/nowhere/go"),
    ("HTTPS_PROXY", "http://me:s3cret@proxy:8080/"),
    ("LC_ALL", "C.UTF-8"),
    ("LD_PRELOAD", "/tmp/evil.so"),
    ("OPENSPACE_TOKEN", "s3cret"),
    ("PAGER", "sk-0123456789abcdef0123"),
    ("PATH", "/nowhere/bin:HOME/.cargo/bin:/usr/bin:/bin:HOME/secret/bin"),
    ("SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1"),
    ("TERM", "xterm"),
    ("XAUTHORITY", "HOME/.Xauthority"),
    ("XDG_RUNTIME_DIR", "/run/user/1000"),
];

#[tokio::test]
async fn the_environment_has_what_is_harmless_and_leads_somewhere() {
    let mut stage = Stage::furnished();
    let home = stage.home().display().to_string();
    let given =
        ENVIRONMENT.iter().map(|(name, value)| (name.into(), value.replace("HOME", &home).into()));
    stage.spec.place.environment = given.collect();
    let root = stage.root().display().to_string();
    let user = stage.outside("id -un").trim().to_owned();
    let output = stage.open().await.run("env | grep -v -e ^_= -e ^SHLVL= | sort").await;
    let expected = format!(
        "CARGO_HOME={home}/.cargo\nEDITOR=vi\nHOME={home}\nHTTPS_PROXY=http://proxy:8080/\n\
         LANG=C.UTF-8\nLC_ALL=C.UTF-8\nLOGNAME={user}\n\
         PATH={home}/.cargo/bin:/usr/bin:/bin:{home}/secret/bin\nPWD={root}\nSHELL=/usr/bin/bash\n\
         TERM=xterm\nTMPDIR=/tmp\nUSER={user}"
    );
    assert_eq!(output, expected);
}

#[tokio::test]
async fn a_workspace_may_lie_anywhere() {
    let stage = Stage::furnished();
    for folder in
        ["/tmp", "/var/tmp", "/srv", "/mnt", "/opt", "/root", "/home", "/var/lib", "/usr/src"]
    {
        let Ok(root) = tempfile::tempdir_in(folder) else { continue };
        write(&root.path().join(".env"), SECRET);
        write(&root.path().join("deep/file"), "text");
        let mut spec = stage.spec.clone();
        spec.place.root = root.path().to_owned();
        spec.place.name.push_str(&folder.replace('/', "-"));
        let mut place = crate::stage::Place::open(&spec).await;
        let script =
            "pwd; cat deep/file; echo; echo new > new && cat new; cat .env 2>&1 | grep -c denied";
        let expected = format!("{}\ntext\nnew\n1", root.path().display());
        assert_eq!(place.run(script).await, expected);
    }
}

#[tokio::test]
async fn without_a_home_there_is_an_empty_one() {
    let mut stage = Stage::new();
    for home in [None, Some("/"), Some("/no/such/home"), Some("relative"), Some("/usr")] {
        stage.spec.home = home.map(Into::into);
        let mut place = stage.open().await;
        let output = place.run("echo ~; ls -A ~ && touch ~/x && ls ~").await;
        assert_eq!(output, "/run/openspace/home\nx", "{home:?}");
    }
}

#[tokio::test]
async fn a_person_can_show_more_and_let_more_be_changed() {
    let mut stage = Stage::furnished();
    stage.in_home("shown/file", "seen\n");
    stage.in_home("changed/file", "seen\n");
    stage.spec.place.readable = vec!["~/shown".into()];
    stage.spec.writable = vec![stage.home().join("changed")];
    let mut place = stage.open().await;
    let script =
        "cd ~; cat shown/file; echo x > shown/file; echo new > changed/file; cat changed/file";
    let home = stage.home().display();
    let expected = "seen\nbash: line 1: shown/file: Read-only file system\nnew";
    assert_eq!(place.run(script).await, expected, "{home}");
    assert_eq!(read(&stage.home().join("changed/file")), "new\n");
}

#[tokio::test]
async fn tools_can_have_caches_of_their_own() {
    let mut stage = Stage::furnished();
    let own = stage.folder.path().join("caches");
    stage.spec.caches = Caches::Own(own.clone());
    let mut place = stage.open().await;
    let script = "ls ~/.npm ~/.cargo/registry | grep -c index; echo x > ~/.npm/x; echo y > ~/.cargo/registry/y";
    assert_eq!(place.run(script).await, "0");
    assert_eq!(
        (read(&own.join(".npm/x")), read(&own.join(".cargo-registry/y"))),
        ("x\n".into(), "y\n".into())
    );
    let caveat = |text: &String| text.starts_with("caches of tools");
    assert!(!place.statement.caveats.iter().any(caveat), "{}", place.statement);
}

#[tokio::test]
async fn the_servers_folder_is_hidden_wherever_it_is() {
    let mut stage = Stage::furnished();
    stage.with("state/token", SECRET).with("other", "text");
    stage.spec.hidden = vec![stage.root().join("state"), "/etc/ssl".into()];
    let script = "ls state 2>&1 | grep -c denied; ls /etc/ssl 2>&1 | grep -c denied; cat other";
    assert_eq!(stage.open().await.run(script).await, "1\n1\ntext");
}

/// A variable of a tool, or a link, may name the whole home. None of it is shown then.
#[tokio::test]
async fn a_folder_of_tools_is_never_the_home() {
    let mut stage = Stage::furnished();
    let home = stage.home().display().to_string();
    for name in ["NVM_DIR", "PIP_CACHE_DIR", "npm_config_cache", "BUN_INSTALL", "XDG_CACHE_HOME"] {
        stage.spec.place.environment.push((name.into(), home.clone().into()));
    }
    stage.outside("ln -s ../.. ../../.pyenv; ln -s .. ../../.deno; ln -s ../../.. ../../.volta");
    stage.in_home(".local/share/pnpm/tool", "");
    stage.in_home(".local/share/pnpm/store/x", "");
    stage.in_home(".local/share/uv/credentials/credentials.toml", SECRET);
    stage.in_home(".stack/upload/credentials.json", SECRET);
    stage.in_home(".zsh/history", SECRET);
    stage.in_home(".zsh/plugin.zsh", "");
    stage.in_home(".opam/plugins/opam-publish/token", SECRET);
    let mut place = stage.open().await;
    let script = "ls ~/code; ls -A ~ | grep -c -e ssh -e aws -e netrc -e history; grep -rs s3cret ~/.. | wc -l";
    assert_eq!(place.run(script).await, "app\n0\n0");
    // What is run by its name cannot be changed, and what is only fetched can.
    let script =
        "cd ~/.local/share/pnpm; (: > git) 2>&1 | grep -c Read-only; : > store/y && ls store";
    assert_eq!(place.run(script).await, "1\nx\ny");
}

#[tokio::test]
async fn a_workspace_may_have_any_name() {
    for name in ["a\nb", "with space", "q'\"`$(x)", "-rf", "ü\u{1b}[31m", "back\\slash"] {
        let mut stage = Stage::furnished();
        let root = stage.home().join("code").join(name);
        std::fs::create_dir(&root).unwrap();
        stage.spec.place.root.clone_from(&root);
        stage.with(".env", SECRET).with("file", "text");
        let mut place = stage.open().await;
        assert_eq!(place.run("cat file; echo; cat .env 2>&1 | grep -c denied").await, "text\n1");
        assert_eq!(place.run("pwd").await, root.display().to_string());
    }
}

async fn refused(spec: &ConfinedSpec) -> IsolationError {
    Machine::default().start_confined(spec).await.unwrap_err()
}

#[tokio::test]
async fn what_cannot_be_confined_is_refused() {
    let stage = Stage::furnished();
    let with_root = |root: &std::path::Path| {
        let mut spec = stage.spec.clone();
        root.clone_into(&mut spec.place.root);
        spec
    };
    for root in [stage.home(), stage.folder.path(), "/".as_ref(), "/proc".as_ref(), "/tmp".as_ref()]
    {
        match refused(&with_root(root)).await {
            IsolationError::Root { path, .. } => assert_eq!(path, root),
            other => panic!("{other:?}"),
        }
    }
    let homeless = |root: &str| ConfinedSpec { home: None, ..with_root(root.as_ref()) };
    for root in ["/etc", "/home", "/usr", "/usr/local", "/root", "/var/lib", "/opt"] {
        let error = refused(&homeless(root)).await;
        assert!(matches!(error, IsolationError::Root { .. }), "{root}: {error}");
    }
    let odd = stage.root().join(std::ffi::OsStr::from_bytes(b"\xff"));
    std::fs::create_dir(&odd).unwrap();
    assert!(refused(&with_root(&odd)).await.to_string().contains("UTF-8"));
    for path in ["~", "/", "relative", "/proc/1", "/no/such/path"] {
        let mut spec = stage.spec.clone();
        spec.place.readable = vec![path.into()];
        assert!(matches!(refused(&spec).await, IsolationError::Readable { .. }), "{path}");
    }
    let mut spec = stage.spec.clone();
    spec.place.secrets = Some(vec!["!not".into()]);
    let error = refused(&spec).await;
    assert!(error.to_string().contains("`!not`"), "{error}");
}

#[tokio::test]
async fn a_machine_that_cannot_make_it_says_what_is_missing() {
    let stage = Stage::furnished();
    let machine = Machine::with("/no/such/bubblewrap", "/sys/fs/cgroup");
    let error = machine.start_confined(&stage.spec).await.unwrap_err();
    assert!(error.hint().unwrap().contains("install bubblewrap"), "{error}");
    let error = machine.probe_confined(&stage.spec).await.unwrap_err();
    assert!(matches!(error, IsolationError::Missing { .. }));
}

#[tokio::test]
async fn a_probe_makes_the_place_and_touches_nothing() {
    let stage = Stage::furnished();
    stage.with("file", "text");
    let before = stage.outside("ls -AR --full-time .");
    let probed = Machine::default().probe_confined(&stage.spec).await.unwrap();
    assert_eq!(stage.outside("ls -AR --full-time ."), before);
    let place = stage.open().await;
    assert_eq!(probed.layers, place.statement.layers);
    assert_eq!(probed.provider.to_string(), "confined");
}

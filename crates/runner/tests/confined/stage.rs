//! A person's machine in a folder: a home with tools, keys and other projects, a workspace in it, and
//! the real place over that workspace.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use openspace_isolation::{
    ConfinedSpec, Keeper, Machine, Provider, RunnerProcess, Spec, Started, Statement,
};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

/// Providers beside which agents' places are made in different ways.
pub(crate) const BESIDE: [Provider; 2] = [Provider::Local, Provider::Sandbox];

/// Stands in every file that must not be read.
pub(crate) const SECRET: &str = "s3cret";

/// Runs each script that it reads in a shell of its own and tells what it wrote.
const DRIVER: &str = "while IFS= read -r -d '' script; do \
                      printf '%s\\0' \"$(bash -c \"$script\" 2>&1 < /dev/null)\"; done";

/// How long anything may take, on a machine that is busy.
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(1);

pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) spec: ConfinedSpec,
}

impl Stage {
    /// A home without a workspace to speak of.
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let home = folder.path().join("home");
        let root = home.join("code/app");
        std::fs::create_dir_all(&root).unwrap();
        let name = format!("confined-{}-{number}", std::process::id());
        let mut place = Spec::new(name, &root, runner());
        place.arguments = ["--exec", "/bin/bash", "-c", DRIVER].map(OsString::from).to_vec();
        place.environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let spec = ConfinedSpec { home: Some(home), ..ConfinedSpec::new(place) };
        Self { folder, spec }
    }

    /// A home in which nothing is missing that somebody could want.
    pub(crate) fn furnished() -> Self {
        let stage = Self::new();
        for path in [
            ".ssh/id_ed25519",
            ".ssh/config",
            ".aws/credentials",
            ".netrc",
            ".bash_history",
            ".gnupg/private-keys-v1.d/key",
            ".config/gh/hosts.yml",
            ".kube/config",
            ".local/share/keyrings/login.keyring",
            ".local/state/openspace/app/token",
            ".cargo/credentials.toml",
            ".config/git/credentials",
            ".mozilla/firefox/x/cookies.sqlite",
            "code/other/.env",
            "code/other/main.rs",
        ] {
            stage.in_home(path, &format!("{SECRET} of {path}\n"));
        }
        let settings = [
            (".npmrc", "registry=https://npm.example.org/\n//npm.example.org/:_authToken=s3cret\n"),
            (
                ".gitconfig",
                "[user]\n\tname = Ada\n\temail = ada@example.org\n[credential]\n\thelper = s3cret\n",
            ),
            (".bashrc", "export FROM_BASHRC=yes\nexport OPENAI_API_KEY=s3cret\n"),
            (".cargo/config.toml", "[build]\njobs = 2\n[registry]\ntoken = \"s3cret\"\n"),
            (".docker/config.json", "{\"auths\":{\"a\":{\"auth\":\"s3cret\"}},\"psFormat\":\"x\"}"),
            (
                ".m2/settings.xml",
                "<settings><servers><password>s3cret</password></servers></settings>",
            ),
            (
                ".config/pip/pip.conf",
                "[global]\nindex-url = https://me:s3cret@pypi.example.org/simple\n",
            ),
            (".cargo/bin/tool", "#!/bin/sh\necho a tool\n"),
            (".cargo/registry/index", "known crates\n"),
            (".npm/index", "known packages\n"),
            (".local/bin/mine", "#!/bin/sh\necho my tool\n"),
        ];
        for (path, text) in settings {
            stage.in_home(path, text);
        }
        for path in [".cargo/bin/tool", ".local/bin/mine"] {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(stage.home().join(path), mode).unwrap();
        }
        stage
    }

    pub(crate) fn home(&self) -> &Path {
        self.spec.home.as_deref().unwrap()
    }

    pub(crate) fn root(&self) -> &Path {
        &self.spec.place.root
    }

    /// A file of the home.
    pub(crate) fn in_home(&self, path: &str, text: &str) {
        write(&self.home().join(path), text);
    }

    /// A file of the workspace.
    pub(crate) fn with(&self, path: &str, text: &str) -> &Self {
        write(&self.root().join(path), text);
        self
    }

    /// The workspace is a repository with one commit of all there is.
    pub(crate) fn committed(&self) -> &Self {
        self.outside(
            "git init -q . && git add -A && \
             git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first",
        );
        self
    }

    /// The same, of what is no secret.
    pub(crate) fn committed_without_secrets(&self) -> &Self {
        self.outside(
            "git init -q . && git add main.c attack && \
             git -c user.name=a -c user.email=a@b commit -q -m first && git config user.name a && \
             git config user.email a@b",
        );
        self
    }

    /// A program in the workspace that does what shells cannot.
    pub(crate) fn with_attack(self) -> Self {
        let built = compiled(self.folder.path(), "attack", include_str!("attack.c"));
        std::fs::copy(built, self.root().join("attack")).unwrap();
        self
    }

    /// Runs a script as the person does: outside, in the workspace.
    pub(crate) fn outside(&self, script: &str) -> String {
        shell(self.root(), script)
    }

    pub(crate) async fn open(&self) -> Place {
        Place::open(&self.spec).await
    }

    /// The same workspace in a sandbox with a keeper.
    pub(crate) async fn open_sandbox(&self) -> Place {
        let secrets = Some(self.spec.place.secrets.clone().unwrap_or_default());
        let spec = Spec { secrets, ..self.spec.place.clone() };
        Place::new(Machine::default().start(&spec, Provider::Sandbox).await.unwrap())
    }

    /// The agents' place beside a workspace with this provider.
    pub(crate) async fn open_beside(&self, provider: Provider) -> Place {
        match provider {
            Provider::Sandbox => self.open_sandbox().await,
            _ => self.open().await,
        }
    }

    /// Waits until a file of the workspace is gone.
    pub(crate) async fn gone(&self, path: &str) {
        self.until(|| !self.root().join(path).exists()).await;
    }

    /// Waits until something holds that nobody tells.
    pub(crate) async fn until(&self, holds: impl Fn() -> bool) {
        let waiting = async {
            while !holds() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap();
    }

    /// Everything in the folder belongs to this user from now on.
    pub(crate) fn give_to(&self, user: u32) {
        shell(self.folder.path(), &format!("chown -R {user}:{user} ."));
    }
}

/// A place that is open.
pub(crate) struct Place {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    pub(crate) statement: Statement,
    pub(crate) process: RunnerProcess,
    pub(crate) keeper: Keeper,
}

impl Place {
    pub(crate) async fn open(spec: &ConfinedSpec) -> Self {
        Self::new(Machine::default().start_confined(spec).await.unwrap())
    }

    fn new(started: Started) -> Self {
        let Started { stdin, stdout, statement, process, keeper } = started;
        Self { stdin, stdout: BufReader::new(stdout), statement, process, keeper: keeper.unwrap() }
    }

    /// What a script writes inside.
    pub(crate) async fn run(&mut self, script: &str) -> String {
        self.keeper.drain().await.unwrap();
        self.begin(script).await;
        self.end().await
    }

    /// Starts a script inside; nothing else can be run until [`Place::end`].
    pub(crate) async fn begin(&mut self, script: &str) {
        assert!(!script.contains('\0'));
        self.stdin.write_all(script.as_bytes()).await.unwrap();
        self.stdin.write_all(b"\0").await.unwrap();
        self.stdin.flush().await.unwrap();
    }

    pub(crate) async fn end(&mut self) -> String {
        let mut output = Vec::new();
        let reading = self.stdout.read_until(0, &mut output);
        let read = tokio::time::timeout(PATIENCE, reading).await;
        read.unwrap().unwrap();
        assert_eq!(output.pop(), Some(0), "the place ended: {}", self.process.stderr());
        String::from_utf8_lossy(&output).into_owned()
    }

    /// Each script must write what stands beside it. Everything that does not is told at once.
    pub(crate) async fn check(&mut self, facts: &[Fact]) {
        self.check_owned(facts).await;
    }

    /// The same with expectations that were made for this place.
    pub(crate) async fn check_owned(&mut self, facts: &[(&str, &str, impl AsRef<str>)]) {
        let mut wrong = Vec::new();
        for (fact, script, expected) in facts {
            let output = self.run(script).await;
            let expected = expected.as_ref();
            if output != expected {
                wrong.push(format!("{fact}\n   expected: {expected:?}\n   but it was: {output:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} facts do not hold:\n{}", wrong.len(), wrong.join("\n"));
    }
}

/// What is claimed, a script that tries it, and what the script has to write.
pub(crate) type Fact = (&'static str, &'static str, &'static str);

#[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test does what the person does")]
pub(crate) fn shell(folder: &Path, script: &str) -> String {
    let mut command = std::process::Command::new("/bin/bash");
    let output = command.args(["-c", script]).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The runner that cargo built, unless it had to be put elsewhere.
fn runner() -> PathBuf {
    let named = std::env::vars_os().find(|(name, _)| name == "TEST_RUNNER");
    named.map_or_else(|| env!("CARGO_BIN_EXE_openspace-runner").into(), |(_, path)| path.into())
}

fn open_to_all(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A program of the tests, compiled once for each test that needs it.
pub(crate) fn compiled(folder: &Path, name: &str, source: &str) -> PathBuf {
    let path = folder.join(name);
    write(&path.with_extension("c"), source);
    shell(folder, &format!("cc -O1 -w -o {name} {name}.c"));
    path
}

//! Agents' programs through the real program: what they reach, by every hand they have, and how they leave.

mod inside;
mod still;

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    approvals::{end, until_asked},
    support::{Mcp, Server, Space, bytes, eventually, git, read, write},
};

mod languages;
mod later;
mod tools;

/// In every secret of these tests, spelled backwards in what a way out prints: answers are masked, and what
/// must be shown is that there was nothing to mask.
const SECRET: &str = "terces-neddih";

/// One agent tries much.
const BUSY: [&str; 2] = ["--max-calls-per-turn", "1000000"];

/// Lines that try to print a secret backwards.
const READERS: &[&str] = &[
    "cat .env | rev",
    "python3 -c 'print(open(\".env\").read()[::-1])'",
    "cp .env copy; rev copy",
    "ln .env link; rev link",
    "ln -s .env soft; rev soft",
    "cat ./sub/../.env | rev",
    "grep -rh . . | rev",
    "tar cf - . | tr -d '\\0' | rev",
    "git add -f .env; git diff --cached | rev",
    "git stash -u; git stash show -p --include-untracked | rev",
    "rev certs/server.key",
    "exec 3< .env; rev <&3",
    "cat /proc/self/cwd/.env | rev",
    "cat /proc/1/root$PWD/.env | rev",
    "mv .env moved; rev moved",
    "rev ~/.ssh/id_rsa",
    "rev $HOME/.npmrc",
    "cat ../home/.ssh/id_rsa ../home/.netrc | rev",
    "cat ../state/*/token ../state/*/keys.json | rev",
    "find /tmp /root /home -name id_rsa -exec rev {} + 2>/dev/null",
    "cat /proc/*/environ | tr '\\0' '\\n' | rev",
    "env | rev",
    "rev ../other/.env",
    "printf '#include <stdio.h>\\nint main(){char b[999];FILE*f=fopen(\".env\",\"r\");\
     long n=f?fread(b,1,999,f):0;while(n--)putchar(b[n]);}' > r.c; cc -o r r.c; ./r",
];

/// Lines that try to change something outside of the workspace, or what runs outside later.
const WRITERS: &[&str] = &[
    "echo left >> ~/.bashrc",
    "echo left >> ../home/.bashrc",
    "echo left > ../left",
    "echo left > ../other/left",
    "echo left > /usr/local/left",
    "echo left > /etc/left",
    "mkdir -p ../home/.ssh; echo left > ../home/.ssh/authorized_keys",
    "rm -f ../home/.bashrc",
    "printf '#!/bin/sh\\n' > .git/hooks/post-commit",
    "mkdir -p .git/hooks; cp /bin/true .git/hooks/pre-commit",
    "git config core.hooksPath /tmp/hooks",
    "git config core.fsmonitor /tmp/run",
    "mv .git .old; mkdir .git",
    "rm -rf .git/config",
    "mkdir -p .openspace; echo left > .openspace/policy.toml",
    "echo '[files]' > .openspace/config.toml",
    "mount --bind /tmp ../home",
    "unshare -r true && echo left > ../left",
    "kill -9 1; echo left > ../left",
    "crontab -l; echo '* * * * * true' | crontab -",
];

/// A space of a person who has something to lose.
fn space() -> Space {
    let space = Space::new();
    let secret: String = SECRET.chars().rev().collect();
    let home = space.home();
    for (path, text) in [
        (".bashrc", "# mine\n".to_owned()),
        (".ssh/id_rsa", format!("{secret}\n")),
        (".npmrc", format!("//registry.example/:_authToken={secret}\n")),
        (".netrc", format!("machine example.org password {secret}\n")),
    ] {
        put(&home.join(path), &text);
    }
    put(&space.folder().join("other/.env"), &format!("KEY={secret}\n"));
    space.file(".env", &format!("API_KEY={secret}\n"));
    space.file("certs/server.key", &format!("{secret}\n"));
    space.file("sub/a.txt", "a\n");
    git(&space.root(), &["init", "--quiet"]);
    space
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    write(path, text);
}

/// What a person would miss: every file around the workspace and what git runs, with its content.
fn belongings(space: &Space) -> Vec<(String, String)> {
    let root = space.root();
    let mut found = Vec::new();
    let folders = [
        space.home(),
        space.folder().join("other"),
        root.join(".git/hooks"),
        root.join(".openspace"),
    ];
    for folder in folders {
        gather(&folder, &mut found);
    }
    found.push(("config".into(), read(&root.join(".git/config"))));
    found.push(("left".into(), space.folder().join("left").exists().to_string()));
    found.sort();
    found
}

fn gather(folder: &Path, found: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, found);
        } else {
            let text = String::from_utf8_lossy(&bytes(&path).unwrap_or_default()).into_owned();
            found.push((path.display().to_string(), text));
        }
    }
}

async fn bash(agent: &Mcp, line: &str) -> Value {
    agent.call("workspace_bash", json!({"command": line})).await["structuredContent"].clone()
}

/// In the background.
async fn run(agent: &Mcp, line: &str) -> Value {
    let arguments = json!({"command": line, "run_in_background": true});
    let started = agent.call("workspace_bash", arguments).await["structuredContent"].clone();
    let arguments = json!({"run_id": started["run_id"], "wait_ms": 20_000});
    agent.call("workspace_run_output", arguments).await["structuredContent"].clone()
}

/// In a terminal of its own.
async fn terminal(agent: &Mcp, line: &str) -> Value {
    let arguments = json!({"terminalId": "own", "command": line});
    agent.call("terminal_run", arguments).await["structuredContent"].clone()
}

/// The lines by which an agent saw a secret, tried by one of the ways to start a program.
async fn seen_by(agent: &Mcp, hand: &str) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for line in READERS.iter().chain(WRITERS) {
        let answer = match hand {
            "bash" => bash(agent, line).await,
            "run" => run(agent, line).await,
            _ => terminal(agent, line).await,
        };
        assert_eq!(answer["success"], true, "{hand}: {line}: {answer}");
        if answer.to_string().contains(SECRET) {
            seen.push(*line);
        }
    }
    seen
}

#[tokio::test]
async fn whatever_an_agent_starts_reads_no_secret_and_changes_nothing_outside() {
    for hand in ["bash", "run", "terminal"] {
        let server = Server::start_in(&space(), &BUSY).await;
        let agent = server.mcp().await;
        let made =
            agent.call("terminal_create", json!({"title": "own", "shellPath": "/bin/bash"})).await;
        assert_eq!(made["structuredContent"]["confined"], true, "{made}");
        // The keeper makes an empty folder of the workspace's own before anybody else can.
        let before = belongings(&server.space);
        let seen = seen_by(&agent, hand).await;
        assert_eq!((hand, seen, belongings(&server.space)), (hand, Vec::new(), before));
        server.stop().await;
    }
}

#[tokio::test]
async fn a_hook_that_an_agent_can_write_runs_where_its_programs_do() {
    let space = space();
    git(&space.root(), &["config", "core.hooksPath", ".husky"]);
    space.file(
        ".husky/pre-commit",
        "#!/bin/sh\nrev .env ~/.ssh/id_rsa > stolen\necho left > ../left\n",
    );
    let hook = space.root().join(".husky/pre-commit");
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let server = Server::start_in(&space, &BUSY).await;
    let agent = server.mcp().await;
    for arguments in [
        json!({"action": "commit", "message": "one", "files": ["sub/a.txt"]}),
        json!({"action": "checkout", "branch": "other"}),
    ] {
        let done = agent.call("workspace_git", arguments).await;
        assert_eq!(done["structuredContent"]["success"], true, "{done}");
    }
    let stolen = read(&space.root().join("stolen"));
    assert_eq!((stolen.as_str(), space.folder().join("left").exists()), ("", false));
}

#[tokio::test]
async fn persons_and_scripts_work_as_before() {
    let server = Server::start_in(&space(), &BUSY).await;
    let ran = server.call("workspace.bash", json!({"command": "cat ~/.bashrc; rev .env"})).await;
    assert_eq!(ran["stdout"], format!("# mine\n{SECRET}=YEK_IPA\n"));
    let made = server.call("terminal.create", json!({"title": "mine"})).await;
    assert_eq!(made["confined"], false);
}

#[tokio::test]
async fn a_program_that_ran_into_the_wall_is_told_so_and_how_to_ask() {
    let server = Server::start_in(&space(), &BUSY).await;
    let agent = server.mcp().await;
    let ran = bash(&agent, "touch /usr/local/left").await;
    let refused = json!(["refused by the confinement: writing /usr/local/left"]);
    assert_eq!((&ran["exit_code"], &ran["refused"]), (&json!(1), &refused));
    let own = bash(&agent, "ls no-such-file; false").await;
    assert_eq!(own["refused"], json!([]), "it was not the wall");
    let text = agent.call("workspace_bash", json!({"command": "touch /usr/local/left"})).await;
    let text = text["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("(call again with `outside` and a `reason` to ask the person)"),
        "{text}"
    );
}

#[tokio::test]
async fn a_program_that_keeps_silent_about_the_wall_can_be_watched() {
    let server = Server::start_in(&space(), &BUSY).await;
    let agent = server.mcp().await;
    let silent = "touch /usr/local/left 2> /dev/null || { echo 'Permission denied'; exit 3; }";
    let ran = bash(&agent, silent).await;
    let hint = json!(
        "if the confinement may be the reason: `explain` runs it again and tells what was refused"
    );
    assert_eq!(
        (&ran["refused"], &ran["explained"], &ran["hint"]),
        (&json!([]), &Value::Null, &hint)
    );
    let watched = |line: &str| json!({"command": line, "explain": true});
    let ran = agent.call("workspace_bash", watched(silent)).await["structuredContent"].clone();
    let refused = json!(["refused by the confinement: writing /usr/local/left"]);
    assert_eq!(
        (&ran["exit_code"], &ran["stdout"], &ran["refused"], &ran["explained"]),
        (&json!(3), &json!("Permission denied\n"), &refused, &json!(true)),
        "{ran}"
    );
    let ran = agent.call("workspace_bash", watched("echo \"it's $((1 + 1))\"; false")).await;
    let ran = &ran["structuredContent"];
    assert_eq!((&ran["stdout"], &ran["refused"]), (&json!("it's 2\n"), &json!([])), "{ran}");
    let left = bash(&agent, "ls /tmp").await;
    assert_eq!(left["stdout"], json!(""));
}

#[tokio::test]
async fn in_a_sandbox_agents_read_no_secret_either_and_change_nothing_outside_or_that_runs_later() {
    for hand in ["bash", "run", "terminal"] {
        let sandbox = ["--provider", "sandbox"];
        let server = Server::start_in(&space(), &[&BUSY[..], &sandbox].concat()).await;
        let agent = server.mcp().await;
        agent.call("terminal_create", json!({"title": "own", "shellPath": "/bin/bash"})).await;
        let before = belongings(&server.space);
        let seen = seen_by(&agent, hand).await;
        assert_eq!((hand, seen, belongings(&server.space)), (hand, Vec::new(), before));
        server.stop().await;
    }
}

#[tokio::test]
async fn git_that_could_not_note_something_in_the_place_is_told_what_became_of_it() {
    let space = space();
    // Without it the place keeps the list as soon as git makes it, somewhere in the middle of its work.
    std::fs::create_dir_all(space.root().join(".git/worktrees")).unwrap();
    let server = Server::start_in(&space, &BUSY).await;
    let agent = server.mcp().await;
    let made = bash(
        &agent,
        "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git branch old && \
         mkdir -p deep && git update-ref refs/remotes/origin/x HEAD",
    )
    .await;
    assert_eq!(made["exit_code"], 0, "{made}");
    let rows = [
        (
            "git branch -d old",
            0,
            ".git/config",
            "the branch is deleted, only its settings are left",
        ),
        ("cd deep && git config a.b c", 4, ".git/config", "`git -c NAME=VALUE` sets something"),
        ("git branch old && git branch -m old new 2>&1", 128, ".git/config", "has its new name"),
        ("git worktree add ../tree", 128, ".git/worktrees/tree", "keeps git's list of work trees"),
    ];
    for (line, code, path, advice) in rows {
        let ran = bash(&agent, line).await;
        let refused = ran["refused"][0].as_str().unwrap_or_default();
        let begin = format!("refused by the confinement: writing {path}; the agents' place keeps ");
        assert!(refused.starts_with(&begin) && refused.contains(advice), "{line}: {ran}");
        assert_eq!(ran["exit_code"], code, "{line}: {ran}");
    }
    let arguments = json!({"command": "git config a.b c", "workdir": "deep"});
    let below = agent.call("workspace_bash", arguments).await["structuredContent"].clone();
    let refused = below["refused"][0].as_str().unwrap_or_default();
    assert!(refused.starts_with("refused by the confinement: writing .git/config; "), "{below}");
    let own = bash(&agent, "git branch other && git branch").await;
    assert_eq!(own["refused"], json!([]), "{own}");
}

#[tokio::test]
async fn leaving_asks_and_a_yes_lets_out_that_call_alone() {
    let server = Server::start_in(&space(), &["--profile", "careful"]).await;
    let agent = server.mcp().await;
    let inside = bash(&agent, "echo in > made; cat made").await;
    assert_eq!(inside["stdout"], "in\n", "work in the place asks nobody");
    let arguments = json!({"command": "echo out > ../left", "outside": true});
    let silent = agent.call("workspace_bash", arguments).await["structuredContent"].clone();
    assert_eq!(silent["error"], "argument `reason`: is missing, and `outside` is set");
    let arguments =
        json!({"command": "echo out > ../left", "outside": true, "reason": "to leave a note"});
    let params = json!({"name": "workspace_bash", "arguments": arguments});
    let call = agent.begin("tools/call", params).await;
    let question = until_asked(&server, "a1").await;
    let shown = (&question["site"], &question["reason"]);
    assert_eq!(shown, (&json!("outside"), &json!("to leave a note")));
    assert!(!server.space.folder().join("left").exists());
    let answered = server.space.run(&["approve", "a1", "--once"]).await;
    assert_eq!(answered.code, Some(0), "{}", answered.err);
    assert_eq!(end(call).await["exit_code"], 0);
    assert_eq!(read(&server.space.folder().join("left")), "out\n");
}

/// In the place of agents keys start nothing that its walls do not hold; a prompt is no such program.
#[tokio::test]
async fn keys_for_a_program_that_has_the_screen_are_no_lines_in_the_place_and_a_prompt_is_none() {
    let waits = ["--profile", "careful", "--approval-timeout", "1"];
    let server = Server::start_in(&space(), &waits).await;
    let agent = server.mcp().await;
    agent.call("terminal_create", json!({"title": "own", "shellPath": "/bin/bash"})).await;
    let ran = terminal(&agent, "less sub/a.txt").await;
    assert_eq!(ran["ended"], "alternate_screen", "{ran}");
    let keys = async |text: &str| {
        let arguments = json!({"terminalId": "own", "text": text});
        agent.call("terminal_send", arguments).await["structuredContent"].clone()
    };
    assert_eq!(keys("/rm -rf sub\n").await["success"], true);
    keys("q").await;
    eventually("the prompt", || async {
        let ran = terminal(&agent, "printf '\\033[?1049h'").await;
        (ran["ended"] == "exited").then_some(())
    })
    .await;
    let asked = keys("rm -rf sub\n").await;
    assert_eq!(asked["kind"], "unanswered", "{asked}");
    assert!(server.space.root().join("sub/a.txt").exists());
}

#[tokio::test]
async fn long_outputs_can_be_read_and_a_terminal_starts_again_where_it_was() {
    let server = Server::start_in(&space(), &BUSY).await;
    let agent = server.mcp().await;
    let long = bash(&agent, "seq 1 30000").await;
    let path = long["full_output"].as_str().unwrap();
    let read = agent.call("workspace_read", json!({"file_path": path, "limit": 2})).await;
    assert_eq!(read["structuredContent"]["content"], "1: 1\n2: 2\n");
    agent.call("terminal_create", json!({"title": "own", "shellPath": "/bin/bash"})).await;
    terminal(&agent, "exit 3").await;
    eventually("the end of the shell", || async {
        let listed = server.call("terminal.list", json!({})).await;
        (listed["terminals"][0]["state"] == "exited").then_some(())
    })
    .await;
    let again = server.call("terminal.restart", json!({"terminalId": "own"})).await;
    assert_eq!((&again["confined"], &again["state"]), (&json!(true), &json!("running")));
    let looked = terminal(&agent, "rev .env; echo done").await;
    assert!(!looked.to_string().contains(SECRET), "{looked}");
}

#[tokio::test]
async fn where_agents_cannot_be_confined_it_is_said_and_asked_about() {
    let careful = ["--profile", "careful", "--approval-timeout", "1", "--runner", "/no/runner"];
    let server = Server::start_in(&space(), &careful).await;
    let main = server.call("workspace.get", json!({"workspace_id": "main"})).await;
    let agents = &main["agents"];
    assert_eq!(agents["confined"], false, "{agents}");
    assert!(agents["why_not"].as_str().unwrap().contains("/no/runner"), "{agents}");
    let instructions = server.http.get("/instructions").send().await.text();
    assert!(instructions.contains("are not confined on this machine"), "{instructions}");
    let agent = server.mcp().await;
    let asked = bash(&agent, "echo made > made").await;
    assert_eq!(
        (&asked["kind"], server.space.root().join("made").exists()),
        (&json!("unanswered"), false)
    );
}

#[tokio::test]
async fn the_server_answers_a_program_without_the_token_nothing() {
    let server = Server::start_in(&space(), &BUSY).await;
    let agent = server.mcp().await;
    let url = &server.ready.url;
    let line = format!(
        "python3 - <<'END'\nimport urllib.request, urllib.error\nfor path in ['/api/v1/state', '/api/v1/audit', '/mcp', '/metrics']:\n    try: print(urllib.request.urlopen('{url}' + path).status)\n    except urllib.error.HTTPError as error: print(error.code)\nEND"
    );
    let ran = bash(&agent, &line).await;
    assert_eq!(ran["stdout"], "401\n401\n401\n401\n", "{ran}");
}

#[tokio::test]
async fn the_doctor_says_what_this_machine_can_do_and_what_is_missing() {
    let space = space();
    let root = space.root().display().to_string();
    let well = space.run(&["doctor", &root]).await;
    assert_eq!(well.code, Some(0), "{well:?}");
    assert!(well.out.contains("\nagents' programs are confined: yes ("), "{}", well.out);
    let ill = space.run(&["doctor", &root, "--runner", "/no/runner", "--json"]).await;
    let told: Value = serde_json::from_str(&ill.out).unwrap();
    let agents = json!({
        "what": "agents' programs are confined", "ok": false,
        "why": "the runner /no/runner is not there, or is no program",
        "hint": "install `openspace-runner` beside `openspace`",
    });
    assert_eq!((ill.code, &told["looks"][0]), (Some(1), &agents));
}

#[tokio::test]
async fn git_that_an_agent_asks_for_reaches_no_further_than_its_programs() {
    let space = space();
    let (secret, home) = (SECRET.chars().rev().collect::<String>(), space.home());
    let server = Server::start_in(&space, &BUSY).await;
    let agent = server.mcp().await;
    let home = home.display();
    let line = format!(
        "me='-c user.name=a -c user.email=a@example.org'; git $me commit -q --allow-empty -m one\n\
             git rev-parse HEAD > .git/MERGE_HEAD; ln -sfn {home}/.ssh/id_rsa .git/MERGE_MSG\n\
             printf '#!/bin/sh\\necho left > {home}/../left\\ncat\\n' > filter.sh; chmod +x filter.sh\n\
             git init -q sub; cd sub; echo '*.dat filter=x' > .gitattributes; echo one > a.dat; git add .\n\
             git $me commit -q -m one; git config filter.x.clean $PWD/../filter.sh; echo two > a.dat\n\
             cd ..; git add sub; rm -f .git/logs/HEAD; ln -s {home}/.bashrc .git/logs/HEAD"
    );
    assert_eq!(bash(&agent, &line).await["exit_code"], 0);
    let before = belongings(&space);
    for arguments in [
        json!({"action": "status"}),
        json!({"action": "diff"}),
        json!({"action": "log"}),
        json!({"action": "abort"}),
        json!({"action": "checkout", "branch": "other"}),
        json!({"action": "branch", "operation": "create", "name": "third"}),
    ] {
        let answer = agent.call("workspace_git", arguments.clone()).await.to_string();
        assert!(!answer.contains(&secret), "{arguments}: {answer}");
    }
    // As the person's page asks for it.
    let status = server.http.get("/api/git/status").send().await;
    assert_eq!((status.status, &status.json()["kind"]), (403, &json!("denied")));
    assert_eq!(belongings(&space), before);
}

/// What an agent can put into a repository to lead somebody else's git astray.
const CRAFTED: &[&str] = &[
    "rm -f .git/logs/HEAD; ln -s HOME/.bashrc .git/logs/HEAD",
    "rm -f .git/COMMIT_EDITMSG; ln -s HOME/.bashrc .git/COMMIT_EDITMSG",
    "rm -rf .git/refs/heads; ln -s HOME/.ssh .git/refs/heads",
    "rm -rf .git/logs/refs; ln -s HOME .git/logs/refs",
    "rm -f .git/index; ln -s HOME/left .git/index",
    "cp crafted .git/index",
    "mkdir -p .git/rr-cache; printf '%040d\\tHOME/left\\0' 0 > .git/MERGE_RR",
];

#[tokio::test]
async fn what_an_agent_writes_into_a_repository_leads_the_persons_git_nowhere() {
    for line in CRAFTED {
        let space = space();
        let root = space.root();
        git(&root, &["config", "user.name", "me"]);
        git(&root, &["config", "user.email", "me@example.org"]);
        git(&root, &["add", "sub"]);
        git(&root, &["commit", "--quiet", "--message", "one"]);
        let blob = git(&root, &["rev-parse", "HEAD:sub/a.txt"]);
        write(&root.join("crafted"), index(&blob, "../home/left"));
        // The home lies where programs put what nobody misses, unless they are told of another place.
        let temporary = space.folder().join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        let mut program = space.program();
        program.env("TMPDIR", &temporary);
        let server = Server::start_by(program, &space, &BUSY).await;
        let agent = server.mcp().await;
        let line = line.replace("HOME", &space.home().display().to_string());
        assert_eq!(bash(&agent, &line).await["exit_code"], 0, "{line}");
        let before = belongings(&space);
        for arguments in [
            json!({"action": "restore", "files": ["."]}),
            json!({"action": "commit", "message": "two", "files": ["sub/a.txt"], "allow_empty": true}),
            json!({"action": "branch", "operation": "create", "name": "other"}),
            json!({"action": "checkout", "branch": "third"}),
            json!({"action": "stash", "operation": "push"}),
        ] {
            // Whether it can be done is git's to say.
            server.http.post("/api/commands/workspace.git", &arguments).send().await;
        }
        assert_eq!(belongings(&space), before, "{line}");
        server.stop().await;
    }
}

#[tokio::test]
async fn in_a_repository_that_an_agent_made_everybodys_git_runs_where_its_programs_do() {
    for provider in ["local", "sandbox"] {
        let options = [&BUSY[..], &["--provider", provider]].concat();
        let space = space();
        std::fs::remove_dir_all(space.root().join(".git")).unwrap();
        let server = Server::start_in(&space, &options).await;
        let agent = server.mcp().await;
        let line = "git init -q; printf '#!/bin/sh\\nrev .env > stolen\\ncat\\n' > filter.sh; chmod +x filter.sh\n\
                    echo '*.txt filter=x' > .gitattributes; git config filter.x.clean $PWD/filter.sh\n\
                    git config filter.x.smudge $PWD/filter.sh; git add .gitattributes";
        assert_eq!(bash(&agent, line).await["exit_code"], 0);
        let look = async |server: &Server| {
            for path in ["/api/git/status", "/api/git/ignored"] {
                let answer = server.http.get(path).send().await;
                assert_eq!(answer.status, 200, "{provider}: {path}: {}", answer.text());
            }
            server.call("workspace.git", json!({"action": "add", "files": ["sub/a.txt"]})).await;
            read(&space.root().join("stolen")).contains(SECRET)
        };
        assert!(!look(&server).await, "{provider}");
        // So it stays when the server starts anew.
        server.stop().await;
        let server = Server::start_in(&space, &options).await;
        space.file("sub/a.txt", "b\n");
        assert!(!look(&server).await, "{provider}");
        // Until the person says that it is theirs; then what agents could change of it is protected.
        let refused = server.mcp().await.call("workspace_adopt_repository", json!({})).await;
        assert_eq!(refused["structuredContent"]["kind"], "denied");
        let adopted = server.call("workspace.adopt_repository", json!({})).await;
        assert_eq!(adopted["adopted"], true, "{provider}");
        space.file("sub/a.txt", "c\n");
        assert!(look(&server).await, "{provider}");
        let written = bash(&server.mcp().await, "echo '[filter]' >> .git/config").await;
        let refused = json!(["refused by the confinement: writing .git/config"]);
        assert_eq!(written["refused"], refused, "{provider}: {written}");
    }
}

#[tokio::test]
async fn a_secret_that_was_ever_committed_is_told() {
    let space = space();
    let root = space.root();
    git(&root, &["add", "--force", ".env", "sub"]);
    git(&root, &["commit", "--quiet", "--message", "one"]);
    git(&root, &["rm", "--quiet", "--cached", ".env"]);
    git(&root, &["commit", "--quiet", "--message", "two"]);
    let server = Server::start_in(&space, &BUSY).await;
    bash(&server.mcp().await, "true").await;
    let told = eventually("what the history has", || async {
        let main = server.call("workspace.get", json!({"workspace_id": "main"})).await;
        let committed = main["agents"]["committed"].clone();
        (committed != json!([])).then_some(committed)
    })
    .await;
    assert_eq!(told, json!([".env"]));
    let warned = "git's history has secrets that agents can read there";
    assert!(server.log().contains(warned), "{}", server.log());
}

/// An index with one file, as no git writes it.
fn index(blob: &str, name: &str) -> Vec<u8> {
    let mut index = [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &1_u32.to_be_bytes()].concat();
    index.extend([0, 0, 0, 0, 0, 0, 0o100_644, 0, 0, 0_u32].map(u32::to_be_bytes).concat());
    let digits = blob.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    index.extend(digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()));
    index.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
    index.extend(name.as_bytes());
    index.resize((index.len() - 12) / 8 * 8 + 8 + 12, 0);
    // Git does not look at the sum of what it reads.
    index.extend([0; 20]);
    index
}

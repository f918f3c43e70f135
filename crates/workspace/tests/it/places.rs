//! The same work in every kind of place, and what happens when one is lost.

use openspace_isolation::{IsolationError, Provider};
use openspace_workspace::{OpenError, areas::terminal::TerminalsPart};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    Bench, Follower, START, Settings, in_time, is_running, person, steady, until,
};

/// Ends the runner in the middle of a call: a program's parent is the runner.
const KILL: &str = "kill -9 $PPID; sleep 1000";

async fn open(provider: Provider, files: &[(&str, &str)]) -> Bench {
    Bench::with(Settings { provider, ..Settings::default() }, files).await
}

fn lost_kind(answer: &Value) -> (&Value, &Value) {
    (&answer["success"], &answer["kind"])
}

/// What an agent does in a day, with answers that do not depend on time.
fn calls() -> Vec<(&'static str, Value)> {
    let ranges = json!([{"startLine": 2, "endLine": 2}]);
    let run = |command: &str| json!({"terminalId": "t1", "command": command});
    vec![
        ("workspace.bash", json!({"command": "echo hello; exit 3"})),
        ("workspace.bash", json!({"command": "cat a.txt", "workdir": "src"})),
        ("workspace.bash", json!({"command": "true", "workdir": "gone"})),
        ("workspace.bash", json!({"command": "kill -9 $$"})),
        ("workspace.bash", json!({"command": "seq 3; sleep 1000", "timeout_ms": 1_000})),
        ("workspace.read", json!({"path": "src/a.txt"})),
        ("workspace.read", json!({"path": "src"})),
        ("workspace.read", json!({"path": "bin"})),
        ("workspace.read", json!({"path": "src/b.txt"})),
        ("workspace.read", json!({"path": ".env"})),
        ("workspace.read", json!({"path": "/etc/passwd"})),
        ("workspace.write", json!({"path": "new/x.txt", "content": "1\n2\n"})),
        ("workspace.edit", json!({"path": "new/x.txt", "old_string": "2", "new_string": "3"})),
        ("workspace.edit", json!({"path": "new/x.txt", "old_string": "2", "new_string": "3"})),
        ("workspace.write", json!({"path": ".git/x", "content": ""})),
        ("workspace.glob", json!({"pattern": "*.none"})),
        ("workspace.grep", json!({"pattern": "two"})),
        ("workspace.grep", json!({"pattern": "("})),
        ("workspace.git", json!({"action": "status"})),
        ("workspace.git", json!({"action": "init", "branch": "main"})),
        ("workspace.git", json!({"action": "add", "files": ["src"]})),
        ("workspace.git", json!({"action": "status"})),
        ("workspace.git", json!({"action": "diff"})),
        ("workspace.git", json!({"action": "push"})),
        ("workspace.bash", json!({"command": "exec sleep 1000", "background": true})),
        ("workspace.run_kill", json!({"run_id": "r1"})),
        ("workspace.run_output", json!({"run_id": "r1", "wait_ms": 10_000})),
        ("file.read", json!({"path": "src/a.txt"})),
        ("file.write", json!({"path": "y.txt", "content": "1\n"})),
        ("file.list", json!({"recursive": true, "path": "src"})),
        ("file.search", json!({"query": "a.txt"})),
        ("file.read", json!({"path": ".env"})),
        ("editor.open", json!({"path": "src/a.txt", "line": 2, "highlight": true})),
        ("editor.highlight", json!({"path": "src/a.txt", "ranges": ranges})),
        ("editor.read_file", json!({"path": "src/a.txt"})),
        ("editor.state", json!({})),
        ("editor.open", json!({"path": "gone.txt"})),
        ("terminal.create", json!({"shellPath": "/bin/bash", "title": "one"})),
        ("terminal.create", json!({"shellPath": "/nowhere/bash"})),
        ("terminal.create", json!({"cwd": "gone"})),
        ("terminal.run", run("PS1='$ '; cd src; cat a.txt; (exit 4)")),
        ("terminal.run", run("pwd")),
        ("terminal.run", json!({"terminalId": "t1", "command": "x", "wait": "port"})),
        ("terminal.resize", json!({"terminalId": "t1", "rows": 30, "cols": 90})),
        ("terminal.list", json!({})),
        ("terminal.close", json!({"terminalId": "t1"})),
        ("pane.list", json!({})),
    ]
}

#[tokio::test]
async fn every_place_answers_alike() {
    let files = [("src/a.txt", "one\ntwo\n"), ("bin", "\0\x01"), (".env", "K=1\n")];
    let mut answers: Vec<Vec<(&str, String)>> = Vec::new();
    for provider in Provider::ALL {
        let bench = open(provider, &files).await;
        let place = bench.ok("workspace.get", json!({"id": "main"})).await;
        assert_eq!(place["provider"], provider.name());
        let inside = place["root_inside"].as_str().unwrap().to_owned();
        let mut told = Vec::new();
        for (command, args) in calls() {
            let mut answer = steady(bench.call(command, args).await);
            // Counts the lines of prompts too, which show where they are.
            if command == "terminal.run" {
                answer.as_object_mut().unwrap().shift_remove("cursor");
            }
            // That a run has ended is a change of the space, noted when it is noticed.
            if command == "pane.list" {
                answer.as_object_mut().unwrap().shift_remove("revision");
            }
            // In a sandbox agents' programs have a place of their own, in which secrets are hidden.
            let answer = answer.to_string().replace("\"confined\":true", "\"confined\":false");
            told.push((command, answer.replace(&inside, "ROOT")));
        }
        answers.push(told);
    }
    assert_eq!(answers[1], answers[0], "runner");
    assert_eq!(answers[2], answers[0], "sandbox");
}

#[tokio::test]
async fn highlights_follow_files_in_every_place() {
    for provider in Provider::ALL {
        let bench = open(provider, &[("a.rs", "a\nb\nc\n")]).await;
        let ranges = json!([{"startLine": 2, "endLine": 2}]);
        let args = json!({"path": "a.rs", "ranges": ranges, "highlightId": "b"});
        bench.ok("editor.highlight", args).await;
        let mut view = bench.attach();
        bench.put("a.rs", "new\na\nb\nc\n");
        let moved = view.changed("highlights").await;
        assert_eq!(moved["b"]["ranges"][0]["startLine"], 3, "{provider}");
        bench.ok("workspace.bash", json!({"command": "sed -i 1d a.rs"})).await;
        let moved = view.changed("highlights").await;
        assert_eq!(moved["b"]["ranges"][0]["startLine"], 2, "{provider}");
    }
}

#[tokio::test]
async fn a_sandbox_knows_no_variable_of_the_server() {
    // An agent is not shown what it is, only that it is there.
    let masked = "⟨secret SECRET_TOKEN of the environment⟩";
    for (provider, seen) in
        [(Provider::Local, masked), (Provider::Runner, masked), (Provider::Sandbox, "")]
    {
        let bench = open(provider, &[]).await;
        let args = json!({"command": "printf %s \"$SECRET_TOKEN\""});
        assert_eq!(bench.ok("workspace.bash", args).await["stdout"], seen, "{provider}");
        bench.ok("terminal.create", json!({"shellPath": "/bin/bash"})).await;
        let args = json!({"terminalId": "t1", "command": "echo \"<$SECRET_TOKEN>\""});
        let shown = json!([format!("<{seen}>")]);
        assert_eq!(bench.ok("terminal.run", args).await["output"], shown, "{provider}");
    }
}

#[tokio::test]
async fn a_sandbox_holds_what_it_states() {
    let bench = open(Provider::Sandbox, &[]).await;
    let place = bench.ok("workspace.get", json!({"id": "main"})).await;
    let isolation = &place["isolation"];
    let expected = json!(["crashes", "files", "processes", "ipc", "privileges", "network"]);
    assert_eq!(isolation["isolates"], expected);
    assert_eq!((&place["network"], &isolation["network"]), (&json!(false), &json!("none")));
    let outside = bench.private("").display().to_string();
    let command = format!("touch inside && ls {outside}");
    let args = json!({"command": command});
    let answer = bench.ok("workspace.bash", args).await;
    assert_eq!((&answer["stdout"], &answer["exit_code"]), (&json!(""), &json!(2)), "{answer}");
    assert!(bench.place("inside").exists());
}

#[tokio::test]
async fn an_agent_does_not_leave_its_sandbox() {
    let bench = open(Provider::Sandbox, &[]).await;
    let less = "an agent in a sandbox cannot create a workspace that is less isolated";
    for args in [
        json!({"provider": "local"}),
        json!({"provider": "runner"}),
        json!({"network": true}),
        json!({"provider": "sandbox", "network": true}),
    ] {
        let failure = bench.failure("workspace.create", args).await;
        let expected = json!({
            "success": false, "error": less, "kind": "denied",
            "hint": "use provider `sandbox` without `network`",
        });
        assert_eq!(failure, expected);
    }
    let clone = "an agent in this sandbox can clone no repository";
    for url in ["file:///etc", "/etc", "ssh://127.0.0.1/x", "https://127.0.0.1:1/x"] {
        bench.fails("workspace.create", json!({"git_url": url}), "denied", clone).await;
    }
    let folder = "an agent cannot open a folder of this machine";
    bench.fails("workspace.create", json!({"root": "/tmp"}), "denied", folder).await;
    let created = bench.ok("workspace.create", json!({})).await;
    let facts = (&created["provider"], &created["network"]);
    assert_eq!(facts, (&json!("sandbox"), &json!(false)));
    let args = json!({"provider": "local"});
    let answer = bench.reply(person(), "workspace.create", args).await.to_value();
    assert_eq!(answer["provider"], "local", "a person may");
    let freer = "this workspace is less isolated than the agent's own";
    for (command, args) in [
        ("workspace.bash", json!({"command": "id", "workspace_id": answer["id"]})),
        ("workspace.read", json!({"file_path": ".", "workspace_id": answer["id"]})),
        ("workspace.destroy", json!({"workspace_id": answer["id"]})),
    ] {
        bench.fails(command, args, "denied", freer).await;
    }
}

/// Call until the new place answers; what was under way when the old one went may still be told.
async fn answered(bench: &Bench, command: &str, args: Value) -> Value {
    in_time(async {
        loop {
            let answer = bench.call(command, args.clone()).await;
            if answer["kind"] != "lost" {
                return answer;
            }
        }
    })
    .await
}

#[tokio::test]
async fn what_ran_in_a_lost_place_is_lost_and_the_next_call_works() {
    for provider in [Provider::Runner, Provider::Sandbox] {
        let config = "[files]\nsecret = ['*.vault']\nprotected = ['kept/']\n";
        let files = [("a.rs", "a\nb\nc\n"), ("x.vault", "1\n"), (".openspace/config.toml", config)];
        let bench = open(provider, &files).await;
        bench.ok("terminal.create", json!({"shellPath": "/bin/bash"})).await;
        let ranges = json!([{"startLine": 2, "endLine": 2}]);
        let args = json!({"path": "a.rs", "ranges": ranges, "highlightId": "b"});
        bench.ok("editor.highlight", args).await;
        let args = json!({"command": "sleep 1000", "background": true});
        let left = bench.ok("workspace.bash", args).await["pid"].as_u64().unwrap();
        let mut view = bench.attach();

        let failure = bench.failure("workspace.bash", json!({"command": KILL})).await;
        bench.put("a.rs", "new\na\nb\nc\n");
        assert_eq!(failure["kind"], "lost", "{failure}");
        let hint = "whether it was done is unknown: look before you try again; the next call \
                    starts the workspace anew, without the programs that ran in it";
        assert_eq!(failure["hint"], hint);
        until(|| json!(bench.state().part::<TerminalsPart>())["t1"]["state"] == "lost").await;

        let again = answered(&bench, "workspace.bash", json!({"command": "echo again"})).await;
        assert_eq!(again["stdout"], "again\n", "{provider}: {again}");
        let runs = bench.ok("workspace.run_list", json!({})).await;
        let lost = json!({
            "workspace": "main", "command": "sleep 1000", "started_by": "opencode",
            "started_at": START, "run_id": "r1", "state": "lost", "pid": null, "exit_code": null,
            "signal": null, "timed_out": false, "killed": false, "duration_ms": null,
            "total_bytes": null, "full_output": null, "full_output_incomplete": null,
        });
        assert_eq!(runs, json!({"runs": [lost]}));
        let text = bench.text("workspace.run_list", json!({})).await;
        assert_eq!(text, "r1 is lost, in main for opencode: sleep 1000");
        if provider == Provider::Runner {
            assert!(!is_running(u32::try_from(left).unwrap()), "the new runner ended it");
        }
        for command in ["workspace.run_output", "workspace.run_kill"] {
            let answer = bench.call(command, json!({"run_id": "r1"})).await;
            assert_eq!(lost_kind(&answer), (&json!(false), &json!("lost")));
        }
        let denied = "reading `x.vault` is not allowed by the rule `*.vault`";
        bench.fails("workspace.read", json!({"path": "x.vault"}), "denied", denied).await;
        let args = json!({"path": "kept/x", "content": ""});
        assert_eq!(bench.failure("workspace.write", args).await["kind"], "denied");

        bench.ok("terminal.restart", json!({"terminalId": "t1"})).await;
        let args = json!({"terminalId": "t1", "command": "echo new shell"});
        assert_eq!(bench.ok("terminal.run", args).await["output"], json!(["new shell"]));
        assert_eq!(next_line(&mut view).await, 3, "what changed meanwhile is seen");
        bench.put("a.rs", "a\nb\nc\n");
        assert_eq!(next_line(&mut view).await, 2);
    }
}

/// The line at which the highlight of a changed file is told to be next.
async fn next_line(view: &mut Follower) -> Value {
    view.changed("highlights").await["b"]["ranges"][0]["startLine"].take()
}

#[tokio::test]
async fn a_workspace_that_is_lost_is_opened_again() {
    let bench = Bench::open(&[]).await;
    let created = bench.ok("workspace.create", json!({"provider": "runner"})).await;
    assert_eq!((&created["provider"], &created["open"]), (&json!("runner"), &json!(true)));
    let there = |command: &str| json!({"command": command, "workspace_id": "w1"});
    bench.ok("workspace.bash", there("echo kept > a.txt")).await;
    assert_eq!(bench.failure("workspace.bash", there(KILL)).await["kind"], "lost");
    let get = bench.ok("workspace.get", json!({"id": "w1"})).await;
    assert_eq!(get["open"], false);
    assert_eq!(bench.ok("workspace.bash", there("cat a.txt")).await["stdout"], "kept\n");
    assert_eq!(bench.ok("workspace.bash", json!({"command": "echo ok"})).await["stdout"], "ok\n");
    assert_eq!(bench.failure("workspace.bash", there(KILL)).await["kind"], "lost");
    let destroyed = bench.ok("workspace.destroy", json!({"id": "w1"})).await;
    assert_eq!(destroyed, json!({"id": "w1", "kept_root": null}));
}

#[tokio::test]
async fn a_full_output_of_a_place_can_be_read() {
    for provider in [Provider::Runner, Provider::Sandbox] {
        let bench = open(provider, &[]).await;
        let answer = bench.ok("workspace.bash", json!({"command": "seq 1 20000"})).await;
        let args = json!({"path": answer["full_output"], "offset": 20_000});
        let read = bench.ok("workspace.read", args).await;
        assert_eq!(read["content"], "20000: 20000\n", "{provider}");
    }
}

#[tokio::test]
async fn a_space_whose_place_cannot_be_had_is_not_opened() {
    for provider in [Provider::Runner, Provider::Sandbox] {
        let settings = Settings { provider, has_runner: false, ..Settings::default() };
        let error = Bench::try_with(settings, &[]).await.err().unwrap();
        let missing = matches!(error, OpenError::Isolation(IsolationError::RunnerMissing { .. }));
        assert!(missing, "{error}");
    }
    let config = [(".openspace/config.toml", "nonsense = 1\n")];
    for provider in Provider::ALL {
        let settings = Settings { provider, ..Settings::default() };
        let error = Bench::try_with(settings, &config).await.err().unwrap();
        assert!(matches!(error, OpenError::Config(_)), "{provider}: {error}");
    }
}

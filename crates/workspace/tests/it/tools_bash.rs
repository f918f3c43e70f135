//! `workspace.bash` and the runs it leaves in the background.

use openspace_command::{Call, Progress};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, agent, in_time, is_running, steady, until, with};

/// The whole answer for a command that printed this on its standard output and ended well, but for
/// what differs.
pub(crate) fn ran(stdout: &str, differs: Value) -> Value {
    let answer = json!({
        "stdout": stdout, "stderr": "", "output": null, "exit_code": 0, "signal": null,
        "duration_ms": 0, "timed_out": false, "truncated": false, "total_bytes": stdout.len(),
        "total_lines": stdout.lines().count(), "full_output": null, "full_output_incomplete": null,
        "binary": false, "left_behind": 0, "survivors": [], "run_id": null, "pid": null, "refused": [],
    });
    with(answer, differs)
}

async fn bash(bench: &Bench, command: &str) -> Value {
    steady(bench.ok("workspace.bash", json!({"command": command})).await)
}

#[tokio::test]
async fn a_command_answers_with_what_it_printed_and_how_it_ended() {
    let bench = Bench::open(&[("sub/a.txt", "1\n")]).await;
    assert_eq!(bash(&bench, "echo hello").await, ran("hello\n", json!({})));
    let failed = json!({"stderr": "no\n", "exit_code": 3, "total_bytes": 3, "total_lines": 1});
    assert_eq!(bash(&bench, "echo no >&2; exit 3").await, ran("", failed));
    let killed = json!({"exit_code": null, "signal": 9});
    assert_eq!(bash(&bench, "kill -9 $$").await, ran("", killed));
    let binary = json!({"binary": true, "total_bytes": 3, "total_lines": 1});
    assert_eq!(bash(&bench, "printf 'a\\0b'").await, ran("a\u{fffd}b", binary));
    assert_eq!(bash(&bench, "cat").await, ran("", json!({})), "there is no input");
    let args = json!({"command": "ls", "workdir": "sub", "description": "list"});
    assert_eq!(steady(bench.ok("workspace.bash", args).await), ran("a.txt\n", json!({})));
}

#[tokio::test]
async fn both_streams_are_given_together_when_both_have_something() {
    let bench = Bench::open(&[]).await;
    let mut both = bash(&bench, "echo out; echo err >&2").await;
    let mut lines: Vec<String> =
        both["output"].take().as_str().unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["err", "out"]);
    let expected = json!({"stderr": "err\n", "total_bytes": 8, "total_lines": 2});
    assert_eq!(both, ran("out\n", expected));
}

#[tokio::test]
async fn readers_see_output_and_end() {
    let bench = Bench::open(&[]).await;
    for (command, text) in [
        ("echo hello", "hello\n(exit code 0)"),
        ("echo no >&2; exit 3", "no\n(exit code 3)"),
        ("true", "(no output)\n(exit code 0)"),
        ("kill -9 $$", "(no output)\n(ended by signal 9)"),
        ("printf 'a\\0b'", "a\u{fffd}b\n(it printed zero bytes, shown as U+FFFD)\n(exit code 0)"),
        (
            "sleep 1000 & exit 0",
            "(no output)\n(ended with it: 1 process it left running; run_in_background keeps a program \
             running)\n(exit code 0)",
        ),
    ] {
        assert_eq!(bench.text("workspace.bash", json!({"command": command})).await, text);
    }
    let started = bench.reply(agent(), "workspace.bash", json!({"cmd": "cat", "background": true}));
    let started = started.await;
    let pid = started.to_value()["pid"].clone();
    let text = format!(
        "Runs in the background as r1 (process {pid}). Read it with workspace_run_output, end it \
         with workspace_run_kill."
    );
    assert_eq!(started.to_text(), text);
}

#[tokio::test]
async fn every_name_of_an_argument_is_understood() {
    let bench = Bench::open(&[("sub/a.txt", "1\n")]).await;
    for name in ["command", "cmd", "script"] {
        let answer = bench.ok("workspace.bash", json!({name: "echo ok"})).await;
        assert_eq!(steady(answer), ran("ok\n", json!({})), "{name}");
    }
    for name in ["workdir", "cwd", "cd", "directory"] {
        let answer = bench.ok("workspace.bash", json!({"command": "ls", name: "sub"})).await;
        assert_eq!(steady(answer), ran("a.txt\n", json!({})), "{name}");
    }
    let given = [
        ("timeout_ms", json!(60_000)),
        ("timeout", json!(60_000)),
        ("timeoutMs", json!(60_000)),
        ("description", json!("say ok")),
        ("explanation", json!("say ok")),
        ("workspace_id", json!("main")),
        ("workspaceId", json!("main")),
        ("workspace", json!("main")),
    ];
    for (name, value) in given {
        let answer = bench.ok("workspace.bash", json!({"command": "echo ok", name: value})).await;
        assert_eq!(steady(answer), ran("ok\n", json!({})), "{name}");
    }
    let names = ["run_in_background", "isBackground", "is_background", "background"];
    for (number, name) in (1..).zip(names) {
        let answer = bench.ok("workspace.bash", json!({"command": "true", name: true})).await;
        let run = format!("r{number}");
        let started = json!({"exit_code": null, "run_id": run, "pid": 0});
        assert_eq!(steady(answer), ran("", started), "{name}");
        let id = ["run_id", "runId", "id", "bash_id"][number - 1];
        let wait = ["wait_ms", "waitMs", "timeout_ms", "timeout"][number - 1];
        let since = ["since", "cursor", "since", "cursor"][number - 1];
        let args = json!({id: run, wait: 10_000, since: 0, "workspaceId": "main"});
        assert_eq!(bench.ok("workspace.run_output", args).await["state"], "ended");
        let id = ["runId", "id", "bash_id", "shell_id"][number - 1];
        let ended = bench.ok("workspace.run_kill", json!({id: run, "workspace": "main"})).await;
        assert_eq!(ended["exit_code"], 0);
    }
}

#[tokio::test]
async fn what_cannot_be_run_is_refused() {
    let bench = Bench::open(&[("a.txt", "1\n")]).await;
    std::os::unix::fs::symlink("/", bench.place("out")).unwrap();
    let leads_out = "`out` is or runs through a symbolic link that leads out of the workspace";
    let cases = [
        (json!({"command": " \n"}), "invalid_args", "argument `command`: is empty"),
        (json!({"command": "a\0b"}), "invalid_args", "argument `command`: contains a zero byte"),
        (
            json!({"command": "x".repeat(1024 * 1024 + 1)}),
            "invalid_args",
            "argument `command`: has 1048577 bytes, and 1048576 are possible",
        ),
        (
            json!({"command": "true", "timeout_ms": 0}),
            "invalid_args",
            "argument `timeout_ms`: must be at least 1",
        ),
        (
            json!({"command": "true", "timeout_ms": 3_600_001}),
            "invalid_args",
            "argument `timeout_ms`: must be 1 to 3600000",
        ),
        (json!({"command": "true", "workdir": "gone"}), "not_found", "`gone` does not exist"),
        (json!({"command": "true", "workdir": "a.txt"}), "invalid_args", "`a.txt` is not a folder"),
        (json!({"command": "true", "workdir": "/"}), "denied", "`/` is outside the workspace"),
        (json!({"command": "true", "workdir": "out"}), "denied", leads_out),
        (
            json!({"command": "true", "workdir": "../x"}),
            "invalid_args",
            "`../x` cannot be used as a path: the path contains `..`",
        ),
        (
            json!({"command": "true", "workspace_id": "w9"}),
            "not_found",
            "there is no workspace `w9`",
        ),
    ];
    for (args, kind, message) in cases {
        bench.fails("workspace.bash", args, kind, message).await;
    }
    let long = json!({"command": "true", "timeout_ms": 3_600_001, "run_in_background": true});
    bench.ok("workspace.bash", long).await;
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_and_tells_what_it_printed() {
    let bench = Bench::open(&[]).await;
    let args = json!({"command": "echo begun; sleep 1000", "timeout_ms": 1_500});
    let reply = bench.reply(agent(), "workspace.bash", args).await;
    let mut answer = reply.to_value();
    answer.as_object_mut().unwrap().shift_remove("success");
    let took = answer["duration_ms"].as_u64().unwrap();
    assert!((1_500..5_000).contains(&took), "{took}");
    let ended = json!({"exit_code": null, "signal": 15, "timed_out": true});
    assert_eq!(steady(answer), ran("begun\n", ended));
    let text = format!(
        "begun\n(ended after {took} ms: the time was over; a larger timeout_ms helps only if it \
         was not waiting for input; run_in_background suits what does not end)\n(ended by signal \
         15)"
    );
    assert_eq!(reply.to_text(), text);
}

#[tokio::test]
async fn what_a_command_leaves_running_is_ended() {
    let bench = Bench::open(&[]).await;
    let answer = bash(&bench, "sleep 1000 & echo $!").await;
    let pid = answer["stdout"].as_str().unwrap().trim_end().parse().unwrap();
    assert_eq!(answer, ran(&format!("{pid}\n"), json!({"left_behind": 1})));
    assert!(!is_running(pid));
}

#[tokio::test]
async fn the_whole_of_a_long_output_can_be_read() {
    let bench = Bench::open(&[]).await;
    let reply = bench.reply(agent(), "workspace.bash", json!({"command": "seq 1 20000"})).await;
    let answer = reply.to_value();
    let path = answer["full_output"].as_str().unwrap();
    let facts = ["truncated", "total_bytes", "total_lines"].map(|name| answer[name].clone());
    assert_eq!(facts, [json!(true), json!(108_894), json!(20_000)]);
    let stdout = answer["stdout"].as_str().unwrap();
    assert!(stdout.len() <= 50 * 1024 && stdout.starts_with("1\n2\n"));
    assert!(stdout.ends_with("\n19999\n20000\n"));
    let end = format!(
        "\n20000\n(cut: 108894 bytes in 20000 lines in all; the whole text is in {path})\n(exit \
         code 0)"
    );
    assert!(reply.to_text().ends_with(&end));
    let args = json!({"file_path": path, "offset": 9_999, "limit": 2});
    let read = bench.ok("workspace.read", args).await;
    assert_eq!(read["content"], "9999: 9999\n10000: 10000\n");
    let other = format!("{path}x");
    let failure = bench.failure("workspace.read", json!({"path": other})).await;
    assert_eq!(failure["kind"], "not_found");
    let failure = bench.failure("workspace.write", json!({"path": path, "content": ""})).await;
    assert_eq!(failure["kind"], "denied");
}

/// Run a command with somebody listening to its progress.
fn watched(
    bench: &Bench,
    command: &str,
) -> (CancellationToken, JoinHandle<Value>, mpsc::Receiver<String>) {
    let (sender, mut reports) = mpsc::channel(100);
    let call = Call::new(agent(), "workspace.bash", json!({"command": command}))
        .with_progress(Progress::to(sender));
    let cancel = call.cancel.clone();
    let (messages, heard) = mpsc::channel(100);
    tokio::spawn(async move {
        while let Some(report) = reports.recv().await {
            messages.send(report.message).await.unwrap();
        }
    });
    let dispatcher = bench.dispatcher().clone();
    let running = tokio::spawn(async move { dispatcher.dispatch(call).await.to_value() });
    (cancel, running, heard)
}

#[tokio::test]
async fn progress_is_told_while_a_command_runs() {
    let bench = Bench::open(&[]).await;
    let command = "echo first; until [ -e go ]; do sleep 0.01; done; echo second";
    let (_, running, mut heard) = watched(&bench, command);
    assert_eq!(in_time(heard.recv()).await.unwrap(), "first");
    bench.put("go", "");
    let mut answer = in_time(running).await.unwrap();
    answer.as_object_mut().unwrap().shift_remove("success");
    assert_eq!(steady(answer), ran("first\nsecond\n", json!({})));
}

#[tokio::test]
async fn taking_a_call_back_ends_its_processes() {
    let bench = Bench::open(&[]).await;
    let (cancel, running, mut heard) = watched(&bench, "sleep 1000 & echo $$ $!; wait");
    let told = in_time(heard.recv()).await.unwrap();
    let pids: Vec<u32> = told.split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.iter().all(|pid| is_running(*pid)));
    cancel.cancel();
    let answer = in_time(running).await.unwrap();
    let expected = json!({
        "success": false, "error": "the caller took the call back", "kind": "cancelled",
        "hint": null,
    });
    assert_eq!(answer, expected);
    until(|| !pids.iter().any(|pid| is_running(*pid))).await;
}

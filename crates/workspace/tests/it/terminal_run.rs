//! `terminal.run` and `terminal.interrupt`, in real shells.

use std::net::TcpListener;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, steady, with};

/// A bench with a terminal that tells of its commands.
async fn bash() -> Bench {
    let bench = Bench::open(&[("sub/a.txt", "one\n")]).await;
    bench.ok("terminal.create", json!({"shellPath": "/bin/bash", "title": "work"})).await;
    bench
}

/// The whole answer but for the cursor, which is looked at apart.
fn outcome(bench: &Bench, lines: &[&str], differs: Value) -> Value {
    let root = bench.place("").canonicalize().unwrap();
    let answer = json!({
        "terminalId": "t1", "ended": "exited", "exitCode": 0, "output": lines,
        "outputTruncated": false, "omittedAt": null, "totalLines": lines.len(), "matched": null,
        "running": false, "alternateScreen": false, "durationMs": 0, "cwd": root,
    });
    with(answer, differs)
}

async fn run(bench: &Bench, mut args: Value) -> Value {
    args["terminalId"] = json!("t1");
    let mut answer = bench.ok("terminal.run", args).await;
    assert!(answer.as_object_mut().unwrap().shift_remove("cursor").unwrap().is_u64());
    steady(answer)
}

/// Stop what runs, however often it takes: a key that comes between two programs of a line is lost.
async fn interrupt(bench: &Bench) {
    let stop = async {
        while bench.ok("terminal.interrupt", json!({"terminalId": "t1"})).await["promptBack"]
            != json!(true)
        {}
    };
    crate::support::in_time(stop).await;
}

#[tokio::test]
async fn a_command_in_a_terminal_tells_its_true_end() {
    let bench = bash().await;
    let answer = run(&bench, json!({"command": "echo hello; (exit 3)"})).await;
    assert_eq!(answer, outcome(&bench, &["hello"], json!({"exitCode": 3})));
    let answer = run(&bench, json!({"command": "echo one\necho two"})).await;
    assert_eq!(answer, outcome(&bench, &["one", "two"], json!({})));
    let cwd = bench.place("sub").canonicalize().unwrap();
    let answer = run(&bench, json!({"command": "cd sub"})).await;
    assert_eq!(answer, outcome(&bench, &[], json!({"cwd": cwd})));
    let answer = run(&bench, json!({"command": "seq 100", "lines": 4})).await;
    let cut = json!({"outputTruncated": true, "omittedAt": 2, "totalLines": 100, "cwd": cwd});
    assert_eq!(answer, outcome(&bench, &["1", "2", "99", "100"], cut));
    let answer = run(&bench, json!({"command": "# nothing"})).await;
    let nothing = json!({"ended": "not_run", "exitCode": null, "cwd": cwd});
    assert_eq!(answer, outcome(&bench, &[], nothing));
    let answer = run(&bench, json!({"command": "exit 7"})).await;
    let ended = json!({"ended": "shell_ended", "exitCode": 7, "cwd": cwd});
    assert_eq!(answer, outcome(&bench, &["exit"], ended));
}

#[tokio::test]
async fn nobody_else_types_between_the_look_at_a_terminal_and_the_keys_of_a_run() {
    let bench = bash().await;
    // Such a shell is looked at for half a second before the keys.
    let off = "bind 'set enable-bracketed-paste off'";
    run(&bench, json!({"command": off})).await;
    let first = run(&bench, json!({"command": "echo ran"}));
    let second = async {
        while bench.dispatcher().load().running == 0 {
            tokio::task::yield_now().await;
        }
        bench.ok("terminal.send", json!({"terminalId": "t1", "text": "touch made; "})).await
    };
    let (ran, _) = tokio::join!(first, second);
    assert_eq!((&ran["ended"], &ran["exitCode"]), (&json!("exited"), &json!(0)), "{ran}");
    // What came behind the keys of the run stands at the next prompt, and nobody has started it.
    assert!(!bench.place("made").exists());
}

#[tokio::test]
async fn every_name_of_an_argument_is_understood() {
    let bench = bash().await;
    for (id, command, timeout) in [
        ("terminalId", "command", "timeoutMs"),
        ("terminal_id", "cmd", "timeout"),
        ("session_id", "text", "timeout_ms"),
    ] {
        let args = json!({id: "work", command: "echo ok", timeout: 60_000});
        let answer = bench.ok("terminal.run", args).await;
        assert_eq!((&answer["output"], &answer["exitCode"]), (&json!(["ok"]), &json!(0)), "{id}");
    }
    for quiet in ["quietMs", "quiet_ms"] {
        let answer = run(&bench, json!({"command": "true", "wait": "idle", quiet: 10_000})).await;
        assert_eq!(answer, outcome(&bench, &[], json!({})), "the end comes first");
    }
    for id in ["terminalId", "terminal_id", "session_id"] {
        bench.ok("terminal.interrupt", json!({id: "work"})).await;
    }
}

#[tokio::test]
async fn a_wait_can_be_for_quiet_a_pattern_or_time() {
    let bench = bash().await;
    let running = |ended: &str| json!({"ended": ended, "exitCode": null, "running": true});
    let serve = "exec sh -c 'echo ready on 80; exec sleep 1000'";
    let args = json!({"command": format!("({serve})"), "wait": "idle", "quietMs": 700});
    assert_eq!(run(&bench, args).await, outcome(&bench, &["ready on 80"], running("idle")));
    interrupt(&bench).await;
    let args = json!({"command": format!("({serve})"), "wait": "pattern", "pattern": "on \\d+"});
    let mut matched = running("matched");
    matched["matched"] = json!("ready on 80");
    assert_eq!(run(&bench, args).await, outcome(&bench, &["ready on 80"], matched));
    interrupt(&bench).await;
    let args = json!({"command": format!("({serve})"), "timeoutMs": 700});
    assert_eq!(run(&bench, args).await, outcome(&bench, &["ready on 80"], running("timed_out")));
    let failure =
        bench.failure("terminal.run", json!({"terminalId": "t1", "command": "true"})).await;
    let expected = json!({
        "success": false, "kind": "conflict",
        "error": format!("the terminal is busy with `({serve})`"),
        "hint": "wait for it with terminal_read_output, stop it with terminal_interrupt, or use \
                 another terminal",
    });
    assert_eq!(failure, expected);
    interrupt(&bench).await;
    assert_eq!(run(&bench, json!({"command": "true"})).await, outcome(&bench, &[], json!({})));
}

#[tokio::test]
async fn a_wait_can_be_for_a_port() {
    let bench = bash().await;
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let command = format!("python3 -m http.server {port} --bind 127.0.0.1");
    let args = json!({"terminalId": "t1", "command": command, "wait": "port", "port": port});
    let answer = bench.ok("terminal.run", args.clone()).await;
    let facts = (&answer["ended"], &answer["running"], &answer["exitCode"]);
    assert_eq!(facts, (&json!("port_open"), &json!(true), &json!(null)));
    interrupt(&bench).await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let args = json!({"terminalId": "t1", "command": "true", "wait": "port", "port": port});
    let failure = bench.failure("terminal.run", args).await;
    let hint = "use another port, or stop the program that has it";
    assert_eq!((&failure["kind"], &failure["hint"]), (&json!("conflict"), &json!(hint)));
}

#[tokio::test]
async fn a_full_screen_program_ends_the_wait() {
    let bench = bash().await;
    let answer = run(&bench, json!({"command": "less sub/a.txt"})).await;
    let shown = json!({
        "ended": "alternate_screen", "exitCode": null, "running": true, "alternateScreen": true,
    });
    assert_eq!(answer, outcome(&bench, &[], shown));
}

#[tokio::test]
async fn at_an_empty_prompt_there_is_nothing_to_interrupt() {
    let bench = bash().await;
    run(&bench, json!({"command": "true"})).await;
    let answer = bench.ok("terminal.interrupt", json!({"terminalId": "t1"})).await;
    assert_eq!(answer, json!({"terminalId": "t1", "how": "nothing", "promptBack": true}));
    let next = run(&bench, json!({"command": "echo whole"})).await;
    assert_eq!(next["output"], json!(["whole"]));
}

#[tokio::test]
async fn readers_see_output_and_end_of_a_run() {
    let bench = bash().await;
    for (command, text) in [
        ("echo hello; (exit 3)", "hello\n(t1: exit code 3)"),
        ("true", "(t1: exit code 0)"),
        ("seq 5", "1\n(… 3 lines left out …)\n5\n(t1: exit code 0)"),
        ("# nothing", "(t1: the shell ran nothing)"),
        (
            "less sub/a.txt",
            "(t1: a full-screen program waits for keys; terminal_read_output shows it, \
             terminal_send types)",
        ),
    ] {
        let args = json!({"terminalId": "t1", "command": command, "lines": 2});
        assert_eq!(bench.text("terminal.run", args).await, text);
    }
    bench.ok("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let run = |wait: Value| {
        let mut args = json!({"terminalId": "t2", "command": "(echo go; exec sleep 1000)"});
        args.as_object_mut().unwrap().extend(wait.as_object().unwrap().clone());
        args
    };
    let text = bench.text("terminal.run", run(json!({"wait": "pattern", "pattern": "g"}))).await;
    let start = "go\n(t2: the pattern was seen in `go`; cursor=";
    assert!(text.starts_with(start), "{text}");
    bench.ok("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let mut args = run(json!({"timeout": 700}));
    args["terminalId"] = json!("t3");
    let text = bench.text("terminal.run", args).await;
    let start = "go\n(t3: still runs; terminal_read_output since=";
    assert!(text.starts_with(start) && text.ends_with(" goes on, terminal_interrupt stops it)"));
    let args = json!({"terminalId": "t3", "command": "true"});
    let text = bench.text("terminal.run", args).await;
    let start = "Error (conflict): the terminal is busy with `(echo go; exec sleep 1000)`\nHint: ";
    assert!(text.starts_with(start), "{text}");
}

#[tokio::test]
async fn a_shell_that_tells_nothing_is_waited_for_in_other_ways() {
    let bench = Bench::open(&[]).await;
    bench.ok("terminal.create", json!({})).await;
    let args = json!({"terminalId": "t1", "command": "echo ok"});
    let failure = bench.failure("terminal.run", args).await;
    let expected = json!({
        "success": false, "kind": "unsupported",
        "error": "the shell does not tell when a command has finished",
        "hint": "wait for `idle`, `pattern` or `port` instead, or use a terminal with bash, zsh \
                 or fish",
    });
    assert_eq!(failure, expected);
    let args = json!({"command": "echo o''k", "wait": "pattern", "pattern": "^ok$"});
    let answer = run(&bench, args).await;
    let facts = (&answer["ended"], &answer["matched"], &answer["exitCode"], &answer["cwd"]);
    assert_eq!(facts, (&json!("matched"), &json!("ok"), &json!(null), &json!(null)));
    let args = json!({"terminalId": "t1", "command": "true", "wait": "idle", "quietMs": 300});
    let text = bench.text("terminal.run", args).await;
    assert!(text.contains("(t1: quiet; whether it still runs is not known; cursor="), "{text}");
}

#[tokio::test]
async fn what_cannot_be_run_in_a_terminal_is_refused() {
    let bench = bash().await;
    let other = "goes with another kind of `wait`";
    let cases = [
        (json!({"command": ""}), "there is no command".to_owned()),
        (
            json!({"command": "a\u{3}"}),
            "the command holds the control character 0x03; only tabs and line ends can be typed"
                .into(),
        ),
        (
            json!({"command": "x", "timeoutMs": 0}),
            "argument `timeoutMs`: must be 1 to 3600000".into(),
        ),
        (
            json!({"command": "x", "timeoutMs": 3_600_001}),
            "argument `timeoutMs`: must be 1 to 3600000".into(),
        ),
        (json!({"command": "x", "lines": 0}), "argument `lines`: must be 1 to 10000".into()),
        (json!({"command": "x", "lines": 10_001}), "argument `lines`: must be 1 to 10000".into()),
        (json!({"command": "x", "pattern": "x"}), format!("argument `pattern`: {other}")),
        (json!({"command": "x", "port": 80}), format!("argument `port`: {other}")),
        (json!({"command": "x", "quietMs": 80}), format!("argument `quietMs`: {other}")),
        (
            json!({"command": "x", "wait": "pattern"}),
            "argument `pattern`: is missing, and `wait` is `pattern`".into(),
        ),
        (
            json!({"command": "x", "wait": "port"}),
            "argument `port`: is missing, and `wait` is `port`".into(),
        ),
        (
            json!({"command": "x", "wait": "pattern", "pattern": "("}),
            "the pattern cannot be used: regex parse error:\n    (\n    ^\nerror: unclosed group"
                .into(),
        ),
    ];
    for (mut args, message) in cases {
        args["terminalId"] = json!("t1");
        bench.fails("terminal.run", args, "invalid_args", &message).await;
    }
    let open = json!({"terminalId": "t1", "command": "echo 'open"});
    let failure = bench.failure("terminal.run", open).await;
    let hint = "close what is open in it";
    assert_eq!((&failure["kind"], &failure["hint"]), (&json!("invalid_args"), &json!(hint)));
    for command in ["terminal.run", "terminal.interrupt"] {
        let mut args = json!({"terminalId": "t9"});
        if command == "terminal.run" {
            args["command"] = json!("true");
        }
        let failure = bench.failure(command, args).await;
        assert_eq!(failure["error"], "there is no terminal `t9`");
        assert_eq!(failure["hint"], "terminals: t1 (work); terminal_create makes one");
    }
    run(&bench, json!({"command": "exit"})).await;
    let ended = json!({"terminalId": "t1", "command": "true"});
    let message = "the program in the terminal has ended";
    bench.fails("terminal.run", ended, "conflict", message).await;
    bench.fails("terminal.interrupt", json!({"terminalId": "t1"}), "conflict", message).await;
}

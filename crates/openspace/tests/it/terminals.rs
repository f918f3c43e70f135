//! Terminals as a view has them: raw bytes over a WebSocket.

use pretty_assertions::assert_eq;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Server, Socket, eventually, marked_processes, shows};

async fn server_with_terminal() -> Server {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    server.call("terminal.create", json!({"title": "sh"})).await;
    server
}

fn keys(text: &str) -> Message {
    Message::binary(text.as_bytes().to_vec())
}

/// A command whose output is not in what was typed.
const SUM: &str = "echo sum=$((20 + 22))\r";

#[tokio::test]
async fn a_view_gets_a_repaint_first_and_types_like_a_keyboard() {
    let server = server_with_terminal().await;
    let mut view = Socket::open(&server.http, "/api/terminals/t1").await;
    let Some(Message::Text(first)) = view.next().await else { panic!("text comes first") };
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first, json!({"type": "repaint", "rows": 24, "cols": 80}));
    assert!(matches!(view.next().await, Some(Message::Binary(_))));
    view.send(keys(SUM)).await;
    let seen = view.bytes_until("sum=42").await;
    assert!(seen.contains("echo sum="), "the shell echoes what is typed: {seen:?}");
    let read = server.call("terminal.read_output", json!({"terminalId": "sh"})).await;
    assert!(shows(&read, "sum=42"), "an agent sees the same: {read}");
}

#[tokio::test]
async fn two_views_see_the_same_and_a_late_one_everything() {
    let server = server_with_terminal().await;
    let mut one = Socket::open(&server.http, "/api/terminals/sh").await;
    let mut two = Socket::open(&server.http, "/api/terminals/t1").await;
    one.send(keys(SUM)).await;
    one.bytes_until("sum=42").await;
    two.bytes_until("sum=42").await;
    let send = json!({"terminalId": "t1", "text": "echo agent=$((1 + 1))\n"});
    server.call("terminal.send", send).await;
    one.bytes_until("agent=2").await;
    two.bytes_until("agent=2").await;
    let mut late = Socket::open(&server.http, "/api/terminals/t1").await;
    let repaint = late.bytes_until("agent=2").await;
    assert!(repaint.contains("sum=42"), "{repaint:?}");
}

#[tokio::test]
async fn a_late_view_knows_the_commands_and_not_what_was_cleared() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    server.call("terminal.create", json!({"shellPath": "/bin/bash"})).await;
    let run = async |command: &str| {
        server.call("terminal.run", json!({"terminalId": "t1", "command": command})).await
    };
    run("seq 100 190").await;
    run("printf '\\033[H\\033[2J\\033[3J'").await;
    run("printf '\\033[31mred\\033[m\\n'; seq 200 290; (exit 7)").await;
    let mut view = Socket::open(&server.http, "/api/terminals/t1").await;
    let repaint = view.bytes_until("\x1b]633;D;7;").await;
    assert!(!repaint.contains("150\r\n"), "{repaint:?}");
    assert!(repaint.contains("\x1b[31mred\x1b[m\r\n200\r\n"), "{repaint:?}");
    let cwd = format!("\x1b]633;P;Cwd={};", server.space.root().display());
    let marks = [cwd.as_str(), "\x1b]633;A;", "\x1b]633;B;", "\x1b]633;E;printf ", "\x1b]633;C;"];
    for mark in marks {
        assert!(repaint.contains(mark), "{mark:?} in {repaint:?}");
    }
}

#[tokio::test]
async fn one_of_several_views_is_told_to_answer_programs() {
    let server = server_with_terminal().await;
    let answers = async |view: &mut Socket| {
        let told = view.find("who answers", |message| message["type"] == "answers").await;
        told["answers"].as_bool().unwrap()
    };
    let mut one = Socket::open(&server.http, "/api/terminals/t1").await;
    assert!(answers(&mut one).await);
    let mut two = Socket::open(&server.http, "/api/terminals/t1").await;
    assert!(answers(&mut two).await && !answers(&mut one).await);
    one.send(keys("x")).await;
    assert!(answers(&mut one).await && !answers(&mut two).await);
    drop(one);
    assert!(answers(&mut two).await);
}

#[tokio::test]
async fn a_resize_reaches_the_program_and_every_view() {
    let server = server_with_terminal().await;
    let mut one = Socket::open(&server.http, "/api/terminals/t1").await;
    let mut two = Socket::open(&server.http, "/api/terminals/t1").await;
    for view in [&mut one, &mut two] {
        assert_eq!(view.json().await["type"], "repaint", "a view is there when it was painted");
    }
    one.send(Message::text(r#"{"type": "resize", "rows": 40, "cols": 120}"#)).await;
    for view in [&mut one, &mut two] {
        let resized = view.find("the new size", |message| message["type"] == "resized").await;
        assert_eq!(resized, json!({"type": "resized", "rows": 40, "cols": 120}));
    }
    one.send(keys("stty size\r")).await;
    one.bytes_until("40 120").await;
    let listed = server.call("terminal.list", json!({})).await;
    assert_eq!(listed["terminals"][0]["size"], json!({"rows": 40, "cols": 120}));
    let hint =
        "keys are binary messages; a text is {\"type\": \"resize\", \"rows\": 24, \"cols\": 80}";
    let wrong = [
        ("{}", "the message is not understood: missing field `type` at line 1 column 2"),
        ("no", "the message is not understood: expected ident at line 1 column 2"),
    ];
    for (wrong, error) in wrong {
        one.send(Message::text(wrong)).await;
        let told = one.find("an error", |message| message["type"] == "error").await;
        let expected =
            json!({"type": "error", "error": error, "kind": "invalid_args", "hint": hint});
        assert_eq!(told, expected);
    }
    one.send(Message::text(r#"{"type": "resize", "rows": 0, "cols": 0}"#)).await;
    let told = one.find("an error", |message| message["type"] == "error").await;
    assert_eq!(told["kind"], "invalid_args", "{told}");
    one.send(keys(SUM)).await;
    one.bytes_until("sum=42").await;
}

#[tokio::test]
async fn a_terminal_that_is_none_or_has_ended_says_so() {
    let server = server_with_terminal().await;
    let status = async |path: &str| Socket::try_open(&server.http, path).await.err();
    assert_eq!(status("/api/terminals/t9").await, Some(404));
    let mut view = Socket::open(&server.http, "/api/terminals/t1").await;
    view.send(keys("exit 7\r")).await;
    let ended = view.find("the end", |message| message["type"] == "ended").await;
    assert_eq!(ended, json!({"type": "ended", "code": 7, "signal": null}));
    while view.next().await.is_some() {}
    eventually("the record of the end", || async {
        let listed = server.call("terminal.list", json!({})).await;
        (listed["terminals"][0]["state"] == "exited").then_some(())
    })
    .await;
    server.call("terminal.close", json!({"terminalId": "t1"})).await;
    assert_eq!(status("/api/terminals/t1").await, Some(404));
}

#[tokio::test]
async fn what_was_typed_counts_as_typed_even_if_it_ends_the_shell() {
    let server = Server::start(&["--max-calls-per-turn", "100000"]).await;
    for _ in 0..20 {
        let id = server.call("terminal.create", json!({})).await["terminalId"].clone();
        eventually("the prompt", || async {
            let read = server.call("terminal.read_output", json!({"terminalId": id})).await;
            read["partial"].as_str().is_some_and(|line| line.starts_with('$')).then_some(())
        })
        .await;
        let sent = server.call("terminal.send", json!({"terminalId": id, "text": "exit\n"})).await;
        assert_eq!(sent["bytes"], 5);
    }
}

#[tokio::test]
async fn closing_a_terminal_ends_what_runs_in_it_and_its_views() {
    let server = server_with_terminal().await;
    let instance = server.space.instance();
    let mut view = Socket::open(&server.http, "/api/terminals/t1").await;
    view.send(keys("(trap '' HUP TERM; sleep 3210; true) & echo started=$((1))\r")).await;
    view.bytes_until("started=1").await;
    eventually("a stubborn program", || async {
        let found = marked_processes(&instance);
        found.iter().any(|(_, words)| words == "sleep 3210").then_some(())
    })
    .await;
    server.call("terminal.close", json!({"terminalId": "t1"})).await;
    assert_eq!(marked_processes(&instance), []);
    while view.next().await.is_some() {}
}

#[tokio::test]
async fn nothing_of_the_server_is_in_the_environment_of_a_shell() {
    let server = server_with_terminal().await;
    let mut view = Socket::open(&server.http, "/api/terminals/t1").await;
    view.send(keys("echo own=$(env | grep -c OPENSPACE_) token=$(env | grep -c ")).await;
    view.send(keys(&format!("{})\r", server.ready.token))).await;
    // The one variable of ours is the marker by which processes of a terminal are found.
    view.bytes_until("own=1 token=0").await;
}

#[tokio::test]
async fn what_an_agent_types_right_after_it_made_a_terminal_is_shown_once() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    server.space.file("../home/.zshrc", "PS1='%# '\n");
    for (number, shell) in ["bash", "zsh", "fish"].into_iter().enumerate() {
        let path = ["/bin", "/usr/bin"].map(|folder| format!("{folder}/{shell}"));
        let path = path.iter().find(|path| std::path::Path::new(path).exists()).unwrap();
        server.call("terminal.create", json!({"title": shell, "shellPath": path})).await;
        let text = format!("echo once-$HOME-{number}\n");
        server.call("terminal.send", json!({"terminalId": shell, "text": text})).await;
        let output = eventually("the output", || async {
            let read = server.call("terminal.read_output", json!({"terminalId": shell})).await;
            let end = format!("{}-{number}", server.space.home().display());
            shows(&read, &end).then_some(read["output"].clone())
        })
        .await;
        let lines = output.as_array().unwrap().iter();
        let typed = lines.filter(|line| line.as_str().unwrap().contains("echo once-")).count();
        assert_eq!(typed, 1, "{shell}: {output}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_read_does_not_hold_up_what_it_prints() {
    let server = server_with_terminal().await;
    let mut view = Socket::open(&server.http, "/api/terminals/t1").await;
    view.send(keys("stty raw -echo; while sleep 0.1; do echo tick=$((1)); done\r")).await;
    view.bytes_until("tick=1").await;
    view.send(Message::binary(vec![b'x'; 100_000])).await;
    let (mut ticks, mut refused) = (0, false);
    while !refused {
        match view.next().await.unwrap() {
            Message::Binary(bytes) => ticks += usize::from(bytes.starts_with(b"tick=1")),
            Message::Text(text) => refused = text.contains("error"),
            _ => {}
        }
    }
    assert!(ticks >= 5, "{ticks} lines came while the keys were not taken");
}

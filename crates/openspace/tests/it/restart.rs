//! A server that dies without a word, and the one that comes after it.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Server, Space, eventually, marked_processes, shows};

async fn state(server: &Server) -> Value {
    server.http.get("/api/state").send().await.json()
}

#[tokio::test]
async fn what_was_there_is_there_again_after_a_crash() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    server.space.file("a.txt", "one\ntwo\nthree\n");
    server.call("editor.open", json!({"path": "a.txt", "line": 2})).await;
    server.call("pane.split", json!({"side": "right"})).await;
    server.call("layout.save", json!({"name": "mine"})).await;
    let highlight = json!({"path": "a.txt", "ranges": [{"startLine": 2, "endLine": 3}],
        "highlightId": "why", "color": "#ff0000", "note": "because"});
    server.call("editor.highlight", highlight).await;
    server.call("terminal.create", json!({"title": "sh"})).await;
    server.call("pane.resize", json!({"paneId": "p1", "width": 30})).await;
    let before = state(&server).await;

    let space = server.kill().await;
    let server = Server::start_in(&space, &[]).await;
    let after = state(&server).await;
    let mut expected = before["parts"].clone();
    let terminal = expected["terminals"]["t1"].as_object_mut().unwrap();
    terminal.insert("state".into(), "ended_with_server".into());
    terminal.shift_remove("pid");
    assert_eq!(after["parts"], expected);
    assert!(after["revision"].as_u64() > before["revision"].as_u64(), "{before} {after}");
    assert_ne!(after["boot"], before["boot"]);

    let read = json!({"terminalId": "sh"});
    let refused = server.http.post("/api/commands/terminal.read_output", &read).send().await;
    assert_eq!((refused.status, &refused.json()["kind"]), (409, &json!("conflict")));
    let created = server.call("terminal.create", json!({})).await;
    assert_eq!(created["terminalId"], "t2", "no id is used twice");
}

#[tokio::test]
async fn a_call_that_was_answered_is_on_record_however_soon_the_server_dies() {
    const TIMES: usize = 50;
    let space = Space::new();
    space.file("a.txt", &"line\n".repeat(TIMES));
    for line in 1..=TIMES {
        let server = Server::start_in(&space, &[]).await;
        server.call("editor.open", json!({"path": "a.txt", "line": line})).await;
        server.kill().await;
    }
    let listed = space.run(&["audit", "--json", "--all", "--command", "editor.open"]).await;
    let summary = |line: &str| serde_json::from_str::<Value>(line).unwrap()["summary"].clone();
    let summaries: Vec<Value> = listed.out.lines().map(summary).collect();
    let expected = (1..=TIMES).rev().map(|line| json!(format!("open a.txt at line {line}")));
    assert_eq!(summaries, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_store_that_is_no_file_is_named_at_once() {
    let space = Server::start(&[]).await.kill().await;
    let database = space.place().join("space.db");
    #[expect(clippy::disallowed_methods, reason = "what the server must meet is made by hand")]
    std::fs::remove_file(&database).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &database, rustix::fs::Mode::RWXU).unwrap();
    for arguments in [&["serve", "--port", "0"][..], &["audit"]] {
        let finished = space.run(arguments).await;
        assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""), "{}", finished.err);
        let error = format!("the store {} is not a regular file", database.display());
        assert!(finished.err.contains(&error), "{}", finished.err);
    }
}

#[tokio::test]
async fn no_program_outlives_the_space_it_ran_in() {
    let server = Server::start(&[]).await;
    let instance = server.space.instance();
    server.call("terminal.create", json!({"title": "sh"})).await;
    let text = "(trap '' HUP; exec setsid sleep 3211) &\n";
    server.call("terminal.send", json!({"terminalId": "sh", "text": text})).await;
    let left = || marked_processes(&instance).iter().any(|(_, words)| words == "sleep 3211");
    eventually("a stubborn program", || async { left().then_some(()) }).await;
    let space = server.kill().await;
    assert!(left(), "it does survive the crash itself");
    let server = Server::start_in(&space, &[]).await;
    eventually("the end of everything", || async {
        marked_processes(&instance).is_empty().then_some(())
    })
    .await;
    let restarted = server.call("terminal.restart", json!({"terminalId": "sh"})).await;
    assert_eq!((&restarted["terminalId"], &restarted["state"]), (&json!("t1"), &json!("running")));
    server.stop().await;
    assert_eq!(marked_processes(&instance), [], "a server that is asked to stop leaves nothing");
}

#[tokio::test]
async fn a_terminal_of_the_new_run_is_not_taken_for_one_of_the_old() {
    let server = Server::start(&[]).await;
    server.call("terminal.create", json!({"title": "sh"})).await;
    let text = "(trap '' HUP; exec setsid sleep 3212) &\n";
    server.call("terminal.send", json!({"terminalId": "sh", "text": text})).await;
    let instance = server.space.instance();
    eventually("a stubborn program", || async {
        marked_processes(&instance).iter().any(|(_, words)| words == "sleep 3212").then_some(())
    })
    .await;
    let space = server.kill().await;
    let server = Server::start_in(&space, &[]).await;
    // At once, while what the old run left is still being looked for.
    server.call("terminal.restart", json!({"terminalId": "sh"})).await;
    eventually("the end of the old run", || async {
        let found = marked_processes(&instance);
        (!found.iter().any(|(_, words)| words == "sleep 3212")).then_some(())
    })
    .await;
    let text = "echo alive=$((1))\n";
    server.call("terminal.send", json!({"terminalId": "sh", "text": text})).await;
    eventually("the new shell", || async {
        let read = server.call("terminal.read_output", json!({"terminalId": "sh"})).await;
        assert_eq!(read["state"], "running", "{read}");
        shows(&read, "alive=1").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_broken_store_is_named_and_left_alone() {
    let server = Server::start(&[]).await;
    let space = server.space.clone();
    server.stop().await;
    let database = space.place().join("space.db");
    let nonsense = "this is not a database ".repeat(1_000);
    crate::support::write(&database, &nonsense);
    let finished = space.run(&["serve", "--port", "0"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    assert!(finished.err.contains(&database.display().to_string()), "{}", finished.err);
    assert_eq!(crate::support::read(&database), nonsense);
}

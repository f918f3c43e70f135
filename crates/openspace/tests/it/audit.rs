//! The log from outside: over HTTP and on the command line, with a server and after it.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Server, Space};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn summaries(text: &str) -> Vec<String> {
    lines(text).iter().map(|record| record["summary"].as_str().unwrap().to_owned()).collect()
}

/// A server that was asked for a few things.
async fn busy() -> Server {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    server.call("file.read", json!({"path": "a.txt"})).await;
    server.call("file.write", json!({"path": "deep/b.txt", "content": "CONTENT"})).await;
    let missing = json!({"path": "ghp_0123456789abcdefghijkl"});
    let answer = server.http.post("/api/commands/file.read", &missing).send().await;
    assert_eq!(answer.status, 404);
    server
}

#[tokio::test]
async fn http_streams_the_log_as_json_lines() {
    let server = busy().await;
    let answer = server.http.get("/api/v1/audit?command=file.*").send().await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-ndjson")));
    let expected = ["read ghp_***", "write deep/b.txt (7 bytes)", "read a.txt"];
    assert_eq!(summaries(&answer.text()), expected);
    assert!(!answer.text().contains("CONTENT"));
    let answer =
        server.http.get("/api/v1/audit?path=deep&outcome=ok&since=1h&limit=5").send().await;
    assert_eq!(summaries(&answer.text()), ["write deep/b.txt (7 bytes)"]);
    let answer = server.http.get("/api/v1/audit?command=no.such").send().await;
    assert_eq!((answer.status, answer.text().as_str()), (200, ""));
    for (query, argument) in [("since=x", "since"), ("limit=0", "limit"), ("limit=x", "limit")] {
        let answer = server.http.get(&format!("/api/v1/audit?{query}")).send().await;
        assert_eq!((answer.status, answer.header("x-openspace-kind")), (400, Some("invalid_args")));
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.starts_with(&format!("argument `{argument}`")), "{error}");
    }
    assert_eq!(server.http.stranger("GET", "/api/v1/audit").send().await.status, 401);
}

#[tokio::test]
async fn an_export_has_every_record_once_and_is_one_call() {
    let server = Server::start(&["--max-calls-per-turn", "100000"]).await;
    for _ in 0..1_050 {
        server.call("pane.list", json!({})).await;
    }
    let answer = server.http.get("/api/v1/audit?command=pane.list").send().await;
    let ids: Vec<u64> =
        lines(&answer.text()).iter().map(|record| record["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (1..=1_050).rev().collect::<Vec<_>>());
    let some = server.http.get("/api/v1/audit?command=pane.list&limit=1020").send().await;
    assert_eq!(lines(&some.text()).len(), 1_020);
    let all = server.space.run(&["audit", "--json", "--all", "--command", "pane.list"]).await;
    let distinct: BTreeSet<&str> = all.out.lines().collect();
    assert_eq!((all.code, all.out.lines().count(), distinct.len()), (Some(0), 1_050, 1_050));
    let calls = server.space.run(&["audit", "--json", "--command", "audit.*"]).await;
    assert_eq!(calls.out.lines().count(), 3, "{}", calls.out);
}

#[tokio::test]
async fn the_log_is_the_same_with_a_server_and_after_it() {
    let server = busy().await;
    let space = server.space.clone();
    let filters: [&[&str]; 5] = [
        &["--command", "file.*"],
        &["--command", "file.*", "--limit", "2"],
        &["--outcome", "not_found", "--since", "1h"],
        &["--path-filter", "deep"],
        &["--text", "A.TXT", "--caller", "*"],
    ];
    let mut with_server = Vec::new();
    for filter in filters {
        let finished = space.run(&[&["audit", "--json"], filter].concat()).await;
        assert_eq!((finished.code, finished.err.as_str()), (Some(0), ""), "{filter:?}");
        with_server.push(finished.out);
    }
    let found: Vec<Vec<String>> = with_server.iter().map(|out| summaries(out)).collect();
    let (read, wrote, gone) = ("read a.txt", "write deep/b.txt (7 bytes)", "read ghp_***");
    let expected =
        [vec![gone, wrote, read], vec![gone, wrote], vec![gone], vec![wrote], vec![read]];
    assert_eq!(found, expected);
    server.stop().await;
    for (filter, before) in filters.iter().zip(with_server) {
        let finished = space.run(&[&["audit", "--json"], *filter].concat()).await;
        assert_eq!((finished.code, finished.out, finished.err), (Some(0), before, String::new()));
    }
}

#[tokio::test]
async fn the_log_of_a_server_that_was_killed_can_be_read() {
    let server = busy().await;
    let before = server.space.run(&["audit", "--json", "--command", "file.*"]).await;
    let space = server.kill().await;
    let after = space.run(&["audit", "--json", "--command", "file.*"]).await;
    assert_eq!((after.code, after.out), (Some(0), before.out));
}

#[tokio::test]
async fn people_get_a_table() {
    let server = busy().await;
    server.space.file("deep/c.txt", "");
    let deep = server.space.root().join("deep").display().to_string();
    for stopped in [false, true] {
        if stopped {
            crate::support::send_signal(server.pid(), rustix::process::Signal::TERM);
            crate::support::eventually("the end of the server", || async {
                let running = server.space.run(&["token"]).await;
                (running.code != Some(0)).then_some(())
            })
            .await;
        }
        let finished = server.space.run(&["audit", &deep, "--command", "file.*"]).await;
        let rows: Vec<&str> = finished.out.lines().collect();
        assert_eq!((finished.code, rows.len()), (Some(0), 4), "{finished:?}");
        assert!(rows[0].starts_with("time   "), "{}", rows[0]);
        assert!(rows[1].contains(" not_found "), "{}", rows[1]);
        assert!(rows[3].ends_with("file.read             read a.txt"), "{}", rows[3]);
        let none = server.space.run(&["audit", "--command", "no.such"]).await;
        assert_eq!((none.code, none.out.as_str(), none.err.as_str()), (Some(0), "", "No calls.\n"));
        let wrong = server.space.run(&["audit", "--since", "yesterday"]).await;
        assert_eq!((wrong.code, wrong.out.as_str()), (Some(2), ""));
        assert!(wrong.err.starts_with("Error (invalid_args): argument `since`: "), "{}", wrong.err);
    }
}

#[tokio::test]
async fn a_folder_without_a_log_says_so_and_stays_without() {
    let space = Space::new();
    let finished = space.run(&["audit"]).await;
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    assert!(finished.err.starts_with("error: nothing was ever served from ."), "{}", finished.err);
    assert!(!space.state().exists(), "looking leaves nothing behind");
}

#[tokio::test]
async fn the_command_is_there_beside_the_verb() {
    let server = busy().await;
    let listed = server.space.run(&["audit", "list", "--command", "file.*", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed["records"].as_array().unwrap().len(), 3);
    let mixed = server.space.run(&["audit", "--limit", "1", "list"]).await;
    let expected =
        "error: the folder list cannot be opened: No such file or directory (os error 2)\n";
    assert_eq!((mixed.code, mixed.err.as_str()), (Some(1), expected), "options belong to the verb");
}

#[tokio::test]
async fn days_are_within_reason() {
    let space = Space::new();
    for days in ["0", "3651", "x"] {
        let finished = space.run(&["serve", "--audit-days", days]).await;
        assert_eq!((finished.code, finished.out.as_str()), (Some(2), ""), "{days}");
    }
    Server::start(&["--audit-days", "1"]).await.stop().await;
}

#[tokio::test]
async fn a_body_that_cannot_be_read_and_a_posted_name_that_is_unknown_are_recorded() {
    let server = Server::start(&[]).await;
    server.http.curl("/api/commands/file.read", "{").send().await;
    let manifest = json!({"commands": [{"id": "demo.add", "description": "Add."}]});
    assert_eq!(server.http.post("/manifest?bridge=b", &manifest).send().await.status, 200);
    let posted = json!({"cmd": "demo.other"});
    assert_eq!(server.http.post("/commands", &posted).send().await.status, 400);
    let answer = server.http.get("/api/v1/audit?outcome=error").send().await;
    let told: Vec<Value> = lines(&answer.text())
        .iter()
        .map(|record| json!([record["command"], record["outcome"], record["error"]]))
        .collect();
    let expected = [
        json!(["demo.other", "not_found", "Unknown command: demo.other"]),
        json!([
            "openspace.file.read",
            "invalid_args",
            "the body is not valid JSON: EOF while parsing an object at line 1 column 1"
        ]),
    ];
    assert_eq!(told, expected);
}

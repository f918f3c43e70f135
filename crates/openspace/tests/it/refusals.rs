//! What HTTP callers are told when something does not go as they asked.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Bridge, Server};

/// The status, the kind in the header, and the body, which must agree with it.
fn refused(answer: &Answer) -> (u16, String) {
    let body = answer.json();
    assert_eq!(body["success"], false, "{body}");
    assert!(body["error"].as_str().is_some_and(|error| !error.is_empty()), "{body}");
    let kind = body["kind"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned();
    (answer.status, kind)
}

async fn call(server: &Server, id: &str, arguments: Value) -> Answer {
    server.http.post(&format!("/api/commands/{id}"), &arguments).send().await
}

#[tokio::test]
async fn each_kind_of_refusal_has_its_status() {
    let server = Server::start(&[]).await;
    server.space.file(".env", "SECRET=1");
    server.space.file("image.bin", "\0\0\0\0");
    server.call("terminal.create", json!({})).await;
    for (id, arguments, status, kind) in [
        ("editor.open", json!({}), 400, "invalid_args"),
        ("editor.open", json!({"path": "a", "line": "x"}), 400, "invalid_args"),
        ("editor.open", json!({"path": "a", "colour": 1}), 400, "invalid_args"),
        ("editor.open", json!([]), 400, "invalid_args"),
        ("editor.open", json!({"path": "missing.rs"}), 404, "not_found"),
        ("no.such", json!({}), 404, "not_found"),
        ("terminal.restart", json!({"terminalId": "t1"}), 409, "conflict"),
        ("file.read", json!({"path": ".env"}), 403, "denied"),
        ("file.read", json!({"path": "../outside"}), 400, "invalid_args"),
        ("file.read", json!({"path": "/etc/passwd"}), 403, "denied"),
        ("file.read", json!({"path": "image.bin"}), 422, "unsupported"),
        ("pane.open", json!({"type": "chat", "contentId": "c"}), 422, "unsupported"),
    ] {
        let answer = call(&server, id, arguments.clone()).await;
        assert_eq!(refused(&answer), (status, kind.to_owned()), "{id} {arguments}");
        assert_eq!(answer.header("x-openspace-kind"), Some(kind));
    }
}

#[tokio::test]
async fn what_a_bridge_does_not_do_has_its_status_too() {
    let server = Server::start(&["--bridge-timeout", "1", "--max-concurrent", "1"]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let waiting = call(&server, "slow.wait", json!({}));
    let busy = async {
        bridge.call().await;
        let answer = call(&server, "pane.list", json!({})).await;
        assert_eq!(answer.header("retry-after"), Some("2"));
        refused(&answer)
    };
    let (waiting, busy) = tokio::join!(waiting, busy);
    assert_eq!(busy, (503, "busy".to_owned()));
    assert_eq!(refused(&waiting), (504, "timed_out".to_owned()));

    let waiting = call(&server, "slow.wait", json!({}));
    let leave = async {
        bridge.call().await;
        drop(bridge);
    };
    assert_eq!(refused(&tokio::join!(waiting, leave).0), (502, "lost".to_owned()));
    let gone = call(&server, "slow.wait", json!({})).await;
    assert_eq!(refused(&gone), (404, "not_found".to_owned()), "its commands went with it");
}

#[tokio::test]
async fn a_turn_has_an_end_and_every_answer_says_what_is_left() {
    let server = Server::start(&["--max-calls-per-turn", "2"]).await;
    let left = |answer: &Answer| -> Value {
        serde_json::from_str(answer.header("x-openspace-budget").unwrap()).unwrap()
    };
    let budget = |calls: u32| json!({"callsLeft": calls, "concurrentLeft": 10, "queued": 0});
    assert_eq!(left(&call(&server, "pane.list", json!({})).await), budget(1));
    assert_eq!(left(&call(&server, "pane.list", json!({})).await), budget(0));
    let third = call(&server, "pane.list", json!({})).await;
    assert_eq!(refused(&third), (429, "limit".to_owned()));
    assert_eq!(third.header("retry-after"), Some("2"));
    let other = server.http.post("/api/commands/pane.list", &json!({}));
    let other = other.header("x-openspace-session", "another").send().await;
    assert_eq!(left(&other), budget(1), "each session has turns of its own");
}

#[tokio::test]
async fn a_body_is_json_or_nothing() {
    let server = Server::start(&[]).await;
    let ask = || server.http.ask("POST", "/api/commands/pane.list");
    assert_eq!(ask().send().await.status, 200, "no body means no arguments");
    assert_eq!(ask().body(" \n").send().await.status, 200);
    for body in ["{", "{\"a\": }", "nonsense", "\u{0}"] {
        let answer = ask().body(body).send().await;
        assert_eq!(refused(&answer), (400, "invalid_args".to_owned()), "{body}");
        assert!(answer.json()["error"].as_str().unwrap().contains("not valid JSON"));
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_in_json() {
    let server = Server::start(&[]).await;
    let body = vec![b' '; 40 * 1024 * 1024];
    for path in ["/api/commands/file.write", "/manifest"] {
        let answer = server.http.ask("POST", path).body(body.clone()).send().await;
        assert_eq!(refused(&answer), (413, "invalid_args".to_owned()), "{path}");
    }
    let large = "x".repeat(9 * 1024 * 1024);
    server.call("file.write", json!({"path": "large.txt", "content": large})).await;
}

#[tokio::test]
async fn what_the_server_itself_refuses_is_told_in_json() {
    let server = Server::start(&[]).await;
    for (method, path, status, kind) in [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/api/link", 405, "unsupported"),
        ("DELETE", "/api/state", 405, "unsupported"),
        ("GET", "/api/events?seq=x", 400, "invalid_args"),
        ("GET", "/api/socket", 400, "invalid_args"),
        ("GET", "/mcp/stream", 426, "invalid_args"),
    ] {
        let answer = server.http.ask(method, path).send().await;
        assert_eq!(refused(&answer), (status, kind.to_owned()), "{method} {path}");
    }
}

#[tokio::test]
async fn who_wants_text_gets_text() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let ask = |path: &str| {
        let ask = server.http.post("/api/commands/file.read", &json!({"path": path}));
        ask.header("accept", "text/plain").send()
    };
    let answer = ask("a.txt").await;
    assert_eq!((answer.status, answer.text().as_str()), (200, "one\n"));
    let answer = ask("b.txt").await;
    assert_eq!((answer.status, answer.header("x-openspace-kind")), (404, Some("not_found")));
    assert!(answer.text().contains("b.txt"), "{}", answer.text());
}

#[tokio::test]
async fn a_caller_that_hangs_up_takes_its_call_back() {
    let server = Server::start(&[]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let mut events = server.events().await;
    let ask = server.http.post("/api/commands/slow.wait", &json!({}));
    let calling = tokio::spawn(ask.header("x-openspace-caller", "impatient").send());
    let call = bridge.call().await;
    calling.abort();
    let record = events.call_ended("openspace.slow.wait").await;
    assert_eq!(record["outcome"], json!({"failed": "cancelled"}));
    assert_eq!(record["caller"]["id"], "impatient");
    let late = json!({"callId": call["callId"], "success": true});
    assert_eq!(bridge.result(&late).await, 404, "nobody waits any more");
}

//! What is promised under `/api/v1`, and that the older paths mean the same.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Answer, Server, Socket};

const PREFIXES: [&str; 2] = ["/api", "/api/v1"];

/// All that an answer says, but for when.
fn told(answer: &Answer) -> (u16, Vec<(String, String)>, Value) {
    let mut headers: Vec<(String, String)> = answer
        .headers
        .iter()
        .filter(|(name, _)| *name != "date" && *name != "x-openspace-budget")
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    (answer.status, headers, answer.json())
}

#[tokio::test]
async fn both_prefixes_answer_alike() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    server.call("editor.open", json!({"path": "a.txt"})).await;
    for path in ["/commands", "/state"] {
        let [old, new] = PREFIXES.map(|prefix| server.http.get(&format!("{prefix}{path}")).send());
        assert_eq!(told(&old.await), told(&new.await), "{path}");
    }
    let calls = [
        ("pane.list", json!({})),
        ("openspace.pane.list", json!({})),
        ("file.read", json!({"path": "missing.txt"})),
        ("pane.list", json!({"depth": 1})),
        ("no.such", json!({})),
    ];
    for (id, arguments) in calls {
        let ask =
            |prefix: &str| server.http.post(&format!("{prefix}/commands/{id}"), &arguments).send();
        let [old, new] = PREFIXES.map(ask);
        assert_eq!(told(&old.await), told(&new.await), "{id} {arguments}");
    }
    let [old, new] =
        ["/openapi.json", "/api/v1/openapi.json"].map(|path| server.http.get(path).send());
    assert_eq!(told(&old.await), told(&new.await));
}

#[tokio::test]
async fn both_prefixes_tell_the_same_events() {
    let server = Server::start(&[]).await;
    let mut streams = Vec::new();
    let mut sockets = Vec::new();
    for prefix in PREFIXES {
        let mut stream = server.http.get(&format!("{prefix}/events")).open().await;
        assert_eq!(stream.next().await.unwrap().event, "snapshot");
        streams.push(stream);
        let mut socket = Socket::open(&server.http, &format!("{prefix}/socket")).await;
        socket.find("a snapshot", |message| message["type"] == "snapshot").await;
        sockets.push(socket);
    }
    server.call("terminal.create", json!({"title": "sh"})).await;
    let mut seen = Vec::new();
    for stream in &mut streams {
        let created = loop {
            let event = stream.next().await.unwrap();
            if event.data.contains("\"t1\"") {
                break event;
            }
        };
        seen.push(created);
    }
    assert_eq!(seen[0], seen[1]);
    let mut seen = Vec::new();
    for socket in &mut sockets {
        seen.push(
            socket.find("a terminal", |message| message.to_string().contains("\"t1\"")).await,
        );
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn both_prefixes_reach_the_same_terminal() {
    let server = Server::start(&[]).await;
    server.call("terminal.create", json!({"title": "sh"})).await;
    let mut sockets = Vec::new();
    for prefix in PREFIXES {
        sockets.push(Socket::open(&server.http, &format!("{prefix}/terminals/sh")).await);
    }
    sockets[1].send(Message::binary("echo by\"\"es\n".as_bytes().to_vec())).await;
    for socket in &mut sockets {
        socket.bytes_until("byes").await;
    }
}

#[tokio::test]
async fn strangers_are_refused_under_both_prefixes() {
    let server = Server::start(&[]).await;
    for prefix in PREFIXES {
        for path in ["commands", "state", "events", "socket", "terminals/t1"] {
            let path = format!("{prefix}/{path}");
            assert_eq!(server.http.stranger("GET", &path).send().await.status, 401, "{path}");
        }
    }
}

#[tokio::test]
async fn what_is_the_pages_own_is_not_promised() {
    let server = Server::start(&[]).await;
    for path in ["buffers", "connect", "files/list", "git/status", "link", "ui-state", "user-data"]
    {
        let path = format!("/api/v1/{path}");
        assert_eq!(server.http.get(&path).send().await.status, 404, "{path}");
    }
}

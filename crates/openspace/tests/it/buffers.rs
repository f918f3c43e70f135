//! Unsaved text over the real WebSocket, with an agent at the other end of MCP.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Server, Socket, read};

const DISK: &str = "one\ntwo\nthree\n";
const TYPED: &str = "one\ntwo typed\nthree\n";

async fn ask(page: &mut Socket, message: Value) -> Value {
    page.send(Message::text(message.to_string())).await;
    page.json().await
}

async fn typing(server: &Server) -> Socket {
    server.space.file("a.txt", DISK);
    let mut page = Socket::open(&server.http, "/api/buffers").await;
    let open = json!({"type": "open", "path": "a.txt", "base": DISK, "text": TYPED});
    let expected = json!({
        "type": "opened", "path": "a.txt", "version": 1, "text": TYPED, "base": DISK,
        "conflicted": false,
    });
    assert_eq!(ask(&mut page, open).await, expected);
    page
}

#[tokio::test]
async fn a_page_and_an_agent_change_one_file_together() {
    let server = Server::start(&[]).await;
    let mut page = typing(&server).await;
    let edit = json!({"file_path": "a.txt", "old_string": "three", "new_string": "3 𝄞"});
    let edited = server.call("workspace.edit", edit).await;
    assert_eq!(edited["unsaved"], true);
    let base = "one\ntwo\n3 𝄞\n";
    let changed = page.json().await;
    let by = changed["by"].clone();
    assert_eq!(
        changed,
        json!({
            "type": "changed", "path": "a.txt", "version": 2, "by": by, "base": base,
            "edits": [{"start": 14, "end": 19, "text": "3 𝄞"}],
        })
    );
    assert!(by.as_str().is_some_and(|by| !by.is_empty()));
    assert_eq!(read(&server.space.root().join("a.txt")), base);
    let inside = json!({"type": "edit", "path": "a.txt", "version": 2,
        "edits": [{"start": 17, "end": 17, "text": "x"}]});
    assert_eq!(ask(&mut page, inside).await["kind"], "invalid_args");
    let behind = json!({"type": "edit", "path": "a.txt", "version": 2,
        "edits": [{"start": 18, "end": 18, "text": "x"}]});
    let accepted = json!({"type": "accepted", "path": "a.txt", "version": 3});
    assert_eq!(ask(&mut page, behind).await, accepted);
    let seen = server.call("editor.read_file", json!({"path": "a.txt"})).await;
    let found = (&seen["content"], &seen["unsaved"]);
    assert_eq!(found, (&json!("one\ntwo typed\n3 𝄞x\n"), &json!(true)));

    let touching = json!({"file_path": "a.txt", "old_string": "two", "new_string": "2"});
    let refused = server.http.post("/api/commands/workspace.edit", &touching).send().await;
    assert_eq!((refused.status, &refused.json()["kind"]), (409, &json!("conflict")));
}

#[tokio::test]
async fn unsaved_text_survives_the_end_of_every_process() {
    let server = Server::start(&[]).await;
    let page = typing(&server).await;
    page.close().await;
    let space = server.space.clone();
    server.stop().await;
    let server = Server::start_in(&space, &[]).await;
    let state = server.http.get("/api/state").send().await.json();
    assert_eq!(state["parts"]["buffers"], json!({"a.txt": {"conflicted": false}}));
    let mut page = Socket::open(&server.http, "/api/buffers").await;
    let opened = ask(&mut page, json!({"type": "attach", "path": "a.txt"})).await;
    assert_eq!(opened["text"], TYPED);
    server.call("editor.discard", json!({"path": "a.txt"})).await;
    let closed = json!({"type": "closed", "path": "a.txt", "reason": "discarded"});
    assert_eq!(page.json().await, closed);
}

#[tokio::test]
async fn an_agent_reads_text_without_a_file_and_closes_no_tab_with_unsaved_text() {
    let server = Server::start(&[]).await;
    let mut page = typing(&server).await;
    let note = json!({"type": "open", "path": "untitled:Untitled-1", "base": "", "text": "a note"});
    assert_eq!(ask(&mut page, note).await["type"], "opened");
    server.call("editor.open", json!({"path": "a.txt"})).await;
    server.call("editor.open", json!({"path": "untitled:Untitled-1"})).await;
    for path in ["a.txt", "untitled:Untitled-1"] {
        let close = server.http.post("/api/commands/editor.close", &json!({"path": path}));
        let refused = close.send().await;
        let error = format!("`{path}` has unsaved changes; nothing was closed");
        assert_eq!((refused.status, &refused.json()["error"]), (409, &json!(error)));
    }
    let space = server.space.clone();
    page.close().await;
    server.stop().await;
    let server = Server::start_in(&space, &[]).await;
    let seen = server.call("editor.read_file", json!({"path": "untitled:Untitled-1"})).await;
    assert_eq!((&seen["content"], &seen["unsaved"]), (&json!("a note"), &json!(true)));
    let state = server.call("editor.state", json!({})).await;
    let dirty: Vec<_> = state["editors"].as_array().unwrap().iter().map(|e| &e["dirty"]).collect();
    assert_eq!(dirty, [true, true]);
}

#[tokio::test]
async fn nonsense_is_answered_and_strangers_are_not() {
    let server = Server::start(&[]).await;
    let mut page = typing(&server).await;
    for nonsense in [json!("x"), json!({"type": "fly"}), json!({"type": "attach"})] {
        let told = ask(&mut page, nonsense).await;
        assert_eq!((&told["type"], &told["kind"]), (&json!("error"), &json!("invalid_args")));
    }
    page.send(Message::binary(vec![1, 2, 3])).await;
    assert_eq!(page.json().await["error"], "messages are JSON texts");
    let mut stranger = server.http.clone();
    stranger.token = "wrong".into();
    assert_eq!(Socket::try_open(&stranger, "/api/buffers").await.err(), Some(401));
}

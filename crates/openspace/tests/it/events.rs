//! The live space over WebSocket and SSE: a snapshot, then every event, and coming back.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Server, Socket, SseEvent, Streaming, eventually};

/// The parts of the state as the events after a snapshot have made them.
fn apply(parts: &mut Value, event: &Value) {
    if event["type"] == "changed" {
        for (part, patch) in event["patches"].as_object().unwrap() {
            let entries = parts[part].as_object_mut().unwrap();
            for key in patch["removed"].as_array().into_iter().flatten() {
                entries.remove(key.as_str().unwrap());
            }
            let put = patch["put"].as_object().into_iter().flatten();
            entries.extend(put.map(|(key, entry)| (key.clone(), entry.clone())));
        }
    }
}

async fn server_with_files() -> Server {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        server.space.file(name, "one\ntwo\n");
    }
    server
}

#[tokio::test]
async fn a_view_is_welcomed_and_then_told_every_change() {
    let server = server_with_files().await;
    let mut view = Socket::open(&server.http, "/api/socket").await;
    let welcome = view.json().await;
    assert_eq!(welcome["type"], "welcome");
    assert!(welcome["viewId"].as_str().unwrap().starts_with('v'), "{welcome}");
    let first = view.json().await;
    assert_eq!(
        (&first["type"], &first["snapshot"]["boot"]),
        (&json!("snapshot"), &welcome["boot"])
    );
    let mut parts = first["snapshot"]["parts"].clone();
    let mut seq = first["snapshot"]["seq"].as_u64().unwrap();

    server.call("editor.open", json!({"path": "a.txt", "line": 2, "highlight": true})).await;
    server.call("pane.split", json!({"side": "right"})).await;
    server.call("layout.save", json!({"name": "mine"})).await;
    let live = server.http.get("/api/state").send().await.json();
    while seq < live["seq"].as_u64().unwrap() {
        let event = view.json().await;
        seq += 1;
        assert_eq!(event["seq"], seq, "no event is left out: {event}");
        apply(&mut parts, &event);
    }
    assert_eq!(parts, live["parts"], "a view that missed nothing holds the server's state");
}

#[tokio::test]
async fn a_view_that_comes_back_gets_what_it_missed() {
    let server = server_with_files().await;
    server.call("editor.open", json!({"path": "a.txt"})).await;
    let then = server.http.get("/api/state").send().await.json();
    let (boot, seq) = (then["boot"].as_str().unwrap(), then["seq"].as_u64().unwrap());
    server.call("editor.open", json!({"path": "b.txt"})).await;

    let path = format!("/api/socket?boot={boot}&seq={seq}");
    let mut view = Socket::open(&server.http, &path).await;
    assert_eq!(view.json().await["type"], "welcome");
    let missed = view.json().await;
    assert_eq!((&missed["seq"], &missed["type"]), (&json!(seq + 1), &json!("reveal")));
    assert_eq!(view.json().await["type"], "changed");

    for unknown in [format!("boot=other&seq={seq}"), format!("boot={boot}&seq=999999")] {
        let mut view = Socket::open(&server.http, &format!("/api/socket?{unknown}")).await;
        assert_eq!(view.json().await["type"], "welcome");
        assert_eq!(view.json().await["type"], "snapshot", "{unknown}");
    }
}

#[tokio::test]
async fn a_part_is_told_whole_to_whoever_asks_for_it() {
    let server = server_with_files().await;
    server
        .call(
            "editor.highlight",
            json!({"path": "a.txt", "highlightId": "h",
        "ranges": [{"startLine": 1, "endLine": 1}]}),
        )
        .await;
    let whole = server.http.get("/api/v1/state").send().await.json();
    let some = server.http.get("/api/v1/state?parts=highlights,layouts").send().await.json();
    let expected = json!({"highlights": whole["parts"]["highlights"], "layouts": {}});
    assert_eq!((&some["parts"], &some["seq"]), (&expected, &whole["seq"]));
    let answer = server.http.get("/api/v1/state?parts=nothing").send().await.json();
    assert_eq!(answer["error"], "the space has no part `nothing`");
}

async fn next_change(events: &mut Streaming) -> SseEvent {
    let pick = |event: &SseEvent| (event.json()["type"] == "changed").then(|| event.clone());
    events.find("a change", pick).await
}

#[tokio::test]
async fn server_sent_events_resume_by_their_last_id() {
    let server = server_with_files().await;
    let mut events = server.http.get("/api/events").open().await;
    let snapshot = events.next().await.unwrap();
    assert_eq!(snapshot.event, "snapshot");
    let state = snapshot.json();
    let boot = state["boot"].as_str().unwrap();
    assert_eq!(snapshot.id, Some(format!("{boot}:{}", state["seq"])));
    server.call("editor.open", json!({"path": "a.txt"})).await;
    let seen = next_change(&mut events).await;
    let id = seen.id.clone().unwrap();
    assert_eq!(id, format!("{boot}:{}", seen.json()["seq"]));
    drop(events);
    server.call("editor.open", json!({"path": "b.txt"})).await;

    let mut again = server.http.get("/api/events").header("last-event-id", &id).open().await;
    let first = again.next().await.unwrap();
    assert_eq!(first.event, "event");
    assert_eq!(first.json()["seq"], seen.json()["seq"].as_u64().unwrap() + 1);
    let mut other = server.http.get("/api/events").header("last-event-id", "x:1").open().await;
    assert_eq!(other.next().await.unwrap().event, "snapshot");
}

#[tokio::test]
async fn a_view_counts_as_a_viewer_until_it_goes() {
    let server = server_with_files().await;
    let viewers =
        async || server.call("editor.open", json!({"path": "a.txt"})).await["viewers"].clone();
    let observed = async || server.call("pane.list", json!({})).await["observed"].clone();
    assert_eq!((viewers().await, observed().await), (json!(0), json!({})));
    let mut one = Socket::open(&server.http, "/api/socket").await;
    let two = Socket::open(&server.http, "/api/socket").await;
    let name = one.json().await["viewId"].as_str().unwrap().to_owned();
    assert_eq!(viewers().await, 2);
    assert_eq!(observed().await[&name], json!({"panes": [], "editors": []}));
    one.close().await;
    // One that vanishes without a word is noticed as well.
    drop(two);
    eventually("the end of the views", || async { (viewers().await == 0).then_some(()) }).await;
    assert_eq!(observed().await, json!({}));
    let report = json!({"viewId": name, "view": {"panes": [], "editors": []}});
    let gone = server.http.post("/api/commands/view.report", &report).send().await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn every_call_is_told_with_who_made_it_and_never_with_what_was_in_it() {
    let server = server_with_files().await;
    let mut events = server.events().await;
    let write = json!({"path": "d.txt", "content": "a remarkable secret"});
    let ask = server.http.post("/api/commands/file.write", &write);
    ask.header("x-openspace-caller", "script").header("x-openspace-session", "s1").send().await;
    let record = events.call_ended("openspace.file.write").await;
    let caller = json!({"kind": "script", "id": "script", "session": "s1"});
    assert_eq!((&record["caller"], &record["outcome"]), (&caller, &json!("done")));
    assert_eq!(record["summary"], "write d.txt (19 bytes)");
    assert!(!record.to_string().contains("remarkable"), "{record}");
}

#[tokio::test]
async fn a_server_that_stops_ends_every_stream() {
    let server = server_with_files().await;
    let mut events = server.events().await;
    let mut view = Socket::open(&server.http, "/api/socket").await;
    server.call("terminal.create", json!({})).await;
    let mut terminal = Socket::open(&server.http, "/api/terminals/t1").await;
    server.stop().await;
    while events.next().await.is_some() {}
    while view.next().await.is_some() {}
    while terminal.next().await.is_some() {}
}

#[tokio::test]
async fn who_says_something_on_the_stream_is_let_go_with_a_reason() {
    let server = Server::start(&[]).await;
    for said in [Message::text("{}"), Message::binary(vec![1])] {
        let mut view = Socket::open(&server.http, "/api/socket").await;
        view.send(said).await;
        let reason = (1003, "nothing is said here; run commands".to_owned());
        assert_eq!(view.reason().await, reason);
    }
}

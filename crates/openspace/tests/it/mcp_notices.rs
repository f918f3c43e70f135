//! What MCP clients hear without asking, and how calls that take long are watched and stopped.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bridge, Modern, Server, SseEvent, Streaming};

/// The parameters of the next notice of a kind.
async fn notice(notices: &mut Streaming, method: &str) -> Value {
    let pick = |event: &SseEvent| {
        let message = event.json();
        (message["method"] == method).then(|| message["params"].clone())
    };
    notices.find(method, pick).await
}

#[tokio::test]
async fn a_change_is_told_to_who_subscribed() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "");
    let mcp = server.mcp().await;
    let mut notices = mcp.notices().await;
    let uri = json!({"uri": "openspace://state"});
    assert_eq!(mcp.result("resources/subscribe", uri.clone()).await, json!({}));
    server.call("editor.open", json!({"path": "a.txt"})).await;
    assert_eq!(notice(&mut notices, "notifications/resources/updated").await, uri);

    mcp.result("resources/unsubscribe", uri).await;
    let other = json!({"uri": "openspace://instructions"});
    mcp.result("resources/subscribe", other.clone()).await;
    server.call("editor.close", json!({"path": "a.txt"})).await;
    // The first thing heard is the other one: the first is no longer told.
    assert_eq!(notice(&mut notices, "notifications/resources/updated").await, other);

    let missing = json!({"uri": "openspace://terminals/t7"});
    let refused = mcp.answer("resources/subscribe", missing).await;
    assert_eq!(refused["error"]["code"], -32002);
}

#[tokio::test]
async fn a_terminal_that_shows_something_new_is_told() {
    let server = Server::start(&[]).await;
    let mcp = server.mcp().await;
    let mut notices = mcp.notices().await;
    server.call("terminal.create", json!({})).await;
    notice(&mut notices, "notifications/resources/list_changed").await;
    let uri = json!({"uri": "openspace://terminals/t1"});
    mcp.result("resources/subscribe", uri.clone()).await;
    server.call("terminal.send", json!({"terminalId": "t1", "text": "echo hello\n"})).await;
    assert_eq!(notice(&mut notices, "notifications/resources/updated").await, uri);
}

#[tokio::test]
async fn new_tools_are_announced_in_both_eras() {
    let server = Server::start(&[]).await;
    let mcp = server.mcp().await;
    let mut notices = mcp.notices().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let modern = Modern(&server.http);
    let mut stream = modern.begin("/mcp", "subscriptions/listen", filter).await;
    let acknowledged = stream.next().await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    let bridge = Bridge::silent(&server.http).await;
    notice(&mut notices, "notifications/tools/list_changed").await;
    assert_eq!(stream.next().await.unwrap()["method"], "notifications/tools/list_changed");
    assert!(mcp.tools().await.iter().any(|tool| tool["name"] == "slow_wait"));
    drop(bridge);
    notice(&mut notices, "notifications/tools/list_changed").await;
}

#[tokio::test]
async fn a_modern_stream_hears_of_what_it_asked_for() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "");
    let wanted = json!({"notifications": {
        "resourceSubscriptions": ["openspace://state", "openspace://none"]}});
    let mut stream = Modern(&server.http).begin("/mcp", "subscriptions/listen", wanted).await;
    let acknowledged = stream.next().await.unwrap().to_string();
    assert!(acknowledged.contains("openspace://state"), "{acknowledged}");
    assert!(!acknowledged.contains("openspace://none"), "{acknowledged}");
    server.call("editor.open", json!({"path": "a.txt"})).await;
    let heard = stream.next().await.unwrap();
    assert_eq!(heard["method"], "notifications/resources/updated");
    assert_eq!(heard["params"]["uri"], "openspace://state");
}

const CALL: &str = "tools/call";

fn slow() -> Value {
    json!({"name": "slow_wait", "arguments": {}})
}

#[tokio::test]
async fn a_notice_takes_a_call_back() {
    let server = Server::start(&[]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let mut events = server.events().await;
    let mcp = server.mcp().await;
    let pending = mcp.begin(CALL, slow()).await;
    bridge.call().await;
    mcp.notify("notifications/cancelled", json!({"requestId": 4_000})).await;
    mcp.notify("notifications/cancelled", json!({"requestId": pending.id})).await;
    let record = events.call_ended("openspace.slow.wait").await;
    assert_eq!(record["outcome"], json!({"failed": "cancelled"}));
    assert_eq!(record["caller"]["kind"], "agent");
    assert_eq!(record["caller"]["id"], "tester");
    assert_eq!(mcp.result("ping", json!({})).await, json!({}), "the session goes on");
}

#[tokio::test]
async fn closing_the_stream_takes_a_modern_call_back() {
    let server = Server::start(&[]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let mut events = server.events().await;
    let modern = Modern(&server.http);
    // There is no head of an answer before the answer, so the request is left half-way.
    tokio::select! {
        _ = modern.begin("/mcp", CALL, slow()) => panic!("nobody answers this call"),
        _ = bridge.call() => {}
    }
    let record = events.call_ended("openspace.slow.wait").await;
    assert_eq!(record["outcome"], json!({"failed": "cancelled"}));
}

#[tokio::test]
async fn a_server_that_stops_leaves_no_call_behind() {
    let server = Server::start(&[]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let mcp = server.mcp().await;
    let pending = mcp.begin(CALL, slow()).await;
    bridge.call().await;
    server.stop().await;
    let answer = pending.answer().await;
    assert_eq!(answer["result"]["structuredContent"]["kind"], "lost", "{answer}");
}

/// The one slow test: the time between two signs of life is what is tested.
#[tokio::test]
async fn a_call_that_takes_long_gives_signs_of_life() {
    let server = Server::start(&[]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let mcp = server.mcp().await;
    let mut params = slow();
    params["_meta"] = json!({"progressToken": "watch"});
    let mut pending = mcp.begin(CALL, params).await;
    let call = bridge.call().await;
    let sign = pending.next().await.unwrap();
    assert_eq!(sign["method"], "notifications/progress");
    assert_eq!(sign["params"]["progressToken"], "watch");
    assert!(sign["params"]["progress"].as_f64().unwrap() > 0.0, "{sign}");
    bridge.result(&json!({"callId": call["callId"], "success": true})).await;
    let answer = pending.answer().await;
    assert_eq!(answer["result"]["structuredContent"], json!({"success": true}));
}

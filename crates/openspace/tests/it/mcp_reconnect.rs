//! `openspace mcp` outlives the servers that it joins: they stop, crash, come back and come later.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    Bridge, LOOK_EVERY, Mcp, Modern, Server, Space, Stdio, bytes, eventually, in_time, read,
};

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// The name by which a server knows its only agent.
async fn agent(server: &Server) -> String {
    eventually("the agent", || async {
        let state = server.http.get("/api/state").send().await.json();
        let agents = state["parts"]["agents"].as_object().unwrap().clone();
        agents.keys().next().cloned().filter(|_| agents.len() == 1)
    })
    .await
}

/// Call until the answer is of a kind, or a success; others on the way say that there is no server.
async fn until_kind(client: &mut Stdio, kind: Option<&str>) -> Value {
    let calling = async {
        loop {
            let answer = client.call("pane_list", json!({})).await["structuredContent"].clone();
            if answer["kind"].as_str() == kind {
                return answer;
            }
            assert!(["busy", "lost"].map(Value::from).contains(&answer["kind"]), "{answer}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    in_time("the answer", calling).await
}

#[tokio::test]
async fn a_client_goes_on_with_the_next_server_after_a_stop_and_after_a_crash() {
    for crash in [false, true] {
        let server = Server::start(&[]).await;
        let space = server.space.clone();
        space.file("a.txt", "one\n");
        let mut client = Stdio::connect(&space, &[]).await;
        client.result("resources/subscribe", json!({"uri": "openspace://state"})).await;
        client.call("editor_open", json!({"path": "a.txt"})).await;
        let name = agent(&server).await;
        if crash {
            server.kill().await;
        } else {
            server.stop().await;
        }
        let refused = until_kind(&mut client, Some("busy")).await;
        assert_eq!(
            refused,
            json!({
                "success": false,
                "error": "no server runs for this workspace at the moment; nothing was done",
                "kind": "busy",
                "hint": "try again in a few seconds: the next server is joined by itself",
            })
        );
        let server = Server::start_in(&space, &[]).await;
        let mut awaited = BTreeSet::from([TOOLS_CHANGED, RESOURCES_CHANGED, UPDATED]);
        while !awaited.is_empty() {
            let told = client.next().await.unwrap();
            assert!(awaited.remove(told["method"].as_str().unwrap()), "{told} {awaited:?}");
        }
        assert_eq!(agent(&server).await, name, "it is the same agent as before");
        let state = client.call("editor_state", json!({})).await;
        assert_eq!(state["structuredContent"]["activePath"], "a.txt");
        server.call("pane.split", json!({"side": "right"})).await;
        let updated = client.notice(UPDATED).await;
        assert_eq!(updated["params"]["uri"], "openspace://state", "it is still subscribed");
        assert_eq!(client.close().await.0, Some(0));
    }
}

#[tokio::test]
async fn a_call_that_the_server_took_with_it_is_answered_as_unknown_and_not_repeated() {
    for crash in [false, true] {
        let server = Server::start(&[]).await;
        let space = server.space.clone();
        let mut client = Stdio::connect(&space, &[]).await;
        let command = "echo ran >> runs.txt; sleep 3303";
        let arguments = json!({"command": command});
        let call = json!({"name": "workspace_bash", "arguments": arguments});
        let id = client.begin("tools/call", call).await;
        let runs = space.root().join("runs.txt");
        eventually("the run", || async { (bytes(&runs)? == b"ran\n").then_some(()) }).await;
        if crash {
            server.kill().await;
        } else {
            server.stop().await;
        }
        let answer = client.answer_to(id).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(
            answer["result"]["structuredContent"],
            json!({
                "success": false,
                "error": "the server stopped while this ran; whether it took effect is unknown",
                "kind": "lost",
                "hint": "look at what it was to change before doing it again",
            })
        );
        let server = Server::start_in(&space, &[]).await;
        client.notice(TOOLS_CHANGED).await;
        client.call("pane_list", json!({})).await;
        assert_eq!(read(&runs), "ran\n", "nobody runs it again");
        server.stop().await;
    }
}

#[tokio::test]
async fn over_http_too_a_call_is_answered_before_the_server_stops() {
    let server = Server::start(&[]).await;
    let space = server.space.clone();
    let (legacy, modern) = (Mcp::connect(&server.http, "/mcp").await, server.http.clone());
    let _notices = legacy.notices().await;
    let call = |file: &str| {
        let command = format!("echo ran > {file}; sleep 3304");
        json!({"name": "workspace_bash", "arguments": {"command": command}})
    };
    let pending = legacy.begin("tools/call", call("legacy")).await;
    let modern = tokio::spawn({
        let call = call("modern");
        async move { Modern(&modern).answer("tools/call", call).await }
    });
    for file in ["legacy", "modern"] {
        let run = space.root().join(file);
        eventually("the run", || async { (bytes(&run)? == b"ran\n").then_some(()) }).await;
    }
    server.stop().await;
    for answer in [pending.answer().await, modern.await.unwrap()] {
        assert_eq!(answer["result"]["structuredContent"]["kind"], "lost", "{answer}");
    }
}

#[tokio::test]
async fn without_another_server_it_serves_alone() {
    let server = Server::start(&[]).await;
    let space = server.space.clone();
    let mut client = Stdio::connect(&space, &[]).await;
    server.stop().await;
    client.notice(TOOLS_CHANGED).await;
    let listed = client.call("pane_list", json!({})).await;
    assert_eq!(listed["structuredContent"]["success"], true);
    let shown = space.run(&["pane", "list"]).await;
    assert_eq!(shown.code, Some(0), "others find the server in it: {shown:?}");
    assert_eq!(client.close().await.0, Some(0));
}

#[tokio::test]
async fn a_server_that_is_started_later_takes_over_and_is_joined() {
    let space = Space::new();
    space.file("a.txt", "one\n");
    let mut first = Stdio::connect(&space, &[]).await;
    let mut second = Stdio::connect(&space, &[]).await;
    first.call("editor_open", json!({"path": "a.txt"})).await;
    let server = Server::start_in(&space, &[]).await;
    assert_eq!(server.call("editor.state", json!({})).await["activePath"], "a.txt");
    for client in [&mut first, &mut second] {
        client.notice(TOOLS_CHANGED).await;
        client.call("pane_list", json!({})).await;
    }
    let state = server.http.get("/api/state").send().await.json();
    assert_eq!(state["parts"]["agents"].as_object().unwrap().len(), 2, "both are with it");
    let refused = space.run(&["serve", "--port", "0"]).await;
    assert!(refused.err.contains("already served at"), "{refused:?}");
    assert_eq!(first.terminate().await.0, Some(0));
    assert_eq!(second.close().await.0, Some(0));
}

#[tokio::test]
async fn one_that_was_told_how_programs_are_kept_apart_makes_way_for_nobody() {
    let space = Space::new();
    let mut alone = Stdio::connect(&space, &["--provider", "local"]).await;
    let refused = space.run(&["serve", "--port", "0"]).await;
    assert!(refused.err.contains("already served at"), "{refused:?}");
    alone.result("ping", json!({})).await;
}

#[tokio::test]
async fn only_who_stands_in_makes_way_and_only_for_the_token() {
    let server = Server::start(&[]).await;
    let refused = server.http.post("/api/hand-over", &json!({})).send().await;
    assert_eq!((refused.status, &refused.json()["kind"]), (409, &json!("conflict")));
    assert_eq!(server.http.stranger("POST", "/api/hand-over").send().await.status, 401);
}

#[tokio::test]
async fn when_the_client_that_serves_dies_one_of_the_others_takes_over() {
    let space = Space::new();
    space.file("a.txt", "one\n");
    let first = Stdio::connect(&space, &[]).await;
    let mut others = [Stdio::connect(&space, &[]).await, Stdio::connect(&space, &[]).await];
    others[0].call("editor_open", json!({"path": "a.txt"})).await;
    first.kill().await;
    for client in &mut others {
        client.notice(TOOLS_CHANGED).await;
    }
    let [mut second, mut third] = others;
    let state = third.call("editor_state", json!({})).await;
    assert_eq!(state["structuredContent"]["activePath"], "a.txt");
    second.call("pane_split", json!({"side": "right"})).await;
    let panes = third.call("pane_list", json!({})).await;
    let panes = panes["structuredContent"]["panes"].as_array().unwrap().len();
    assert_eq!(panes, 2, "there is one space");
    // Whichever of them serves, the other one goes on when it leaves in order.
    assert_eq!(second.close().await.0, Some(0));
    until_kind(&mut third, None).await;
}

#[tokio::test]
async fn a_client_of_the_era_without_sessions_listens_to_the_next_server() {
    let server = Server::start(&[]).await;
    let space = server.space.clone();
    let mut client = Stdio::start(&space, &[]);
    client.modern("server/discover", json!({})).await;
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    let listening = client.begin("subscriptions/listen", Modern::params(wanted)).await;
    client.notice("notifications/subscriptions/acknowledged").await;
    server.stop().await;
    let server = Server::start_in(&space, &[]).await;
    let told = client.notice(TOOLS_CHANGED).await;
    let id = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(id, &json!(listening), "{told}");
    let _bridge = Bridge::silent(&server.http).await;
    client.notice(TOOLS_CHANGED).await;
    let call = json!({"name": "pane_list", "arguments": {}});
    let result = client.modern("tools/call", call).await;
    assert_eq!(result["structuredContent"]["success"], true);
}

#[tokio::test]
async fn a_client_may_leave_while_there_is_no_server() {
    let server = Server::start(&[]).await;
    let space = server.space.clone();
    let mut client = Stdio::connect(&space, &[]).await;
    server.stop().await;
    until_kind(&mut client, Some("busy")).await;
    assert_eq!(client.close().await.0, Some(0));
}

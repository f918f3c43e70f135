//! The bridge API with plain requests, as `curl` sends them.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Answer, Bridge, Server, Streaming};

const MANIFEST: &str = r#"{"commands":[{"id":"test.cmd","description":"Test command"}],"timestamp":"2026-02-16T10:00:00Z"}"#;

async fn listen(server: &Server, path: &str) -> Streaming {
    let mut events = server.http.get(path).header("accept", "*/*").open().await;
    assert_eq!(events.status, 200);
    assert_eq!(events.headers["content-type"], "text/event-stream");
    let ping = events.next().await.unwrap();
    assert_eq!(ping.event, "ping");
    assert!(ping.json()["timestamp"].is_u64(), "{ping:?}");
    events
}

async fn curl(server: &Server, path: &str, body: &str) -> Answer {
    server.http.curl(path, body).send().await
}

#[tokio::test]
async fn a_manifest_is_taken_whatever_its_content_type() {
    let server = Server::start(&[]).await;
    for prefix in ["", "/openspace"] {
        let answer = curl(&server, &format!("{prefix}/manifest"), MANIFEST).await;
        assert_eq!((answer.status, &answer.json()["success"]), (200, &json!(true)));
        let typed = server
            .http
            .post(&format!("{prefix}/manifest"), &serde_json::from_str(MANIFEST).unwrap());
        assert_eq!(typed.send().await.status, 200);
    }
    let empty = curl(&server, "/manifest", r#"{"commands":[]}"#).await;
    assert_eq!((empty.status, &empty.json()["success"]), (200, &json!(true)));
}

#[tokio::test]
async fn before_any_manifest_no_command_is_taken() {
    let server = Server::start(&[]).await;
    let body = r#"{"cmd":"openspace.pane.open","args":{"type":"editor","contentId":"test.ts"}}"#;
    let answer = curl(&server, "/commands", body).await;
    assert_eq!(answer.status, 503);
    let expected = json!({
        "success": false, "error": "Manifest not initialized", "kind": "busy",
        "hint": "post a manifest to /openspace/manifest first",
    });
    assert_eq!(answer.json(), expected);
    assert_eq!(curl(&server, "/manifest", MANIFEST).await.status, 200);
    let unknown = curl(&server, "/commands", r#"{"cmd":"no.such","args":{}}"#).await;
    assert_eq!(unknown.status, 400);
    let expected = json!({
        "success": false, "error": "Unknown command: no.such", "kind": "not_found",
        "hint": "GET /api/v1/commands lists what there is",
    });
    assert_eq!(unknown.json(), expected);
    assert_eq!(curl(&server, "/commands", body).await.status, 202);
}

#[tokio::test]
async fn what_is_not_json_is_refused_on_every_path() {
    let server = Server::start(&[]).await;
    for path in ["/manifest", "/state", "/commands", "/command-results", "/register-bridge"] {
        for body in ["{not json", "{\"commands\":"] {
            let answer = curl(&server, path, body).await;
            let error = answer.json();
            assert_eq!((answer.status, &error["error"]), (400, &json!("Invalid JSON")), "{path}");
            assert_eq!(error["kind"], "invalid_args");
            assert!(error["hint"].is_string() && error["reason"].is_string(), "{error}");
        }
    }
    let answer = curl(&server, "/manifest", r#"{"commands": 7}"#).await;
    let error = answer.json();
    assert_eq!((answer.status, &error["kind"]), (400, &json!("invalid_args")));
    assert!(error["hint"].is_string(), "{error}");
}

#[tokio::test]
async fn the_instructions_are_markdown_and_name_the_commands_of_bridges() {
    let server = Server::start(&[]).await;
    let before = server.http.get("/openspace/instructions").send().await;
    assert_eq!(before.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(before.text().starts_with("# OpenSpace\n"), "{}", before.text());
    assert!(!before.text().contains("test_cmd"));
    let _events = listen(&server, "/events").await;
    curl(&server, "/manifest", MANIFEST).await;
    let state = r#"{"panes":[{"area":"main","tabs":["a remarkable tab"]}]}"#;
    assert_eq!(curl(&server, "/state", state).await.status, 200);
    let after = server.http.get("/openspace/instructions").send().await.text();
    assert!(after.contains("test_cmd") && after.contains("a remarkable tab"), "{after}");
}

#[tokio::test]
async fn a_command_of_the_server_is_carried_out_and_told_to_every_bridge() {
    let server = Server::start(&[]).await;
    server.space.file("test.ts", "");
    let mut one = listen(&server, "/events").await;
    let mut two = listen(&server, "/openspace/events?bridge=two").await;
    curl(&server, "/manifest", MANIFEST).await;
    let mut events = server.events().await;
    let body = r#"{"cmd":"openspace.pane.open","args":{"type":"editor","contentId":"test.ts"}}"#;
    assert_eq!(curl(&server, "/commands", body).await.status, 202);
    let mut expected: Value = serde_json::from_str(body).unwrap();
    expected["handledBy"] = "openspace".into();
    for bridge in [&mut one, &mut two] {
        let event = bridge.next().await.unwrap();
        assert_eq!((event.event.as_str(), event.json()), ("AGENT_COMMAND", expected.clone()));
    }
    let record = events.call_ended("openspace.pane.open").await;
    assert_eq!((&record["outcome"], &record["caller"]["kind"]), (&json!("done"), &json!("bridge")));
    assert_eq!(server.call("editor.state", json!({})).await["activePath"], "test.ts");
}

#[tokio::test]
async fn a_command_of_a_bridge_reaches_it_and_its_result_the_caller() {
    let server = Server::start(&[]).await;
    let command = json!({"id": "demo.greet", "description": "Greet somebody.", "arguments": [
        {"name": "who", "type": "string", "required": true, "description": "Whom."}]});
    let mut bridge = Bridge::start(&server.http, json!([command])).await;
    let mcp = server.mcp().await;
    let tools = mcp.tools().await;
    let tool = tools.iter().find(|tool| tool["name"] == "demo_greet").unwrap();
    assert_eq!(tool["inputSchema"]["required"], json!(["who"]));

    let answering = async {
        let call = bridge.call().await;
        assert_eq!((&call["cmd"], &call["args"]), (&json!("demo.greet"), &json!({"who": "you"})));
        let result = json!({"callId": call["callId"], "success": true, "output": {"said": "hi"}});
        assert_eq!(bridge.result(&result).await, 200);
        assert_eq!(bridge.result(&result).await, 404, "a call is answered once");
    };
    let calling = mcp.call("demo_greet", json!({"who": "you"}));
    let (result, ()) = tokio::join!(calling, answering);
    assert_eq!(result["structuredContent"], json!({"success": true, "said": "hi"}));
    assert_eq!(result["_meta"]["openspace/id"], "openspace.demo.greet");

    let failing = async {
        let call = bridge.call().await;
        // Without a call's id the oldest call of the command is meant.
        let result = json!({"cmd": call["cmd"], "success": false, "error": "no voice",
            "kind": "conflict", "hint": "drink something"});
        assert_eq!(bridge.result(&result).await, 200);
    };
    let calling = mcp.call("demo_greet", json!({"who": "you"}));
    let (result, ()) = tokio::join!(calling, failing);
    assert_eq!(result["isError"], true);
    let expected = json!({"success": false, "error": "no voice", "kind": "conflict",
        "hint": "drink something"});
    assert_eq!(result["structuredContent"], expected);

    let wrong = mcp.call("demo_greet", json!({"who": 7})).await;
    assert_eq!(wrong["structuredContent"]["kind"], "invalid_args");
    let posted = curl(&server, "/commands", r#"{"cmd":"demo.greet","args":{"who":"x"}}"#).await;
    assert_eq!(posted.status, 202);
    assert_eq!(bridge.call().await["args"], json!({"who": "x"}));
}

#[tokio::test]
async fn bridges_with_names_of_their_own_live_side_by_side() {
    let server = Server::start(&[]).await;
    let mut ids = Vec::new();
    let mut streams = Vec::new();
    for name in ["lint", "lint"] {
        let body = json!({"name": name}).to_string();
        let answer = curl(&server, "/openspace/register-bridge", &body).await.json();
        let id = answer["bridgeId"].as_str().unwrap().to_owned();
        assert!(id.starts_with("lint-"), "{id}");
        streams.push(listen(&server, answer["events"].as_str().unwrap()).await);
        let manifest = json!({"commands": [{"id": format!("demo.c{}", ids.len())}]}).to_string();
        assert_eq!(
            curl(&server, answer["manifest"].as_str().unwrap(), &manifest).await.status,
            200
        );
        ids.push(id);
    }
    assert_ne!(ids[0], ids[1]);
    for index in [0, 1] {
        let body = json!({"cmd": format!("demo.c{index}")}).to_string();
        assert_eq!(curl(&server, "/commands", &body).await.status, 202);
        let call = streams[index].next().await.unwrap().json();
        assert_eq!(call["cmd"], format!("demo.c{index}"), "a bridge sees its own calls only");
        let result = json!({"callId": call["callId"], "success": true}).to_string();
        assert_eq!(curl(&server, "/command-results", &result).await.status, 200);
    }
}

#[tokio::test]
async fn at_most_ten_bridges_listen_at_once() {
    let server = Server::start(&[]).await;
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(listen(&server, "/events").await);
    }
    let eleventh = server.http.get("/events").send().await;
    assert_eq!((eleventh.status, &eleventh.json()["success"]), (503, &json!(false)));
    streams.pop();
    crate::support::eventually("a free place", || async {
        let answer = server.http.get("/events").open().await;
        (answer.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_bridge_that_goes_takes_its_commands_along() {
    let server = Server::start(&[]).await;
    let bridge = Bridge::silent(&server.http).await;
    let mcp = server.mcp().await;
    let listed = async || mcp.tools().await.iter().any(|tool| tool["name"] == "slow_wait");
    assert!(listed().await);
    drop(bridge);
    crate::support::eventually("the end of the tool", || async { (!listed().await).then_some(()) })
        .await;
}

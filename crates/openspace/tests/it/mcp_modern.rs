//! MCP over HTTP in the era without sessions: every request stands alone.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Modern, Server};

#[tokio::test]
async fn a_client_discovers_the_server_without_a_session() {
    let server = Server::start(&[]).await;
    let modern = Modern(&server.http);
    let found = modern.result("server/discover", json!({})).await;
    let versions = found["supportedVersions"].as_array().unwrap();
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{versions:?}");
    }
    assert_eq!(found["capabilities"]["tools"]["listChanged"], true);
    let instructions = server.http.get("/instructions").send().await.text();
    assert_eq!(found["instructions"], instructions);
    assert_eq!((&found["ttlMs"], &found["cacheScope"]), (&json!(0), &json!("private")));
}

#[tokio::test]
async fn tools_are_listed_and_called_in_plain_json() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let modern = Modern(&server.http);
    let listed = modern.result("tools/list", json!({})).await;
    assert_eq!(listed["tools"], json!(server.mcp().await.tools().await), "as in the other era");
    assert_eq!((&listed["ttlMs"], &listed["cacheScope"]), (&json!(300_000), &json!("public")));
    assert_eq!(listed["resultType"], "complete");

    let call = json!({"name": "file_read", "arguments": {"path": "a.txt"}});
    let result = modern.result("tools/call", call).await;
    assert_eq!(result["structuredContent"]["content"], "one\n");
    assert_eq!(result["_meta"]["openspace/id"], "openspace.file.read");
    assert_eq!(result["resultType"], "complete");
    let call = json!({"name": "file_read", "arguments": {"path": "b.txt"}});
    assert_eq!(modern.result("tools/call", call).await["isError"], true);
    let unknown = modern.answer("tools/call", json!({"name": "no_such"})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    let missing = modern.answer("resources/read", json!({"uri": "openspace://none"})).await;
    assert_eq!(missing["error"]["code"], -32602);
    assert_eq!(modern.answer("ping", json!({})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn the_address_chooses_the_tools_here_too() {
    let server = Server::start(&[]).await;
    let modern = Modern(&server.http);
    let listed = modern.begin("/mcp?set=workspace", "tools/list", json!({})).await.answer().await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(has("file_write") && !has("editor_open"));
    let refused = modern.begin("/mcp?set=most", "tools/list", json!({})).await.answer().await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn a_caller_is_known_by_its_name_across_requests() {
    let server = Server::start(&["--max-calls-per-turn", "2"]).await;
    let modern = Modern(&server.http);
    let call = || modern.result("tools/call", json!({"name": "pane_list", "arguments": {}}));
    for left in [1, 0] {
        assert_eq!(call().await["_meta"]["openspace/budget"]["callsLeft"], left);
    }
    assert_eq!(call().await["structuredContent"]["kind"], "limit");
}

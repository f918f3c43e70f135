//! Who is connected, as the state tells it: MCP sessions come and go.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Mcp, Modern, Server, Stdio, eventually};

async fn agents(server: &Server) -> Value {
    server.http.get("/api/state").send().await.json()["parts"]["agents"].clone()
}

fn only(agents: &Value) -> (&str, &Value) {
    let mut all = agents.as_object().unwrap().iter();
    let (id, agent) = all.next().unwrap();
    assert!(all.next().is_none(), "{agents}");
    (id, agent)
}

#[tokio::test]
async fn a_session_is_there_from_its_first_word_to_its_end() {
    let server = Server::start(&[]).await;
    assert_eq!(agents(&server).await, json!({}));
    let mut events = server.http.get("/api/events").open().await;
    let mcp: Mcp = server.mcp().await;
    events
        .find("the agent", |event| {
            let event = event.json();
            event["patches"]["agents"]["put"].is_object().then_some(())
        })
        .await;
    let connected = agents(&server).await;
    let (id, agent) = only(&connected);
    assert!(id.starts_with("tester#"), "{id}");
    let told = [&agent["name"], &agent["transport"], &agent["calls"], &agent["lastCallAt"]];
    assert_eq!(told, [&json!("tester 1"), &json!("http"), &json!(0), &Value::Null]);

    mcp.call("pane_list", json!({})).await;
    let wait = json!({"name": "workspace_bash", "arguments": {"command": "sleep 4402"}});
    let pending = mcp.begin("tools/call", wait).await;
    let running = eventually("the running call", || async {
        let agents = agents(&server).await;
        let running = only(&agents).1["running"][0].clone();
        (running["command"] == "openspace.workspace.bash").then_some((agents, running))
    })
    .await;
    assert_eq!(only(&running.0).1["calls"], 2);
    assert!(running.1["summary"].as_str().unwrap().contains("sleep 4402"), "{}", running.1);
    drop(pending);

    mcp.end().await;
    eventually("the end of the session", || async {
        (agents(&server).await == json!({})).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_client_without_a_session_is_there_once_it_asks() {
    let server = Server::start(&[]).await;
    let modern = Modern(&server.http);
    modern.result("server/discover", json!({})).await;
    let found = agents(&server).await;
    assert_eq!(only(&found).1["calls"], 0);
    modern.result("tools/call", json!({"name": "pane_list", "arguments": {}})).await;
    let found = agents(&server).await;
    let (id, agent) = only(&found);
    assert_eq!((id, &agent["name"], &agent["calls"]), ("tester", &json!("tester 1"), &json!(1)));
    assert!(agent["connectedAt"].as_u64() <= agent["lastCallAt"].as_u64(), "{agent}");
}

#[tokio::test]
async fn a_program_that_joins_by_stdio_is_there_until_it_leaves() {
    let server = Server::start(&[]).await;
    let joined = Stdio::connect(&server.space, &[]).await;
    let found = agents(&server).await;
    assert_eq!(only(&found).1["transport"], "stdio");
    assert_eq!(joined.close().await.0, Some(0));
    eventually("its leaving", || async { (agents(&server).await == json!({})).then_some(()) })
        .await;
}

#[tokio::test]
async fn scripts_and_people_are_no_agents() {
    let server = Server::start(&[]).await;
    server.call("pane.list", json!({})).await;
    assert_eq!(agents(&server).await, json!({}));
}

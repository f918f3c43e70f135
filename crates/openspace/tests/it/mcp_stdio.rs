//! `openspace mcp`: alone, joined to a server, and how it ends.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Bridge, Server, Space, Stdio};

#[tokio::test]
async fn alone_it_serves_the_workspace_by_itself() {
    let space = Space::new();
    space.file("a.txt", "one\n");
    let mut first = Stdio::connect(&space, &[]).await;
    let read = first.call("file_read", json!({"path": "a.txt"})).await;
    assert_eq!(read["structuredContent"]["content"], "one\n");

    // It holds the workspace: a second one joins it, and so does the command line.
    let mut second = Stdio::connect(&space, &["--set", "ide"]).await;
    second.call("editor_open", json!({"path": "a.txt"})).await;
    let state = first.call("editor_state", json!({})).await;
    assert_eq!(state["structuredContent"]["activePath"], "a.txt");
    let shown = space.run(&["editor", "state", "--json"]).await;
    assert!(shown.out.contains("\"activePath\":\"a.txt\""), "{shown:?}");

    assert_eq!(second.close().await.0, Some(0));
    assert_eq!(first.close().await.0, Some(0));
    let alone = space.run(&["editor", "state"]).await;
    assert_eq!(alone.code, Some(1), "it served only while its client was there");
}

#[tokio::test]
async fn a_message_is_as_long_as_what_it_has_to_say() {
    let server = Server::start(&[]).await;
    let mut joined = Stdio::connect(&server.space, &[]).await;
    let content = "0123456789abcdef".repeat(20 * 1024 * 1024 / 16);
    let arguments = json!({"path": "long.txt", "content": content});
    let written = joined.call("workspace_write", arguments).await;
    assert_eq!(written["structuredContent"]["success"], true);
    let size = std::fs::metadata(server.space.root().join("long.txt")).unwrap().len();
    assert_eq!(size, 20 * 1024 * 1024);
    assert_eq!(joined.close().await.0, Some(0));
}

#[tokio::test]
async fn joined_it_shares_the_state_of_the_server() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let mut joined = Stdio::connect(&server.space, &[]).await;
    joined.call("editor_open", json!({"path": "a.txt"})).await;
    assert_eq!(server.call("editor.state", json!({})).await["activePath"], "a.txt");
    let _bridge = Bridge::silent(&server.http).await;
    let tools = joined.result("tools/list", json!({})).await;
    let tools = tools["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "slow_wait"), "commands of bridges too");
    assert_eq!(joined.close().await.0, Some(0));
    assert_eq!(server.http.get("/api/state").send().await.status, 200, "the server goes on");
}

#[tokio::test]
async fn it_shows_the_set_that_was_asked_for() {
    let server = Server::start(&[]).await;
    let mut joined = Stdio::connect(&server.space, &["--set", "workspace"]).await;
    let listed = joined.result("tools/list", json!({})).await["tools"].clone();
    let has = |name: &str| listed.as_array().unwrap().iter().any(|tool| tool["name"] == name);
    assert!(has("file_write") && !has("editor_open"));
    let finished = server.space.run(&["mcp", "--set", "most"]).await;
    assert_eq!(finished.code, Some(2));
    assert!(finished.err.contains("use all, ide or workspace"), "{}", finished.err);
}

#[tokio::test]
async fn the_folder_is_an_argument_or_an_option() {
    let server = Server::start(&[]).await;
    let root = server.space.root().display().to_string();
    for arguments in [vec![root.as_str()], vec!["--workspace", &root], vec![".", "--set", "ide"]] {
        let mut joined = Stdio::connect(&server.space, &arguments).await;
        joined.call("pane_list", json!({})).await;
        assert_eq!(joined.close().await.0, Some(0));
    }
    let both = server.space.run(&["mcp", &root, "--workspace", &root]).await;
    assert_eq!(both.code, Some(2), "{both:?}");
    let missing = server.space.run(&["mcp", "no-such-folder"]).await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("the folder no-such-folder cannot be opened"), "{missing:?}");
}

#[tokio::test]
async fn it_speaks_both_eras() {
    let server = Server::start(&[]).await;
    for space in [server.space.clone(), Space::new()] {
        let mut modern = Stdio::start(&space, &[]);
        let found = modern.modern("server/discover", json!({})).await;
        assert_eq!(found["capabilities"]["tools"]["listChanged"], true);
        let call = json!({"name": "pane_list", "arguments": {}});
        let result = modern.modern("tools/call", call).await;
        assert_eq!(result["structuredContent"]["success"], true);
        assert_eq!(modern.close().await.0, Some(0));
    }
}

#[tokio::test]
async fn notices_reach_a_joined_client() {
    let server = Server::start(&[]).await;
    let mut joined = Stdio::connect(&server.space, &[]).await;
    joined.result("ping", json!({})).await;
    let _bridge = Bridge::silent(&server.http).await;
    let notice = joined.next().await.unwrap();
    assert_eq!(notice["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn asked_to_stop_it_ends_what_it_started() {
    let space = Space::new();
    let mut alone = Stdio::connect(&space, &[]).await;
    alone.call("terminal_create", json!({})).await;
    let instance = space.instance();
    assert_eq!(crate::support::marked_processes(&instance).len(), 1);
    assert_eq!(alone.terminate().await.0, Some(0));
    assert_eq!(crate::support::marked_processes(&instance), []);
    assert!(!space.place().join("server.json").exists());
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_calls_back() {
    let server = Server::start(&[]).await;
    let mut bridge = Bridge::silent(&server.http).await;
    let mut events = server.events().await;
    let mut joined = Stdio::connect(&server.space, &[]).await;
    tokio::select! {
        _ = joined.call("slow_wait", json!({})) => panic!("nobody answers this call"),
        _ = bridge.call() => {}
    }
    drop(joined);
    let record = events.call_ended("openspace.slow.wait").await;
    assert_eq!(record["outcome"], json!({"failed": "cancelled"}));
}

#[tokio::test]
async fn two_that_start_at_once_agree_on_who_serves() {
    let space = Space::new();
    let (mut one, mut two) = tokio::join!(Stdio::connect(&space, &[]), Stdio::connect(&space, &[]));
    space.file("a.txt", "");
    one.call("editor_open", json!({"path": "a.txt"})).await;
    let state = two.call("editor_state", json!({})).await;
    assert_eq!(state["structuredContent"]["activePath"], "a.txt", "there is one space");
}

//! What an agent's own tools for files do with what its programs have put there.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{BUSY, SECRET, bash, belongings, space};
use crate::support::Server;

/// Links out of the workspace, links to secrets, and things that are no files.
const PUT: &str = "ln -s ../home out; ln -s ../home/.bashrc file-out; ln -s .env soft; ln .env hard; ln -s certs keys\n\
                   ln -s ../left dangling; mkfifo pipe; mkdir -p loop; ln -s ../loop loop/loop; true";

/// Calls of tools that would read or write through them.
fn calls() -> Vec<(&'static str, Value)> {
    let read = ["soft", "hard", "file-out", "out/.npmrc", "keys/server.key", "pipe", ".env"];
    let read = read.map(|path| ("workspace_read", json!({"file_path": path})));
    let shown = ["soft", "file-out", "keys/server.key"];
    let shown = shown.map(|path| ("editor_read_file", json!({"path": path})));
    let wrote = ["out/new", "file-out", "dangling", "out/.ssh/authorized_keys", "soft", "pipe"];
    let wrote =
        wrote.map(|path| ("workspace_write", json!({"file_path": path, "content": "left\n"})));
    let more = [
        (
            "workspace_edit",
            json!({"file_path": "file-out", "old_string": "mine", "new_string": "x"}),
        ),
        ("file_move", json!({"from": "sub/a.txt", "to": "out/a.txt"})),
        ("file_move", json!({"from": "file-out", "to": "sub/b.txt"})),
        ("file_move", json!({"from": ".env", "to": "plain"})),
        ("file_delete", json!({"path": "out/.bashrc"})),
        ("file_delete", json!({"path": ".env"})),
        ("workspace_grep", json!({"pattern": ".", "path": "soft"})),
        ("workspace_glob", json!({"pattern": "{.en?,out/.s*/*}"})),
        ("workspace_git", json!({"action": "show", "revision": "HEAD:.env"})),
        ("workspace_bash", json!({"command": "true", "workdir": "out"})),
    ];
    read.into_iter().chain(shown).chain(wrote).chain(more).collect()
}

#[tokio::test]
async fn links_and_pipes_that_an_agent_makes_lead_its_tools_nowhere() {
    for provider in ["local", "sandbox"] {
        let server =
            Server::start_in(&space(), &[&BUSY[..], &["--provider", provider]].concat()).await;
        let agent = server.mcp().await;
        assert_eq!(bash(&agent, PUT).await["success"], true, "{provider}");
        let before = belongings(&server.space);
        let secret: String = SECRET.chars().rev().collect();
        for (tool, arguments) in calls() {
            let answer = agent.call(tool, arguments.clone()).await;
            let said = answer.to_string();
            assert!(
                !said.contains(&secret) && !said.contains("# mine"),
                "{tool} {arguments}: {said}"
            );
            let listing = tool == "workspace_glob" || arguments["from"] == "file-out";
            if !listing {
                assert_eq!(
                    answer["structuredContent"]["success"], false,
                    "{tool} {arguments}: {said}"
                );
            }
        }
        assert_eq!(belongings(&server.space), before, "{provider}");
        server.stop().await;
    }
}

//! What the record keeps of the tools: who, where, on what, and how it ended; never contents.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::Bench;

#[tokio::test]
async fn every_tool_leaves_a_record_without_contents() {
    let bench = Bench::open(&[("a.txt", "CONTENT\n")]).await;
    bench.ok("workspace.create", json!({})).await;
    let calls = [
        ("workspace.bash", json!({"command": "TOKEN=abc123 echo OUT$((1))PUT", "workdir": "."})),
        ("workspace.bash", json!({"command": "false", "description": "see", "workspace": "w1"})),
        ("workspace.bash", json!({"command": "true", "workdir": "gone"})),
        ("workspace.read", json!({"path": "./a.txt"})),
        ("workspace.read", json!({"path": "gone.txt", "workspace": "w1"})),
        ("workspace.write", json!({"path": "b.txt", "content": "CONTENT"})),
        ("workspace.write", json!({"path": ".git/x", "content": "CONTENT"})),
        ("workspace.edit", json!({"path": "b.txt", "old_string": "CONTENT", "new_string": "C"})),
        ("workspace.edit", json!({"path": "b.txt", "old_string": "CONTENT", "new_string": "C"})),
        ("workspace.edit", json!({"path": "b.txt", "edits": []})),
        ("workspace.glob", json!({"pattern": "*.txt", "path": "."})),
        ("workspace.grep", json!({"pattern": "CON.*"})),
        ("workspace.git", json!({"action": "add", "files": ["a.txt"]})),
        ("workspace.git", json!({"action": "clone", "url": "https://x:hunter2@example.invalid/"})),
        ("workspace.run_output", json!({"run_id": "r1"})),
        ("workspace.run_kill", json!({"run_id": "r1", "workspace_id": "w1"})),
        ("workspace.run_list", json!({})),
        ("workspace.get", json!({"id": "w1"})),
        ("workspace.destroy", json!({"id": "w1"})),
        ("terminal.run", json!({"terminalId": "t1", "command": "export API_KEY=hunter2"})),
    ];
    for (command, args) in calls {
        bench.call(command, args).await;
    }
    let records = bench.audit().await;
    let shown = |record: &openspace_command::Record| {
        let (outcome, record) = (record.outcome.word(), json!(record));
        let command = record["command"].as_str().unwrap().strip_prefix("openspace.").unwrap();
        let words = [command, record["summary"].as_str().unwrap()].join(": ");
        json!([words, record["workspace"], record["paths"], outcome])
    };
    let found: Vec<Value> = records.iter().map(shown).collect();
    let expected = json!([
        ["workspace.create: create workspace from a new folder", null, [], "done"],
        ["workspace.bash: TOKEN=*** echo OUT$((1))PUT", "main", ["."], "done"],
        ["workspace.bash: see: false", "w1", [], "done"],
        ["workspace.bash: true", "main", ["gone"], "not_found"],
        ["workspace.read: read ./a.txt", "main", ["a.txt"], "done"],
        ["workspace.read: read gone.txt", "w1", ["gone.txt"], "not_found"],
        ["workspace.write: write b.txt (7 bytes)", "main", ["b.txt"], "done"],
        ["workspace.write: write .git/x (7 bytes)", "main", [".git/x"], "denied"],
        ["workspace.edit: edit b.txt", "main", ["b.txt"], "done"],
        ["workspace.edit: edit b.txt", "main", ["b.txt"], "conflict"],
        ["workspace.edit: edit b.txt (0 edits)", "main", ["b.txt"], "invalid_args"],
        ["workspace.glob: glob *.txt in .", "main", ["."], "done"],
        ["workspace.grep: grep CON.* in .", "main", [], "done"],
        ["workspace.git: git add a.txt", "main", ["a.txt"], "not_found"],
        ["workspace.git: git clone https://***@example.invalid/", "main", [], "invalid_args"],
        ["workspace.run_output: read run r1", null, [], "not_found"],
        ["workspace.run_kill: end run r1", "w1", [], "not_found"],
        ["workspace.run_list: list background runs", null, [], "done"],
        ["workspace.get: show workspace w1", "w1", [], "done"],
        ["workspace.destroy: destroy workspace w1", "w1", [], "done"],
        ["terminal.run: run in t1: export API_KEY=***", null, [], "not_found"],
    ]);
    assert_eq!(Value::Array(found), expected);
    for record in &records {
        let text = json!(record).to_string();
        let secrets = ["abc123", "hunter2", "OUT1PUT", "CONTENT"];
        assert!(!secrets.iter().any(|secret| text.contains(secret)), "{text}");
        assert!(record.micros > 0 && record.caller.id == "opencode", "{text}");
    }
}

#[tokio::test]
async fn records_are_found_by_workspace() {
    let bench = Bench::open(&[]).await;
    bench.ok("workspace.create", json!({})).await;
    for workspace in [json!(null), json!("main"), json!("w1")] {
        let args = json!({"pattern": "*", "workspace_id": workspace});
        bench.ok("workspace.glob", args).await;
    }
    for (workspace, count) in [("main", 2), ("w1", 1), ("w2", 0)] {
        let listed = bench.ok("audit.list", json!({"workspace": workspace})).await;
        assert_eq!(listed["records"].as_array().unwrap().len(), count, "{workspace}");
    }
}

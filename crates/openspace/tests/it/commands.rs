//! Every command once over HTTP, in the order in which somebody would use them.

use std::{collections::BTreeSet, sync::Mutex};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Server, Socket, eventually, send_signal, shows};

/// A caller that remembers what it has called.
struct Story {
    server: Server,
    called: Mutex<BTreeSet<String>>,
}

impl Story {
    async fn call(&self, id: &str, arguments: Value) -> Value {
        self.called.lock().unwrap().insert(format!("openspace.{id}"));
        self.server.call(id, arguments).await
    }
}

#[tokio::test]
async fn every_command_can_be_called_over_http() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    server.space.file("src/main.rs", "fn main() {\n    run();\n}\n");
    let story = Story { server, called: Mutex::default() };
    files(&story).await;
    panes(&story).await;
    editors(&story).await;
    layouts(&story).await;
    terminals(&story).await;
    tools(&story).await;
    tasks(&story).await;
    workspaces(&story).await;
    about_commands(&story).await;
    views(&story).await;
    log(&story).await;
    agents(&story).await;

    let catalogue = story.server.http.get("/api/commands").send().await.json();
    let known: BTreeSet<String> = catalogue["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command["id"].as_str().unwrap().to_owned())
        // Those need a question, which `approvals.rs` has.
        .filter(|id| !id.starts_with("openspace.approval.") && id != "openspace.file.read_secret")
        // Those need an agent, which `chat.rs` of the workspace has.
        .filter(|id| !id.starts_with("openspace.chat.") && id != "openspace.agent_tool.use")
        .collect();
    assert_eq!(story.called.into_inner().unwrap(), known);
}

async fn files(story: &Story) {
    let written = story.call("file.write", json!({"path": "docs/a.md", "content": "one\ntwo\n"}));
    let written = written.await;
    assert_eq!((&written["created"], &written["bytes"]), (&json!(true), &json!(8)));
    let text = story.call("file.read", json!({"path": "docs/a.md", "startLine": 2})).await;
    assert_eq!((&text["content"], &text["hash"]), (&json!("two\n"), &written["hash"]));
    let listed = story.call("file.list", json!({"recursive": true})).await;
    assert_eq!(names(&listed["entries"], "path"), ["docs", "docs/a.md", "src", "src/main.rs"]);
    let found = story.call("file.search", json!({"query": "main"})).await;
    assert_eq!(names(&found["matches"], "path"), ["src/main.rs"]);
    changed_files(story).await;
}

async fn changed_files(story: &Story) {
    let saved =
        story.call("file.save", json!({"path": "a.bin", "base64": "AP8=", "createOnly": true}));
    assert_eq!(saved.await["size"], 2);
    assert_eq!(story.call("file.create_folder", json!({"path": "tmp/new"})).await["created"], true);
    let moved = story.call("file.move", json!({"from": "a.bin", "to": "tmp/new/b.bin"})).await;
    assert_eq!(moved["path"], "tmp/new/b.bin");
    let copied = story.call("file.copy", json!({"from": "tmp", "to": "copy"})).await;
    assert_eq!((&copied["entries"], &copied["bytes"]), (&json!(3), &json!(2)));
    let deleted = story.call("file.delete", json!({"path": "tmp"})).await;
    let listed = story.call("file.list_deleted", json!({})).await;
    assert_eq!(listed["items"][0]["trashed"], deleted["trashed"]);
    let restored = story.call("file.restore", json!({"trashed": deleted["trashed"]})).await;
    assert_eq!(restored["path"], "tmp");
    for path in ["tmp", "copy"] {
        story.call("file.delete", json!({"path": path})).await;
    }
}

fn names(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

async fn panes(story: &Story) {
    let open = json!({"type": "editor", "contentId": "src/main.rs"});
    assert_eq!(story.call("pane.open", open).await["paneId"], "p1");
    let beside = json!({"type": "editor", "contentId": "docs/a.md", "splitDirection": "vertical"});
    let beside = story.call("pane.open", beside).await;
    assert_eq!((&beside["paneId"], &beside["createdPane"]), (&json!("p2"), &json!(true)));
    assert_eq!(story.call("pane.split", json!({"side": "below"})).await["paneId"], "p3");
    let resized = story.call("pane.resize", json!({"paneId": "p1", "width": 70})).await;
    assert_eq!(resized["pane"]["geometry"]["width"], 70.0);
    let moved = json!({"contentId": "docs/a.md", "targetPaneId": "p1"});
    story.call("pane.move", moved).await;
    let beside = json!({"paneId": "p3", "besidePaneId": "p1", "side": "below"});
    story.call("pane.move_beside", beside).await;
    let divide = json!({"firstPaneId": "p1", "secondPaneId": "p3", "fractions": [3, 1]});
    let divided = story.call("pane.divide", divide).await;
    assert_eq!(divided["tree"]["main"]["fractions"], json!([0.75, 0.25]));
    let pinned = story.call("pane.pin", json!({"paneId": "p1"})).await;
    assert_eq!(pinned["pinned"], true);
    assert_eq!(story.call("pane.focus", json!({"paneId": "p3"})).await["paneId"], "p3");
    story.call("pane.close", json!({"paneId": "p3"})).await;
    let panes = story.call("pane.list", json!({})).await;
    let tabs = |pane: &Value| (pane["id"].clone(), names(&pane["tabs"], "contentId"));
    let panes: Vec<_> = panes["panes"].as_array().unwrap().iter().map(tabs).collect();
    assert_eq!(panes[0], (json!("p1"), vec!["src/main.rs".to_owned(), "docs/a.md".to_owned()]));
}

async fn editors(story: &Story) {
    let opened = story.call("editor.open", json!({"path": "src/main.rs", "line": 2})).await;
    assert_eq!((&opened["paneId"], &opened["alreadyOpen"]), (&json!("p1"), &json!(true)));
    let again = story.call("editor.open", json!({"path": "src/main.rs", "newPane": true})).await;
    let beside = again["paneId"].clone();
    assert_ne!(beside, "p1");
    let one = json!({"paneId": beside, "contentId": "src/main.rs"});
    assert_eq!(story.call("pane.close", one).await["panes"], json!([beside]));
    story.call("editor.scroll_to", json!({"path": "src/main.rs", "line": 3})).await;
    let ranges = json!([{"startLine": 2, "endLine": 2}]);
    let highlight = json!({"path": "src/main.rs", "ranges": ranges, "note": "look here"});
    assert_eq!(story.call("editor.highlight", highlight).await["highlightId"], "h1");
    let text = story.call("editor.read_file", json!({"path": "src/main.rs", "endLine": 1})).await;
    assert_eq!(text["content"], "fn main() {\n");
    let state = story.call("editor.state", json!({})).await;
    assert_eq!(state["activePath"], "src/main.rs");
    let editors = state["editors"].as_array().unwrap();
    let main = editors.iter().find(|editor| editor["path"] == "src/main.rs").unwrap();
    assert_eq!(main["revealed"]["startLine"], 3);
    assert_eq!(main["highlights"], json!(["h1"]));
    let problem = json!({"path": "src/main.rs", "startLine": 2, "message": "no `run` here"});
    let report = json!({"source": "rustc", "problems": [problem]});
    assert_eq!(story.call("editor.report_problems", report).await["total"], 1);
    assert_eq!(story.call("editor.diagnostics", json!({"path": "src"})).await["errors"], 1);
    story.call("editor.clear_highlight", json!({"highlightId": "h1"})).await;
    let mut page = Socket::open(&story.server.http, "/api/buffers").await;
    let (base, text) = ("one\ntwo\n", "one\ntyped\n");
    let open = json!({"type": "open", "path": "docs/a.md", "base": base, "text": text});
    page.send(Message::text(open.to_string())).await;
    assert_eq!(page.json().await["type"], "opened");
    story.call("editor.discard", json!({"path": "docs/a.md"})).await;
    story.call("editor.close", json!({"path": "docs/a.md"})).await;
    let state = story.call("editor.state", json!({})).await;
    assert_eq!(names(&state["editors"], "path"), ["src/main.rs"]);
}

async fn layouts(story: &Story) {
    assert_eq!(story.call("layout.save", json!({"name": "one"})).await["layouts"], json!(["one"]));
    story.call("editor.close", json!({"path": "src/main.rs"})).await;
    story.call("layout.apply", json!({"name": "one"})).await;
    let state = story.call("editor.state", json!({})).await;
    assert_eq!(names(&state["editors"], "path"), ["src/main.rs"]);
    assert_eq!(story.call("layout.list", json!({})).await["layouts"], json!(["one"]));
    assert_eq!(story.call("layout.delete", json!({"name": "one"})).await["layouts"], json!([]));
    let known = json!([{"type": "editor", "contentId": "src/main.rs"}]);
    let pane = json!({"id": "p1", "tabs": known, "activeTab": 0});
    let window = json!({"knownPanes": ["p1"], "knownTabs": known,
        "main": {"root": {"pane": pane}}, "bottom": null, "right": null, "activePane": "p1"});
    let agreed = story.call("layout.propose", window).await;
    assert_eq!((&agreed["paneIds"], &agreed["opened"]), (&json!(["p1"]), &json!([])));
    let agreed_tab = &agreed["layout"]["main"]["root"]["pane"]["tabs"][0];
    let state = story.server.http.get("/api/state?parts=layout").send().await.json();
    let told = &state["parts"]["layout"]["editor:src/main.rs"];
    assert_eq!(
        (&agreed_tab["contentId"], &agreed_tab["title"]),
        (&told["contentId"], &told["title"])
    );
}

async fn tasks(story: &Story) {
    let tasks = json!({"version": "2.0.0", "tasks": [
        {"label": "check", "type": "shell", "command": "echo 'a.c:3:1: error: odd'; exit 3",
            "problemMatcher": "$gcc"},
        {"label": "watch", "type": "shell", "command": "sleep 1000", "isBackground": true},
    ]});
    let write = json!({"path": ".vscode/tasks.json", "content": tasks.to_string()});
    story.call("file.write", write).await;
    let listed = story.call("task.list", json!({})).await;
    assert_eq!(names(&listed["tasks"], "label"), ["check", "watch"]);
    let ran = story.call("task.run", json!({"task": "check"})).await;
    assert_eq!(
        (&ran["state"], &ran["exitCode"], &ran["problems"]),
        (&json!("ended"), &json!(3), &json!(1)),
        "{ran}"
    );
    let problems = story.call("editor.diagnostics", json!({})).await["problems"].clone();
    assert_eq!(names(&problems, "source"), ["check"], "{problems}");
    assert_eq!(story.call("task.run", json!({"task": "watch"})).await["state"], "watching");
    assert_eq!(story.call("task.stop", json!({"task": "watch"})).await["stopped"], true);
}

async fn terminals(story: &Story) {
    let created = story.call("terminal.create", json!({"title": "tests", "cwd": "src"})).await;
    assert_eq!((&created["terminalId"], &created["state"]), (&json!("t1"), &json!("running")));
    let resize = json!({"terminalId": "tests", "rows": 30, "cols": 100});
    assert_eq!(story.call("terminal.resize", resize).await["size"]["cols"], 100);
    let rename = json!({"terminalId": "tests", "title": "checks"});
    assert_eq!(story.call("terminal.rename", rename).await["title"], "checks");
    story.call("terminal.rename", json!({"terminalId": "t1", "title": "tests"})).await;
    let send = json!({"terminalId": "tests", "text": "echo sum=$((6 * 7)); pwd\n"});
    let cursor = story.call("terminal.send", send).await["cursor"].clone();
    let read = json!({"terminalId": "tests", "since": cursor});
    let folder = story.server.space.root().join("src").display().to_string();
    eventually("the answer of the shell", || async {
        let read = story.call("terminal.read_output", read.clone()).await;
        (shows(&read, "sum=42") && shows(&read, &folder)).then_some(())
    })
    .await;
    let run = json!({"terminalId": "tests", "command": "cat", "wait": "idle", "quietMs": 100});
    story.call("terminal.run", run).await;
    story.call("terminal.interrupt", json!({"terminalId": "tests"})).await;
    let pid = created["pid"].as_u64().unwrap().try_into().unwrap();
    send_signal(pid, rustix::process::Signal::KILL);
    eventually("the end of the shell", || async {
        let listed = story.call("terminal.list", json!({})).await;
        let terminal = &listed["terminals"][0];
        (terminal["state"] == "exited" && terminal["signal"] == 9).then_some(())
    })
    .await;
    let restarted = story.call("terminal.restart", json!({"terminalId": "t1"})).await;
    assert_eq!((&restarted["terminalId"], &restarted["state"]), (&json!("t1"), &json!("running")));
    story.call("terminal.close", json!({"terminalId": "t1"})).await;
    assert_eq!(story.call("terminal.list", json!({})).await["terminals"], json!([]));
}

async fn tools(story: &Story) {
    let write = json!({"file_path": "src/tool.txt", "content": "one\ntwo\n"});
    assert_eq!(story.call("workspace.write", write).await["created"], true);
    let edit = json!({"file_path": "src/tool.txt", "old_string": "two", "new_string": "three"});
    assert_eq!(story.call("workspace.edit", edit).await["replacements"], 1);
    let read = story.call("workspace.read", json!({"file_path": "src/tool.txt"})).await;
    assert_eq!(read["content"], "1: one\n2: three\n");
    let found = story.call("workspace.glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(found["total"], 1, "{found}");
    let found = story.call("workspace.grep", json!({"pattern": "thr.e"})).await;
    assert_eq!(found["total_matches"], 1, "{found}");
    story.call("workspace.git", json!({"action": "init"})).await;
    let ran = story.call("workspace.bash", json!({"command": "cat src/tool.txt; exit 3"})).await;
    assert_eq!((&ran["stdout"], &ran["exit_code"]), (&json!("one\nthree\n"), &json!(3)));
    let background = json!({"command": "sleep 4401", "run_in_background": true});
    assert_eq!(story.call("workspace.bash", background).await["run_id"], "r1");
    let output = story.call("workspace.run_output", json!({"run_id": "r1"})).await;
    assert_eq!(output["state"], "running");
    let listed = story.call("workspace.run_list", json!({})).await;
    assert_eq!(names(&listed["runs"], "command"), ["sleep 4401"]);
    let killed = story.call("workspace.run_kill", json!({"run_id": "r1"})).await;
    assert_eq!((&killed["state"], &killed["killed"]), (&json!("ended"), &json!(true)));
}

async fn workspaces(story: &Story) {
    let created = story.call("workspace.create", json!({"name": "other"})).await;
    assert_eq!((&created["id"], &created["provider"]), (&json!("w1"), &json!("local")));
    let shown = story.call("workspace.get", json!({"workspace_id": "w1"})).await;
    assert_eq!(shown["name"], "other");
    let listed = story.call("workspace.list", json!({})).await;
    assert_eq!(names(&listed["workspaces"], "id"), ["main", "w1"]);
    let adopted = story.call("workspace.adopt_repository", json!({"workspace_id": "w1"})).await;
    assert_eq!(adopted["adopted"], false);
    let gone = story.call("workspace.destroy", json!({"workspace_id": "w1"})).await;
    assert_eq!(gone["kept_root"], Value::Null);
}

async fn about_commands(story: &Story) {
    let listed = story.call("command.list", json!({"area": "layout"})).await;
    let ids = ["save", "apply", "list", "delete"].map(|verb| format!("openspace.layout.{verb}"));
    assert_eq!(names(&listed["commands"], "id"), ids);
    let found = story.call("command.search", json!({"query": "named layout"})).await;
    assert!(found["commands"].is_array());
    let help = story.call("command.help", json!({"command": "pane_split"})).await;
    assert_eq!(help["id"], "openspace.pane.split");
    let run = json!({"command": "pane.focus", "arguments": {"paneId": "p1"}});
    assert_eq!(story.call("command.run", run).await["paneId"], "p1");
    story.call("command.end_turn", json!({})).await;
}

async fn log(story: &Story) {
    let listed = story.call("audit.list", json!({"command": "command.end_*", "since": "1h"})).await;
    let record = &listed["records"][0];
    let told = json!([record["command"], record["outcome"], record["callerKind"], listed["more"]]);
    assert_eq!(told, json!(["openspace.command.end_turn", "ok", "script", false]));
}

async fn agents(story: &Story) {
    let agent = story.server.mcp().await;
    agent.call("pane_list", json!({})).await;
    let listed = story.call("agent.list", json!({})).await;
    assert_eq!(listed["agents"][0]["connected"], true, "{listed}");
    for verb in ["pause", "clean_up", "stop", "disconnect", "admit"] {
        story.call(&format!("agent.{verb}"), json!({"agentId": "tester"})).await;
    }
    story.call("consent.give", json!({"client": "tester"})).await;
    let listed = story.call("consent.list", json!({})).await;
    assert!(listed.to_string().contains("tester"), "{listed}");
    story.call("consent.revoke", json!({"client": "tester"})).await;
    let checked = story.call("policy.check", json!({"line": "ls"})).await;
    assert_eq!(checked["rulings"][0]["decision"], "allow", "{checked}");
}

async fn views(story: &Story) {
    let mut view = Socket::open(&story.server.http, "/api/socket").await;
    let view_id = view.json().await["viewId"].clone();
    let pane = json!({"paneId": "p1", "x": 0.0, "y": 0.0, "width": 800.0, "height": 600.0,
        "visible": true});
    let report = json!({"panes": [pane], "editors": []});
    story.call("view.report", json!({"viewId": view_id, "view": report})).await;
    let panes = story.call("pane.list", json!({})).await;
    assert_eq!(panes["observed"], json!({view_id.as_str().unwrap(): report}));
}

//! `command.*`, and what must hold for every command of the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use openspace_command::Shown;
use openspace_isolation::Provider;
use openspace_workspace::{areas::view::commands::attach, registry};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    approvals,
    buffers::Page,
    support::{Bench, Settings},
};

/// A task that goes on.
const TASKS: &str = r#"{"tasks": [
    {"label": "wait", "type": "shell", "command": "sleep 1000", "isBackground": true}
]}"#;

/// A call of every command that succeeds, in an order in which they all do. A new command has to
/// be added here, and wants tests of its own in the module of its area.
pub(crate) fn representative_calls() -> Vec<(&'static str, Value)> {
    let ranges = json!([{"startLine": 1, "endLine": 1}]);
    let problems = json!([{"path": "a.rs", "startLine": 1, "message": "too short"}]);
    let pane = |id: Value| json!({"pane": {"id": id, "tabs": [], "activeTab": null}});
    let root = json!({"split": {"split": "vertical", "fractions": [1, 1],
        "children": [pane(json!("p1")), pane(Value::Null)]}});
    let window = json!({"knownPanes": ["p1"], "knownTabs": [], "main": {"root": root},
        "bottom": null, "right": null});
    vec![
        ("audit.list", json!({"since": "1h"})),
        ("approval.list", json!({})),
        ("approval.get", json!({"approvalId": "a1"})),
        ("approval.answer", json!({"approvalId": "a1", "answer": "no"})),
        ("policy.check", json!({"line": "ls"})),
        ("command.end_turn", json!({})),
        ("command.help", json!({"command": "pane.list"})),
        ("command.list", json!({})),
        ("command.run", json!({"command": "terminal.list"})),
        ("command.search", json!({"query": "pane"})),
        ("file.write", json!({"path": "b.rs", "content": "1\n"})),
        ("file.read", json!({"path": "b.rs"})),
        ("file.read_secret", json!({"path": ".env", "reason": "a test"})),
        ("file.list", json!({})),
        ("file.search", json!({"query": "b"})),
        ("file.save", json!({"path": "s.bin", "base64": "AP8="})),
        ("file.create_folder", json!({"path": "made"})),
        ("file.move", json!({"from": "s.bin", "to": "made/s.bin"})),
        ("file.copy", json!({"from": "made", "to": "copied"})),
        ("file.delete", json!({"path": "made"})),
        ("file.list_deleted", json!({})),
        ("file.restore", json!({"trashed": "the answer of file.delete"})),
        ("editor.open", json!({"path": "a.rs", "line": 2, "highlight": true})),
        ("editor.scroll_to", json!({"path": "a.rs", "line": 1})),
        ("editor.highlight", json!({"path": "a.rs", "ranges": ranges})),
        ("editor.read_file", json!({"path": "a.rs"})),
        ("editor.state", json!({})),
        ("editor.report_problems", json!({"source": "lint", "problems": problems})),
        ("editor.diagnostics", json!({"path": "a.rs"})),
        ("editor.clear_highlight", json!({})),
        ("editor.discard", json!({"path": "a.rs"})),
        ("terminal.create", json!({"title": "tests", "shellPath": "/bin/bash"})),
        ("terminal.run", json!({"terminalId": "t1", "command": "true"})),
        ("terminal.list", json!({})),
        ("terminal.resize", json!({"terminalId": "t1", "rows": 30, "cols": 90})),
        ("terminal.rename", json!({"terminalId": "t1", "title": "other"})),
        ("terminal.read_output", json!({"terminalId": "t1"})),
        ("pane.open", json!({"type": "editor", "contentId": "b.rs", "newPane": true})),
        ("pane.split", json!({"side": "below"})),
        ("pane.focus", json!({"paneId": "p1"})),
        ("pane.resize", json!({"paneId": "p1", "width": 40})),
        ("pane.move", json!({"contentId": "a.rs", "targetPaneId": "p3"})),
        ("pane.move_beside", json!({"paneId": "p3", "besidePaneId": "p2", "side": "right"})),
        ("pane.divide", json!({"firstPaneId": "p2", "secondPaneId": "p3", "fractions": [1, 1]})),
        ("pane.pin", json!({"paneId": "p3"})),
        ("pane.list", json!({})),
        ("layout.save", json!({"name": "one"})),
        ("layout.apply", json!({"name": "one"})),
        ("layout.list", json!({})),
        ("layout.delete", json!({"name": "one"})),
        ("layout.propose", window),
        ("view.report", json!({"viewId": "v1", "view": {}})),
        ("editor.close", json!({"path": "a.rs"})),
        ("pane.close", json!({"paneId": "p3"})),
        ("terminal.send", json!({"terminalId": "t1", "text": "exit 0\n"})),
        ("terminal.restart", json!({"terminalId": "t1"})),
        ("terminal.interrupt", json!({"terminalId": "t1"})),
        ("terminal.close", json!({"terminalId": "t1"})),
        ("file.write", json!({"path": ".vscode/tasks.json", "content": TASKS})),
        ("task.list", json!({})),
        ("task.run", json!({"task": "wait"})),
        ("task.stop", json!({"task": "wait"})),
        ("workspace.bash", json!({"command": "sleep 1000", "run_in_background": true})),
        ("workspace.run_output", json!({"run_id": "r1"})),
        ("workspace.run_list", json!({})),
        ("workspace.run_kill", json!({"run_id": "r1"})),
        ("workspace.write", json!({"file_path": "c.rs", "content": "1\n"})),
        ("workspace.read", json!({"file_path": "c.rs"})),
        ("workspace.edit", json!({"file_path": "c.rs", "old_string": "1", "new_string": "2"})),
        ("workspace.glob", json!({"pattern": "*.rs"})),
        ("workspace.grep", json!({"pattern": "2"})),
        ("workspace.git", json!({"action": "init"})),
        ("workspace.create", json!({})),
        ("workspace.list", json!({})),
        ("workspace.get", json!({"workspace_id": "w1"})),
        ("workspace.adopt_repository", json!({"workspace_id": "w1"})),
        ("workspace.destroy", json!({"workspace_id": "w1"})),
        ("agent.list", json!({})),
        ("agent.pause", json!({"agentId": "opencode", "paused": false})),
        ("agent.clean_up", json!({"agentId": "opencode"})),
        ("agent.stop", json!({"agentId": "opencode"})),
        ("agent.disconnect", json!({"agentId": "opencode"})),
        ("agent.admit", json!({"agentId": "opencode"})),
        ("agent_tool.use", json!({"tool": "edit", "request": "per_1"})),
        ("consent.list", json!({})),
        ("consent.give", json!({"client": "opencode"})),
        ("consent.revoke", json!({"client": "opencode"})),
    ]
}

#[tokio::test]
async fn every_command_runs_and_answers_as_its_schema_says() {
    for provider in Provider::ALL {
        let settings = Settings { provider, ..Settings::default() };
        let bench = Bench::with(settings, &[("a.rs", "1\n2\n")]).await;
        attach(bench.dispatcher().state().space(), "v1").unwrap();
        let _held = approvals::held_question(&bench).await;
        let mut called = BTreeSet::new();
        let mut trashed = Value::Null;
        for (command, mut args) in representative_calls() {
            let mut view = bench.attach();
            let mut page = Page::join(&bench);
            if command == "editor.discard" {
                page.open("a.rs", "1\n2\n", "1\ntyped\n").await;
            }
            if command == "file.restore" {
                args = json!({"trashed": trashed});
            }
            if ["approval.", "agent.", "consent.", "policy.", "workspace.adopt", "command.end_turn"]
                .iter()
                .any(|area| command.starts_with(area))
            {
                let answer = bench.as_person(command, args).await;
                assert_eq!(answer["success"], true, "{command}: {answer}");
                called.insert(format!("openspace.{command}"));
                continue;
            }
            if ["agent_tool.use", "file.read_secret"].contains(&command) {
                // Nobody is asked here, and no agent asks.
                assert_eq!(bench.failure(command, args).await["kind"], json!("denied"));
                called.insert(format!("openspace.{command}"));
                continue;
            }
            let answer = bench.ok(command, args).await;
            if command == "file.delete" {
                trashed = answer["trashed"].clone();
            }
            if command == "terminal.send" {
                while view.changed("terminals").await["t1"]["state"] != json!("exited") {}
            }
            called.insert(format!("openspace.{command}"));
            let args = json!({"noSuchArgument": 1});
            let failure = bench.failure(command, args).await;
            assert_eq!(failure["kind"], json!("invalid_args"), "{command}");
            assert!(failure["error"].as_str().unwrap().contains("noSuchArgument"), "{failure}");
        }
        // Those need an agent, which `chat.rs` has.
        let is_tried = |id: &String| !id.starts_with("openspace.chat.");
        let all = registry().all();
        let all: BTreeSet<String> = all.iter().map(|d| d.id.clone()).filter(is_tried).collect();
        assert_eq!(called, all);
    }
}

#[test]
fn the_catalogue_is_this() {
    let lines: Vec<String> = registry()
        .all()
        .iter()
        .map(|d| {
            let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
            let (access, shown, set) = (json!(d.access), json!(d.shown), json!(d.set));
            let facts = [word(access), word(shown), word(set)].join(", ");
            format!("{} [{facts}]\n    {}", d.id, d.signature())
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn ids_and_tool_names_have_one_form() {
    for definition in registry().all() {
        let words: Vec<&str> = definition.id.split('.').collect();
        let [root, area, verb] = words.as_slice() else { panic!("{}", definition.id) };
        assert_eq!(*root, "openspace");
        let is_word = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        };
        assert!(is_word(area) && is_word(verb), "{}", definition.id);
        assert_eq!(definition.tool, format!("{area}_{verb}"));
        assert!((1..=40).contains(&definition.tool.len()), "{}", definition.tool);
    }
}

#[test]
fn every_command_and_argument_is_documented() {
    for definition in registry().all() {
        let first = definition.doc.lines().next().unwrap_or_default();
        assert!(first.ends_with('.') && first.len() > 10, "{}: {first}", definition.id);
        assert!(definition.title.contains(": "), "{}", definition.id);
        let mut bare = Vec::new();
        undocumented(&definition.input, "", &mut bare);
        assert_eq!(bare, Vec::<String>::new(), "{}", definition.id);
    }
}

/// Names of properties without a description, at any depth.
fn undocumented(schema: &Value, at: &str, found: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let at = format!("{at}/{name}");
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            found.push(at.clone());
        }
        undocumented(property, &at, found);
    }
    if let Some(items) = schema.get("items") {
        undocumented(items, at, found);
    }
}

#[test]
fn no_two_commands_have_the_same_keys() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for definition in registry().all() {
        for key in &definition.keys {
            owners.entry(key.to_lowercase()).or_default().push(definition.id.clone());
        }
    }
    let shared: Vec<_> = owners.iter().filter(|(_, ids)| ids.len() > 1).collect();
    assert_eq!(shared, Vec::<(&String, &Vec<String>)>::new());
}

#[test]
fn every_schema_is_one() {
    for definition in registry().all() {
        for schema in [&definition.input, &definition.output] {
            let made = jsonschema::validator_for(schema);
            assert!(made.is_ok(), "{}: {:?}", definition.id, made.err());
        }
    }
}

#[tokio::test]
async fn every_form_of_a_name_is_the_same_command() {
    let bench = Bench::open(&[]).await;
    let names = ["pane.list", "pane_list", "openspace.pane.list", "openspace_pane_list"];
    for name in names {
        let reply = bench.reply(crate::support::agent(), name, json!({})).await;
        assert_eq!(reply.command, "openspace.pane.list");
    }
    let failure = bench.failure("pane.lits", json!({})).await;
    assert_eq!(failure["error"], json!("there is no command `pane.lits`"));
    let hint = failure["hint"].as_str().unwrap();
    assert!(hint.contains("pane_list") && hint.contains("command_search finds more"), "{hint}");
}

fn ids(answer: &Value) -> Vec<&str> {
    let commands = answer["commands"].as_array().unwrap();
    commands.iter().map(|command| command["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_list_has_every_command_that_is_not_hidden() {
    let bench = Bench::open(&[]).await;
    let all = bench.ok("command.list", json!({})).await;
    let shown: Vec<String> = registry()
        .all()
        .iter()
        .filter(|definition| definition.shown != Shown::Hidden)
        .map(|definition| definition.id.clone())
        .collect();
    assert_eq!(ids(&all), shown);
    let layouts = bench.ok("command.list", json!({"area": "layout"})).await;
    let expected =
        ["save", "apply", "list", "delete"].map(|verb| format!("openspace.layout.{verb}"));
    assert_eq!(ids(&layouts), expected);
    let failure = bench.failure("command.list", json!({"area": "lay"})).await;
    let expected = json!({
        "success": false, "error": "there is no area `lay`", "kind": "not_found",
        "hint": "areas are pane, layout, editor, terminal, file, workspace, command, view, approval, policy, audit, agent, chat, agent_tool, consent",
    });
    assert_eq!(failure, expected);
}

#[tokio::test]
async fn commands_are_found_by_words() {
    let bench = Bench::open(&[]).await;
    let found = bench.ok("command.search", json!({"query": "LAYOUT save"})).await;
    assert_eq!(ids(&found)[0], "openspace.layout.save");
    let few = bench.ok("command.search", json!({"query": "pane", "limit": 2})).await;
    assert_eq!(ids(&few).len(), 2);
    let none = bench.ok("command.search", json!({"query": "no such words"})).await;
    assert_eq!(none, json!({"commands": []}));
}

#[tokio::test]
async fn help_is_the_whole_definition() {
    let bench = Bench::open(&[]).await;
    let help = bench.ok("command.help", json!({"command": "editor_scroll_to"})).await;
    let definition = registry().find("editor.scroll_to").unwrap();
    let expected = json!({
        "id": "openspace.editor.scroll_to", "tool": "editor_scroll_to",
        "title": "Editor: Scroll to Line", "description": definition.doc,
        "access": "view", "shown": "everywhere", "set": "ide", "focus": "show", "order": "fifo",
        "idempotent": true, "keys": [], "bridge": null,
        "inputSchema": *definition.input, "outputSchema": *definition.output,
    });
    assert_eq!(help, expected);
    let message = "there is no command `editor.fly`";
    bench.fails("command.help", json!({"command": "editor.fly"}), "not_found", message).await;
}

#[tokio::test]
async fn any_command_can_be_run_by_name() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    let run = json!({"command": "file.read", "arguments": {"path": "a.rs"}});
    let direct = bench.ok("file.read", json!({"path": "a.rs"})).await;
    assert_eq!(bench.ok("command.run", run).await, direct);
    let run = json!({"command": "file.read", "arguments": {"path": "../a"}});
    let direct = bench.failure("file.read", json!({"path": "../a"})).await;
    assert_eq!(bench.failure("command.run", run).await, direct);
    for name in ["command.run", "openspace_command_run"] {
        let args = json!({"command": name, "arguments": {}});
        let message = "argument `command`: `command.run` cannot run itself";
        bench.fails("command.run", args, "invalid_args", message).await;
    }
}

//! The workspace tools as agents meet them: over MCP, in both eras of the protocol.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Mcp, Modern, Server, eventually, marked_processes, write};

/// Every tool of this kind that is listed, with its hints: read-only, destructive, idempotent,
/// open world.
const TOOLS: [(&str, [bool; 4]); 9] = [
    ("workspace_bash", [false, true, false, true]),
    ("workspace_edit", [false, false, false, false]),
    ("workspace_git", [false, true, false, true]),
    ("workspace_glob", [true, false, true, false]),
    ("workspace_grep", [true, false, true, false]),
    ("workspace_read", [true, false, true, false]),
    ("workspace_run_kill", [false, true, true, true]),
    ("workspace_run_output", [true, false, true, false]),
    ("workspace_write", [false, false, true, false]),
];

const CALL: &str = "tools/call";

fn by_name(tools: &[Value]) -> BTreeMap<String, Value> {
    let named = |tool: &Value| (tool["name"].as_str().unwrap().to_owned(), tool.clone());
    tools.iter().map(named).filter(|(name, _)| name.starts_with("workspace_")).collect()
}

async fn modern_tools(server: &Server, path: &str) -> Vec<Value> {
    let answer = Modern(&server.http).begin(path, "tools/list", json!({})).await.answer().await;
    answer["result"]["tools"].as_array().unwrap().clone()
}

#[tokio::test]
async fn both_eras_list_them_with_schemas_and_hints_that_clients_take() {
    let server = Server::start(&[]).await;
    let tools = by_name(&server.mcp().await.tools().await);
    assert_eq!(by_name(&modern_tools(&server, "/mcp").await), tools);
    let hints: Vec<(&str, [bool; 4])> = tools
        .iter()
        .map(|(name, tool)| {
            let hint = |word: &str| tool["annotations"][word].as_bool().unwrap();
            let words = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
            (name.as_str(), words.map(hint))
        })
        .collect();
    assert_eq!(hints, TOOLS);
    for (name, tool) in &tools {
        let input = &tool["inputSchema"];
        assert_eq!(
            (&input["type"], &input["additionalProperties"]),
            (&json!("object"), &json!(false))
        );
        for word in ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"] {
            assert!(input.get(word).is_none(), "providers refuse `{word}` at the top: {name}");
        }
        for (argument, schema) in input["properties"].as_object().unwrap() {
            // What says no more than its name is left out; then the name and the type are all there is.
            let is_said = match schema.get("description") {
                Some(text) => text.as_str().is_some_and(|text| !text.is_empty()),
                None => schema["type"].is_string(),
            };
            assert!(is_said, "{name} {argument}");
        }
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        jsonschema::meta::validate(input).unwrap();
        jsonschema::validator_for(&tool["outputSchema"]).unwrap();
    }
}

#[tokio::test]
async fn the_set_of_workspace_tools_has_them_and_that_of_the_ide_has_not() {
    let server = Server::start(&[]).await;
    let all: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
    for (set, expected) in [("all", all.clone()), ("workspace", all), ("ide", Vec::new())] {
        let path = format!("/mcp?set={set}");
        let legacy = by_name(&Mcp::connect(&server.http, &path).await.tools().await);
        assert_eq!(legacy.keys().map(String::as_str).collect::<Vec<_>>(), expected, "{set}");
        assert_eq!(by_name(&modern_tools(&server, &path).await), legacy, "{set}");
    }
}

/// Calls that work and calls that do not, for every tool.
fn calls() -> Vec<(&'static str, Value, bool)> {
    let background = json!({"command": "sleep 7101", "run_in_background": true});
    vec![
        ("workspace_write", json!({"file_path": "a.txt", "content": "one\ntwo\n"}), true),
        ("workspace_write", json!({"file_path": "../a.txt", "content": ""}), false),
        ("workspace_read", json!({"file_path": "a.txt"}), true),
        ("workspace_read", json!({"file_path": "."}), true),
        ("workspace_read", json!({"file_path": "b.txt"}), false),
        (
            "workspace_edit",
            json!({"file_path": "a.txt", "old_string": "two", "new_string": "three"}),
            true,
        ),
        (
            "workspace_edit",
            json!({"file_path": "a.txt", "old_string": "absent", "new_string": ""}),
            false,
        ),
        ("workspace_glob", json!({"pattern": "*.txt"}), true),
        ("workspace_glob", json!({"pattern": "["}), false),
        ("workspace_grep", json!({"pattern": "three"}), true),
        ("workspace_grep", json!({"pattern": "thr", "output_mode": "count"}), true),
        ("workspace_grep", json!({"pattern": "three", "output_mode": "files_with_matches"}), true),
        ("workspace_grep", json!({"pattern": "("}), false),
        ("workspace_bash", json!({"command": "echo out; echo err >&2; exit 4"}), true),
        ("workspace_bash", json!({"command": "sleep 100", "timeout_ms": 1}), true),
        ("workspace_bash", json!({"command": " "}), false),
        ("workspace_bash", background, true),
        ("workspace_run_output", json!({"run_id": "r1"}), true),
        ("workspace_run_kill", json!({"run_id": "r1"}), true),
        ("workspace_run_output", json!({"run_id": "r9"}), false),
        ("workspace_git", json!({"action": "status"}), false),
        ("workspace_git", json!({"action": "init"}), true),
        ("workspace_git", json!({"action": "status"}), true),
        ("workspace_git", json!({"action": "add", "files": ["a.txt"]}), true),
        ("workspace_git", json!({"action": "diff"}), true),
        ("workspace_git", json!({"action": "commit", "message": "first"}), true),
        ("workspace_git", json!({"action": "log"}), true),
        ("workspace_git", json!({"action": "show", "revision": "HEAD"}), true),
        ("workspace_git", json!({"action": "branch"}), true),
        ("workspace_git", json!({"action": "push"}), false),
    ]
}

#[tokio::test]
async fn every_answer_fits_its_schema_and_its_text_says_it_all() {
    let server = Server::start(&["--max-calls-per-turn", "1000"]).await;
    let mcp = server.mcp().await;
    let modern = Modern(&server.http);
    let tools = by_name(&mcp.tools().await);
    for era in ["legacy", "modern"] {
        for (tool, arguments, works) in calls() {
            if era == "modern" && (tool.starts_with("workspace_run_") || !works) {
                continue;
            }
            let params = json!({"name": tool, "arguments": arguments});
            let result = match era {
                "legacy" => mcp.result(CALL, params).await,
                _ => modern.result(CALL, params).await,
            };
            let answer = &result["structuredContent"];
            assert_eq!(answer["success"], works, "{tool} {arguments}: {answer}");
            assert_eq!(result["isError"] == true, !works, "{tool} {arguments}");
            let schema = jsonschema::validator_for(&tools[tool]["outputSchema"]).unwrap();
            if let Err(error) = schema.validate(answer) {
                panic!("{tool} {arguments}: {error}: {answer}");
            }
            let text = result["content"][0]["text"].as_str().unwrap();
            for key in ["error", "hint", "stdout", "stderr", "run_id"] {
                if let Some(word) = answer[key].as_str() {
                    assert!(text.contains(word.trim()), "{tool} {arguments}: {text}");
                }
            }
        }
        server.call("workspace.bash", json!({"command": "rm -rf .git a.txt"})).await;
    }
}

#[tokio::test]
async fn what_went_wrong_comes_with_what_to_try_next() {
    let server = Server::start(&[]).await;
    server.space.file("src/main.rs", "fn main() {}\n");
    let mcp = server.mcp().await;
    for (tool, arguments, hint) in [
        ("workspace_read", json!({"file_path": "src/mian.rs"}), "did you mean src/main.rs?"),
        ("workspace_read", json!({"file_path": "x", "workspace_id": "w7"}), "workspaces: main"),
        (
            "workspace_bash",
            json!({"command": "true", "timeout_ms": 4_000_000}),
            "set run_in_background for what runs longer",
        ),
    ] {
        let result = mcp.call(tool, arguments).await;
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(hint), "{text}");
    }
    // An agent may not reach further than it does already.
    let denied = mcp.call("workspace_create", json!({"root": "/"})).await;
    assert_eq!(denied["structuredContent"]["kind"], "denied");
}

/// A command that says something and then waits for a file.
fn waiting() -> Value {
    let command = "echo hello; until [ -e go ]; do sleep 0.02; done; echo bye";
    json!({"name": "workspace_bash", "arguments": {"command": command},
        "_meta": {"progressToken": "watch"}})
}

#[tokio::test]
async fn what_a_command_prints_is_told_while_it_runs() {
    let server = Server::start(&[]).await;
    let go = server.space.root().join("go");
    let mcp = server.mcp().await;
    for era in ["legacy", "modern"] {
        let mut pending = match era {
            "legacy" => mcp.begin(CALL, waiting()).await,
            _ => Modern(&server.http).begin("/mcp", CALL, waiting()).await,
        };
        let told = pending.next().await.unwrap();
        assert_eq!(told["method"], "notifications/progress", "{told}");
        let params = &told["params"];
        assert_eq!(
            (&params["progressToken"], &params["message"]),
            (&json!("watch"), &json!("hello"))
        );
        assert!(params["progress"].as_f64().unwrap() > 0.0, "{told}");
        write(&go, "");
        let answer = pending.answer().await;
        assert_eq!(answer["result"]["structuredContent"]["stdout"], "hello\nbye\n", "{era}");
        server.call("workspace.bash", json!({"command": "rm go"})).await;
    }
}

#[tokio::test]
async fn what_a_terminal_shows_is_told_while_a_command_runs_in_it() {
    let server = Server::start(&[]).await;
    let mcp = server.mcp().await;
    mcp.call("terminal_create", json!({"title": "sh", "shellPath": "/bin/bash"})).await;
    let command = "echo hel''lo; until [ -e go ]; do sleep 0.02; done; echo bye";
    let arguments = json!({"terminalId": "sh", "command": command});
    let call = json!({"name": "terminal_run", "arguments": arguments,
        "_meta": {"progressToken": "watch"}});
    let mut pending = mcp.begin(CALL, call).await;
    loop {
        let told = pending.next().await.unwrap();
        let params = &told["params"];
        assert_eq!(
            (&told["method"], &params["progressToken"]),
            (&json!("notifications/progress"), &json!("watch")),
            "{told}"
        );
        if params["message"].as_str().unwrap().lines().any(|line| line == "hello") {
            break;
        }
    }
    write(&server.space.root().join("go"), "");
    let answer = pending.answer().await;
    assert_eq!(answer["result"]["structuredContent"]["exitCode"], 0, "{answer}");
}

#[tokio::test]
async fn a_command_answers_the_same_whether_it_is_called_or_run_by_its_name() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "one\n");
    let mcp = server.mcp().await;
    for (tool, arguments) in [
        ("pane_list", json!({})),
        ("file_read", json!({"path": "a.txt"})),
        ("workspace_read", json!({"file_path": "a.txt"})),
        ("workspace_glob", json!({"pattern": "*"})),
        ("file_read", json!({"path": "missing"})),
        ("pane_list", json!({"nonsense": 1})),
    ] {
        let direct = mcp.call(tool, arguments.clone()).await;
        let run = json!({"command": tool, "arguments": arguments});
        let by_name = mcp.call("command_run", run).await;
        for member in ["content", "structuredContent", "isError"] {
            assert_eq!(by_name[member], direct[member], "{tool} {arguments}");
        }
    }
    let help = mcp.call("command_help", json!({"command": "editor.highlight"})).await;
    let text = help["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("editor_highlight (openspace.editor.highlight)\n"), "{text}");
    assert!(text.contains("\n- path (string): "), "{text}");
    assert!(text.contains("\n- note? (string): "), "{text}");
    let whole = help["structuredContent"].to_string();
    assert!(text.len() * 2 < whole.len(), "{} of {}", text.len(), whole.len());
    assert!(!text.contains("outputSchema"), "{text}");
}

/// Wait until so many processes of a server sleep for this long.
async fn sleeping(instance: &str, number: u32, count: usize) {
    let word = format!("sleep {number}");
    eventually(&format!("{count} × {word}"), || async {
        let found = marked_processes(instance);
        (found.iter().filter(|(_, words)| *words == word).count() == count).then_some(())
    })
    .await;
}

fn slow(number: u32) -> Value {
    let command = format!("sleep {number} & setsid sleep {number}; true");
    json!({"name": "workspace_bash", "arguments": {"command": command}})
}

#[tokio::test]
async fn a_command_that_is_taken_back_ends_with_all_its_processes() {
    for (provider, number) in [("local", 7_210), ("sandbox", 7_220)] {
        let server = Server::start(&["--provider", provider]).await;
        let instance = server.space.instance();
        let mut events = server.events().await;
        let mcp = server.mcp().await;
        let pending = mcp.begin(CALL, slow(number)).await;
        sleeping(&instance, number, 2).await;
        mcp.notify("notifications/cancelled", json!({"requestId": pending.id})).await;
        let record = events.call_ended("openspace.workspace.bash").await;
        assert_eq!(record["outcome"], json!({"failed": "cancelled"}), "{provider}");
        sleeping(&instance, number, 0).await;

        let modern = Modern(&server.http);
        let number = number + 1;
        tokio::select! {
            _ = modern.result(CALL, slow(number)) => panic!("it does not end by itself"),
            () = sleeping(&instance, number, 2) => {}
        }
        let record = events.call_ended("openspace.workspace.bash").await;
        assert_eq!(record["outcome"], json!({"failed": "cancelled"}), "{provider}");
        sleeping(&instance, number, 0).await;
        let ran = mcp.call("workspace_bash", json!({"command": "echo on"})).await;
        assert_eq!(ran["structuredContent"]["stdout"], "on\n", "the place goes on");
    }
}

#[tokio::test]
async fn a_legacy_stream_that_breaks_takes_nothing_back() {
    let server = Server::start(&[]).await;
    let instance = server.space.instance();
    let mcp = server.mcp().await;
    let pending = mcp.begin(CALL, slow(7_310)).await;
    sleeping(&instance, 7_310, 2).await;
    let id = pending.id;
    drop(pending);
    assert_eq!(mcp.result("ping", json!({})).await, json!({}));
    sleeping(&instance, 7_310, 2).await;
    mcp.notify("notifications/cancelled", json!({"requestId": id})).await;
    sleeping(&instance, 7_310, 0).await;
}

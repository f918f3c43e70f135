//! MCP over HTTP in the era with sessions: tools and resources.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Mcp, Server};

fn names(tools: &[Value]) -> BTreeSet<String> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_session_begins_with_who_the_server_is_and_how_the_space_is() {
    let server = Server::start(&[]).await;
    server.space.file("a.txt", "");
    server.call("editor.open", json!({"path": "a.txt"})).await;
    let mcp = server.mcp().await;
    let welcome = &mcp.welcome;
    assert_eq!(welcome["protocolVersion"], "2025-11-25");
    let info = json!({"name": "openspace", "title": "OpenSpace",
        "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(welcome["serverInfo"], info);
    let capabilities = json!({
        "completions": {},
        "prompts": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "tools": {"listChanged": true},
    });
    assert_eq!(welcome["capabilities"], capabilities);
    let instructions = welcome["instructions"].as_str().unwrap();
    assert!(instructions.contains("a.txt [in front]"), "{instructions}");
    assert_eq!(mcp.result("ping", json!({})).await, json!({}));
    assert_eq!(mcp.result("prompts/list", json!({})).await["prompts"], json!([]));
}

#[tokio::test]
async fn every_tool_says_all_there_is_to_say() {
    let server = Server::start(&[]).await;
    let catalogue = server.http.get("/api/commands").send().await.json();
    let commands = catalogue["commands"].as_array().unwrap();
    let tools = server.mcp().await.tools().await;
    let shown: BTreeSet<String> = commands
        .iter()
        .filter(|command| command["shown"] == "everywhere")
        .map(|command| command["tool"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names(&tools), shown);
    for tool in &tools {
        let command = commands.iter().find(|command| command["tool"] == tool["name"]).unwrap();
        assert_eq!(tool["title"], command["title"]);
        let told = tool["description"].as_str().unwrap();
        let first = command["description"].as_str().unwrap().lines().next().unwrap();
        assert!(told.starts_with(first), "{told}");
        let arguments = |schema: &Value| -> Vec<String> {
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(arguments(&tool["inputSchema"]), arguments(&command["inputSchema"]));
        assert_eq!(tool["inputSchema"]["required"], command["inputSchema"]["required"]);
        assert_eq!(tool["outputSchema"]["type"], "object");
        let access = command["access"].as_str().unwrap();
        let annotations = json!({
            "readOnlyHint": access == "read",
            "destructiveHint": matches!(access, "destroy" | "execute"),
            "idempotentHint": command["idempotent"],
            "openWorldHint": matches!(access, "execute" | "reach"),
        });
        assert_eq!(tool["annotations"], annotations, "{}", tool["name"]);
        let meta = json!({"openspace/id": command["id"], "openspace/access": access});
        assert_eq!(tool["_meta"], meta);
    }
}

#[tokio::test]
async fn a_result_is_structure_and_text_with_what_is_left() {
    let server = Server::start(&["--max-calls-per-turn", "40"]).await;
    server.space.file("a.txt", "one\n");
    let mcp = server.mcp().await;
    let result = mcp.call("file_read", json!({"path": "a.txt"})).await;
    assert_eq!(result["content"], json!([{"type": "text", "text": "one\n"}]));
    assert_eq!(result["structuredContent"]["success"], true);
    assert_eq!(result["structuredContent"]["content"], "one\n");
    assert_ne!(result["isError"], true);
    let budget = json!({"callsLeft": 39, "concurrentLeft": 10, "queued": 0});
    let meta = json!({"openspace/id": "openspace.file.read", "openspace/budget": budget});
    assert_eq!(result["_meta"], meta);
}

#[tokio::test]
async fn what_a_tool_refuses_is_a_result_and_an_unknown_tool_an_error() {
    let server = Server::start(&[]).await;
    let mcp = server.mcp().await;
    let result = mcp.call("file_read", json!({"path": "missing.txt"})).await;
    assert_eq!(result["isError"], true);
    let refusal = &result["structuredContent"];
    assert_eq!((&refusal["success"], &refusal["kind"]), (&json!(false), &json!("not_found")));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(refusal["error"].as_str().unwrap()), "{text}");
    assert!(text.contains(refusal["hint"].as_str().unwrap()), "{text}");
    let result = mcp.call("file_read", json!({"path": 7})).await;
    assert_eq!(result["structuredContent"]["kind"], "invalid_args");

    let unknown = mcp.answer("tools/call", json!({"name": "editor_opn"})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["data"], json!({"tool": "editor_opn"}));
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.contains("editor_open"), "it says what may have been meant: {message}");
    let unknown = mcp.answer("no/such", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601);
}

#[tokio::test]
async fn a_tool_is_known_by_every_form_of_its_name() {
    let server = Server::start(&[]).await;
    let mcp = server.mcp().await;
    for name in ["pane_list", "openspace_pane_list", "pane.list", "openspace.pane.list"] {
        let result = mcp.call(name, json!({})).await;
        assert_eq!(result["_meta"]["openspace/id"], "openspace.pane.list", "{name}");
    }
    // Not in the list, but there.
    let result = mcp.call("layout_save", json!({"name": "mine"})).await;
    assert_eq!(result["structuredContent"]["layouts"], json!(["mine"]));
}

#[tokio::test]
async fn the_address_chooses_the_tools() {
    let server = Server::start(&[]).await;
    let at = async |path: &str| Mcp::connect(&server.http, path).await.tools().await;
    let all = names(&at("/mcp").await);
    let ide = names(&at("/mcp?set=ide").await);
    let workspace = names(&at("/mcp?set=workspace").await);
    assert_eq!(names(&at("/mcp?set=all").await), all);
    assert_eq!(ide.union(&workspace).cloned().collect::<BTreeSet<_>>(), all);
    let both: Vec<&String> = ide.intersection(&workspace).collect();
    let is_shared =
        |name: &str| ["code_", "command_", "terminal_"].iter().any(|area| name.starts_with(area));
    let (shared, own): (Vec<&String>, Vec<&String>) = both.iter().partition(|name| is_shared(name));
    assert_eq!((shared.is_empty(), own.len()), (false, 0), "{both:?}");
    assert!(ide.contains("editor_open") && !ide.contains("file_write"));
    assert!(workspace.contains("file_write") && !workspace.contains("editor_open"));

    let mcp = server.mcp().await.at("/mcp?set=most");
    let refused = mcp.answer("tools/list", json!({})).await;
    assert_eq!(refused["error"]["code"], -32602);
    let message = "there is no tool set `most`; use all, ide or workspace";
    assert_eq!(refused["error"]["message"], message);
}

/// The words in backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[tokio::test]
async fn instructions_name_the_tools_that_are_offered_and_no_others() {
    for form in ["short", "dotted"] {
        let server = Server::start(&["--tool-names", form]).await;
        let catalogue = server.http.get("/api/commands").send().await.json();
        let mut commands: BTreeSet<String> = BTreeSet::new();
        for command in catalogue["commands"].as_array().unwrap() {
            let id = command["id"].as_str().unwrap();
            let short = id.trim_start_matches("openspace.");
            commands.extend([id, short, command["tool"].as_str().unwrap()].map(str::to_owned));
        }
        for (set, some) in
            [("all", "editor.open"), ("ide", "pane.open"), ("workspace", "workspace.bash")]
        {
            let mcp = Mcp::connect(&server.http, &format!("/mcp?set={set}")).await;
            let listed = names(&mcp.tools().await);
            let text = mcp.welcome["instructions"].as_str().unwrap().to_owned();
            let named: BTreeSet<String> = quoted(&text).intersection(&commands).cloned().collect();
            let unknown: Vec<_> = named.difference(&listed).collect();
            assert_eq!(unknown, Vec::<&String>::new(), "{form} {set}");
            let some =
                if form == "short" { some.replace('.', "_") } else { format!("openspace.{some}") };
            assert!(named.contains(&some), "{form} {set}: {named:?}");
            assert!(!text.contains("_*"), "no family of tools is promised: {text}");
            // The list is whole.
            let section = text.split("## Tools\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
            let lines = section.lines().filter(|line| !line.starts_with("- more: "));
            let told: BTreeSet<String> = lines
                .flat_map(|line| line.split_once(": ").unwrap().1.split(", "))
                .map(str::to_owned)
                .collect();
            assert_eq!(told, listed, "{form} {set}");

            let read =
                mcp.result("resources/read", json!({"uri": "openspace://instructions"})).await;
            assert_eq!(read["contents"][0]["text"], text);
            let over_http = server.http.get(&format!("/instructions?set={set}")).send().await;
            assert_eq!(over_http.text(), text);
        }
        assert_eq!(server.http.get("/instructions?set=most").send().await.status, 400);
    }
}

#[tokio::test]
async fn dotted_names_are_published_when_asked_for() {
    let server = Server::start(&["--tool-names", "dotted"]).await;
    let mcp = server.mcp().await;
    let names = names(&mcp.tools().await);
    assert!(names.iter().all(|name| name.starts_with("openspace.")), "{names:?}");
    let result = mcp.call("pane_list", json!({})).await;
    assert_eq!(result["structuredContent"]["success"], true);
}

#[tokio::test]
async fn the_live_state_can_be_read_as_resources() {
    let server = Server::start(&[]).await;
    let mcp = server.mcp().await;
    let uris = async || {
        let listed = mcp.result("resources/list", json!({})).await;
        let listed = listed["resources"].as_array().unwrap();
        listed.iter().map(|resource| resource["uri"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(uris().await, ["openspace://state", "openspace://instructions"]);
    server.call("terminal.create", json!({"title": "sh"})).await;
    assert_eq!(uris().await[2], "openspace://terminals/t1");
    let templates = mcp.result("resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "openspace://terminals/{id}");

    let read = async |uri: &str| {
        let read = mcp.result("resources/read", json!({"uri": uri})).await;
        let content = read["contents"][0].clone();
        (content["mimeType"].clone(), content["text"].as_str().unwrap().to_owned())
    };
    let (kind, text) = read("openspace://state").await;
    let state: Value = serde_json::from_str(&text).unwrap();
    let mut live = server.http.get("/api/state").send().await.json();
    // Questions about agents are not for agents, nor is what a person is about to say in a conversation, or has reviewed.
    for part in ["approvals", "chats", "chat-drafts", "chat-reviews"] {
        assert_eq!(live["parts"].as_object_mut().unwrap().remove(part), Some(json!({})), "{part}");
    }
    assert_eq!((kind, &state["parts"]), (json!("application/json"), &live["parts"]));
    let (kind, text) = read("openspace://instructions").await;
    let live = server.http.get("/instructions").send().await.text();
    assert_eq!((kind, text), (json!("text/markdown"), live));
    server
        .call("terminal.send", json!({"terminalId": "t1", "text": "echo sum=$((40 + 2))\n"}))
        .await;
    crate::support::eventually("the answer of the shell", || async {
        read("openspace://terminals/t1").await.1.contains("sum=42").then_some(())
    })
    .await;
    let missing = mcp.answer("resources/read", json!({"uri": "openspace://terminals/t9"})).await;
    assert_eq!(missing["error"]["code"], -32002);
}

#[tokio::test]
async fn the_transport_refuses_what_it_must() {
    let server = Server::start(&[]).await;
    let ask = |body: &str| {
        server
            .http
            .ask("POST", "/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(body.to_owned())
    };
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let unknown = ask(list).header("mcp-session-id", "no-such-session").send().await;
    assert_eq!(unknown.status, 404);
    let broken = ask("{").send().await;
    assert_eq!(broken.status, 400);
    let mut expected = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700,
        "message": "the body is not valid JSON: EOF while parsing an object at line 1 column 1"}});
    assert_eq!(broken.json(), expected);
    let odd = ask(r#"{"id": 7, "a": 1}"#).send().await;
    expected["id"] = 7.into();
    expected["error"] = json!({"code": -32600, "message": "the body is no message of MCP"});
    assert_eq!((odd.status, odd.json()), (400, expected));
    let text = server.http.ask("POST", "/mcp").header("content-type", "text/plain");
    let text = text.header("accept", "application/json, text/event-stream").body("{}".to_owned());
    assert_eq!(text.send().await.status, 415);
    let ended = server.mcp().await;
    ended.end().await;
    assert_eq!(ended.status_of_a_ping().await, 404, "a session that was ended is gone");
}

#[tokio::test]
async fn sessions_that_nobody_uses_go_when_there_are_too_many() {
    let server = Server::start(&[]).await;
    let (listening, used, left) = (server.mcp().await, server.mcp().await, server.mcp().await);
    let _notices = listening.notices().await;
    for number in 0..250 {
        server.mcp().await;
        if number % 50 == 0 {
            assert_eq!(used.status_of_a_ping().await, 200, "{number}");
        }
    }
    let answers = [&listening, &used, &left].map(Mcp::status_of_a_ping);
    let [listening, used, left] = answers;
    assert_eq!((listening.await, used.await, left.await), (200, 200, 404));
}

//! The story that all of this is for, with no browser: a person asks at a shell, and an agent opens a file at a line,
//! highlights it, makes a terminal, runs a command in it, reads it and answers.

use openspace_scripted::Step;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::chat::at_a_shell;
use crate::support::{Person, Space, eventually, named};

const ANSWER: &str = "The second line says two, and there are 3.";

/// Have an agent do it, said at a shell. Its model knows our tools under names that begin with `prefix`.
async fn told_at_a_shell(space: &Space, agent: &str, prefix: &str) {
    space.person.model.say([Step::text("Hello.")]);
    let begin = ["send", "Hello", "--agent", agent, "--wait"];
    let (out, complaints, is_done) = at_a_shell(space, &begin).await;
    assert_eq!((out.trim(), is_done), ("Hello.", true), "{complaints}");
    let address = complaints.lines().find_map(|line| line.strip_prefix("session: ")).unwrap();
    let tool = |name: &str, args: Value| Step::tool(&format!("{prefix}{name}"), args);
    space.person.model.say([
        tool("editor_open", json!({ "path": "a.txt", "line": 2 })),
        tool(
            "editor_highlight",
            json!({ "path": "a.txt", "ranges": [{ "startLine": 2, "endLine": 2 }], "note": "this one" }),
        ),
        tool("terminal_create", json!({ "title": "count" })),
        tool("terminal_run", json!({ "terminalId": "count", "command": "wc -l < a.txt" })),
        tool("terminal_read_output", json!({ "terminalId": "count" })),
        Step::text(ANSWER),
    ]);
    let words = ["send", "Show me the second line", "--session", address, "--wait"];
    let (out, complaints, is_done) = at_a_shell(space, &words).await;
    assert_eq!((out.trim(), is_done), (ANSWER, true), "{complaints}");

    let editors = space.person("editor.state", json!({})).await;
    let shown = &editors["editors"][0];
    assert_eq!((&shown["path"], &shown["active"]), (&json!("a.txt"), &json!(true)), "{editors}");
    assert_eq!(shown["highlights"].as_array().map(Vec::len), Some(1), "{editors}");
    let read = space.person("terminal.read_output", json!({ "terminalId": "count" })).await;
    let lines = read["output"].as_array().unwrap();
    assert!(lines.contains(&json!("3")), "{read}");
    let session = address.split_once('/').unwrap().1;
    let records = space.record(agent).await;
    let ours = records.iter().filter(|record| record["command"] != "openspace.agent_tool.use");
    let done: Vec<_> =
        ours.map(|it| json!([it["session"], it["command"], it["outcome"]])).collect();
    let expected = [
        "editor.open",
        "editor.highlight",
        "terminal.create",
        "terminal.run",
        "terminal.read_output",
    ];
    let of = |command: &str| json!([session, format!("openspace.{command}"), "ok"]);
    assert_eq!(done, expected.map(of));
}

#[tokio::test]
async fn opencode_does_what_a_person_asks_at_a_shell_and_hears_what_they_did() {
    let space = Person::with(json!({})).await.serve().await;
    told_at_a_shell(&space, "opencode", "openspace_").await;
    space.person("file.save", json!({ "path": "a.txt", "content": "one\n2\nthree\n" })).await;
    let look = Step::tool("openspace_pane_list", json!({}));
    space.person.model.say([look, Step::text("I see.")]);
    let listed = space.person("chat.sessions", json!({})).await;
    let address = listed["sessions"][0]["address"].as_str().unwrap();
    let args = json!({ "text": "And now?", "session": address, "wait": true });
    assert_eq!(space.person("chat.send", args).await["turn"]["answer"], "I see.");
    let since = "Since your last call the person: edited a.txt (saved)";
    let heard = space.person.model.log().iter().any(|asked| asked.body.to_string().contains(since));
    assert!(heard, "{:#?}", space.person.model.log().last());
    space.stop().await;
}

#[tokio::test]
async fn qwen_code_does_the_same_over_acp() {
    let person = Person::with(json!({})).await;
    let script = named("OPENSPACE_QWEN").expect("run it with `cargo xtask test`");
    let qwen = format!(
        "[[agent]]\nid = 'qwen'\nname = 'Qwen Code'\nhome = ['.qwen/']\n\
         command = ['node', '{}', '--acp', '--auth-type=openai']\n\
         [agent.set]\nOPENAI_API_KEY = 'test'\nOPENAI_BASE_URL = '{}'\nOPENAI_MODEL = 'scripted'\n\
         QWEN_CODE_NO_RELAUNCH = 'true'\n",
        script.display(),
        person.model.base_url(),
    );
    person.agents(&qwen);
    let space = person
        .serve_with(|options| {
            options.hosting.agents.readable.push(script.parent().unwrap().to_owned());
        })
        .await;
    // It asks before each tool that it has not made itself.
    let dispatcher = space.server.dispatcher().clone();
    let answering = tokio::spawn(async move {
        loop {
            let open = crate::support::as_person(&dispatcher, "approval.list", json!({})).await;
            for question in open["approvals"].as_array().into_iter().flatten() {
                let args = json!({ "approvalId": question["approvalId"], "answer": "session" });
                crate::support::as_person(&dispatcher, "approval.answer", args).await;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    });
    told_at_a_shell(&space, "qwen", "mcp__openspace__").await;
    answering.abort();
    eventually("the answer is read again", || async {
        let (out, ..) = at_a_shell(&space, &["sessions", "--agent", "qwen"]).await;
        (!out.is_empty()).then_some(())
    })
    .await;
    space.stop().await;
}

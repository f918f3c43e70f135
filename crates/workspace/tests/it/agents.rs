//! Connected agents, through dispatch.

use openspace_command::{Caller, CallerKind};
use openspace_workspace::{
    areas::approvals::{Approvals, Entered},
    part_schemas,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{
    buffers::Page,
    chat::puppet::Puppet,
    support::{Bench, START},
};

#[tokio::test]
async fn an_agent_that_calls_is_shown_with_what_it_runs() {
    let bench = Bench::open(&[]).await;
    assert_eq!(json!(bench.attach().snapshot.parts["agents"]), json!({}));
    bench.ok("pane.list", json!({})).await;
    let mut view = bench.attach();
    let idle = json!({"name": "opencode", "transport": "other", "connectedAt": START,
        "lastCallAt": START, "calls": 1, "running": [],
        "paused": false, "disconnected": false, "brought": {}});
    assert_eq!(json!(view.snapshot.parts["agents"]), json!({"opencode": idle}));
    let revision = view.snapshot.revision;

    bench.advance(7);
    let wait = json!({"command": "sleep 1000", "timeout_ms": 600_000});
    let call = openspace_command::Call::new(crate::support::agent(), "workspace.bash", wait);
    let cancel = call.cancel.clone();
    let dispatcher = bench.dispatcher().clone();
    let running = tokio::spawn(async move { dispatcher.dispatch(call).await });
    let shown = loop {
        let agents = view.changed("agents").await;
        if agents["opencode"]["running"] != json!([]) {
            break agents;
        }
    };
    let call = json!({"callId": 2, "command": "openspace.workspace.bash",
        "summary": shown["opencode"]["running"][0]["summary"], "startedAt": START + 7});
    let busy = json!({"name": "opencode", "transport": "other", "connectedAt": START,
        "lastCallAt": START + 7, "calls": 2, "running": [call],
        "paused": false, "disconnected": false, "brought": {}});
    assert_eq!(shown, json!({"opencode": busy}));
    assert!(call["summary"].as_str().unwrap().contains("sleep 1000"), "{call}");
    cancel.cancel();
    assert!(running.await.unwrap().result.is_err());
    while view.changed("agents").await["opencode"]["running"] != json!([]) {}

    bench.advance(5 * 60 * 1000);
    let snapshot = bench.attach().snapshot;
    assert_eq!(json!(snapshot.parts["agents"]), json!({}), "silent for five minutes");
    assert_eq!(snapshot.revision, revision, "who is there is no change of the work");
}

#[tokio::test]
async fn people_are_no_agents() {
    let bench = Bench::open(&[]).await;
    bench.as_person("pane.list", json!({})).await;
    assert_eq!(json!(bench.attach().snapshot.parts["agents"]), json!({}));
}

#[tokio::test]
async fn every_part_is_as_its_schema_says() {
    let task = r#"{"tasks": [{"label": "t", "type": "shell", "command": "true"}]}"#;
    let bench = Bench::open(&[("a.rs", "1\n"), (".vscode/tasks.json", task)]).await;
    bench.ok("task.run", json!({"task": "t"})).await;
    bench.ok("editor.open", json!({"path": "a.rs", "line": 1, "highlight": true})).await;
    bench.ok("pane.split", json!({"side": "below"})).await;
    bench.ok("terminal.create", json!({})).await;
    bench.ok("layout.save", json!({"name": "one"})).await;
    bench.ok("workspace.create", json!({})).await;
    let problem = json!({"path": "a.rs", "startLine": 1, "message": "short"});
    bench.ok("editor.report_problems", json!({"source": "lint", "problems": [problem]})).await;
    let mut page = Page::join(&bench);
    page.open("a.rs", "1\n", "typed\n").await;
    bench.as_person("consent.give", json!({"client": "opencode"})).await;
    bench.as_person("chat.draft", json!({"session": "opencode/s", "text": "I"})).await;
    bench.as_person("chat.seen", json!({"session": "opencode/s", "at": 1})).await;
    bench.dispatcher().state().conversations().hand_in("opencode", Puppet::echo());
    bench.as_person("chat.create", json!({"agent": "opencode"})).await;
    let in_session = Caller::new(CallerKind::Agent, "opencode", Some("ses_1"));
    let args = json!({"file_path": "b.rs", "content": "new\n"});
    bench.reply(in_session, "workspace.write", args).await;
    let question = json!({
        "command": "openspace.workspace.bash", "summary": "ls", "arguments": [], "digest": "1",
        "caller": {"kind": "agent", "id": "opencode", "session": null}, "site": "unconfined",
        "rule": "careful", "why": "It is not known what this does.",
    });
    let approvals = bench.dispatcher().state().service::<Approvals>();
    let asked = approvals.enter(serde_json::from_value(question).unwrap()).await;
    assert!(matches!(asked, Ok(Entered::Held(_))));
    let space = bench.dispatcher().state().space();
    openspace_workspace::areas::view::commands::attach(space, "v1").unwrap();
    let schemas = part_schemas();
    let parts = bench.attach().snapshot.parts;
    assert_eq!(parts.len(), schemas.len());
    for (name, value) in parts {
        let value = json!(value);
        let schema = schemas[name.as_str()].as_value();
        let validator = jsonschema::validator_for(schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}: {value}");
        // Nothing is wrong with the store here, and no secret is seen; `full_disk.rs` and the browser's
        // `confined.spec.ts` have what is told when something is.
        let is_tried = ["store", "seen-secrets"].contains(&name.as_str())
            || value.as_object().is_some_and(|value| !value.is_empty());
        assert!(is_tried, "{name} is tried");
    }
}

//! What a restart keeps, and the record of calls.

use openspace_command::{Caller, CallerKind, Limits, Outcome};
use openspace_workspace::areas::view::ViewsPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, START, Settings, agent, in_time, person};

#[tokio::test]
async fn a_restart_loses_nothing_that_was_saved() {
    let mut bench = Bench::open(&[("a.rs", "1\n2\n3\n"), ("b.rs", "1\n")]).await;
    bench.ok("editor.open", json!({"path": "a.rs", "line": 2, "highlight": true})).await;
    bench.ok("editor.open", json!({"path": "b.rs", "newPane": true})).await;
    bench.ok("pane.resize", json!({"paneId": "p2", "width": 30})).await;
    bench.ok("pane.pin", json!({"paneId": "p2"})).await;
    bench.ok("layout.save", json!({"name": "review"})).await;
    let (before, mut view) = (bench.state(), bench.attach().snapshot);
    bench.restart().await;
    let after = bench.attach().snapshot;
    // Who was connected is not saved.
    view.parts.insert("agents".into(), std::collections::BTreeMap::new());
    assert_eq!(bench.state(), before);
    assert_eq!((after.parts, after.revision), (view.parts, view.revision));
    assert_eq!((after.boot.as_str(), after.seq), ("boot2", 0));
    let opened = bench.ok("editor.open", json!({"path": "a.rs"})).await;
    assert_eq!(opened["paneId"], json!("p1"));
    let marked =
        bench.ok("editor.open", json!({"path": "b.rs", "line": 1, "highlight": true})).await;
    assert_eq!(marked["highlightId"], json!("h2"), "ids go on where they stopped");
    let split = bench.ok("pane.split", json!({"side": "below"})).await;
    assert_eq!(split["paneId"], json!("p3"));
}

#[tokio::test]
async fn the_revision_never_goes_back() {
    let mut bench = Bench::open(&[("a.rs", "1\n")]).await;
    bench.ok("editor.open", json!({"path": "a.rs"})).await;
    let space = std::sync::Arc::clone(bench.dispatcher().state().space());
    openspace_workspace::areas::view::commands::attach(&space, "v1").unwrap();
    let before = space.events().revision();
    assert_eq!(before, 2);
    bench.restart().await;
    let after = bench.dispatcher().state().space();
    assert_eq!((after.events().revision(), after.state().part::<ViewsPart>().len()), (before, 0));
    bench.ok("editor.open", json!({"path": "a.rs", "line": 1})).await;
    assert_eq!(bench.dispatcher().state().space().events().revision(), before + 1);
}

#[tokio::test]
async fn every_call_leaves_a_record() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    bench.call("openspace_editor_open", json!({"path": "a.rs", "line": 1})).await;
    bench.advance(5);
    bench.as_person("editor.open", json!({"path": "b.rs"})).await;
    bench.call("file.read", json!({"paht": "a.rs"})).await;
    bench.call("no.such", json!({})).await;
    bench.call("command.run", json!({"command": "pane.list"})).await;
    let records: Vec<Value> = bench
        .audit()
        .await
        .into_iter()
        .map(|record| {
            assert_eq!(record.error.is_some(), record.outcome != Outcome::Done);
            json!([
                record.at - START,
                record.caller.id,
                record.command,
                record.summary,
                record.outcome.word()
            ])
        })
        .collect();
    let expected = [
        json!([0, "opencode", "openspace.editor.open", "open a.rs at line 1", "done"]),
        json!([5, "browser", "openspace.editor.open", "open b.rs", "not_found"]),
        json!([5, "opencode", "openspace.file.read", "(arguments not understood)", "invalid_args"]),
        json!([5, "opencode", "no.such", "", "not_found"]),
        json!([5, "opencode", "openspace.pane.list", "list panes", "done"]),
        json!([5, "opencode", "openspace.command.run", "run pane.list", "done"]),
    ];
    assert_eq!(records, expected);
}

#[tokio::test]
async fn no_record_holds_contents() {
    let bench = Bench::open(&[("a.rs", "x-marker-y\n")]).await;
    let mut view = bench.attach();
    let secret = "x-marker-y";
    bench.ok("file.write", json!({"path": "b.rs", "content": secret})).await;
    bench.failure("file.write", json!({"path": ".env", "content": secret})).await;
    bench.failure("file.write", json!({"path": "b.rs", "content": [secret]})).await;
    bench.ok("file.read", json!({"path": "a.rs"})).await;
    bench.ok("terminal.create", json!({})).await;
    bench.type_until("t1", &format!("echo {secret}\n"), secret).await;
    let run = json!({"command": "file.write", "arguments": {"path": "c.rs", "content": secret}});
    bench.ok("command.run", run).await;
    let note = json!({"path": "a.rs", "ranges": [{"startLine": 1, "endLine": 1}], "note": secret});
    bench.ok("editor.highlight", note).await;
    let records = bench.audit().await;
    assert!(records.len() >= 9, "{}", records.len());
    for record in &records {
        assert!(!json!(record).to_string().contains("marker"), "{record:?}");
    }
    let mut told = 0;
    while told < records.len() {
        if let openspace_protocol::Event::CallEnded { record } = &view.next().await.event {
            assert!(!json!(record).to_string().contains("marker"), "{record:?}");
            told += 1;
        }
    }
}

#[tokio::test]
async fn a_turn_has_so_many_calls() {
    let bench =
        Bench::with(Settings { limits: Limits::default(), ..Settings::default() }, &[]).await;
    for left in (0..50).rev() {
        let reply = bench.reply(agent(), "pane.list", json!({})).await;
        assert_eq!((reply.result.is_ok(), reply.budget.calls_left), (true, Some(left)));
    }
    let reply = bench.reply(agent(), "pane.list", json!({})).await;
    let expected = json!({
        "success": false, "error": "all 50 calls of this turn are used", "kind": "limit",
        "hint": "a new turn starts 2.0 s after the last call that was let in; plan fewer, larger calls",
    });
    assert_eq!(reply.to_value(), expected);
    assert_eq!((reply.budget.calls_left, reply.budget.concurrent_left), (Some(0), 10));
    let answer = bench.as_person("pane.list", json!({})).await;
    assert_eq!(answer["success"], json!(true), "people have no turns");
    bench.dispatcher().new_turn(&agent());
    bench.ok("pane.list", json!({})).await;
}

#[tokio::test]
async fn a_script_ends_its_own_turn_and_an_agent_does_not() {
    let limits = Limits { per_turn: 3, ..Limits::default() };
    let bench = Bench::with(Settings { limits, ..Settings::default() }, &[]).await;
    let script = Caller::new(CallerKind::Script, "hooks", None);
    for _ in 0..5 {
        bench.reply(script.clone(), "pane.list", json!({})).await;
        let reply = bench.reply(script.clone(), "command.end_turn", json!({})).await;
        assert_eq!(reply.to_value(), json!({"success": true}));
        assert_eq!(reply.budget.calls_left, Some(3));
    }
    let refused = json!({
        "success": false, "kind": "denied",
        "error": "an agent's turn does not end because the agent says so",
        "hint": "it ends with a pause between calls, or with the person's next prompt; plan fewer, larger calls",
    });
    let run = json!({"command": "command.end_turn"});
    for (command, args, left) in [("command.end_turn", json!({}), 2), ("command.run", run, 1)] {
        let reply = bench.reply(agent(), command, args).await;
        assert_eq!((reply.to_value(), reply.budget.calls_left), (refused.clone(), Some(left)));
    }
    let again = Caller::new(CallerKind::Agent, &agent().id, Some("another session"));
    assert_eq!(bench.reply(again.clone(), "pane.list", json!({})).await.budget.calls_left, Some(0));
    let reply = bench.reply(again, "pane.list", json!({})).await;
    assert_eq!(reply.to_value()["kind"], json!("limit"), "sessions of a client share a turn");
    let reply = bench.reply(person(), "command.end_turn", json!({})).await;
    assert_eq!(reply.budget.calls_left, None);
}

#[tokio::test]
async fn a_change_is_on_disk_when_it_is_answered() {
    let bench = Bench::open(&[("a.rs", "1\n")]).await;
    in_time(bench.ok("editor.open", json!({"path": "a.rs"}))).await;
    let saved = bench.dispatcher().state().store().entries().unwrap();
    assert!(saved["layout"].contains_key("editor:a.rs"), "{saved:?}");
    assert_eq!(saved["space"]["revision"], "1");
}

//! Pausing and disconnecting agents, agreeing to them, and what an agent may say of that: nothing.

use std::time::Duration;

use openspace_command::{Call, Caller, CallerKind, Progress};
use openspace_workspace::{
    agents::{Transport, settings::ConsentMode},
    consents::ConsentsPart,
    registry,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, Settings, agent, in_time, until};

fn caller(name: &str, session: Option<&str>) -> Caller {
    Caller::new(CallerKind::Agent, name, session)
}

async fn answer(bench: &Bench, caller: &Caller, command: &str, args: Value) -> Value {
    bench.reply(caller.clone(), command, args).await.to_value()
}

async fn kind(bench: &Bench, caller: &Caller) -> Value {
    answer(bench, caller, "pane.list", json!({})).await["kind"].clone()
}

async fn asking(patience: Duration) -> Bench {
    let mut settings = Settings::default();
    settings.agents.consent = ConsentMode::Ask { patience };
    Bench::with(settings, &[("a.txt", "one\n")]).await
}

#[tokio::test]
async fn no_agent_and_no_bridge_decides_about_agents() {
    let bench = Bench::open(&[]).await;
    bench.call("pane.list", json!({})).await;
    let bridge = Caller::new(CallerKind::Bridge, "bridge", None);
    let mut tried = Vec::new();
    for definition in registry().all() {
        let area = definition.id.split('.').nth(1).unwrap();
        if !["agent", "consent"].contains(&area) {
            continue;
        }
        let args = match area {
            "consent" if definition.id.ends_with("list") => json!({}),
            "consent" => json!({"client": "opencode"}),
            _ if definition.id.ends_with("list") => json!({}),
            _ => json!({"agentId": "opencode"}),
        };
        for who in [caller("opencode", Some("other")), bridge.clone()] {
            let refused = answer(&bench, &who, &definition.id, args.clone()).await;
            assert_eq!(refused["kind"], "denied", "{}: {refused}", definition.id);
        }
        // Nor by way of another command.
        let run = json!({"command": definition.id, "args": args});
        let refused = answer(&bench, &caller("opencode", Some("other")), "command.run", run).await;
        assert_eq!(refused["success"], false, "{}: {refused}", definition.id);
        tried.push(definition.id.trim_start_matches("openspace.").to_owned());
    }
    tried.sort();
    let all = [
        "agent.admit",
        "agent.clean_up",
        "agent.disconnect",
        "agent.list",
        "agent.pause",
        "agent.stop",
        "consent.give",
        "consent.list",
        "consent.revoke",
    ];
    assert_eq!(tried, all);
}

#[tokio::test]
async fn a_paused_agent_is_told_so_until_it_may_go_on_and_across_a_restart() {
    let mut bench = Bench::open(&[]).await;
    let one = caller("claude", Some("s1"));
    assert_eq!(kind(&bench, &one).await, Value::Null);
    let paused = bench.as_person("agent.pause", json!({"agentId": "claude#s1"})).await;
    let expected =
        json!({"success": true, "agentId": "claude#s1", "paused": true, "disconnected": false});
    assert_eq!(paused, expected);
    let refused = answer(&bench, &one, "pane.list", json!({})).await;
    let expected = json!({
        "success": false, "kind": "busy", "error": "a person paused `claude`; nothing was done",
        "hint": "wait until the person lets you go on, then call again",
    });
    assert_eq!(refused, expected);
    assert_eq!(kind(&bench, &agent()).await, Value::Null, "others go on");
    let told = bench.attach().snapshot.parts["agents"]["claude#s1"]["paused"].clone();
    assert_eq!(told, true);
    bench.restart().await;
    assert_eq!(kind(&bench, &one).await, "busy");
    bench.as_person("agent.pause", json!({"agentId": "claude#s1", "paused": false})).await;
    assert_eq!(kind(&bench, &one).await, Value::Null);
}

#[tokio::test]
async fn a_pause_is_not_shaken_off_by_reconnecting() {
    let bench = Bench::open(&[]).await;
    let agents = bench.dispatcher().state().agents();
    let (one, two) = (caller("claude", Some("s1")), caller("claude", Some("s2")));
    let session = agents.connected(&one, "claude", Transport::Http);
    let beside = agents.connected(&two, "claude", Transport::Http);
    bench.as_person("agent.pause", json!({"agentId": "claude#s1"})).await;
    assert_eq!(kind(&bench, &two).await, Value::Null, "another session of its client is not it");
    drop((session, beside));
    let three = caller("claude", Some("s3"));
    let _session = agents.connected(&three, "claude", Transport::Http);
    assert_eq!(kind(&bench, &three).await, "busy");
    assert_eq!(kind(&bench, &one).await, Value::Null, "it went over");
}

#[tokio::test]
async fn what_runs_goes_on_while_its_agent_is_paused() {
    let bench = Bench::open(&[]).await;
    let one = caller("claude", Some("s1"));
    let wait = json!({"command": "touch begun; until [ -e go ]; do sleep 0.01; done; echo done"});
    let call = Call::new(one.clone(), "workspace.bash", wait);
    let dispatcher = bench.dispatcher().clone();
    let running = tokio::spawn(async move { dispatcher.dispatch(call).await });
    until(|| bench.place("begun").exists()).await;
    bench.as_person("agent.pause", json!({"agentId": "claude"})).await;
    bench.put("go", "");
    let ended = in_time(running).await.unwrap().to_value();
    assert_eq!(ended["stdout"], "done\n");
}

#[tokio::test]
async fn a_disconnected_agent_is_out_until_it_is_let_in_or_begins_anew() {
    let mut bench = Bench::open(&[("a.txt", "one\n")]).await;
    let (one, stateless) = (caller("claude", Some("s1")), caller("codex", None));
    for who in [&one, &stateless] {
        answer(&bench, who, "editor.open", json!({"path": "a.txt", "newPane": true})).await;
    }
    let done = bench.as_person("agent.disconnect", json!({"agentId": "claude"})).await;
    let expected = json!({"success": true, "calls": 0, "agentId": "claude#s1",
        "ended": ["tab/editor:a.txt", "pane/p2"], "kept": [], "newSessionIsLetIn": true});
    assert_eq!(done, expected);
    let refused = answer(&bench, &one, "pane.list", json!({})).await;
    assert_eq!(
        (&refused["kind"], &refused["error"]),
        (&json!("denied"), &json!("a person disconnected `claude`; nothing was done"))
    );
    assert_eq!(kind(&bench, &caller("claude", Some("s2"))).await, Value::Null, "it began anew");
    let done = bench.as_person("agent.disconnect", json!({"agentId": "codex"})).await;
    assert_eq!(done["newSessionIsLetIn"], false, "it has none");
    bench.restart().await;
    for who in [&one, &stateless] {
        assert_eq!(kind(&bench, who).await, "denied", "after a restart too");
        let id = openspace_workspace::agents::agent_id(who);
        bench.as_person("agent.admit", json!({"agentId": id})).await;
        assert_eq!(kind(&bench, who).await, Value::Null);
    }
}

#[tokio::test]
async fn agents_are_listed_with_what_they_brought_and_found_by_a_name_that_one_has() {
    let bench = Bench::open(&[("a.txt", "one\n")]).await;
    let agents = bench.dispatcher().state().agents();
    let (one, two) = (caller("claude", Some("s1")), caller("claude", Some("s2")));
    let session = agents.connected(&one, "claude 2", Transport::Http);
    answer(&bench, &one, "editor.open", json!({"path": "a.txt"})).await;
    drop(session);
    let _session = agents.connected(&two, "claude 2", Transport::Http);
    let _stream = agents.stream(&two);
    let listed = bench.as_person("agent.list", json!({})).await["agents"].clone();
    let brought = json!([{"kind": "tab", "id": "editor:a.txt", "stays": null}]);
    let expected = json!([
        {"agentId": "claude#s1", "connected": false, "paused": false, "disconnected": false,
            "name": null, "running": 0, "brought": brought, "goesAt": null},
        {"agentId": "claude#s2", "connected": true, "paused": false, "disconnected": false,
            "name": "claude 2", "running": 0, "brought": [], "goesAt": null},
    ]);
    assert_eq!(listed, expected, "a session that began since keeps it");
    let several = bench.as_person("agent.pause", json!({"agentId": "claude"})).await;
    assert_eq!(
        (&several["kind"], &several["hint"]),
        (&json!("conflict"), &json!("use an id: claude#s1, claude#s2"))
    );
    let unknown = bench.as_person("agent.stop", json!({"agentId": "gemini"})).await;
    assert_eq!(
        (&unknown["kind"], &unknown["hint"]),
        (&json!("not_found"), &json!("agents: claude#s1, claude#s2"))
    );
    let text = bench.reply(crate::support::person(), "agent.list", json!({})).await.to_text();
    assert_eq!(
        text,
        "claude#s1: gone; brought tab/editor:a.txt\nclaude#s2: connected; brought nothing"
    );
}

#[tokio::test]
async fn a_client_that_nobody_agreed_to_only_looks() {
    let bench = asking(Duration::from_millis(1)).await;
    for (command, args) in [
        ("pane.list", json!({})),
        ("file.read", json!({"path": "a.txt"})),
        ("editor.open", json!({"path": "a.txt"})),
    ] {
        assert_eq!(bench.call(command, args).await["success"], true, "{command}");
    }
    let args = json!({"path": "b.txt", "content": "x"});
    let refused = bench.call("file.write", args.clone()).await;
    let expected = json!({
        "success": false, "kind": "unanswered",
        "error": "nobody has agreed yet that `opencode` does more than look; nothing was done",
        "hint": "a person agrees with `openspace consent give opencode`; call again then",
    });
    assert_eq!(refused, expected);
    assert_eq!(bench.as_person("file.write", args.clone()).await["success"], true, "people may");
    let part = json!(bench.attach().snapshot.parts["consents"]["opencode"]);
    assert_eq!((&part["state"], &part["by"]), (&json!("asked"), &json!("opencode")));
    let given = bench.as_person("consent.give", json!({"client": "opencode"})).await;
    assert_eq!((&given["state"], &given["by"]), (&json!("given"), &json!("browser")));
    let args = json!({"path": "c.txt", "content": "x"});
    assert_eq!(bench.call("file.write", args).await["success"], true);
    let refused =
        answer(&bench, &caller("other", None), "workspace.bash", json!({"command": "true"})).await;
    assert_eq!(refused["kind"], "unanswered", "each client for itself");
}

#[tokio::test]
async fn a_call_that_waits_goes_on_when_somebody_agrees_and_fails_when_they_do_not() {
    let bench = asking(Duration::from_hours(1)).await;
    for (answer, expected) in [("consent.give", Value::Null), ("consent.revoke", json!("denied"))] {
        let name = format!("client of {answer}").replace('.', " ");
        let (reports, mut progress) = tokio::sync::mpsc::channel(1);
        let call = Call::new(caller(&name, None), "workspace.bash", json!({"command": "true"}))
            .with_progress(Progress::to(reports));
        let dispatcher = bench.dispatcher().clone();
        let waiting = tokio::spawn(async move { dispatcher.dispatch(call).await });
        let told = in_time(progress.recv()).await.unwrap().message;
        assert_eq!(told, format!("a person has to agree to `{name}` first"));
        let said = bench.as_person(answer, json!({"client": name})).await;
        assert_eq!(said["success"], true, "{said}");
        assert_eq!(in_time(waiting).await.unwrap().to_value()["kind"], expected);
    }
}

#[tokio::test]
async fn what_was_agreed_to_is_kept_and_what_was_taken_back_holds_whatever_was_given_to_all() {
    let mut bench = Bench::open(&[]).await;
    let run = json!({"command": "true"});
    assert_eq!(bench.call("workspace.bash", run.clone()).await["success"], true, "given to all");
    assert_eq!(bench.state().part::<ConsentsPart>().len(), 0);
    bench.as_person("consent.revoke", json!({"client": "opencode"})).await;
    bench.restart().await;
    let refused = bench.call("workspace.bash", run.clone()).await;
    assert_eq!(
        (&refused["kind"], &refused["error"]),
        (&json!("denied"), &json!("a person does not agree that `opencode` does more than look"))
    );
    assert_eq!(bench.call("pane.list", json!({})).await["success"], true);
    bench.as_person("consent.give", json!({"client": "opencode"})).await;
    assert_eq!(bench.call("workspace.bash", run).await["success"], true);
    let listed = bench.as_person("consent.list", json!({})).await;
    assert_eq!(
        (&listed["asks"], &listed["clients"][0]["client"]),
        (&json!(false), &json!("opencode"))
    );
    let words = listed["words"].as_object().unwrap();
    assert_eq!(words.keys().collect::<Vec<_>>(), ["see", "change", "reach", "back"]);
    assert!(words["reach"].as_str().unwrap().contains("run as you do"), "{words:?}");
}

#[tokio::test]
async fn a_client_that_changes_its_name_again_and_again_fills_nothing() {
    let bench = asking(Duration::ZERO).await;
    for number in 0..openspace_workspace::consents::MAX_CLIENTS + 5 {
        let who = caller(&format!("n{number}"), None);
        answer(&bench, &who, "workspace.bash", json!({"command": "true"})).await;
    }
    let state = bench.state();
    let consents = state.part::<ConsentsPart>();
    assert_eq!(consents.len(), openspace_workspace::consents::MAX_CLIENTS);
}

//! What an agent brought goes with it, and nothing else.

use std::time::Duration;

use openspace_buffers::{BuffersPart, highlights::HighlightsPart};
use openspace_command::{Caller, CallerKind, Outcome};
use openspace_layout::TabKind;
use openspace_workspace::{
    agents::{
        Session, Transport,
        brought::{self, BroughtPart},
        cleanup::look,
    },
    areas::{
        layout::LayoutPart,
        terminal::{TerminalState, TerminalsPart},
    },
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    buffers::Page,
    support::{Bench, is_running, person, until},
};

const IDLE: u64 = 30 * 60 * 1000;
const GRACE: u64 = 60 * 1000;

fn caller(session: &str) -> Caller {
    Caller::new(CallerKind::Agent, "claude", Some(session))
}

/// An agent with a session and something open to it.
struct Agent<'a> {
    bench: &'a Bench,
    caller: Caller,
    session: Option<Session>,
}

impl<'a> Agent<'a> {
    fn connect(bench: &'a Bench, session: &str) -> Self {
        let caller = caller(session);
        let agents = bench.dispatcher().state().agents();
        let session = agents.connected(&caller, "claude 2", Transport::Stdio);
        Self { bench, caller, session: Some(session) }
    }

    async fn ok(&self, command: &str, args: Value) -> Value {
        let reply = self.bench.reply(self.caller.clone(), command, args).await.to_value();
        assert_eq!(reply["success"], true, "{command}: {reply}");
        reply
    }

    async fn terminal(&self) -> String {
        let made = self.ok("terminal.create", json!({})).await;
        made["terminalId"].as_str().unwrap().to_owned()
    }

    fn leave(&mut self) {
        self.session = None;
    }
}

/// What is open, highlighted and running, in words.
fn shown(bench: &Bench) -> Vec<String> {
    let state = bench.state();
    let tabs = state.part::<LayoutPart>().tabs().map(|(_, tab)| tab.name());
    let highlights = state.part::<HighlightsPart>().keys().map(|id| format!("highlight {id}"));
    let terminals = state.part::<TerminalsPart>().keys().map(|id| format!("terminal {id}"));
    let mut all: Vec<String> = tabs.chain(highlights).chain(terminals).collect();
    all.sort();
    all
}

fn things(bench: &Bench, agent: &str) -> Vec<String> {
    brought::things(&bench.state(), agent).iter().map(brought::Thing::name).collect()
}

async fn looked(bench: &Bench) {
    look(bench.dispatcher()).await;
}

#[tokio::test]
async fn what_an_agent_brought_is_noted_and_what_others_did_is_not() {
    let bench = Bench::open(&[("a.rs", "1\n2\n"), ("b.rs", "1\n"), ("mine.rs", "1\n")]).await;
    bench.as_person("editor.open", json!({"path": "mine.rs"})).await;
    bench
        .as_person(
            "editor.highlight",
            json!({"path": "mine.rs", "ranges": [{"startLine": 1, "endLine": 1}]}),
        )
        .await;
    let agent = Agent::connect(&bench, "s1");
    agent.ok("editor.open", json!({"path": "a.rs", "line": 1, "highlight": true})).await;
    agent.ok("editor.open", json!({"path": "mine.rs"})).await;
    agent.ok("editor.open", json!({"path": "mine.rs", "newPane": true})).await;
    agent.ok("pane.split", json!({"side": "below"})).await;
    agent.ok("pane.pin", json!({"paneId": "p2"})).await;
    let terminal = agent.terminal().await;
    let run = agent
        .ok("workspace.bash", json!({"command": "sleep 3111", "run_in_background": true}))
        .await;
    assert_eq!(
        things(&bench, "claude#s1"),
        [
            "pin/p2",
            "tab/editor#1:mine.rs",
            "tab/editor:a.rs",
            &format!("tab/terminal:{terminal}"),
            "pane/p2",
            "pane/p3",
            "pane/p4",
            "highlight/h2",
            &format!("terminal/{terminal}"),
            &format!("run/{}", run["run_id"].as_str().unwrap()),
        ]
    );
    let told = bench.attach().snapshot.parts["agents"]["claude#s1"]["brought"].clone();
    assert_eq!(
        told,
        json!({"pin": 1, "tab": 3, "pane": 3, "highlight": 1, "terminal": 1, "run": 1})
    );
    bench.as_person("pane.close", json!({"contentId": "a.rs"})).await;
    assert!(!things(&bench, "claude#s1").contains(&"tab/editor:a.rs".to_owned()), "it is gone");
    bench.shut_down().await;
}

#[tokio::test]
async fn a_session_that_ended_takes_its_things_along_after_a_grace_and_leaves_the_rest() {
    let bench = Bench::open(&[("a.rs", "1\n"), ("mine.rs", "1\n")]).await;
    bench.as_person("editor.open", json!({"path": "mine.rs"})).await;
    bench.as_person("terminal.create", json!({})).await;
    let other = Agent::connect(&bench, "s2");
    other
        .ok(
            "editor.highlight",
            json!({"path": "a.rs", "highlightId": "of-s2",
        "ranges": [{"startLine": 1, "endLine": 1}]}),
        )
        .await;
    let before = shown(&bench);
    let mut agent = Agent::connect(&bench, "s1");
    agent
        .ok("editor.open", json!({"path": "a.rs", "line": 1, "highlight": true, "newPane": true}))
        .await;
    agent.ok("pane.split", json!({"side": "right"})).await;
    let terminal = agent.terminal().await;
    let run = agent
        .ok("workspace.bash", json!({"command": "sleep 3112", "run_in_background": true}))
        .await;
    let pid = u32::try_from(run["pid"].as_u64().unwrap()).unwrap();
    bench.advance(1);
    agent.leave();
    bench.advance(GRACE - 1);
    looked(&bench).await;
    assert!(shown(&bench).len() > before.len(), "it may only reconnect");
    bench.advance(1);
    looked(&bench).await;
    until(|| things(&bench, "claude#s1").is_empty()).await;
    assert_eq!(shown(&bench), before);
    assert_eq!(bench.state().part::<LayoutPart>().pane_ids().len(), 2, "no empty pane is left");
    until(|| !is_running(pid)).await;
    let records = bench.audit().await;
    let cleaned =
        records.iter().find(|record| record.command == "openspace.agent.clean_up").unwrap();
    assert_eq!((cleaned.caller.id.as_str(), cleaned.outcome), ("server", Outcome::Done));
    let expected = format!(
        "clean up after claude#s1 (its session ended): tab/editor:a.rs, tab/terminal:{terminal}, pane/p3, pane/p4, highlight/h1, terminal/{terminal}, run/r1"
    );
    assert_eq!(cleaned.summary, expected);
}

#[tokio::test]
async fn an_agent_that_is_quiet_for_too_long_loses_its_things_and_one_with_an_open_stream_does_not()
{
    let bench = Bench::open(&[("a.rs", "1\n"), ("b.rs", "1\n")]).await;
    let stateless = Caller::new(CallerKind::Agent, "codex", None);
    bench.reply(stateless, "editor.open", json!({"path": "b.rs"})).await;
    let agent = Agent::connect(&bench, "s1");
    agent.ok("editor.open", json!({"path": "a.rs"})).await;
    let stream = agent.session.as_ref().unwrap().stream();
    bench.advance(IDLE - 1);
    looked(&bench).await;
    assert_eq!(shown(&bench), ["editor:a.rs", "editor:b.rs"]);
    bench.advance(1);
    looked(&bench).await;
    until(|| shown(&bench) == ["editor:a.rs"]).await;
    drop(stream);
    bench.advance(IDLE);
    looked(&bench).await;
    until(|| shown(&bench).is_empty()).await;
}

#[tokio::test]
async fn a_client_that_comes_back_in_time_loses_nothing() {
    let bench = Bench::open(&[("a.rs", "1\n"), ("b.rs", "1\n")]).await;
    let mut agent = Agent::connect(&bench, "s1");
    agent.ok("editor.open", json!({"path": "a.rs"})).await;
    agent.leave();
    bench.advance(GRACE - 1);
    let again = Agent::connect(&bench, "s1");
    let _stream = again.session.as_ref().unwrap().stream();
    bench.advance(10 * IDLE);
    looked(&bench).await;
    assert_eq!(shown(&bench), ["editor:a.rs"], "the same session");
    drop(again);

    bench.advance(GRACE - 1);
    let mut next = Agent::connect(&bench, "s2");
    let stream = next.session.as_ref().unwrap().stream();
    next.ok("editor.open", json!({"path": "b.rs"})).await;
    bench.advance(10 * IDLE);
    looked(&bench).await;
    assert_eq!(shown(&bench), ["editor:a.rs", "editor:b.rs"], "a new session of the same client");
    drop(stream);
    next.leave();
    bench.advance(GRACE);
    looked(&bench).await;
    until(|| shown(&bench).is_empty()).await;
}

#[tokio::test]
async fn after_a_restart_those_who_never_come_back_are_waited_for_as_long_as_for_the_quiet() {
    let mut bench = Bench::open(&[("a.rs", "1\n"), ("b.rs", "1\n")]).await;
    {
        let (gone, back) = (Agent::connect(&bench, "gone"), Agent::connect(&bench, "back"));
        gone.ok("editor.open", json!({"path": "a.rs"})).await;
        gone.terminal().await;
        gone.ok("workspace.bash", json!({"command": "sleep 3113", "run_in_background": true}))
            .await;
        back.ok("editor.open", json!({"path": "b.rs"})).await;
    }
    bench.restart().await;
    let things_of_gone = ["tab/editor:a.rs", "tab/terminal:t1", "pane/p2", "terminal/t1"];
    assert_eq!(things(&bench, "claude#gone"), things_of_gone, "no run outlives a server");
    let other = Caller::new(CallerKind::Agent, "codex", Some("x"));
    bench.reply(other, "pane.list", json!({})).await;
    bench.advance(IDLE - 1);
    looked(&bench).await;
    assert_eq!(shown(&bench), ["editor:a.rs", "editor:b.rs", "terminal t1", "terminal:t1"]);
    bench.advance(1);
    looked(&bench).await;
    until(|| shown(&bench).is_empty()).await;
}

#[tokio::test]
async fn what_a_person_took_to_stays() {
    let files = [("typed.rs", "1\n"), ("pinned.rs", "1\n"), ("own-pin.rs", "1\n")];
    let bench = Bench::open(&files).await;
    let mut agent = Agent::connect(&bench, "s1");
    for path in ["typed.rs", "pinned.rs", "own-pin.rs"] {
        agent.ok("editor.open", json!({"path": path, "newPane": path != "typed.rs"})).await;
    }
    let (shared, alone) = (agent.terminal().await, agent.terminal().await);
    let send = json!({"terminalId": shared, "text": "echo mine\n"});
    bench.as_person("terminal.send", send).await;
    agent.ok("terminal.send", json!({"terminalId": alone, "text": "echo its own\n"})).await;
    bench.as_person("pane.pin", json!({"paneId": "p2"})).await;
    agent.ok("pane.pin", json!({"paneId": "p3"})).await;
    let mut page = Page::join(&bench);
    page.open("typed.rs", "1\n", "x1\n").await;
    let saved = bench.as_person("file.save", json!({"path": "typed.rs", "content": "x1\n"})).await;
    assert_eq!(saved["success"], true, "{saved}");
    until(|| bench.state().part::<BuffersPart>().is_empty()).await;
    agent.leave();
    bench.advance(GRACE);
    looked(&bench).await;
    until(|| bench.state().part::<BroughtPart>().is_empty()).await;
    let terminal = format!("terminal {shared}");
    let tab = format!("terminal:{shared}");
    assert_eq!(shown(&bench), ["editor:pinned.rs", "editor:typed.rs", &terminal, &tab]);
    let records = bench.state().part::<TerminalsPart>().values().cloned().collect::<Vec<_>>();
    assert!(records.iter().all(openspace_workspace::areas::terminal::TerminalRecord::is_running));
    let cleaned = bench.audit().await.into_iter();
    let cleaned: Vec<_> =
        cleaned.filter(|record| record.command == "openspace.agent.clean_up").collect();
    assert_eq!(cleaned.len(), 1, "once: {cleaned:?}");
}

#[tokio::test]
async fn a_tab_follows_its_file_and_what_others_moved_stays_theirs() {
    let bench = Bench::open(&[("a.rs", "1\n"), ("mine.rs", "1\n")]).await;
    bench.as_person("editor.open", json!({"path": "mine.rs"})).await;
    let mut agent = Agent::connect(&bench, "s1");
    agent.ok("editor.open", json!({"path": "a.rs"})).await;
    for (from, to) in [("a.rs", "b.rs"), ("mine.rs", "yours.rs")] {
        agent.ok("file.move", json!({"from": from, "to": to})).await;
    }
    assert_eq!(things(&bench, "claude#s1"), ["tab/editor:b.rs"]);
    agent.leave();
    bench.advance(GRACE);
    looked(&bench).await;
    until(|| shown(&bench) == ["editor:yours.rs"]).await;
}

#[tokio::test]
async fn an_agent_ends_its_own_things_and_nobody_elses() {
    let bench = Bench::open(&[("a.rs", "1\n"), ("b.rs", "1\n")]).await;
    let (one, other) = (Agent::connect(&bench, "s1"), Agent::connect(&bench, "s2"));
    one.ok("editor.open", json!({"path": "a.rs"})).await;
    other.ok("editor.open", json!({"path": "b.rs"})).await;
    let args = json!({"agentId": "claude#s2"});
    let refused = bench.reply(one.caller.clone(), "agent.clean_up", args).await.to_value();
    assert_eq!(
        (&refused["kind"], &refused["error"]),
        (&json!("denied"), &json!("only a person decides about agents"))
    );
    let args = json!({"agentId": "claude#s1", "things": ["tab/editor:b.rs"]});
    let cleaned = bench.reply(one.caller.clone(), "agent.clean_up", args).await.to_value();
    assert_eq!(cleaned["ended"], json!([]), "it is not its own");
    let cleaned = one.ok("agent.clean_up", json!({})).await;
    assert_eq!(cleaned["ended"], json!(["tab/editor:a.rs"]));
    assert_eq!(shown(&bench), ["editor:b.rs"]);
}

#[tokio::test]
async fn a_run_that_ended_by_itself_is_forgotten() {
    let bench = Bench::open(&[]).await;
    let agent = Agent::connect(&bench, "s1");
    agent.ok("workspace.bash", json!({"command": "true", "run_in_background": true})).await;
    until(|| things(&bench, "claude#s1").is_empty()).await;
}

#[tokio::test]
async fn with_no_idle_time_only_an_end_counts() {
    let mut settings = crate::support::Settings::default();
    settings.agents.idle = None;
    settings.agents.grace = Duration::ZERO;
    let bench = Bench::with(settings, &[("a.rs", "1\n")]).await;
    let mut agent = Agent::connect(&bench, "s1");
    agent.ok("editor.open", json!({"path": "a.rs"})).await;
    bench.advance(1_000 * IDLE);
    looked(&bench).await;
    assert_eq!(shown(&bench), ["editor:a.rs"]);
    agent.leave();
    until(|| shown(&bench).is_empty()).await;
}

#[tokio::test]
async fn stopping_ends_programs_and_leaves_what_they_ran_in() {
    let bench = Bench::open(&[]).await;
    let agent = Agent::connect(&bench, "s1");
    let (own, shared) = (agent.terminal().await, agent.terminal().await);
    bench.as_person("terminal.send", json!({"terminalId": shared, "text": "echo hi\n"})).await;
    let run = agent
        .ok("workspace.bash", json!({"command": "sleep 3114", "run_in_background": true}))
        .await;
    let dispatcher = bench.dispatcher().clone();
    let call = openspace_command::Call::new(
        agent.caller.clone(),
        "workspace.bash",
        json!({"command": "touch begun; sleep 3115"}),
    );
    let running = tokio::spawn(async move { dispatcher.dispatch(call).await });
    until(|| bench.place("begun").exists()).await;
    let stopped = bench.as_person("agent.stop", json!({"agentId": "claude"})).await;
    assert_eq!(stopped["calls"], 1, "{stopped}");
    assert_eq!(stopped["stopped"], json!([format!("terminal/{own}"), "run/r1"]));
    assert_eq!(stopped["kept"], json!([format!("terminal/{shared}")]));
    let ended = running.await.unwrap().to_value();
    assert_eq!(
        (&ended["kind"], &ended["error"]),
        (
            &json!("cancelled"),
            &json!(
                "a person stopped what this agent runs; whether this call took effect is unknown"
            )
        )
    );
    let pid = u32::try_from(run["pid"].as_u64().unwrap()).unwrap();
    until(|| !is_running(pid)).await;
    let state_of = |id: &str| {
        bench.state().part::<TerminalsPart>().get(&id.parse().unwrap()).unwrap().state.clone()
    };
    until(|| matches!(state_of(&own), TerminalState::Exited { .. })).await;
    assert!(matches!(state_of(&shared), TerminalState::Running { .. }));
    agent.ok("pane.list", json!({})).await;
    let reply = bench.reply(person(), "terminal.read_output", json!({"terminalId": own})).await;
    assert!(reply.result.is_ok(), "what it showed is still there");
    assert!(bench.state().part::<LayoutPart>().find_tab(TabKind::Terminal, &own).is_some());
    bench.shut_down().await;
}

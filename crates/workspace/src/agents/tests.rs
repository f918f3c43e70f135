//! Who is connected, by example.

use std::sync::atomic::{AtomicU64, Ordering};

use openspace_space::{Attached, Listener, Space, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::parts;

struct Stage {
    _folder: TempDir,
    space: Arc<Space>,
    agents: Arc<Agents>,
    clock: Arc<AtomicU64>,
}

fn stage() -> Stage {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(Store::open(&folder.path().join("space.db")).unwrap());
    let space = Arc::new(Space::restore(store, "boot".into(), &parts(), Vec::new()).unwrap());
    let clock = Arc::new(AtomicU64::new(1_000));
    let time = Arc::clone(&clock);
    let now: Now = Arc::new(move || time.load(Ordering::Relaxed));
    let counts = Arc::new(Counts::new(&crate::registry()));
    let agents = Agents::new(&space, now, AgentSettings::default(), counts);
    Stage { _folder: folder, space, agents, clock }
}

impl Stage {
    fn part(&self) -> Value {
        json!(self.space.snapshot().parts["agents"])
    }

    fn listen(&self) -> Listener {
        let Attached::Fresh(_, listener) = self.space.attach(None) else {
            panic!("nothing is fresh")
        };
        listener
    }

    fn start(&self, call: u64, caller: &Caller) {
        let record = serde_json::from_value(json!({
            "at": 0, "caller": caller, "command": "openspace.pane.list", "workspace": null,
            "summary": "list panes", "paths": [], "outcome": "done", "error": null, "micros": 0,
        }));
        self.agents.started(call, &record.unwrap());
    }
}

fn agent(name: &str, session: Option<&str>) -> Caller {
    Caller::new(CallerKind::Agent, name, session)
}

#[tokio::test]
async fn a_session_with_an_open_stream_is_connected_until_it_is_dropped() {
    let stage = stage();
    let session =
        stage.agents.connected(&agent("claude", Some("s1")), "claude 2.1", Transport::Stdio);
    let _stream = session.stream();
    stage.clock.fetch_add(10 * FORGOTTEN_AFTER, Ordering::Relaxed);
    let claude = json!({"name": "claude 2.1", "transport": "stdio", "connectedAt": 1_000,
        "lastCallAt": null, "calls": 0, "running": [],
        "paused": false, "disconnected": false, "brought": {}});
    assert_eq!(stage.part(), json!({"claude#s1": claude}));
    drop(session);
    assert_eq!(stage.part(), json!({}));
}

#[tokio::test]
async fn a_session_that_falls_silent_is_gone_and_comes_back_with_its_next_call() {
    let stage = stage();
    let caller = agent("opencode", Some("s1"));
    let session = stage.agents.connected(&caller, "opencode 1", Transport::Http);
    stage.start(1, &caller);
    stage.agents.ended(1);
    let stream = session.stream();
    stage.clock.fetch_add(10 * FORGOTTEN_AFTER, Ordering::Relaxed);
    assert_eq!(stage.part()["opencode#s1"]["calls"], json!(1), "a stream is open");
    drop(stream);
    stage.clock.fetch_add(FORGOTTEN_AFTER - 1, Ordering::Relaxed);
    assert_eq!(stage.part()["opencode#s1"]["calls"], json!(1), "it was there just now");
    stage.clock.fetch_add(1, Ordering::Relaxed);
    assert_eq!(stage.part(), json!({}));

    let mut view = stage.listen();
    stage.start(2, &caller);
    let told = view.next().await.unwrap().patch::<AgentsPart>().unwrap();
    let last_call = 1_000 + 11 * FORGOTTEN_AFTER;
    let running = json!({"callId": 2, "command": "openspace.pane.list", "summary": "list panes",
        "startedAt": last_call});
    let opencode = json!({"name": "opencode 1", "transport": "http", "connectedAt": 1_000,
        "lastCallAt": last_call, "calls": 2, "running": [running],
        "paused": false, "disconnected": false, "brought": {}});
    assert_eq!(json!(told), json!({"put": {"opencode#s1": opencode}}), "it is the one it was");
    stage.agents.ended(2);
    stage.clock.fetch_add(FORGOTTEN_AFTER, Ordering::Relaxed);
    assert_eq!(stage.part(), json!({}));
    drop(session.stream());
    assert_eq!(stage.part()["opencode#s1"]["calls"], json!(2), "any word of it will do");
    drop(session);
    assert_eq!(stage.part(), json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_view_is_told_of_an_agent_that_vanished_although_nothing_happens() {
    let stage = stage();
    let _session = stage.agents.connected(&agent("a", Some("1")), "a", Transport::Http);
    let mut view = stage.listen();
    stage.clock.fetch_add(FORGOTTEN_AFTER, Ordering::Relaxed);
    let told = view.next().await.unwrap().patch::<AgentsPart>();
    assert_eq!(json!(told), json!({"removed": ["a#1"]}));
}

#[tokio::test]
async fn sessions_that_vanished_make_room_first() {
    let stage = stage();
    let connect =
        |name: &str| stage.agents.connected(&agent(name, Some("1")), name, Transport::Http);
    let vanished = connect("vanished");
    stage.clock.fetch_add(FORGOTTEN_AFTER, Ordering::Relaxed);
    let _others: Vec<_> = (0..MAX_AGENTS).map(|number| connect(&format!("n{number}"))).collect();
    assert_eq!(stage.agents.list().len(), MAX_AGENTS);
    // A stream of one that was forgotten opens nothing and closes nobody's.
    drop(vanished.stream());
    drop(vanished);
    assert_eq!(stage.agents.list().len(), MAX_AGENTS);
}

#[tokio::test]
async fn an_agent_without_a_session_is_connected_while_it_was_heard_of_lately() {
    let stage = stage();
    stage.agents.seen(&agent("codex", None), "codex 1", Transport::Http);
    stage.clock.fetch_add(FORGOTTEN_AFTER - 1, Ordering::Relaxed);
    stage.start(7, &agent("codex", None));
    stage.clock.fetch_add(FORGOTTEN_AFTER + 5, Ordering::Relaxed);
    let started = 1_000 + FORGOTTEN_AFTER - 1;
    let running = json!({"callId": 7, "command": "openspace.pane.list", "summary": "list panes",
        "startedAt": started});
    let codex = json!({"name": "codex 1", "transport": "http", "connectedAt": 1_000,
        "lastCallAt": started, "calls": 1, "running": [running],
        "paused": false, "disconnected": false, "brought": {}});
    assert_eq!(stage.part(), json!({"codex": codex}), "a call runs, so it is there");
    stage.agents.ended(7);
    stage.clock.fetch_add(FORGOTTEN_AFTER, Ordering::Relaxed);
    assert_eq!(stage.part(), json!({}));
    assert_eq!(stage.agents.list(), AgentRecords::new());
}

#[tokio::test]
async fn callers_that_are_no_agents_are_not_shown() {
    let stage = stage();
    for kind in [CallerKind::Person, CallerKind::Script, CallerKind::Bridge] {
        stage.start(1, &Caller::new(kind, "somebody", None));
    }
    stage.start(2, &agent("direct", None));
    let part = stage.part();
    assert_eq!(part.as_object().unwrap().keys().collect::<Vec<_>>(), ["direct"]);
    assert_eq!(
        (&part["direct"]["transport"], &part["direct"]["calls"]),
        (&json!("other"), &json!(1))
    );
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_told_at_once_and_many_calls_seldom() {
    let stage = stage();
    let mut view = stage.listen();
    let _session = stage.agents.connected(&agent("a", Some("1")), "a", Transport::Http);
    let first = view.next().await.unwrap();
    let first = first.read().unwrap();
    assert_eq!((first.seq, first.revision), (1, 0), "it makes no revision");
    let started = Instant::now();
    for call in 1..=500 {
        stage.start(call, &agent("a", Some("1")));
        stage.agents.ended(call);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::sleep(PACE).await;
    let told = stage.space.events().seq();
    assert!((2..=13).contains(&told), "{told} events in {:?}", started.elapsed());
    let mut last = Value::Null;
    for _ in 1..told {
        if let Some(patch) = view.next().await.unwrap().patch::<AgentsPart>() {
            last = json!(patch.put);
        }
    }
    assert_eq!(last, stage.part(), "the last word is what is so");
    assert_eq!((&last["a#1"]["calls"], &last["a#1"]["running"]), (&json!(500), &json!([])));
    let _other = stage.agents.connected(&agent("b", Some("2")), "b", Transport::Http);
    assert_eq!(stage.space.events().seq(), told + 1, "told at once");
}

#[tokio::test]
async fn there_is_a_bound_and_those_with_sessions_stay_longest() {
    let stage = stage();
    let _session = stage.agents.connected(&agent("old", Some("1")), "old", Transport::Http);
    for number in 0..(MAX_AGENTS + 20) {
        stage.clock.fetch_add(1, Ordering::Relaxed);
        stage.agents.seen(&agent(&format!("n{number}"), None), "n", Transport::Http);
    }
    let agents = stage.agents.list();
    assert_eq!(agents.len(), MAX_AGENTS);
    assert!(agents.contains_key("old#1") && agents.contains_key("n119"));
    assert!(!agents.contains_key("n0"));
    for call in 0..60 {
        stage.start(call, &agent("old", Some("1")));
    }
    assert_eq!(stage.agents.list()["old#1"].running.len(), MAX_RUNNING);
    for call in 0..60 {
        stage.agents.ended(call);
    }
    assert_eq!(stage.agents.list()["old#1"].running, []);
}

#[test]
fn a_name_has_nothing_that_is_not_seen_or_turns_others_around() {
    assert_eq!(shown("a\u{202e}b\u{7}\u{200b}c d\n"), "abc d");
    assert_eq!(shown(&"x".repeat(1_000)).len(), MAX_NAME);
}

//! Many callers at once, and a crash in the middle of it.
//!
//! Whatever a caller was told is saved must be there afterwards, whatever else happened. The time
//! is 8 seconds, or what `OPENSPACE_SOAK_SECONDS` says.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{Http, Server, Socket, eventually, marked_processes, shows};

const CALLERS: usize = 6;

/// What callers were told is saved.
#[derive(Default)]
struct Promised {
    layouts: BTreeSet<String>,
    highlights: BTreeSet<String>,
    revision: u64,
    calls: u64,
    refused: Vec<String>,
}

type Shared = Arc<Mutex<Promised>>;

fn seconds() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the one setting of this test")]
    let wanted = std::env::var("OPENSPACE_SOAK_SECONDS");
    wanted.map_or(8, |seconds| seconds.parse().unwrap())
}

/// One caller. It ends at the deadline, or when the server no longer answers.
struct Caller {
    name: String,
    http: Http,
    promised: Shared,
}

impl Caller {
    /// The answer; `None` when the server is gone.
    async fn call(&self, id: &str, arguments: Value) -> Option<Value> {
        let ask = self.http.post(&format!("/api/commands/{id}"), &arguments);
        let answer = ask.header("x-openspace-session", &self.name).try_send().await?;
        let value: Value = serde_json::from_slice(&answer.body).ok()?;
        let mut promised = self.promised.lock().unwrap();
        promised.calls += 1;
        if value["success"] != true {
            promised.refused.push(format!("{id} {arguments}: {value}"));
        }
        Some(value)
    }

    async fn work(self, round: usize, deadline: Instant) {
        let mut step = 0;
        while Instant::now() < deadline {
            step += 1;
            if self.step(round, step).await.is_none() {
                return;
            }
        }
    }

    async fn step(&self, round: usize, step: usize) -> Option<()> {
        let word = format!("{}-{round}-{step}", self.name);
        let path = format!("file{}.txt", step % 5);
        self.call("editor.open", json!({"path": path, "newPane": step.is_multiple_of(7)})).await?;
        if step.is_multiple_of(7) {
            let panes = self.call("pane.list", json!({})).await?;
            let panes = panes["panes"].as_array().unwrap();
            // Others close panes too; only what is still there can be resized or closed.
            if let Some(pane) = panes.last().filter(|_| panes.len() > 4) {
                let close = json!({"paneId": pane["id"]});
                self.tolerant("pane.close", close).await?;
            }
        }
        let saved =
            self.call("layout.save", json!({"name": format!("layout-{}", step % 20)})).await?;
        if saved["success"] == true {
            self.promised.lock().unwrap().layouts.insert(format!("layout-{}", step % 20));
        }
        let highlight = json!({"path": path, "highlightId": word, "note": word,
            "ranges": [{"startLine": 1, "endLine": 2}]});
        if step.is_multiple_of(4) && self.tolerant("editor.highlight", highlight).await? {
            self.promised.lock().unwrap().highlights.insert(word.clone());
        }
        if step.is_multiple_of(10) {
            self.terminal(&word).await?;
        }
        let panes = self.call("pane.list", json!({})).await?;
        let revision = panes["revision"].as_u64().unwrap_or_default();
        let mut promised = self.promised.lock().unwrap();
        promised.revision = promised.revision.max(revision);
        Some(())
    }

    /// A call that others may have made impossible: a conflict is no fault.
    async fn tolerant(&self, id: &str, arguments: Value) -> Option<bool> {
        let ask = self.http.post(&format!("/api/commands/{id}"), &arguments);
        let answer = ask.header("x-openspace-session", &self.name).try_send().await?;
        let value: Value = serde_json::from_slice(&answer.body).ok()?;
        let fine = [200, 404, 409].contains(&answer.status);
        assert!(fine, "{id} {arguments}: {value}");
        Some(answer.status == 200)
    }

    async fn terminal(&self, title: &str) -> Option<()> {
        let created = self.call("terminal.create", json!({"title": title})).await?;
        let id = created["terminalId"].clone();
        let text = "(trap '' HUP; sleep 3213) & echo here=$((1))\n";
        self.call("terminal.send", json!({"terminalId": id, "text": text})).await?;
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            let read = self.call("terminal.read_output", json!({"terminalId": id})).await?;
            if shows(&read, "here=1") {
                self.call("terminal.close", json!({"terminalId": id})).await?;
                return Some(());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the shell of {title} says nothing");
    }
}

/// Watches the stream: no event may be left out.
async fn watch(http: Http) -> u64 {
    let mut view = Socket::open(&http, "/api/socket").await;
    view.json().await;
    let mut seq = view.json().await["snapshot"]["seq"].as_u64().unwrap();
    while let Some(message) = view.next().await {
        let event: Value = serde_json::from_slice(&message.into_data()).unwrap();
        seq += 1;
        assert_eq!(event["seq"], seq);
    }
    seq
}

async fn check(server: &Server, promised: &Shared) {
    let state = server.http.get("/api/state").send().await.json();
    let promised = promised.lock().unwrap();
    let keys = |part: &str| -> BTreeSet<String> {
        state["parts"][part].as_object().unwrap().keys().cloned().collect()
    };
    let (layouts, highlights) = (keys("layouts"), keys("highlights"));
    let lost: Vec<&String> = promised.layouts.difference(&layouts).collect();
    assert!(lost.is_empty(), "layouts that were saved are gone: {lost:?}");
    let lost: Vec<&String> = promised.highlights.difference(&highlights).collect();
    assert!(lost.is_empty(), "highlights that were made are gone: {lost:?}");
    assert!(state["revision"].as_u64().unwrap() >= promised.revision);
    assert!(promised.refused.is_empty(), "{:?}", promised.refused);
    assert!(promised.calls > 100, "only {} calls were made", promised.calls);
}

const ARGUMENTS: &[&str] = &["--max-calls-per-turn", "1000000", "--log", "warn"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_promised_is_lost_in_a_crash() {
    let half = Duration::from_secs(seconds()) / 2;
    let promised = Shared::default();
    let mut server = Server::start(ARGUMENTS).await;
    for index in 0..5 {
        server.space.file(&format!("file{index}.txt"), "one\ntwo\nthree\n");
    }
    let instance = server.space.instance();
    for round in [1, 2] {
        // The first round is cut short by a crash, so its callers would go on longer.
        let deadline = Instant::now() + if round == 1 { half * 4 } else { half };
        let mut callers = tokio::task::JoinSet::new();
        for index in 0..CALLERS {
            let (name, http) = (format!("caller{index}"), server.http.clone());
            let caller = Caller { name, http, promised: Arc::clone(&promised) };
            callers.spawn(caller.work(round, deadline));
        }
        let watcher = tokio::spawn(watch(server.http.clone()));
        if round == 1 {
            tokio::time::sleep(half).await;
            let space = server.kill().await;
            callers.join_all().await;
            watcher.await.unwrap();
            server = Server::start_in(&space, ARGUMENTS).await;
            check(&server, &promised).await;
        } else {
            callers.join_all().await;
            check(&server, &promised).await;
            server.stop().await;
            watcher.await.unwrap();
            break;
        }
    }
    eventually("the end of every program", || async {
        marked_processes(&instance).is_empty().then_some(())
    })
    .await;
}

//! How long the record is kept, and what a line of it looks like.

use std::sync::atomic::{AtomicU64, Ordering};

use openspace_space::{Store, store::Filter};
use pretty_assertions::assert_eq;

use super::*;

const START: u64 = 1_700_000_000_000;
const DAY: u64 = 24 * 60 * 60 * 1000;

fn record(at: u64, outcome: Outcome, error: Option<&str>) -> Record {
    Record {
        at,
        caller: Caller::new(CallerKind::Agent, "opencode", Some("s1")),
        command: "openspace.file.read".into(),
        workspace: None,
        summary: "read a.txt".into(),
        paths: vec!["a.txt".into()],
        let_in: None,
        outcome,
        error: error.map(str::to_owned),
        micros: 1_234,
    }
}

fn count(store: &Store) -> usize {
    store.reader().unwrap().page(&Filter::default(), None, 100).unwrap().records.len()
}

#[tokio::test(start_paused = true)]
async fn old_records_go_once_a_day_while_the_space_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&folder.path().join("space.db")).unwrap());
    let clock = Arc::new(AtomicU64::new(START));
    let now: Now = {
        let clock = Arc::clone(&clock);
        Arc::new(move || clock.load(Ordering::Relaxed))
    };
    store.record(record(START, Outcome::Done, None));
    keep_for(7, &store, &now);
    tokio::task::yield_now().await;
    store.flush().done().await.unwrap();
    assert_eq!(count(&store), 1, "the first sweep finds it young");
    clock.store(START + 7 * DAY + 1, Ordering::Relaxed);
    tokio::time::advance(SWEEP_EVERY).await;
    tokio::task::yield_now().await;
    store.close();
    assert_eq!(count(&store), 0);
}

#[tokio::test]
async fn the_sweeping_ends_with_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("space.db")).unwrap();
    let ended = store.ended();
    drop(store);
    ended.await;
}

#[test]
fn a_line_shows_what_a_person_looks_for() {
    let failed = Outcome::Failed(ErrorKind::NotFound);
    let lines = [
        Logged::heading(),
        Logged::of(1, record(START, Outcome::Done, None)).line(),
        Logged::of(2, record(START, failed, Some("there is no a.txt"))).line(),
    ];
    let expected = [
        "time                      kind    caller        outcome               took  command               what",
        "2023-11-14T22:13:20.000Z  agent   opencode      ok                  1.2 ms  file.read             read a.txt",
        "2023-11-14T22:13:20.000Z  agent   opencode      not_found           1.2 ms  file.read             read a.txt: there is no a.txt",
    ];
    assert_eq!(lines, expected);
    let trick = record(START, failed, Some("no \u{202e}txt.exe\u{1b}[2J"));
    let line = Logged::of(3, trick).line();
    assert!(line.ends_with("read a.txt: no ⟨U+202E⟩txt.exe⟨U+001B⟩[2J"), "{line}");
}

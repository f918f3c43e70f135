//! The store keeps what it was given, and never stands in the way when it cannot.

use openspace_command::{Caller, CallerKind, ErrorKind, Outcome};
use pretty_assertions::assert_eq;

use super::*;

const DAY: u64 = 24 * 60 * 60 * 1000;

fn record(at: u64, outcome: Outcome) -> Record {
    Record {
        at,
        caller: Caller::new(CallerKind::Agent, "opencode", Some("s1")),
        command: "openspace.file.read".into(),
        summary: "read a.txt".into(),
        outcome,
        error: None,
        micros: 12,
    }
}

fn part(value: &str) -> [(String, String); 1] {
    [("layout".to_owned(), value.to_owned())]
}

#[tokio::test]
async fn what_was_saved_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let store = Store::open(&path, 0).unwrap();
    store.record(record(100 * DAY, Outcome::Done));
    store.record(record(100 * DAY + 1, Outcome::Failed(ErrorKind::NotFound)));
    let _older = store.save(part("1"));
    store.save(part("2")).done().await;
    drop(store);

    let store = Store::open(&path, 100 * DAY + 2).unwrap();
    assert_eq!(store.parts().unwrap(), BTreeMap::from(part("2")));
    assert_eq!(
        store.audit(10).unwrap(),
        [
            record(100 * DAY + 1, Outcome::Failed(ErrorKind::NotFound)),
            record(100 * DAY, Outcome::Done)
        ]
    );
}

#[test]
fn records_older_than_ninety_days_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let store = Store::open(&path, 0).unwrap();
    store.record(record(DAY, Outcome::Done));
    store.record(record(50 * DAY, Outcome::Done));
    drop(store);
    let store = Store::open(&path, 120 * DAY).unwrap();
    store.close();
    assert_eq!(store.audit(10).unwrap(), [record(50 * DAY, Outcome::Done)]);
}

#[test]
fn a_file_that_is_no_database_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    #[expect(clippy::disallowed_methods, reason = "a broken file is made by hand")]
    std::fs::write(
        &path,
        "this is not a database, and it is long enough to be looked at".repeat(20),
    )
    .unwrap();
    let error = Store::open(&path, 0).err().unwrap();
    assert!(matches!(&error, StoreError::Database { path: at, .. } if *at == path), "{error}");
}

#[tokio::test]
async fn a_store_that_cannot_write_holds_nobody_up_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let store = Store::open(&path, 0).unwrap();
    // Another connection drops the table under the writer's feet, as a failing disk would.
    #[expect(clippy::disallowed_methods, reason = "the test breaks the store from outside")]
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("DROP TABLE part; DROP TABLE audit;")
        .unwrap();
    store.record(record(1, Outcome::Done));
    store.save(part("1")).done().await;
    let health = store.health();
    assert!(health.failure.is_some(), "{health:?}");
    assert_eq!(health.records_written, 0);
}

#[test]
fn records_beyond_the_bound_are_counted_as_dropped() {
    let shared = Arc::new(Shared {
        inbox: Mutex::default(),
        work: Condvar::new(),
        saved: watch::Sender::new(0),
    });
    // A store whose writer never comes.
    let store = Store { path: PathBuf::new(), shared, writer: Mutex::new(None) };
    for at in 0..MAX_WAITING_RECORDS as u64 + 5 {
        store.record(record(at, Outcome::Done));
    }
    assert_eq!(store.health().records_dropped, 5);
}

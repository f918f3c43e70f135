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
        workspace: None,
        summary: "read a.txt".into(),
        paths: vec!["a.txt".into()],
        let_in: Some("allowed by a rule".into()),
        outcome,
        error: None,
        micros: 12,
    }
}

/// Every record, newest first.
fn all(store: &Store) -> Vec<Record> {
    let page = store.reader().unwrap().page(&Filter::default(), None, 1_000).unwrap();
    page.records.into_iter().map(|(_, record)| record).collect()
}

fn entry(value: &str) -> [(String, String, Option<String>); 1] {
    [("layout".to_owned(), "p1".to_owned(), Some(value.to_owned()))]
}

#[tokio::test]
async fn what_was_saved_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let store = Store::open(&path).unwrap();
    store.record(record(100 * DAY, Outcome::Done));
    store.record(record(100 * DAY + 1, Outcome::Failed(ErrorKind::NotFound)));
    let _older = store.save(entry("1"));
    store.save(entry("2")).done().await.unwrap();
    drop(store);

    let store = Store::open(&path).unwrap();
    let saved = BTreeMap::from([("p1".to_owned(), "2".to_owned())]);
    assert_eq!(store.entries().unwrap(), BTreeMap::from([("layout".to_owned(), saved)]));
    assert_eq!(
        all(&store),
        [
            record(100 * DAY + 1, Outcome::Failed(ErrorKind::NotFound)),
            record(100 * DAY, Outcome::Done)
        ]
    );
}

#[tokio::test]
async fn expired_records_are_removed_beside_the_writing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("space.db")).unwrap();
    store.record(record(DAY, Outcome::Done));
    store.record(record(50 * DAY, Outcome::Done));
    store.flush().done().await.unwrap();
    store.expire(30 * DAY);
    store.record(record(51 * DAY, Outcome::Done));
    store.close();
    assert_eq!(all(&store), [record(51 * DAY, Outcome::Done), record(50 * DAY, Outcome::Done)]);
}

#[tokio::test]
async fn a_sweep_goes_in_small_steps_and_takes_the_paths_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let store = Store::open(&path).unwrap();
    for at in 0..25 {
        store.record(record(at, Outcome::Done));
    }
    store.close();
    #[expect(clippy::disallowed_methods, reason = "the test steps through what the writer does")]
    let connection = rusqlite::Connection::open(&path).unwrap();
    let left = || -> (u32, u32, Option<u32>) {
        let sql = "SELECT count(*), (SELECT count(*) FROM audit_path), min(at) FROM audit";
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
    };
    let mut steps = Vec::new();
    while writer::sweep(&connection, 10, 1_000, 4).unwrap() {
        steps.push(left());
    }
    assert_eq!(steps, [(21, 21, Some(4)), (17, 17, Some(8)), (15, 15, Some(10))]);
    steps.clear();
    while writer::sweep(&connection, 0, 6, 4).unwrap() {
        steps.push(left());
    }
    assert_eq!(steps, [(11, 11, Some(14)), (7, 7, Some(18)), (6, 6, Some(19))]);
}

#[tokio::test]
async fn a_flush_waits_for_every_record_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("space.db")).unwrap();
    store.flush().done().await.unwrap();
    for at in 0..200 {
        store.record(record(at, Outcome::Done));
        store.flush().done().await.unwrap();
        assert_eq!(all(&store).len() as u64, at + 1);
    }
}

#[test]
fn a_store_of_an_older_version_is_brought_up_to_date_by_its_writer_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    #[expect(clippy::disallowed_methods, reason = "an older store is made by hand")]
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(schema::STEPS[0]).unwrap();
    connection
        .execute_batch(
            "INSERT INTO audit VALUES (7, 5, 'agent', 'opencode', 's1', 'openspace.file.read',
                 'read a.txt', 'not_found', 'no such file', 12);
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(connection);
    let error = Reader::open(&path).err().unwrap();
    assert!(matches!(error, StoreError::TooOld { found: 1, known: 4, .. }), "{error}");
    let store = Store::open(&path).unwrap();
    let old = Record {
        let_in: None,
        paths: Vec::new(),
        error: Some("no such file".into()),
        ..record(5, Outcome::Failed(ErrorKind::NotFound))
    };
    assert_eq!(all(&store), [old]);
}

#[test]
fn parts_that_were_saved_whole_become_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    #[expect(clippy::disallowed_methods, reason = "an older store is made by hand")]
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(schema::STEPS[0]).unwrap();
    connection.execute_batch(schema::STEPS[1]).unwrap();
    connection
        .execute_batch(
            r#"INSERT INTO part VALUES
                 ('highlights', '{"h1": {"path": "a"}, "h2": {"path": "b"}}'), ('editors', '{oops'),
                 ('layout', '{"main": 1}'), ('counters', '{"highlight": 2, "terminal": 7}'),
                 ('buffer/src/a.rs', '{"text": "x"}'), ('revision', '41');
               PRAGMA user_version = 2;"#,
        )
        .unwrap();
    drop(connection);
    let store = Store::open(&path).unwrap();
    assert_eq!(
        serde_json::json!(store.entries().unwrap()),
        serde_json::json!({
            "buffer-text": {"src/a.rs": r#"{"text": "x"}"#},
            "highlight-counter": {"last": "2"},
            "highlights": {"h1": r#"{"path":"a"}"#, "h2": r#"{"path":"b"}"#},
            "layout": {"whole": r#"{"is":"whole","layout":{"main":1}}"#},
            "space": {"revision": "41"},
            "terminal-counter": {"last": "7"},
        })
    );
    let why = "it is not JSON".to_owned();
    assert_eq!(store.aside().unwrap(), [Aside { part: "editors".into(), key: String::new(), why }]);
}

#[test]
fn pages_hold_every_record_once_while_new_ones_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("space.db")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let add = |at| {
        store.record(record(at, Outcome::Done));
        runtime.block_on(store.flush().done()).unwrap();
    };
    (0..25).for_each(add);
    let reader = store.reader().unwrap();
    let (mut seen, mut before) = (Vec::new(), None);
    for arriving in 100.. {
        let page = reader.page(&Filter::default(), before, 4).unwrap();
        before = page.records.last().map(|(id, _)| *id);
        seen.extend(page.records.into_iter().map(|(_, record)| record.at));
        add(arriving);
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, (0..25).rev().collect::<Vec<_>>());
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
    let error = Store::open(&path).err().unwrap();
    assert!(matches!(&error, StoreError::Database { path: at, .. } if *at == path), "{error}");
}

#[tokio::test]
async fn a_store_that_cannot_write_holds_nobody_up_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let store = Store::open(&path).unwrap();
    // Another connection drops the table under the writer's feet, as a failing disk would.
    #[expect(clippy::disallowed_methods, reason = "the test breaks the store from outside")]
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("DROP TABLE entry; DROP TABLE audit;")
        .unwrap();
    store.record(record(1, Outcome::Done));
    assert!(store.save(entry("1")).done().await.is_err());
    let health = store.health();
    assert!(health.failure.is_some(), "{health:?}");
    assert_eq!(health.records_written, 0);
}

#[test]
fn records_beyond_the_bound_are_counted_as_dropped() {
    let shared = Arc::new(Shared::new());
    // A store whose writer never comes.
    let store = Store { path: PathBuf::new(), shared, writer: Mutex::new(None) };
    for at in 0..MAX_WAITING_RECORDS as u64 + 5 {
        store.record(record(at, Outcome::Done));
    }
    assert_eq!(store.health().records_dropped, 5);
}

//! The tables, and everything that reads them.

use std::{collections::BTreeMap, path::Path, time::Duration};

use openspace_command::{Caller, Outcome, Record};
use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// The version of the tables this program writes.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE part (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        caller_kind TEXT NOT NULL,
        caller TEXT NOT NULL,
        session TEXT,
        command TEXT NOT NULL,
        summary TEXT NOT NULL,
        outcome TEXT NOT NULL,
        error TEXT,
        micros INTEGER NOT NULL
    );
    CREATE INDEX audit_at ON audit (at);
";

fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError {
    move |source| StoreError::Database { path: path.to_owned(), source }
}

/// Open the database for writing; create its tables when it is new.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let failed = failed(path);
    #[expect(clippy::disallowed_methods, reason = "the store is the one home of connections")]
    let connection = Connection::open(path).map_err(&failed)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(&failed)?;
    // WAL with NORMAL loses nothing when the program dies, only when the machine does.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(&failed)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(&failed)?;
    let found: i64 =
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(&failed)?;
    match found {
        0 => connection
            .execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))
            .map_err(&failed)?,
        VERSION => {}
        found => {
            return Err(StoreError::TooNew { path: path.to_owned(), found, known: VERSION });
        }
    }
    Ok(connection)
}

fn open_for_reading(path: &Path) -> Result<Connection, StoreError> {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed(path))
}

/// The saved parts of the space.
pub(super) fn parts(path: &Path) -> Result<BTreeMap<String, String>, StoreError> {
    let failed = failed(path);
    let connection = open_for_reading(path)?;
    let mut query = connection.prepare("SELECT name, value FROM part").map_err(&failed)?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(&failed)?;
    rows.collect::<Result<_, _>>().map_err(&failed)
}

/// The newest audit records, newest first.
pub(super) fn audit(path: &Path, limit: usize) -> Result<Vec<Record>, StoreError> {
    let failed = failed(path);
    let connection = open_for_reading(path)?;
    let mut query = connection
        .prepare(
            "SELECT at, caller_kind, caller, session, command, summary, outcome, error, micros
             FROM audit ORDER BY id DESC LIMIT ?1",
        )
        .map_err(&failed)?;
    let rows =
        query.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], record).map_err(&failed)?;
    rows.collect::<Result<_, _>>().map_err(&failed)
}

fn record(row: &rusqlite::Row<'_>) -> rusqlite::Result<Record> {
    let word = |index: usize, text: String| {
        serde_json::from_value(serde_json::Value::String(text)).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(
                index,
                rusqlite::types::Type::Text,
                Box::new(error),
            )
        })
    };
    let outcome = match row.get::<_, String>(6)? {
        done if done == "done" => Outcome::Done,
        kind => Outcome::Failed(serde_json::from_value(kind.into()).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(
                6,
                rusqlite::types::Type::Text,
                Box::new(error),
            )
        })?),
    };
    Ok(Record {
        at: row.get::<_, i64>(0)?.unsigned_abs(),
        caller: Caller { kind: word(1, row.get(1)?)?, id: row.get(2)?, session: row.get(3)? },
        command: row.get(4)?,
        summary: row.get(5)?,
        outcome,
        error: row.get(7)?,
        micros: row.get::<_, i64>(8)?.unsigned_abs(),
    })
}

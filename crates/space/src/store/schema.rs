//! The tables, how older ones become these, and the opening of connections.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// The version of the tables this program writes.
const VERSION: i64 = 4;
/// So much of the log that is written ahead stays on the disk after it was moved to the tables.
const LOG_KEPT: i64 = 8 * 1024 * 1024;
/// How long a connection waits for another one.
const BUSY: Duration = Duration::from_secs(5);

/// What leads from each version to the next; a new database goes through all of them.
pub(super) const STEPS: [&str; 4] = [
    "
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
    ",
    "
    ALTER TABLE audit ADD COLUMN workspace TEXT;
    ALTER TABLE audit ADD COLUMN paths TEXT;
    CREATE INDEX audit_command ON audit (command);
    CREATE INDEX audit_caller ON audit (caller);
    CREATE INDEX audit_outcome ON audit (outcome);
    CREATE INDEX audit_workspace ON audit (workspace) WHERE workspace IS NOT NULL;
    CREATE TABLE audit_path (
        record INTEGER NOT NULL,
        path TEXT NOT NULL,
        PRIMARY KEY (record, path)
    ) WITHOUT ROWID;
    CREATE TRIGGER audit_removed AFTER DELETE ON audit BEGIN
        DELETE FROM audit_path WHERE record = old.id;
    END;
    ",
    // Parts were one value each. What is no JSON is put aside, like everything that cannot be read.
    "
    CREATE TABLE entry (
        part TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (part, key)
    ) WITHOUT ROWID;
    CREATE TABLE aside (
        id INTEGER PRIMARY KEY,
        part TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        why TEXT NOT NULL
    );
    INSERT INTO aside (part, key, value, why)
        SELECT name, '', value, 'it is not JSON' FROM part WHERE NOT json_valid(value);
    DELETE FROM part WHERE NOT json_valid(value);
    INSERT INTO entry SELECT name, each.key, each.value FROM part, json_each(part.value) AS each
        WHERE name IN ('layouts', 'editors', 'highlights', 'terminals', 'workspaces');
    INSERT INTO entry SELECT 'layout', 'whole', json_object('is', 'whole', 'layout', json(value))
        FROM part WHERE name = 'layout';
    INSERT INTO entry SELECT each.key || '-counter', 'last', each.value
        FROM part, json_each(part.value) AS each WHERE name = 'counters';
    INSERT INTO entry SELECT 'buffer-text', substr(name, 8), value FROM part WHERE name LIKE 'buffer/%';
    INSERT INTO entry SELECT 'space', 'revision', value FROM part WHERE name = 'revision';
    DROP TABLE part;
    ",
    "
    ALTER TABLE audit ADD COLUMN let_in TEXT;
    ",
];

pub(super) fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError {
    move |source| StoreError::Database { path: path.to_owned(), source }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Opening a pipe waits for ever for its other end, and no device holds tables.
fn check_file(path: &Path) -> Result<(), StoreError> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err(StoreError::NotAFile { path: path.to_owned() }),
        // What cannot be looked at cannot be opened either, and the opening says why.
        _ => Ok(()),
    }
}

/// Open the database for writing; create its tables or bring them up to date.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    check_file(path)?;
    let failed = failed(path);
    #[expect(clippy::disallowed_methods, reason = "the store is the one home of connections")]
    let connection = Connection::open(path).map_err(&failed)?;
    connection.busy_timeout(BUSY).map_err(&failed)?;
    // WAL with NORMAL loses nothing when the program dies, only when the machine does.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(&failed)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(&failed)?;
    connection.pragma_update(None, "journal_size_limit", LOG_KEPT).map_err(&failed)?;
    let found = version(&connection).map_err(&failed)?;
    let Some(steps) = usize::try_from(found).ok().and_then(|done| STEPS.get(done..)) else {
        return Err(StoreError::TooNew { path: path.to_owned(), found, known: VERSION });
    };
    if !steps.is_empty() {
        let steps = steps.concat();
        connection
            .execute_batch(&format!("BEGIN; {steps} PRAGMA user_version = {VERSION}; COMMIT;"))
            .map_err(&failed)?;
    }
    Ok(connection)
}

/// Open the database for reading; its tables must be those of this program.
pub(super) fn open_for_reading(path: &Path) -> Result<Connection, StoreError> {
    check_file(path)?;
    let failed = failed(path);
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(&failed)?;
    connection.busy_timeout(BUSY).map_err(&failed)?;
    let path = path.to_owned();
    match version(&connection).map_err(&failed)? {
        VERSION => Ok(connection),
        found if found > VERSION => Err(StoreError::TooNew { path, found, known: VERSION }),
        found => Err(StoreError::TooOld { path, found, known: VERSION }),
    }
}

//! The thread that writes. Whatever waits goes into one transaction.

use std::{collections::VecDeque, path::Path, sync::PoisonError, time::Duration};

use openspace_command::Record;
use rusqlite::{Connection, ErrorCode, params};

use super::{Inbox, Reached, Shared, reserve::Reserve, schema};

/// Records kept at most, whatever their age.
const MAX_RECORDS: u64 = 2_000_000;
/// After so many new records their number is looked at.
const COUNT_EVERY: u64 = 10_000;
/// Records removed at once: nobody waits long for the disk meanwhile.
const MAX_REMOVED: u64 = 2_000;
/// How long a record waits for others before it is written.
const GATHER: Duration = Duration::from_millis(20);
/// Pause after a failure, so that a full disk is not hammered.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// An entry by part and key, and its value unless it is to be removed.
type Saved = ((String, String), Option<String>);

/// Write until the store closes.
pub(super) fn run(path: &Path, mut connection: Connection, shared: &Shared) {
    // Whether there may be records to remove, and since when they are too old.
    let (mut sweeping, mut oldest) = (true, 0);
    let mut uncounted = 0;
    let reserve = Reserve::beside(path);
    reserve.hold();
    loop {
        let (records, entries, version, closing) = {
            let mut inbox = shared.lock();
            while !sweeping && !has_work(&inbox, shared) && !inbox.closing {
                inbox = shared.work.wait(inbox).unwrap_or_else(PoisonError::into_inner);
            }
            if let Some(expired) = inbox.expired.take() {
                (sweeping, oldest) = (true, expired);
            }
            if !sweeping && !is_awaited(&inbox, shared) {
                // Nobody waits for a record: a few go into one transaction.
                let alone = |inbox: &mut Inbox| !is_awaited(inbox, shared) && !inbox.closing;
                let waited = shared.work.wait_timeout_while(inbox, GATHER, alone);
                inbox = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let records = std::mem::take(&mut inbox.records);
            let entries: Vec<Saved> = std::mem::take(&mut inbox.entries).into_iter().collect();
            (records, entries, inbox.version, inbox.closing)
        };
        let count = records.len() as u64;
        let mut written = write(&mut connection, &records, &entries);
        if let Err(error) = &written {
            make_room(&mut connection, path, error, &reserve);
            written = write(&mut connection, &records, &entries);
            if written.is_ok() {
                reserve.hold();
            }
        }
        if let Err(error) = written {
            let first = shared.failing.borrow().is_none();
            give_back(shared, records, entries);
            shared.failing.send_replace(Some(error.to_string()));
            // Nobody waits for a disk that fails: the live state is right, only not saved.
            shared.reached.send_modify(|reached| reached.tried = version);
            if first || closing {
                tracing::error!(%error, closing, "the store cannot write");
            }
            if closing {
                break;
            }
            let open = |inbox: &mut Inbox| !inbox.closing;
            drop(shared.work.wait_timeout_while(shared.lock(), RETRY_AFTER, open));
            continue;
        }
        shared.lock().health.records_written += count;
        uncounted += count;
        if shared.failing.send_replace(None).is_some() {
            tracing::info!("the store can write again");
        }
        shared.reached.send_replace(Reached { tried: version, written: version });
        if uncounted >= COUNT_EVERY {
            (sweeping, uncounted) = (true, 0);
        }
        if sweeping {
            sweeping =
                sweep(&connection, oldest, MAX_RECORDS, MAX_REMOVED).unwrap_or_else(|error| {
                    tracing::warn!(%error, "old audit records could not be removed");
                    false
                });
        }
        let idle = {
            let inbox = shared.lock();
            inbox.records.is_empty() && inbox.entries.is_empty()
        };
        if closing && idle {
            break;
        }
    }
    // Whoever comes now waits for nobody.
    shared.reached.send_modify(|reached| reached.tried = u64::MAX);
}

/// What may help before another try. The log that is written ahead may itself be what fills the
/// disk: what it holds is moved to where it belongs, with the room held for that, and the log is cut.
/// After an error that is not about room the connection may be of no more use, and a new one is.
fn make_room(connection: &mut Connection, path: &Path, error: &rusqlite::Error, reserve: &Reserve) {
    let is_full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
    if is_full {
        reserve.release();
    }
    let moved: rusqlite::Result<()> =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    if let Err(error) = moved {
        tracing::debug!(%error, "the store's log cannot be cut now");
    }
    if is_full || error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) {
        return;
    }
    match schema::open(path) {
        Ok(new) => *connection = new,
        Err(error) => tracing::debug!(%error, "the store cannot be opened anew"),
    }
}

fn is_awaited(inbox: &Inbox, shared: &Shared) -> bool {
    !inbox.entries.is_empty() || inbox.version > shared.reached.borrow().tried
}

fn has_work(inbox: &Inbox, shared: &Shared) -> bool {
    !inbox.records.is_empty() || inbox.expired.is_some() || is_awaited(inbox, shared)
}

fn write(
    connection: &mut Connection,
    records: &VecDeque<Record>,
    entries: &[Saved],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    {
        let mut put = transaction.prepare_cached(
            "INSERT OR REPLACE INTO entry (part, key, value) VALUES (?1, ?2, ?3)",
        )?;
        let mut remove =
            transaction.prepare_cached("DELETE FROM entry WHERE part = ?1 AND key = ?2")?;
        for ((part, key), value) in entries {
            match value {
                Some(value) => put.execute(params![part, key, value])?,
                None => remove.execute(params![part, key])?,
            };
        }
        let mut add = transaction.prepare_cached(
            "INSERT INTO audit (at, caller_kind, caller, session, command, summary, outcome, error, micros, workspace, paths, let_in)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        let mut find = transaction
            .prepare_cached("INSERT OR IGNORE INTO audit_path (path, record) VALUES (?1, ?2)")?;
        for record in records {
            let kind = serde_json::to_value(record.caller.kind).unwrap_or_default();
            let paths = serde_json::to_string(&record.paths).unwrap_or_default();
            add.execute(params![
                i64::try_from(record.at).unwrap_or(i64::MAX),
                kind.as_str().unwrap_or_default(),
                record.caller.id,
                record.caller.session,
                record.command,
                record.summary,
                record.outcome.word(),
                record.error,
                i64::try_from(record.micros).unwrap_or(i64::MAX),
                record.workspace,
                (!record.paths.is_empty()).then_some(paths),
                record.let_in,
            ])?;
            let id = transaction.last_insert_rowid();
            for path in &record.paths {
                find.execute(params![path, id])?;
            }
        }
    }
    transaction.commit()
}

/// Put back what could not be written, older than what came meanwhile.
fn give_back(shared: &Shared, mut records: VecDeque<Record>, entries: Vec<Saved>) {
    let mut inbox = shared.lock();
    for (name, value) in entries {
        inbox.entries.entry(name).or_insert(value);
    }
    records.append(&mut inbox.records);
    let over = records.len().saturating_sub(super::MAX_WAITING_RECORDS);
    records.drain(..over);
    inbox.health.records_dropped += over as u64;
    inbox.records = records;
}

/// Remove some records that are too old or too many; whether there may be more of them.
pub(super) fn sweep(
    connection: &Connection,
    oldest: u64,
    most: u64,
    at_once: u64,
) -> rusqlite::Result<bool> {
    let [oldest, most, at_once] =
        [oldest, most, at_once].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    // Ids are given in order, so the distance from the newest counts the records.
    let removed = connection.execute(
        "DELETE FROM audit WHERE id IN (
             SELECT id FROM (SELECT id FROM audit WHERE at < ?1 ORDER BY at LIMIT ?3)
             UNION
             SELECT id FROM (SELECT id FROM audit
                 WHERE id <= (SELECT max(id) FROM audit) - ?2 ORDER BY id LIMIT ?3))",
        [oldest, most, at_once],
    )?;
    Ok(removed > 0)
}

//! The thread that writes. Whatever waits goes into one transaction.

use std::{collections::VecDeque, sync::PoisonError, time::Duration};

use openspace_command::Record;
use rusqlite::{Connection, params};

use super::{AUDIT_DAYS, Inbox, Shared};

/// Old records are dropped at the start and then after so many new ones.
const SWEEP_EVERY: u64 = 10_000;
/// How long a record waits for others before it is written.
const GATHER: Duration = Duration::from_millis(20);
/// Pause after a failure, so that a full disk is not hammered.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// Write until the store closes.
pub(super) fn run(mut connection: Connection, shared: &Shared, now: u64) {
    sweep(&connection, now);
    let mut since_sweep = 0;
    loop {
        let (records, parts, version, closing) = {
            let mut inbox = shared.lock();
            while inbox.records.is_empty() && inbox.parts.is_empty() && !inbox.closing {
                inbox = shared.work.wait(inbox).unwrap_or_else(PoisonError::into_inner);
            }
            if inbox.parts.is_empty() {
                // Nobody waits for a record: a few go into one transaction.
                let alone = |inbox: &mut Inbox| inbox.parts.is_empty() && !inbox.closing;
                let waited = shared.work.wait_timeout_while(inbox, GATHER, alone);
                inbox = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let records = std::mem::take(&mut inbox.records);
            let parts: Vec<_> = std::mem::take(&mut inbox.parts).into_iter().collect();
            (records, parts, inbox.version, inbox.closing)
        };
        let newest = records.back().map(|record| record.at);
        let count = records.len() as u64;
        match write(&mut connection, &records, &parts) {
            Ok(()) => {
                let mut inbox = shared.lock();
                inbox.health.records_written += count;
                inbox.health.failure = None;
                since_sweep += count;
            }
            Err(error) => {
                tracing::error!(%error, "the store cannot write");
                give_back(shared, records, parts, error.to_string());
                // Nobody waits for a disk that fails: the live state is right, only not saved.
                shared.saved.send_replace(version);
                if closing {
                    return;
                }
                std::thread::sleep(RETRY_AFTER);
                continue;
            }
        }
        shared.saved.send_replace(version);
        if let Some(newest) = newest.filter(|_| since_sweep >= SWEEP_EVERY) {
            sweep(&connection, newest);
            since_sweep = 0;
        }
        let idle = {
            let inbox = shared.lock();
            inbox.records.is_empty() && inbox.parts.is_empty()
        };
        if closing && idle {
            return;
        }
    }
}

fn write(
    connection: &mut Connection,
    records: &VecDeque<Record>,
    parts: &[(String, String)],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    {
        let mut put = transaction
            .prepare_cached("INSERT OR REPLACE INTO part (name, value) VALUES (?1, ?2)")?;
        for (name, value) in parts {
            put.execute(params![name, value])?;
        }
        let mut add = transaction.prepare_cached(
            "INSERT INTO audit (at, caller_kind, caller, session, command, summary, outcome, error, micros)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        for record in records {
            let kind = serde_json::to_value(record.caller.kind).unwrap_or_default();
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
            ])?;
        }
    }
    transaction.commit()
}

/// Put back what could not be written, older than what came meanwhile.
fn give_back(
    shared: &Shared,
    mut records: VecDeque<Record>,
    parts: Vec<(String, String)>,
    failure: String,
) {
    let mut inbox = shared.lock();
    for (name, value) in parts {
        inbox.parts.entry(name).or_insert(value);
    }
    records.append(&mut inbox.records);
    let over = records.len().saturating_sub(super::MAX_WAITING_RECORDS);
    records.drain(..over);
    inbox.health.records_dropped += over as u64;
    inbox.records = records;
    inbox.health.failure = Some(failure);
}

fn sweep(connection: &Connection, now: u64) {
    let oldest = now.saturating_sub(AUDIT_DAYS * 24 * 60 * 60 * 1000);
    let oldest = i64::try_from(oldest).unwrap_or(i64::MAX);
    if let Err(error) = connection.execute("DELETE FROM audit WHERE at < ?1", [oldest]) {
        tracing::warn!(%error, "old audit records could not be dropped");
    }
}

//! What files do not keep: the audit record and the saved entries of the space, in SQLite.
//!
//! One thread owns the only connection that writes. Callers hand over work and go on: a full disk
//! or a broken database never holds up a command and never changes its result. It is counted,
//! logged and shown by the health endpoint instead.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use openspace_command::Record;
use serde::Serialize;
use tokio::sync::watch;

mod aside;
mod log;
mod schema;
mod writer;

/// Audit records that may wait for the disk; more are dropped and counted.
const MAX_WAITING_RECORDS: usize = 20_000;

pub use aside::Aside;
pub use log::{Ended, Filter, Page, Pattern, Reader, StopOnDrop};

/// Why the store cannot be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be used.
    #[error("the store {path} cannot be used: {source}")]
    Database {
        /// Where it is.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The database was written by a newer OpenSpace.
    #[error(
        "the store {path} was written by a newer OpenSpace (version {found}, this one knows {known})"
    )]
    TooNew {
        /// Where it is.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The database was written by an older OpenSpace, and reading does not change it.
    #[error(
        "the store {path} was written by an older OpenSpace (version {found}, this one knows {known}); serving its folder once brings it up to date"
    )]
    TooOld {
        /// Where it is.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The writer's thread cannot be started.
    #[error("the store's writer cannot be started: {0}")]
    Thread(std::io::Error),
}

/// How the store is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreHealth {
    /// Audit records written since the start.
    pub records_written: u64,
    /// Audit records dropped because the disk did not keep up.
    pub records_dropped: u64,
    /// The last failure, if the store is not working now.
    pub failure: Option<String>,
}

#[derive(Default)]
struct Inbox {
    records: VecDeque<Record>,
    entries: BTreeMap<(String, String), Option<String>>,
    /// Counts hand-overs of entries; the writer says up to which it has saved.
    version: u64,
    /// Records that started before this moment are to be removed.
    expired: Option<u64>,
    closing: bool,
    health: StoreHealth,
}

struct Shared {
    inbox: Mutex<Inbox>,
    work: Condvar,
    saved: watch::Sender<u64>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The store.
pub struct Store {
    path: PathBuf,
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// A promise that what was handed over reaches the disk.
pub struct Saving {
    version: u64,
    saved: watch::Receiver<u64>,
}

impl Saving {
    /// Wait until it is saved, or until the writer has failed to.
    pub async fn done(mut self) {
        // The sender lives as long as the writer; when it is gone there is nothing to wait for.
        drop(self.saved.wait_for(|saved| *saved >= self.version).await);
    }
}

impl Store {
    /// Open or create the database and start the writer.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open(path)?;
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            work: Condvar::new(),
            saved: watch::Sender::new(0),
        });
        let writer = std::thread::Builder::new()
            .name("store".into())
            .spawn({
                let shared = Arc::clone(&shared);
                move || writer::run(connection, &shared)
            })
            .map_err(StoreError::Thread)?;
        Ok(Self { path: path.to_owned(), shared, writer: Mutex::new(Some(writer)) })
    }

    /// What is saved, by part and key.
    pub fn entries(&self) -> Result<BTreeMap<String, BTreeMap<String, String>>, StoreError> {
        aside::entries(&self.path)
    }

    /// Put entries that cannot be read where nothing overwrites them.
    pub fn put_aside(&self, entries: &[Aside]) -> Result<(), StoreError> {
        for Aside { part, key, why } in entries {
            tracing::error!(part, key, why, "a saved entry cannot be read; it is kept aside");
        }
        aside::put(&self.path, entries)
    }

    /// What was put aside, now and earlier; the newest first, at most a hundred.
    pub fn aside(&self) -> Result<Vec<Aside>, StoreError> {
        aside::list(&self.path)
    }

    /// A connection that reads the record of calls.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.path)
    }

    /// Have everything written that was handed over before.
    pub fn flush(&self) -> Saving {
        self.save::<String>([])
    }

    /// Have the records removed that started before a moment. That goes on in small steps beside
    /// the writing.
    pub fn expire(&self, before: u64) {
        self.shared.lock().expired = Some(before);
        self.shared.work.notify_one();
    }

    /// Waits for the end of the store.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut saved = self.shared.saved.subscribe();
        async move { drop(saved.wait_for(|_| false).await) }
    }

    /// Hand over entries by part and key. A newer value of an entry replaces an older one that still
    /// waits; no value removes the entry.
    pub fn save<P: Into<String>>(
        &self,
        entries: impl IntoIterator<Item = (P, String, Option<String>)>,
    ) -> Saving {
        let entries = entries.into_iter().map(|(part, key, value)| ((part.into(), key), value));
        let mut inbox = self.shared.lock();
        inbox.entries.extend(entries);
        inbox.version += 1;
        let saving = Saving { version: inbox.version, saved: self.shared.saved.subscribe() };
        drop(inbox);
        self.shared.work.notify_one();
        saving
    }

    /// Hand over an audit record.
    pub fn record(&self, record: Record) {
        let mut inbox = self.shared.lock();
        if inbox.records.len() >= MAX_WAITING_RECORDS {
            inbox.health.records_dropped += 1;
            return;
        }
        inbox.records.push_back(record);
        let first = inbox.records.len() == 1;
        drop(inbox);
        if first {
            self.shared.work.notify_one();
        }
    }

    /// How the store is doing.
    pub fn health(&self) -> StoreHealth {
        self.shared.lock().health.clone()
    }

    /// Write what waits and stop.
    pub fn close(&self) {
        self.shared.lock().closing = true;
        self.shared.work.notify_one();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer
            && writer.join().is_err()
        {
            tracing::error!("the store's writer ended badly");
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;

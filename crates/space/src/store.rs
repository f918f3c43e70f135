//! What files do not keep: the audit record and the saved entries of the space, in SQLite.
//!
//! One thread owns the only connection that writes. Callers hand over work and may wait for it. A
//! full disk or a broken database holds nobody up: what could not be written stays in memory and is
//! tried again until it is, and whoever asks is told that the store fails now.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use openspace_command::{ErrorKind, Record};
use serde::Serialize;
use tokio::sync::watch;

mod aside;
mod log;
mod reserve;
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
    /// What lies there is no file.
    #[error(
        "the store {path} is not a regular file\n  hint: remove what lies there, or choose another --state-dir"
    )]
    NotAFile {
        /// Where it is.
        path: PathBuf,
    },
    /// The writer's thread cannot be started.
    #[error("the store's writer cannot be started: {0}")]
    Thread(std::io::Error),
}

/// The store could not write what was handed over. It is kept in memory and tried again.
#[derive(Debug, thiserror::Error)]
#[error("the store cannot write")]
pub struct NotSaved;

impl From<NotSaved> for openspace_command::Error {
    fn from(cause: NotSaved) -> Self {
        Self::new(ErrorKind::NotSaved, "the server cannot write its own state now, so this would be lost when it stops; nothing was changed")
            .hint("make room on the disk that holds the server's state folder, then call again; /healthz says when it is well")
            .because(cause)
    }
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

/// Up to which hand-over everything was tried, and up to which it was written.
#[derive(Clone, Copy, Default)]
struct Reached {
    tried: u64,
    written: u64,
}

struct Shared {
    inbox: Mutex<Inbox>,
    work: Condvar,
    reached: watch::Sender<Reached>,
    /// Why nothing can be written, while that is so.
    failing: watch::Sender<Option<String>>,
}

impl Shared {
    fn new() -> Self {
        Self {
            inbox: Mutex::default(),
            work: Condvar::new(),
            reached: watch::Sender::default(),
            failing: watch::Sender::default(),
        }
    }

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
#[derive(Clone)]
#[must_use = "nobody knows whether it was saved"]
pub struct Saving {
    version: u64,
    reached: watch::Receiver<Reached>,
    failing: watch::Receiver<Option<String>>,
}

impl Saving {
    /// Wait until it is saved, or until the writer has failed to.
    pub async fn done(mut self) -> Result<(), NotSaved> {
        let reached = self.reached.wait_for(|reached| reached.tried >= self.version).await;
        match reached {
            Ok(reached) if reached.written >= self.version => Ok(()),
            // The sender lives as long as the store.
            _ => Err(NotSaved),
        }
    }

    /// Wait until it is saved, but not for a store that fails: for those who go on either way.
    pub async fn settled(mut self) {
        let mut failing = self.failing.clone();
        tokio::select! {
            _ = self.reached.wait_for(|reached| reached.tried >= self.version) => {}
            _ = failing.wait_for(Option::is_some) => {}
        }
    }
}

impl Store {
    /// Open or create the database and start the writer.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open(path)?;
        let shared = Arc::new(Shared::new());
        let writer = std::thread::Builder::new()
            .name("store".into())
            .spawn({
                let (shared, path) = (Arc::clone(&shared), path.to_owned());
                move || writer::run(&path, connection, &shared)
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
        let mut reached = self.shared.reached.subscribe();
        async move { drop(reached.wait_for(|_| false).await) }
    }

    /// Why nothing can be written, while that is so.
    pub fn failing(&self) -> watch::Receiver<Option<String>> {
        self.shared.failing.subscribe()
    }

    /// Whether something can be promised to be kept: at once when the last write went well, else as
    /// the next one ends.
    pub async fn can_write(&self) -> Result<(), NotSaved> {
        if self.shared.failing.borrow().is_none() {
            return Ok(());
        }
        self.flush().done().await
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
        let saving = Saving {
            version: inbox.version,
            reached: self.shared.reached.subscribe(),
            failing: self.shared.failing.subscribe(),
        };
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
        let failure = self.shared.failing.borrow().clone();
        StoreHealth { failure, ..self.shared.lock().health.clone() }
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

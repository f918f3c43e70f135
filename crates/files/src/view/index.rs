//! Where the lines of recently shown files are, so that the middle of a large one is found at once.
//!
//! A file is known by its identity, which changes with its content, so a changed file is counted
//! anew. A file that changed a moment ago is not remembered: clocks of file systems tick, and another
//! change within the same tick would not show.

use std::{
    fs::Metadata,
    os::unix::fs::MetadataExt as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::scan::Scan;
use crate::files::Encoding;

/// How many files are remembered. Each takes half a megabyte at most.
pub(super) const MAX_FILES: usize = 16;
/// Several times the longest tick of a file system's clock.
const SETTLED: Duration = Duration::from_millis(50);

/// Tells one state of one file from any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether any later change would show.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is compared with the clock of the file system, which no test can set"
    )]
    fn is_settled(&self, settled: Duration) -> bool {
        let (seconds, nanoseconds) = self.modified.max(self.changed);
        let at = Duration::new(
            u64::try_from(seconds).unwrap_or(0),
            u32::try_from(nanoseconds).unwrap_or(0),
        );
        SystemTime::now().duration_since(UNIX_EPOCH + at).is_ok_and(|age| age >= settled)
    }
}

/// What is remembered of a file.
struct Known {
    identity: Identity,
    encoding: Encoding,
    scan: Arc<Scan>,
}

/// Where the lines of recently shown files are. Bounded: a few files, a few megabytes.
pub struct LineIndex {
    /// The one used last is last.
    known: Mutex<Vec<Known>>,
    settled: Duration,
}

impl Default for LineIndex {
    fn default() -> Self {
        Self { known: Mutex::default(), settled: SETTLED }
    }
}

impl LineIndex {
    /// One that remembers also what changed this very moment.
    #[cfg(test)]
    pub(super) fn hasty() -> Self {
        Self { known: Mutex::default(), settled: Duration::ZERO }
    }

    /// Whether any later change of the file would show; to be asked before it is read.
    pub(super) fn is_settled(&self, identity: &Identity) -> bool {
        identity.size > 0 && identity.is_settled(self.settled)
    }

    pub(super) fn find(&self, identity: &Identity, encoding: Encoding) -> Option<Arc<Scan>> {
        let mut known = self.lock();
        let at = known
            .iter()
            .position(|known| known.identity == *identity && known.encoding == encoding)?;
        let found = known.remove(at);
        let scan = Arc::clone(&found.scan);
        known.push(found);
        Some(scan)
    }

    pub(super) fn remember(&self, identity: Identity, encoding: Encoding, scan: Arc<Scan>) {
        let mut known = self.lock();
        known.retain(|known| {
            (known.identity.device, known.identity.inode) != (identity.device, identity.inode)
        });
        if known.len() >= MAX_FILES {
            known.remove(0);
        }
        known.push(Known { identity, encoding, scan });
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

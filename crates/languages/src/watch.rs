//! Which files a server wants to hear of, and changes of files gathered until it is told.
//!
//! A build or a checkout changes thousands of files at once. What happens in a short while is told in one message, and
//! when it is too much, each root is told as changed.

use std::{collections::BTreeMap, time::Duration};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{Moment, glob::Pattern, uri::Uri};

/// How long changes are gathered.
pub(crate) const GATHERED_FOR: Duration = Duration::from_millis(100);
/// Changes in one message; of more, each root is told instead.
pub(crate) const MOST_CHANGES: usize = 1000;
/// Patterns that are kept of one server; with more it is told of everything.
pub(crate) const MOST_PATTERNS: usize = 1000;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It is there now.
    Created,
    /// It has other contents.
    Changed,
    /// It is gone.
    Deleted,
}

impl FileChange {
    fn number(self) -> u8 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
        }
    }

    fn bit(self) -> u64 {
        1 << (self.number() - 1)
    }
}

impl Serialize for FileChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

/// A file and what happened to it, as the protocol has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FileEvent {
    pub(crate) uri: Uri,
    #[serde(rename = "type")]
    pub(crate) change: FileChange,
}

/// What a server wants to hear of.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    registered: BTreeMap<String, Vec<Watcher>>,
    /// Registrations that found no room.
    overfull: bool,
}

#[derive(Debug)]
struct Watcher {
    pattern: Pattern,
    /// Bits of the kinds of change.
    kinds: u64,
}

impl Watchers {
    pub(crate) fn register(&mut self, id: &str, options: &Value) {
        self.registered.remove(id);
        let known: usize = self.registered.values().map(Vec::len).sum();
        let watchers = options["watchers"].as_array().map_or(&[][..], Vec::as_slice);
        if known + watchers.len() > MOST_PATTERNS {
            self.overfull = true;
            return;
        }
        let watcher = |said: &Value| Watcher {
            pattern: Pattern::read(&said["globPattern"]),
            kinds: said["kind"].as_u64().unwrap_or(7),
        };
        self.registered.insert(id.to_owned(), watchers.iter().map(watcher).collect());
    }

    pub(crate) fn unregister(&mut self, id: &str) {
        self.registered.remove(id);
    }

    pub(crate) fn wants(&self, uri: &Uri, change: FileChange) -> bool {
        let mut all = self.registered.values().flatten();
        self.overfull || all.any(|it| it.kinds & change.bit() != 0 && it.pattern.takes(uri))
    }

    /// The patterns as they were written.
    pub(crate) fn patterns(&self) -> Vec<&str> {
        self.registered.values().flatten().map(|it| it.pattern.text()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.registered.is_empty() && !self.overfull
    }
}

/// Changes that wait to be told.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    changes: BTreeMap<Uri, FileChange>,
    too_many: bool,
    due: Option<Moment>,
}

impl Gathered {
    pub(crate) fn note(&mut self, uri: Uri, change: FileChange, now: Moment) {
        self.due.get_or_insert(now + GATHERED_FOR);
        if self.too_many {
            return;
        }
        let before = self.changes.get(&uri).copied();
        match (before, change) {
            // It came and went before anybody heard of it.
            (Some(FileChange::Created), FileChange::Deleted) => drop(self.changes.remove(&uri)),
            (Some(FileChange::Created), _) => {}
            (Some(FileChange::Deleted), FileChange::Created) => {
                self.changes.insert(uri, FileChange::Changed);
            }
            (_, change) => drop(self.changes.insert(uri, change)),
        }
        if self.changes.len() > MOST_CHANGES {
            self.note_all(now);
        }
    }

    /// So much changed that nobody can name it.
    pub(crate) fn note_all(&mut self, now: Moment) {
        self.due.get_or_insert(now + GATHERED_FOR);
        self.too_many = true;
        self.changes.clear();
    }

    pub(crate) fn due(&self) -> Option<Moment> {
        self.due
    }

    /// Everything, due or not.
    pub(crate) fn take(&mut self, roots: &[Uri]) -> Vec<FileEvent> {
        let all = std::mem::take(self);
        if all.too_many {
            let changed = |uri: &Uri| FileEvent { uri: uri.clone(), change: FileChange::Changed };
            return roots.iter().map(changed).collect();
        }
        all.changes.into_iter().map(|(uri, change)| FileEvent { uri, change }).collect()
    }
}

#[cfg(test)]
mod tests;

//! Changes gathered until they are told: one for each path, by what was there before and is now.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use openspace_protocol::{ChangeKind, FileChange};

use crate::files::beneath::spell;

#[cfg(test)]
mod tests;

/// More changes than this are told as "look again at everything".
pub(super) const MAX_CHANGES: usize = 1_000;

#[derive(Default)]
pub(super) struct Batch {
    touched: BTreeMap<PathBuf, Seen>,
    rescan: bool,
}

struct Seen {
    before: bool,
    now: bool,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.touched.is_empty() && !self.rescan
    }

    /// Note a path: whether it was there until now, and whether it is.
    pub(super) fn note(&mut self, path: PathBuf, before: bool, now: bool) {
        if self.rescan {
            return;
        }
        self.touched.entry(path).or_insert(Seen { before, now }).now = now;
        if self.touched.len() > MAX_CHANGES {
            self.rescan();
        }
    }

    /// What was noted beneath a folder went with it.
    pub(super) fn gone_beneath(&mut self, folder: &Path) {
        for (path, seen) in self.touched.range_mut(folder.to_owned()..) {
            if !path.starts_with(folder) {
                break;
            }
            seen.now = false;
        }
    }

    /// Anything may have changed.
    pub(super) fn rescan(&mut self) {
        self.rescan = true;
        self.touched.clear();
    }

    /// What there is to tell, and whether anything may have changed besides.
    pub(super) fn take(&mut self) -> Option<(Vec<FileChange>, bool)> {
        let rescan = std::mem::take(&mut self.rescan);
        let mut changes = Vec::new();
        let mut deleted: Option<PathBuf> = None;
        for (path, seen) in std::mem::take(&mut self.touched) {
            let change = match (seen.before, seen.now) {
                (false, true) => ChangeKind::Created,
                (true, true) => ChangeKind::Changed,
                (true, false) => ChangeKind::Deleted,
                (false, false) => continue,
            };
            if deleted.as_ref().is_some_and(|folder| path.starts_with(folder)) {
                continue;
            }
            // A name that no path can spell is shown by no view.
            if let Ok(path) = spell(&path) {
                changes.push(FileChange { path, change });
            }
            if change == ChangeKind::Deleted {
                deleted = Some(path);
            }
        }
        (rescan || !changes.is_empty()).then_some((changes, rescan))
    }
}

//! The names in a folder, as a tree of files shows them: all of them, hidden and ignored ones too.
//!
//! Nothing is looked at closer but links, of which it is told where they lead. Names are no secret,
//! so rules do not matter here.

use std::{cmp::Ordering, ffi::OsString};

use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use super::{FileError, Files, Kind, smallest::Smallest};

#[cfg(test)]
mod tests;

/// One name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameEntry {
    /// The name; one that is not text is shown as near as possible, with the kind `Other`.
    pub name: String,
    /// What it is; of a link, what it leads to, and `Other` when it leads to nothing in here.
    pub kind: Kind,
    /// It is a symbolic link.
    pub link: bool,
}

/// The names in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// By name, byte for byte, and the first ones when there are too many.
    pub entries: Vec<NameEntry>,
    /// True when there are more.
    pub truncated: bool,
}

impl Files {
    /// The first names in a folder, no more than the limit. All are read, but only those are kept.
    pub fn names(
        &self,
        path: &RelPath,
        limit: usize,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Names, FileError> {
        let fail = |error| self.fail(path, error);
        let folder = self.beneath.open_folder(path.as_path()).map_err(fail)?;
        let mut first = Smallest::new(limit);
        for (count, entry) in folder.entries().map_err(fail)?.enumerate() {
            if count.is_multiple_of(1024) && cancel() {
                return Err(FileError::Cancelled);
            }
            let entry = entry.map_err(fail)?;
            let kind = entry.file_type().map_or(Kind::Other, Kind::from);
            first.push(Found { name: entry.file_name(), kind });
        }
        let truncated = first.seen() > limit as u64;
        let mut entries = Vec::new();
        for (count, Found { name, kind }) in first.into_sorted().into_iter().enumerate() {
            if count.is_multiple_of(1024) && cancel() {
                return Err(FileError::Cancelled);
            }
            let link = kind == Kind::Symlink;
            let kind = match name.to_str() {
                None => Kind::Other,
                Some(name) if link => self.leads_to(path, name),
                Some(_) => kind,
            };
            entries.push(NameEntry { name: name.to_string_lossy().into_owned(), kind, link });
        }
        Ok(Names { entries, truncated })
    }

    fn leads_to(&self, folder: &RelPath, name: &str) -> Kind {
        let found = self.beneath.metadata(&folder.as_path().join(name));
        found.map_or(Kind::Other, |metadata| metadata.file_type().into())
    }
}

/// A name before it is known where a link leads.
struct Found {
    name: OsString,
    kind: Kind,
}

/// By name alone: a folder has each name once.
impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Found {}

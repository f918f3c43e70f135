//! Listing a folder, or everything beneath it.
//!
//! One folder is shown whole. A recursive listing leaves out what `.ignore` and `.gitignore` do. Names are no secret,
//! so rules do not matter here.

use std::{
    cmp::Ordering,
    ffi::OsStr,
    ops::ControlFlow,
    path::{Component, Path, PathBuf},
};

use cap_std::fs::Dir;
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileError, Files, Kind, beneath::spell, milliseconds, smallest::Smallest, walk::walk};

#[cfg(test)]
mod tests;

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The path relative to the workspace root.
    pub path: RelPath,
    /// The last word of the path.
    pub name: String,
    /// What it is; a link is not followed.
    pub kind: Kind,
    /// The size in bytes.
    pub size: u64,
    /// When the content last changed, in milliseconds since 1970.
    pub modified: i64,
    /// True when the name is not text: what is shown is close to it and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad_name: bool,
}

/// The entries of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// Folders first, then names, at each level; what is in a folder follows it.
    pub entries: Vec<Entry>,
    /// How many entries there are, shown or not.
    pub total: u64,
    /// True when there are more entries than the limit.
    pub truncated: bool,
    /// How many folders or entries beneath could not be read.
    pub unreadable: u64,
}

impl Files {
    /// List a folder; recursively without what is ignored.
    pub fn list(
        &self,
        path: &RelPath,
        recursive: bool,
        limit: usize,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Listing, FileError> {
        let mut found = Smallest::new(limit);
        let (folder, mut unreadable) = if recursive {
            let walked = walk(self, path, cancel, |path, kind| {
                found.push(Found { path: path.to_owned(), kind });
                ControlFlow::Continue(())
            })?;
            (walked.folder, walked.unreadable)
        } else {
            self.list_one(path, cancel, &mut found)?
        };

        let mut total = found.seen();
        let mut entries = Vec::new();
        let truncated = total > limit as u64;
        for found in found.into_sorted() {
            match entry(&folder, path, &found) {
                Ok(Some(entry)) => entries.push(entry),
                // It has gone since it was seen.
                Ok(None) => total -= 1,
                Err(_) => unreadable += 1,
            }
        }
        Ok(Listing { entries, total, truncated, unreadable })
    }

    fn list_one(
        &self,
        path: &RelPath,
        cancel: &dyn Fn() -> bool,
        found: &mut Smallest<Found>,
    ) -> Result<(Dir, u64), FileError> {
        let fail = |error| self.fail(path, error);
        let folder = self.beneath().open_folder(path.as_path()).map_err(fail)?;
        let mut unreadable = 0;
        for (count, entry) in folder.entries().map_err(fail)?.enumerate() {
            if count.is_multiple_of(1024) && cancel() {
                return Err(FileError::Cancelled);
            }
            let entry = entry.map_err(fail)?;
            match entry.file_type() {
                Ok(kind) => found.push(Found { path: entry.file_name().into(), kind: kind.into() }),
                Err(_) => unreadable += 1,
            }
        }
        Ok((folder, unreadable))
    }
}

/// Look closer at an entry; `None` when it is no longer there.
fn entry(folder: &Dir, listed: &RelPath, found: &Found) -> std::io::Result<Option<Entry>> {
    let metadata = match folder.symlink_metadata(&found.path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let tail = spell(&found.path).map_err(std::io::Error::other)?;
    Ok(Some(Entry {
        name: tail.name().unwrap_or_default().to_owned(),
        path: listed.join(&tail),
        kind: metadata.file_type().into(),
        size: metadata.len(),
        modified: milliseconds(metadata.modified()?.into_std()),
        bad_name: found.path.to_str().is_none(),
    }))
}

/// An entry before anything but its kind is known.
#[derive(PartialEq, Eq)]
struct Found {
    path: PathBuf,
    kind: Kind,
}

impl Found {
    /// The words of the path, each with whether it is something other than a folder.
    fn words(&self) -> impl Iterator<Item = (bool, &OsStr)> {
        let mut words = self.path.components().map(Component::as_os_str).peekable();
        std::iter::from_fn(move || {
            let word = words.next()?;
            Some((words.peek().is_none() && self.kind != Kind::Folder, word))
        })
    }
}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.words().cmp(other.words())
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The names in a folder that are text; none when it cannot be read.
pub(super) fn names_in(files: &Files, folder: &Path) -> Vec<String> {
    let Ok(folder) = files.beneath().open_folder(folder) else { return Vec::new() };
    let Ok(entries) = folder.entries() else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

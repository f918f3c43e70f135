//! Files of one workspace: reading, writing, listing, and what is there.
//!
//! Everything stays beneath the root, whatever `..`, symlinks and races try, and everything obeys the
//! [`Rules`]: by the path as typed and again by the place that was really opened. Nothing here waits
//! on a pipe, shows binary content as text, or reports a success that did not happen.
//!
//! All functions block; asynchronous callers run them on a blocking thread.

use std::{
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::Rules;

pub(crate) mod beneath;
mod bytes;
mod copy;
pub(crate) mod decode;
mod drafts;
mod error;
mod folder;
mod hash;
mod inspect;
mod list;
mod names;
mod near;
mod read;
mod relocate;
pub(crate) mod smallest;
mod spot;
mod text;
mod trash;
pub(crate) mod twins;
pub(crate) mod walk;
mod write;

#[cfg(test)]
pub(crate) mod tests;

pub use bytes::{BytesRead, MAX_BYTES};
pub use copy::{Copied, MAX_ENTRIES};
pub use decode::LineEnding;
pub use error::{Action, FileError};
pub(crate) use hash::Hash;
pub use hash::hash;
pub use inspect::Inspected;
pub use list::{Entry, Listing};
pub use names::{NameEntry, Names};
pub(crate) use read::SNIFF_BYTES;
pub use read::{LineRange, MAX_COUNT_BYTES, MAX_READ_BYTES, TextRead, read_text};
pub use relocate::Moved;
pub use text::Encoding;
pub use trash::{MOST_ITEMS, TrashItem, Trashed};
pub(crate) use write::{Before, Put};
pub use write::{MAX_WRITE_BYTES, Written};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, where links are not followed.
    Symlink,
    /// A pipe, a socket or a device.
    Other,
}

impl From<cap_std::fs::FileType> for Kind {
    fn from(found: cap_std::fs::FileType) -> Self {
        match found {
            found if found.is_file() => Self::File,
            found if found.is_dir() => Self::Folder,
            found if found.is_symlink() => Self::Symlink,
            _ => Self::Other,
        }
    }
}

/// What is known of a path without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stat {
    /// A file, a folder or something else; links are followed.
    pub kind: Kind,
    /// The size in bytes.
    pub size: u64,
    /// When the content last changed, in milliseconds since 1970.
    pub modified: i64,
}

/// The files of one workspace.
#[derive(Debug)]
pub struct Files {
    beneath: Arc<beneath::Beneath>,
    rules: Rules,
    /// Where temporary files are noted.
    notes: Option<Arc<cap_std::fs::Dir>>,
}

impl Files {
    /// Open the folder that is the root of the workspace.
    pub fn open(root: &Path, rules: Rules) -> Result<Self, FileError> {
        let fail = |source| FileError::Root { source };
        let beneath = beneath::Beneath::open(root).map_err(fail)?;
        Ok(Self { beneath: Arc::new(beneath), rules, notes: None })
    }

    /// The same files for a person, who may see and change their own secrets.
    #[must_use]
    pub fn for_a_person(&self) -> Self {
        let (beneath, notes) = (Arc::clone(&self.beneath), self.notes.clone());
        Self { beneath, rules: self.rules.for_a_person(), notes }
    }

    /// The root, absolute and without symlinks.
    pub fn root(&self) -> &Path {
        self.beneath.root()
    }

    /// What is at a path, symlinks followed. Rules do not matter: that a file exists is no secret.
    pub fn stat(&self, path: &RelPath) -> Result<Stat, FileError> {
        let fail = |error| self.fail(path, error);
        let metadata = self.beneath.metadata(path.as_path()).map_err(fail)?;
        Ok(Stat {
            kind: metadata.file_type().into(),
            size: metadata.len(),
            modified: milliseconds(metadata.modified().map_err(fail)?.into_std()),
        })
    }

    /// Whether a regular file is there and no larger than this.
    pub fn is_small(&self, path: &RelPath, most: u64) -> bool {
        self.stat(path).is_ok_and(|stat| stat.kind == Kind::File && stat.size <= most)
    }

    /// Whether a file is there and its content may be shown, without reading it.
    pub fn may_read(&self, path: &RelPath) -> Result<(), FileError> {
        self.open_regular(path).map(drop)
    }

    /// The absolute place that a path leads to, every symlink resolved, for programs that are
    /// started by path. It is beneath the root at the time of asking.
    pub fn real_path(&self, path: &RelPath) -> Result<PathBuf, FileError> {
        let handle = self.beneath.open_place(path.as_path()).map_err(|e| self.fail(path, e))?;
        Ok(self.root().join(self.locate(path, &handle)?))
    }

    pub(crate) fn beneath(&self) -> &beneath::Beneath {
        &self.beneath
    }

    /// The rules about secret and protected paths.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where something opened really is, relative to the root.
    fn locate(&self, path: &RelPath, handle: &impl AsFd) -> Result<PathBuf, FileError> {
        self.beneath.location(handle, path.as_path()).map_err(|error| self.fail(path, error))
    }

    /// Ask the rules about a place; the error speaks of the path that the caller typed.
    fn guard(&self, action: Action, typed: &RelPath, place: &RelPath) -> Result<(), FileError> {
        let verdict = match action {
            Action::Read => self.rules.may_read(place),
            Action::Write => self.rules.may_write(place),
        };
        verdict.map_err(|rule| FileError::Forbidden {
            path: typed.clone(),
            action,
            rule: rule.to_owned(),
        })
    }

    fn guard_place(&self, action: Action, typed: &RelPath, place: &Path) -> Result<(), FileError> {
        let spelled = beneath::spell(place)
            .map_err(|source| FileError::BadPath { text: typed.to_string(), source })?;
        self.guard(action, typed, &spelled)
    }

    /// Name an error of the system; "not a folder" is said of the word that is not one.
    pub(crate) fn fail(&self, path: &RelPath, error: io::Error) -> FileError {
        let mut found = path.clone();
        if error.kind() == io::ErrorKind::NotADirectory {
            while self.beneath.metadata(found.as_path()).is_err()
                && let Some(above) = found.parent()
            {
                found = above;
            }
        }
        FileError::from_io(&found, error)
    }
}

/// Milliseconds since 1970; negative before.
fn milliseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |span| -span),
    }
}

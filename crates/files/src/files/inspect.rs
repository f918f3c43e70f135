//! What is known of a path without reading it, for whoever wants to change it later.

use std::{fs::File, path::Path};

use cap_std::fs::{Metadata, MetadataExt as _};
use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use super::{Action, FileError, Files, Kind, milliseconds};

#[cfg(test)]
mod tests;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspected {
    /// What it is; of a link, what it leads to, and `Other` when it leads to nothing in here.
    pub kind: Kind,
    /// The size in bytes.
    pub size: u64,
    /// When the content last changed, in milliseconds since 1970.
    pub modified: i64,
    /// When it was made, in milliseconds since 1970; when it last changed where that is not kept.
    pub created: i64,
    /// Differs whenever the file has changed. Only good for being compared.
    pub token: String,
    /// Nobody may write it, or the caller may not.
    pub readonly: bool,
    /// It is a symbolic link.
    pub link: bool,
    /// Where it really is, relative to the root, if that is elsewhere than its path says: links are followed.
    pub place: Option<String>,
}

/// What tells one state of a file from another without reading it. The time of the last change of
/// mode or name is left out: a file that was moved has not changed.
pub(crate) fn token(metadata: &Metadata) -> String {
    let time = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    format!("{time:x}-{:x}-{:x}", metadata.len(), metadata.ino())
}

impl Files {
    /// What is at a path. That a file exists is no secret, so rules decide only whether it can be
    /// written.
    pub fn inspect(&self, path: &RelPath) -> Result<Inspected, FileError> {
        let fail = |error| self.fail(path, error);
        let itself = self.beneath.symlink_metadata(path.as_path()).map_err(fail)?;
        let link = itself.is_symlink();
        let (metadata, place) = match self.beneath.open_place(path.as_path()) {
            Ok(handle) => (stat(&handle).map_err(fail)?, self.locate(path, &handle)?),
            // A link that leads nowhere can still be looked at, moved and deleted.
            Err(_) if link => (itself, path.as_path().to_owned()),
            Err(error) => return Err(fail(error)),
        };
        let modified = milliseconds(metadata.modified().map_err(fail)?.into_std());
        let created = metadata.created().map_or(modified, |time| milliseconds(time.into_std()));
        Ok(Inspected {
            kind: match metadata.file_type().into() {
                Kind::Symlink => Kind::Other,
                kind => kind,
            },
            size: metadata.len(),
            modified,
            created,
            token: token(&metadata),
            readonly: metadata.permissions().readonly() || self.is_closed(path, &place),
            link,
            place: (!path.is_root() && place != path.as_path())
                .then(|| place.to_string_lossy().into_owned()),
        })
    }

    fn is_closed(&self, path: &RelPath, place: &Path) -> bool {
        self.guard(Action::Write, path, path).is_err()
            || self.guard_place(Action::Write, path, place).is_err()
    }
}

fn stat(handle: &File) -> std::io::Result<Metadata> {
    Ok(Metadata::from_just_metadata(handle.metadata()?))
}

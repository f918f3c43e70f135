//! Moving a file or a folder, in one step: a reader finds it at the old place or at the new one.
//!
//! What is replaced goes to the trash first, so that nothing is lost by a move. Nothing is moved
//! between file systems.

use std::io;

use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use super::{
    Action, FileError, Files, Kind, MAX_ENTRIES,
    spot::{Spot, Taking, each_beneath},
    write::{Made, flush},
};

#[cfg(test)]
mod tests;

/// What a move did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// What was moved; a link is not followed.
    pub kind: Kind,
    /// Where in the trash that is which was there before.
    pub replaced: Option<RelPath>,
}

impl Files {
    /// Move a file or a folder. `at` is the time, in milliseconds since 1970.
    pub fn relocate(
        &self,
        from: &RelPath,
        to: &RelPath,
        overwrite: bool,
        at: u64,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Moved, FileError> {
        let (source, found) = self.spot(Action::Write, from)?;
        let mut made = Made::default();
        let target = self.new_spot(to, &mut made)?;
        apart(from, &source, to, &target)?;
        let speak =
            |path: &RelPath| path.name().is_some_and(|name| self.rules.speak_of_places(name));
        if found.is_dir() && (speak(from) || speak(to)) {
            each_beneath(from, &source, MAX_ENTRIES, cancel, &mut |way| {
                self.check_standing(&source.place.join(way), &target.place.join(way), Taking::Away)
            })?;
        }
        let replaced = self.put(from, &source, to, &target, overwrite, at)?;
        made.keep();
        for folder in [&source.folder, &target.folder] {
            flush(folder).map_err(|source| FileError::NotDurable { path: to.clone(), source })?;
        }
        Ok(Moved { kind: found.file_type().into(), replaced })
    }

    /// Bring what is at one spot to another. What is there goes to the trash, if that is wanted, and
    /// comes back when the rest fails.
    pub(super) fn put(
        &self,
        from: &RelPath,
        source: &Spot,
        to: &RelPath,
        target: &Spot,
        overwrite: bool,
        at: u64,
    ) -> Result<Option<RelPath>, FileError> {
        let exists = || FileError::Exists { path: to.clone() };
        let is_taken = target.look().map_err(|error| self.fail(to, error))?.is_some();
        if is_taken && !overwrite {
            return Err(exists());
        }
        let replaced = if is_taken { Some(self.discard(to, target, at)?) } else { None };
        let outcome = source.rename_to(target).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => exists(),
            _ => self.fail(from, error),
        });
        if let (Err(_), Some(trashed)) = (&outcome, &replaced)
            && let Err(error) = self.restore(trashed)
        {
            tracing::error!(%error, %trashed, "what was to be replaced stays in the trash");
        }
        outcome.map(|()| replaced)
    }
}

/// Refuse to put something into itself, by whatever names it is called.
pub(super) fn apart(
    from: &RelPath,
    source: &Spot,
    to: &RelPath,
    target: &Spot,
) -> Result<(), FileError> {
    if target.place.starts_with(&source.place) {
        return Err(FileError::IntoItself { from: from.clone(), to: to.clone() });
    }
    Ok(())
}

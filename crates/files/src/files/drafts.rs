//! Names that a write needs for a moment, and the notes from which they are found again.
//!
//! New content has no name until it is whole, where the file system can do that. Where it cannot, and
//! while one file takes the place of another, there is a file with a random name beside it, and a note
//! of it in a folder outside of the workspace. A program that dies in between leaves both; the next one
//! removes what the notes name, and nothing else: no folder is searched, and no link is followed.

use std::{io, os::unix::ffi::OsStrExt as _, path::Path, sync::Arc};

use cap_std::{ambient_authority, fs::Dir};

use super::{
    FileError, Files,
    beneath::or_dot,
    write::{is_temporary_name, random},
};

#[cfg(test)]
mod tests;

/// Notes looked at in one sweep; there are more only if something else fills the folder.
const MAX_NOTES: usize = 10_000;

/// A note of one name, gone with this.
pub(super) struct Note {
    notes: Option<Arc<Dir>>,
    /// The name that is noted, and the note's own.
    pub(super) name: String,
}

impl Drop for Note {
    fn drop(&mut self) {
        if let Some(notes) = &self.notes
            && let Err(error) = notes.remove_file(&self.name)
        {
            tracing::warn!(%error, name = self.name, "a note of a temporary file stays");
        }
    }
}

impl Files {
    /// The same files, with notes of temporary ones in a folder that nobody else writes to.
    pub fn noting(mut self, folder: &Path) -> Result<Self, FileError> {
        let notes = Dir::open_ambient_dir(folder, ambient_authority())
            .map_err(|source| FileError::Root { source })?;
        self.notes = Some(Arc::new(notes));
        Ok(self)
    }

    /// Remove what an earlier program left half made.
    pub fn sweep(&self) -> io::Result<()> {
        let Some(notes) = &self.notes else { return Ok(()) };
        for entry in notes.entries()?.take(MAX_NOTES) {
            let name = entry?.file_name();
            let Some(name) = name.to_str().filter(|name| is_temporary_name(name)) else { continue };
            let place = notes.read(name)?;
            let place = Path::new(std::ffi::OsStr::from_bytes(&place));
            match self.remove_draft(place, name) {
                Ok(()) => {}
                // It took its place, or its folder went too.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::warn!(%error, name, "what an earlier run left half made stays");
                    continue;
                }
            }
            notes.remove_file(name)?;
        }
        Ok(())
    }

    fn remove_draft(&self, place: &Path, name: &str) -> io::Result<()> {
        let folder = self.beneath.open_folder(or_dot(place))?;
        let found = folder.symlink_metadata(name)?;
        if found.is_dir() {
            folder.remove_dir_all(name)
        } else if found.is_file() {
            folder.remove_file(name)
        } else {
            // Nothing here ever makes another kind.
            Ok(())
        }
    }

    /// A name that nobody else chooses, noted until the note is dropped.
    pub(super) fn note(&self, folder: &Dir, opened_as: &Path) -> Note {
        let name = format!(".openspace-{:016x}.tmp", random());
        let noted = self.notes.as_ref().map(|notes| {
            let place = self.beneath.location(folder, opened_as)?;
            notes.write(&name, place.as_os_str().as_bytes())?;
            Ok(Arc::clone(notes))
        });
        let notes = noted.transpose().unwrap_or_else(|error: io::Error| {
            // The disk for notes may be full while the workspace's has room.
            tracing::warn!(%error, "a temporary file is not noted");
            None
        });
        Note { notes, name }
    }
}

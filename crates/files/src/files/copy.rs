//! Copying a file or a folder, all of it or nothing.
//!
//! The copy is made under a random name beside its place and then takes it in one step. Links are
//! copied as links, modes are kept; owners, times and hard links are not. Pipes, sockets and devices
//! are refused.

use std::{
    ffi::OsStr,
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use openspace_protocol::RelPath;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::{
    Action, FileError, Files,
    beneath::{or_dot, spell, without_waiting},
    relocate::apart,
    spot::{MAX_DEPTH, Spot, Taking, enter},
    twins::Twins,
    write::{Made, flush},
};

#[cfg(test)]
mod tests;

/// The most files and folders that are copied at once.
pub const MAX_ENTRIES: u64 = 10_000;
const PIECE_BYTES: u64 = 8 * 1024 * 1024;

/// What a copy did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// How many files, folders and links were copied.
    pub entries: u64,
    /// How many bytes the files have.
    pub bytes: u64,
    /// Where in the trash that is which was there before.
    pub replaced: Option<RelPath>,
}

impl Files {
    /// Copy a file or a folder. `at` is the time, in milliseconds since 1970.
    pub fn copy(
        &self,
        from: &RelPath,
        to: &RelPath,
        overwrite: bool,
        at: u64,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Copied, FileError> {
        let (source, _) = self.spot(Action::Read, from)?;
        let mut made = Made::default();
        let target = self.new_spot(to, &mut made)?;
        apart(from, &source, to, &target)?;
        if !overwrite && target.look().map_err(|error| self.fail(to, error))?.is_some() {
            return Err(FileError::Exists { path: to.clone() });
        }
        let fail = |error| self.fail(to, error);
        let above = target.place.parent().unwrap_or(Path::new(""));
        // Held until the draft is gone or in its place.
        let note = self.note(&target.folder, or_dot(above));
        let draft = Draft(Spot {
            folder: target.folder.try_clone().map_err(fail)?,
            name: note.name.clone().into(),
            place: target.place.clone(),
        });
        let mut job =
            Job { files: self, from, twins: Twins::new(self), cancel, entries: 0, bytes: 0 };
        job.copy(
            &Item { folder: &source.folder, name: &source.name, place: source.place.clone() },
            &Item { folder: &draft.0.folder, name: &draft.0.name, place: target.place.clone() },
            0,
        )?;
        let replaced = self.put(to, &draft.0, to, &target, overwrite, at)?;
        made.keep();
        flush(&target.folder)
            .map_err(|source| FileError::NotDurable { path: to.clone(), source })?;
        Ok(Copied { entries: job.entries, bytes: job.bytes, replaced })
    }
}

/// A copy under a random name, removed again unless it takes its place.
struct Draft(Spot);

impl Drop for Draft {
    fn drop(&mut self) {
        let Spot { folder, name, .. } = &self.0;
        let removed = match folder.symlink_metadata(name) {
            Ok(found) if found.is_dir() => folder.remove_dir_all(name),
            Ok(_) => folder.remove_file(name),
            // It has taken its place, or was never made.
            Err(_) => return,
        };
        if let Err(error) = removed {
            tracing::warn!(%error, name = %name.display(), "a part of a copy stays");
        }
    }
}

/// A name in an open folder and the place that the rules are asked about.
struct Item<'a> {
    folder: &'a Dir,
    name: &'a OsStr,
    place: PathBuf,
}

impl Item<'_> {
    fn shown(&self) -> RelPath {
        spell(&self.place).unwrap_or_default()
    }
}

struct Job<'a> {
    files: &'a Files,
    from: &'a RelPath,
    twins: Twins<'a>,
    cancel: &'a dyn Fn() -> bool,
    entries: u64,
    bytes: u64,
}

impl Job<'_> {
    fn copy(&mut self, from: &Item<'_>, to: &Item<'_>, depth: usize) -> Result<(), FileError> {
        if (self.cancel)() {
            return Err(FileError::Cancelled);
        }
        self.entries += 1;
        if self.entries > MAX_ENTRIES || depth > MAX_DEPTH {
            return Err(FileError::TooMuch { path: self.from.clone(), limit: MAX_ENTRIES });
        }
        if depth > 0 {
            self.files.check_standing(&from.place, &to.place, Taking::ACopy)?;
        }
        let shown = from.shown();
        let fail = |error| FileError::from_io(&shown, error);
        let found = from.folder.symlink_metadata(from.name).map_err(fail)?;
        if found.is_dir() {
            self.folder(from, to, depth)
        } else if found.is_symlink() {
            let text = from.folder.read_link_contents(from.name).map_err(fail)?;
            to.folder.symlink_contents(text, to.name).map_err(fail)
        } else if found.is_file() {
            self.file(from, to)
        } else {
            Err(FileError::NotAFile { path: shown })
        }
    }

    fn folder(&mut self, from: &Item<'_>, to: &Item<'_>, depth: usize) -> Result<(), FileError> {
        let shown = from.shown();
        let fail = |error| FileError::from_io(&shown, error);
        let source = enter(from.folder, from.name).map_err(fail)?;
        to.folder.create_dir(to.name).map_err(fail)?;
        let target = enter(to.folder, to.name).map_err(fail)?;
        for entry in source.entries().map_err(fail)? {
            let name = entry.map_err(fail)?.file_name();
            self.copy(
                &Item { folder: &source, name: &name, place: from.place.join(&name) },
                &Item { folder: &target, name: &name, place: to.place.join(&name) },
                depth + 1,
            )?;
        }
        // Last: a folder that may not be written could not be filled.
        let mode = source.dir_metadata().map_err(fail)?.permissions();
        target.set_permissions(Path::new("."), mode).map_err(fail)
    }

    fn file(&mut self, from: &Item<'_>, to: &Item<'_>) -> Result<(), FileError> {
        let shown = from.shown();
        let fail = |error: io::Error| FileError::from_io(&shown, error);
        let options = without_waiting(OFlags::NOFOLLOW).read(true).clone();
        let mut source = from.folder.open_with(from.name, &options).map_err(fail)?.into_std();
        let metadata = source.metadata().map_err(fail)?;
        if !metadata.is_file() {
            return Err(FileError::NotAFile { path: shown });
        }
        if self.twins.have(&metadata, self.cancel) {
            // Says which; all other files were looked at together.
            self.files.guard_twin(&shown, &metadata, self.cancel)?;
        }
        let mut options = OpenOptions::new();
        // Until all is there, nobody else may look into what may be private.
        options.write(true).create_new(true).mode(0o600);
        let mut target = to.folder.open_with(to.name, &options).map_err(fail)?.into_std();
        loop {
            if (self.cancel)() {
                return Err(FileError::Cancelled);
            }
            let mut piece = (&mut source).take(PIECE_BYTES);
            match io::copy(&mut piece, &mut target).map_err(fail)? {
                0 => break,
                copied => self.bytes += copied,
            }
        }
        // The copy belongs to whoever made it, so it does not run with another's rights.
        let mode = metadata.permissions().mode() & 0o777;
        target.set_permissions(std::fs::Permissions::from_mode(mode)).map_err(fail)?;
        target.sync_all().map_err(fail)
    }
}

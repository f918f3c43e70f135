//! Writing a whole file, atomically: a reader sees the old content or the new, never a part.
//!
//! The new content goes to a file without a name, is flushed, and gets the name that was free, or a
//! random one for the moment before it takes the place of the old one by a rename. Where the file system
//! knows no files without a name it has a random one from the start (see [`super::drafts`]). The old
//! file's mode is kept, its owner where the system permits; its hard links, extended attributes and
//! access lists are not.
//!
//! Writing to a symlink replaces the content of the file it leads to, if that is in the workspace; the
//! link stays a link. Missing folders are created. When anything fails, what was created is removed.

use std::{
    ffi::{OsStr, OsString},
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use openspace_protocol::RelPath;
use rustix::{fs::OFlags, io::Errno};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Action, FileError, Files,
    beneath::{or_dot, without_waiting},
    drafts::Note,
    hash::hash,
    inspect::token as token_of,
    milliseconds,
};

#[cfg(test)]
mod tests;

/// The largest content that is written.
pub const MAX_WRITE_BYTES: u64 = 64 * 1024 * 1024;
/// How often a write starts again because somebody changed the path meanwhile.
const ATTEMPTS: usize = 16;
const COMPARED_BYTES: usize = 256 * 1024;

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// True when there was no file before.
    pub created: bool,
    /// The size of the file now.
    pub bytes: u64,
    /// XXH3 hash (128 bits, hexadecimal) of the file's bytes now.
    pub hash: String,
}

/// What a path must hold for a write to happen.
#[derive(Clone, Copy)]
pub(crate) enum Before<'a> {
    /// Whatever is there is replaced.
    Anything,
    /// No file is there.
    Nothing,
    /// A file is there with this very content.
    Content(&'a [u8]),
    /// A file is there that has not changed since it had this token.
    Token(&'a str),
}

/// What a write put in place.
pub(crate) struct Put {
    /// True when there was no file before.
    pub(crate) created: bool,
    /// The token of the new file.
    pub(crate) token: String,
    /// When it was written, in milliseconds since 1970.
    pub(crate) modified: i64,
}

impl Before<'_> {
    fn allows(self, exists: bool) -> bool {
        match self {
            Self::Anything => true,
            Self::Nothing => !exists,
            Self::Content(_) | Self::Token(_) => exists,
        }
    }

    /// A file that must not be there is left to the rename, which does not replace one.
    fn is_in(self, folder: &Dir, name: &OsStr) -> io::Result<bool> {
        let mut rest = match self {
            Self::Anything | Self::Nothing => return Ok(true),
            Self::Token(expected) => {
                return folder.symlink_metadata(name).map(|found| token_of(&found) == expected);
            }
            Self::Content(content) => content,
        };
        let options = without_waiting(OFlags::NOFOLLOW).read(true).clone();
        let mut file = folder.open_with(name, &options)?.into_std();
        let mut buffer = vec![0; COMPARED_BYTES];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(rest.is_empty()),
                Ok(count) => match rest.strip_prefix(&buffer[..count]) {
                    Some(after) => rest = after,
                    None => return Ok(false),
                },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What became of one attempt to write.
enum Attempt {
    Written(Put),
    /// The path changed under our hands.
    Again,
    /// The path does not hold what it must.
    Differs,
}

impl Files {
    /// Create a file or replace its content.
    pub fn write(&self, path: &RelPath, content: &[u8]) -> Result<Written, FileError> {
        match self.write_over(path, content, Before::Anything)? {
            Some(Put { created, .. }) => {
                Ok(Written { created, bytes: content.len() as u64, hash: hash(content) })
            }
            None => Err(FileError::Busy { path: path.clone() }),
        }
    }

    /// Create a file or replace its content if the path still holds what is expected: what was put
    /// there, or `None` when something else is there and nothing was written.
    ///
    /// What is there is looked at once the new content is safely on the disk, right before it takes
    /// the place.
    pub(crate) fn write_over(
        &self,
        path: &RelPath,
        content: &[u8],
        before: Before<'_>,
    ) -> Result<Option<Put>, FileError> {
        self.guard(Action::Write, path, path)?;
        if path.is_root() {
            return Err(FileError::IsAFolder { path: path.clone() });
        }
        let bytes = content.len() as u64;
        if bytes > MAX_WRITE_BYTES {
            return Err(FileError::TooLarge {
                path: path.clone(),
                size: bytes,
                limit: MAX_WRITE_BYTES,
            });
        }
        for _ in 0..ATTEMPTS {
            match self.write_once(path, content, before)? {
                Attempt::Written(put) => return Ok(Some(put)),
                Attempt::Differs => return Ok(None),
                Attempt::Again => {}
            }
        }
        Err(FileError::Busy { path: path.clone() })
    }

    /// Whether a path may be written, asked without leaving a trace.
    pub(crate) fn may_write(&self, path: &RelPath) -> Result<(), FileError> {
        self.guard(Action::Write, path, path)?;
        let target = self.target(path)?.ok_or_else(|| FileError::Busy { path: path.clone() })?;
        let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(FileError::IsAFolder { path: path.clone() });
        };
        let (folder, missing) = self.nearest_folder(path, or_dot(parent), name)?;
        if !missing.is_empty() {
            return Ok(());
        }
        match folder.symlink_metadata(name) {
            Ok(old) if old.is_dir() => Err(FileError::IsAFolder { path: path.clone() }),
            Ok(old) if !old.is_file() => Err(FileError::NotAFile { path: path.clone() }),
            Ok(_) => check_writable(&folder, name).map_err(|error| self.fail(path, error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.fail(path, error)),
        }
    }

    fn write_once(
        &self,
        path: &RelPath,
        content: &[u8],
        before: Before<'_>,
    ) -> Result<Attempt, FileError> {
        let fail = |error| self.fail(path, error);
        let Some(target) = self.target(path)? else { return Ok(Attempt::Again) };
        let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(FileError::IsAFolder { path: path.clone() });
        };
        let mut made = Made::default();
        let folder = self.folder_to_write(path, or_dot(parent), name, &mut made)?;
        let old = match folder.symlink_metadata(name) {
            Ok(old) if old.is_symlink() => return Ok(Attempt::Again),
            Ok(old) if old.is_dir() => return Err(FileError::IsAFolder { path: path.clone() }),
            Ok(old) if !old.is_file() => return Err(FileError::NotAFile { path: path.clone() }),
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        if old.is_some() {
            match check_writable(&folder, name) {
                Ok(()) => {}
                Err(error) if is_change(&error) => return Ok(Attempt::Again),
                Err(error) => return Err(fail(error)),
            }
        }
        if !before.allows(old.is_some()) {
            return Ok(Attempt::Differs);
        }
        let opened = Opened { files: self, folder: &folder, place: or_dot(parent) };
        let temporary = Temporary::write(opened, content, old.as_ref()).map_err(fail)?;
        match before.is_in(&folder, name) {
            Ok(true) => {}
            Ok(false) => return Ok(Attempt::Differs),
            Err(error) if is_change(&error) => return Ok(Attempt::Again),
            Err(error) => return Err(fail(error)),
        }
        let (token, modified) = (temporary.token.clone(), temporary.modified);
        match temporary.take_place(name, old.is_some()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Ok(Attempt::Again);
            }
            Err(error) => return Err(fail(error)),
        }
        made.keep();
        match flush(&folder) {
            Err(source) => Err(FileError::NotDurable { path: path.clone(), source }),
            Ok(()) => Ok(Attempt::Written(Put { created: old.is_none(), token, modified })),
        }
    }

    /// The path to write at: the same one, or where it leads if it is a symlink.
    fn target(&self, path: &RelPath) -> Result<Option<PathBuf>, FileError> {
        let typed = path.as_path();
        match self.beneath.symlink_metadata(typed) {
            Ok(metadata) if metadata.is_symlink() => {}
            Ok(_) => return Ok(Some(typed.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(typed.to_owned()));
            }
            Err(error) => return Err(self.fail(path, error)),
        }
        match self.beneath.open_place(typed) {
            Ok(place) => {
                let place = self.locate(path, &place)?;
                self.guard_place(Action::Write, path, &place)?;
                Ok(Some(place))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Gone altogether, or a link to nothing?
                match self.beneath.symlink_metadata(typed) {
                    Ok(metadata) if metadata.is_symlink() => {
                        Err(FileError::DanglingLink { path: path.clone() })
                    }
                    _ => Ok(None),
                }
            }
            Err(error) => Err(self.fail(path, error)),
        }
    }

    /// Open the folder to write in, creating what is missing; both only where the rules allow it.
    pub(super) fn folder_to_write(
        &self,
        path: &RelPath,
        parent: &Path,
        name: &OsStr,
        made: &mut Made,
    ) -> Result<Dir, FileError> {
        let fail = |error| self.fail(path, error);
        let (mut folder, missing) = self.nearest_folder(path, parent, name)?;
        for word in missing.into_iter().rev() {
            match folder.create_dir(word) {
                Ok(()) => made.note(&folder, word).map_err(fail)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail(error)),
            }
            folder = folder.open_dir(word).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => FileError::DanglingLink { path: path.clone() },
                _ => fail(error),
            })?;
        }
        let place = self.beneath.location(&folder, or_dot(parent)).map_err(fail)?;
        self.guard_place(Action::Write, path, &place.join(name))?;
        Ok(folder)
    }

    /// The deepest folder that exists, and the names of those that are missing, innermost first.
    ///
    /// The rules are asked here, before anything is created, so that a refusal leaves nothing behind.
    fn nearest_folder<'a>(
        &self,
        path: &RelPath,
        parent: &'a Path,
        name: &OsStr,
    ) -> Result<(Dir, Vec<&'a OsStr>), FileError> {
        let fail = |error| self.fail(path, error);
        let mut existing = parent;
        let mut missing = Vec::new();
        let folder = loop {
            match self.beneath.open_folder(or_dot(existing)) {
                Ok(folder) => break folder,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let (Some(above), Some(word)) = (existing.parent(), existing.file_name())
                    else {
                        return Err(fail(error));
                    };
                    missing.push(word);
                    existing = above;
                }
                Err(error) => return Err(fail(error)),
            }
        };
        let mut place = self.beneath.location(&folder, or_dot(existing)).map_err(fail)?;
        place.extend(missing.iter().rev().copied().chain([name]));
        self.guard_place(Action::Write, path, &place)?;
        Ok((folder, missing))
    }
}

/// A rename replaces even a file that nobody may write to; so ask the system first.
fn check_writable(folder: &Dir, name: &OsStr) -> io::Result<()> {
    let options = without_waiting(OFlags::NOFOLLOW).write(true).clone();
    match folder.open_with(name, &options) {
        // A running program cannot be changed in place, but it can be replaced.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::TXTBSY) => Ok(()),
        other => other.map(drop),
    }
}

/// Errors that mean "this is no longer the file that was looked at".
fn is_change(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::NXIO))
}

/// Make the rename last. File systems that cannot flush folders say so, and need not.
pub(super) fn flush(folder: &Dir) -> io::Result<()> {
    match folder.open(".").and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        // A folder that may be written but not listed cannot be opened to be flushed.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

/// Folders created on the way, removed again unless the write succeeds.
#[derive(Default)]
pub(super) struct Made(Vec<(Dir, OsString)>);

impl Made {
    pub(super) fn note(&mut self, folder: &Dir, name: &OsStr) -> io::Result<()> {
        self.0.push((folder.try_clone()?, name.to_owned()));
        Ok(())
    }

    pub(super) fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (folder, name) in self.0.iter().rev() {
            if let Err(error) = folder.remove_dir(name) {
                // Somebody else has put something in it: then it is theirs.
                tracing::debug!(%error, "a folder created for a failed write stays");
            }
        }
    }
}

/// The folder that is written in.
#[derive(Clone, Copy)]
struct Opened<'a> {
    files: &'a Files,
    folder: &'a Dir,
    place: &'a Path,
}

/// New content without a name, or with a random one; gone again unless it takes its place.
struct Temporary<'a> {
    opened: Opened<'a>,
    file: std::fs::File,
    note: Option<Note>,
    token: String,
    modified: i64,
    placed: bool,
}

impl<'a> Temporary<'a> {
    fn write(opened: Opened<'a>, content: &[u8], old: Option<&Metadata>) -> io::Result<Self> {
        // Until the owner is right, nobody else may look into what replaces a private file.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let (file, note) = if let Some(file) = without_name(opened.folder, mode)? {
            (file, None)
        } else {
            let note = opened.files.note(opened.folder, opened.place);
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(mode);
            (opened.folder.open_with(&note.name, &options)?.into_std(), Some(note))
        };
        let (token, modified) = (String::new(), 0);
        let mut temporary = Self { opened, file, note, token, modified, placed: false };
        let file = &mut temporary.file;
        file.write_all(content)?;
        if let Some(old) = old {
            let new = file.metadata()?;
            let kept = (new.uid(), new.gid()) == (old.uid(), old.gid())
                || std::os::unix::fs::fchown(&*file, Some(old.uid()), Some(old.gid())).is_ok();
            // With another owner, a set-user bit would hand out that owner's rights.
            let mode = old.mode() & if kept { 0o7777 } else { 0o777 };
            file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        file.sync_all()?;
        // Taking the place changes none of what these are made of.
        let new = Metadata::from_just_metadata(file.metadata()?);
        temporary.token = token_of(&new);
        temporary.modified = milliseconds(new.modified()?.into_std());
        Ok(temporary)
    }

    fn take_place(mut self, name: &OsStr, replace: bool) -> io::Result<()> {
        let folder = self.opened.folder;
        if self.note.is_none() && !replace {
            give_name(&self.file, folder, name)?;
            self.placed = true;
            return Ok(());
        }
        if self.note.is_none() {
            let note = self.opened.files.note(folder, self.opened.place);
            give_name(&self.file, folder, OsStr::new(&note.name))?;
            self.note = Some(note);
        }
        let own = self.note.as_ref().map(|note| note.name.clone()).unwrap_or_default();
        if replace {
            folder.rename(&own, folder, name)?;
        } else {
            rename_to_new(folder, OsStr::new(&own), folder, name)?;
        }
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.placed
            && let Some(note) = &self.note
            && let Err(error) = self.opened.folder.remove_file(&note.name)
        {
            tracing::warn!(%error, name = note.name, "a temporary file stays");
        }
    }
}

/// A new file in a folder that nobody sees; `None` where the system or its file system has none.
#[cfg(target_os = "linux")]
fn without_name(folder: &Dir, mode: u32) -> io::Result<Option<std::fs::File>> {
    use std::os::fd::{AsFd as _, AsRawFd as _};

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(folder, ".", flags, rustix::fs::Mode::from_raw_mode(mode));
    let file = match opened {
        Ok(file) => std::fs::File::from(file),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // It gets its name by way of the list of open files, which not every place has.
    let own = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    Ok(rustix::fs::lstat(own).is_ok().then_some(file))
}

#[cfg(not(target_os = "linux"))]
fn without_name(_folder: &Dir, _mode: u32) -> io::Result<Option<std::fs::File>> {
    Ok(None)
}

/// Give a file without a name one that is free.
fn give_name(file: &std::fs::File, folder: &Dir, name: &OsStr) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = rustix::fs::AtFlags::SYMLINK_FOLLOW;
    rustix::fs::linkat(rustix::fs::CWD, own, folder, name, flags).map_err(io::Error::from)
}

/// Whether a name may be one of a temporary file.
pub(super) fn is_temporary_name(name: &str) -> bool {
    let word = name.strip_prefix(".openspace-").and_then(|rest| rest.strip_suffix(".tmp"));
    word.is_some_and(|word| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A number that nobody can guess.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Rename unless the new name is taken, where the system can do that in one step.
pub(super) fn rename_to_new(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    match rustix::fs::renameat_with(from, old, to, new, rustix::fs::RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        other => return other.map_err(io::Error::from),
    }
    from.rename(old, to, new)
}

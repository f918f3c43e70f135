//! Walking a folder and all beneath it, as `git` sees it: `.gitignore` files and the repository's
//! own exclude list are obeyed, hidden files are shown, `.git` is skipped, links are not followed.
//!
//! The walk opens every folder and every `.gitignore` from a handle beneath the root. A walker that
//! goes by path could be led out by a folder swapped for a link, or stopped by a pipe that is named
//! `.gitignore`.

use std::{
    ffi::OsStr,
    io::Read as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use openspace_protocol::RelPath;
use rustix::fs::OFlags;

use super::{
    FileError, Files, Kind,
    beneath::{or_dot, without_waiting},
};

pub(crate) mod entries;
pub(crate) mod parallel;
mod queue;

#[cfg(test)]
mod tests;

/// The most that is read of one `.gitignore`.
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;
/// How many entries pass between two questions whether to stop.
const CANCEL_EVERY: u64 = 1024;

/// Where a walk went.
pub(crate) struct Walked {
    /// The folder it started in, to look closer at what it found.
    pub(crate) folder: Dir,
    /// How many folders or entries could not be read.
    pub(crate) unreadable: u64,
}

/// Show `visit` every entry beneath a folder, by its path from there, in no order.
pub(crate) fn walk(
    files: &Files,
    start: &RelPath,
    cancel: &dyn Fn() -> bool,
    mut visit: impl FnMut(&Path, Kind) -> ControlFlow<()>,
) -> Result<Walked, FileError> {
    let fail = |error| files.fail(start, error);
    let folder = files.beneath().open_folder(start.as_path()).map_err(fail)?;
    let place = files.beneath().location(&folder, start.as_path()).map_err(fail)?;
    let mut walked = Walked { folder, unreadable: 0 };
    let mut entries_seen = 0_u64;
    let mut waiting = vec![(PathBuf::new(), ignores_above(files, &place))];
    while let Some((path, above)) = waiting.pop() {
        if cancel() {
            return Err(FileError::Cancelled);
        }
        let opened = walked.folder.open_dir(or_dot(&path));
        let Ok((folder, entries)) =
            opened.and_then(|dir| dir.entries().map(|entries| (dir, entries)))
        else {
            walked.unreadable += 1;
            continue;
        };
        let ignores = Ignores::read(&folder, ".gitignore", &place.join(&path), above);
        for entry in entries {
            entries_seen += 1;
            if entries_seen.is_multiple_of(CANCEL_EVERY) && cancel() {
                return Err(FileError::Cancelled);
            }
            let Ok((name, found)) =
                entry.and_then(|entry| entry.file_type().map(|found| (entry.file_name(), found)))
            else {
                walked.unreadable += 1;
                continue;
            };
            let kind = Kind::from(found);
            let path = path.join(&name);
            if name == OsStr::new(".git") || is_ignored(ignores.as_ref(), &place.join(&path), kind)
            {
                continue;
            }
            if visit(&path, kind).is_break() {
                return Ok(walked);
            }
            if kind == Kind::Folder {
                waiting.push((path, ignores.clone()));
            }
        }
    }
    Ok(walked)
}

/// One ignore file, and those of the folders above it.
pub(crate) struct Ignores {
    folder: PathBuf,
    patterns: Gitignore,
    above: Option<Arc<Self>>,
}

impl Ignores {
    /// The patterns of `name` in front of those above; the latter alone when there is no such file.
    ///
    /// Like `git`, this does not follow a link, and passes over a line that is no pattern.
    pub(crate) fn read(
        folder: &Dir,
        name: &str,
        place: &Path,
        above: Option<Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let options = without_waiting(OFlags::NOFOLLOW).read(true).clone();
        let Ok(file) = folder.open_with(name, &options) else { return above };
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return above;
        }
        let mut bytes = Vec::new();
        if let Err(error) = file.take(MAX_IGNORE_BYTES).read_to_end(&mut bytes) {
            tracing::warn!(%error, name, "an ignore file cannot be read");
            return above;
        }
        let mut builder = GitignoreBuilder::new(".");
        for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
            if let Err(error) = builder.add_line(None, line) {
                tracing::debug!(%error, name, "a line of an ignore file is no pattern");
            }
        }
        match builder.build() {
            Ok(patterns) if patterns.is_empty() => above,
            Ok(patterns) => Some(Arc::new(Self { folder: place.to_owned(), patterns, above })),
            Err(error) => {
                tracing::warn!(%error, name, "an ignore file cannot be used");
                above
            }
        }
    }
}

/// What the folders from the root down to, but without, the start of a walk have to say.
pub(crate) fn ignores_above(files: &Files, start: &Path) -> Option<Arc<Ignores>> {
    let root = files.beneath().open_folder(Path::new(".")).ok()?;
    let mut ignores = Ignores::read(&root, ".git/info/exclude", Path::new(""), None);
    let mut folders: Vec<_> = start.ancestors().skip(1).collect();
    folders.reverse();
    for place in folders {
        if let Ok(folder) = files.beneath().open_folder(or_dot(place)) {
            ignores = Ignores::read(&folder, ".gitignore", place, ignores);
        }
    }
    ignores
}

/// The nearest ignore file with an opinion decides.
pub(crate) fn is_ignored(mut ignores: Option<&Arc<Ignores>>, place: &Path, kind: Kind) -> bool {
    while let Some(level) = ignores {
        let from_there = place.strip_prefix(&level.folder).unwrap_or(place);
        match level.patterns.matched(from_there, kind == Kind::Folder) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => ignores = level.above.as_ref(),
        }
    }
    false
}

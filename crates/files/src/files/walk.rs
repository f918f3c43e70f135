//! Walking a folder and all beneath it, as search tools see it: `.ignore` and `.gitignore` files and
//! the repository's own exclude list are obeyed, hidden files are shown, `.git` is skipped, links are
//! not followed.
//!
//! The walk opens every folder and every ignore file from a handle beneath the root. A walker that
//! goes by path could be led out by a folder swapped for a link, or stopped by a pipe that is named
//! `.gitignore`.

use std::{
    ffi::OsStr,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use cap_std::fs::Dir;
use openspace_protocol::RelPath;

use self::ignores::Ignores;
use super::{FileError, Files, Kind, beneath::or_dot};

pub(crate) mod entries;
pub(crate) mod ignores;
pub(crate) mod parallel;
mod queue;

#[cfg(test)]
mod tests;

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
    let mut waiting = vec![(PathBuf::new(), Ignores::above(files, &place))];
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
        let ignores = above.and_in(&folder, &place.join(&path));
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
            if name == OsStr::new(".git") || ignores.hide(&place.join(&path), kind) {
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

//! What ignore files leave out, as `git` reads them and as search tools do.
//!
//! `git` knows `.gitignore` and the exclude list of the repository. Search tools also read `.ignore`,
//! which has the same form and the last word: whatever some `.ignore` from the root down says counts
//! more than what any `.gitignore` says, also a nearer one. Among files of one name the nearest with
//! an opinion decides.

use std::{
    ffi::OsStr,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use rustix::fs::OFlags;

use super::super::{
    Files, Kind,
    beneath::{or_dot, without_waiting},
};

#[cfg(test)]
mod tests;

/// The most that is read of one ignore file.
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;
const OF_GIT: &str = ".gitignore";
const OF_SEARCH: &str = ".ignore";
const OF_REPOSITORY: &str = ".git/info/exclude";

/// Whether a file of this name in a folder says what is left out.
pub(crate) fn is_ignore_file(name: &OsStr) -> bool {
    name == OF_GIT || name == OF_SEARCH
}

/// What the ignore files from the root down to a folder say.
#[derive(Clone, Default)]
pub(crate) struct Ignores {
    of_search: Option<Arc<Level>>,
    of_git: Option<Arc<Level>>,
}

impl Ignores {
    /// What the folders from the root down to, but without, the start of a walk have to say.
    pub(crate) fn above(files: &Files, start: &Path) -> Self {
        let mut ignores = Self::default();
        if let Ok(root) = files.beneath().open_folder(Path::new(".")) {
            ignores.of_git = Level::read(&root, OF_REPOSITORY, Path::new(""), None);
        }
        let mut folders: Vec<_> = start.ancestors().skip(1).collect();
        folders.reverse();
        for place in folders {
            if let Ok(folder) = files.beneath().open_folder(or_dot(place)) {
                ignores = ignores.and_in(&folder, place);
            }
        }
        ignores
    }

    /// The same with what the files of one more folder say.
    pub(crate) fn and_in(self, folder: &Dir, place: &Path) -> Self {
        Self {
            of_search: Level::read(folder, OF_SEARCH, place, self.of_search),
            of_git: Level::read(folder, OF_GIT, place, self.of_git),
        }
    }

    /// Nothing at all is left out.
    pub(crate) fn is_empty(&self) -> bool {
        self.of_search.is_none() && self.of_git.is_none()
    }

    /// Whether a search passes over something, by its path from the root.
    pub(crate) fn hide(&self, place: &Path, kind: Kind) -> bool {
        let of_search = opinion(self.of_search.as_ref(), place, kind);
        of_search.unwrap_or_else(|| self.hide_from_git(place, kind))
    }

    /// Whether neither a search nor `git` looks at something: nobody needs to know that it changed.
    pub(crate) fn hide_from_all(&self, place: &Path, kind: Kind) -> bool {
        self.hide_from_git(place, kind) && self.hide(place, kind)
    }

    fn hide_from_git(&self, place: &Path, kind: Kind) -> bool {
        opinion(self.of_git.as_ref(), place, kind).unwrap_or(false)
    }
}

/// One ignore file, and those of the same name in the folders above it.
struct Level {
    folder: PathBuf,
    patterns: Gitignore,
    above: Option<Arc<Self>>,
}

impl Level {
    /// The patterns of `name` in front of those above; the latter alone when there is no such file.
    ///
    /// Like `git`, this does not follow a link, and passes over a line that is no pattern.
    fn read(folder: &Dir, name: &str, place: &Path, above: Option<Arc<Self>>) -> Option<Arc<Self>> {
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

/// What the nearest file with an opinion says.
fn opinion(mut level: Option<&Arc<Level>>, place: &Path, kind: Kind) -> Option<bool> {
    while let Some(Level { folder, patterns, above }) = level.map(AsRef::as_ref) {
        let from_there = place.strip_prefix(folder).unwrap_or(place);
        match patterns.matched(from_there, kind == Kind::Folder) {
            Match::Ignore(_) => return Some(true),
            Match::Whitelist(_) => return Some(false),
            Match::None => level = above.as_ref(),
        }
    }
    None
}

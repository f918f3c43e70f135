//! The files whose content is secret, with that content: for whoever has to know a secret to hide it.
//!
//! All folders are walked, those that git ignores too, because that is where secrets are. `.git` and
//! `node_modules` are not entered, and of the trash only what was secret before it was deleted counts. Links
//! to folders are not followed. What is large, or more than fits into one answer, is left out and said.
//!
//! Settings into which people write tokens are told too, marked as such: they are no secret as a whole.

use std::path::Path;

use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use crate::{
    files::{
        FileError, Files, Kind,
        walk::parallel::{Found, Look, Walk, shown},
    },
    rules::{Rules, is_of_settings, prefixes},
};

#[cfg(test)]
mod tests;

/// A secret in a larger file is not known.
pub const MAX_SECRET_FILE: u64 = 256 * 1024;
/// Files in one answer; those nearest to the root count.
pub const MAX_SECRET_FILES: usize = 500;
/// Bytes in one answer.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Names that one thread of the walk remembers.
const MAX_NAMES: usize = 20_000;

const TRASH: &str = ".openspace/trash";
const NOT_ENTERED: &[u8] = b"node_modules";

/// A secret file with what is in it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretFile {
    /// Where it is.
    pub path: RelPath,
    /// All of it.
    #[serde(with = "serde_bytes")]
    pub content: Vec<u8>,
    /// It is of settings: only what is called like a secret in it is one.
    pub is_of_settings: bool,
}

/// Says the path alone.
impl std::fmt::Debug for SecretFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Secret files that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretFiles {
    /// Those nearest to the root first.
    pub files: Vec<SecretFile>,
    /// How many were left out: too large, too many, or not to be read.
    pub left_out: u64,
}

/// Read the secret files among some paths, or all that there are.
pub fn read(
    files: &Files,
    among: Option<Vec<RelPath>>,
    cancel: &dyn Fn() -> bool,
) -> Result<SecretFiles, FileError> {
    let mut paths = match among {
        Some(paths) => paths
            .into_iter()
            .filter_map(|path| Some((sort_of(files.rules(), &path)?, path)))
            .collect(),
        None => walk(files, &RelPath::default(), true, cancel)?,
    };
    // Settings come last: they must not take the place of secrets.
    paths.sort_by_cached_key(|(sort, path)| {
        (*sort, path.as_path().components().count(), path.clone())
    });
    paths.dedup();
    let (files, mut bytes) = (files.for_a_person(), 0);
    let mut read = SecretFiles::default();
    for (sort, path) in paths {
        match files.read_whole(&path, MAX_SECRET_FILE, cancel) {
            Ok((content, _))
                if read.files.len() < MAX_SECRET_FILES && bytes + content.len() <= MAX_BYTES =>
            {
                bytes += content.len();
                let is_of_settings = sort == Sort::Settings;
                read.files.push(SecretFile { path, content, is_of_settings });
            }
            Err(FileError::Cancelled) => return Err(FileError::Cancelled),
            // A folder of this name, or a file that has gone since.
            Err(FileError::NotFound { .. } | FileError::IsAFolder { .. }) => {}
            Ok(_) | Err(_) => read.left_out += 1,
        }
    }
    Ok(read)
}

/// What makes a file worth reading here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Secret,
    Settings,
}

/// Where secret files are, and links with the name of one.
pub(crate) fn find(files: &Files, cancel: &dyn Fn() -> bool) -> Result<Vec<RelPath>, FileError> {
    find_beneath(files, &RelPath::default(), cancel)
}

/// The same, beneath a folder.
pub(crate) fn find_beneath(
    files: &Files,
    start: &RelPath,
    cancel: &dyn Fn() -> bool,
) -> Result<Vec<RelPath>, FileError> {
    Ok(walk(files, start, false, cancel)?.into_iter().map(|(_, path)| path).collect())
}

fn walk(
    files: &Files,
    start: &RelPath,
    with_settings: bool,
    cancel: &dyn Fn() -> bool,
) -> Result<Vec<(Sort, RelPath)>, FileError> {
    let walk = Walk { files, start, respect_gitignore: false, hidden: true };
    let looking = Looking { rules: files.rules(), start, with_settings };
    let walked = walk.run(&looking, cancel)?;
    Ok(walked.workers.into_iter().flatten().collect())
}

/// Whether a rule names a path or a folder above it, or it is of settings.
fn sort_of(rules: &Rules, path: &RelPath) -> Option<Sort> {
    if path.as_path().iter().any(|word| word == ".git" || word == "node_modules") {
        return None;
    }
    if prefixes(path).any(|prefix| prefix != TRASH && rules.hides(prefix)) {
        return Some(Sort::Secret);
    }
    is_of_settings(path.as_str()).then_some(Sort::Settings)
}

struct Looking<'a> {
    rules: &'a Rules,
    start: &'a RelPath,
    with_settings: bool,
}

impl Looking<'_> {
    fn hides(&self, tail: &Path) -> bool {
        shown(self.start, tail)
            .is_some_and(|path| path.as_str() != TRASH && self.rules.hides(path.as_str()))
    }

    fn sort(&self, found: &Found<'_, bool>) -> Option<Sort> {
        if found.marks || self.hides(found.tail) {
            return Some(Sort::Secret);
        }
        let is_of_settings = self.with_settings && found.tail.to_str().is_some_and(is_of_settings);
        is_of_settings.then_some(Sort::Settings)
    }
}

impl Look for Looking<'_> {
    /// Whether everything in the folder is secret.
    type Marks = bool;
    type Worker = Vec<(Sort, RelPath)>;

    fn worker(&self) -> Self::Worker {
        Vec::new()
    }

    fn enters(&self, name: &[u8]) -> bool {
        name != NOT_ENTERED
    }

    fn enter(&self, above: Option<bool>, tail: &Path) -> bool {
        above == Some(true) || self.hides(tail)
    }

    fn look(&self, worker: &mut Self::Worker, found: &Found<'_, bool>) {
        let is_file = matches!(found.kind, Kind::File | Kind::Symlink);
        if is_file
            && worker.len() < MAX_NAMES
            && let Some(sort) = self.sort(found)
            && let Some(path) = shown(self.start, found.tail)
        {
            worker.push((sort, path));
        }
    }
}

//! Finding files by a pattern of their path, the newest first.
//!
//! Only names, sizes and times are looked at, never content, so rules do not matter here. `.git` is
//! not entered and links to folders are not followed, so no loop of links can hold the walk.

use std::{
    cmp::Reverse,
    ffi::{CStr, OsString},
    io,
    path::Path,
};

use cap_std::fs::Dir;
use globset::GlobSet;
use openspace_protocol::RelPath;
use rustix::fs::{AtFlags, FileType, statat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    files::{
        FileError, Files, Kind,
        smallest::Smallest,
        walk::parallel::{Found, Look, Walk, shown},
    },
    rules::glob_set,
};

#[cfg(test)]
mod tests;

/// How many files are returned when the query does not say.
pub const DEFAULT_LIMIT: u32 = 100;
/// How many files are returned at most, whatever the query says.
pub const MAX_LIMIT: u32 = 10_000;

/// Which files to find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobQuery {
    /// A glob such as `src/**/*.rs`, `*.{ts,tsx}` or `Makefile`. Without a slash it means a name at
    /// any depth, with one it starts at `path`.
    pub pattern: String,
    /// The folder to look in; the workspace root when left out.
    #[serde(default)]
    pub path: Option<RelPath>,
    /// Pass over what `.ignore` and `.gitignore` leave out; true when left out.
    #[serde(default = "yes")]
    pub respect_gitignore: bool,
    /// Find files in hidden folders and hidden files too; true when left out.
    #[serde(default = "yes")]
    pub hidden: bool,
    /// How many files to return: 100 when left out, 10000 at most.
    #[serde(default)]
    pub limit: Option<u32>,
}

fn yes() -> bool {
    true
}

impl GlobQuery {
    /// All defaults.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            path: None,
            respect_gitignore: true,
            hidden: true,
            limit: None,
        }
    }
}

/// A file whose path matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GlobHit {
    /// The path relative to the workspace root.
    pub path: RelPath,
    /// When the content last changed, in milliseconds since 1970.
    pub modified: i64,
    /// The size in bytes.
    pub size: u64,
    /// True when the name is not text: what is shown is close to it and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad_name: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Globbed {
    /// The matching files, the newest first; equally old ones by path.
    pub paths: Vec<GlobHit>,
    /// How many files match, returned or not.
    pub total: u64,
    /// True when more files match than are returned.
    pub truncated: bool,
    /// How many files were looked at.
    pub scanned: u64,
    /// How many folders or entries could not be read.
    pub unreadable: u64,
}

/// Find files by a pattern of their path.
pub fn glob(
    files: &Files,
    query: &GlobQuery,
    cancel: &dyn Fn() -> bool,
) -> Result<Globbed, FileError> {
    let start = query.path.clone().unwrap_or_default();
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT) as usize;
    let pattern = glob_set([query.pattern.as_str()], false)?;
    let looking = Looking { files, start: &start, pattern, limit };
    let walk = Walk {
        files,
        start: &start,
        respect_gitignore: query.respect_gitignore,
        hidden: query.hidden,
    };
    let walked = walk.run(&looking, cancel)?;
    let mut newest = Smallest::new(limit);
    let (mut total, mut scanned, mut unreadable) = (0, 0, walked.unreadable);
    for worker in walked.workers {
        total += worker.newest.seen();
        scanned += worker.scanned;
        unreadable += worker.unreadable;
        worker.newest.into_sorted().into_iter().for_each(|dated| newest.push(dated));
    }
    let mut paths = Vec::new();
    for Dated { modified: Reverse((modified, _)), tail, size } in newest.into_sorted() {
        let Some(path) = shown(&start, Path::new(&tail)) else {
            total -= 1;
            unreadable += 1;
            continue;
        };
        paths.push(GlobHit { path, modified, size, bad_name: tail.to_str().is_none() });
    }
    Ok(Globbed { truncated: total > paths.len() as u64, paths, total, scanned, unreadable })
}

/// Newest first; milliseconds and the nanoseconds within.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Dated {
    modified: Reverse<(i64, i64)>,
    tail: OsString,
    size: u64,
}

struct Looking<'a> {
    files: &'a Files,
    start: &'a RelPath,
    pattern: GlobSet,
    limit: usize,
}

struct Worker {
    newest: Smallest<Dated>,
    scanned: u64,
    unreadable: u64,
}

impl Look for Looking<'_> {
    type Marks = ();
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker { newest: Smallest::new(self.limit), scanned: 0, unreadable: 0 }
    }

    fn enter(&self, _: Option<()>, _: &Path) {}

    fn look(&self, worker: &mut Worker, found: &Found<'_, ()>) {
        if found.kind == Kind::File {
            worker.scanned += 1;
        }
        if !self.pattern.is_match(found.tail) {
            return;
        }
        let dated = if found.kind == Kind::File {
            dated(found.folder, found.name, found.tail)
        } else {
            Ok(self.link(found.tail))
        };
        match dated {
            Ok(Some(dated)) => worker.newest.push(dated),
            Ok(None) => {}
            Err(_) => worker.unreadable += 1,
        }
    }
}

impl Looking<'_> {
    /// A link counts when it leads to a file in the workspace.
    fn link(&self, tail: &Path) -> Option<Dated> {
        let stat = self.files.stat(&shown(self.start, tail)?).ok()?;
        let found = Dated {
            modified: Reverse((stat.modified, 0)),
            tail: tail.as_os_str().to_owned(),
            size: stat.size,
        };
        (stat.kind == Kind::File).then_some(found)
    }
}

/// `None` for what is no file any more, or gone since it was seen.
fn dated(folder: &Dir, name: &CStr, tail: &Path) -> io::Result<Option<Dated>> {
    let stat = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    #[expect(clippy::useless_conversion, reason = "the types differ between systems")]
    let (seconds, nanoseconds, size) =
        (i64::from(stat.st_mtime), i64::try_from(stat.st_mtime_nsec).unwrap_or(0), stat.st_size);
    let milliseconds = seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000);
    Ok(Some(Dated {
        modified: Reverse((milliseconds, nanoseconds % 1_000_000)),
        tail: tail.as_os_str().to_owned(),
        size: u64::try_from(size).unwrap_or(0),
    }))
}

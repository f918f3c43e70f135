//! Finding files by name: every letter of the query in order, the best match first.
//!
//! What `.ignore` and `.gitignore` leave out is not found, `.git` is not entered, links are not followed. Only names are
//! looked at, never content, so rules do not matter here.

use std::{cmp::Reverse, ops::ControlFlow, path::Path, path::PathBuf};

use globset::GlobMatcher;
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{AtomKind, CaseMatching, Normalization, Pattern},
};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    files::{FileError, Files, Kind, beneath::spell, smallest::Smallest, walk::walk},
    rules::{matcher, prefixes},
};

mod names;

#[cfg(test)]
mod tests;

pub use names::{FileList, MAX_NAMES, NamesFound, find_names, list};

/// How many matches are returned when the query does not say.
pub const DEFAULT_LIMIT: u32 = 50;
/// How many matches are returned at most, whatever the query says.
pub const MAX_LIMIT: u32 = 10_000;

/// What to look for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Letters of the path in their order, in either case; words apart by spaces must all match.
    /// Empty lists all files by name.
    #[serde(default)]
    pub query: String,
    /// Only files that match this glob. Without a slash it means a name at any depth, with one it
    /// starts at the workspace root; a folder stands for all in it.
    pub include_pattern: Option<String>,
    /// No files that match this glob.
    pub exclude_pattern: Option<String>,
    /// The folder to look in; the workspace root when left out.
    pub path: Option<RelPath>,
    /// How many matches to return: 50 when left out, 10000 at most.
    pub limit: Option<u32>,
}

/// A file whose path matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The path relative to the workspace root.
    pub path: RelPath,
    /// How well it matches; more is better.
    pub score: u32,
    /// True when the name is not text: what is shown is close to it and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad_name: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The best matches, the best first; equal ones by length, then by name.
    pub matches: Vec<Hit>,
    /// How many files match, returned or not.
    pub total: u64,
    /// True when more files match than are returned.
    pub truncated: bool,
    /// How many files were looked at.
    pub scanned: u64,
    /// How many folders or entries could not be read.
    pub unreadable: u64,
}

/// Find files by name.
pub fn search(files: &Files, query: &Query, cancel: &dyn Fn() -> bool) -> Result<Found, FileError> {
    let start = query.path.clone().unwrap_or_default();
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT) as usize;
    let globs = Globs::new(query)?;
    let mut scorer = Scorer::new(&query.query);
    let mut best = Smallest::new(limit);
    let mut scanned = 0_u64;
    let mut unspeakable = 0_u64;
    let walked = walk(files, &start, cancel, |tail, kind| {
        let Ok(path) = spell(tail).map(|tail| start.join(&tail)) else {
            unspeakable += 1;
            return ControlFlow::Continue(());
        };
        if is_file(files, &path, kind) {
            scanned += 1;
            if globs.allow(&path)
                && let Some(rank) = scorer.rank(&path)
            {
                best.push(Ranked { rank, path, tail: tail.to_owned() });
            }
        }
        ControlFlow::Continue(())
    })?;

    let mut total = best.seen();
    let truncated = total > limit as u64;
    let mut matches = Vec::new();
    for Ranked { rank, path, tail } in best.into_sorted() {
        // What has gone since it was seen is no match.
        if walked.folder.symlink_metadata(&tail).is_ok() {
            matches.push(Hit { path, score: rank.0.0, bad_name: tail.to_str().is_none() });
        } else {
            total -= 1;
        }
    }
    let unreadable = walked.unreadable + unspeakable;
    Ok(Found { matches, total, truncated, scanned, unreadable })
}

/// A file, or a link to one in the workspace.
fn is_file(files: &Files, path: &RelPath, kind: Kind) -> bool {
    match kind {
        Kind::File => true,
        Kind::Symlink => files.stat(path).is_ok_and(|stat| stat.kind == Kind::File),
        Kind::Folder | Kind::Other => false,
    }
}

/// The order of the results: better score, then shorter, then by name.
type Rank = (Reverse<u32>, usize);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    rank: Rank,
    path: RelPath,
    tail: PathBuf,
}

struct Scorer {
    pattern: Pattern,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Scorer {
    fn new(query: &str) -> Self {
        Self {
            pattern: Pattern::new(
                query,
                CaseMatching::Ignore,
                Normalization::Smart,
                AtomKind::Fuzzy,
            ),
            matcher: Matcher::new(Config::DEFAULT.match_paths()),
            letters: Vec::new(),
        }
    }

    fn rank(&mut self, path: &RelPath) -> Option<Rank> {
        if self.pattern.atoms.is_empty() {
            return Some((Reverse(0), 0));
        }
        let text = Utf32Str::new(path.as_str(), &mut self.letters);
        let score = self.pattern.score(text, &mut self.matcher)?;
        Some((Reverse(score), path.as_str().len()))
    }
}

struct Globs {
    include: Option<GlobMatcher>,
    exclude: Option<GlobMatcher>,
}

impl Globs {
    fn new(query: &Query) -> Result<Self, FileError> {
        let compile = |pattern: &Option<String>| {
            pattern.as_deref().map(|pattern| matcher(pattern, false)).transpose()
        };
        Ok(Self {
            include: compile(&query.include_pattern)?,
            exclude: compile(&query.exclude_pattern)?,
        })
    }

    fn allow(&self, path: &RelPath) -> bool {
        let covers =
            |glob: &GlobMatcher| prefixes(path).any(|prefix| glob.is_match(Path::new(prefix)));
        self.include.as_ref().is_none_or(covers) && !self.exclude.as_ref().is_some_and(covers)
    }
}

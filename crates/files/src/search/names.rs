//! Finding files by a few letters, for somebody who types: over a list that is made once.
//!
//! A match in the name of a file counts more than one in the folders above it, letters in a row and
//! letters after a separator more than others. Letter case matters once a capital is typed.

use std::{
    cmp::Reverse,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{Atom, AtomKind, CaseMatching, Normalization, Pattern},
};
use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use crate::files::{
    FileError, Files, Kind,
    smallest::Smallest,
    walk::parallel::{Found, Look, Walk, shown},
};

#[cfg(test)]
mod tests;

/// How many files are listed at most.
pub(crate) const MAX_LISTED: usize = 200_000;
/// How many names are returned at most.
pub const MAX_NAMES: u32 = 20_000;
/// What a letter is worth more in the name of a file.
const NAME_BONUS: usize = 8;
/// How many files pass between two questions whether to stop.
const CANCEL_EVERY: usize = 4_096;

/// The files of a tree that no ignore file leaves out, by path.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileList {
    paths: Vec<RelPath>,
    /// There are more.
    truncated: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamesFound {
    /// The best matches, the best first.
    pub paths: Vec<RelPath>,
    /// True when more files match, or there are more files than are looked at.
    pub truncated: bool,
}

/// List the files of a tree.
pub fn list(files: &Files, cancel: &dyn Fn() -> bool) -> Result<FileList, FileError> {
    let start = RelPath::root();
    let listing = Listing { files, start: &start, count: AtomicUsize::new(0) };
    let walk = Walk { files, start: &start, respect_gitignore: true, hidden: true };
    let mut paths = walk.run(&listing, cancel)?.workers.concat();
    paths.sort_unstable();
    Ok(FileList { truncated: listing.count.into_inner() > paths.len(), paths })
}

struct Listing<'a> {
    files: &'a Files,
    start: &'a RelPath,
    count: AtomicUsize,
}

impl Look for Listing<'_> {
    type Marks = ();
    type Worker = Vec<RelPath>;

    fn worker(&self) -> Vec<RelPath> {
        Vec::new()
    }

    fn enter(&self, _: Option<()>, _: &Path) {}

    fn look(&self, listed: &mut Vec<RelPath>, found: &Found<'_, ()>) {
        // A name that is not text cannot be opened by what is shown of it.
        let Some(path) = found.tail.to_str().and_then(|_| shown(self.start, found.tail)) else {
            return;
        };
        let is_file = match found.kind {
            Kind::File => true,
            Kind::Symlink => self.files.stat(&path).is_ok_and(|stat| stat.kind == Kind::File),
            Kind::Folder | Kind::Other => false,
        };
        if is_file && self.count.fetch_add(1, Ordering::Relaxed) < MAX_LISTED {
            listed.push(path);
        }
    }
}

/// Find the best few of a list.
pub fn find_names(
    list: &FileList,
    query: &str,
    limit: u32,
    cancel: &dyn Fn() -> bool,
) -> Result<NamesFound, FileError> {
    let limit = limit.min(MAX_NAMES) as usize;
    let mut scorer = Scorer::new(query);
    let mut best = Smallest::new(limit);
    for (number, path) in list.paths.iter().enumerate() {
        if number % CANCEL_EVERY == 0 && cancel() {
            return Err(FileError::Cancelled);
        }
        if let Some(score) = scorer.score(path) {
            let length = if scorer.is_empty() { 0 } else { path.as_str().len() };
            best.push((Reverse(score), length, path));
        }
    }
    let truncated = list.truncated || best.seen() > limit as u64;
    let paths = best.into_sorted().into_iter().map(|(_, _, path)| path.clone()).collect();
    Ok(NamesFound { paths, truncated })
}

struct Scorer {
    pattern: Pattern,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Scorer {
    fn new(query: &str) -> Self {
        let (case, letters) = (CaseMatching::Smart, Normalization::Smart);
        Self {
            pattern: Pattern::new(query, case, letters, AtomKind::Fuzzy),
            matcher: Matcher::new(Config::DEFAULT.match_paths()),
            letters: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.pattern.atoms.is_empty()
    }

    /// Every word of the query must match, each where it matches best.
    fn score(&mut self, path: &RelPath) -> Option<usize> {
        let name = path.name().unwrap_or_default();
        let mut total = 0;
        for word in &self.pattern.atoms {
            let mut score = |text: &str| -> Option<usize> {
                let text = Utf32Str::new(text, &mut self.letters);
                word.score(text, &mut self.matcher).map(usize::from)
            };
            let in_path = score(path.as_str())?;
            let in_name = score(name).map(|score| score + NAME_BONUS * letters(word));
            total += in_name.map_or(in_path, |in_name| in_name.max(in_path));
        }
        Some(total)
    }
}

fn letters(word: &Atom) -> usize {
    word.needle_text().len()
}

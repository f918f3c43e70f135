//! What was counted, with as many files kept as the wanted page can need.

use std::{collections::BinaryHeap, ffi::OsString, io, path::Path};

use super::{GrepMode, GrepQuery};

/// The counts of a search, or of one thread's part of it.
pub(super) struct Tally {
    mode: GrepMode,
    /// How many results the page reaches to.
    reach: u64,
    /// The first files by path, as text and not word by word; the last of them is at the top.
    kept: BinaryHeap<(OsString, u64)>,
    kept_results: u64,
    pub(super) matches: u64,
    pub(super) files: u64,
    pub(super) scanned: u64,
    pub(super) binary: u64,
    pub(super) secret: u64,
    pub(super) large: u64,
    pub(super) unreadable: u64,
}

impl Tally {
    pub(super) fn new(query: &GrepQuery) -> Self {
        Self {
            mode: query.mode,
            reach: u64::from(query.offset) + u64::from(query.limit()),
            kept: BinaryHeap::new(),
            kept_results: 0,
            matches: 0,
            files: 0,
            scanned: 0,
            binary: 0,
            secret: 0,
            large: 0,
            unreadable: 0,
        }
    }

    /// One match is enough to know of a file.
    pub(super) fn first_only(&self) -> bool {
        self.mode == GrepMode::FilesWithMatches
    }

    /// Count a file by what its search said.
    pub(super) fn add(&mut self, counted: io::Result<Option<u64>>, tail: &Path) {
        match counted {
            Ok(Some(matches)) => {
                self.scanned += 1;
                self.matches += matches;
                if matches > 0 {
                    self.files += 1;
                    if self.would_keep(tail) {
                        self.keep(tail.as_os_str().to_owned(), matches);
                    }
                }
            }
            Ok(None) => self.binary += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.raw_os_error().is_some() => self.unreadable += 1,
            Err(_) => self.large += 1,
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        self.files += other.files;
        self.scanned += other.scanned;
        self.binary += other.binary;
        self.secret += other.secret;
        self.large += other.large;
        self.unreadable += other.unreadable;
        for (tail, matches) in other.kept {
            self.keep(tail, matches);
        }
    }

    /// How many results there are, returned or not.
    pub(super) fn results(&self) -> u64 {
        if self.mode == GrepMode::Content { self.matches } else { self.files }
    }

    /// The files that the page may need by path, the matches of each, and its results.
    pub(super) fn first_results(&self) -> Vec<(OsString, u64, u64)> {
        let mut kept: Vec<_> = self
            .kept
            .iter()
            .map(|(tail, matches)| (tail.clone(), *matches, self.weight(*matches)))
            .collect();
        kept.sort_unstable();
        kept
    }

    fn weight(&self, matches: u64) -> u64 {
        if self.mode == GrepMode::Content { matches } else { 1 }
    }

    fn would_keep(&self, tail: &Path) -> bool {
        self.kept_results < self.reach
            || self.kept.peek().is_some_and(|(last, _)| tail.as_os_str() < last.as_os_str())
    }

    fn keep(&mut self, tail: OsString, matches: u64) {
        self.kept_results += self.weight(matches);
        self.kept.push((tail, matches));
        while let Some((_, last)) = self.kept.peek()
            && let Some(without) = self.kept_results.checked_sub(self.weight(*last))
            && without >= self.reach
        {
            self.kept_results = without;
            self.kept.pop();
        }
    }
}

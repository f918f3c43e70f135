//! The same search for somebody who waits: matches are told as they are found, in no order.
//!
//! Files are read once. What is secret, binary or ignored is passed over as in any search.

use std::{
    fs::File,
    io,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use grep_regex::RegexMatcher;
use openspace_protocol::RelPath;

use super::{
    FileError, FileMatches, Files, GrepError, GrepPage, GrepQuery, Grepped, Kind, LineMatches,
    expression::{Expression, FileSearch},
    scan::{Marks, Scan, Verdict},
    spans::{Spans, Taker},
};
use crate::files::walk::parallel::{Found, Look, Walk, open_file, shown};

#[cfg(test)]
mod tests;

/// How many matches are told at most, whatever the query says.
pub const MAX_TOLD: u32 = 100_000;

/// Whoever is told; says whether more is wanted.
type Listener<'a> = &'a (dyn Fn(FileMatches) -> bool + Sync);

/// Search, and tell every file's matches. The answer has the counts of what was told, and says
/// with `truncated` that there is more than the query's limit.
pub fn tell(
    files: &Files,
    query: &GrepQuery,
    listener: Listener<'_>,
    cancel: &dyn Fn() -> bool,
) -> Result<Grepped, GrepError> {
    let expression = Expression::new(query)?;
    let start = query.path.clone().unwrap_or_default();
    let mut scan = Scan::new(files, query, &start, &expression)?;
    let limit = query.limit.unwrap_or(super::DEFAULT_LIMIT).min(MAX_TOLD);
    let counts = Counts { left: AtomicU64::new(limit.into()), ..Counts::default() };
    let walk =
        Walk { files, start: &start, respect_gitignore: query.respect_gitignore, hidden: true };
    if files.stat(&start)?.kind == Kind::Folder {
        scan.guard(&walk.place()?)?;
        let telling =
            Telling { scan, expression: &expression, start: &start, listener, counts: &counts };
        match walk.run(&telling, &|| cancel() || counts.is_over()) {
            Ok(walked) => add(&counts.unreadable, walked.unreadable),
            Err(FileError::Cancelled) if !cancel() => {}
            Err(error) => return Err(error.into()),
        }
    } else {
        let (file, metadata) = files.open_regular(&start)?;
        let mut worker = Worker::new(&expression);
        let taker = Teller { path: &start, listener, counts: &counts, told: 0 };
        let searched = worker.search(&file, metadata.len(), taker, cancel);
        counts.add(searched);
    }
    if cancel() || counts.unheard.load(Ordering::Relaxed) {
        return Err(FileError::Cancelled.into());
    }
    let total = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Ok(Grepped {
        page: GrepPage::Matches(Vec::new()),
        total_matches: Some(total(&counts.matches)),
        total_files: total(&counts.files),
        truncated: counts.limit_hit.load(Ordering::Relaxed),
        scanned_files: total(&counts.scanned),
        skipped_binary: total(&counts.binary),
        skipped_secret: total(&counts.secret),
        skipped_large: total(&counts.large),
        unreadable: total(&counts.unreadable),
    })
}

/// What all threads of one search count.
#[derive(Default)]
struct Counts {
    /// How many matches may still be told.
    left: AtomicU64,
    limit_hit: AtomicBool,
    /// Nobody wants to be told any more.
    unheard: AtomicBool,
    matches: AtomicU64,
    files: AtomicU64,
    scanned: AtomicU64,
    binary: AtomicU64,
    secret: AtomicU64,
    large: AtomicU64,
    unreadable: AtomicU64,
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}

impl Counts {
    fn is_over(&self) -> bool {
        self.limit_hit.load(Ordering::Relaxed) || self.unheard.load(Ordering::Relaxed)
    }

    /// Count a file by what its search said: how many matches were told, or `None` for binary.
    fn add(&self, searched: io::Result<Option<u64>>) {
        match searched {
            Ok(Some(told)) => {
                add(&self.scanned, 1);
                add(&self.matches, told);
                add(&self.files, u64::from(told > 0));
            }
            Ok(None) => add(&self.binary, 1),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.raw_os_error().is_some() => add(&self.unreadable, 1),
            Err(_) => add(&self.large, 1),
        }
    }
}

/// Tells the matches of one file.
struct Teller<'a> {
    path: &'a RelPath,
    listener: Listener<'a>,
    counts: &'a Counts,
    told: u64,
}

impl Taker for Teller<'_> {
    fn wants(&mut self) -> bool {
        let took = self
            .counts
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if took.is_err() {
            self.counts.limit_hit.store(true, Ordering::Relaxed);
        }
        took.is_ok()
    }

    fn take(&mut self, matches: Vec<LineMatches>) -> bool {
        let told: usize = matches.iter().map(|line| line.ranges.len()).sum();
        let heard = (self.listener)(FileMatches { path: self.path.clone(), matches });
        if heard {
            self.told += told as u64;
        } else {
            self.counts.unheard.store(true, Ordering::Relaxed);
        }
        heard
    }
}

struct Worker {
    search: FileSearch,
    matcher: RegexMatcher,
    by_block: bool,
}

impl Worker {
    fn new(expression: &Expression) -> Self {
        let search = FileSearch::for_lines(expression, 0, 0);
        let (matcher, by_block) = search.matcher();
        Self { search, matcher, by_block }
    }

    fn search(
        &mut self,
        file: &File,
        size: u64,
        taker: Teller<'_>,
        halt: &dyn Fn() -> bool,
    ) -> io::Result<Option<u64>> {
        let mut spans = Spans::new(&self.matcher, self.by_block, taker);
        self.search.search(file, size, halt, &mut spans)?;
        let is_binary = spans.is_binary;
        let told = spans.finish().told;
        Ok((!is_binary).then_some(told))
    }
}

/// One search of a folder.
struct Telling<'a> {
    scan: Scan<'a>,
    expression: &'a Expression,
    start: &'a RelPath,
    listener: Listener<'a>,
    counts: &'a Counts,
}

impl Look for Telling<'_> {
    type Marks = Marks;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::new(self.expression)
    }

    fn enter(&self, above: Option<Marks>, tail: &Path) -> Marks {
        self.scan.enter(above, tail)
    }

    fn look(&self, worker: &mut Worker, found: &Found<'_, Marks>) {
        if self.counts.is_over() {
            return;
        }
        match self.scan.judge(found) {
            Verdict::PassOver => return,
            Verdict::Secret => return add(&self.counts.secret, 1),
            Verdict::Search => {}
        }
        let Some(path) = shown(self.start, found.tail) else {
            return add(&self.counts.unreadable, 1);
        };
        let taker = Teller { path: &path, listener: self.listener, counts: self.counts, told: 0 };
        let halt = || found.stopped.load(Ordering::Relaxed);
        let searched = match open_file(found.folder, found.name) {
            Ok((_, metadata)) if self.scan.is_twin(&metadata, &halt) => {
                return add(&self.counts.secret, 1);
            }
            Ok((file, metadata)) => worker.search(&file, metadata.len(), taker, &halt),
            Err(error) => Err(error),
        };
        self.counts.add(searched);
    }
}

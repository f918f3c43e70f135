//! Reading the lines of the wanted page.

use std::{
    collections::VecDeque, ffi::CString, fs::File, io, os::unix::ffi::OsStrExt as _, path::Path,
    sync::Arc,
};

use cap_std::fs::Dir;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};
use openspace_protocol::RelPath;

use super::{
    ContextLine, GrepMatch, GrepQuery, MAX_CONTEXT, MAX_LINE_CHARACTERS, MAX_PAGE_BYTES,
    expression::{Expression, FileSearch, Splitter, newlines},
};
use crate::files::walk::parallel::{open_file, open_folder};

/// Stands at the end of a text that was cut.
pub(super) const CUT: &str = " [cut]";
const MAX_UTF8_BYTES: usize = 4;

/// The matches that are returned.
pub(super) struct Page {
    search: FileSearch,
    splitter: Arc<Splitter>,
    before: usize,
    after: usize,
    limit: usize,
    bytes: usize,
    pub(super) matches: Vec<GrepMatch>,
}

impl Page {
    pub(super) fn new(expression: &Expression, query: &GrepQuery) -> Self {
        let before = query.before.min(MAX_CONTEXT) as usize;
        let after = query.after.min(MAX_CONTEXT) as usize;
        let search = FileSearch::for_lines(expression, before, after);
        Self {
            splitter: search.splitter(),
            search,
            before,
            after,
            limit: query.limit() as usize,
            bytes: 0,
            matches: Vec::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.matches.len() >= self.limit || self.bytes >= MAX_PAGE_BYTES
    }

    /// Add the matches of a file beneath a folder; no link is followed on the way.
    pub(super) fn add_beneath(
        &mut self,
        folder: &Dir,
        tail: &Path,
        shown: &RelPath,
        skip: u64,
        halt: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let (Some(above), Some(name)) = (tail.parent(), tail.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let name = CString::new(name.as_bytes())?;
        let (file, metadata) = open_file(&open_folder(folder, above)?, &name)?;
        self.add(&file, metadata.len(), (shown, tail.to_str().is_none()), skip, halt)
    }

    /// Add the matches of an open file, without the first `skip`, until the page is full.
    pub(super) fn add(
        &mut self,
        file: &File,
        size: u64,
        (path, bad_name): (&RelPath, bool),
        skip: u64,
        halt: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let mut lines = Lines {
            splitter: Arc::clone(&self.splitter),
            path,
            bad_name,
            before: self.before,
            after: self.after,
            skip,
            room: self.limit.saturating_sub(self.matches.len()),
            bytes: self.bytes,
            recent: VecDeque::new(),
            last_line: 0,
            matches: Vec::new(),
            is_binary: false,
        };
        self.search.search(file, size, halt, &mut lines)?;
        if !lines.is_binary {
            self.bytes = lines.bytes;
            self.matches.append(&mut lines.matches);
        }
        Ok(())
    }
}

/// Collects the wanted matches of one file with the lines near them.
struct Lines<'a> {
    splitter: Arc<Splitter>,
    path: &'a RelPath,
    bad_name: bool,
    before: usize,
    after: usize,
    /// How many matches are still passed over.
    skip: u64,
    /// How many matches are still wanted.
    room: usize,
    bytes: usize,
    /// The last lines that are not shown yet.
    recent: VecDeque<ContextLine>,
    /// The last line of the last wanted match or of what follows it.
    last_line: u64,
    matches: Vec<GrepMatch>,
    is_binary: bool,
}

impl Lines<'_> {
    /// True while a match is still wanted.
    fn wants_match(&self) -> bool {
        self.room > 0 && self.bytes < MAX_PAGE_BYTES
    }

    /// True while the last match still wants lines after it.
    fn wants_after(&self) -> bool {
        self.matches.last().is_some_and(|last| last.after.len() < self.after)
    }

    fn add_match(&mut self, line: u64, lines: &[u8]) {
        if self.skip > 0 {
            self.skip -= 1;
            self.each_line(line, lines, Self::remember);
        } else if self.wants_match() {
            self.room -= 1;
            self.last_line = last_line(line, lines);
            let text = shown_text(lines);
            let before: Vec<_> = self
                .recent
                .drain(..)
                .filter(|near| near.line + self.before as u64 >= line)
                .collect();
            self.bytes += text.len() + before.iter().map(|near| near.text.len()).sum::<usize>();
            self.matches.push(GrepMatch {
                path: self.path.clone(),
                line,
                text,
                before,
                after: Vec::new(),
                bad_name: self.bad_name,
            });
        } else {
            // A match that is not on this page is a neighbour like any other.
            self.each_line(line, lines, Self::follow);
        }
    }

    fn each_line(&mut self, first: u64, lines: &[u8], mut add: impl FnMut(&mut Self, u64, &[u8])) {
        for (line, text) in (first..).zip(lines.split_inclusive(|byte| *byte == b'\n')) {
            add(self, line, text);
        }
    }

    fn remember(&mut self, line: u64, text: &[u8]) {
        if self.before > 0 {
            if self.recent.len() == self.before {
                self.recent.pop_front();
            }
            self.recent.push_back(ContextLine { line, text: shown_text(text) });
        }
    }

    fn follow(&mut self, line: u64, text: &[u8]) {
        if line == self.last_line + 1
            && let Some(last) = self.matches.last_mut()
            && last.after.len() < self.after
        {
            let text = shown_text(text);
            self.bytes += text.len();
            self.last_line = line;
            last.after.push(ContextLine { line, text });
        }
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let first = found.line_number().unwrap_or(0);
        let splitter = Arc::clone(&self.splitter);
        splitter.split(found, |lines, line| {
            self.add_match(first + line, lines);
            self.wants_match() || self.wants_after()
        })?;
        Ok(self.wants_match() || self.wants_after())
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        let line = near.line_number().unwrap_or(0);
        let follows = *near.kind() == SinkContextKind::After && !self.matches.is_empty();
        if follows || !self.wants_match() {
            self.follow(line, near.bytes());
        } else {
            self.remember(line, near.bytes());
        }
        Ok(self.wants_match() || self.wants_after())
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

fn last_line(first: u64, lines: &[u8]) -> u64 {
    let inner = lines.strip_suffix(b"\n").unwrap_or(lines);
    first + newlines(inner)
}

/// Text without its last end of line, cut with a mark when it is too long.
fn shown_text(bytes: &[u8]) -> String {
    let (mut text, is_cut) = cut_text(bytes);
    if is_cut {
        text.push_str(CUT);
    }
    text
}

/// Text without its last end of line, and whether it was too long.
pub(super) fn cut_text(bytes: &[u8]) -> (String, bool) {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let most = bytes.len().min((MAX_LINE_CHARACTERS + 1) * MAX_UTF8_BYTES);
    let mut text = String::from_utf8_lossy(&bytes[..most]).into_owned();
    let end = text.char_indices().nth(MAX_LINE_CHARACTERS).map(|(end, _)| end);
    if let Some(end) = end {
        text.truncate(end);
    }
    (text, end.is_some())
}

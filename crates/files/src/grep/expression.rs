//! The compiled pattern, and searching one open file with it.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use regex_syntax::ParserBuilder;

use super::{GrepError, GrepQuery, MAX_SEARCH_BYTES};

/// A compiled expression larger than this is refused.
const MAX_EXPRESSION_BYTES: usize = 10 * 1024 * 1024;
/// Files up to this size are searched in one piece. The searcher looks for a NUL among so many first
/// bytes of a piece, so such a file is looked through to its end.
const PIECE_BYTES: usize = 64 * 1024;
/// What makes a file binary.
const NUL: u8 = 0;

/// A compiled pattern.
pub(super) struct Expression {
    matcher: RegexMatcher,
    multiline: bool,
}

impl Expression {
    #[cfg(test)]
    pub(super) fn matcher(&self) -> RegexMatcher {
        self.matcher.clone()
    }

    pub(super) fn new(query: &GrepQuery) -> Result<Self, GrepError> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .case_insensitive(query.case_insensitive)
            .fixed_strings(query.fixed_strings)
            .word(query.whole_word)
            .size_limit(MAX_EXPRESSION_BYTES)
            .dfa_size_limit(MAX_EXPRESSION_BYTES);
        if query.multiline {
            builder.dot_matches_new_line(query.dot_matches_line_end);
        } else {
            builder.line_terminator(Some(b'\n'));
        }
        let pattern = query.pattern.clone();
        if let Err(diagnostic) = check(query) {
            return Err(GrepError::BadPattern { pattern, diagnostic });
        }
        match builder.build(&query.pattern) {
            Ok(matcher) => Ok(Self { matcher, multiline: query.multiline }),
            Err(error) if matches!(error.kind(), ErrorKind::NotAllowed(_)) => {
                Err(GrepError::NeedsMultiline { pattern })
            }
            Err(error) => Err(GrepError::BadPattern { pattern, diagnostic: error.to_string() }),
        }
    }
}

/// Read the pattern as it was given. The matcher wraps it before it reads it, so that its own
/// diagnostic points at text which the caller never wrote.
fn check(query: &GrepQuery) -> Result<(), String> {
    if query.fixed_strings {
        return Ok(());
    }
    let parsed = ParserBuilder::new()
        .multi_line(true)
        .case_insensitive(query.case_insensitive)
        .dot_matches_new_line(query.multiline && query.dot_matches_line_end)
        .utf8(false)
        .build()
        .parse(&query.pattern);
    parsed.map(drop).map_err(|error| error.to_string())
}

/// Searches one file after the other, in memory that is used again.
pub(super) struct FileSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    splitter: Arc<Splitter>,
    buffer: Vec<u8>,
}

impl FileSearch {
    /// A search that tells neither line numbers nor neighbours.
    pub(super) fn for_counting(expression: &Expression) -> Self {
        Self::new(expression, SearcherBuilder::new().line_number(false))
    }

    /// A search that tells line numbers and lines near a match.
    pub(super) fn for_lines(expression: &Expression, before: usize, after: usize) -> Self {
        let mut builder = SearcherBuilder::new();
        Self::new(expression, builder.line_number(true).before_context(before).after_context(after))
    }

    fn new(expression: &Expression, builder: &mut SearcherBuilder) -> Self {
        let searcher = builder
            .line_terminator(LineTerminator::byte(b'\n'))
            .binary_detection(BinaryDetection::quit(NUL))
            .heap_limit(Some(MAX_SEARCH_BYTES))
            .multi_line(expression.multiline)
            .build();
        // A clone, because threads that share one wait for each other.
        let matcher = expression.matcher.clone();
        let by_block = searcher.multi_line_with_matcher(&matcher);
        let splitter = Arc::new(Splitter { matcher: by_block.then(|| matcher.clone()) });
        Self { matcher, searcher, splitter, buffer: vec![0; PIECE_BYTES] }
    }

    /// How many matches a file has, or `None` when it is binary.
    ///
    /// An error without a number of the system says that a line is too long or the search was halted.
    pub(super) fn count(
        &mut self,
        file: &File,
        size: u64,
        halt: &dyn Fn() -> bool,
        first_only: bool,
    ) -> io::Result<Option<u64>> {
        let splitter = self.splitter.clone();
        let mut counter = Counter { splitter: &splitter, first_only, count: 0, is_binary: false };
        self.search(file, size, halt, &mut counter)?;
        Ok((!counter.is_binary).then_some(counter.count))
    }

    pub(super) fn splitter(&self) -> Arc<Splitter> {
        Arc::clone(&self.splitter)
    }

    /// The pattern, and whether what the searcher reports may be more than one line.
    pub(super) fn matcher(&self) -> (RegexMatcher, bool) {
        (self.matcher.clone(), self.splitter.matcher.is_some())
    }

    pub(super) fn search<S: Sink<Error = io::Error>>(
        &mut self,
        mut file: &File,
        size: u64,
        halt: &dyn Fn() -> bool,
        sink: &mut S,
    ) -> io::Result<()> {
        let mut filled = 0;
        // A file that has given as many bytes as it has is not asked once more.
        let whole = loop {
            match file.read(&mut self.buffer[filled..]) {
                Ok(0) => break filled < self.buffer.len(),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if filled as u64 == size {
                break true;
            }
        };
        let first = &self.buffer[..filled];
        if whole {
            self.searcher.search_slice(&self.matcher, first, sink)
        } else {
            self.searcher.search_reader(&self.matcher, first.chain(Halting { file, halt }), sink)
        }
    }
}

/// A file that can be stopped being read.
struct Halting<'a> {
    file: &'a File,
    halt: &'a dyn Fn() -> bool,
}

impl Read for Halting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.halt)() {
            return Err(io::Error::other("halted"));
        }
        self.file.read(buffer)
    }
}

/// Counts matches.
struct Counter<'a> {
    splitter: &'a Splitter,
    first_only: bool,
    count: u64,
    is_binary: bool,
}

impl Sink for Counter<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.splitter.split(found, |_, _| {
            self.count += 1;
            true
        })?;
        Ok(!self.first_only)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Takes apart what the searcher reports: when matches may span lines, it reports neighbouring
/// matches as one block.
pub(super) struct Splitter {
    /// Absent when each report is one line.
    matcher: Option<RegexMatcher>,
}

impl Splitter {
    /// Show `each` the lines of every match and how many lines of the report come before them.
    ///
    /// Matches that share a line are shown as one. `each` says whether to go on.
    pub(super) fn split(
        &self,
        found: &SinkMatch<'_>,
        mut each: impl FnMut(&[u8], u64) -> bool,
    ) -> io::Result<()> {
        let Some(matcher) = &self.matcher else {
            each(found.bytes(), 0);
            return Ok(());
        };
        let buffer = found.buffer();
        let block = found.bytes_range_in_buffer();
        let mut counted = (block.start, 0_u64);
        let mut show = |lines: &Range<usize>| {
            counted.1 += newlines(&buffer[counted.0..lines.start]);
            counted.0 = lines.start;
            each(&buffer[lines.clone()], counted.1)
        };
        let mut last: Option<Range<usize>> = None;
        let mut go_on = true;
        let searched = matcher.find_iter_at(buffer, block.start, |hit| {
            if hit.start() >= block.end {
                return false;
            }
            let lines = lines_of(buffer, &block, hit.start()..hit.end());
            match &mut last {
                Some(last) if lines.start < last.end => last.end = last.end.max(lines.end),
                Some(last) => {
                    go_on = show(last);
                    *last = lines;
                }
                None => last = Some(lines),
            }
            go_on
        });
        searched.map_err(io::Error::other)?;
        if let Some(last) = last
            && go_on
        {
            show(&last);
        }
        Ok(())
    }
}

/// The whole lines in a block that a match touches.
pub(super) fn lines_of(buffer: &[u8], block: &Range<usize>, hit: Range<usize>) -> Range<usize> {
    let before = &buffer[block.start..hit.start];
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(block.start, |at| block.start + at + 1);
    if hit.end > hit.start && buffer[hit.end - 1] == b'\n' {
        return start..hit.end;
    }
    let after = &buffer[hit.end..block.end.max(hit.end)];
    let end = after.iter().position(|byte| *byte == b'\n').map_or(block.end, |at| hit.end + at + 1);
    start..end.max(hit.end)
}

/// How many lines end in the text.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
}

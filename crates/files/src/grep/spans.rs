//! Where exactly the matches of a file are, in the lines and columns of an editor.

use std::{io, ops::Range};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkFinish, SinkMatch};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    expression::{lines_of, newlines},
    page::cut_text,
};

#[cfg(test)]
mod tests;

/// A file with many matches is told in pieces of about this size.
const PIECE_BYTES: usize = 64 * 1024;
/// About what a range takes on its way.
const SPAN_BYTES: usize = 64;

/// Matches in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileMatches {
    /// The path relative to the workspace root.
    pub path: RelPath,
    /// The lines, in their order.
    pub matches: Vec<LineMatches>,
}

/// A line with matches, or the lines that a match spans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineMatches {
    /// The number of the first line, counting from 1.
    pub line: u64,
    /// The text without its last end of line, cut at 2000 characters.
    pub text: String,
    /// Where the matches are, also beyond a cut.
    pub ranges: Vec<Span>,
}

/// Where a match is: lines and columns count from 1, columns in units of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MatchRange")]
#[expect(missing_docs, reason = "the names say it")]
pub struct Span {
    pub start_line: u64,
    pub start_column: u64,
    pub end_line: u64,
    pub end_column: u64,
}

/// What becomes of matches that were found.
pub(super) trait Taker {
    /// Whether one more match is wanted.
    fn wants(&mut self) -> bool;
    /// Take a piece; false when no more are wanted.
    fn take(&mut self, matches: Vec<LineMatches>) -> bool;
}

/// Collects the matches of one file.
pub(super) struct Spans<'a, T> {
    pub(super) matcher: &'a RegexMatcher,
    /// A report of the searcher may be several lines.
    pub(super) by_block: bool,
    pub(super) taker: T,
    pub(super) is_binary: bool,
    piece: Vec<LineMatches>,
    bytes: usize,
}

impl<'a, T: Taker> Spans<'a, T> {
    pub(super) fn new(matcher: &'a RegexMatcher, by_block: bool, taker: T) -> Self {
        Self { matcher, by_block, taker, is_binary: false, piece: Vec::new(), bytes: 0 }
    }

    /// Hand over what is left, unless the file turned out to be binary.
    pub(super) fn finish(mut self) -> T {
        if !self.is_binary && !self.piece.is_empty() {
            self.taker.take(self.piece);
        }
        self.taker
    }

    /// The matches of a report that are not empty, or else the first.
    fn hits(&self, found: &SinkMatch<'_>) -> io::Result<Vec<Range<usize>>> {
        let block = found.bytes_range_in_buffer();
        let end = if self.by_block { found.buffer().len() } else { block.end };
        let (mut hits, mut empty) = (Vec::new(), None);
        let searched = self.matcher.find_iter_at(&found.buffer()[..end], block.start, |hit| {
            if hit.start() >= block.end {
                return false;
            }
            if hit.is_empty() {
                empty.get_or_insert(hit.start()..hit.end());
            } else {
                hits.push(hit.start()..hit.end());
            }
            true
        });
        searched.map_err(io::Error::other)?;
        if hits.is_empty() {
            hits.extend(empty);
        }
        Ok(hits)
    }
}

impl<T: Taker> Sink for Spans<'_, T> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let (buffer, block) = (found.buffer(), found.bytes_range_in_buffer());
        let mut groups: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
        let mut wants_more = true;
        for hit in self.hits(found)? {
            wants_more = self.taker.wants();
            if !wants_more {
                break;
            }
            let lines = lines_of(buffer, &block, hit.clone());
            match groups.last_mut() {
                Some((last, hits)) if lines.start < last.end => {
                    last.end = last.end.max(lines.end);
                    hits.push(hit);
                }
                _ => groups.push((lines, vec![hit])),
            }
        }
        let mut cursor =
            Cursor { buffer, at: block.start, line: found.line_number().unwrap_or(1), column: 1 };
        for (lines, hits) in groups {
            cursor.advance(lines.start);
            let line = cursor.line;
            let ranges: Vec<Span> = hits.into_iter().map(|hit| cursor.span(&hit)).collect();
            let (text, _) = cut_text(&buffer[lines]);
            self.bytes += text.len() + ranges.len() * SPAN_BYTES;
            self.piece.push(LineMatches { line, text, ranges });
        }
        if self.bytes >= PIECE_BYTES {
            self.bytes = 0;
            wants_more &= self.taker.take(std::mem::take(&mut self.piece));
        }
        Ok(wants_more)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A place in a text that only moves on.
struct Cursor<'a> {
    buffer: &'a [u8],
    at: usize,
    line: u64,
    column: u64,
}

impl Cursor<'_> {
    fn span(&mut self, hit: &Range<usize>) -> Span {
        let (start_line, start_column) = self.advance(hit.start);
        let (end_line, end_column) = self.advance(hit.end);
        Span { start_line, start_column, end_line, end_column }
    }

    /// The line and column of a byte.
    fn advance(&mut self, to: usize) -> (u64, u64) {
        // A match that was found before may reach further.
        let passed = &self.buffer[self.at.min(to)..to];
        let last_line = match passed.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => {
                self.line += newlines(passed);
                self.column = 1;
                &passed[end + 1..]
            }
            None => passed,
        };
        self.column += utf16_length(last_line);
        self.at = to;
        // To an editor the two bytes that end a line are one end.
        let in_line_end = to > 0
            && self.buffer[to - 1] == b'\r'
            && self.buffer.get(to).is_none_or(|byte| *byte == b'\n')
            && self.column > 1;
        (self.line, self.column - u64::from(in_line_end))
    }
}

fn utf16_length(bytes: &[u8]) -> u64 {
    if bytes.is_ascii() {
        return bytes.len() as u64;
    }
    String::from_utf8_lossy(bytes).encode_utf16().count() as u64
}

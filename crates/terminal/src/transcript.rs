//! The finished lines of a terminal as text, in a ring that is bounded in lines and in bytes.
//!
//! It knows nothing of screens: rows come in from the top of the screen, lines with a number that
//! never restarts come out.

use std::collections::VecDeque;
use std::ops::Range;

use super::filter::{FILLER, REPLACEMENT};

pub(super) const LINE_LIMIT: usize = 10_000;
pub(super) const BYTE_LIMIT: usize = 8 * 1024 * 1024;
pub(super) const LINE_BYTE_LIMIT: usize = 64 * 1024;
const HEAD_BYTE_LIMIT: usize = 1024 * 1024;
/// Ends a line that was longer than is kept.
pub(super) const CUT_MARK: &str = " [line cut at 64 KB]";

/// All text lies in one byte ring, so that a flood of short lines costs no allocation per line.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    text: VecDeque<u8>,
    lengths: VecDeque<usize>,
    first: u64,
    open: OpenLine,
    head: Head,
}

/// The first lines of a command's output, as far as the ring has dropped them.
#[derive(Debug, Default)]
struct Head {
    range: Range<u64>,
    lines: Vec<String>,
    bytes: usize,
}

impl Transcript {
    /// The number of the oldest line that is still kept.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The number that the line at the top of the screen has.
    pub(super) fn next(&self) -> u64 {
        self.first + self.lengths.len() as u64
    }

    /// What has already scrolled off of the line at the top of the screen.
    pub(super) fn open(&self) -> &OpenLine {
        &self.open
    }

    /// Takes the row that leaves the top of the screen; `wrapped` when its line goes on below.
    pub(super) fn push_row(&mut self, row: &str, wrapped: bool) {
        self.open.append(row);
        if !wrapped {
            self.finish_line();
        }
    }

    /// Takes a whole line of printable ASCII, when no line is open.
    pub(super) fn push_ascii_line(&mut self, line: &[u8]) {
        let blanks = line.iter().rev().take_while(|&&byte| byte == b' ').count();
        if line.len() > LINE_BYTE_LIMIT {
            self.push_row(&String::from_utf8_lossy(line), false);
            return;
        }
        let line = &line[..line.len() - blanks];
        self.text.extend(line);
        self.lengths.push_back(line.len());
        self.drop_oldest();
    }

    /// Ends the line at the top of the screen where it is.
    pub(super) fn finish_line(&mut self) {
        self.open.trim();
        self.text.extend(self.open.text.as_bytes());
        self.lengths.push_back(self.open.text.len());
        self.open.clear();
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        while self.lengths.len() > LINE_LIMIT || self.text.len() > BYTE_LIMIT {
            let Some(length) = self.lengths.pop_front() else { break };
            if self.head.range.contains(&self.first) && self.head.bytes + length <= HEAD_BYTE_LIMIT
            {
                let line: Vec<u8> = self.text.range(..length).copied().collect();
                self.head.lines.push(String::from_utf8_lossy(&line).into_owned());
                self.head.bytes += length;
            }
            self.text.drain(..length);
            self.first += 1;
        }
    }

    /// Keeps `count` lines from the one of number `first` on, also when the ring drops them.
    pub(super) fn keep_head(&mut self, first: u64, count: usize) {
        let count = u64::try_from(count.min(LINE_LIMIT)).unwrap_or_default();
        self.head = Head { range: first..first + count, ..Head::default() };
    }

    /// Those of the kept first lines that are no longer in the ring.
    pub(super) fn head(&self) -> (u64, &[String]) {
        (self.head.range.start, &self.head.lines)
    }

    /// The kept lines whose numbers lie in `range`.
    pub(super) fn lines(&self, range: Range<u64>) -> Vec<String> {
        let index = |number: u64| {
            usize::try_from(number.saturating_sub(self.first))
                .map_or(self.lengths.len(), |index| index.min(self.lengths.len()))
        };
        let (from, to) = (index(range.start), index(range.end));
        if from >= to {
            return Vec::new();
        }
        let behind: usize = self.lengths.range(from..).sum();
        let mut start = self.text.len() - behind;
        let mut lines = Vec::with_capacity(to - from);
        let mut bytes = Vec::new();
        for &length in self.lengths.range(from..to) {
            bytes.clear();
            let (left, right) = slices(&self.text, start..start + length);
            bytes.extend_from_slice(left);
            bytes.extend_from_slice(right);
            lines.push(String::from_utf8_lossy(&bytes).into_owned());
            start += length;
        }
        lines
    }
}

fn slices(ring: &VecDeque<u8>, range: Range<usize>) -> (&[u8], &[u8]) {
    let (front, back) = ring.as_slices();
    if range.end <= front.len() {
        (&front[range], &[])
    } else if range.start >= front.len() {
        (&back[range.start - front.len()..range.end - front.len()], &[])
    } else {
        (&front[range.start..], &back[..range.end - front.len()])
    }
}

/// A logical line being put together from rows, never longer than `LINE_BYTE_LIMIT` and its mark.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenLine {
    text: String,
    cut: bool,
    begun: bool,
}

impl OpenLine {
    pub(super) fn begun(&self) -> bool {
        self.begun
    }

    pub(super) fn append(&mut self, row: &str) {
        self.begun = true;
        if row.is_ascii() && !self.cut && self.text.len() + row.len() <= LINE_BYTE_LIMIT {
            self.text.push_str(row);
            return;
        }
        for character in row.chars().filter(|&character| character != FILLER) {
            if self.cut {
                return;
            }
            let shown = if character == REPLACEMENT { '\u{fffd}' } else { character };
            if self.text.len() + shown.len_utf8() > LINE_BYTE_LIMIT {
                self.cut = true;
                self.text.push_str(CUT_MARK);
            } else {
                self.text.push(shown);
            }
        }
    }

    fn trim(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
    }

    fn clear(&mut self) {
        self.text.clear();
        self.cut = false;
        self.begun = false;
    }

    pub(super) fn into_text(mut self) -> String {
        self.trim();
        self.text
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

//! The beginning and the end of a text of any length, in bounded memory.

use super::text::{Readable, line_ends};
use super::{BUDGET, Captured};

const HEAD: usize = 20 * 1024;
/// A beginning that is cut at a line leaves more room for the end.
const TAIL: usize = BUDGET - HEAD / 2;
/// What the line that marks the cut may take.
const MARK: usize = 128;

#[derive(Default)]
pub(super) struct Excerpt {
    head: String,
    head_is_full: bool,
    tail: String,
    text_bytes: u64,
    raw_bytes: u64,
    line_ends: u64,
    binary: bool,
}

impl Excerpt {
    pub(super) fn push(&mut self, piece: &Readable<'_>) {
        self.text_bytes += piece.text.len() as u64;
        self.raw_bytes += piece.raw_bytes as u64;
        self.line_ends += piece.line_ends as u64;
        self.binary |= piece.binary;

        let mut rest = piece.text.as_ref();
        if !self.head_is_full {
            let fits = rest.floor_char_boundary(HEAD - self.head.len());
            self.head.push_str(&rest[..fits]);
            rest = &rest[fits..];
            self.head_is_full = !rest.is_empty();
        }
        rest = &rest[rest.floor_char_boundary(rest.len().saturating_sub(TAIL))..];
        self.tail.push_str(rest);
        if self.tail.len() > 2 * TAIL {
            let start = self.tail.floor_char_boundary(self.tail.len() - TAIL);
            self.tail.drain(..start);
        }
    }

    /// Whether the text has outgrown the budget.
    pub(super) fn is_cut(&self) -> bool {
        self.text_bytes > BUDGET as u64
    }

    pub(super) fn finish(&self) -> Captured {
        let last = if self.tail.is_empty() { &self.head } else { &self.tail };
        let unfinished_line = !last.is_empty() && !last.ends_with('\n');
        Captured {
            text: if self.is_cut() { self.cut() } else { format!("{}{}", self.head, self.tail) },
            truncated: self.is_cut(),
            binary: self.binary,
            total_bytes: self.raw_bytes,
            total_lines: self.line_ends + u64::from(unfinished_line),
        }
    }

    /// Cuts where lines end, unless that would cost more than half of a part.
    fn cut(&self) -> String {
        let head = match self.head.rfind('\n') {
            Some(end) if end >= HEAD / 2 => &self.head[..=end],
            _ => &self.head,
        };
        let room = BUDGET - MARK - head.len();
        let tail = &self.tail[self.tail.ceil_char_boundary(self.tail.len().saturating_sub(room))..];
        let tail = match tail.find('\n') {
            Some(end) if end < tail.len() / 2 => &tail[end + 1..],
            _ => tail,
        };
        let bytes = self.text_bytes - (head.len() + tail.len()) as u64;
        let lines =
            self.line_ends - (line_ends(head.as_bytes()) + line_ends(tail.as_bytes())) as u64;
        let separator = if head.ends_with('\n') { "" } else { "\n" };
        format!("{head}{separator}[{bytes} bytes, {lines} lines left out here]\n{tail}")
    }
}

#[cfg(test)]
mod tests;

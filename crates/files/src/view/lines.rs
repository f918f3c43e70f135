//! Lines one after the other from a place on, each only so far as it is shown.

use std::fmt::Write as _;

use super::{MAX_LINE_CHARACTERS, Source, units::Units};
use crate::files::{
    Encoding, FileError,
    decode::{Piece, decode},
};

/// How many bytes of a line are kept: no character takes more than four.
const HEAD_BYTES: usize = 4 * MAX_LINE_CHARACTERS;
/// How far the rest of a line is read to count what is left out.
pub(super) const MAX_REST_BYTES: u64 = 16 * 1024 * 1024;
const BLOCK_BYTES: usize = 64 * 1024;

/// A line as it is shown.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) lossy: bool,
    /// The line is not shown to its end.
    pub(super) cut: bool,
    /// The line is so long that its end was not looked for: nothing can be read after it.
    pub(super) endless: bool,
}

pub(super) struct Reader<'a> {
    source: &'a Source<'a>,
    encoding: Encoding,
    /// Where the file ends, or ended when it was looked at.
    end: u64,
    buffer: Vec<u8>,
    /// Where in the file the buffer is.
    at: u64,
    used: usize,
    filled: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source<'a>, encoding: Encoding, from: u64, end: u64) -> Self {
        let buffer = vec![0; BLOCK_BYTES];
        Self { source, encoding, end, buffer, at: from, used: 0, filled: 0 }
    }

    /// The place after the last line that was read.
    pub(super) fn place(&self) -> u64 {
        self.at + self.used as u64
    }

    fn refill(&mut self) -> Result<bool, FileError> {
        if self.used < self.filled {
            return Ok(true);
        }
        self.at += self.filled as u64;
        let room = self.end.saturating_sub(self.at).min(BLOCK_BYTES as u64);
        let wanted = usize::try_from(room).unwrap_or(BLOCK_BYTES);
        self.used = 0;
        self.filled = self.source.fill(&mut self.buffer[..wanted], self.at)?;
        Ok(self.filled > 0)
    }

    /// The next line, or `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Line>, FileError> {
        let units = Units::of(self.encoding);
        let mut head = Vec::new();
        let (mut rest_bytes, mut rest_characters) = (0_u64, 0_u64);
        let mut any = false;
        let mut ended = false;
        let mut after_return = false;
        while !ended && rest_bytes <= MAX_REST_BYTES && self.refill()? {
            any = true;
            let piece = &self.buffer[self.used..self.filled];
            let end = units.first_end(piece);
            let text = end.map_or(piece, |end| &piece[..end - units.width()]);
            ended = end.is_some();
            self.used += end.unwrap_or(piece.len());
            let kept = text.len().min(HEAD_BYTES - head.len());
            head.extend_from_slice(&text[..kept]);
            rest_bytes += (text.len() - kept) as u64;
            rest_characters += units.characters(&text[kept..]);
            if !text.is_empty() {
                after_return = units.ends_in(text, b'\r');
            }
        }
        if !any {
            return Ok(None);
        }
        if ended && after_return {
            if rest_bytes == 0 {
                head.truncate(head.len() - units.width());
            } else {
                rest_characters -= 1;
            }
        }
        let endless = !ended && rest_bytes > MAX_REST_BYTES;
        Ok(Some(shown(self.encoding, &head, rest_characters, endless)))
    }
}

fn shown(encoding: Encoding, head: &[u8], rest: u64, endless: bool) -> Line {
    let mut line = Line { text: String::new(), lossy: false, cut: false, endless };
    let (mut room, mut left_out) = (MAX_LINE_CHARACTERS, rest);
    decode(encoding, head, |piece| match piece {
        Piece::Text(text) => {
            let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
            let (kept, beyond) = text.split_at(end);
            line.text.push_str(kept);
            room -= kept.chars().count();
            left_out += beyond.chars().count() as u64;
        }
        Piece::Broken(_) if room == 0 => left_out += 1,
        Piece::Broken(_) => {
            line.text.push(char::REPLACEMENT_CHARACTER);
            line.lossy = true;
            room -= 1;
        }
    });
    if left_out > 0 || endless {
        line.cut = true;
        let least = if endless { "at least " } else { "" };
        // Writing into a string cannot fail.
        _ = write!(line.text, "… [{least}{left_out} more characters]");
    }
    line
}

//! Edits of a text as a browser counts them: in UTF-16 code units from the start of the text.
//!
//! Half of a surrogate pair is no position in a text: an edit that starts or ends inside one is an
//! error, and then nothing is edited.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::merge::{self, Hunk};

#[cfg(test)]
mod tests;

/// How many bytes are passed at once where all of them are ASCII.
const STRIDE: usize = 256;

/// Put a text in the position of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TextEdit")]
pub struct Edit {
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The new text.
    pub text: String,
}

/// Why edits cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffsetError {
    /// An edit comes before the end of the one before it, or ends before it starts.
    #[error("edits[{index}] is not in order")]
    Order {
        /// Which edit.
        index: usize,
    },
    /// An offset is beyond the end.
    #[error("edits[{index}] ends at {offset}, but the text has {length} code units")]
    Beyond {
        /// Which edit.
        index: usize,
        /// What it says.
        offset: usize,
        /// How long the text is.
        length: usize,
    },
    /// An offset is inside a surrogate pair.
    #[error("edits[{index}]: {offset} is inside a surrogate pair")]
    InsidePair {
        /// Which edit.
        index: usize,
        /// What it says.
        offset: usize,
    },
}

/// Make edits that all speak of the text as it is before the first of them.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, OffsetError> {
    let new: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut edited = String::with_capacity(text.len() + new);
    let mut position = Position::default();
    for (index, edit) in edits.iter().enumerate() {
        if edit.start < position.units || edit.end < edit.start {
            return Err(OffsetError::Order { index });
        }
        let done = position.bytes;
        position.go_to(text, edit.start, index)?;
        edited.push_str(&text[done..position.bytes]);
        position.go_to(text, edit.end, index)?;
        edited.push_str(&edit.text);
    }
    edited.push_str(&text[position.bytes..]);
    Ok(edited)
}

/// The lines that an edit puts in the place of others. Lines count from 1, in the text that the edits before it
/// have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditedLines {
    /// The first of them.
    pub first: usize,
    /// How many line ends are taken away.
    pub removed: usize,
    /// How many are put there.
    pub added: usize,
}

/// Which lines edits are about, one by one.
pub fn edited_lines(text: &str, edits: &[Edit]) -> Result<Vec<EditedLines>, OffsetError> {
    let line_ends = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    let (mut position, mut line) = (Position::default(), 1);
    let mut lines = Vec::with_capacity(edits.len());
    for (index, edit) in edits.iter().enumerate() {
        if edit.start < position.units || edit.end < edit.start {
            return Err(OffsetError::Order { index });
        }
        let done = position.bytes;
        position.go_to(text, edit.start, index)?;
        let start = position.bytes;
        position.go_to(text, edit.end, index)?;
        let first = line + line_ends(&text[done..start]);
        let (removed, added) = (line_ends(&text[start..position.bytes]), line_ends(&edit.text));
        lines.push(EditedLines { first, removed, added });
        line = first + added;
    }
    Ok(lines)
}

/// Small edits that lead from one text to another.
pub fn between(old: &str, new: &str) -> Vec<Edit> {
    let (old_lines, new_lines) = (merge::lines(old), merge::lines(new));
    let (old_starts, new_starts) = (starts(&old_lines), starts(&new_lines));
    let mut position = Position::default();
    let mut edits = Vec::new();
    for hunk in merge::hunks(&old_lines, &new_lines) {
        let (from, to) = bytes(&hunk, (old, &old_starts), (new, &new_starts));
        let (from, to) = trim(old, from, new, to);
        let start = position.units + units(&old[position.bytes..from.start]);
        let end = start + units(&old[from.clone()]);
        position = Position { units: end, bytes: from.end };
        edits.push(Edit { start, end, text: new[to].to_owned() });
    }
    edits
}

/// Where each line starts, in bytes.
fn starts(lines: &[&str]) -> Vec<usize> {
    lines
        .iter()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len() + 1;
            Some(start)
        })
        .collect()
}

/// The bytes of both texts that a hunk speaks of, so that what is around them is the same.
fn bytes(
    hunk: &Hunk,
    (old, old_starts): (&str, &[usize]),
    (new, new_starts): (&str, &[usize]),
) -> (Range<usize>, Range<usize>) {
    let from = |lines: &Range<usize>, text: &str, starts: &[usize]| {
        // The line feed before lines at the very end goes with them.
        let at_end = lines.end == starts.len();
        let start = starts.get(lines.start).copied().unwrap_or(text.len() + 1);
        let end = starts.get(lines.end).copied().unwrap_or(text.len());
        if at_end { start.saturating_sub(1)..end } else { start..end }
    };
    (from(&hunk.old, old, old_starts), from(&hunk.new, new, new_starts))
}

/// Leave out what is the same at the start and at the end.
fn trim(
    old: &str,
    from: Range<usize>,
    new: &str,
    to: Range<usize>,
) -> (Range<usize>, Range<usize>) {
    let (a, b) = (&old[from.clone()], &new[to.clone()]);
    let same = |(a, b): &(char, char)| a == b;
    let width = |(a, _): (char, char)| a.len_utf8();
    let before: usize = a.chars().zip(b.chars()).take_while(same).map(width).sum();
    let (a, b) = (&a[before..], &b[before..]);
    let after: usize = a.chars().rev().zip(b.chars().rev()).take_while(same).map(width).sum();
    (from.start + before..from.end - after, to.start + before..to.end - after)
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The same position in code units and in bytes.
#[derive(Clone, Copy, Default)]
struct Position {
    units: usize,
    bytes: usize,
}

impl Position {
    /// Go on to an offset, which lies ahead.
    fn go_to(&mut self, text: &str, offset: usize, index: usize) -> Result<(), OffsetError> {
        while self.units < offset {
            let piece = text.as_bytes().get(self.bytes..self.bytes + STRIDE);
            if offset - self.units >= STRIDE && piece.is_some_and(<[u8]>::is_ascii) {
                self.units += STRIDE;
                self.bytes += STRIDE;
                continue;
            }
            let mut ahead = text[self.bytes..].chars();
            for _ in 0..STRIDE {
                if self.units >= offset {
                    break;
                }
                let Some(letter) = ahead.next() else {
                    return Err(OffsetError::Beyond { index, offset, length: self.units });
                };
                self.units += letter.len_utf16();
                self.bytes += letter.len_utf8();
            }
        }
        if self.units > offset {
            return Err(OffsetError::InsidePair { index, offset });
        }
        Ok(())
    }
}

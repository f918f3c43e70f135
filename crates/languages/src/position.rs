//! Places in a text as servers count them: a line, and how far into it.
//!
//! Lines end with a line feed, a carriage return or both, as the protocol has it. A place beyond the end of its line is
//! the end of the line, one beyond the text is the end of the text, and one inside a character is its beginning.

use serde::{Deserialize, Serialize};

/// A place: a line and a column, both from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// How far into the line.
    pub character: u32,
}

/// From one place to another, the last one not included.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Range {
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

/// What columns are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// What every server can, and pages count in. The only one that servers are offered.
    Utf16,
    /// Bytes, for those who look at files.
    Utf8,
}

impl Encoding {
    fn width(self, letter: char) -> usize {
        match self {
            Self::Utf16 => letter.len_utf16(),
            Self::Utf8 => letter.len_utf8(),
        }
    }
}

/// The byte of the text at which a place is.
pub fn byte_of(text: &str, position: Position, encoding: Encoding) -> usize {
    let mut walk = Walk::new(text, encoding);
    walk.go_to_line(position.line);
    walk.go_to_column(position.character);
    walk.byte
}

/// The place of a byte of the text.
pub fn position_of(text: &str, byte: usize, encoding: Encoding) -> Position {
    let mut walk = Walk::new(text, encoding);
    walk.go_to_byte(byte);
    walk.position
}

/// The same place, counted in another way.
pub fn converted(text: &str, position: Position, from: Encoding, to: Encoding) -> Position {
    position_of(text, byte_of(text, position, from), to)
}

/// Goes through a text once, forward.
pub(crate) struct Walk<'a> {
    text: &'a str,
    encoding: Encoding,
    pub(crate) byte: usize,
    pub(crate) position: Position,
    /// UTF-16 code units before it, as edits count.
    pub(crate) units: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(text: &'a str, encoding: Encoding) -> Self {
        Self { text, encoding, byte: 0, position: Position::default(), units: 0 }
    }

    fn ahead(&self) -> Option<char> {
        self.text[self.byte..].chars().next()
    }

    fn step(&mut self, letter: char) {
        self.byte += letter.len_utf8();
        self.units += letter.len_utf16();
        // The line feed of a pair ends the line, so the carriage return before it does not.
        let ends_line = letter == '\n' || (letter == '\r' && self.ahead() != Some('\n'));
        if ends_line {
            self.position = Position { line: self.position.line.saturating_add(1), character: 0 };
        } else {
            let width = u32::try_from(self.encoding.width(letter)).unwrap_or(0);
            self.position.character = self.position.character.saturating_add(width);
        }
    }

    fn go_to_line(&mut self, line: u32) {
        while self.position.line < line
            && let Some(letter) = self.ahead()
        {
            self.step(letter);
        }
    }

    /// Must stand at the beginning of a line.
    fn go_to_column(&mut self, column: u32) {
        while self.position.character < column
            && let Some(letter) = self.ahead()
            && !matches!(letter, '\n' | '\r')
        {
            let width = u32::try_from(self.encoding.width(letter)).unwrap_or(0);
            if self.position.character.saturating_add(width) > column {
                break;
            }
            self.step(letter);
        }
    }

    fn go_to_byte(&mut self, byte: usize) {
        while let Some(letter) = self.ahead()
            && self.byte + letter.len_utf8() <= byte
        {
            self.step(letter);
        }
    }

    /// Go on to so many code units from the start. Says whether there is such a place.
    pub(crate) fn go_to_units(&mut self, units: usize) -> bool {
        while self.units < units
            && let Some(letter) = self.ahead()
        {
            self.step(letter);
        }
        self.units == units
    }
}

#[cfg(test)]
mod tests;

//! A file as a text that an edit can change, and back to bytes.
//!
//! Bytes that are not text are carried through an edit as characters of a private area of Unicode,
//! so that what the edit does not touch comes out as it went in. A file that holds such characters
//! itself, beside bytes that are not text, cannot be edited.

use std::borrow::Cow;

use openspace_text::edit::{EditError, Nearest, Replacement};

use crate::files::{
    Encoding, LineEnding, SNIFF_BYTES,
    decode::{Piece, decode},
};

/// Stands for the broken byte 0; the other bytes follow it.
const BYTES: u32 = 0x10_fe00;
/// Stands for the first of the surrogates of UTF-16 that have no partner; the others follow it.
const SURROGATES: u32 = 0x10_f000;
const FIRST_SURROGATE: u16 = 0xd800;
const SURROGATE_COUNT: u32 = 0x800;

pub(super) struct Text<'a> {
    pub(super) encoding: Encoding,
    /// The text without the byte order mark.
    pub(super) text: Cow<'a, str>,
    /// Where in the file the first byte is that is not text.
    broken: Option<u64>,
    /// The file holds characters of the private area itself.
    ambiguous: bool,
}

impl<'a> Text<'a> {
    /// `None` when the bytes are not text at all.
    pub(super) fn decode(raw: &'a [u8]) -> Option<Self> {
        let encoding = Encoding::of(&raw[..raw.len().min(SNIFF_BYTES)])?;
        if encoding.is_broken_by_nul(raw) {
            return None;
        }
        let body = &raw[encoding.mark()..];
        if let (Encoding::Utf8 | Encoding::Utf8Bom, Ok(text)) = (encoding, str::from_utf8(body)) {
            return Some(Self { encoding, text: text.into(), broken: None, ambiguous: false });
        }
        let mut text = String::with_capacity(body.len());
        let (mut at, mut broken) = (encoding.mark() as u64, None);
        let mut ambiguous = false;
        decode(encoding, body, |piece| match piece {
            Piece::Text(piece) => {
                at += encoded_len(encoding, piece);
                ambiguous |= piece.contains(is_stand_in);
                text.push_str(piece);
            }
            Piece::Broken(bytes) => {
                broken.get_or_insert(at);
                at += bytes.len() as u64;
                stand_in(encoding, bytes, &mut text);
            }
        });
        Some(Self { encoding, text: text.into(), broken, ambiguous })
    }

    pub(super) fn line_ending(&self) -> LineEnding {
        LineEnding::of(&self.text)
    }

    /// The first byte that these edits could change although nobody named it.
    pub(super) fn damaged_by(&self, edits: &[Replacement]) -> Option<u64> {
        let names =
            |edit: &Replacement| edit.old.contains(is_stand_in) || edit.new.contains(is_stand_in);
        self.broken.filter(|_| self.ambiguous || edits.iter().any(names))
    }

    /// The bytes of the file once it holds this text.
    pub(super) fn encode<'b>(&self, text: &'b str) -> Cow<'b, [u8]> {
        if self.broken.is_none() {
            return encode(self.encoding, text);
        }
        let mut bytes = encode(self.encoding, "").into_owned();
        let mut done = 0;
        for (at, stand_in) in text.match_indices(is_stand_in) {
            append(self.encoding, &text[done..at], &mut bytes);
            done = at + stand_in.len();
            for letter in stand_in.chars() {
                restore(self.encoding, u32::from(letter), &mut bytes);
            }
        }
        append(self.encoding, &text[done..], &mut bytes);
        bytes.into()
    }

    /// The text as it is shown to people.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        match self.broken {
            Some(_) => Cow::Owned(shown(&self.text)),
            None => Cow::Borrowed(&self.text),
        }
    }

    /// A part of the text as it is shown to people.
    pub(super) fn shown_part(&self, part: String) -> String {
        if self.broken.is_some() { shown(&part) } else { part }
    }

    pub(super) fn shown_error(&self, error: EditError) -> EditError {
        match error {
            EditError::NotFound { edit, nearest: Some(Nearest { line, text }) } => {
                let nearest = Nearest { line, text: self.shown_part(text) };
                EditError::NotFound { edit, nearest: Some(nearest) }
            }
            other => other,
        }
    }
}

fn shown(text: &str) -> String {
    text.replace(is_stand_in, "\u{fffd}")
}

fn is_stand_in(letter: char) -> bool {
    let code = u32::from(letter);
    (BYTES..BYTES + 0x100).contains(&code)
        || (SURROGATES..SURROGATES + SURROGATE_COUNT).contains(&code)
}

fn stand_in(encoding: Encoding, bytes: &[u8], text: &mut String) {
    if let (Encoding::Utf16Le, [low, high]) | (Encoding::Utf16Be, [high, low]) = (encoding, bytes) {
        let unit = u16::from_le_bytes([*low, *high]).wrapping_sub(FIRST_SURROGATE);
        text.extend(char::from_u32(SURROGATES + u32::from(unit)));
    } else {
        text.extend(bytes.iter().filter_map(|byte| char::from_u32(BYTES + u32::from(*byte))));
    }
}

/// The bytes that a character stands for.
fn restore(encoding: Encoding, code: u32, bytes: &mut Vec<u8>) {
    if let Some(byte) = code.checked_sub(BYTES) {
        bytes.extend(u8::try_from(byte));
    } else if let Ok(unit) = u16::try_from(code - SURROGATES) {
        append_unit(encoding, unit + FIRST_SURROGATE, bytes);
    }
}

fn encoded_len(encoding: Encoding, text: &str) -> u64 {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => text.len() as u64,
        Encoding::Utf16Le | Encoding::Utf16Be => 2 * text.encode_utf16().count() as u64,
    }
}

/// A text with its byte order mark.
pub(super) fn encode(encoding: Encoding, text: &str) -> Cow<'_, [u8]> {
    if encoding == Encoding::Utf8 {
        return text.as_bytes().into();
    }
    let mut bytes = Vec::with_capacity(encoding.mark() + text.len());
    append(encoding, "\u{feff}", &mut bytes);
    append(encoding, text, &mut bytes);
    bytes.into()
}

fn append(encoding: Encoding, text: &str, bytes: &mut Vec<u8>) {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => bytes.extend_from_slice(text.as_bytes()),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            text.encode_utf16().for_each(|unit| append_unit(encoding, unit, bytes));
        }
    }
}

fn append_unit(encoding: Encoding, unit: u16, bytes: &mut Vec<u8>) {
    bytes.extend(match encoding {
        Encoding::Utf16Be => unit.to_be_bytes(),
        _ => unit.to_le_bytes(),
    });
}

/// The text with a carriage return before every line feed.
pub(super) fn with_returns(text: &str) -> Cow<'_, str> {
    let mut spelled = String::new();
    let mut done = 0;
    for at in memchr::memchr_iter(b'\n', text.as_bytes()) {
        if at == 0 || text.as_bytes()[at - 1] != b'\r' {
            spelled.push_str(&text[done..at]);
            spelled.push('\r');
            done = at;
        }
    }
    if done == 0 && spelled.is_empty() {
        return text.into();
    }
    spelled.push_str(&text[done..]);
    spelled.into()
}

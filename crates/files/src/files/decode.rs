//! Whole pieces of a file as text, with every byte that is not text told apart; and line ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::text::Encoding;

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnding {
    /// No line has an end.
    #[default]
    None,
    /// Every line ends in a line feed.
    Lf,
    /// Every line ends in a carriage return and a line feed.
    Crlf,
    /// Some lines end in one way, some in the other.
    Mixed,
}

impl LineEnding {
    /// How the lines of a text end.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::None;
        for at in memchr::memchr_iter(b'\n', bytes) {
            let crlf = at > 0 && bytes[at - 1] == b'\r';
            found = found.and(!crlf, crlf);
            if found == Self::Mixed {
                break;
            }
        }
        found
    }

    /// What is known after some more line ends were seen.
    pub(crate) fn and(self, lf: bool, crlf: bool) -> Self {
        let lf = lf || matches!(self, Self::Lf | Self::Mixed);
        let crlf = crlf || matches!(self, Self::Crlf | Self::Mixed);
        match (lf, crlf) {
            (false, false) => Self::None,
            (true, false) => Self::Lf,
            (false, true) => Self::Crlf,
            (true, true) => Self::Mixed,
        }
    }
}

/// A piece of a decoded text.
pub(crate) enum Piece<'a> {
    Text(&'a str),
    /// Bytes that mean nothing in the encoding: together they stand where one character would.
    Broken(&'a [u8]),
}

/// Decode bytes that start at a character, after the byte order mark.
pub(crate) fn decode(encoding: Encoding, bytes: &[u8], mut each: impl FnMut(Piece<'_>)) {
    let unit = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => {
            for chunk in bytes.utf8_chunks() {
                each(Piece::Text(chunk.valid()));
                if !chunk.invalid().is_empty() {
                    each(Piece::Broken(chunk.invalid()));
                }
            }
            return;
        }
        Encoding::Utf16Le => u16::from_le_bytes,
        Encoding::Utf16Be => u16::from_be_bytes,
    };
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let mut at = 0;
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        if let Ok(character) = decoded {
            text.push(character);
            at += character.len_utf16();
        } else {
            each(Piece::Text(&std::mem::take(&mut text)));
            each(Piece::Broken(&pairs[at]));
            at += 1;
        }
    }
    each(Piece::Text(&text));
    if !odd.is_empty() {
        each(Piece::Broken(odd));
    }
}

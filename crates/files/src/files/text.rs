//! Bytes to lines of text, piece by piece, in memory bounded by what is returned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a text file is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-8 that starts with a byte order mark; the mark is not part of the content.
    #[serde(rename = "utf-8-bom")]
    Utf8Bom,
    /// UTF-16, low byte first, with a byte order mark.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, high byte first, with a byte order mark.
    #[serde(rename = "utf-16be")]
    Utf16Be,
}

impl Encoding {
    /// Guess from the first bytes; `None` when they are not text.
    pub(crate) fn of(first: &[u8]) -> Option<Self> {
        match first {
            // UTF-32, which nothing here decodes, starts like UTF-16.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ if first.contains(&0) => None,
            [0xef, 0xbb, 0xbf, ..] => Some(Self::Utf8Bom),
            _ => Some(Self::Utf8),
        }
    }

    /// Whether bytes of a file so encoded show that it is not text.
    pub(crate) fn is_broken_by_nul(self, piece: &[u8]) -> bool {
        matches!(self, Self::Utf8 | Self::Utf8Bom) && memchr::memchr(0, piece).is_some()
    }

    /// How many bytes the byte order mark takes.
    pub(crate) fn mark(self) -> usize {
        match self {
            Self::Utf8 => 0,
            Self::Utf8Bom => 3,
            Self::Utf16Le | Self::Utf16Be => 2,
        }
    }
}

/// Decodes pieces of a file that may be cut in the middle of a character.
pub(super) struct Decoder {
    encoding: Encoding,
    /// The beginning of a character whose rest is in the next piece: at most three bytes.
    begun: Vec<u8>,
}

impl Decoder {
    pub(super) fn new(encoding: Encoding) -> Self {
        Self { encoding, begun: Vec::new() }
    }

    pub(super) fn push(&mut self, piece: &[u8], lines: &mut Lines) {
        let joined;
        let piece = if self.begun.is_empty() {
            piece
        } else {
            joined = [std::mem::take(&mut self.begun).as_slice(), piece].concat();
            &joined
        };
        match self.encoding {
            Encoding::Utf8 | Encoding::Utf8Bom => self.push_utf8(piece, lines),
            Encoding::Utf16Le => self.push_utf16(piece, u16::from_le_bytes, lines),
            Encoding::Utf16Be => self.push_utf16(piece, u16::from_be_bytes, lines),
        }
    }

    /// The file ended: a character that was begun stays broken.
    pub(super) fn finish(self, lines: &mut Lines) {
        if !self.begun.is_empty() {
            lines.push_broken();
        }
    }

    fn push_utf8(&mut self, piece: &[u8], lines: &mut Lines) {
        let mut seen = 0;
        for chunk in piece.utf8_chunks() {
            lines.push(chunk.valid());
            seen += chunk.valid().len() + chunk.invalid().len();
            let may_go_on = seen == piece.len()
                && std::str::from_utf8(chunk.invalid())
                    .is_err_and(|error| error.error_len().is_none());
            if may_go_on {
                self.begun = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                lines.push_broken();
            }
        }
    }

    fn push_utf16(&mut self, piece: &[u8], unit: fn([u8; 2]) -> u16, lines: &mut Lines) {
        let (pairs, odd) = piece.as_chunks::<2>();
        let high = pairs.last().filter(|pair| matches!(unit(**pair), 0xd800..0xdc00));
        let whole = pairs.len() - usize::from(high.is_some());
        self.begun = [high.map_or(&[][..], |pair| pair), odd].concat();
        let mut text = String::new();
        for decoded in char::decode_utf16(pairs[..whole].iter().map(|pair| unit(*pair))) {
            if let Ok(character) = decoded {
                text.push(character);
            } else {
                lines.push(&std::mem::take(&mut text));
                lines.push_broken();
            }
        }
        lines.push(&text);
    }
}

/// Counts all lines and keeps the wanted ones.
pub(super) struct Lines {
    first: u64,
    last: u64,
    limit: usize,
    ended: u64,
    in_line: bool,
    pub(super) content: String,
    /// The last line of which something was kept.
    pub(super) kept: u64,
    /// Something kept was not valid and has been replaced.
    pub(super) lossy: bool,
    /// The limit was reached before the last wanted line.
    pub(super) truncated: bool,
}

impl Lines {
    pub(super) fn new(first: u64, last: u64, limit: usize) -> Self {
        Self {
            first,
            last,
            limit,
            ended: 0,
            in_line: false,
            content: String::new(),
            kept: first - 1,
            lossy: false,
            truncated: false,
        }
    }

    /// Nothing more will be kept, whatever comes.
    pub(super) fn is_satisfied(&self) -> bool {
        self.truncated || self.ended >= self.last
    }

    /// How many lines have been seen; one without an end of line counts too.
    pub(super) fn total(&self) -> u64 {
        self.ended + u64::from(self.in_line)
    }

    fn wants(&self) -> bool {
        !self.truncated && (self.first..=self.last).contains(&(self.ended + 1))
    }

    fn push_broken(&mut self) {
        self.lossy |= self.wants();
        self.push(char::REPLACEMENT_CHARACTER.encode_utf8(&mut [0; 4]));
    }

    fn push(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            if self.wants() {
                let room = self.limit - self.content.len();
                self.truncated = piece.len() > room;
                self.content.push_str(&piece[..piece.floor_char_boundary(room)]);
                self.kept = self.ended + 1;
            }
            self.in_line = !piece.ends_with('\n');
            self.ended += u64::from(!self.in_line);
        }
    }
}

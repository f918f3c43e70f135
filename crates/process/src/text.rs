//! Output bytes as text: characters are never cut in two, what is not text is shown as U+FFFD.

use std::borrow::Cow;

/// How many bytes at the end begin a character whose rest has not arrived.
pub(super) fn unfinished(bytes: &[u8]) -> usize {
    (1..=bytes.len().min(3))
        .find(|&back| bytes[bytes.len() - back] & 0b1100_0000 != 0b1000_0000)
        .filter(|&back| {
            std::str::from_utf8(&bytes[bytes.len() - back..])
                .is_err_and(|error| error.error_len().is_none())
        })
        .unwrap_or(0)
}

/// A piece of output that ends with a whole character.
pub(super) struct Readable<'piece> {
    pub(super) text: Cow<'piece, str>,
    pub(super) raw_bytes: usize,
    pub(super) line_ends: usize,
    pub(super) binary: bool,
}

impl<'piece> Readable<'piece> {
    pub(super) fn of(piece: &'piece [u8]) -> Self {
        let binary = piece.contains(&0);
        let mut text = String::from_utf8_lossy(piece);
        if binary {
            text = Cow::Owned(text.replace('\0', "\u{fffd}"));
        }
        Self { text, raw_bytes: piece.len(), line_ends: line_ends(piece), binary }
    }
}

#[expect(clippy::naive_bytecount, reason = "the compiler makes this fast enough for a pipe")]
pub(super) fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests;

//! Lines of a stream, none longer than a bound.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The most bytes of a line, either way: a picture of the largest size fits, with what stands around it.
pub(super) const LONGEST_LINE: usize = 12 * 1024 * 1024;
/// Room that is kept for the next line.
const USUAL_LINE: usize = 64 * 1024;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line, without its end.
    Whole(&'a [u8]),
    /// A line that was thrown away.
    TooLong { bytes: u64 },
}

/// Reads lines.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(USUAL_LINE, reader), line: Vec::new() }
    }

    /// The next line, or the rest before the end of the stream; `None` at its end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        self.line.shrink_to(USUAL_LINE);
        let mut bytes = 0_u64;
        loop {
            let found = self.reader.fill_buf().await?;
            if found.is_empty() && bytes == 0 {
                return Ok(None);
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            let piece = &found[..end.unwrap_or(found.len())];
            bytes += piece.len() as u64;
            if bytes <= LONGEST_LINE as u64 {
                self.line.extend_from_slice(piece);
            }
            let (is_last, read) =
                (end.is_some() || found.is_empty(), piece.len() + usize::from(end.is_some()));
            self.reader.consume(read);
            if is_last {
                break;
            }
        }
        if bytes > LONGEST_LINE as u64 {
            return Ok(Some(Line::TooLong { bytes }));
        }
        Ok(Some(Line::Whole(self.line.strip_suffix(b"\r").unwrap_or(&self.line))))
    }
}

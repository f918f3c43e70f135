//! Reading text, whole or by lines, from a file or from memory. Binary content is refused, never shown
//! as broken text.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
};

use openspace_protocol::RelPath;
use rustix::fs::OFlags;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Action, FileError, Files,
    beneath::without_waiting,
    hash::Hash,
    text::{Decoder, Encoding, Lines},
};

#[cfg(test)]
mod tests;

/// The largest file that is read without a range, and the most text that one read returns.
pub const MAX_READ_BYTES: u64 = 10 * 1024 * 1024;
/// How far a file is read on, after the wanted lines, to count its lines.
pub const MAX_COUNT_BYTES: u64 = 64 * 1024 * 1024;
/// So many first bytes tell the encoding. A NUL makes a file binary wherever it is seen, in UTF-8.
pub(crate) const SNIFF_BYTES: usize = 8 * 1024;
const PIECE_BYTES: usize = 64 * 1024;

/// Which lines to read, counting from 1, both ends included; neither given means the whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineRange {
    /// The first line; 1 when left out.
    pub start_line: Option<u32>,
    /// The last line; the end of the file when left out or beyond it.
    pub end_line: Option<u32>,
}

impl LineRange {
    fn is_whole(self) -> bool {
        self.start_line.is_none() && self.end_line.is_none()
    }

    fn bounds(self) -> Result<(u64, u64), FileError> {
        let first = u64::from(self.start_line.unwrap_or(1));
        let last = self.end_line.map_or(u64::MAX, u64::from);
        if first == 0 || first > last {
            return Err(FileError::BadRange {
                start_line: self.start_line,
                end_line: self.end_line,
            });
        }
        Ok((first, last))
    }
}

/// Text that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextRead {
    /// The lines, with their ends (`\n` or `\r\n`) as they are in the file.
    pub content: String,
    /// The first line of the content.
    pub start_line: u64,
    /// The last line of the content; one less than the first when the file is empty.
    pub end_line: u64,
    /// How many lines the file has; absent when it was not read to its end.
    pub total_lines: Option<u64>,
    /// The size of the file in bytes.
    pub size: u64,
    /// XXH3 hash (128 bits, hexadecimal) of the bytes of the file; absent when it was not read to
    /// its end or is larger than is counted.
    pub hash: Option<String>,
    /// How the file is encoded.
    pub encoding: Encoding,
    /// True when bytes that are not valid in the encoding were replaced by U+FFFD in the content.
    pub lossy: bool,
    /// True when the content was cut at the limit; its last line may be incomplete.
    pub truncated: bool,
}

impl Files {
    /// Read a text file, or some lines of it.
    pub fn read(&self, path: &RelPath, range: LineRange) -> Result<TextRead, FileError> {
        range.bounds()?;
        let (file, metadata) = self.open_regular(path)?;
        read_from(file, metadata.len(), None, path, range)
    }

    /// Open a regular file that the rules allow to read, without waiting on pipes and devices.
    pub(crate) fn open_regular(&self, path: &RelPath) -> Result<(File, Metadata), FileError> {
        self.guard(Action::Read, path, path)?;
        let fail = |error| self.fail(path, error);
        let options = without_waiting(OFlags::empty()).read(true).clone();
        let file = self.beneath.open_file(path.as_path(), &options).map_err(fail)?;
        self.guard_place(Action::Read, path, &self.locate(path, &file)?)?;
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(FileError::IsAFolder { path: path.clone() });
        }
        if !metadata.is_file() {
            return Err(FileError::NotAFile { path: path.clone() });
        }
        self.guard_twin(path, &metadata, &|| false)?;
        Ok((file, metadata))
    }
}

/// Read a text in memory, or some lines of it, as a file that holds it in UTF-8. The path is for errors
/// alone.
pub fn read_text(text: &str, path: &RelPath, range: LineRange) -> Result<TextRead, FileError> {
    read_from(text.as_bytes(), text.len() as u64, Some(Encoding::Utf8), path, range)
}

/// Read text of a size; how it is encoded shows in its first bytes unless it is known.
fn read_from(
    source: impl Read,
    size: u64,
    encoding: Option<Encoding>,
    path: &RelPath,
    range: LineRange,
) -> Result<TextRead, FileError> {
    let (first, last) = range.bounds()?;
    let too_large = |size| FileError::TooLarge { path: path.clone(), size, limit: MAX_READ_BYTES };
    if range.is_whole() && size > MAX_READ_BYTES {
        return Err(too_large(size));
    }

    let mut pieces = Pieces { source, buffer: vec![0; PIECE_BYTES] };
    let fail = |error| FileError::from_io(path, error);
    let mut piece = pieces.next().map_err(fail)?;
    let sniffed = &piece[..piece.len().min(SNIFF_BYTES)];
    let binary = || FileError::Binary { path: path.clone(), size };
    let is_guessed = encoding.is_none();
    let encoding = encoding.or_else(|| Encoding::of(sniffed)).ok_or_else(binary)?;

    let limit = usize::try_from(MAX_READ_BYTES).unwrap_or(usize::MAX);
    let mut lines = Lines::new(first, last, limit);
    let mut decoder = Decoder::new(encoding);
    let mut hash = Hash::new();
    let mut seen = 0_u64;
    let mut mark = encoding.mark();
    let complete = loop {
        if piece.is_empty() {
            break true;
        }
        seen += piece.len() as u64;
        if range.is_whole() && seen > MAX_READ_BYTES {
            return Err(too_large(size.max(seen)));
        }
        if seen <= MAX_COUNT_BYTES {
            hash.update(piece);
        } else if lines.is_satisfied() {
            break false;
        }
        // What looks like text may turn out not to be any. What is behind the wanted lines is only counted.
        if is_guessed && !lines.is_satisfied() && encoding.is_broken_by_nul(piece) {
            return Err(binary());
        }
        decoder.push(&piece[mark..], &mut lines);
        mark = 0;
        piece = pieces.next().map_err(fail)?;
    };
    if complete {
        decoder.finish(&mut lines);
        if lines.total() < first && first > 1 {
            return Err(FileError::LineBeyondEnd { path: path.clone(), lines: lines.total() });
        }
    }
    Ok(TextRead {
        start_line: first,
        end_line: lines.kept,
        total_lines: complete.then(|| lines.total()),
        size: if complete { seen } else { size },
        hash: (complete && seen <= MAX_COUNT_BYTES).then(|| hash.hex()),
        encoding,
        lossy: lines.lossy,
        truncated: lines.truncated,
        content: lines.content,
    })
}

/// A text in pieces of one size, the last one shorter, then empty ones.
struct Pieces<R> {
    source: R,
    buffer: Vec<u8>,
}

impl<R: Read> Pieces<R> {
    fn next(&mut self) -> io::Result<&[u8]> {
        let mut filled = 0;
        while filled < self.buffer.len() {
            match self.source.read(&mut self.buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[..filled])
    }
}

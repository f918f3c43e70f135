//! Counting the lines of a file from its start, and where some of them begin.
//!
//! A scan goes as far as it is asked to and can go on later. It keeps one line start in every few
//! hundred kilobytes, and fewer in a file so large that they would be too many.

use super::{BLOCK_BYTES, Source, units::Units};
use crate::files::{Encoding, FileError, Hash, LineEnding};

/// How many line starts are kept: half a megabyte of them.
pub(super) const MAX_STARTS: usize = 32 * 1024;

/// A place where a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// How many lines are before it.
    pub(super) lines: u64,
    pub(super) offset: u64,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about what was read")]
#[derive(Clone)]
pub(super) struct Scan {
    encoding: Encoding,
    units: Units,
    mark: u64,
    /// Something was seen that no text has.
    is_binary: bool,
    /// How far the file has been read.
    at: u64,
    newlines: u64,
    in_line: bool,
    after_return: bool,
    endings: LineEnding,
    starts: Vec<Start>,
    /// How many bytes lie between the starts that are kept.
    every: u64,
    /// Absent when the file is too large for one.
    hash: Option<Hash>,
    complete: bool,
    /// How many bytes are read at once.
    block: usize,
}

impl Scan {
    pub(super) fn new(encoding: Encoding, hashed: bool) -> Self {
        let mark = encoding.mark() as u64;
        Self {
            encoding,
            units: Units::of(encoding),
            mark,
            is_binary: false,
            at: 0,
            newlines: 0,
            in_line: false,
            after_return: false,
            endings: LineEnding::None,
            starts: vec![Start { lines: 0, offset: mark }],
            every: BLOCK_BYTES as u64,
            hash: hashed.then(Hash::new),
            complete: false,
            block: BLOCK_BYTES,
        }
    }

    /// Whether so many lines were seen to end, or all there are.
    pub(super) fn has(&self, lines: u64) -> bool {
        self.complete || self.newlines >= lines
    }

    /// Read on, but not beyond `end`, until so many lines have ended.
    pub(super) fn read_on(
        &mut self,
        source: &Source<'_>,
        end: u64,
        lines: u64,
    ) -> Result<(), FileError> {
        let mut buffer = vec![0; self.block];
        while !self.has(lines) {
            let room = end.saturating_sub(self.at).min(self.block as u64);
            let wanted = usize::try_from(room).unwrap_or(self.block);
            let filled = source.fill(&mut buffer[..wanted], self.at)?;
            self.take(&buffer[..filled]);
            self.complete = filled < wanted || self.at >= end;
        }
        Ok(())
    }

    fn take(&mut self, piece: &[u8]) {
        self.is_binary |= self.encoding.is_broken_by_nul(piece);
        if let Some(hash) = &mut self.hash {
            hash.update(piece);
        }
        let mark = usize::try_from(self.mark.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let text = &piece[mark.min(piece.len())..];
        let newlines = self.units.count(text);
        if newlines > 0 {
            self.keep_start(text, self.at + (piece.len() - text.len()) as u64);
            if self.endings != LineEnding::Mixed {
                let (lf, crlf) = self.units.endings(self.after_return, text);
                self.endings = self.endings.and(lf, crlf);
            }
        }
        if !text.is_empty() {
            self.in_line = !self.units.ends_in(text, b'\n');
            self.after_return = self.units.ends_in(text, b'\r');
        }
        self.newlines += newlines;
        self.at += piece.len() as u64;
    }

    fn keep_start(&mut self, text: &[u8], offset: u64) {
        let last = self.starts.last().map_or(0, |start| start.offset);
        if offset >= last + self.every
            && let Some(end) = self.units.first_end(text)
        {
            self.starts.push(Start { lines: self.newlines + 1, offset: offset + end as u64 });
        }
        if self.starts.len() > MAX_STARTS {
            let mut index = 0;
            self.starts.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// Where a line begins; so many lines before it have been seen to end.
    pub(super) fn find(&self, source: &Source<'_>, lines: u64) -> Result<u64, FileError> {
        let after = self.starts.partition_point(|start| start.lines <= lines);
        let Start { lines: before, mut offset } = self.starts[after.saturating_sub(1)];
        let mut missing = lines - before;
        let mut buffer = vec![0; if missing == 0 { 0 } else { BLOCK_BYTES }];
        while missing > 0 {
            let filled = source.fill(&mut buffer, offset)?;
            let piece = &buffer[..filled];
            let found = self.units.count(piece);
            if found >= missing {
                let end = usize::try_from(missing - 1)
                    .ok()
                    .and_then(|nth| self.units.ends(piece).nth(nth));
                return Ok(offset + end.unwrap_or(filled) as u64);
            }
            if filled == 0 {
                // The file has become shorter since it was counted.
                return Err(FileError::Busy { path: source.path.clone() });
            }
            missing -= found;
            offset += filled as u64;
        }
        Ok(offset)
    }

    /// How many lines the file has, once it was read to its end.
    pub(super) fn total(&self) -> Option<u64> {
        self.complete.then(|| self.newlines + u64::from(self.in_line))
    }

    pub(super) fn ends_in_newline(&self) -> bool {
        self.newlines > 0 && !self.in_line
    }

    pub(super) fn is_binary(&self) -> bool {
        self.is_binary
    }

    pub(super) fn seen(&self) -> u64 {
        self.at
    }

    pub(super) fn endings(&self) -> LineEnding {
        self.endings
    }

    pub(super) fn hash(&self) -> Option<String> {
        self.hash.as_ref().filter(|_| self.complete).map(Hash::hex)
    }

    /// A scan that keeps as many starts as it can.
    #[cfg(test)]
    pub(super) fn every(bytes: u64, encoding: Encoding) -> Self {
        Self { every: bytes, block: 8, ..Self::new(encoding, false) }
    }

    #[cfg(test)]
    pub(super) fn starts(&self) -> &[Start] {
        &self.starts
    }
}

//! The text of one part, without the blocks in it.

use std::time::Instant;

use crate::interceptor::{Interceptor, Piece, Why, WrittenCommand};

/// A block of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Command(WrittenCommand),
    Wrong { text: String, why: Why },
}

/// A block with its number in its text, counted from 0.
pub(super) type Numbered = (usize, Block);

/// The text of a part, as it grows.
#[derive(Debug, Default)]
pub(super) struct Stream {
    interceptor: Interceptor,
    /// The text as it was told, up to the first gap.
    raw: String,
    /// What of it is shown.
    clean: String,
    /// Blocks of `raw`.
    blocks: usize,
    /// Blocks that were given away before, whichever text they stood in.
    given: usize,
    /// Pieces after a gap. What they are pieces of is not known before the whole text is told.
    behind_gap: Option<Interceptor>,
    /// Whether commands are to be run: the part was heard from its beginning, while its session worked.
    pub(super) is_live: bool,
}

/// What something makes of a text.
#[derive(Debug, Default)]
pub(super) struct Grown {
    /// What is added to what is shown.
    pub(super) text: String,
    /// Blocks that are new.
    pub(super) blocks: Vec<Numbered>,
}

impl Stream {
    pub(super) fn new(is_live: bool) -> Self {
        Self { is_live, ..Self::default() }
    }

    /// The next piece of the text comes.
    pub(super) fn push(&mut self, delta: &str, now: Instant) -> Grown {
        if let Some(interceptor) = &mut self.behind_gap {
            // What seems to be a block may be two halves of two: it is hidden, and nothing more.
            let pieces = interceptor.push(delta, now);
            let text = pieces.into_iter().filter_map(|piece| match piece {
                Piece::Text(text) => Some(text),
                _ => None,
            });
            return Grown { text: text.collect(), blocks: Vec::new() };
        }
        self.raw.push_str(delta);
        let pieces = self.interceptor.push(delta, now);
        self.take(pieces)
    }

    /// The text is this now. What is shown of it then is [`Stream::shown`].
    pub(super) fn replace(&mut self, text: &str, has_ended: bool, now: Instant) -> Vec<Numbered> {
        self.behind_gap = None;
        let rest = if let Some(rest) = text.strip_prefix(self.raw.as_str()) {
            rest
        } else {
            // A key in it may be hidden now, or its last blanks are gone: it is read anew. Its blocks keep their numbers.
            let (given, is_live) = (self.given, self.is_live);
            *self = Self { given, is_live, ..Self::default() };
            text
        };
        let mut grown = self.push(rest, now).blocks;
        if has_ended {
            let pieces = self.interceptor.finish();
            grown.extend(self.take(pieces).blocks);
        }
        grown
    }

    /// What is shown of it.
    pub(super) fn shown(&self) -> &str {
        &self.clean
    }

    /// Something may not have been heard.
    pub(super) fn gap(&mut self) {
        self.behind_gap.get_or_insert_default();
    }

    pub(super) fn tick(&mut self, now: Instant) -> Vec<Numbered> {
        let pieces = self.interceptor.tick(now);
        self.take(pieces).blocks
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.interceptor.deadline()
    }

    fn take(&mut self, pieces: Vec<Piece>) -> Grown {
        let mut grown = Grown::default();
        for piece in pieces {
            let block = match piece {
                Piece::Text(text) => {
                    grown.text.push_str(&text);
                    continue;
                }
                Piece::Command(command) => Block::Command(command),
                Piece::Discarded { text, why } => Block::Wrong { text, why },
            };
            let number = self.blocks;
            self.blocks += 1;
            if number >= self.given {
                self.given = number + 1;
                grown.blocks.push((number, block));
            }
        }
        self.clean.push_str(&grown.text);
        grown
    }
}

/// A text that is read again: what is shown of it, and its blocks. The end of one that still grows is not known.
pub(super) fn read(text: &str, has_ended: bool) -> (String, Vec<Numbered>) {
    let mut stream = Stream::new(false);
    // A text that is all there takes no time.
    let blocks = stream.replace(text, has_ended, Instant::now());
    (stream.clean, blocks)
}

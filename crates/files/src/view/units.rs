//! Line ends in bytes that are not decoded: one byte in UTF-8, two in UTF-16.
//!
//! Wide pieces start at a whole character, so that an even place is always the first of two bytes.

use memchr::{memchr, memchr_iter};

use crate::files::Encoding;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Units {
    Narrow,
    /// The two bytes of a code unit, the low one first or not.
    Wide {
        low_first: bool,
    },
}

impl Units {
    pub(super) fn of(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Utf8 | Encoding::Utf8Bom => Self::Narrow,
            Encoding::Utf16Le => Self::Wide { low_first: true },
            Encoding::Utf16Be => Self::Wide { low_first: false },
        }
    }

    /// How many bytes a line feed takes.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Narrow => 1,
            Self::Wide { .. } => 2,
        }
    }

    fn spell(self, letter: u8) -> [u8; 2] {
        match self {
            Self::Narrow => [letter; 2],
            Self::Wide { low_first: true } => [letter, 0],
            Self::Wide { low_first: false } => [0, letter],
        }
    }

    pub(super) fn ends_in(self, piece: &[u8], letter: u8) -> bool {
        piece.len().is_multiple_of(self.width())
            && piece.ends_with(&self.spell(letter)[..self.width()])
    }

    /// How many line feeds there are.
    pub(super) fn count(self, piece: &[u8]) -> u64 {
        match self {
            Self::Narrow => memchr_iter(b'\n', piece).count() as u64,
            Self::Wide { .. } => self.ends(piece).count() as u64,
        }
    }

    /// Where the first line ends: the place after its line feed.
    pub(super) fn first_end(self, piece: &[u8]) -> Option<usize> {
        match self {
            Self::Narrow => memchr(b'\n', piece).map(|at| at + 1),
            Self::Wide { .. } => self.ends(piece).next(),
        }
    }

    /// The places after each line feed.
    pub(super) fn ends(self, piece: &[u8]) -> impl Iterator<Item = usize> {
        let width = self.width();
        let wanted = self.spell(b'\n');
        memchr_iter(b'\n', piece).filter_map(move |at| {
            let start = at - at % width;
            (piece.get(start..start + width) == Some(&wanted[..width])).then_some(start + width)
        })
    }

    /// Which line ends there are: line feeds alone, and those after a carriage return.
    pub(super) fn endings(self, before_is_return: bool, piece: &[u8]) -> (bool, bool) {
        let width = self.width();
        let (mut lf, mut crlf) = (false, false);
        for end in self.ends(piece) {
            let head = &piece[..end - width];
            let after_return =
                if head.is_empty() { before_is_return } else { self.ends_in(head, b'\r') };
            lf |= !after_return;
            crlf |= after_return;
            if lf && crlf {
                break;
            }
        }
        (lf, crlf)
    }

    /// How many characters there are, the begun one at the start not counted.
    pub(super) fn characters(self, piece: &[u8]) -> u64 {
        let count = match self {
            Self::Narrow => piece.iter().filter(|byte| **byte & 0xc0 != 0x80).count(),
            Self::Wide { low_first } => {
                let high = usize::from(low_first);
                let (pairs, odd) = piece.as_chunks::<2>();
                let begun = |pair: &&[u8; 2]| !(0xdc..0xe0).contains(&pair[high]);
                pairs.iter().filter(begun).count() + odd.len()
            }
        };
        count as u64
    }
}

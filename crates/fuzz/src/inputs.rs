//! What is tried: the seeds, then seeds with damage, and now and then nothing but noise.

/// No input is longer.
const LONGEST: usize = 1_024;
/// Bytes that mean something to many readers: ends of ranges, controls, brackets, parts of UTF-8.
const TELLING: &[u8] =
    b"\x00\x01\x07\x08\t\n\r\x1b\x7f\x80\x9b\x9c\xc2\xe4\xf0\xfe\xff \"'*+,-/09:;?[\\]{}";

pub(crate) struct Inputs<'a> {
    seeds: &'a [&'a [u8]],
    given: usize,
    random: Random,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(seeds: &'a [&'a [u8]], start: u64) -> Self {
        Self { seeds, given: 0, random: Random(start) }
    }

    fn seed(&mut self) -> &'a [u8] {
        if self.seeds.is_empty() { &[] } else { self.seeds[self.random.below(self.seeds.len())] }
    }

    fn noise(&mut self, most: usize) -> Vec<u8> {
        let length = self.random.below(most + 1);
        (0..length).map(|_| self.random.byte()).collect()
    }

    fn damaged(&mut self) -> Vec<u8> {
        let mut input = self.seed().to_vec();
        for _ in 0..=self.random.below(8) {
            self.damage(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn damage(&mut self, input: &mut Vec<u8>) {
        let (from, to) = self.range(input.len());
        match self.random.below(9) {
            0 => input.truncate(from),
            1 => drop(input.drain(from..to)),
            2 => {
                let piece = input[from..to].to_vec();
                let at = self.random.below(input.len() + 1);
                input.splice(at..at, piece);
            }
            3 => {
                let other = self.seed();
                let (start, end) = self.range(other.len());
                input.splice(from..to, other[start..end].iter().copied());
            }
            4 => {
                let noise = self.noise(6);
                input.splice(from..from, noise);
            }
            5 | 6 => {
                let byte = TELLING[self.random.below(TELLING.len())];
                let times = if self.random.below(8) == 0 { self.random.below(200) } else { 1 };
                input.splice(from..from, std::iter::repeat_n(byte, times));
            }
            _ => {
                let bit = 1 << self.random.below(8);
                if let Some(byte) = input.get_mut(from) {
                    *byte ^= bit;
                }
            }
        }
    }

    /// A piece of something with this many bytes; small pieces are as common as large ones.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.random.below(length + 1);
        let most = if self.random.below(2) == 0 { 4 } else { LONGEST };
        (from, length.min(from + self.random.below(most + 1)))
    }
}

impl Iterator for Inputs<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let seed = self.seeds.get(self.given);
        self.given = self.given.saturating_add(1);
        Some(match seed {
            Some(seed) => seed.to_vec(),
            None if self.random.below(10) == 0 => self.noise(64),
            None => self.damaged(),
        })
    }
}

/// Numbers without a pattern that matters here, the same for the same start (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// At least 0, less than `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        // The remainder of a 64-bit number: what small bounds favour does not show.
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }
}

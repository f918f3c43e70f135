//! The hash that tells whether a file is still the one that was read: XXH3 with 128 bits.
//!
//! It is fast and the same on every machine. It is no protection against somebody who wants two
//! files with one hash.

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

#[derive(Clone)]
pub(crate) struct Hash(Xxh3);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(Xxh3::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn hex(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }
}

/// The hash of a whole content, as [`super::TextRead`] and [`super::Written`] give it.
pub fn hash(content: &[u8]) -> String {
    format!("{:032x}", xxh3_128(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(b""), "99aa06d3014798d86001c324468d497f");
        assert_eq!(hash(b"a"), "a96faf705af16834e6c632b61e964e1f");
    }

    #[test]
    fn a_hash_in_pieces_is_that_of_the_whole() {
        let content: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut pieces = Hash::new();
        content.chunks(777).for_each(|piece| pieces.update(piece));
        assert_eq!(pieces.hex(), hash(&content));
    }
}

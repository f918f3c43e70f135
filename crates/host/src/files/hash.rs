//! The hash that tells whether a file is still the one that was read: FNV-1a with 128 bits.
//!
//! It is fast and the same on every machine. It is no protection against somebody who wants two
//! files with one hash.

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

pub(crate) struct Hash(u128);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(OFFSET)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0 =
            bytes.iter().fold(self.0, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME));
    }

    pub(crate) fn hex(&self) -> String {
        format!("{:032x}", self.0)
    }
}

/// The hash of a whole content, as [`super::TextRead`] and [`super::Written`] give it.
pub fn hash(content: &[u8]) -> String {
    let mut hash = Hash::new();
    hash.update(content);
    hash.hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash(b"a"), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(hash(b"foobar"), "343e1662793c64bf6f0d3597ba446f18");
    }
}

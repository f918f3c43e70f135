//! The first or last few letters of a value that are enough to know it by, where there are some.
//!
//! Output is cut: at a limit, at the width of a screen, at a cursor. What is left of a value is known by its
//! anchor and then hidden as far as it agrees with the value. A value that begins with a word has none: the
//! word would be hidden wherever it stands.

use crate::words::changes;

/// The fewest and the most bytes of an anchor.
pub(crate) const SHORTEST: usize = 8;
const LONGEST: usize = 16;
/// A value has so many bytes more than its anchor, else it is looked for whole.
const MORE: usize = 4;
/// Words of one case change their class seldom; what was rolled does it all the time.
const CHANGES: usize = 4;
/// So many letters of one case in a row are a word.
const WORD: usize = 5;

/// How many bytes at the beginning of a text are enough.
pub(crate) fn head(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (SHORTEST..=LONGEST).find(|length| bytes.len() >= length + MORE && is_anchor(&bytes[..*length]))
}

/// How many bytes at its end are.
pub(crate) fn tail(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (SHORTEST..=LONGEST)
        .find(|length| bytes.len() >= length + MORE && is_anchor(&bytes[bytes.len() - length..]))
}

fn is_anchor(bytes: &[u8]) -> bool {
    let is_token = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~')
    };
    let is_word = |letters: &[u8]| {
        letters.iter().all(u8::is_ascii_lowercase) || letters.iter().all(u8::is_ascii_uppercase)
    };
    let kinds = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase];
    let kinds = kinds.into_iter().filter(|kind| bytes.iter().any(*kind)).count();
    bytes.iter().all(is_token)
        && kinds > 1
        && changes(bytes) >= CHANGES
        && !bytes.windows(WORD).any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_rolled_has_anchors_and_words_have_none() {
        let rolled = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        assert_eq!((head(rolled), tail(rolled)), (Some(8), None));
        assert_eq!(head("ghp_16C7e42F292c6912E7710c838347Ae178B4a"), Some(8));
        assert_eq!(head("9f86d081884c7d659a2feaa0c55ad015"), Some(8));
        for text in
            ["production-database-2026-primary", "https://example.com/a", "aB3$aB3$aB3$aB3$aB3$"]
        {
            assert_eq!((head(text), tail(text)), (None, None), "{text}");
        }
    }
}

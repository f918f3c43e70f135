//! Bytes become text without a character cut in two.

use super::{Readable, unfinished};

#[test]
fn only_a_character_that_may_still_be_finished_is_unfinished() {
    let cases: [(&[u8], usize); 10] = [
        (b"", 0),
        (b"abc", 0),
        ("a€".as_bytes(), 0),
        (b"a\xe2\x82", 2),
        (b"a\xe2", 1),
        (b"\xf0\x9f\x98", 3),
        ("😀".as_bytes(), 0),
        (b"a\x82\x82\x82", 0),
        (b"a\xff", 0),
        // No character goes on like this, so nothing needs to be awaited.
        (b"a\xe0\x80", 0),
    ];
    for (bytes, expected) in cases {
        assert_eq!(unfinished(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn what_is_not_text_is_shown_as_a_replacement() {
    let readable = Readable::of(b"a\0b\xffc\n");
    assert_eq!(readable.text, "a\u{fffd}b\u{fffd}c\n");
    assert_eq!((readable.raw_bytes, readable.line_ends, readable.binary), (6, 1, true));
}

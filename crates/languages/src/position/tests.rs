//! Places in texts, counted both ways.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn at(line: u32, character: u32) -> Position {
    Position { line, character }
}

#[test]
fn places_are_counted_in_code_units_or_in_bytes() {
    // One, two, three and four bytes; one code unit each but for the last, which has two.
    let text = "aé€😀z\nb";
    let cases = [
        (0, at(0, 0), at(0, 0)),
        (1, at(0, 1), at(0, 1)),
        (3, at(0, 2), at(0, 3)),
        (6, at(0, 3), at(0, 6)),
        (10, at(0, 5), at(0, 10)),
        (11, at(0, 6), at(0, 11)),
        (12, at(1, 0), at(1, 0)),
        (13, at(1, 1), at(1, 1)),
    ];
    for (byte, utf16, utf8) in cases {
        assert_eq!(position_of(text, byte, Encoding::Utf16), utf16);
        assert_eq!(position_of(text, byte, Encoding::Utf8), utf8);
        assert_eq!(byte_of(text, utf16, Encoding::Utf16), byte);
        assert_eq!(byte_of(text, utf8, Encoding::Utf8), byte);
        assert_eq!(converted(text, utf8, Encoding::Utf8, Encoding::Utf16), utf16);
    }
}

#[test]
fn places_that_are_none_are_the_nearest_before() {
    let text = "😀b\r\n\rlast";
    let cases = [
        (at(0, 1), 0),
        (at(0, 2), 4),
        (at(0, 99), 5),
        (at(1, 0), 7),
        (at(1, 5), 7),
        (at(2, 0), 8),
        (at(2, 99), 12),
        (at(9, 9), 12),
        (at(u32::MAX, u32::MAX), 12),
    ];
    for (place, byte) in cases {
        assert_eq!(byte_of(text, place, Encoding::Utf16), byte, "{place:?}");
    }
    // Within a letter, and beyond the end.
    assert_eq!(position_of(text, 2, Encoding::Utf16), at(0, 0));
    assert_eq!(position_of(text, 99, Encoding::Utf16), at(2, 4));
}

proptest! {
    #[test]
    fn a_place_and_back_is_the_same(text in "[aé€😀\n\r]{0,30}", at in 0_usize..40) {
        let byte = text.floor_char_boundary(at.min(text.len()));
        for encoding in [Encoding::Utf16, Encoding::Utf8] {
            let place = position_of(&text, byte, encoding);
            // Between the two letters of a line's end is no place; the end of the line is before them.
            let is_between = text[..byte].ends_with('\r') && text[byte..].starts_with('\n');
            prop_assert_eq!(byte_of(&text, place, encoding), byte - usize::from(is_between));
        }
    }
}

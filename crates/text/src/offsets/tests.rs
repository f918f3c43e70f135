//! Offsets in UTF-16 and bytes name the same places.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

mod fuzz;

fn edit(start: usize, end: usize, text: &str) -> Edit {
    Edit { start, end, text: text.into() }
}

#[test]
fn edits_speak_of_the_text_before_all_of_them() {
    let edits = [edit(0, 1, "X"), edit(2, 2, "--"), edit(3, 4, "")];
    assert_eq!(apply("abcd", &edits).unwrap(), "Xb--c");
    assert_eq!(apply("", &[edit(0, 0, "new")]).unwrap(), "new");
    assert_eq!(apply("abc", &[edit(3, 3, "d")]).unwrap(), "abcd");
    assert_eq!(apply("abc", &[]).unwrap(), "abc");
}

#[test]
fn a_letter_outside_the_first_plane_counts_twice() {
    let text = "é𝄞z";
    assert_eq!(apply(text, &[edit(1, 3, "-")]).unwrap(), "é-z");
    assert_eq!(apply(text, &[edit(4, 4, "!")]).unwrap(), "é𝄞z!");
    let inside = OffsetError::InsidePair { index: 0, offset: 2 };
    assert_eq!(apply(text, &[edit(2, 3, "")]).unwrap_err(), inside);
    assert_eq!(apply(text, &[edit(0, 2, "")]).unwrap_err(), inside);
}

#[test]
fn edits_that_make_no_sense_are_refused() {
    let text = "ab";
    assert_eq!(
        apply(text, &[edit(0, 3, "")]).unwrap_err(),
        OffsetError::Beyond { index: 0, offset: 3, length: 2 }
    );
    assert_eq!(apply(text, &[edit(1, 0, "")]).unwrap_err(), OffsetError::Order { index: 0 });
    let overlapping = [edit(0, 2, "x"), edit(1, 2, "y")];
    assert_eq!(apply(text, &overlapping).unwrap_err(), OffsetError::Order { index: 1 });
}

#[test]
fn long_texts_are_counted_right() {
    let text = format!("{}𝄞{}", "a".repeat(1_000), "é".repeat(1_000));
    let edited = apply(&text, &[edit(1_000, 1_002, "x"), edit(2_001, 2_002, "y")]).unwrap();
    assert_eq!(edited, format!("{}x{}y", "a".repeat(1_000), "é".repeat(999)));
}

#[test]
fn the_way_from_text_to_text_touches_only_what_differs() {
    let check = |old: &str, new: &str, expected: &[Edit]| {
        assert_eq!(between(old, new), expected, "{old:?} {new:?}");
    };
    check("one\ntwo\n", "one\n𝄞 two\n", &[edit(4, 4, "𝄞 ")]);
    check("𝄞\na\nb\n", "𝄞\na\nx\nb\n", &[edit(5, 5, "x\n")]);
    check("a\nb", "a\nb\nc", &[edit(3, 3, "\nc")]);
    check("a\nb\nc", "a", &[edit(1, 5, "")]);
    check("a", "a", &[]);
    check("", "a\n", &[edit(0, 0, "a\n")]);
}

proptest! {
    #[test]
    fn the_way_from_text_to_text_leads_there(
        old in "([ab𝄞é]{0,2}\n){0,6}[ab𝄞]{0,2}",
        new in "([ab𝄞é]{0,2}\n){0,6}[ab𝄞]{0,2}",
    ) {
        prop_assert_eq!(apply(&old, &between(&old, &new)), Ok(new));
    }

    #[test]
    fn any_place_between_letters_can_be_edited(text in "[a𝄞é\n]{0,20}", at in 0..40_usize) {
        let counted: Vec<u16> = text.encode_utf16().collect();
        let made = apply(&text, &[edit(at, at, "|")]);
        if at > counted.len() {
            let beyond = OffsetError::Beyond { index: 0, offset: at, length: counted.len() };
            prop_assert_eq!(made, Err(beyond));
        } else {
            let halves = (String::from_utf16(&counted[..at]), String::from_utf16(&counted[at..]));
            if let (Ok(before), Ok(after)) = halves { prop_assert_eq!(made, Ok(format!("{before}|{after}"))) } else { prop_assert_eq!(made, Err(OffsetError::InsidePair { index: 0, offset: at })) }
        }
    }
}

#[test]
fn the_lines_of_an_edit_are_those_of_the_text_as_the_edits_before_it_left_it() {
    let edit = |start, end, text: &str| Edit { start, end, text: text.into() };
    let text = "one\ntwo\nthree 😀\nfour\n";
    let edits = [edit(0, 0, "0\n1\n"), edit(4, 8, ""), edit(16, 16, "!")];
    let lines = |first, removed, added| EditedLines { first, removed, added };
    let expected = vec![lines(1, 0, 2), lines(4, 1, 0), lines(4, 0, 0)];
    assert_eq!(edited_lines(text, &edits), Ok(expected));
    let edited = apply(text, &edits).unwrap();
    assert_eq!(edited, "0\n1\none\nthree 😀!\nfour\n");
    let wrong = [edit(4, 2, "")];
    assert_eq!(edited_lines(text, &wrong), Err(OffsetError::Order { index: 0 }));
}

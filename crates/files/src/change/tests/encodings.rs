//! Encodings, marks, line endings and broken bytes stay as they are.

use proptest::prelude::*;

use super::*;

fn encoded(encoding: Encoding, text: &str) -> Vec<u8> {
    text::encode(encoding, text).into_owned()
}

const ALL: [Encoding; 4] =
    [Encoding::Utf8, Encoding::Utf8Bom, Encoding::Utf16Le, Encoding::Utf16Be];

#[test]
fn a_write_keeps_the_encoding_and_the_mark() {
    for encoding in ALL {
        for content in ["new ä😀\n", "\u{feff}new ä😀\n"] {
            if encoding == Encoding::Utf8 && content.starts_with('\u{feff}') {
                continue;
            }
            let stage = Stage::new();
            stage.put("a", encoded(encoding, "old\n"));
            let changed = write(&stage, &write_request("a", content)).unwrap();
            assert_eq!(bytes(&stage, "a"), encoded(encoding, "new ä😀\n"), "{encoding:?}");
            assert_eq!(
                (changed.encoding, changed.hash, changed.lines_added, changed.lines_removed),
                (encoding, hash(&encoded(encoding, "new ä😀\n")), 1, 1)
            );
        }
    }
}

#[test]
fn a_new_file_is_written_to_the_letter() {
    let stage = Stage::new();
    let changed = write(&stage, &write_request("a", "\u{feff}x\r\ny\n")).unwrap();
    assert_eq!(stage.content("a"), "\u{feff}x\r\ny\n");
    assert_eq!(
        (changed.encoding, changed.line_ending, changed.line_endings_kept),
        (Encoding::Utf8Bom, LineEnding::Mixed, false)
    );
}

#[test]
fn a_write_keeps_carriage_returns_where_all_lines_have_them() {
    for encoding in ALL {
        for (old, new, expected, kept) in [
            ("a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n", true),
            ("a\r\nb", "x\r\ny\n\nz", "x\r\ny\r\n\r\nz", true),
            ("a\r\n", "x\r\n", "x\r\n", false),
            ("a\r\nb\n", "x\ny\n", "x\ny\n", false),
            ("a\nb\n", "x\r\n", "x\r\n", false),
            ("a", "x\n", "x\n", false),
        ] {
            let stage = Stage::new();
            stage.put("a", encoded(encoding, old));
            let changed = write(&stage, &write_request("a", new)).unwrap();
            assert_eq!(bytes(&stage, "a"), encoded(encoding, expected));
            assert_eq!(
                (changed.line_endings_kept, changed.line_ending),
                (kept, LineEnding::of(expected)),
                "{old:?} {new:?}"
            );
        }
    }
}

#[test]
fn an_edit_keeps_carriage_returns_and_says_so() {
    let stage = Stage::new();
    stage.put("a", "one\r\ntwo\r\n");
    let changed = edit(&stage, &edit_request("a", &[("one\ntwo", "1\n2\n3")])).unwrap();
    assert_eq!(stage.content("a"), "1\r\n2\r\n3\r\n");
    assert_eq!((changed.line_ending, changed.line_endings_kept), (LineEnding::Crlf, true));
}

#[test]
fn an_edit_keeps_bytes_that_are_not_text() {
    let stage = Stage::new();
    stage.put("a", b"\xff\xc3 caf\xe9\nport = 1\n\xe2\x82");
    let changed = edit(&stage, &edit_request("a", &[("port = 1", "port = 2")])).unwrap();
    assert_eq!(bytes(&stage, "a"), b"\xff\xc3 caf\xe9\nport = 2\n\xe2\x82");
    assert!(changed.diff.contains("\u{fffd}\u{fffd} caf\u{fffd}\n-port = 1\n+port = 2\n"));
    let error = edit(&stage, &edit_request("a", &[("caf\nport = 3", "x")])).unwrap_err();
    assert!(!format!("{error:?}").contains("10fee9"), "{error:?}");
}

#[test]
fn an_edit_that_could_damage_bytes_names_the_first_one() {
    let stage = Stage::new();
    for (content, new) in
        [(&b"ab\xff\xf4\x8f\xb8\x80 x"[..], "y"), (&b"ab\xff x"[..], "\u{10fe00}")]
    {
        stage.put("a", content);
        let error = edit(&stage, &edit_request("a", &[("x", new)])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a` is not valid text at byte 2, and an edit could damage it"
        );
        assert_eq!(bytes(&stage, "a"), content);
    }
}

#[test]
fn characters_of_the_private_area_are_kept_in_valid_text() {
    let stage = Stage::new();
    stage.put("a", "\u{10fe00}\u{10f000} x");
    edit(&stage, &edit_request("a", &[("x", "\u{10feff}")])).unwrap();
    assert_eq!(stage.content("a"), "\u{10fe00}\u{10f000} \u{10feff}");
}

/// Any bytes after the mark, so that a file is text though much of it is broken.
fn raw_with_a_mark() -> impl Strategy<Value = (Vec<u8>, Vec<u8>, bool)> {
    let piece = || prop::collection::vec(any::<u8>(), 0..20);
    (piece(), piece(), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_of_wide_text_keeps_all_other_bytes((head, tail, low_first) in raw_with_a_mark()) {
        let encoding = if low_first { Encoding::Utf16Le } else { Encoding::Utf16Be };
        let wide = |text: &str| encoded(encoding, text)[2..].to_vec();
        // Whole units before the stage, and no half of a pair right before it.
        let mut head = head;
        head.truncate(head.len() / 2 * 2);
        // Not the mark of UTF-32, which is no text here.
        let file = |middle: &str| {
            [encoded(encoding, "!"), head.clone(), wide(middle), tail.clone()].concat()
        };
        let stage = Stage::new();
        stage.put("a", file("<<old>>"));
        let changed = edit(&stage, &edit_request("a", &[("<<old>>", "<<ä😀>>")]));
        match changed {
            Ok(_) => prop_assert_eq!(bytes(&stage, "a"), file("<<ä😀>>")),
            Err(ChangeError::NotText { .. }) => {}
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn an_edit_of_narrow_text_keeps_all_other_bytes(
        head in prop::collection::vec(1_u8.., 0..20),
        tail in prop::collection::vec(1_u8.., 0..20),
    ) {
        let file = |middle: &str| [b"!", &head[..], middle.as_bytes(), &tail[..]].concat();
        let stage = Stage::new();
        stage.put("a", file("<<old>>"));
        match edit(&stage, &edit_request("a", &[("<<old>>", "<<ä😀>>")])) {
            Ok(_) => prop_assert_eq!(bytes(&stage, "a"), file("<<ä😀>>")),
            Err(ChangeError::NotText { .. }) => {}
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }
}

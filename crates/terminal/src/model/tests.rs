//! What bytes become: screen, transcript, repaint.

use proptest::prelude::*;

use super::*;
use crate::transcript::{CUT_MARK, LINE_BYTE_LIMIT, LINE_LIMIT};

mod fuzz;
mod laws;

const SIZE: Size = Size { rows: 4, cols: 10 };

pub(super) fn model(bytes: &[u8]) -> Model {
    let mut model = Model::new(SIZE);
    model.process(bytes, false);
    model
}

pub(super) fn newest(model: &mut Model) -> TerminalRead {
    model.read(ReadRequest { lines: usize::MAX, since: None }).unwrap()
}

pub(super) fn since(model: &mut Model, cursor: u64) -> TerminalRead {
    model.read(ReadRequest { lines: usize::MAX, since: Some(cursor) }).unwrap()
}

/// What a person sees after `bytes`: all lines, the last of them being the cursor's own. Checked
/// with the bytes in one piece and one by one.
#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expected: &[&str]) {
    let bytes = bytes.as_ref();
    let mut whole = model(bytes);
    let mut pieces = Model::new(Size { rows: 4, cols: 10 });
    for byte in bytes {
        pieces.process(&[*byte], false);
    }
    for model in [&mut whole, &mut pieces] {
        let read = newest(model);
        let mut seen = read.lines;
        seen.push(read.partial.unwrap_or_default());
        assert_eq!(seen, expected);
    }
}

#[test]
fn carriage_returns_show_the_last_state_only() {
    check("10%\r50%\r100%\r\ndone", &["100%", "done"]);
    check("abcdef\rxy\r\n", &["xycdef", ""]);
    check("ab\x08c\r\n", &["ac", ""]);
}

#[test]
fn every_kind_of_escape_sequence_vanishes() {
    check("a\x1b[1;31mb\x1b[0mc", &["abc"]);
    check("a\x1b[38:2::1:2:3mb", &["ab"]);
    check("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c", &["abc"]);
    check("a\x1bPq#0;2;0\x1b\\b", &["ab"]);
    check("a\x1b_app\x1b\\b\x1b^pm\x1b\\c\x1bXsos\x1b\\d", &["abcd"]);
    check("a\x1bNb\x1bOc", &["abc"]);
    check("a\x1b(Bb\x1b=c\x1b>d\x1b#3e", &["abcde"]);
    check("a\x1b[?2004hb\x1b[>4;2mc\x1b[=5ud\x1b[6 qe", &["abcde"]);
    check("a\x1b[31\x18b\x1b]x\x1ac", &["abc"]);
}

#[test]
fn eight_bit_controls_vanish_raw_and_encoded() {
    check(b"a\x9b31mb\x9d0;t\x9cc\x90q\x9cd\x9fx\x9ce\x9ex\x9cf\x98x\x9cg", &["abcdefg"]);
    check("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{90}q\u{9c}d\u{8e}e\u{8f}f\u{80}g", &["abcdefg"]);
    check("a\x1b]2;\u{15c}\u{9c}b", &["ab"]);
    check("a\u{85}b", &["a", "b"]);
}

#[test]
fn control_characters_vanish() {
    check("a\0\x01\x02\x05\x06\x07b\x0e\x0fc\x10\x1c\x1d\x1e\x1f\x7fd", &["abcd"]);
}

#[test]
fn broken_utf_8_is_shown_as_one_replacement_character() {
    check(b"a\xffb\xc3(\xe4\xb8x", &["a\u{fffd}b\u{fffd}(\u{fffd}x"]);
    check("a\u{fffd}b\u{ffff}c", &["a\u{fffd}b\u{fffd}c"]);
    check(b"a\xe4\x1b[1mb", &["a\u{fffd}b"]);
}

#[test]
fn wide_and_combining_characters_stay_whole() {
    check("e\u{301}中文\r\n👍ok", &["e\u{301}中文", "👍ok"]);
}

#[test]
fn tabs_are_the_spaces_a_person_sees() {
    check("a\tb\r\n\tc", &["a       b", "        c"]);
}

#[test]
fn wrapped_rows_are_one_line_on_the_screen_and_after_it() {
    check("0123456789abc\r\nx", &["0123456789abc", "x"]);
    check(
        "0123456789abcdefghij0123456789\r\n1\r\n2\r\n3\r\n4",
        &["0123456789abcdefghij0123456789", "1", "2", "3", "4"],
    );
    check("中文中文中文中\r\n", &["中文中文中文中", ""]);
    check("a中文中文中文中\r\n\n\n\n", &["a中文中文中文中", "", "", "", ""]);
    check("0123456789\r\nx", &["0123456789", "x"]);
}

#[test]
fn sequences_the_emulator_does_not_know_work_too() {
    check("ab\x1bDc\x1bEd", &["ab", "  c", "d"]);
    check("ab\x1b[scd\x1b[uX", &["abXd"]);
    check("ab\x1b7cd\x1b8X", &["abXd"]);
    check("\x1b(0lqk\x1b(B+", &["┌─┐+"]);
    check("\x1b)0\x0ex\x0f-", &["│-"]);
    check("\x1b[?7l0123456789abc\x1b[?7h", &["012345678c"]);
    check("a\x1b[3aX\x1b[Zb\x1b[Ic", &["b   X   c"]);
    check("ab\x1b[?1048hcd\x1b[?1048lX", &["abXd"]);
    check("x\x1b[3b", &["xxxx"]);
}

#[test]
fn erasing_the_screen_keeps_what_was_on_it() {
    for clear in ["\x1b[H\x1b[2J", "\x1b[H\x1b[2J\x1b[3J", "\x1b[H\x1b[J", "\x1bc"] {
        check(format!("one\r\ntwo\r\n{clear}new\r\n"), &["one", "two", "new", ""]);
    }
    let mut model = model(b"one\r\n\r\n\r\n");
    let cursor = newest(&mut model).cursor;
    model.process(b"\x1b[H\x1b[2Jnew\r\n", false);
    assert_eq!(since(&mut model, cursor).lines, ["new"]);
    model.process(b"\x1b[?1049h\x1b[2Jfull\x1bcafter\r\n", false);
    assert_eq!(newest(&mut model).lines, ["one", "", "", "new", "after"]);
}

#[test]
fn the_line_of_the_cursor_and_what_is_below_are_given_apart() {
    let mut model = model(b"done\r\nprompt> ab\r\nmenu\x1b[A");
    let read = newest(&mut model);
    assert_eq!(
        read,
        TerminalRead {
            lines: vec!["done".to_owned()],
            cursor: 1,
            partial: Some("prompt> ab".to_owned()),
            below: vec!["menu".to_owned()],
            ..TerminalRead::default()
        }
    );
}

#[test]
fn lines_after_a_cursor_come_oldest_first_and_in_portions() {
    let mut model = model(b"1\r\n2\r\n3\r\n4\r\n5\r\n6");
    let read = |model: &mut Model, since| {
        let read = model.read(ReadRequest { lines: 2, since }).unwrap();
        (read.lines.join(","), read.first_line, read.cursor, read.more)
    };
    assert_eq!(read(&mut model, None), ("4,5".to_owned(), 3, 5, true));
    assert_eq!(read(&mut model, Some(0)), ("1,2".to_owned(), 0, 2, true));
    assert_eq!(read(&mut model, Some(2)), ("3,4".to_owned(), 2, 4, true));
    assert_eq!(read(&mut model, Some(4)), ("5".to_owned(), 4, 5, false));
    assert_eq!(read(&mut model, Some(5)), (String::new(), 5, 5, false));
    let future = model.read(ReadRequest { lines: 2, since: Some(6) });
    assert!(matches!(future, Err(TerminalError::FutureCursor { since: 6, current: 5 })));
}

#[test]
fn the_ring_keeps_its_limit_and_counts_what_it_lost() {
    let mut model = Model::new(SIZE);
    for number in 0..LINE_LIMIT + 103 {
        model.process(format!("{number}\r\n").as_bytes(), false);
    }
    let read = since(&mut model, 40);
    assert_eq!((read.first_line, read.dropped), (100, 60));
    assert_eq!(read.lines.first().map(String::as_str), Some("100"));
    assert_eq!(read.lines.last().map(String::as_str), Some("10102"));
    assert_eq!(read.lines.len(), LINE_LIMIT + 3);
}

#[test]
fn an_endless_line_is_cut_with_a_mark() {
    let mut model = Model::new(SIZE);
    model.process(&vec![b'x'; 3 * LINE_BYTE_LIMIT], false);
    model.process(b"\r\nnext\r\n", false);
    let cut = format!("{}{CUT_MARK}", "x".repeat(LINE_BYTE_LIMIT));
    assert_eq!(newest(&mut model).lines, [cut, "next".to_owned()]);
}

#[test]
fn the_bytes_of_the_ring_are_bounded() {
    let mut model = Model::new(SIZE);
    let mut line = vec![b'x'; LINE_BYTE_LIMIT / 2];
    line.extend_from_slice(b"\r\n");
    for _ in 0..300 {
        model.process(&line, false);
    }
    let read = newest(&mut model);
    let bytes: usize = read.lines.iter().map(String::len).sum();
    assert!(bytes <= 9 * 1024 * 1024, "{bytes}");
    assert!(read.lines.len() > 200);
}

#[test]
fn a_line_redrawn_after_it_was_read_is_reported() {
    let mut model = model(b"job a: 1%\r\njob b: 1%\r\n");
    let first = newest(&mut model);
    assert_eq!(first.cursor, 2);
    model.process(b"\x1b[2Ajob a: ok\r\n\r\n", false);
    let a = RedrawnLine { line: 0, text: "job a: ok".to_owned() };
    assert_eq!(since(&mut model, 2).redrawn, std::slice::from_ref(&a));
    model.process(b"\x1b[Ajob b: ok\r\n1\r\n2\r\n3\r\n4\r\n5\r\n", false);
    let read = since(&mut model, 2);
    assert_eq!(read.lines, ["1", "2", "3", "4", "5"]);
    assert_eq!(read.redrawn, [a, RedrawnLine { line: 1, text: "job b: ok".to_owned() }]);
    assert_eq!(since(&mut model, read.cursor).redrawn, []);
}

#[test]
fn the_alternate_screen_is_told_and_leaves_no_trace() {
    let mut model = model(b"one\r\ntwo\r\n\x1b[?1049h\x1b[Hfull\r\nscreen");
    let read = newest(&mut model);
    assert!(read.alternate_screen);
    assert_eq!(read.lines, ["one", "two"]);
    assert_eq!(read.screen, Some(vec!["full".to_owned(), "screen".to_owned()]));
    model.process(b"\r\n\r\n\r\n\r\n\r\n\x1b[2J\x1b[?1049l", false);
    let read = newest(&mut model);
    assert_eq!((read.lines, read.screen), (vec!["one".to_owned(), "two".to_owned()], None));
}

#[test]
fn another_size_loses_no_line() {
    let mut model = model(b"0123456789abcde\r\nsecond line\r\n> ab");
    let before = newest(&mut model);
    for (rows, cols) in [(4, 5), (3, 40), (2, 3), (30, 7), (4, 10), (9, 10)] {
        model.resize(Size { rows, cols });
        let read = newest(&mut model);
        assert_eq!(
            (&read.lines, &read.partial, read.cursor),
            (&before.lines, &before.partial, before.cursor),
            "{rows} by {cols}"
        );
    }
    model.process(b"c\r\n", false);
    assert_eq!(newest(&mut model).lines[2], "> abc");
}

#[test]
fn another_size_under_a_full_screen_program_loses_no_line() {
    let mut model = model(b"1\r\n2\r\n3\r\n4\r\n0123456789abcde\r\n\x1b[?1049hfull");
    let before = newest(&mut model);
    for (rows, cols) in [(3, 10), (24, 10), (24, 4), (5, 80)] {
        model.resize(Size { rows, cols });
        let read = newest(&mut model);
        assert_eq!((read.lines, read.cursor), (before.lines.clone(), before.cursor));
        assert!(read.alternate_screen);
    }
    model.process(b"\x1b[?1049lnext\r\n", false);
    let mut expected = before.lines;
    expected.push("next".to_owned());
    assert_eq!(newest(&mut model).lines, expected);
}

#[test]
fn questions_are_answered_only_when_asked_to() {
    let ask = b"ab\x1b[c\x1b[5n\x1b[6n\x1b[?6n\x1b[0c";
    let mut model = Model::new(SIZE);
    let answer = "\x1b[?1;2c\x1b[0n\x1b[1;3R\x1b[?1;3R\x1b[?1;2c";
    assert_eq!(String::from_utf8(model.process(ask, true)).unwrap(), answer);
    assert_eq!(model.process(ask, false), b"");
    let flood = b"\x1b[6n".repeat(100_000);
    assert!(model.process(&flood, true).len() <= 64 * 1024);
}

#[test]
fn an_unfinished_sequence_takes_bounded_memory() {
    let mut model = Model::new(SIZE);
    model.process(b"\x1b]0;", false);
    for _ in 0..100 {
        model.process(&[b'x'; 10_000], false);
    }
    assert!(model.filter.pending().len() < 5000);
    model.process(b"\x07after", false);
    assert_eq!(newest(&mut model).partial.as_deref(), Some("after"));
    assert_eq!(model.title(), "");
}

//! What holds for every program.

use std::fmt::Write as _;

use super::*;
use crate::emulator::{Emulator, for_view};

/// Pieces of output, from harmless to hostile.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    const FIXED: &[&[u8]] = &[
        b"\r\n",
        b"\r\n",
        b"\n",
        b"\r",
        b"\t",
        b"\x08",
        b"\x1b[A",
        b"\x1b[3A",
        b"\x1b[H",
        b"\x1b[2J",
        b"\x1b[J",
        b"\x1b[1J",
        b"\x1b[K",
        b"\x1b[1K",
        b"\x1b[2K",
        b"\x1b[L",
        b"\x1b[2M",
        b"\x1b[3P",
        b"\x1b[2@",
        b"\x1b[S",
        b"\x1b[2T",
        b"\x1bM",
        b"\x1bD",
        b"\x1bE",
        b"\x1b7",
        b"\x1b8",
        b"\x1b[s",
        b"\x1b[u",
        b"\x1b[?1049h",
        b"\x1b[?1049l",
        b"\x1b[?47h",
        b"\x1b[?47l",
        b"\x1b[?7l",
        b"\x1b[?7h",
        b"\x1b[2;3r",
        b"\x1b[r",
        b"\x1b[?6h",
        b"\x1b[?6l",
        b"\x1b[31m",
        b"\x1b[7m",
        b"\x1b[m",
        b"\x1b(0",
        b"\x1b(B",
        b"\x0e",
        b"\x0f",
        b"\x1bc",
        b"\x1b[!p",
        b"\x1b]2;t\x07",
        b"\x1bPx\x1b\\",
        b"\x9b1m",
        b"\xff",
        b"\xe4\xb8",
        b"\x1b",
        b"\x1b[",
        b"\x1b]",
        b"\x1b[5X",
        b"\x1b[?25l",
        b"\x1b[?1000h",
        b"\x1b[2;7H",
        b"\x1b[9G",
        "中文".as_bytes(),
        "e\u{301}".as_bytes(),
        "\u{2764}\u{fe0f}".as_bytes(),
        b"\x1b[Z",
        b"\x1b[3J",
        b"\x1b]633;A;0123456789abcdef\x07",
        b"\x1b]633;B;0123456789abcdef\x07",
        b"\x1b]633;D;1;0123456789abcdef\x07",
    ];
    prop_oneof![
        3 => "[a-z ]{1,14}".prop_map(String::into_bytes),
        4 => proptest::sample::select(FIXED).prop_map(<[u8]>::to_vec),
        1 => proptest::collection::vec(any::<u8>(), 1..6),
    ]
}

/// Readable when a law is broken.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.0.escape_ascii())
    }
}

fn output() -> impl Strategy<Value = Bytes> {
    let pieces = proptest::collection::vec(piece().prop_map(Bytes), 0..60);
    pieces.prop_map(|pieces| Bytes(pieces.into_iter().flat_map(|piece| piece.0).collect()))
}

/// What shells and programs print one line after the other.
fn flow() -> impl Strategy<Value = Bytes> {
    const FIXED: &[&str] = &[
        "\r\n",
        "\r\n",
        "\x1b[31m",
        "\x1b[1;44m",
        "\x1b[m",
        "中文",
        "e\u{301}",
        "\x1b[H\x1b[2J",
        "\x1b[3J",
        "\x1bc",
        "\x1b]633;A;0123456789abcdef\x07",
        "\x1b]633;B;0123456789abcdef\x07",
    ];
    let fixed = proptest::sample::select(FIXED).prop_map(str::to_owned);
    let piece = prop_oneof![1 => "[a-z ]{1,14}", 2 => fixed];
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| Bytes(pieces.concat().into_bytes()))
}

/// All that can be seen of both screens. A cell that was never written looks like a blank.
pub(super) fn shown(model: &mut Model) -> Vec<String> {
    let primary = model.emulator.with_primary(|emulator| cells(emulator.screen()));
    let screen = model.emulator.screen();
    let modes =
        (screen.input_mode_formatted(), screen.attributes_formatted(), screen.hide_cursor());
    vec![primary, cells(screen), format!("{modes:?}")]
}

fn cells(screen: &vt100::Screen) -> String {
    let (rows, columns) = screen.size();
    let mut text = format!("{:?}", screen.cursor_position());
    for (row, column) in
        (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)))
    {
        let cell = screen.cell(row, column).unwrap();
        let contents = if cell.has_contents() { for_view(cell.contents()) } else { " ".to_owned() };
        let colours = (cell.fgcolor(), cell.bgcolor(), cell.inverse());
        text.push_str(&contents);
        if colours != (vt100::Color::Default, vt100::Color::Default, false) {
            write!(text, "{colours:?}").unwrap();
        }
    }
    text
}

/// What can be scrolled back to, as a person sees it, and on which lines from the top of the screen
/// the shell's marks are.
fn scrolled(model: &mut Model) -> (Vec<String>, Vec<(i128, String)>) {
    let history = model.emulator.history();
    let mut text = String::new();
    history.write(&mut text, |_| 1);
    for mark in history.marks() {
        text = text.replace(&format!("\x1b]{}\x07", mark.body), "");
    }
    let lines = text.split_terminator("\r\n").map(without_empty_runs);
    let top = i128::from(history.next());
    let marks = history.marks().map(|mark| (i128::from(mark.spot.0) - top, mark.body.clone()));
    (lines.collect(), marks.collect())
}

/// The line without blanks at its end and without colours that no character has: a wide character
/// that does not fit leaves a coloured cell with nothing in it.
fn without_empty_runs(line: &str) -> String {
    let (mut kept, mut colours, mut coloured) = (String::new(), String::new(), false);
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        if let Some((sequence, after)) = rest.strip_prefix("\x1b[").and_then(|r| r.split_once('m'))
        {
            if sequence.is_empty() {
                colours.clear();
            }
            _ = write!(colours, "\x1b[{sequence}m");
            rest = after;
            continue;
        }
        let change = std::mem::take(&mut colours);
        if change != "\x1b[m" || coloured {
            coloured = if change.is_empty() { coloured } else { change != "\x1b[m" };
            kept.push_str(&change);
        }
        kept.push(character);
        rest = &rest[character.len_utf8()..];
    }
    kept.trim_end().to_owned()
}

/// What a reader may ask for and what a view shows, whole.
pub(super) fn state(model: &mut Model) -> (TerminalRead, String) {
    (newest(model), String::from_utf8_lossy(&model.repaint()).into_owned())
}

/// Whether sequences can bring the cursors where they stand: with origin mode inside margins a
/// restored cursor may stand where none can, on either screen.
pub(super) fn can_be_repainted(model: &mut Model) -> bool {
    let reachable = |emulator: &mut Emulator| {
        let state = emulator.screen_state();
        !state.origin || state.margins.is_none()
    };
    reachable(&mut model.emulator) && model.emulator.with_primary(reachable)
}

pub(super) fn screen_of(bytes: &[u8], size: Size) -> Model {
    let mut model = Model::new(size);
    model.process(bytes, false);
    model
}

/// A terminal whose shell's marks count.
fn believing(bytes: &[u8]) -> Model {
    let mut model = Model::new(SIZE);
    model.believe("0123456789abcdef".into());
    model.process(bytes, false);
    model
}

#[test]
fn a_mark_behind_the_last_column_comes_again_there() {
    const MARK: &str = "\x1b]633;A;0123456789abcdef\x07";
    let mut original = believing(format!("aaaaaaaaa{MARK}a{MARK}\r\n").as_bytes());
    let mut view = believing(&original.repaint());
    let marks = original.emulator.history().marks().map(|mark| mark.spot).collect::<Vec<_>>();
    assert_eq!(marks, [(0, 9), (0, 10)]);
    assert_eq!(scrolled(&mut view), scrolled(&mut original));
}

#[test]
fn marks_of_a_line_whose_beginning_is_erased_stay_with_their_characters() {
    const MARK: &str = "\x1b]633;A;0123456789abcdef\x07";
    let long = "b".repeat(45);
    let rest = format!("\x1b[3J{MARK} {MARK}c\r\n\r\n\r\n\r\n\r\n");
    let mut original = believing(format!("{long}{rest}").as_bytes());
    let mut view = believing(&original.repaint());
    assert_eq!(original.emulator.history().marks().count(), 2);
    assert_eq!(scrolled(&mut view), scrolled(&mut original));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_does_not_matter_where_chunks_end(bytes in output(), cuts in proptest::collection::vec(1..9_usize, 40)) {
        let mut whole = model(&bytes.0);
        let mut pieces = Model::new(SIZE);
        let mut rest = bytes.0.as_slice();
        for cut in cuts {
            let (chunk, after) = rest.split_at(cut.min(rest.len()));
            pieces.process(chunk, false);
            rest = after;
        }
        pieces.process(rest, false);
        prop_assert_eq!(state(&mut whole), state(&mut pieces));
    }

    #[test]
    fn the_short_way_for_floods_ends_where_the_long_way_does(
        before in output(),
        lines in proptest::collection::vec("[a-c ]{0,25}\r?", 16..60),
        after in output(),
    ) {
        let flood: Vec<u8> = lines.iter().flat_map(|line| [line.as_bytes(), b"\r\n"].concat()).collect();
        let bytes = [before.0, flood, b"x\x1b[3b".to_vec(), after.0].concat();
        let mut short = model(&bytes);
        let mut long = Model::new(SIZE);
        for byte in bytes {
            long.process(&[byte], false);
        }
        prop_assert_eq!(state(&mut short), state(&mut long));
    }

    #[test]
    fn a_repainted_view_shows_the_same_and_goes_on_the_same(before in output(), after in output()) {
        let mut original = model(&before.0);
        prop_assume!(can_be_repainted(&mut original));
        // A character printed before the repaint cannot be repeated after it.
        let mut after = after;
        if original.emulator.repeatable {
            after.0.insert(0, b'z');
        }
        let mut view = screen_of(&original.repaint(), SIZE);
        prop_assert_eq!(shown(&mut original), shown(&mut view), "at once");
        original.process(&after.0, false);
        view.process(&after.0, false);
        prop_assert_eq!(shown(&mut original), shown(&mut view), "later");
    }

    /// For programs that never go back above the line they write.
    #[test]
    fn a_repainted_view_scrolls_back_to_the_same(bytes in flow()) {
        let mut original = believing(&bytes.0);
        // What scrolled off of a line that goes on is a line of its own for the view.
        prop_assume!(original.emulator.history().open_cells() == 0);
        let mut view = believing(&original.repaint());
        prop_assert_eq!(scrolled(&mut original), scrolled(&mut view));
    }

    #[test]
    fn reads_contain_nothing_but_text(bytes in output()) {
        let read = newest(&mut model(&bytes.0));
        prop_assert!(!read.lines.iter().any(|line| line.contains("fault")));
        let screen = read.screen.unwrap_or_default();
        for line in read.lines.iter().chain(&read.partial).chain(&read.below).chain(&screen) {
            prop_assert!(!line.chars().any(|c| c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c)), "{line:?}");
            prop_assert_eq!(line.trim_end_matches(' '), line);
        }
    }

    /// For programs that never go back above the line they write.
    #[test]
    fn successive_reads_give_every_line_once(
        lines in proptest::collection::vec(("[a-z ]{0,30}", "[a-z0-9]{1,9}"), 0..60),
        limits in proptest::collection::vec(0..5_usize, 60),
        clear in 0..60_usize,
    ) {
        let mut model = Model::new(SIZE);
        let (mut cursor, mut seen, mut expected) = (0, Vec::new(), Vec::new());
        for (number, ((overwritten, text), limit)) in lines.iter().zip(limits).enumerate() {
            if number == clear {
                model.process(b"\x1b[H\x1b[2J\x1b[3J", false);
            }
            model.process(format!("\x1b[32m{}", &overwritten[..overwritten.len().min(10)]).as_bytes(), false);
            let read = model.read(ReadRequest { lines: limit, since: Some(cursor) }).unwrap();
            prop_assert_eq!(read.redrawn, []);
            prop_assert!(read.lines.len() <= limit);
            prop_assert_eq!(read.first_line, cursor);
            seen.extend(read.lines);
            cursor = read.cursor;
            model.process(format!("\r\x1b[K{text}{overwritten}\r\n").as_bytes(), false);
            expected.push(format!("{text}{overwritten}").trim_end().to_owned());
        }
        seen.extend(since(&mut model, cursor).lines);
        prop_assert_eq!(seen, expected);
    }

    /// For any program: a place in the transcript is given once, and what changes later is told.
    #[test]
    fn places_are_given_once_and_changes_are_told(chunks in proptest::collection::vec(output(), 1..8)) {
        let mut model = Model::new(SIZE);
        let mut cursor = 0;
        let mut known: Vec<String> = Vec::new();
        for chunk in chunks {
            model.process(&chunk.0, false);
            let read = since(&mut model, cursor);
            prop_assert_eq!(read.first_line, cursor);
            for line in read.redrawn {
                known[usize::try_from(line.line).unwrap()] = line.text;
            }
            known.extend(read.lines);
            cursor = read.cursor;
            prop_assert_eq!(cursor, known.len() as u64);
        }
        let now = newest(&mut model).lines;
        let common = known.len().min(now.len());
        prop_assert_eq!(&known[..common], &now[..common]);
    }

    #[test]
    fn any_sequence_of_sizes_is_survived(steps in proptest::collection::vec((output(), 2..9_u16, 2..14_u16), 1..8)) {
        let mut model = Model::new(SIZE);
        let mut cursor = 0;
        for (bytes, rows, cols) in steps {
            model.process(&bytes.0, true);
            model.resize(Size { rows, cols });
            prop_assert_eq!(model.size(), Size { rows, cols });
            let read = since(&mut model, cursor);
            prop_assert!(read.cursor >= cursor);
            cursor = read.cursor;
            let mut view = screen_of(&model.repaint(), Size { rows, cols });
            if can_be_repainted(&mut model) {
                prop_assert_eq!(shown(&mut model), shown(&mut view));
            }
            view.process(&bytes.0, false);
        }
    }
}

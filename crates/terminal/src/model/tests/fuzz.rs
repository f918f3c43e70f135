//! What holds for all bytes that a program may print.

use super::laws::{can_be_repainted, screen_of, shown, state};
use super::*;

const SEEDS: &[&[u8]] = &[
    b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\na long line that wraps\r\n\x1b[31mred\x1b[m",
    "中文中文中文\r\ne\u{301}\u{2764}\u{fe0f}\x1b[9G中\x1b[2@\x1b[3P\x1b[5X".as_bytes(),
    b"\x1b[?1049htop\x1b[2;3r\x1b[?6h\x1b[H\x1b[3L\x1b[2M\x1bM\x1bD\x1b[?1049l$ ",
    b"\x1b7\x1b[4;10Hx\x1b8\x1b[?7lno wrap here\x1b[?7h\x1b[3S\x1b[2T\x1b[Z\t\t",
    b"\x1b(0lqqk\x1b(B\x0ex\x0f\x1b[3b\x1b]0;title\x07\x1b[c\x1b[6n\x1b[5n\x1b[>c",
    b"\x1b]633;A;0123456789abcdef\x07$ \x1b]633;B;0123456789abcdef\x07ls\r\n\x1b]633;C;0123456789abcdef\x07a\r\n\x1b]633;D;1;0123456789abcdef\x07",
    b"text\x1b[2J\x1b[3J\x1b[H\x1b[1J\x1b[K\x1b[1K\x1bc\x1b#8\x1b[!p",
    b"\x1b[?25l\x1b[?1000h\x1b[?2004h\x1b[38;5;9mc\x1b[48;2;1;2;3mc\x1b[7;1;4mc",
];

/// What every program says first: how large its screen becomes half-way.
fn sized(data: &[u8]) -> (Size, &[u8]) {
    let (head, rest) = data.split_at(data.len().min(2));
    let of = |index: usize| u16::from(head.get(index).copied().unwrap_or(0));
    (Size { rows: 2 + of(0) % 7, cols: 2 + of(1) % 13 }, rest)
}

/// Without the net that catches a fault of the emulator: here it is a fault of ours.
fn feed(model: &mut Model, bytes: &[u8]) {
    model.emulator.answering = true;
    model.filter.feed(bytes, &mut model.emulator);
}

#[test]
fn no_bytes_make_the_emulator_panic() {
    openspace_fuzz::hold(SEEDS, |data| {
        let (size, bytes) = sized(data);
        let (before, after) = bytes.split_at(bytes.len() / 2);
        let mut model = Model::new(SIZE);
        model.believe("0123456789abcdef".into());
        feed(&mut model, before);
        let early = newest(&mut model);
        model.resize(size);
        feed(&mut model, after);
        let late = since(&mut model, early.cursor);
        assert!(late.cursor >= early.cursor);
        assert_eq!(model.size(), size);
        let screen = late.screen.unwrap_or_default();
        for line in late.lines.iter().chain(&late.partial).chain(&late.below).chain(&screen) {
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    });
}

#[test]
fn no_bytes_make_a_repainted_view_show_something_else() {
    openspace_fuzz::hold(SEEDS, |data| {
        let mut original = Model::new(SIZE);
        feed(&mut original, data);
        if can_be_repainted(&mut original) {
            let mut view = screen_of(&original.repaint(), SIZE);
            assert_eq!(shown(&mut original), shown(&mut view));
        }
    });
}

#[test]
fn no_bytes_mean_something_else_when_they_come_one_by_one() {
    openspace_fuzz::hold(SEEDS, |data| {
        let (mut whole, mut pieces) = (Model::new(SIZE), Model::new(SIZE));
        feed(&mut whole, data);
        for byte in data {
            feed(&mut pieces, &[*byte]);
        }
        assert_eq!(whole.emulator.replies, pieces.emulator.replies);
        assert_eq!(state(&mut whole), state(&mut pieces));
    });
}

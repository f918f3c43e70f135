//! The short way for a flood of plain lines.
//!
//! Most of a flood scrolls through the screen before anybody can see it. Emulating each of its
//! cells costs more than reading the device, so only the first and the last screenful go through
//! the emulator; the lines between go straight to the transcript. The result is the same, which a
//! law in the tests of `model` holds fast.

use super::emulator::Emulator;

impl Emulator {
    /// Takes `bytes` the short way, or takes nothing and returns `false` when the outcome could
    /// differ. They must be printed as they are: with wrapping on and in no other character set.
    pub(super) fn flood(&mut self, bytes: &[u8]) -> bool {
        let rows = usize::from(self.size().rows);
        // Even if every byte ended a line there would be too few of them.
        if bytes.len() < 4 * rows
            || self.screen().alternate_screen()
            || !has_no_style(self.screen())
            || self.screen_states[0].margins.is_some()
        {
            return false;
        }
        let Some((head, middle, tail)) = split(bytes, rows) else { return false };

        self.parser.process(head);
        // The cursor is now at the start of a fresh row at the bottom. What stands above it scrolls
        // off before the middle does.
        self.parser.process(&vec![b'\n'; rows - 1]);
        let scrolled = self.parser.callbacks_mut();
        let lines = || middle.lines();
        for line in lines() {
            scrolled.transcript.push_ascii_line(line.as_bytes());
        }
        scrolled.history.push_plain_lines(lines());
        // The blank rows that stand above the cursor now are none of the program's.
        scrolled.committed = rows - 1;
        self.parser.process(tail);
        true
    }
}

/// Lines between are kept without colours.
fn has_no_style(screen: &vt100::Screen) -> bool {
    let plain = vt100::Color::Default;
    let styles =
        [screen.bold(), screen.dim(), screen.italic(), screen.underline(), screen.inverse()];
    screen.fgcolor() == plain && screen.bgcolor() == plain && !styles.contains(&true)
}

/// Cuts off `rows` lines at the start and at the end. The lines between must be printable ASCII
/// with ordinary line ends, and the tail must print something, because a repeat sequence after it
/// refers to the last character.
fn split(bytes: &[u8], rows: usize) -> Option<(&[u8], &str, &[u8])> {
    let is_end = |(_, byte): &(usize, &u8)| **byte == b'\n';
    let (head_end, _) = bytes.iter().enumerate().filter(is_end).nth(rows - 1)?;
    let (middle_end, _) = bytes.iter().enumerate().rev().filter(is_end).nth(rows)?;
    // With less between than at both ends the short way is none.
    if middle_end < 2 * head_end {
        return None;
    }
    let (head, rest) = bytes.split_at_checked(head_end + 1)?;
    let (middle, tail) = rest.split_at_checked((middle_end + 1).checked_sub(head.len())?)?;
    let printed = |byte: &u8| matches!(byte, b' '..=b'~');
    let ordinary = middle
        .split_inclusive(|&byte| byte == b'\n')
        .all(|line| line.strip_suffix(b"\r\n").is_some_and(|text| text.iter().all(printed)));
    let middle = std::str::from_utf8(middle).ok()?;
    (head.ends_with(b"\r\n") && ordinary && tail.iter().any(printed))
        .then_some((head, middle, tail))
}

//! The emulated screen: what each sequence of a program does to it and to the transcript.
//!
//! It wraps `vt100`, teaches it the common sequences it does not know and notes the modes it does
//! not keep. Between two calls the inner parser is always at rest, because the filter hands on
//! whole sequences only; sequences of our own may therefore be fed at any time.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU16;

use vt100::capture::{BasicFormattedCaptureState, RowContents, basic_formatted_to_plain};

use super::filter::{FILLER, REPLACEMENT, Sink};
use super::history::{History, Spot};
use super::marks::Marks;
use super::transcript::{OpenLine, Transcript};
use super::types::Size;

mod sequences;

const TITLE_LIMIT: usize = 1024;
const REPLY_LIMIT: usize = 64 * 1024;
const MODE_LIMIT: usize = 32;
/// Private modes that the emulator keeps itself.
const KNOWN_MODES: [u16; 9] = [1, 9, 25, 1000, 1002, 1003, 1005, 1006, 2004];
/// Modes that must not be played back to a view: they resize it or hold back its drawing.
const TRANSIENT_MODES: [u16; 2] = [3, 2026];
/// Makes the character before it wide, which the emulator does not survive in the last column.
const EMOJI_STYLE: char = '\u{fe0f}';
const FAULT_NOTE: &str = "[the screen was reset after a fault of the emulator]";
/// What the DEC line-drawing set shows for the bytes from `_` to `~`.
const LINE_DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─',
    '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

/// Collects the rows that leave the top of the primary screen.
#[derive(Default)]
pub(super) struct Scrolled {
    pub(super) transcript: Transcript,
    pub(super) history: History,
    /// How wide the screen is.
    pub(super) columns: usize,
    row: String,
    formatted: String,
    /// How many of the next rows to scroll off are in the transcript already.
    pub(super) committed: usize,
}

impl vt100::Callbacks for Scrolled {
    fn on_scroll(&mut self, contents: RowContents<'_>, alternate_screen: bool) {
        if alternate_screen {
            return;
        }
        if self.committed > 0 {
            self.committed -= 1;
            return;
        }
        self.formatted.clear();
        let mut state = BasicFormattedCaptureState::new();
        // Neither writer fails in a way that matters: the first cannot, the second stops on purpose.
        _ = contents.write_formatted_basic(&mut self.formatted, &mut state);
        let mut probe = NewlineProbe { newline: false };
        _ = contents.write_formatted_basic(&mut probe, &mut state);
        self.row.clear();
        self.row.extend(basic_formatted_to_plain(&self.formatted));
        self.transcript.push_row(&self.row, !probe.newline);
        self.history.push_row(&self.formatted, self.columns, !probe.newline);
    }
}

/// The emulator says whether a row was wrapped only by what it writes before the next one.
struct NewlineProbe {
    newline: bool,
}

impl fmt::Write for NewlineProbe {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.newline = text.starts_with('\n');
        Err(fmt::Error)
    }
}

/// What the emulator keeps for each of its two screens but does not tell.
#[derive(Clone, Debug, Default)]
pub(super) struct ScreenState {
    /// First and last row of the scrolling region, counting from 1.
    pub(super) margins: Option<(u16, u16)>,
    pub(super) origin: bool,
    pub(super) saved: (u16, u16),
    pub(super) saved_origin: bool,
}

/// Which character set the bytes of a program stand for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Charset {
    /// Whether G0 and G1 hold the line-drawing set.
    pub(super) line_drawing: [bool; 2],
    /// Whether G1 is in use.
    pub(super) shifted: bool,
}

pub(super) struct Emulator {
    pub(super) parser: vt100::Parser<Scrolled>,
    /// Of the primary and of the alternate screen.
    pub(super) screen_states: [ScreenState; 2],
    pub(super) saved_attributes: String,
    /// Private modes the emulator does not know, for a view that attaches later.
    pub(super) modes: BTreeMap<u16, bool>,
    pub(super) no_wrap: bool,
    pub(super) charset: Charset,
    /// Whether a character was the last thing sent, so that it may be repeated.
    pub(super) repeatable: bool,
    pub(super) title: String,
    pub(super) replies: Vec<u8>,
    pub(super) answering: bool,
    /// Line numbers below this were given away and must not be used for other lines.
    pub(super) delivered: u64,
    pub(super) marks: Marks,
    pub(super) width_probe: vt100::Parser,
}

/// The logical lines of the primary screen down to the last row with text or the cursor.
pub(super) struct ScreenLines {
    pub(super) lines: Vec<String>,
    pub(super) cursor: usize,
}

impl Emulator {
    pub(super) fn new(size: Size) -> Self {
        let (rows, columns) = extent(size);
        let scrolled = Scrolled { columns: usize::from(size.cols), ..Scrolled::default() };
        Self {
            parser: vt100::Parser::new_with_callbacks(rows, columns, 0, scrolled),
            screen_states: <[ScreenState; 2]>::default(),
            saved_attributes: String::new(),
            modes: BTreeMap::new(),
            no_wrap: false,
            charset: Charset::default(),
            repeatable: false,
            title: String::new(),
            replies: Vec::new(),
            answering: false,
            delivered: 0,
            marks: Marks::new(None),
            width_probe: vt100::Parser::new(NonZeroU16::MIN, extent_of(4), 0),
        }
    }

    pub(super) fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub(super) fn transcript(&self) -> &Transcript {
        &self.parser.callbacks().transcript
    }

    pub(super) fn transcript_mut(&mut self) -> &mut Transcript {
        &mut self.parser.callbacks_mut().transcript
    }

    pub(super) fn history(&self) -> &History {
        &self.parser.callbacks().history
    }

    pub(super) fn history_mut(&mut self) -> &mut History {
        &mut self.parser.callbacks_mut().history
    }

    /// Where the cursor of the primary screen is among the lines that a view can scroll to.
    pub(super) fn cursor_spot(&mut self) -> Spot {
        let (finished, cells) = self.cursor_on_screen();
        let history = self.history();
        let above = if finished == 0 { history.open_cells() } else { 0 };
        (history.next() + finished, above + cells)
    }

    /// How many lines of the primary screen stand above the cursor's, and how many cells into its
    /// own it is.
    pub(super) fn cursor_on_screen(&mut self) -> (u64, usize) {
        self.with_primary(|emulator| {
            let (row, column) = emulator.screen().cursor_position();
            let row = usize::from(row);
            let wrapped = (0..row).rev().take_while(|&above| emulator.wrapped(above)).count();
            let finished = (0..row).filter(|&above| !emulator.wrapped(above)).count();
            let width = usize::from(emulator.size().cols);
            (finished as u64, wrapped * width + usize::from(column))
        })
    }

    pub(super) fn size(&self) -> Size {
        let (rows, columns) = self.screen().size();
        Size { rows: rows.get(), cols: columns.get() }
    }

    pub(super) fn screen_state(&self) -> &ScreenState {
        &self.screen_states[usize::from(self.screen().alternate_screen())]
    }

    fn screen_state_mut(&mut self) -> &mut ScreenState {
        &mut self.screen_states[usize::from(self.parser.screen().alternate_screen())]
    }

    /// Looks at the primary screen, also while the alternate one is shown.
    pub(super) fn with_primary<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let alternate = self.screen().alternate_screen();
        if alternate {
            self.parser.process(b"\x1b[?47l");
        }
        let seen = look(self);
        if alternate {
            self.parser.process(b"\x1b[?47h");
        }
        seen
    }

    /// The rows of the screen that is shown, as the emulator holds them.
    pub(super) fn raw_rows(&self) -> Vec<String> {
        self.screen().rows(0, self.size().cols).collect()
    }

    /// The rows of the screen that is shown, without the blank ones at its end.
    pub(super) fn rows(&self) -> Vec<String> {
        let mut rows: Vec<String> = self.raw_rows().iter().map(|row| shown(row)).collect();
        rows.truncate(rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1));
        rows
    }

    pub(super) fn screen_lines(&mut self) -> ScreenLines {
        self.with_primary(|emulator| {
            let rows = emulator.raw_rows();
            let cursor_row = usize::from(emulator.screen().cursor_position().0);
            let last = last_with_text(&rows).map_or(cursor_row, |row| row.max(cursor_row));
            let mut lines = Vec::new();
            let mut cursor = 0;
            let mut open = emulator.transcript().open().clone();
            for (number, row) in rows.iter().enumerate().take(last + 1) {
                if number == cursor_row {
                    cursor = lines.len();
                }
                open.append(row);
                if number == last || !emulator.wrapped(number) {
                    lines.push(std::mem::take(&mut open).into_text());
                }
            }
            ScreenLines { lines, cursor }
        })
    }

    pub(super) fn wrapped(&self, row: usize) -> bool {
        u16::try_from(row).is_ok_and(|row| self.screen().row_wrapped(row))
    }

    /// Moves the first `count` rows of the primary screen to the transcript; they are about to be
    /// erased, and nobody may have read them yet.
    fn commit_rows(&mut self, count: usize) {
        let rows = self.raw_rows();
        for (number, row) in rows.iter().enumerate().take(count) {
            let wrapped = number + 1 < count && self.wrapped(number);
            self.transcript_mut().push_row(row, wrapped);
        }
        if count == 0 && self.transcript().open().begun() {
            self.transcript_mut().finish_line();
        }
        while self.transcript().next() < self.delivered {
            self.transcript_mut().finish_line();
        }
    }

    fn commit_screen(&mut self) {
        if !self.screen().alternate_screen() {
            let count = last_with_text(&self.raw_rows()).map_or(0, |last| last + 1);
            self.commit_rows(count);
        }
    }

    fn commit_above_cursor(&mut self) {
        if !self.screen().alternate_screen() {
            let cursor = usize::from(self.screen().cursor_position().0);
            let line_start = (0..cursor).rev().take_while(|&row| self.wrapped(row)).count();
            self.commit_rows(cursor - line_start);
        }
    }

    /// Notes what a program is about to erase.
    fn erase(&mut self, what: u16) {
        let at_home = self.screen().cursor_position() == (0, 0);
        match what {
            2 => self.commit_screen(),
            1 => self.commit_above_cursor(),
            0 if at_home => self.commit_screen(),
            _ => {}
        }
        // The alternate screen has neither marks nor anything to scroll back to.
        if self.screen().alternate_screen() {
            return;
        }
        let spot = self.cursor_spot();
        match what {
            2 => self.history_mut().screen_erased(),
            0 if at_home => self.history_mut().screen_erased(),
            0 => self.history_mut().erased_behind(spot),
            1 => self.history_mut().erased_before(spot),
            3 => self.history_mut().clear(),
            _ => {}
        }
    }

    /// Starts again with an empty screen, saying so in the transcript.
    pub(super) fn recover(&mut self) {
        let (rows, columns) = self.screen().size();
        *self.parser.screen_mut() = vt100::Parser::new(rows, columns, 0).screen().clone();
        self.forget_modes();
        self.history_mut().screen_erased();
        self.transcript_mut().push_row(FAULT_NOTE, false);
    }

    fn forget_modes(&mut self) {
        self.screen_states = <[ScreenState; 2]>::default();
        self.saved_attributes.clear();
        self.modes.clear();
        self.no_wrap = false;
        self.charset = Charset::default();
    }

    fn reply(&mut self, reply: &str) {
        if self.answering && self.replies.len() + reply.len() <= REPLY_LIMIT {
            self.replies.extend_from_slice(reply.as_bytes());
        }
    }

    fn save_cursor(&mut self) {
        let position = self.screen().cursor_position();
        self.saved_attributes = self.screen().attributes_formatted();
        let state = self.screen_state_mut();
        state.saved = position;
        state.saved_origin = state.origin;
    }

    fn restore_cursor(&mut self) {
        let state = self.screen_state_mut();
        state.origin = state.saved_origin;
    }

    /// Sets or resets one private mode.
    fn private_mode(&mut self, mode: u16, set: bool) {
        let letter = if set { 'h' } else { 'l' };
        match mode {
            // The older switches differ in when they clear and save, which no program relies on.
            47 | 1047 | 1049 => {
                // Otherwise the emulator would pull blank rows into a primary screen that grows
                // while it is hidden.
                self.parser.screen_mut().clear_scrollback();
                if set {
                    self.save_cursor();
                    self.screen_states[1] = ScreenState::default();
                }
                self.parser.process(format!("\x1b[?1049{letter}").as_bytes());
                if !set {
                    self.restore_cursor();
                }
            }
            1048 => self.escape(b"", if set { b'7' } else { b'8' }),
            6 => {
                self.screen_state_mut().origin = set;
                self.parser.process(format!("\x1b[?6{letter}").as_bytes());
            }
            _ if KNOWN_MODES.contains(&mode) => {
                self.parser.process(format!("\x1b[?{mode}{letter}").as_bytes());
            }
            _ if TRANSIENT_MODES.contains(&mode) => {}
            _ => {
                if mode == 7 {
                    self.no_wrap = !set;
                }
                if self.modes.len() < MODE_LIMIT || self.modes.contains_key(&mode) {
                    self.modes.insert(mode, set);
                }
            }
        }
    }

    fn set_margins(&mut self, top: u16, bottom: u16) {
        let rows = self.size().rows;
        let bottom = if bottom == 0 { rows } else { bottom.min(rows) };
        let top = top.max(1);
        let whole = top >= bottom || (top == 1 && bottom == rows);
        self.screen_state_mut().margins = (!whole).then_some((top, bottom));
        let margins = if whole { String::new() } else { format!("{top};{bottom}") };
        self.parser.process(format!("\x1b[{margins}r").as_bytes());
    }

    fn report_position(&mut self, prefix: &str) {
        let (row, column) = self.screen().cursor_position();
        let state = self.screen_state();
        let above = state.margins.filter(|_| state.origin).map_or(0, |(top, _)| top - 1);
        let row = row.saturating_sub(above) + 1;
        let column = (column + 1).min(self.size().cols);
        self.reply(&format!("\x1b[{prefix}{row};{column}R"));
    }

    fn soft_reset(&mut self) {
        let (row, column) = self.screen().cursor_position();
        self.no_wrap = false;
        self.modes.remove(&7);
        self.charset = Charset::default();
        self.set_margins(0, 0);
        self.private_mode(6, false);
        self.parser.process(
            format!("\x1b[?25h\x1b[?1l\x1b>\x1b[m\x1b[{};{}H", row + 1, column + 1).as_bytes(),
        );
    }

    fn tabs(&mut self, count: u16, back: bool) {
        let column = self.screen().cursor_position().1;
        let last = self.size().cols - 1;
        let target = if back {
            (column.div_ceil(8)).saturating_sub(count).saturating_mul(8)
        } else {
            (column / 8).saturating_add(count).saturating_mul(8)
        };
        self.parser.process(format!("\x1b[{}G", target.min(last) + 1).as_bytes());
    }

    /// Prints one character, keeping to the row when wrapping is off.
    fn print(&mut self, character: char) {
        let columns = self.size().cols;
        let column = self.screen().cursor_position().1;
        let mut bytes = [0; 4];
        let text: &str = character.encode_utf8(&mut bytes);
        if character == EMOJI_STYLE && column >= columns {
            return;
        }
        if self.no_wrap && column >= columns {
            self.parser.process(b"\x08");
        } else if column == columns - 1 && !self.no_wrap && self.is_wide(text) {
            self.parser.process(FILLER.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.parser.process(text.as_bytes());
    }

    fn is_wide(&mut self, character: &str) -> bool {
        !character.is_ascii() && width(&mut self.width_probe, character) > 1
    }
}

/// How many cells a character takes.
pub(super) fn width(probe: &mut vt100::Parser, character: &str) -> usize {
    probe.process(b"\r");
    probe.process(character.as_bytes());
    usize::from(probe.screen().cursor_position().1)
}

/// A row as a person sees it.
fn shown(row: &str) -> String {
    let mut line = OpenLine::default();
    line.append(row);
    line.into_text()
}

fn last_with_text(rows: &[String]) -> Option<usize> {
    rows.iter().rposition(|row| row.chars().any(|character| character != ' '))
}

pub(super) fn extent(size: Size) -> (NonZeroU16, NonZeroU16) {
    (extent_of(size.rows), extent_of(size.cols))
}

fn extent_of(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap_or(NonZeroU16::MIN)
}

/// The emulator's text with our stand-ins replaced by what a view shows.
pub(super) fn for_view(text: &str) -> String {
    text.replace(REPLACEMENT, "\u{fffd}").replace(FILLER, " ")
}

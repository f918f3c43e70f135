//! The bytes that bring a fresh view to the state of the model.
//!
//! A view that plays them and then the raw output that follows shows what a view attached from the
//! beginning shows, and knows as much of the shell: its marks come again where they stood.

use std::fmt::Write as _;

use super::emulator::{Emulator, for_view, width};
use super::history::write_mark;
use super::model::Model;

impl Model {
    pub(super) fn repaint(&mut self) -> Vec<u8> {
        let emulator = &mut self.emulator;
        let mut text = String::from("\x1bc");
        scrollback(emulator, &mut text);
        let alternate = emulator.screen().alternate_screen();
        emulator.with_primary(|emulator| {
            let marks = marks_on_screen(emulator);
            screen(emulator, &marks, &mut text);
        });
        if alternate {
            text.push_str("\x1b[?1049h");
            screen(emulator, "", &mut text);
        }
        for (mode, set) in &emulator.modes {
            _ = write!(text, "\x1b[?{mode}{}", if *set { 'h' } else { 'l' });
        }
        for (set, used) in ["(", ")"].into_iter().zip(emulator.charset.line_drawing) {
            if used {
                _ = write!(text, "\x1b{set}0");
            }
        }
        if emulator.charset.shifted {
            text.push('\x0e');
        }
        if !emulator.title.is_empty() {
            _ = write!(text, "\x1b]2;{}\x07", emulator.title);
        }
        let mut bytes = for_view(&text).into_bytes();
        bytes.extend_from_slice(self.filter.pending());
        bytes
    }
}

fn scrollback(emulator: &mut Emulator, text: &mut String) {
    let Emulator { parser, width_probe, .. } = emulator;
    let history = &parser.callbacks().history;
    let wide = |character: char| width(width_probe, character.encode_utf8(&mut [0; 4]));
    if history.write(text, wide) {
        // Scrolls the last of these lines off the screen, from wherever the cursor is now.
        text.push_str(&"\n".repeat(usize::from(emulator.size().rows) - 1));
    }
}

/// The marks that stand on the screen, each behind the way to its place.
fn marks_on_screen(emulator: &Emulator) -> String {
    let history = emulator.history();
    let width = usize::from(emulator.size().cols);
    let rows = usize::from(emulator.size().rows);
    let starts: Vec<usize> =
        (0..rows).filter(|&row| row == 0 || !emulator.wrapped(row - 1)).collect();
    let top = (history.next(), history.open_cells());
    let mut text = String::new();
    for mark in history.marks().filter(|mark| mark.spot >= top) {
        let (line, cell) = mark.spot;
        let line = usize::try_from(line - top.0).unwrap_or(usize::MAX);
        let Some(&start) = starts.get(line) else { continue };
        let cell = if line == 0 { cell - top.1 } else { cell };
        let end = starts.get(line + 1).copied().unwrap_or(rows);
        // A cursor that waited behind the last column was still on the row before.
        let row = (start + cell / width).min(end - 1);
        let column = (cell - (row - start) * width).min(width);
        let at =
            (u16::try_from(row).unwrap_or(u16::MAX), u16::try_from(column).unwrap_or(u16::MAX));
        text.push_str("\x1b[m");
        place_cursor(emulator.screen(), at, 0, &mut text);
        mark.write(&mut text);
    }
    if let Some(folder) = history.lost_folder() {
        write_mark(&mut text, folder);
    }
    text
}

/// Paints the screen that is shown, with what a program may come back to later.
fn screen(emulator: &Emulator, marks: &str, text: &mut String) {
    let screen = emulator.screen();
    let state = emulator.screen_state();
    text.push_str(&screen.state_formatted());

    // Before there is a scrolling region, because the saved cursor may stand outside of it.
    text.push_str(if state.saved_origin { "\x1b[?6h\x1b[m" } else { "\x1b[?6l\x1b[m" });
    place_cursor(screen, state.saved, 0, text);
    _ = write!(text, "\x1b[m{}\x1b7\x1b[?6l\x1b[m", emulator.saved_attributes);

    text.push_str(marks);
    if let Some((top, bottom)) = state.margins {
        _ = write!(text, "\x1b[{top};{bottom}r");
    }
    let above = state.margins.filter(|_| state.origin).map_or(0, |(top, _)| top - 1);
    if state.origin {
        text.push_str("\x1b[?6h");
    }
    place_cursor(screen, screen.cursor_position(), above, text);
    text.push_str(&screen.attributes_formatted());
}

/// Places the cursor where rows count from the row after `above`. A cursor that waits behind the
/// last column gets there by printing that column again. The emulator's own way to do that would
/// overwrite the saved cursor.
fn place_cursor(screen: &vt100::Screen, at: (u16, u16), above: u16, text: &mut String) {
    let (row, column) = at;
    let columns = screen.size().1.get();
    let waits = column >= columns;
    let wide = screen.cell(row, columns - 1).is_some_and(vt100::Cell::is_wide_continuation);
    let column = if waits { columns - 1 - u16::from(wide) } else { column };
    _ = write!(text, "\x1b[{};{}H", row.saturating_sub(above) + 1, column + 1);
    if waits {
        let mut rows = screen.rows_formatted(column, columns - column);
        text.push_str(&rows.nth(usize::from(row)).unwrap_or_default());
        if !screen.cell(row, column).is_some_and(vt100::Cell::has_contents) {
            text.push(' ');
        }
    }
}

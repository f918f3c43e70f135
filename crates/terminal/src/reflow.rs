//! A screen of another size: rows move to the transcript or are laid out anew, and no text that
//! stands above the cursor is lost.

use super::emulator::{Emulator, extent};
use super::filter::{FILLER, Filter};
use super::types::Size;

impl Emulator {
    pub(super) fn resize(&mut self, size: Size) {
        if size == self.size() {
            return;
        }
        if size.cols == self.size().cols {
            self.with_primary(|emulator| emulator.parser.screen_mut().clear_scrollback());
            let (rows, columns) = extent(size);
            self.parser.set_size(rows, columns);
        } else {
            self.reflow(size);
        }
        for state in &mut self.screen_states {
            state.margins = None;
            state.saved = (state.saved.0.min(size.rows - 1), state.saved.1.min(size.cols - 1));
        }
    }

    /// Lays the lines out anew for another width, because cutting them off, as the emulator would,
    /// loses text that nobody may have read yet.
    fn reflow(&mut self, size: Size) {
        let alternate = self.screen().alternate_screen().then(|| {
            let mut screen = self.screen().clone();
            let (rows, columns) = extent(size);
            screen.set_size(rows, columns);
            screen.state_formatted()
        });
        if alternate.is_some() {
            self.parser.process(b"\x1b[?47l");
        }
        let (cursor_row, cursor_column) = self.screen().cursor_position();
        let row = usize::from(cursor_row);
        let wrapped_above = (0..row).rev().take_while(|&above| self.wrapped(above)).count();
        let cursor_line = (0..row).filter(|&above| !self.wrapped(above)).count();
        let offset = wrapped_above * usize::from(self.size().cols) + usize::from(cursor_column);
        let formatted = self.screen().contents_formatted_basic().replace(FILLER, "");
        let mut lines: Vec<&str> = formatted.split('\n').collect();
        while lines.len() > cursor_line + 1 && lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let attributes = self.screen().attributes_formatted();
        let modes = self.screen().input_mode_formatted();
        let hidden = self.screen().hide_cursor();

        let (rows, columns) = extent(size);
        *self.parser.screen_mut() = vt100::Parser::new(rows, columns, 0).screen().clone();
        self.parser.callbacks_mut().columns = usize::from(size.cols);
        let charset = std::mem::take(&mut self.charset);
        let no_wrap = std::mem::take(&mut self.no_wrap);
        Filter::new().feed(lines.join("\r\n").as_bytes(), self);
        self.charset = charset;
        self.no_wrap = no_wrap;

        let mut line_start = usize::from(self.screen().cursor_position().0);
        for behind in 0..lines.len().saturating_sub(cursor_line) {
            if behind > 0 {
                line_start = line_start.saturating_sub(1);
            }
            while line_start > 0 && self.wrapped(line_start - 1) {
                line_start -= 1;
            }
        }
        let width = usize::from(size.cols);
        let row = line_start + offset / width + 1;
        self.parser.process(format!("\x1b[{row};{}H", offset % width + 1).as_bytes());
        self.parser.process(attributes.as_bytes());
        self.parser.process(modes.as_bytes());
        self.parser.process(if hidden { b"\x1b[?25l" } else { b"\x1b[?25h" });
        if let Some(state) = alternate {
            self.parser.process(b"\x1b[?1049h");
            self.parser.process(state.as_bytes());
        }
        for state in &mut self.screen_states {
            state.origin = false;
        }
    }
}

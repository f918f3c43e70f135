//! What a program writes, sequence by sequence: which of the emulator's doings each of them asks for.

use super::{Emulator, LINE_DRAWING, TITLE_LIMIT};
use crate::{filter::Sink, sequence::Sequence};

impl Sink for Emulator {
    fn plain(&mut self, bytes: &[u8]) {
        self.repeatable = bytes.last().is_some_and(|&byte| byte >= b' ');
        let line_drawing = self.charset.line_drawing[usize::from(self.charset.shifted)];
        if !line_drawing && !self.no_wrap {
            if !self.flood(bytes) {
                self.parser.process(bytes);
            }
            return;
        }
        for &byte in bytes {
            match byte.checked_sub(b'_').filter(|_| line_drawing) {
                Some(index) => self.print(LINE_DRAWING[usize::from(index)]),
                None if byte >= b' ' => self.print(char::from(byte)),
                None => self.parser.process(&[byte]),
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.repeatable = true;
        let columns = usize::from(self.size().cols);
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            // No character takes more than two columns, so this many cannot reach the last one.
            let column = usize::from(self.screen().cursor_position().1);
            let safe = if self.no_wrap { 0 } else { columns.saturating_sub(column + 1) / 2 };
            let end = if safe == 0 {
                self.print(character);
                character.len_utf8()
            } else {
                let end = rest.char_indices().nth(safe).map_or(rest.len(), |(end, _)| end);
                self.parser.process(&rest.as_bytes()[..end]);
                end
            };
            rest = &rest[end..];
        }
    }

    fn shift(&mut self, out: bool) {
        self.charset.shifted = out;
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        self.repeatable = false;
        match (intermediates, last) {
            (b"", b'D') => self.parser.process(b"\n"),
            (b"", b'E') => self.parser.process(b"\r\n"),
            (b"", b'7') => {
                self.save_cursor();
                self.parser.process(b"\x1b7");
            }
            (b"", b'8') => {
                self.restore_cursor();
                self.parser.process(b"\x1b8");
            }
            (b"", b'M' | b'=' | b'>') => self.parser.process(&[0x1b, last]),
            (b"", b'c') => {
                self.with_primary(Self::commit_screen);
                self.parser.process(b"\x1bc");
                self.forget_modes();
                self.history_mut().screen_erased();
                self.history_mut().clear();
            }
            (b"(", _) => self.charset.line_drawing[0] = last == b'0',
            (b")", _) => self.charset.line_drawing[1] = last == b'0',
            _ => {}
        }
    }

    fn control_sequence(&mut self, body: &[u8]) {
        let repeatable = std::mem::replace(&mut self.repeatable, false);
        let sequence = Sequence::parse(body);
        let first = sequence.parameter(0);
        match (sequence.private, sequence.intermediate, sequence.last) {
            (None | Some(b'?'), None, b'J') => {
                self.erase(first);
                self.forward(body);
            }
            (None, None, b'b') if repeatable => {
                let cells = u32::from(self.size().rows) * u32::from(self.size().cols);
                let count = u32::from(first.max(1)).min(cells);
                self.parser.process(format!("\x1b[{count}b").as_bytes());
            }
            (None, None, b'b') => {}
            (None, None, b'c') if first == 0 => self.reply("\x1b[?1;2c"),
            (None, None, b'n') if first == 5 => self.reply("\x1b[0n"),
            (None, None, b'n') if first == 6 => self.report_position(""),
            (Some(b'?'), None, b'n') if first == 6 => self.report_position("?"),
            (None, None, b'r') => self.set_margins(first, sequence.parameter(1)),
            (None, None, b's') if sequence.parameters.is_empty() => self.escape(b"", b'7'),
            (None, None, b'u') if sequence.parameters.is_empty() => self.escape(b"", b'8'),
            (None, None, b'a') => self.forward(format!("{}C", first.max(1)).as_bytes()),
            (None, None, b'e') => self.forward(format!("{}B", first.max(1)).as_bytes()),
            (None, None, b'I') => self.tabs(first.max(1), false),
            (None, None, b'Z') => self.tabs(first.max(1), true),
            (None, Some(b'!'), b'p') => self.soft_reset(),
            (Some(b'?'), None, b'h' | b'l') => {
                for &mode in &sequence.parameters {
                    self.private_mode(mode, sequence.last == b'h');
                }
            }
            _ => self.forward(body),
        }
    }

    fn system_command(&mut self, body: &[u8]) {
        self.repeatable = false;
        self.take_mark(body);
        if let Some(title) = body.strip_prefix(b"0;").or_else(|| body.strip_prefix(b"2;")) {
            let title = String::from_utf8_lossy(&title[..title.len().min(TITLE_LIMIT)]);
            self.title = title.chars().filter(|character| !character.is_control()).collect();
        }
    }
}

impl Emulator {
    fn forward(&mut self, body: &[u8]) {
        self.parser.process(b"\x1b[");
        self.parser.process(body);
    }
}

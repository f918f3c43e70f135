//! What a view can scroll back to: the lines that left the top of the primary screen, with their
//! colours, and the places of the shell's marks among them and on the screen.
//!
//! It is what a terminal of its own would have kept, so a program that erases it has it erased. The
//! transcript, which readers go through by numbers, forgets nothing for that reason and is another
//! thing. Nothing here knows what a mark means.

use std::collections::VecDeque;
use std::fmt::Write as _;

use tokio::time::Instant;

use super::filter::FILLER;

/// As many as the workbench keeps itself unless a person sets more. A terminal that is full of
/// coloured lines of a usual length takes about 100 KB for them.
pub(super) const LINE_LIMIT: usize = 1000;
/// Bounds what long lines and many colours may take, for each terminal and each repaint.
pub(super) const BYTE_LIMIT: usize = 512 * 1024;
/// A longer line goes on as another one, which looks the same until the width changes.
const LINE_BYTE_LIMIT: usize = 16 * 1024;
/// A command leaves seven marks and mostly more lines than that.
const MARK_LIMIT: usize = 2000;
const MARK_BYTE_LIMIT: usize = 256 * 1024;

/// The operating system command that says, before a mark, how many milliseconds ago it came. It is
/// ours alone; other terminals leave it alone.
const AGE: u32 = 7633;

/// The number of a line and how many cells into it. Lines count on while older ones are dropped.
pub(super) type Spot = (u64, usize);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) spot: Spot,
    /// The operating system command, as the shell sent it.
    pub(super) body: String,
    at: Instant,
}

impl Mark {
    pub(super) fn write(&self, text: &mut String) {
        // A view tells from these how long a command took.
        if self.body.starts_with("633;C") || self.body.starts_with("633;D") {
            _ = write!(text, "\x1b]{AGE};{}\x07", self.at.elapsed().as_millis());
        }
        write_mark(text, &self.body);
    }
}

#[derive(Debug, Default)]
pub(super) struct History {
    lines: VecDeque<String>,
    bytes: usize,
    first: u64,
    open: String,
    /// How many cells of the line at the top of the screen have scrolled off.
    open_cells: usize,
    /// In the order of their spots, which is the order they came in.
    marks: VecDeque<Mark>,
    mark_bytes: usize,
    /// The newest mark that names the shell's folder: it holds also when its line is gone.
    folder: Option<String>,
}

impl History {
    /// The number of the line at the top of the screen.
    pub(super) fn next(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    pub(super) fn open_cells(&self) -> usize {
        self.open_cells
    }

    /// Takes the row that leaves the top of the screen, `cells` wide, with its colours from the
    /// default ones on; `wrapped` when its line goes on below.
    pub(super) fn push_row(&mut self, row: &str, cells: usize, wrapped: bool) {
        self.open.push_str(row);
        if row.contains('\x1b') {
            self.open.push_str("\x1b[m");
        }
        self.open_cells += cells;
        if !wrapped || self.open.len() > LINE_BYTE_LIMIT {
            self.finish_line();
        }
    }

    /// Takes plain lines, when no line is open. Only the newest cost anything.
    pub(super) fn push_plain_lines<'a>(&mut self, lines: impl Iterator<Item = &'a str> + Clone) {
        let skipped = lines.clone().count().saturating_sub(LINE_LIMIT);
        if skipped > 0 {
            let end = self.next();
            self.lines.clear();
            self.bytes = 0;
            self.first = end + skipped as u64;
        }
        for line in lines.skip(skipped) {
            self.open.push_str(line);
            self.finish_line();
        }
        self.forget_marks_before(self.first);
    }

    fn finish_line(&mut self) {
        self.bytes += self.open.len();
        self.lines.push_back(std::mem::take(&mut self.open));
        self.open_cells = 0;
        while self.lines.len() > LINE_LIMIT || self.bytes > BYTE_LIMIT {
            let Some(line) = self.lines.pop_front() else { break };
            self.bytes -= line.len();
            self.first += 1;
        }
        self.forget_marks_before(self.first);
    }

    /// Keeps a mark of the shell. What was marked behind it is being written anew.
    pub(super) fn mark(&mut self, spot: Spot, body: String) {
        if body.starts_with("633;P;") {
            self.folder = Some(body.clone());
        }
        self.retain(|mark| mark.spot <= spot);
        let known = |mark: &&Mark| mark.spot == spot;
        if self.marks.iter().rev().take_while(known).any(|mark| mark.body == body) {
            return;
        }
        self.mark_bytes += body.len();
        self.marks.push_back(Mark { spot, body, at: Instant::now() });
        while self.marks.len() > MARK_LIMIT || self.mark_bytes > MARK_BYTE_LIMIT {
            let Some(mark) = self.marks.pop_front() else { break };
            self.mark_bytes -= mark.body.len();
        }
    }

    /// The marks from the first prompt on: what is left of a command without one means nothing to
    /// a view. The folder counts everywhere.
    pub(super) fn marks(&self) -> impl Iterator<Item = &Mark> {
        let mut prompt_seen = false;
        self.marks.iter().filter(move |mark| {
            prompt_seen |= mark.body.starts_with("633;A");
            prompt_seen || mark.body.starts_with("633;P;")
        })
    }

    /// The mark of the shell's folder, when it is not the last one of its kind among `marks`.
    pub(super) fn lost_folder(&self) -> Option<&str> {
        let newest = self.marks().filter(|mark| mark.body.starts_with("633;P;")).last();
        self.folder.as_deref().filter(|folder| newest.is_none_or(|mark| mark.body != *folder))
    }

    /// The screen is erased from its first row: what has scrolled off of its first line ends there.
    pub(super) fn screen_erased(&mut self) {
        let top = (self.next(), self.open_cells);
        self.retain(|mark| mark.spot < top);
        if self.open_cells > 0 {
            self.finish_line();
        }
    }

    pub(super) fn erased_behind(&mut self, spot: Spot) {
        self.retain(|mark| mark.spot <= spot);
    }

    /// The rows of the screen above this spot are erased.
    pub(super) fn erased_before(&mut self, spot: Spot) {
        let top = (self.next(), self.open_cells);
        self.retain(|mark| mark.spot < top || mark.spot.0 >= spot.0);
    }

    /// Forgets what has scrolled off. Of a line that goes on, the rest begins on the screen.
    pub(super) fn clear(&mut self) {
        let top = (self.next(), self.open_cells);
        self.retain(|mark| mark.spot >= top);
        for mark in self.marks.iter_mut().take_while(|mark| mark.spot.0 == top.0) {
            mark.spot.1 -= top.1;
        }
        self.open_cells = 0;
        self.first = self.next();
        self.lines.clear();
        self.bytes = 0;
        self.open.clear();
    }

    fn forget_marks_before(&mut self, line: u64) {
        while self.marks.front().is_some_and(|mark| mark.spot.0 < line) {
            let Some(mark) = self.marks.pop_front() else { break };
            self.mark_bytes -= mark.body.len();
        }
    }

    fn retain(&mut self, keep: impl Fn(&Mark) -> bool) {
        self.marks.retain(keep);
        self.mark_bytes = self.marks.iter().map(|mark| mark.body.len()).sum();
    }

    /// Writes all lines and the marks in them; `width` says how many cells a character takes.
    /// Returns whether there were any.
    pub(super) fn write(&self, text: &mut String, mut width: impl FnMut(char) -> usize) -> bool {
        let top = (self.next(), self.open_cells);
        let mut marks = self.marks().take_while(|mark| mark.spot < top).peekable();
        let open = (!self.open.is_empty()).then_some(&self.open);
        for (number, line) in (self.first..).zip(self.lines.iter().chain(open)) {
            if marks.peek().is_none_or(|mark| mark.spot.0 > number) {
                text.extend(line.split(FILLER));
                text.push_str("\r\n");
                continue;
            }
            let mut cell = 0;
            let mut in_escape = false;
            for character in line.chars() {
                while let Some(mark) =
                    marks.next_if(|mark| !in_escape && mark.spot <= (number, cell))
                {
                    mark.write(text);
                }
                match character {
                    '\x1b' => in_escape = true,
                    'm' if in_escape => in_escape = false,
                    _ if in_escape => {}
                    ' '..='~' => cell += 1,
                    _ => cell += width(character),
                }
                if character != FILLER {
                    text.push(character);
                }
            }
            while let Some(mark) = marks.next_if(|mark| mark.spot.0 <= number) {
                mark.write(text);
            }
            text.push_str("\r\n");
        }
        !self.lines.is_empty() || open.is_some()
    }
}

pub(super) fn write_mark(text: &mut String, body: &str) {
    _ = write!(text, "\x1b]{body}\x07");
}

#[cfg(test)]
mod tests;

//! A terminal without a device: bytes of a program in, transcript, screen and repaint out.
//!
//! Pure and synchronous. It never sees what is typed: input reaches a transcript only when the
//! program echoes it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::emulator::Emulator;
use super::filter::Filter;
use super::marks::{Marks, TextSpot};
use super::types::{ReadRequest, RedrawnLine, Size, TerminalError, TerminalRead};

/// For how many of the newest cursors redrawn lines are known.
const MARK_LIMIT: usize = 64;

/// A part of the transcript.
pub(super) struct Excerpt {
    pub(super) lines: Vec<String>,
    pub(super) total: usize,
    /// Before which of `lines` others were left out.
    pub(super) omitted_at: Option<usize>,
}

pub(super) struct Model {
    pub(super) filter: Filter,
    pub(super) emulator: Emulator,
    marks: BTreeMap<u64, Mark>,
}

/// What the lines still on the screen read when a cursor was handed out; nothing for a line of
/// which different texts were given away with this cursor.
struct Mark {
    first: u64,
    hashes: Vec<Option<u64>>,
}

impl Model {
    pub(super) fn new(size: Size) -> Self {
        Self { filter: Filter::new(), emulator: Emulator::new(size), marks: BTreeMap::new() }
    }

    /// Believes marks of the shell that carry this nonce, from now on.
    pub(super) fn believe(&mut self, nonce: String) {
        self.emulator.marks = Marks::new(Some(nonce));
    }

    /// Takes output of the program and returns what a terminal answers to its questions, which is
    /// nothing unless `answering`: an attached view gives its own answers.
    pub(super) fn process(&mut self, bytes: &[u8], answering: bool) -> Vec<u8> {
        self.emulator.answering = answering;
        // The emulator asserts more than it can hold; a program must not end its own terminal.
        let fed = catch_unwind(AssertUnwindSafe(|| self.filter.feed(bytes, &mut self.emulator)));
        if fed.is_err() {
            tracing::error!("the terminal emulator failed and was reset");
            self.filter = Filter::new();
            self.emulator.recover();
        }
        std::mem::take(&mut self.emulator.replies)
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.emulator.resize(size);
    }

    pub(super) fn size(&self) -> Size {
        self.emulator.size()
    }

    pub(super) fn alternate_screen(&self) -> bool {
        self.emulator.screen().alternate_screen()
    }

    pub(super) fn cursor_in_text(&mut self) -> TextSpot {
        self.emulator.cursor_in_text()
    }

    /// Whether something was typed at the prompt and not yet entered.
    pub(super) fn typing(&mut self) -> bool {
        self.emulator.typing()
    }

    /// Whether the program takes a paste as text, without looking at its keys.
    pub(super) fn takes_paste(&self) -> bool {
        self.emulator.screen().bracketed_paste()
    }

    /// Keeps the first lines of the next command although the transcript drops them.
    pub(super) fn keep_head(&mut self, lines: usize) {
        self.emulator.marks.keep_head = lines;
    }

    /// The line the cursor is on, unless it is blank.
    pub(super) fn partial(&mut self) -> Option<String> {
        self.emulator.partial()
    }

    pub(super) fn marks(&self) -> &Marks {
        &self.emulator.marks
    }

    pub(super) fn title(&self) -> &str {
        &self.emulator.title
    }

    pub(super) fn read(&mut self, request: ReadRequest) -> Result<TerminalRead, TerminalError> {
        let mut screen = self.emulator.screen_lines();
        let below = screen.lines.split_off(screen.cursor + 1);
        let partial = screen.lines.pop().filter(|line| !line.is_empty());
        let transcript = self.emulator.transcript();
        let (first_kept, base) = (transcript.first(), transcript.next());
        let finished = base + screen.lines.len() as u64;
        let current = finished.max(self.emulator.delivered);
        if let Some(since) = request.since.filter(|&since| since > current) {
            return Err(TerminalError::FutureCursor { since, current });
        }

        let limit = u64::try_from(request.lines).unwrap_or(u64::MAX);
        let newest = finished.saturating_sub(limit).max(first_kept);
        let first_line = request.since.map_or(newest, |since| since.max(first_kept));
        let end = match request.since {
            Some(_) => finished.min(first_line.saturating_add(limit)),
            None => finished,
        };
        let cursor = end.max(first_line);
        let on_screen = |number: u64| usize::try_from(number.saturating_sub(base)).unwrap_or(0);
        let mut lines = transcript.lines(first_line..end);
        if end > base {
            let wanted = screen.lines.get(on_screen(first_line)..on_screen(end));
            lines.extend_from_slice(wanted.unwrap_or_default());
        }
        let more = match request.since {
            Some(_) => end < finished,
            None => first_line > first_kept,
        };
        let redrawn =
            request.since.map_or_else(Vec::new, |since| self.redrawn(since, base, &screen.lines));
        self.hand_out(cursor, base, &screen.lines);
        let alternate_screen = self.alternate_screen();
        let mut read = TerminalRead {
            lines,
            first_line,
            cursor,
            partial,
            below,
            redrawn,
            dropped: request.since.map_or(0, |since| first_kept.saturating_sub(since)),
            more,
            alternate_screen,
            screen: alternate_screen.then(|| self.emulator.rows()),
        };
        let redrawn = read.redrawn.iter_mut().map(|redrawn| &mut redrawn.text);
        let texts = read.lines.iter_mut().chain(&mut read.partial).chain(&mut read.below);
        for text in texts.chain(redrawn).chain(read.screen.iter_mut().flatten()) {
            self.emulator.marks.conceal(text);
        }
        Ok(read)
    }

    /// The lines from `first` to `end` and, behind them, `tail`: all of them, or the first and the
    /// last when they are more than `limit`.
    pub(super) fn output(
        &mut self,
        first: u64,
        end: u64,
        tail: Option<String>,
        limit: usize,
    ) -> Excerpt {
        let count = usize::try_from(end.saturating_sub(first)).unwrap_or(usize::MAX);
        let total = count.saturating_add(usize::from(tail.is_some()));
        let head = if total > limit { limit / 2 } else { count };
        let rest = if total > limit { limit - head - usize::from(tail.is_some()) } else { 0 };
        let mut lines = self.numbered(first..first + head as u64);
        let mut omitted_at = (lines.len() < head || total > limit).then_some(lines.len());
        let rest = self.numbered(end - rest as u64..end);
        lines.extend(rest);
        lines.extend(tail);
        omitted_at.take_if(|_| lines.len() == total);
        for line in &mut lines {
            self.emulator.marks.conceal(line);
        }
        Excerpt { lines, total, omitted_at }
    }

    /// The lines of these numbers that are kept anywhere.
    pub(super) fn numbered(&mut self, range: Range<u64>) -> Vec<String> {
        let screen = self.emulator.screen_lines().lines;
        let transcript = self.emulator.transcript();
        let (head_first, head) = transcript.head();
        let base = transcript.next();
        let part = |lines: &[String], first: u64| {
            let index = |number: u64| {
                usize::try_from(number.saturating_sub(first))
                    .map_or(lines.len(), |i| i.min(lines.len()))
            };
            lines.get(index(range.start)..index(range.end)).unwrap_or_default().to_vec()
        };
        let mut lines = part(head, head_first);
        lines.extend(transcript.lines(range.clone()));
        lines.extend(part(&screen, base));
        lines
    }

    fn hand_out(&mut self, cursor: u64, base: u64, screen: &[String]) {
        self.emulator.delivered = self.emulator.delivered.max(cursor);
        if cursor <= base {
            return;
        }
        let count = usize::try_from(cursor - base).unwrap_or(usize::MAX);
        let now = || screen.iter().take(count).map(|line| Some(hash(line)));
        let mark = self
            .marks
            .entry(cursor)
            .or_insert_with(|| Mark { first: base, hashes: now().collect() });
        // Two holders of the same cursor may know different texts; both must hear of a change.
        let known = mark.hashes.iter_mut().skip(usize::try_from(base - mark.first).unwrap_or(0));
        for (known, now) in known.zip(now()) {
            *known = known.filter(|_| *known == now);
        }
        if self.marks.len() > MARK_LIMIT {
            self.marks.pop_first();
        }
    }

    fn redrawn(&mut self, since: u64, base: u64, screen: &[String]) -> Vec<RedrawnLine> {
        let Some(mark) = self.marks.get_mut(&since) else { return Vec::new() };
        let transcript = self.emulator.transcript();
        let first = mark.first.max(transcript.first());
        let mut now = transcript.lines(first..since);
        if base < since {
            now.extend_from_slice(screen);
        }
        let skipped = usize::try_from(first - mark.first).unwrap_or(usize::MAX);
        let mut redrawn = Vec::new();
        for ((line, text), known) in
            (first..since).zip(now).zip(mark.hashes.iter_mut().skip(skipped))
        {
            if *known != Some(hash(&text)) {
                *known = None;
                redrawn.push(RedrawnLine { line, text });
            }
        }
        redrawn
    }
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;

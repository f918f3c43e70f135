//! A unified diff made from known changes: only the lines in and around them are looked at.

use std::ops::Range;

use super::{
    MAX_DIFF_BYTES,
    changes::Change,
    lines::{differences, newlines},
};

/// How many equal lines are shown around a difference.
const CONTEXT: usize = 3;

/// A diff and what it counts. The counts are of the whole diff, also where its text is cut.
pub(super) struct Diff {
    pub(super) text: String,
    /// The text was too long to be shown whole.
    pub(super) cut: bool,
    pub(super) added: u64,
    pub(super) removed: u64,
}

/// Lines that were taken out and lines that were put in at the same place.
struct Piece {
    /// Lines before it, in the old text and in the new one.
    before: (u64, u64),
    /// How many lines are taken out and put in.
    height: (u64, u64),
    old: Range<usize>,
    new: Range<usize>,
}

/// The diff between two texts that differ in these changes, in order, and nowhere else.
pub(super) fn unified(path: &str, old: &str, new: &str, changes: &[Change]) -> Diff {
    let pieces = pieces(old, new, changes);
    let mut text = Bounded { text: String::new(), missing: 0 };
    let mut rest = pieces.as_slice();
    while let Some(first) = rest.first() {
        let near = rest.windows(2).take_while(|two| gap(&two[0], &two[1]) <= 2 * CONTEXT as u64);
        let (hunk, others) = rest.split_at(near.count() + 1);
        write_hunk(&mut text, old, new, first, hunk);
        rest = others;
    }
    let head = if pieces.is_empty() {
        String::new()
    } else {
        format!("--- {}\n+++ {}\n", name('a', path), name('b', path))
    };
    Diff {
        cut: text.missing > 0,
        text: head + &text.finish(),
        added: pieces.iter().map(|piece| piece.height.1).sum(),
        removed: pieces.iter().map(|piece| piece.height.0).sum(),
    }
}

/// The equal lines between two pieces.
fn gap(piece: &Piece, next: &Piece) -> u64 {
    next.before.0 - piece.before.0 - piece.height.0
}

fn write_hunk(out: &mut Bounded, old: &str, new: &str, first: &Piece, hunk: &[Piece]) {
    let last = hunk.last().unwrap_or(first);
    let lead: Vec<&str> =
        old[..first.old.start].split_inclusive('\n').rev().take(CONTEXT).collect();
    let trail: Vec<&str> = old[last.old.end..].split_inclusive('\n').take(CONTEXT).collect();
    let around = (lead.len() + trail.len()) as u64;
    let equal = around + hunk.windows(2).map(|two| gap(&two[0], &two[1])).sum::<u64>();
    let removed = equal + hunk.iter().map(|piece| piece.height.0).sum::<u64>();
    let added = equal + hunk.iter().map(|piece| piece.height.1).sum::<u64>();
    // A side without lines is placed after the line before it, any other at its first line.
    let start = |before: u64, count: u64| before - lead.len() as u64 + u64::from(count > 0);
    out.head(&format!(
        "@@ -{},{removed} +{},{added} @@\n",
        start(first.before.0, removed),
        start(first.before.1, added),
    ));
    lead.iter().rev().for_each(|line| out.line(' ', line));
    for (index, piece) in hunk.iter().enumerate() {
        if let Some(previous) = index.checked_sub(1).map(|before| &hunk[before]) {
            out.lines(' ', &old[previous.old.end..piece.old.start]);
        }
        out.lines('-', &old[piece.old.clone()]);
        out.lines('+', &new[piece.new.clone()]);
    }
    for line in trail {
        out.line(' ', line);
    }
}

/// The lines in which the texts differ.
fn pieces(old: &str, new: &str, changes: &[Change]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut before, mut done) = ((0, 0), 0);
    for Change { old: old_range, new: new_range } in whole_lines(old, new, changes) {
        let equal = newlines(&old[done..old_range.start]);
        before = (before.0 + equal, before.1 + equal);
        done = old_range.end;
        let gone = Lines::of(old, old_range);
        let come = Lines::of(new, new_range);
        for (gone_rows, come_rows) in differences(&gone.lines, &come.lines) {
            pieces.push(Piece {
                before: (before.0 + gone_rows.start as u64, before.1 + come_rows.start as u64),
                height: (gone_rows.len() as u64, come_rows.len() as u64),
                old: gone.bytes(&gone_rows),
                new: come.bytes(&come_rows),
            });
        }
        before = (before.0 + gone.lines.len() as u64, before.1 + come.lines.len() as u64);
    }
    pieces
}

/// The changes widened to whole lines; those that then touch become one.
fn whole_lines(old: &str, new: &str, changes: &[Change]) -> Vec<Change> {
    let mut widened: Vec<Change> = Vec::new();
    let mut changes = changes.iter().cloned().peekable();
    while let Some(mut change) = changes.next() {
        while let Some(next) =
            changes.next_if(|next| !old[change.old.end..next.old.start].contains('\n'))
        {
            change =
                Change { old: change.old.start..next.old.end, new: change.new.start..next.new.end };
        }
        let line = old[..change.old.start].rfind('\n').map_or(0, |newline| newline + 1);
        change.new.start -= change.old.start - line;
        change.old.start = line;
        if !(starts_line(old, change.old.end) && starts_line(new, change.new.end)) {
            let rest = &old[change.old.end..];
            let more = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
            change.old.end += more;
            change.new.end += more;
        }
        match widened.last_mut() {
            Some(last) if last.old.end == change.old.start => {
                last.old.end = change.old.end;
                last.new.end = change.new.end;
            }
            _ => widened.push(change),
        }
    }
    widened
}

fn starts_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

/// Whole lines with their newlines, and where they are.
struct Lines<'a> {
    lines: Vec<&'a str>,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str, range: Range<usize>) -> Self {
        let mut end = range.start;
        let lines: Vec<&str> = text[range].split_inclusive('\n').collect();
        let mut starts = Vec::with_capacity(lines.len() + 1);
        starts.push(end);
        starts.extend(lines.iter().map(|line| {
            end += line.len();
            end
        }));
        Self { lines, starts }
    }

    fn bytes(&self, rows: &Range<usize>) -> Range<usize> {
        self.starts[rows.start]..self.starts[rows.end]
    }
}

/// The name of a side, quoted if the path could break the line.
fn name(side: char, path: &str) -> String {
    let odd = |letter: char| letter.is_control() || letter == '"' || letter == '\\';
    if path.contains(odd) {
        format!("{:?}", format!("{side}/{path}"))
    } else {
        format!("{side}/{path}")
    }
}

/// A text that stops growing at the limit and counts the lines it did not take.
struct Bounded {
    text: String,
    missing: u64,
}

impl Bounded {
    fn head(&mut self, head: &str) {
        if self.missing == 0 {
            self.text.push_str(head);
        }
    }

    fn lines(&mut self, sign: char, lines: &str) {
        lines.split_inclusive('\n').for_each(|line| self.line(sign, line));
    }

    fn line(&mut self, sign: char, line: &str) {
        if self.missing > 0 || self.text.len() + line.len() >= MAX_DIFF_BYTES {
            self.missing += 1;
            return;
        }
        self.text.push(sign);
        self.text.push_str(line);
        if !line.ends_with('\n') {
            self.text.push_str("\n\\ No newline at end of file\n");
        }
    }

    fn finish(self) -> String {
        match self.missing {
            0 => self.text,
            missing => self.text + &format!("\\ Diff cut here: {missing} more lines\n"),
        }
    }
}

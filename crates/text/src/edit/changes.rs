//! Which bytes of the first text became which bytes of the last one, through any number of edits.

use std::ops::Range;

use super::MAX_TEXT_BYTES;

/// Bytes to be replaced, and by what. Lists of these are in order and do not overlap.
#[derive(Debug)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Bytes of the first text and what stands in their place in the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The whole lines in which two texts differ, from the first such line to the last; none when they
/// are equal.
pub(super) fn between(old: &str, new: &str) -> Option<Change> {
    if old == new {
        return None;
    }
    let (left, right) = (old.as_bytes(), new.as_bytes());
    let equal = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let start = left[..equal].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (left, right) = (&left[start..], &right[start..]);
    let mut tail = left.iter().rev().zip(right.iter().rev()).take_while(|(l, r)| l == r).count();
    // The tail starts where a line starts on both sides.
    let starts_line = |side: &[u8]| tail == side.len() || side[side.len() - tail - 1] == b'\n';
    if !(starts_line(left) && starts_line(right)) {
        let shared = &left[left.len() - tail..];
        tail -= shared.iter().position(|byte| *byte == b'\n').map_or(tail, |at| at + 1);
    }
    Some(Change { old: start..old.len() - tail, new: start..new.len() - tail })
}

/// The text with the splices made; none if it would grow beyond the limit.
pub(super) fn splice(text: &str, splices: &[Splice]) -> Option<String> {
    let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
    let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let length = text.len() - removed + added;
    if length > MAX_TEXT_BYTES && length > text.len() {
        return None;
    }
    let mut made = String::with_capacity(length);
    let mut done = 0;
    for splice in splices {
        made.push_str(&text[done..splice.range.start]);
        made.push_str(&splice.text);
        done = splice.range.end;
    }
    made.push_str(&text[done..]);
    Some(made)
}

/// The changes from the first text to the one after these splices; what touches becomes one.
pub(super) fn compose(changes: &[Change], splices: &[Splice]) -> Vec<Change> {
    let mut composed = Vec::with_capacity(changes.len() + splices.len());
    let (mut earlier, mut later) = (changes.iter().peekable(), splices.iter().peekable());
    // A place between the changes is, in the first text, `added - removed` bytes further left.
    let (mut behind, mut ahead) = (Shift::default(), Shift::default());
    loop {
        let starts =
            [earlier.peek().map(|change| change.new.start), later.peek().map(|s| s.range.start)];
        let Some(start) = starts.into_iter().flatten().min() else {
            return composed;
        };
        let mut end = start;
        let (old_start, new_start) = (behind.undo(start), ahead.apply(start));
        loop {
            if let Some(change) = earlier.next_if(|change| change.new.start <= end) {
                end = end.max(change.new.end);
                behind.add(change.old.len(), change.new.len());
            } else if let Some(splice) = later.next_if(|splice| splice.range.start <= end) {
                end = end.max(splice.range.end);
                ahead.add(splice.range.len(), splice.text.len());
            } else {
                break;
            }
        }
        composed
            .push(Change { old: old_start..behind.undo(end), new: new_start..ahead.apply(end) });
    }
}

/// How far the changes so far have moved what follows them.
#[derive(Default)]
struct Shift {
    removed: usize,
    added: usize,
}

impl Shift {
    fn add(&mut self, removed: usize, added: usize) {
        self.removed += removed;
        self.added += added;
    }

    fn apply(&self, at: usize) -> usize {
        at + self.added - self.removed
    }

    fn undo(&self, at: usize) -> usize {
        at + self.removed - self.added
    }
}

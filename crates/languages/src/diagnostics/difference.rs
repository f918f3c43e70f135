//! What a change broke and what it fixed: two sets, before and after, with the texts that they are about.
//!
//! What stands on a line that only moved is the same thing. What was said twice and is said three times is new once.

use std::collections::HashMap;

use openspace_text::offsets;

use super::{Diagnostic, Severity};
use crate::position::{Encoding, Position, Walk};

/// How two sets differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// What was not there before, the worst first.
    pub new: Vec<Diagnostic>,
    /// What is not there any more, the worst first; its places are of the text before.
    pub fixed: Vec<Diagnostic>,
}

/// Compare two sets, each with its text.
pub fn difference(
    (before, old): (&[Diagnostic], &str),
    (after, new): (&[Diagnostic], &str),
) -> Difference {
    let moved = Moved::new(old, new);
    let mut known: HashMap<Key<'_>, Vec<(&Diagnostic, Option<u32>)>> = HashMap::new();
    for item in before {
        known.entry(key(item)).or_default().push((item, moved.line(item.range.start)));
    }
    // First those on their own line, so that the one that is left over is the one that is new.
    let mut rest = Vec::new();
    for item in after {
        let same = known.get_mut(&key(item)).and_then(|same| {
            let at = same.iter().position(|(_, line)| *line == Some(item.range.start.line))?;
            Some(same.swap_remove(at))
        });
        if same.is_none() {
            rest.push(item);
        }
    }
    rest.retain(|item| match known.get_mut(&key(item)) {
        Some(same) => same.pop().is_none(),
        None => true,
    });
    let mut fixed: Vec<Diagnostic> =
        known.into_values().flatten().map(|(item, _)| item.clone()).collect();
    let mut new: Vec<Diagnostic> = rest.into_iter().cloned().collect();
    for worst_first in [&mut new, &mut fixed] {
        worst_first.sort_by_key(|item| (item.severity, item.range));
    }
    Difference { new, fixed }
}

/// What makes two the same, wherever they stand.
type Key<'a> = (Severity, Option<&'a str>, Option<String>, &'a str);

fn key(item: &Diagnostic) -> Key<'_> {
    let code = item.code.as_ref().map(ToString::to_string);
    (item.severity, item.source.as_deref(), code, &item.message)
}

/// Where lines of the text before are now.
struct Moved {
    /// Pieces that were replaced: where each began and ended, and by how many lines what follows moves.
    pieces: Vec<(Position, Position, i64)>,
}

impl Moved {
    fn new(old: &str, new: &str) -> Self {
        let mut walk = Walk::new(old, Encoding::Utf16);
        let mut by = 0_i64;
        let pieces = offsets::between(old, new).into_iter().map(|edit| {
            walk.go_to_units(edit.start);
            let start = walk.position;
            walk.go_to_units(edit.end);
            let end = walk.position;
            let breaks = i64::try_from(edit.text.matches('\n').count()).unwrap_or(i64::MAX);
            by = by.saturating_add(breaks).saturating_sub(i64::from(end.line - start.line));
            (start, end, by)
        });
        Self { pieces: pieces.collect() }
    }

    /// Nothing if what stood there was replaced together with other lines, so that nobody can say.
    fn line(&self, place: Position) -> Option<u32> {
        let Some((start, end, by)) = self.pieces.iter().rfind(|(start, ..)| *start <= place) else {
            return Some(place.line);
        };
        if place < *end && start.line < end.line {
            return None;
        }
        u32::try_from(i64::from(place.line).saturating_add(*by)).ok()
    }
}

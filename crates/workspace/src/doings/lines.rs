//! Lines of a text that were edited, as a few ranges that follow later edits.

use std::fmt;

use openspace_text::offsets::EditedLines;

/// Ranges that are kept apart; more become one with what is between them.
const MOST_RANGES: usize = 3;

/// Ranges of lines, in order, with a gap between any two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines(Vec<(usize, usize)>);

impl Lines {
    /// An edit of the text that these are lines of.
    pub(super) fn edit(&mut self, edit: EditedLines) {
        let EditedLines { first, removed, added } = edit;
        let moved = |line: usize| match line {
            line if line > first + removed => line + added - removed,
            line if line > first => line.min(first + added),
            line => line,
        };
        for range in &mut self.0 {
            *range = (moved(range.0), moved(range.1));
        }
        self.add((first, first + added));
    }

    /// Lines of a later edit, counted in the text as it is now.
    pub(super) fn join(&mut self, later: &Self) {
        later.0.iter().for_each(|range| self.add(*range));
    }

    fn add(&mut self, range: (usize, usize)) {
        self.0.push(range);
        self.0.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for range in self.0.drain(..) {
            match joined.last_mut() {
                Some(last) if range.0 <= last.1 + 1 => last.1 = last.1.max(range.1),
                _ => joined.push(range),
            }
        }
        while joined.len() > MOST_RANGES {
            let gap = |at: &usize| joined[at + 1].0 - joined[*at].1;
            let Some(nearest) = (0..joined.len() - 1).min_by_key(gap) else { break };
            let (_, end) = joined.remove(nearest + 1);
            joined[nearest].1 = end;
        }
        self.0 = joined;
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

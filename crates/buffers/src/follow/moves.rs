//! Where the lines of a text went when it changed: pure, and by the hashes of the lines alone.

use std::hash::{DefaultHasher, Hash, Hasher};

use openspace_protocol::Range;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The hash of each line of a text.
pub(super) fn hashes(text: &str) -> Vec<u64> {
    text.lines().map(hash).collect()
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Where lines of an old text are in a new one.
pub(super) struct Moves {
    ops: Vec<DiffOp>,
}

impl Moves {
    pub(super) fn between(old: &[u64], new: &[u64]) -> Self {
        Self { ops: capture_diff_slices(Algorithm::Myers, old, new) }
    }

    /// The new place of a range, or `None` if all its lines were deleted.
    pub(super) fn range(&self, range: Range) -> Option<Range> {
        let (mut first, mut last) = (None::<usize>, None::<usize>);
        let wanted = range.start_line as usize - 1..range.end_line as usize;
        let mut cover = |from: usize, to: usize| {
            first = Some(first.map_or(from, |line| line.min(from)));
            last = Some(last.map_or(to, |line| line.max(to)));
        };
        for op in &self.ops {
            let old = op.old_range();
            let new = op.new_range();
            let (from, to) = (wanted.start.max(old.start), wanted.end.min(old.end));
            if from >= to {
                continue;
            }
            match op {
                DiffOp::Equal { .. } => {
                    cover(new.start + from - old.start, new.start + to - old.start);
                }
                // Lines that were rewritten keep the mark on what stands there now.
                DiffOp::Replace { .. } => {
                    let begin = new.start + (from - old.start).min(new.len() - 1);
                    let end = if to == old.end {
                        new.end
                    } else {
                        new.start + (to - old.start).min(new.len())
                    };
                    cover(begin, end.max(begin + 1));
                }
                DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
            }
        }
        let line = |line: usize| u32::try_from(line).ok();
        Some(Range { start_line: line(first? + 1)?, end_line: line(last?)?, ..range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, range: (u32, u32), expected: Option<(u32, u32)>) {
        let range = Range {
            start_line: range.0,
            end_line: range.1,
            start_column: Some(2),
            end_column: None,
        };
        let moved = Moves::between(&hashes(old), &hashes(new)).range(range);
        assert_eq!(
            moved.map(|range| (range.start_line, range.end_line)),
            expected,
            "{old:?} {new:?}"
        );
    }

    #[test]
    fn a_range_moves_with_lines_inserted_or_removed_above() {
        check("a\nb\nc\nd", "x\ny\na\nb\nc\nd", (2, 3), Some((4, 5)));
        check("a\nb\nc\nd", "b\nc\nd", (2, 3), Some((1, 2)));
        check("a\nb\nc\nd", "a\nb\nc\nd\nx", (2, 3), Some((2, 3)));
    }

    #[test]
    fn a_range_grows_and_shrinks_with_its_own_lines() {
        check("a\nb\nc\nd", "a\nb\nx\nc\nd", (2, 3), Some((2, 4)));
        check("a\nb\nc\nd", "a\nc\nd", (2, 3), Some((2, 2)));
        check("a\nb\nc\nd", "a\nB\nC\nd", (2, 3), Some((2, 3)));
    }

    #[test]
    fn a_range_whose_lines_are_all_gone_goes() {
        check("a\nb\nc\nd", "a\nd", (2, 3), None);
        check("a\nb", "", (1, 1), None);
    }
}

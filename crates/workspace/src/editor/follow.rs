//! Keeps highlights on their text while files change on disk.
//!
//! For every highlighted file the hashes of its lines are kept, not its text. When the file
//! changes, old and new lines are compared and the ranges move along. A highlight whose lines are
//! all gone goes too. Live buffers of a browser are not looked at here.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use openspace_command::{Error, Result};
use openspace_host::{
    files::{FileError, Files, LineRange},
    watch::{WatchError, Watcher},
};
use openspace_protocol::{Event, RelPath};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use tokio::sync::mpsc;

use super::{Highlight, Range};
use crate::space::Space;

/// Changed files that may wait to be looked at.
const CHANNEL: usize = 256;

struct Inner {
    files: Arc<Files>,
    space: Weak<Space>,
    watcher: Watcher,
    /// `None` for a file that could not be read whole: there is nothing to compare with yet.
    lines: Mutex<BTreeMap<RelPath, Option<Vec<u64>>>>,
}

/// Watches highlighted files.
pub struct Follower(Arc<Inner>);

impl Follower {
    /// Start, with the highlights that the space already has.
    pub fn start(files: Arc<Files>, space: &Arc<Space>) -> Result<Self, WatchError> {
        let (sender, mut changes) = mpsc::channel(CHANNEL);
        let inner = Arc::new(Inner {
            watcher: Watcher::new(files.root(), sender)?,
            files,
            space: Arc::downgrade(space),
            lines: Mutex::default(),
        });
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            while let Some(path) = changes.recv().await {
                let Some(inner) = weak.upgrade() else { return };
                let done = tokio::task::spawn_blocking(move || inner.look_again(&path)).await;
                if done.is_err() {
                    tracing::error!("following a changed file failed");
                }
            }
        });
        let follower = Self(inner);
        let paths: BTreeSet<String> =
            space.state().highlights.values().map(|highlight| highlight.path.clone()).collect();
        for path in paths {
            // While the server was down nobody followed: the ranges are taken as they are.
            match RelPath::parse(&path).map(|path| follower.0.track(&path)) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::warn!(path, %error, "a highlighted file cannot be followed");
                }
                Err(error) => tracing::warn!(path, %error, "a highlight has no usable path"),
            }
        }
        Ok(follower)
    }

    /// Move the highlights a file has to where their text is now, before one is added that speaks
    /// of the text as it is.
    pub async fn catch_up(&self, path: &str) -> Result<()> {
        let path = RelPath::parse(path).map_err(|error| Error::invalid(error.to_string()))?;
        let inner = Arc::clone(&self.0);
        let caught_up = tokio::task::spawn_blocking(move || inner.compare(&path)).await;
        caught_up.map_err(|join| Error::internal("following the file failed").because(join))
    }

    /// Follow a file that has just been highlighted.
    pub async fn track(&self, path: &str) -> Result<()> {
        let path = RelPath::parse(path).map_err(|error| Error::invalid(error.to_string()))?;
        let inner = Arc::clone(&self.0);
        let tracked = tokio::task::spawn_blocking(move || inner.track(&path)).await;
        match tracked {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                Err(Error::internal("the highlight is set, but the file cannot be watched")
                    .because(error))
            }
            Err(join) => Err(Error::internal("watching the file failed").because(join)),
        }
    }

    /// Stop following files that have no highlight any more.
    pub fn forget_unused(&self) {
        let Some(space) = self.0.space.upgrade() else { return };
        let state = space.state();
        let used: BTreeSet<&str> = state.highlights.values().map(|h| h.path.as_str()).collect();
        self.0.lock().retain(|path, _| {
            let keep = used.contains(path.as_str());
            if !keep {
                self.0.watcher.unwatch(path);
            }
            keep
        });
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<RelPath, Option<Vec<u64>>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn track(&self, path: &RelPath) -> Result<(), WatchError> {
        let mut lines = self.lock();
        if lines.contains_key(path) {
            return Ok(());
        }
        self.watcher.watch(path)?;
        // A file too large or odd to read whole is watched but its highlights stay where they are.
        lines.insert(path.clone(), self.hashes(path).ok());
        Ok(())
    }

    fn hashes(&self, path: &RelPath) -> Result<Vec<u64>, FileError> {
        let text = self.files.read(path, LineRange::default())?.content;
        Ok(text.lines().map(hash).collect())
    }

    fn look_again(&self, path: &RelPath) {
        if let Some(space) = self.space.upgrade() {
            space.tell(Event::FileChanged { path: path.to_string() });
        }
        self.compare(path);
    }

    /// Move highlights along with what changed since the file was last looked at.
    fn compare(&self, path: &RelPath) {
        let Some(space) = self.space.upgrade() else { return };
        // Held to the end: moves must be made in the order in which the file was read.
        let mut tracked = self.lock();
        let Some(known) = tracked.get_mut(path) else { return };
        let new = match self.hashes(path) {
            // A program that writes in place empties the file first.
            Ok(new) if new.is_empty() => return,
            Ok(new) => new,
            // The file is being replaced, or is gone: highlights wait for it to come back.
            Err(error) => {
                tracing::debug!(%path, %error, "a highlighted file cannot be read now");
                return;
            }
        };
        let Some(old) = known.replace(new) else { return };
        let Some(new) = known.as_ref().filter(|new| **new != old) else { return };
        let moves = Moves::between(&old, new);
        let moved = space.change_now(|state| {
            Arc::make_mut(&mut state.highlights).retain(|_, highlight| {
                highlight.path != path.as_str() || move_highlight(highlight, &moves)
            });
            Ok(())
        });
        if let Err(error) = moved {
            tracing::error!(%path, %error, "highlights could not be moved");
        }
    }
}

/// Move a highlight's ranges; false when none of its text is left.
fn move_highlight(highlight: &mut Highlight, moves: &Moves) -> bool {
    highlight.ranges = highlight.ranges.iter().filter_map(|range| moves.range(*range)).collect();
    !highlight.ranges.is_empty()
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Where lines of an old text are in a new one.
struct Moves {
    ops: Vec<DiffOp>,
}

impl Moves {
    fn between(old: &[u64], new: &[u64]) -> Self {
        Self { ops: capture_diff_slices(Algorithm::Myers, old, new) }
    }

    /// The new place of a range, or `None` if all its lines were deleted.
    fn range(&self, range: Range) -> Option<Range> {
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
        let hashes = |text: &str| text.lines().map(hash).collect::<Vec<_>>();
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

//! Keeps highlights on their text while files change, and hears of changes for the buffers.
//!
//! For every highlighted file the hashes of its lines are kept, not its text. When the file
//! changes, old and new lines are compared and the ranges move along. A highlight whose lines are
//! all gone goes too. The text of a file with a buffer is that of the buffer, whatever is on disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, PoisonError, Weak},
    time::Duration,
};

use openspace_command::{Error, Result};
use openspace_files::LineRange;
use openspace_host::{
    HostError, Talk,
    operation::{FileNews, FollowFiles, ReadText, StatPath, UnwatchFile, WatchFile},
};
use openspace_protocol::{ChangeKind, Event, FileChange, RelPath};
use openspace_space::{Space, Updated};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use tokio::sync::{Mutex, mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Highlight, Range};
use crate::{
    areas::editor::HighlightsPart, buffers::slots::Slots, places::Place, refusal::refused,
};

/// Changed files that may wait to be looked at.
const CHANNEL: usize = 256;
/// How long a follower is awaited before a highlight is refused.
const PATIENCE: Duration = Duration::from_secs(5);
/// How soon a follower that ended is started again.
const AGAIN: Duration = Duration::from_secs(1);

struct Inner {
    place: Arc<Place>,
    space: Weak<Space>,
    /// Whether the host tells of changes now.
    following: watch::Sender<bool>,
    /// `None` for a file that could not be read whole: there is nothing to compare with yet.
    lines: Mutex<BTreeMap<RelPath, Option<Vec<u64>>>>,
    /// Files with unsaved text, which is what the person sees of them.
    buffers: Arc<Slots>,
    /// Files that are watched for the buffers; changed while `lines` is locked.
    heard: std::sync::Mutex<BTreeSet<RelPath>>,
    /// Where the buffers hear of those.
    tell: mpsc::Sender<RelPath>,
}

/// Watches highlighted files.
pub struct Follower {
    inner: Arc<Inner>,
    stop: CancellationToken,
    _stop_at_last: DropGuard,
}

impl Follower {
    /// Start, with the highlights that the space already has.
    pub async fn start(
        place: Arc<Place>,
        space: &Arc<Space>,
        buffers: Arc<Slots>,
        tell: mpsc::Sender<RelPath>,
    ) -> Self {
        let inner = Arc::new(Inner {
            place,
            space: Arc::downgrade(space),
            following: watch::Sender::new(false),
            lines: Mutex::default(),
            buffers,
            heard: std::sync::Mutex::default(),
            tell,
        });
        let stop = CancellationToken::new();
        tokio::spawn(stop.clone().run_until_cancelled_owned(keep_following(Arc::clone(&inner))));
        let follower = Self { inner, stop: stop.clone(), _stop_at_last: stop.drop_guard() };
        let paths: BTreeSet<String> = space
            .state()
            .part::<HighlightsPart>()
            .values()
            .map(|highlight| highlight.path.clone())
            .collect();
        for path in paths {
            // While the server was down nobody followed: the ranges are taken as they are.
            if let Err(error) = follower.track(&path).await {
                tracing::warn!(path, %error, "a highlighted file cannot be followed");
            }
        }
        follower
    }

    /// Follow no more: a host that is left must not be opened again for it.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Move the highlights a file has to where their text is now, before one is added that speaks
    /// of the text as it is.
    pub async fn catch_up(&self, path: &str) -> Result<()> {
        let path = RelPath::parse(path).map_err(|error| Error::invalid(error.to_string()))?;
        self.inner.compare(&path).await;
        Ok(())
    }

    /// Move the highlights of a file because what the person sees of it changed.
    pub async fn move_highlights(&self, path: &RelPath) {
        self.inner.compare(path).await;
    }

    /// Tell the buffers when a file changes, or no more; true when that begins now.
    pub async fn hear(&self, path: &RelPath, wanted: bool) -> bool {
        // Held to the end: a new host is told to watch what is wanted, before or after this.
        let _lines = self.inner.lines.lock().await;
        let changed = if wanted {
            self.inner.heard().insert(path.clone())
        } else {
            self.inner.heard().remove(path)
        };
        if !changed || !*self.inner.following.borrow() {
            return changed && wanted;
        }
        let path = path.clone();
        let done = if wanted {
            self.inner.place.ask(WatchFile { path: path.clone() }).await
        } else {
            self.inner.place.ask(UnwatchFile { path: path.clone() }).await.map(drop)
        };
        if let Err(error) = done {
            tracing::warn!(%path, %error, "the watch of a file with unsaved text is not as wanted");
        }
        wanted
    }

    /// Follow a file that has just been highlighted.
    pub async fn track(&self, path: &str) -> Result<()> {
        let path = RelPath::parse(path).map_err(|error| Error::invalid(error.to_string()))?;
        self.inner.track(&path).await
    }

    /// Stop following files that have no highlight any more.
    pub async fn forget_unused(&self) {
        let Some(space) = self.inner.space.upgrade() else { return };
        let state = space.state();
        let used: BTreeSet<&str> =
            state.part::<HighlightsPart>().values().map(|h| h.path.as_str()).collect();
        let mut lines = self.inner.lines.lock().await;
        let unused: Vec<RelPath> =
            lines.keys().filter(|path| !used.contains(path.as_str())).cloned().collect();
        for path in unused {
            lines.remove(&path);
            if let Err(error) = self.inner.place.ask(UnwatchFile { path: path.clone() }).await {
                tracing::debug!(%path, %error, "a file may still be watched");
            }
        }
    }
}

/// Follow the files of the place, whatever becomes of its host, until the follower is dropped.
async fn keep_following(inner: Arc<Inner>) {
    loop {
        if let Err(error) = follow(&inner).await {
            tracing::warn!(%error, "files are not followed for the moment");
        }
        inner.following.send_replace(false);
        tokio::time::sleep(AGAIN).await;
    }
}

async fn follow(inner: &Arc<Inner>) -> Result<(), HostError> {
    let (items, mut told) = mpsc::channel(CHANNEL);
    let talk = Talk::<FollowFiles> { items: Some(items), ..Talk::default() };
    let listen = async {
        while let Some(news) = told.recv().await {
            match news {
                FileNews::Following => inner.watch_again().await,
                FileNews::Changed(path) => inner.look_again(&path).await,
            }
        }
    };
    let (followed, ()) = tokio::join!(inner.place.ask_with(FollowFiles {}, talk), listen);
    followed
}

impl Inner {
    /// A new host watches nothing yet, and what changed before it did nobody told.
    async fn watch_again(&self) {
        let lines = self.lines.lock().await;
        let paths: Vec<RelPath> = lines.keys().cloned().collect();
        let heard: Vec<RelPath> = self.heard().iter().cloned().collect();
        for path in paths.iter().chain(&heard) {
            if let Err(error) = self.place.ask(WatchFile { path: path.clone() }).await {
                tracing::warn!(%path, %error, "a file cannot be followed");
            }
        }
        self.following.send_replace(true);
        drop(lines);
        for path in heard {
            self.tell_buffers(path).await;
        }
        for path in &paths {
            self.compare(path).await;
        }
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, BTreeSet<RelPath>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn tell_buffers(&self, path: RelPath) {
        // Nobody listens any more only when the workspace is left.
        drop(self.tell.send(path).await);
    }

    async fn track(&self, path: &RelPath) -> Result<()> {
        let mut following = self.following.subscribe();
        // The sender is ours, so waiting can only end with the wanted value or with patience.
        drop(tokio::time::timeout(PATIENCE, following.wait_for(|following| *following)).await);
        let mut lines = self.lines.lock().await;
        if lines.contains_key(path) {
            return Ok(());
        }
        self.place.ask(WatchFile { path: path.clone() }).await.map_err(|error| {
            Error::internal("the highlight is set, but the file cannot be watched").because(error)
        })?;
        // A file too large or odd to read whole is watched but its highlights stay where they are.
        lines.insert(path.clone(), self.hashes(path).await.ok());
        Ok(())
    }

    async fn hashes(&self, path: &RelPath) -> Result<Vec<u64>> {
        if let Some(text) = self.buffers.text(path) {
            return Ok(text.lines().map(hash).collect());
        }
        let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
        let text = self.place.ask(whole).await.map_err(refused)?.content;
        Ok(text.lines().map(hash).collect())
    }

    async fn look_again(&self, path: &RelPath) {
        // Told here too: a highlighted file may be one that nobody else watches.
        let is_there = self.place.ask(StatPath { path: path.clone() }).await.is_ok();
        let change = if is_there { ChangeKind::Changed } else { ChangeKind::Deleted };
        if let Some(space) = self.space.upgrade() {
            let changes = vec![FileChange { path: path.clone(), change }];
            space.tell(Event::FilesChanged { changes, rescan: false });
        }
        self.compare(path).await;
        let is_heard = self.heard().contains(path);
        if is_heard {
            self.tell_buffers(path.clone()).await;
        }
    }

    /// Move highlights along with what changed since the file was last looked at.
    async fn compare(&self, path: &RelPath) {
        let Some(space) = self.space.upgrade() else { return };
        // Held to the end: moves must be made in the order in which the file was read.
        let mut tracked = self.lines.lock().await;
        let Some(known) = tracked.get_mut(path) else { return };
        let new = match self.hashes(path).await {
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
            state.part_mut::<HighlightsPart>().update(|_, highlight| {
                if highlight.path != path.as_str() {
                    return Updated::Same;
                }
                let mut highlight = highlight.clone();
                if move_highlight(&mut highlight, &moves) {
                    Updated::Other(highlight)
                } else {
                    Updated::Gone
                }
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

//! Keeps highlights on their text while files change.
//!
//! For every highlighted file the hashes of its lines are kept, not its text. When the file
//! changes, old and new lines are compared and the ranges move along. A highlight whose lines are
//! all gone goes too. The text of a file with a buffer is that of the buffer, whatever is on disk;
//! it is looked at here and never changed. Each file is followed by itself, under its own guard.

use std::{
    collections::BTreeSet,
    sync::{Arc, Weak},
    time::Duration,
};

use openspace_command::{Error, Result};
use openspace_files::LineRange;
use openspace_host::{Host, HostError, operation::ReadText};
use openspace_protocol::RelPath;
use openspace_space::{Space, Updated};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    buffer::Texts,
    chores::{Chores, Worker},
    highlights::{Highlight, HighlightsPart},
    paths::Paths,
    watching::{Purpose, Watching},
};

mod moves;

use moves::Moves;

/// How long a host is awaited that tells of changes before a highlight is refused.
const PATIENCE: Duration = Duration::from_secs(5);

/// The lines of a highlighted file as last looked at, by their hashes; none for a file that could not
/// be read whole: there is nothing to compare with yet.
struct Lines(Option<Vec<u64>>);

/// Follows highlighted files.
pub struct Follower {
    host: Arc<dyn Host>,
    space: Weak<Space>,
    /// Files with unsaved text, which is what the person sees of them.
    texts: Arc<Texts>,
    watching: Arc<Watching>,
    files: Arc<Paths<Option<Lines>>>,
    leaving: Arc<Chores<()>>,
}

/// The files to be left, one by one.
struct Leave(Arc<Follower>);

impl Worker<()> for Leave {
    async fn work(&self, path: &RelPath, (): ()) {
        self.0.leave_unused(path).await;
    }
}

impl Follower {
    pub(super) fn new(
        host: Arc<dyn Host>,
        space: &Arc<Space>,
        texts: Arc<Texts>,
        watching: Arc<Watching>,
        stop: CancellationToken,
    ) -> Self {
        let space = Arc::downgrade(space);
        let leaving = Chores::new(stop);
        Self { host, space, texts, watching, files: Arc::default(), leaving }
    }

    /// Follow a file that has just been highlighted. When that fails it is tried again with the next
    /// host.
    pub async fn track(&self, path: &str) -> Result<()> {
        self.track_path(&parsed(path)?).await
    }

    /// Follow files that have highlights already, each by itself.
    pub async fn track_all(self: &Arc<Self>, paths: impl IntoIterator<Item = String>) {
        let mut tracks = JoinSet::new();
        for path in paths {
            let follower = Arc::clone(self);
            tracks.spawn(async move { follower.track_known(&path).await });
        }
        while tracks.join_next().await.is_some() {}
    }

    /// Follow a file that has highlights already; they stay where they are when that fails.
    pub(super) async fn track_known(&self, path: &str) {
        if let Err(error) = self.track(path).await {
            tracing::warn!(path, %error, "a highlighted file cannot be followed");
        }
    }

    /// Move the highlights a file has to where their text is now, before one is added that speaks
    /// of the text as it is.
    pub async fn catch_up(&self, path: &str) -> Result<()> {
        self.move_highlights(&parsed(path)?).await;
        Ok(())
    }

    /// Stop following files that have no highlight any more, soon.
    pub fn forget_unused(self: &Arc<Self>) {
        let Some(used) = self.highlighted() else { return };
        for path in self.files.paths() {
            if !used.contains(path.as_str()) {
                self.leaving.add(&path, (), Leave(Arc::clone(self)));
            }
        }
    }

    /// The highlighted files; none when the space is gone.
    pub(super) fn highlighted(&self) -> Option<BTreeSet<String>> {
        let state = self.space.upgrade()?.state();
        let paths = state.part::<HighlightsPart>().values().map(|one| one.path.clone());
        Some(paths.collect())
    }

    async fn leave_unused(&self, path: &RelPath) {
        let file = self.files.guard(path).await;
        // It may have been highlighted again meanwhile; who did that waits for the guard.
        if self.highlighted().is_none_or(|used| used.contains(path.as_str())) {
            return;
        }
        *file.known() = None;
        if let Err(error) = self.watching.leave(path, Purpose::Highlights).await {
            tracing::debug!(%path, %error, "a file may still be watched");
        }
    }

    async fn track_path(&self, path: &RelPath) -> Result<()> {
        let is_followed = self.watching.is_followed(PATIENCE).await;
        let file = self.files.guard(path).await;
        self.watching.want(path, Purpose::Highlights).await;
        let watched = self.watching.renew(path).await;
        if file.known().is_none() {
            // A file too large or odd to read whole is watched but its highlights stay where they are.
            let lines = self.lines(path).await.ok();
            *file.known() = Some(Lines(lines));
        }
        drop(file);
        let unwatched = || Error::internal("the highlight is set, but the file cannot be watched");
        watched.map_err(|error| unwatched().because(error))?;
        if is_followed { Ok(()) } else { Err(unwatched()) }
    }

    async fn lines(&self, path: &RelPath) -> Result<Vec<u64>, HostError> {
        if let Some(text) = self.texts.text(path) {
            return Ok(moves::hashes(&text));
        }
        let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
        Ok(moves::hashes(&self.host.ask(whole).await?.content))
    }

    /// Move highlights along with what changed since the file was last looked at.
    pub(super) async fn move_highlights(&self, path: &RelPath) {
        let Some(space) = self.space.upgrade() else { return };
        // Held to the end: moves must be made in the order in which the file was read.
        let file = self.files.guard(path).await;
        if file.known().is_none() {
            return;
        }
        let new = match self.lines(path).await {
            // A program that writes in place empties the file first.
            Ok(new) if new.is_empty() => return,
            Ok(new) => new,
            // The file is being replaced, or is gone: highlights wait for it to come back.
            Err(error) => {
                tracing::debug!(%path, %error, "a highlighted file cannot be read now");
                return;
            }
        };
        let Some(Lines(Some(old))) = file.known().replace(Lines(Some(new.clone()))) else { return };
        if old == new {
            return;
        }
        let moves = Moves::between(&old, &new);
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

fn parsed(path: &str) -> Result<RelPath> {
    RelPath::parse(path).map_err(|error| Error::invalid(error.to_string()))
}

/// Move a highlight's ranges; false when none of its text is left.
fn move_highlight(highlight: &mut Highlight, moves: &Moves) -> bool {
    highlight.ranges = highlight.ranges.iter().filter_map(|range| moves.range(*range)).collect();
    !highlight.ranges.is_empty()
}

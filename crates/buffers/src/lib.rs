//! Live buffers: the text of files that a person has typed into and not saved; and what follows files,
//! so that highlights stay on their lines.
//!
//! A buffer has a base, the text on disk as last agreed with, and the text the person sees. What
//! is unsaved is the difference. Agents read the text and change both: the disk gets an agent's
//! lines without the unsaved ones, the buffer gets both, and a change of lines that are not saved
//! is a conflict. The same holds for other programs that change the file. The server orders the
//! edits of pages; it never rewrites one, a page does that itself. Unsaved text is kept in the
//! store, so it outlives browsers and the server. A text that has no file yet is a buffer like any
//! other, under a name that is no file's (`RelPath::is_untitled`); its base is empty.
//!
//! This crate asks a [`Host`] and changes its own parts of a [`Space`]. It knows no command, no layout
//! and no transport, not how a host is opened again, and not the words in which a refusal is put.
//!
//! Order: whatever changes a buffer, or a file on disk that may have one, holds the path's guard (see
//! [`paths`]). What is due for a file because it changed is done in a task of that file (see
//! [`chores`]). So a host that does not answer for one file holds up no other.

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use openspace_command::{Error, Result};
use openspace_files::Encoding;
use openspace_host::{Host, HostError, operation::StatPath};
use openspace_protocol::{ChangeKind, ErrorKind, Event, FileChange, RelPath};
use openspace_space::{Entries, Part, Space, Store};
use openspace_text::{
    merge,
    offsets::{self, EditedLines},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{Notify, broadcast},
    task::JoinSet,
};
use tokio_util::sync::{CancellationToken, DropGuard};

pub mod agents;
pub mod authors;
pub mod buffer;
mod chores;
mod disk;
pub mod follow;
pub mod highlights;
mod keep;
pub mod pages;
pub mod paths;
pub mod save;
pub mod sessions;
mod steps;
mod turns;
mod typing;
mod watching;

use authors::EditId;
use buffer::{Buffer, MAX_BUFFERS, Shared, TextGuard, Texts};
use chores::{Chores, Worker};
use disk::Moves;
use follow::Follower;
use pages::{Reason, ToPage};
use steps::Logged;
use watching::{News, Purpose, Watching};

/// The largest text that a buffer may have.
pub const MAX_TEXT: usize = 5 * 1024 * 1024;
/// Edits that one message of a page may have.
pub const MAX_EDITS: usize = 10_000;

/// Files with unsaved text, by path. The text itself is kept here, not in the space.
pub struct BuffersPart;

impl Part for BuffersPart {
    const NAME: &'static str = "buffers";
    const SAVED: bool = false;
    type Content = Entries<Mark>;
}

/// What everybody may know of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The file was changed on disk in lines that are not saved, or deleted; the person has to decide.
    pub conflicted: bool,
    /// The file is not on disk any more: saving makes it anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// A file as the person sees it.
#[derive(Clone, Debug)]
pub struct Live {
    /// The text, with line feeds and without a byte order mark.
    pub text: Shared,
    /// Its hash, which a change may name as what the caller has seen.
    pub hash: String,
    /// How the file is encoded on disk.
    pub encoding: Encoding,
}

/// Somebody who hears what pages type: in which file, and which lines.
pub trait HearsTyping: Send + Sync + 'static {
    /// Whether anybody wants to know it now. Nothing is counted for nobody.
    fn is_wanted(&self) -> bool;

    /// A page changed these lines of a file. Called while the file's guard is held, so nothing may wait here.
    fn typed(&self, path: &RelPath, lines: &[EditedLines]);
}

/// How a failure of the host is put into words for a caller.
pub type Words = fn(HostError) -> Error;

/// Changes of texts that one who listens may be behind; who is further behind has to look at all.
const BEHIND: usize = 256;
/// How long the files of the last run may take at the start; those that take longer come later.
const START: Duration = Duration::from_secs(5);

/// What is due for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Chore {
    /// The host is a new one.
    NewHost,
    /// The file changed on disk.
    Changed,
    /// Its unsaved text changed, began or ended.
    Touched,
}

struct Inner {
    texts: Arc<Texts>,
    host: Arc<dyn Host>,
    space: Weak<Space>,
    store: Arc<Store>,
    refused: Words,
    watching: Arc<Watching>,
    follower: Arc<Follower>,
    chores: Arc<Chores<Chore>>,
    /// Files whose buffer has to be handed to the store.
    unkept: Mutex<BTreeSet<RelPath>>,
    keep: Notify,
    /// An edit came that somebody waited for.
    came: Notify,
    /// Hand-overs to the store happen one at a time: an old text must not follow a new one.
    keeping: Mutex<Logged>,
    moved: Mutex<Moves>,
    hears: OnceLock<Arc<dyn HearsTyping>>,
    /// Files whose unsaved text began, changed or ended.
    changes: broadcast::Sender<RelPath>,
    /// No edit is accepted any more, because it would not be kept.
    stopped: AtomicBool,
    /// Ends all that asks the host by itself: one that is left must not be opened again for it.
    stop: CancellationToken,
}

/// The live buffers.
#[derive(Clone)]
pub struct Buffers {
    inner: Arc<Inner>,
    _stop_at_last: Arc<DropGuard>,
}

impl Buffers {
    /// Start with what the store and the space have kept. A host that was lost has to be asked again
    /// as if it had not been.
    pub async fn start(
        host: Arc<dyn Host>,
        space: &Arc<Space>,
        store: Arc<Store>,
        refused: Words,
    ) -> Self {
        let stop_at_last = CancellationToken::new();
        let stop = stop_at_last.child_token();
        let texts = Arc::new(Texts::default());
        let watching = Arc::new(Watching::new(Arc::clone(&host)));
        let (seen, watched) = (Arc::clone(&texts), Arc::clone(&watching));
        let follower = Follower::new(Arc::clone(&host), space, seen, watched, stop.clone());
        let inner = Arc::new(Inner {
            texts,
            host,
            space: Arc::downgrade(space),
            store,
            refused,
            watching,
            follower: Arc::new(follower),
            chores: Chores::new(stop.clone()),
            unkept: Mutex::default(),
            keep: Notify::new(),
            came: Notify::new(),
            keeping: Mutex::default(),
            moved: Mutex::default(),
            hears: OnceLock::new(),
            changes: broadcast::Sender::new(BEHIND),
            stopped: AtomicBool::new(false),
            stop: stop.clone(),
        });
        let buffers = Self {
            inner: Arc::clone(&inner),
            _stop_at_last: Arc::new(stop_at_last.clone().drop_guard()),
        };
        inner.restore().await;
        tokio::spawn(stop_at_last.run_until_cancelled_owned(keep::keep(Arc::clone(&inner))));
        tokio::spawn(stop.run_until_cancelled_owned(follow(Arc::clone(&inner))));
        // The ranges of the last run speak of the texts of the last run.
        inner.track_highlights().await;
        inner.look_at_restored().await;
        buffers
    }

    /// What keeps highlights on their lines.
    pub fn follower(&self) -> &Arc<Follower> {
        &self.inner.follower
    }

    /// Have somebody hear what pages type. There is one; a second is not taken.
    pub fn tell_typing(&self, hears: Arc<dyn HearsTyping>) {
        if self.inner.hears.set(hears).is_err() {
            tracing::error!("somebody hears what is typed already");
        }
    }

    /// Accept no more edits and hand everything to the store.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::SeqCst);
        self.inner.stop.cancel();
        for path in self.inner.texts.paths() {
            drop(self.inner.keep_now(&path));
        }
    }

    /// Wait for the guard of a file. No buffer of it appears or changes until the guard is dropped.
    pub async fn guard(&self, path: &RelPath) -> TextGuard {
        self.inner.texts.guard(path).await
    }

    /// Whether a file has unsaved text.
    pub fn is_unsaved(&self, path: &RelPath) -> bool {
        self.inner.texts.with(path, |_| ()).is_some()
    }

    /// A file as the person sees it, if that is not what the disk has.
    pub fn live(&self, path: &RelPath) -> Option<Live> {
        self.inner.texts.with(path, |buffer| Live {
            text: buffer.text.clone(),
            hash: buffer.hand_out_hash(),
            encoding: buffer.encoding,
        })
    }

    /// The text of a file as the person sees it, if that is not what the disk has. Nobody is taken to have seen it.
    pub fn unsaved_text(&self, path: &RelPath) -> Option<Shared> {
        self.inner.texts.text(path)
    }

    /// The same, with the version of the text that pages count.
    pub fn versioned(&self, path: &RelPath) -> Option<(u64, Shared)> {
        self.inner.texts.with(path, |buffer| (buffer.version, buffer.text.clone()))
    }

    /// Lines of a file as the person sees it that the disk does not have, counted from 0; a place where lines are gone is
    /// empty.
    pub fn unsaved_lines(&self, path: &RelPath) -> Vec<Range<usize>> {
        let both = self.inner.texts.with(path, |buffer| (buffer.base.clone(), buffer.text.clone()));
        let Some((base, text)) = both else { return Vec::new() };
        let hunks = merge::hunks(&merge::lines(&base), &merge::lines(&text));
        hunks.into_iter().map(|hunk| hunk.new).collect()
    }

    /// The files that have unsaved text.
    pub fn unsaved_paths(&self) -> Vec<RelPath> {
        self.inner.texts.paths()
    }

    /// Tells the path of each file whose unsaved text begins, changes or ends from now on.
    pub fn changes(&self) -> broadcast::Receiver<RelPath> {
        self.inner.changes.subscribe()
    }

    /// Drop the unsaved text of a file.
    pub async fn discard(&self, path: &RelPath) -> Result<()> {
        let guard = self.guard(path).await;
        if guard.known().is_none() {
            return Err(Error::not_found(format!("`{path}` has no unsaved changes")));
        }
        self.inner.close(&guard, Reason::Discarded, None);
        Ok(())
    }
}

/// Hear of changed files until this future is dropped.
async fn follow(inner: Arc<Inner>) {
    let tell = |path: &RelPath, news| {
        let chore = match news {
            News::Changed => Chore::Changed,
            News::NewHost => Chore::NewHost,
        };
        inner.chore(path, chore);
    };
    inner.watching.follow(tell).await;
}

impl Worker<Chore> for Arc<Inner> {
    async fn work(&self, path: &RelPath, chore: Chore) {
        match chore {
            Chore::NewHost => {
                self.renew_watch(path).await;
                self.follower.move_highlights(path).await;
                self.look_if_unsaved(path).await;
            }
            Chore::Changed => {
                self.tell_of_change(path).await;
                self.follower.move_highlights(path).await;
                self.look_if_unsaved(path).await;
            }
            Chore::Touched => {
                self.watch_unsaved(path).await;
                self.follower.move_highlights(path).await;
            }
        }
    }
}

/// Do the same for several files at the start, each in a task of its own, and wait for those that are
/// done in time.
async fn start_together(
    work: impl Iterator<Item = impl Future<Output = ()> + Send + 'static>,
    stop: &CancellationToken,
) {
    let mut tasks = JoinSet::new();
    for work in work {
        tasks.spawn(stop.clone().run_until_cancelled_owned(work));
    }
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(START, all).await.is_err() {
        tracing::warn!("{} files of the last run cannot be looked at yet", tasks.len());
        tasks.detach_all();
    }
}

/// A change of a buffer: what is not said stays.
struct Step {
    /// The new text and the edits that lead to it; none when the text stays.
    text: Option<(Shared, Vec<offsets::Edit>)>,
    /// The new base and its hash.
    base: Option<(Shared, Option<String>)>,
    by: String,
    /// The edit of a page that this is.
    edit: Option<EditId>,
}

impl Inner {
    /// Make a change of a buffer known to everybody: the one place where texts change. The guard is
    /// held; `author` is the page that made the change and is told so. Pages hear of it when the store
    /// has it. False when nothing may be changed any more.
    fn commit(
        self: &Arc<Self>,
        guard: &TextGuard,
        step: Step,
        author: Option<&pages::Outbox>,
    ) -> bool {
        let mut slot = guard.known();
        if self.stopped.load(Ordering::SeqCst) {
            return false;
        }
        let Some(buffer) = slot.as_mut() else { return false };
        let was = buffer.mark();
        if let Some((base, base_hash)) = &step.base {
            buffer.conflicted = base_hash.is_none();
            buffer.deleted = false;
            buffer.base = base.clone();
            buffer.base_hash.clone_from(base_hash);
        }
        let base = step.base.map(|(base, _)| base);
        if let Some(edit) = &step.edit {
            buffer.authors.made(edit);
        }
        let mut logged = None;
        let edits = step.text.map(|(text, edits)| {
            if base.is_none() {
                logged = Some(steps::Edited::new(&buffer.text, edits.clone(), step.edit));
            }
            buffer.text = text;
            buffer.version += 1;
            edits
        });
        let (version, is_saved) = (buffer.version, buffer.text == buffer.base);
        let mark = buffer.mark();
        drop(slot);
        let kept = match logged {
            Some(step) => self.keep_step(guard.path(), version, &step),
            None => self.keep_now(guard.path()).1,
        };
        if let Some(buffer) = guard.known().as_mut() {
            let path = guard.path().to_string();
            if let Some(edits) = edits {
                if let Some(author) = author {
                    let accepted = ToPage::Accepted { path: path.clone(), version };
                    author.send_when_kept(Arc::new(accepted), kept.clone());
                }
                let changed = ToPage::Changed { path, version, edits, by: step.by, base };
                buffer.tell(&Arc::new(changed), &kept, author);
            } else if let Some(base) = base.filter(|_| !is_saved) {
                buffer.tell(&Arc::new(ToPage::Based { path, base }), &kept, None);
            }
        }
        if is_saved {
            self.close(guard, Reason::Saved, None);
        } else {
            if mark != was {
                self.mark(guard.path(), Some(mark));
            }
            self.changed(guard.path());
        }
        true
    }

    /// Mark that the disk and the unsaved text do not go together, `deleted` when there is no file.
    fn set_conflicted(&self, guard: &TextGuard, deleted: bool) {
        let mark = Mark { conflicted: true, deleted };
        let was = match guard.known().as_mut() {
            Some(buffer) => {
                let was = buffer.mark();
                (buffer.conflicted, buffer.deleted) = (true, deleted);
                was
            }
            None => return,
        };
        if was != mark {
            self.mark(guard.path(), Some(mark));
            self.keep_later(guard.path());
        }
    }

    /// End a buffer.
    fn close(self: &Arc<Self>, guard: &TextGuard, reason: Reason, to: Option<&RelPath>) {
        let Some(mut buffer) = guard.known().take() else { return };
        let path = guard.path().to_string();
        let to = to.map(ToString::to_string);
        let (_, kept) = self.keep_now(guard.path());
        buffer.tell(&Arc::new(ToPage::Closed { path, reason, to }), &kept, None);
        self.mark(guard.path(), None);
        self.touched(guard.path());
    }

    /// Put a new buffer into the guard's path.
    fn create(self: &Arc<Self>, guard: &TextGuard, buffer: Buffer) -> Result<()> {
        let mark = buffer.mark();
        if self.stopped.load(Ordering::SeqCst) {
            return Err(stopping());
        }
        if !guard.put(Some(buffer), MAX_BUFFERS) {
            let many = MAX_BUFFERS;
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("{many} files have unsaved changes already"),
            )
            .hint("save some of them"));
        }
        self.mark(guard.path(), Some(mark));
        // It is kept before any page hears of a change of it.
        drop(self.keep_now(guard.path()));
        self.touched(guard.path());
        Ok(())
    }

    /// Tell views which files have unsaved text.
    fn mark(&self, path: &RelPath, mark: Option<Mark>) {
        let Some(space) = self.space.upgrade() else { return };
        let changed = space.change_now(|state| {
            let unsaved = state.part_mut::<BuffersPart>();
            match mark {
                Some(mark) => drop(unsaved.insert(path.as_str(), mark)),
                None => drop(unsaved.remove(path.as_str())),
            }
            Ok(())
        });
        if let Err(error) = changed {
            tracing::error!(%path, %error, "views were not told of unsaved text");
        }
    }

    /// Something about a buffer changed: it has to be kept, and highlights may move.
    fn changed(self: &Arc<Self>, path: &RelPath) {
        self.keep_later(path);
        self.touched(path);
    }

    /// Watches and highlights have to be looked at. Nobody who types waits for this.
    fn touched(self: &Arc<Self>, path: &RelPath) {
        // Nobody may listen.
        self.changes.send(path.clone()).ok();
        self.chore(path, Chore::Touched);
    }

    fn chore(self: &Arc<Self>, path: &RelPath, chore: Chore) {
        self.chores.add(path, chore, Arc::clone(self));
    }

    /// Watch a file as long as it has unsaved text.
    async fn watch_unsaved(self: &Arc<Self>, path: &RelPath) {
        if self.texts.text(path).is_none() {
            if let Err(error) = self.watching.leave(path, Purpose::Unsaved).await {
                tracing::debug!(%path, %error, "a file may still be watched");
            }
            return;
        }
        let begins = self.watching.want(path, Purpose::Unsaved).await;
        self.renew_watch(path).await;
        if begins {
            // What happened before the watch began nobody told.
            self.look(path).await;
        }
    }

    async fn renew_watch(&self, path: &RelPath) {
        if let Err(error) = self.watching.renew(path).await {
            tracing::warn!(%path, %error, "a file cannot be followed");
        }
    }

    async fn look_if_unsaved(self: &Arc<Self>, path: &RelPath) {
        if self.texts.text(path).is_some() {
            self.look(path).await;
        }
    }

    /// Tell views: a file that is watched here may be one that nobody else watches.
    async fn tell_of_change(&self, path: &RelPath) {
        let is_there = self.host.ask(StatPath { path: path.clone() }).await.is_ok();
        let change = if is_there { ChangeKind::Changed } else { ChangeKind::Deleted };
        if let Some(space) = self.space.upgrade() {
            let changes = vec![FileChange { path: path.clone(), change }];
            space.tell(Event::FilesChanged { changes, rescan: false });
        }
    }

    /// Follow the files that the space has highlights of.
    async fn track_highlights(&self) {
        let paths = self.follower.highlighted().unwrap_or_default();
        let tracks = paths.into_iter().map(|path| {
            let follower = Arc::clone(&self.follower);
            async move { follower.track_known(&path).await }
        });
        start_together(tracks, &self.stop).await;
    }
}

fn stopping() -> Error {
    Error::new(ErrorKind::Busy, "the server is stopping").hint("connect again in a moment")
}

fn too_large(path: &RelPath) -> Error {
    let limit = MAX_TEXT / (1024 * 1024);
    Error::new(
        ErrorKind::Unsupported,
        format!(
            "the text of `{path}` is larger than {limit} MB and is not shared before it is saved"
        ),
    )
}

/// Work that may take a while on a large text.
async fn work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Error::internal("the texts could not be compared").because(error))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;

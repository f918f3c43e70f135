//! Live buffers: the text of files that a person has typed into and not saved.
//!
//! A buffer has a base, the text on disk as last agreed with, and the text the person sees. What
//! is unsaved is the difference. Agents read the text and change both: the disk gets an agent's
//! lines without the unsaved ones, the buffer gets both, and a change of lines that are not saved
//! is a conflict. The same holds for other programs that change the file. The server orders the
//! edits of pages; it never rewrites one, a page does that itself. Unsaved text is kept in the
//! store, so it outlives browsers and the server. Only the workspace of the space has buffers.
//!
//! Order: everything that changes a buffer holds the path's turn (see [`slots`]).

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use openspace_command::{Error, Result};
use openspace_files::Encoding;
use openspace_protocol::{ErrorKind, RelPath};
use openspace_space::{Declared, Entries, Part, Space, Store};
use openspace_text::offsets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    areas::{Area, editor::follow::Follower},
    places::Place,
};

pub mod agents;
mod disk;
mod keep;
pub mod pages;
pub mod slots;
mod typing;

use pages::{Mail, Reason, Seat, ToPage};
use slots::{Buffer, Shared, Slots, Turn};

/// What this area brings.
pub const AREA: Area = Area { commands: &[], parts: &[Declared::of::<BuffersPart>()], rules: &[] };

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
    /// The file was changed on disk in lines that are not saved; the person has to decide.
    pub conflicted: bool,
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

struct Inner {
    slots: Arc<Slots>,
    place: Arc<Place>,
    space: Weak<Space>,
    store: Arc<Store>,
    follower: Follower,
    /// Files whose watching and highlights have to be looked at.
    touched: Mutex<BTreeSet<RelPath>>,
    touch: Notify,
    /// Files whose buffer has to be handed to the store.
    unkept: Mutex<BTreeSet<RelPath>>,
    keep: Notify,
    /// Hand-overs to the store happen one at a time: an old text must not follow a new one.
    keeping: Mutex<()>,
    /// No edit is accepted any more, because it would not be kept.
    stopped: AtomicBool,
}

/// The live buffers.
#[derive(Clone)]
pub struct Buffers {
    inner: Arc<Inner>,
    _stop_at_last: Arc<DropGuard>,
}

impl Buffers {
    /// Start with what the store has kept.
    pub async fn start(place: Arc<Place>, space: &Arc<Space>, store: Arc<Store>) -> Self {
        let slots = Arc::new(Slots::default());
        let (changed, heard) = mpsc::channel(256);
        let follower = Follower::start(Arc::clone(&place), space, Arc::clone(&slots), changed);
        let inner = Arc::new(Inner {
            slots,
            place,
            space: Arc::downgrade(space),
            store,
            follower: follower.await,
            touched: Mutex::default(),
            touch: Notify::new(),
            unkept: Mutex::default(),
            keep: Notify::new(),
            keeping: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        inner.restore().await;
        let stop = CancellationToken::new();
        let shared = || Arc::clone(&inner);
        tokio::spawn(stop.clone().run_until_cancelled_owned(listen(shared(), heard)));
        tokio::spawn(stop.clone().run_until_cancelled_owned(look_after(shared())));
        tokio::spawn(stop.clone().run_until_cancelled_owned(keep::keep(shared())));
        Self { inner, _stop_at_last: Arc::new(stop.drop_guard()) }
    }

    /// What keeps highlights on their lines.
    pub fn follower(&self) -> &Follower {
        &self.inner.follower
    }

    /// Accept no more edits and hand everything to the store.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::SeqCst);
        self.inner.follower.stop();
        for path in self.inner.slots.paths() {
            self.inner.keep_now(&path);
        }
    }

    /// A seat for a page, and what it is told.
    pub fn join(&self) -> (Seat, Mail) {
        pages::seat(&self.inner.slots)
    }

    /// Wait for the turn with a file. No buffer of it appears or changes until the turn is dropped.
    pub async fn turn(&self, path: &RelPath) -> Turn {
        self.inner.slots.turn(path).await
    }

    /// Whether a file has unsaved text.
    pub fn is_unsaved(&self, path: &RelPath) -> bool {
        self.inner.slots.with(path, |_| ()).is_some()
    }

    /// A file as the person sees it, if that is not what the disk has.
    pub fn live(&self, path: &RelPath) -> Option<Live> {
        self.inner.slots.with(path, |buffer| Live {
            text: buffer.text.clone(),
            hash: buffer.give(),
            encoding: buffer.encoding,
        })
    }

    /// Drop the unsaved text of a file.
    pub async fn discard(&self, path: &RelPath) -> Result<()> {
        let turn = self.turn(path).await;
        if turn.buffer().is_none() {
            return Err(Error::not_found(format!("`{path}` has no unsaved changes")));
        }
        self.inner.close(&turn, Reason::Discarded, None);
        Ok(())
    }
}

/// Absorb what other programs write.
async fn listen(inner: Arc<Inner>, mut heard: mpsc::Receiver<RelPath>) {
    while let Some(path) = heard.recv().await {
        inner.look(&path, false).await;
    }
}

/// Keep watches and highlights in step with the buffers. Nobody who types waits for this.
async fn look_after(inner: Arc<Inner>) {
    loop {
        inner.touch.notified().await;
        let paths = std::mem::take(&mut *lock(&inner.touched));
        for path in &paths {
            let exists = inner.slots.text(path).is_some();
            if inner.follower.hear(path, exists).await {
                // What happened before the watch began nobody told.
                inner.look(path, false).await;
            }
            inner.follower.move_highlights(path).await;
        }
    }
}

/// A change of a buffer: what is not said stays.
struct Step {
    /// The new text and the edits that lead to it; none when the text stays.
    text: Option<(Shared, Vec<offsets::Edit>)>,
    /// The new base and its hash.
    base: Option<(Shared, Option<String>)>,
    by: String,
}

impl Inner {
    /// Make a change of a buffer known to everybody: the one place where texts change. The turn is
    /// held; `author` is the page that made the change and is told so. False when nothing may be
    /// changed any more.
    fn commit(&self, turn: &Turn, step: Step, author: Option<&pages::Outbox>) -> bool {
        let path = turn.path().to_string();
        let mut slot = turn.buffer();
        if self.stopped.load(Ordering::SeqCst) {
            return false;
        }
        let Some(buffer) = slot.as_mut() else { return false };
        let was_conflicted = buffer.conflicted;
        if let Some((base, base_hash)) = &step.base {
            buffer.conflicted = base_hash.is_none();
            buffer.base = base.clone();
            buffer.base_hash.clone_from(base_hash);
        }
        let base = step.base.map(|(base, _)| base);
        let edits = step.text.map(|(text, edits)| {
            buffer.text = text;
            edits
        });
        let is_saved = buffer.text == buffer.base;
        if let Some(edits) = edits {
            buffer.version += 1;
            let version = buffer.version;
            if let Some(author) = author {
                author.send(Arc::new(ToPage::Accepted { path: path.clone(), version }));
            }
            let changed = ToPage::Changed { path, version, edits, by: step.by, base };
            buffer.tell(&Arc::new(changed), author);
        } else if let Some(base) = base.filter(|_| !is_saved) {
            buffer.tell(&Arc::new(ToPage::Based { path, base }), None);
        }
        let conflicted = buffer.conflicted;
        drop(slot);
        if is_saved {
            self.close(turn, Reason::Saved, None);
        } else {
            if conflicted != was_conflicted {
                self.mark(turn.path(), Some(Mark { conflicted }));
            }
            self.touch(turn.path());
        }
        true
    }

    /// Mark that the disk and the unsaved text do not go together.
    fn set_conflicted(&self, turn: &Turn) {
        let was = match turn.buffer().as_mut() {
            Some(buffer) => std::mem::replace(&mut buffer.conflicted, true),
            None => return,
        };
        if !was {
            self.mark(turn.path(), Some(Mark { conflicted: true }));
            self.keep_later(turn.path());
        }
    }

    /// End a buffer.
    fn close(&self, turn: &Turn, reason: Reason, to: Option<&RelPath>) {
        let Some(mut buffer) = turn.buffer().take() else { return };
        let path = turn.path().to_string();
        let to = to.map(ToString::to_string);
        buffer.tell(&Arc::new(ToPage::Closed { path, reason, to }), None);
        self.mark(turn.path(), None);
        self.keep_now(turn.path());
        self.touch_only(turn.path());
    }

    /// Put a new buffer into the turn's path.
    fn create(&self, turn: &Turn, buffer: Buffer) -> Result<()> {
        let conflicted = buffer.conflicted;
        if self.stopped.load(Ordering::SeqCst) {
            return Err(stopping());
        }
        if !turn.put(buffer) {
            let many = slots::MAX_BUFFERS;
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("{many} files have unsaved changes already"),
            )
            .hint("save some of them"));
        }
        self.mark(turn.path(), Some(Mark { conflicted }));
        self.touch(turn.path());
        if self.stopped.load(Ordering::SeqCst) {
            self.keep_now(turn.path());
        }
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
    fn touch(&self, path: &RelPath) {
        self.keep_later(path);
        self.touch_only(path);
    }

    fn touch_only(&self, path: &RelPath) {
        lock(&self.touched).insert(path.clone());
        self.touch.notify_one();
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

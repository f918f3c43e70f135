//! Which files have a buffer, and whose turn it is with each file.
//!
//! Whatever changes the text, the base or the file on disk of one path first takes the path's
//! turn, in the order of asking, and keeps it until the disk and the buffer agree again: a page
//! that opens or edits waits for an agent's write to end, and the other way round. A turn can be
//! had for a file without a buffer too, so that none appears in the middle of a write. Who only
//! looks takes no turn and sees the text before or after a change, never in between.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use openspace_files::{Encoding, hash};
use openspace_protocol::RelPath;
use serde::{Serialize, Serializer};
use tokio::sync::OwnedMutexGuard;

use super::pages::{Outbox, ToPage};

/// Buffers that may exist at once.
pub const MAX_BUFFERS: usize = 200;
/// Hashes of the text that readers were given and may still name.
const MAX_GIVEN: usize = 64;

/// A text that many hold and nobody changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared(Arc<String>);

impl Deref for Shared {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Shared {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// The text of a file with what is not saved.
pub(super) struct Buffer {
    /// The text on disk as it was last agreed with: what is unsaved is the difference to it.
    pub(super) base: Shared,
    /// The hash of the disk content that is the base; none while that content is not on disk.
    pub(super) base_hash: Option<String>,
    /// What the person sees.
    pub(super) text: Shared,
    pub(super) version: u64,
    /// The disk has changed in lines that are not saved either.
    pub(super) conflicted: bool,
    pub(super) encoding: Encoding,
    /// Hashes of texts that readers got since the base last moved under them.
    given: VecDeque<String>,
    pub(super) pages: Vec<Arc<Outbox>>,
}

impl Buffer {
    pub(super) fn new(base: Shared, base_hash: Option<String>, text: Shared) -> Self {
        Self {
            conflicted: base_hash.is_none(),
            base,
            base_hash,
            text,
            version: 1,
            encoding: Encoding::Utf8,
            given: VecDeque::new(),
            pages: Vec::new(),
        }
    }

    /// The same for another path: nobody is attached to it yet.
    pub(super) fn copy(&self) -> Self {
        Self {
            base: self.base.clone(),
            base_hash: self.base_hash.clone(),
            text: self.text.clone(),
            version: self.version,
            conflicted: self.conflicted,
            encoding: self.encoding,
            given: VecDeque::new(),
            pages: Vec::new(),
        }
    }

    /// Tell every page that is attached, except for one.
    pub(super) fn tell(&mut self, message: &Arc<ToPage>, except: Option<&Outbox>) {
        self.pages.retain(|page| {
            except.is_some_and(|except| except.id() == page.id()) || page.send(Arc::clone(message))
        });
    }

    pub(super) fn is_attached(&self, page: &Outbox) -> bool {
        self.pages.iter().any(|known| known.id() == page.id())
    }

    /// Somebody reads the text: its hash, which may be named in a change from now on.
    pub(super) fn give(&mut self) -> String {
        let given = hash(self.text.as_bytes());
        if !self.given.contains(&given) {
            if self.given.len() >= MAX_GIVEN {
                self.given.pop_front();
            }
            self.given.push_back(given.clone());
        }
        given
    }

    /// Whether a caller who names this hash knows the file, apart from what was typed since.
    pub(super) fn is_known_by(&self, expected: &str) -> bool {
        self.base_hash.as_deref() == Some(expected)
            || self.given.iter().any(|given| given == expected)
            || hash(self.text.as_bytes()) == expected
    }

    /// The disk has another text: what readers knew is out of date.
    pub(super) fn forget_given(&mut self) {
        self.given.clear();
    }
}

#[derive(Default)]
struct Slot {
    turn: Arc<tokio::sync::Mutex<()>>,
    buffer: Mutex<Option<Buffer>>,
}

impl Slot {
    fn buffer(&self) -> MutexGuard<'_, Option<Buffer>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Buffers by path. The lock of the map is taken before that of a buffer, never after.
#[derive(Default)]
pub struct Slots(Mutex<BTreeMap<RelPath, Arc<Slot>>>);

impl Slots {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<RelPath, Arc<Slot>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wait for the turn with a file.
    pub(super) async fn turn(self: &Arc<Self>, path: &RelPath) -> Turn {
        let slot = Arc::clone(self.lock().entry(path.clone()).or_default());
        let mut turn = Turn { slots: Arc::clone(self), path: path.clone(), slot, guard: None };
        turn.guard = Some(Arc::clone(&turn.slot.turn).lock_owned().await);
        turn
    }

    /// Look at a buffer, if there is one. Its text must not be changed here.
    pub(super) fn with<T>(&self, path: &RelPath, look: impl FnOnce(&mut Buffer) -> T) -> Option<T> {
        // The map stays locked, so that a slot is only known to the map and to turns.
        let slots = self.lock();
        let mut buffer = slots.get(path)?.buffer();
        buffer.as_mut().map(look)
    }

    /// The text of a file with what is not saved, if there is such.
    pub fn text(&self, path: &RelPath) -> Option<Shared> {
        self.with(path, |buffer| buffer.text.clone())
    }

    /// The files that have a buffer.
    pub(super) fn paths(&self) -> Vec<RelPath> {
        let slots = self.lock();
        let with_buffer = slots.iter().filter(|(_, slot)| slot.buffer().is_some());
        with_buffer.map(|(path, _)| path.clone()).collect()
    }

    /// A page is gone.
    pub(super) fn forget_page(&self, page: &Outbox) {
        for path in self.paths() {
            self.with(&path, |buffer| buffer.pages.retain(|known| known.id() != page.id()));
        }
    }
}

/// The turn with one file. It ends when this is dropped.
pub struct Turn {
    slots: Arc<Slots>,
    path: RelPath,
    slot: Arc<Slot>,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Turn {
    pub(super) fn path(&self) -> &RelPath {
        &self.path
    }

    pub(super) fn buffer(&self) -> MutexGuard<'_, Option<Buffer>> {
        self.slot.buffer()
    }

    /// Put a buffer where none is; false when there are too many.
    pub(super) fn put(&self, buffer: Buffer) -> bool {
        let slots = self.slots.lock();
        if slots.values().filter(|slot| slot.buffer().is_some()).count() >= MAX_BUFFERS {
            return false;
        }
        *self.buffer() = Some(buffer);
        true
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.guard.take());
        let mut slots = self.slots.lock();
        // Only the map and this turn know the slot: nobody waits, and nobody can come while the
        // map is locked.
        if Arc::strong_count(&self.slot) == 2 && self.slot.buffer().is_none() {
            slots.remove(&self.path);
        }
    }
}

//! What is known of each path, and a guard for each path.
//!
//! Whoever changes what is known of a path, or does work on its file that has to agree with it,
//! holds the path's guard, in the order of asking. A guard can be had for a path of which nothing
//! is known, too. Who only looks takes no guard and sees what is known before or after a change,
//! never in between. There is no guard for all paths: the map is locked for moments, never while
//! anybody waits, so a file whose host does not answer holds up nobody but those who want that file.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use openspace_protocol::RelPath;
use tokio::sync::OwnedMutexGuard;

/// What may be known of a path.
pub trait Known: Default {
    /// Whether it says nothing, so that the path can be forgotten.
    fn is_nothing(&self) -> bool;
}

impl<T> Known for Option<T> {
    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

#[derive(Default)]
struct Slot<T> {
    gate: Arc<tokio::sync::Mutex<()>>,
    known: Mutex<T>,
}

impl<T> Slot<T> {
    fn known(&self) -> MutexGuard<'_, T> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known, by path. The lock of the map is taken before that of a slot, never after.
pub struct Paths<T>(Mutex<BTreeMap<RelPath, Arc<Slot<T>>>>);

impl<T> Default for Paths<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Paths<T> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<RelPath, Arc<Slot<T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Known> Paths<T> {
    /// Wait for the guard of a path.
    pub async fn guard(self: &Arc<Self>, path: &RelPath) -> PathGuard<T> {
        let slot = Arc::clone(self.lock().entry(path.clone()).or_default());
        let mut guard = PathGuard { paths: Arc::clone(self), path: path.clone(), slot, held: None };
        guard.held = Some(Arc::clone(&guard.slot.gate).lock_owned().await);
        guard
    }

    /// Look at what is known of a path, if the map has it.
    pub fn look<R>(&self, path: &RelPath, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        // The map stays locked, so that a slot is only known to the map and to guards.
        let slots = self.lock();
        slots.get(path).map(|slot| look(&mut slot.known()))
    }

    /// The paths of which something is known.
    pub fn paths(&self) -> Vec<RelPath> {
        let slots = self.lock();
        let known = slots.iter().filter(|(_, slot)| !slot.known().is_nothing());
        known.map(|(path, _)| path.clone()).collect()
    }
}

/// The guard of one path. It is given back when this is dropped.
pub struct PathGuard<T: Known> {
    paths: Arc<Paths<T>>,
    path: RelPath,
    slot: Arc<Slot<T>>,
    held: Option<OwnedMutexGuard<()>>,
}

impl<T: Known> PathGuard<T> {
    /// Its path.
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// What is known of the path. Not to be kept while something is awaited.
    pub fn known(&self) -> MutexGuard<'_, T> {
        self.slot.known()
    }

    /// Know this of the path from now on; false when something is known of so many already.
    pub fn put(&self, known: T, max: usize) -> bool {
        let slots = self.paths.lock();
        if slots.values().filter(|slot| !slot.known().is_nothing()).count() >= max {
            return false;
        }
        *self.known() = known;
        true
    }
}

impl<T: Known> Drop for PathGuard<T> {
    fn drop(&mut self) {
        drop(self.held.take());
        let mut slots = self.paths.lock();
        // Only the map and this guard know the slot: nobody waits, and nobody can come while the
        // map is locked.
        if Arc::strong_count(&self.slot) == 2 && self.slot.known().is_nothing() {
            slots.remove(&self.path);
        }
    }
}

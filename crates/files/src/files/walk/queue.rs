//! Work that several threads share until none is left.
//!
//! The newest piece is handed out first, so that a tree is walked in depth and few folders are open
//! at a time.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// How many workers have nothing to do, to be asked without a lock.
    idle: AtomicUsize,
    stopped: AtomicBool,
}

struct State<T> {
    waiting: Vec<T>,
    busy: usize,
}

impl<T> Queue<T> {
    /// A queue for so many workers, all of which must come and ask.
    pub(super) fn new(first: T, workers: usize) -> Self {
        Self {
            state: Mutex::new(State { waiting: vec![first], busy: workers }),
            changed: Condvar::new(),
            idle: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// True when somebody waits for a piece of work.
    pub(super) fn is_short(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    pub(super) fn push(&self, pieces: impl IntoIterator<Item = T>) {
        self.lock().waiting.extend(pieces);
        if self.is_short() {
            self.changed.notify_all();
        }
    }

    /// The next piece, for a worker that is done with its last; `None` when all work is done.
    pub(super) fn next(&self) -> Option<T> {
        let mut state = self.lock();
        state.busy -= 1;
        self.idle.fetch_add(1, Ordering::Relaxed);
        let next = loop {
            if self.is_stopped() {
                break None;
            }
            if let Some(piece) = state.waiting.pop() {
                state.busy += 1;
                break Some(piece);
            }
            if state.busy == 0 {
                self.changed.notify_all();
                break None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        next
    }

    /// Hand out nothing more; workers in the middle of a piece see it by [`Self::stopped`].
    pub(super) fn stop(&self) {
        // Under the lock: a worker that has just looked must not miss it and wait forever.
        let state = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    pub(super) fn stopped(&self) -> &AtomicBool {
        &self.stopped
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The queues between a terminal and its views: bounded, never blocking the program.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::model::Model;
use super::types::{Exit, Life, Size};

const QUEUE_BYTES: usize = 1024 * 1024;

/// What a view of a terminal gets, in this order: a repaint, then everything from exactly there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Chunk {
    /// Brings a terminal of this size, whatever it shows, to the present state.
    Repaint {
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        size: Size,
    },
    /// Raw output of the program.
    Output(#[serde(with = "shared_bytes")] Arc<[u8]>),
    Resized(Size),
    /// Whether this view answers what the program asks from here on. Of several views exactly one
    /// does: the one that somebody typed in last, or the newest.
    Answers(bool),
    /// The view was too slow and output was left out; a repaint follows.
    Lagged,
    /// The last chunk: the program has ended.
    Ended(Exit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Following,
    /// Output was thrown away and the view does not know it yet.
    Lagged,
    /// The view needs a repaint before anything else.
    Blank,
    Ended,
}

/// What a view that asks gets.
pub(super) enum Next {
    Chunk(Chunk),
    Wait,
    Over,
}

struct View {
    queue: VecDeque<Chunk>,
    bytes: usize,
    pace: Pace,
    ready: Arc<Notify>,
}

#[derive(Default)]
pub(super) struct Views {
    views: HashMap<u64, View>,
    answering: Option<u64>,
}

impl Views {
    pub(super) fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    pub(super) fn add(&mut self, id: u64, model: &mut Model) -> Arc<Notify> {
        let ready = Arc::new(Notify::new());
        let queue = VecDeque::from([repaint(model)]);
        let pace = Pace::Following;
        self.views.insert(id, View { queue, bytes: 0, pace, ready: Arc::clone(&ready) });
        self.worked_in(id);
        ready
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.views.remove(&id);
        if self.answering == Some(id) {
            self.answering = None;
            if let Some(&newest) = self.views.keys().max() {
                self.worked_in(newest);
            }
        }
    }

    /// Somebody types in this view: it answers from now on. All views hear of it at the same place
    /// of the output, so that none of the program's questions has two answers or none.
    pub(super) fn worked_in(&mut self, id: u64) {
        if self.answering == Some(id) || !self.views.contains_key(&id) {
            return;
        }
        let before = self.answering.replace(id);
        for (view, answers) in before.map(|before| (before, false)).into_iter().chain([(id, true)])
        {
            if let Some(view) = self.views.get_mut(&view) {
                push(view, &Chunk::Answers(answers), size_of::<Chunk>());
            }
        }
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        if !self.views.is_empty() {
            let shared: Arc<[u8]> = bytes.into();
            self.push(&Chunk::Output(shared), bytes.len());
        }
    }

    pub(super) fn resized(&mut self, size: Size) {
        self.push(&Chunk::Resized(size), size_of::<Chunk>());
    }

    pub(super) fn wake(&self) {
        for view in self.views.values() {
            view.ready.notify_one();
        }
    }

    fn push(&mut self, chunk: &Chunk, bytes: usize) {
        for view in self.views.values_mut() {
            push(view, chunk, bytes);
        }
    }

    pub(super) fn pop(&mut self, id: u64, model: &mut Model, life: Life) -> Next {
        let Some(view) = self.views.get_mut(&id) else { return Next::Over };
        match view.pace {
            Pace::Ended => return Next::Over,
            Pace::Lagged => {
                view.pace = Pace::Blank;
                return Next::Chunk(Chunk::Lagged);
            }
            Pace::Blank => {
                view.pace = Pace::Following;
                let answers = self.answering == Some(id);
                push(view, &Chunk::Answers(answers), size_of::<Chunk>());
                return Next::Chunk(repaint(model));
            }
            Pace::Following => {}
        }
        match (view.queue.pop_front(), life) {
            (Some(chunk), _) => {
                view.bytes -= match &chunk {
                    Chunk::Output(bytes) => bytes.len(),
                    Chunk::Resized(_) | Chunk::Answers(_) => size_of::<Chunk>(),
                    Chunk::Repaint { .. } | Chunk::Lagged | Chunk::Ended(_) => 0,
                };
                Next::Chunk(chunk)
            }
            (None, Life::Exited(exit)) => {
                view.pace = Pace::Ended;
                Next::Chunk(Chunk::Ended(exit))
            }
            (None, Life::Running { .. }) => Next::Wait,
        }
    }
}

fn push(view: &mut View, chunk: &Chunk, bytes: usize) {
    if view.pace != Pace::Following {
        return;
    }
    if view.bytes + bytes > QUEUE_BYTES {
        view.queue.clear();
        view.bytes = 0;
        view.pace = Pace::Lagged;
    } else {
        view.queue.push_back(chunk.clone());
        view.bytes += bytes;
    }
    view.ready.notify_one();
}

fn repaint(model: &mut Model) -> Chunk {
    Chunk::Repaint { bytes: model.repaint(), size: model.size() }
}

/// Bytes that several views share, as plain bytes on a wire.
mod shared_bytes {
    use std::sync::Arc;

    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        bytes: &Arc<[u8]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[u8]>, D::Error> {
        serde_bytes::deserialize::<Vec<u8>, D>(deserializer).map(Into::into)
    }
}

//! What pages and the server say to each other about buffers, and the queue to each page.
//!
//! All that a page is told goes through one queue, so it hears of things in the order in which
//! they happened. A page that does not listen is let go: it must never hold up the others.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use openspace_command::Error;
use openspace_protocol::ErrorKind;
use openspace_text::offsets::Edit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::buffer::Shared;

/// Messages that may wait for a page.
const MAX_WAITING: usize = 1_000;
/// Bytes that may wait for a page; one message may always wait.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are said with each variant")]
pub enum FromPage {
    /// A file that was in step with the disk as `base` now reads `text`.
    Open { path: String, base: String, text: String },
    /// Join a buffer that exists.
    Attach { path: String },
    /// Change the text of a version.
    Edit { path: String, version: u64, edits: Vec<Edit> },
    /// Hear no more of a buffer.
    Detach { path: String },
}

impl FromPage {
    /// The path as the page writes it.
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Open { path, .. }
            | Self::Attach { path }
            | Self::Edit { path, .. }
            | Self::Detach { path } => path,
        }
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        let large = match self {
            Self::Open { base, text, .. } => base.len() + text.len(),
            Self::Edit { edits, .. } => {
                edits.iter().map(|edit| edit.text.len() + size_of::<Edit>()).sum()
            }
            Self::Attach { .. } | Self::Detach { .. } => 0,
        };
        large + self.path().len() + size_of::<Self>()
    }
}

/// What a page is told. Each `open`, `attach` and `edit` is answered once, for each file in order:
/// by `opened`, `accepted`, `stale` or `error`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are said with each variant")]
pub enum ToPage {
    /// The page is attached, and this is the text.
    Opened {
        path: String,
        version: u64,
        #[schemars(with = "String")]
        text: Shared,
        #[schemars(with = "String")]
        base: Shared,
        conflicted: bool,
    },
    /// The page's edit made this version.
    Accepted { path: String, version: u64 },
    /// The page's edit was of an older version and was not made.
    Stale { path: String, version: u64 },
    /// Somebody else changed the text; the text on disk moved too when `base` is there.
    Changed {
        path: String,
        version: u64,
        edits: Vec<Edit>,
        by: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        base: Option<Shared>,
    },
    /// The text in step with the disk is now this.
    Based {
        path: String,
        #[schemars(with = "String")]
        base: Shared,
    },
    /// There is no buffer any more; `to` is where it went when it moved.
    Closed {
        path: String,
        reason: Reason,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        to: Option<String>,
    },
    /// What the page asked for was not done.
    Error {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        path: Option<String>,
        error: String,
        kind: ErrorKind,
        hint: Option<String>,
    },
}

impl ToPage {
    /// A failure in words for a page.
    pub fn failure(path: Option<String>, error: &Error) -> Self {
        let hint = error.hint.clone();
        Self::Error { path, error: error.message.clone(), kind: error.kind, hint }
    }

    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        let large = match self {
            Self::Opened { text, base, .. } => text.len() + base.len(),
            Self::Changed { edits, base, .. } => {
                let base = base.as_ref().map_or(0, |base| base.len());
                edits.iter().map(|edit| edit.text.len() + size_of::<Edit>()).sum::<usize>() + base
            }
            Self::Based { base, .. } => base.len(),
            _ => 0,
        };
        large + size_of::<Self>()
    }
}

/// Why a buffer is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CloseReason")]
pub enum Reason {
    /// The disk has the text.
    Saved,
    /// The person does not want the unsaved text.
    Discarded,
    /// The file was deleted.
    Deleted,
    /// The file has another path.
    Moved,
}

/// The sending end of the queue to a page.
pub struct Outbox {
    id: u64,
    queue: mpsc::Sender<Arc<ToPage>>,
    waiting: Arc<AtomicUsize>,
    /// The page is to be let go.
    gone: CancellationToken,
}

impl Outbox {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Put a message into the queue; false when the page is let go.
    pub(super) fn send(&self, message: Arc<ToPage>) -> bool {
        let weight = message.weight();
        let waiting = self.waiting.fetch_add(weight, Ordering::Relaxed);
        let fits = waiting == 0 || waiting + weight <= MAX_WAITING_BYTES;
        if self.gone.is_cancelled() || !fits || self.queue.try_send(message).is_err() {
            self.gone.cancel();
            return false;
        }
        true
    }

    /// The page has to start anew.
    pub(super) fn let_go(&self) {
        self.gone.cancel();
    }
}

/// What waits for a page.
pub struct Inbox {
    queue: mpsc::Receiver<Arc<ToPage>>,
    waiting: Arc<AtomicUsize>,
    gone: CancellationToken,
}

impl Inbox {
    /// Cancelled when the page did not keep up.
    pub fn let_go(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// The next message; `None` when the page did not keep up and has to start anew.
    pub async fn next(&mut self) -> Option<Arc<ToPage>> {
        let message = tokio::select! {
            biased;
            () = self.gone.cancelled() => None,
            message = self.queue.recv() => message,
        }?;
        self.waiting.fetch_sub(message.weight(), Ordering::Relaxed);
        Some(message)
    }
}

/// The queue to a new page: both its ends.
pub(super) fn queue() -> (Arc<Outbox>, Inbox) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let (queue, received) = mpsc::channel(MAX_WAITING);
    let waiting = Arc::new(AtomicUsize::new(0));
    let gone = CancellationToken::new();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let outbox = Outbox { id, queue, waiting: Arc::clone(&waiting), gone: gone.clone() };
    (Arc::new(outbox), Inbox { queue: received, waiting, gone })
}

#[cfg(test)]
mod tests;

//! What pages and the server say to each other about buffers, and the queue to each page.
//!
//! All that a page is told goes through one queue, so it hears of things in the order in which
//! they happened, and of no text before the store has it: a server that comes back after its end
//! knows all that pages were ever told. A page that does not listen is let go: it must never hold
//! up the others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use openspace_command::Error;
use openspace_protocol::{ErrorKind, RelPath};
use openspace_space::Saving;
use openspace_text::offsets::Edit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{authors::EditId, buffer::Shared};

/// Messages that may wait for a page.
const MAX_WAITING: usize = 1_000;
/// Bytes that may wait for a page; one message may always wait.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// How long a page waits for the store. One that hangs or fails must not keep people from sharing
/// what they type; the health of the server tells of it.
const STORE_PATIENCE: Duration = Duration::from_secs(5);

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are said with each variant")]
pub enum FromPage {
    /// A file that was in step with the disk as `base` now reads `text`. What differs is the edit
    /// `edit`.
    Open {
        path: String,
        base: String,
        text: String,
        #[serde(default)]
        #[schemars(with = "EditId")]
        edit: Option<EditId>,
    },
    /// Join a buffer that exists. `unsure` is an edit whose answer was lost.
    Attach {
        path: String,
        #[serde(default)]
        #[schemars(with = "EditId")]
        unsure: Option<EditId>,
    },
    /// Change the text of a version.
    Edit {
        path: String,
        version: u64,
        edits: Vec<Edit>,
        #[serde(default)]
        #[schemars(with = "EditId")]
        edit: Option<EditId>,
    },
    /// Hear no more of a buffer.
    Detach { path: String },
}

impl FromPage {
    /// The path as the page writes it.
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Open { path, .. }
            | Self::Attach { path, .. }
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
    /// The page is attached, and this is the text. `made` says that it has the edit that the page was
    /// unsure of; otherwise it never will.
    Opened {
        path: String,
        version: u64,
        #[schemars(with = "String")]
        text: Shared,
        #[schemars(with = "String")]
        base: Shared,
        conflicted: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[schemars(default)]
        made: bool,
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
        /// The file has this path now: what was asked for has to be asked for there.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        to: Option<String>,
    },
}

impl ToPage {
    /// A failure in words for a page.
    pub fn failure(path: Option<String>, error: &Error) -> Self {
        let hint = error.hint.clone();
        Self::Error { path, error: error.message.clone(), kind: error.kind, hint, to: None }
    }

    /// The file that a page asks for is elsewhere.
    pub(super) fn elsewhere(path: String, to: &RelPath) -> Self {
        let error = Error::not_found(format!("`{path}` is `{to}` now"));
        match Self::failure(Some(path), &error) {
            Self::Error { path, error, kind, hint, .. } => {
                Self::Error { path, error, kind, hint, to: Some(to.to_string()) }
            }
            other => other,
        }
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

/// A message that waits for a page, and for the store unless that has it.
struct Waiting {
    message: Arc<ToPage>,
    kept: Option<Saving>,
}

/// The sending end of the queue to a page.
pub struct Outbox {
    id: u64,
    queue: mpsc::Sender<Waiting>,
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
        self.put(message, None)
    }

    /// The same for a text, which the page is told as soon as it is kept.
    pub(super) fn send_when_kept(&self, message: Arc<ToPage>, kept: Saving) -> bool {
        self.put(message, Some(kept))
    }

    fn put(&self, message: Arc<ToPage>, kept: Option<Saving>) -> bool {
        let weight = message.weight();
        let waiting = self.waiting.fetch_add(weight, Ordering::Relaxed);
        let fits = waiting == 0 || waiting + weight <= MAX_WAITING_BYTES;
        if self.gone.is_cancelled()
            || !fits
            || self.queue.try_send(Waiting { message, kept }).is_err()
        {
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
    queue: mpsc::Receiver<Waiting>,
    /// What is next and may not be kept yet.
    next: Option<Waiting>,
    waiting: Arc<AtomicUsize>,
    gone: CancellationToken,
}

impl Inbox {
    /// Cancelled when the page did not keep up.
    pub fn let_go(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// The next message; `None` when the page did not keep up and has to start anew. Nothing is lost
    /// when this is given up before it is done.
    pub async fn next(&mut self) -> Option<Arc<ToPage>> {
        let gone = self.gone.clone();
        let message = tokio::select! {
            biased;
            () = gone.cancelled() => None,
            message = self.next_kept() => message,
        }?;
        self.waiting.fetch_sub(message.weight(), Ordering::Relaxed);
        Some(message)
    }

    async fn next_kept(&mut self) -> Option<Arc<ToPage>> {
        if self.next.is_none() {
            self.next = self.queue.recv().await;
        }
        if let Some(kept) = self.next.as_ref().and_then(|next| next.kept.clone())
            && tokio::time::timeout(STORE_PATIENCE, kept.settled()).await.is_err()
        {
            tracing::warn!("a page is told of text that the store does not have yet");
        }
        self.next.take().map(|next| next.message)
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
    (Arc::new(outbox), Inbox { queue: received, next: None, waiting, gone })
}

#[cfg(test)]
mod tests;

//! A terminal of some host, for whoever holds its name: the same methods wherever it runs.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use openspace_protocol::TerminalId;
use openspace_terminal::{
    Chunk, Interrupted, ReadRequest, Reading, RunOutcome, RunRequest, Size, Status,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    conversation::Conversation,
    host::{Host, HostError},
    operation::{
        AttachTerminal, CloseTerminal, EndTerminal, FollowTerminal, InterruptTerminal,
        ReadTerminal, ResizeTerminal, RunInTerminal, TerminalStatus, WriteTerminal,
    },
};

/// Chunks that may wait for a view, besides those that wait in the terminal itself.
const WAITING_CHUNKS: usize = 16;

/// Numbers the views of all terminals.
static VIEWS: AtomicU64 = AtomicU64::new(0);

/// A terminal, by name. Clones are the same terminal.
#[derive(Clone)]
pub struct TerminalHandle {
    host: Arc<dyn Host>,
    id: TerminalId,
}

impl TerminalHandle {
    /// The terminal of this name on a host.
    pub fn new(host: Arc<dyn Host>, id: TerminalId) -> Self {
        Self { host, id }
    }

    /// How it is.
    pub async fn status(&self) -> Result<Status, HostError> {
        self.host.ask(TerminalStatus { id: self.id }).await
    }

    /// What it shows, as text, and how it is, of the same moment.
    pub async fn read(&self, request: ReadRequest) -> Result<Reading, HostError> {
        self.host.ask(ReadTerminal { id: self.id, request }).await
    }

    /// Type into it; into a shell that has just started, at its first prompt.
    pub async fn write(&self, bytes: impl Into<Vec<u8>>) -> Result<(), HostError> {
        self.host.ask(WriteTerminal { id: self.id, view: None, bytes: bytes.into() }).await
    }

    /// Type into it as somebody who works in this view.
    pub async fn write_in(&self, view: u64, bytes: impl Into<Vec<u8>>) -> Result<(), HostError> {
        let view = Some(view);
        self.host.ask(WriteTerminal { id: self.id, view, bytes: bytes.into() }).await
    }

    /// Set its size.
    pub async fn resize(&self, size: Size) -> Result<(), HostError> {
        self.host.ask(ResizeTerminal { id: self.id, size }).await
    }

    /// Run a command in it and wait as the request says; `typed` hears when the command is typed.
    pub async fn run(
        &self,
        request: RunRequest,
        typed: oneshot::Sender<()>,
    ) -> Result<RunOutcome, HostError> {
        let (items, mut told) = mpsc::channel(1);
        let conversation = Conversation { items: Some(items), ..Conversation::default() };
        let tell = async {
            if told.recv().await.is_some() {
                // Whoever has gone meanwhile needs not be told.
                _ = typed.send(());
            }
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            outcome = self.host.ask_with(RunInTerminal { id: self.id, request }, conversation) => outcome,
            never = tell => match never {},
        }
    }

    /// Interrupt what runs in it.
    pub async fn interrupt(&self) -> Result<Interrupted, HostError> {
        self.host.ask(InterruptTerminal { id: self.id }).await
    }

    /// End everything in it; what it shows stays.
    pub async fn end(&self) -> Result<(), HostError> {
        self.host.ask(EndTerminal { id: self.id }).await
    }

    /// End everything in it and forget it.
    pub async fn close(&self) -> Result<(), HostError> {
        self.host.ask(CloseTerminal { id: self.id }).await
    }

    /// A counter that moves when it changes. It closes when the terminal is gone.
    pub fn changed(&self) -> Changes {
        let (items, mut told) = mpsc::channel(1);
        let cancel = CancellationToken::new();
        let guard = cancel.clone().drop_guard();
        let (sender, version) = watch::channel(0);
        let host = Arc::clone(&self.host);
        let follow = FollowTerminal { id: self.id };
        tokio::spawn(async move {
            let conversation = Conversation { items: Some(items), inputs: None, cancel };
            let forward = async {
                while let Some(now) = told.recv().await {
                    sender.send_replace(now);
                }
            };
            let (followed, ()) = tokio::join!(host.ask_with(follow, conversation), forward);
            if let Err(error) = followed {
                tracing::debug!(%error, "a terminal is no longer followed");
            }
        });
        Changes { version, _stop: guard }
    }

    /// Follow its raw output from this moment on.
    pub fn attach(&self) -> Attachment {
        let (items, chunks) = mpsc::channel(WAITING_CHUNKS);
        let cancel = CancellationToken::new();
        let guard = cancel.clone().drop_guard();
        let host = Arc::clone(&self.host);
        let view = VIEWS.fetch_add(1, Ordering::Relaxed);
        let attach = AttachTerminal { id: self.id, view };
        tokio::spawn(async move {
            let conversation = Conversation { items: Some(items), inputs: None, cancel };
            if let Err(error) = host.ask_with(attach, conversation).await {
                tracing::debug!(%error, "a view of a terminal ended");
            }
        });
        Attachment { view, chunks, _stop: guard }
    }
}

/// The changes of a terminal. Dropping it stops the watch.
pub struct Changes {
    version: watch::Receiver<u64>,
    _stop: DropGuard,
}

impl Changes {
    /// Wait for a change; false when the terminal is gone.
    pub async fn next(&mut self) -> bool {
        self.version.changed().await.is_ok()
    }
}

/// A view of a terminal. Dropping it detaches.
pub struct Attachment {
    view: u64,
    chunks: mpsc::Receiver<Chunk>,
    _stop: DropGuard,
}

impl Attachment {
    /// The number of this view.
    pub fn view(&self) -> u64 {
        self.view
    }

    /// The next chunk; `None` after the last one. Losing the future loses no chunk.
    pub async fn next(&mut self) -> Option<Chunk> {
        self.chunks.recv().await
    }
}

//! The queue to a page that speaks about languages. A page that does not keep up is let go and attaches again: it must
//! never hold up a language server or another page.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::pages::ToLanguagePage;

/// Messages that may wait for a page.
const MOST_WAITING: usize = 1_000;
/// Bytes that may wait for a page; one message may always wait.
const MOST_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// The sending end of the queue to a page.
pub(super) struct Outbox {
    id: u64,
    queue: mpsc::Sender<Arc<str>>,
    waiting: Arc<AtomicUsize>,
    gone: CancellationToken,
}

impl Outbox {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Put a message into the queue; a page that has too much in it is let go.
    pub(super) fn send(&self, message: &ToLanguagePage) {
        match serde_json::to_string(message) {
            Ok(text) => self.send_text(text.into()),
            Err(error) => tracing::error!(%error, "a page cannot be told of languages"),
        }
    }

    /// The same for one that was made into text already.
    pub(super) fn send_text(&self, text: Arc<str>) {
        let weight = text.len();
        let waiting = self.waiting.fetch_add(weight, Ordering::Relaxed);
        let fits = waiting == 0 || waiting + weight <= MOST_WAITING_BYTES;
        if !fits || self.queue.try_send(text).is_err() {
            self.gone.cancel();
        }
    }

    pub(super) fn let_go(&self) {
        self.gone.cancel();
    }
}

/// What waits for a page.
pub struct Inbox {
    queue: mpsc::Receiver<Arc<str>>,
    waiting: Arc<AtomicUsize>,
    gone: CancellationToken,
}

impl Inbox {
    /// Cancelled when the page did not keep up.
    pub fn let_go(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// The next message; `None` when the page did not keep up and has to start anew. Nothing is lost when this is given up
    /// before it is done.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        let message = tokio::select! {
            biased;
            () = self.gone.cancelled() => None,
            message = self.queue.recv() => message,
        }?;
        self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
        Some(message)
    }
}

/// The queue to a new page: both its ends.
pub(super) fn queue() -> (Outbox, Inbox) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let (queue, received) = mpsc::channel(MOST_WAITING);
    let waiting = Arc::new(AtomicUsize::new(0));
    let gone = CancellationToken::new();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let outbox = Outbox { id, queue, waiting: Arc::clone(&waiting), gone: gone.clone() };
    (outbox, Inbox { queue: received, waiting, gone })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[tokio::test]
    async fn a_page_that_takes_nothing_in_is_let_go() {
        let (outbox, mut inbox) = queue();
        let large: Arc<str> = "x".repeat(MOST_WAITING_BYTES + 1).into();
        outbox.send_text(Arc::clone(&large));
        assert_eq!(inbox.next().await.map(|text| text.len()), Some(large.len()));
        outbox.send_text("a".into());
        assert!(!inbox.let_go().is_cancelled());
        outbox.send_text(large);
        assert!(inbox.let_go().is_cancelled());
        assert_eq!(inbox.next().await, None);
    }
}

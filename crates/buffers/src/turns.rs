//! Whose turn it is where a page and agents change a text at once.
//!
//! An edit of a page that is not against the current version comes again, against what is there by then. Agents that
//! change the file without a pause would let a busy page come too late each time. So after such an edit they wait for
//! the page, a moment at most: it may be gone.

use std::time::Duration;

use openspace_protocol::RelPath;
use tokio::time::{Instant, timeout_at};

use super::{Buffers, Inner, buffer::TextGuard};

/// How long an agent waits for an edit that a page is about to send again.
const MOMENT: Duration = Duration::from_secs(1);

impl Buffers {
    /// The guard of a file for somebody who is no page: those whose edit came too late are first.
    pub async fn guard_after_pages(&self, path: &RelPath) -> TextGuard {
        self.inner.pages_first(path).await;
        self.guard(path).await
    }
}

/// An edit of a page came too late, and is about to come again.
pub(super) fn expect_again(guard: &TextGuard) {
    if let Some(buffer) = guard.known().as_mut() {
        buffer.expected_until = Some(Instant::now() + MOMENT);
    }
}

impl Inner {
    /// A page's edit is made.
    pub(super) fn came_again(&self, guard: &TextGuard) {
        let came = guard.known().as_mut().and_then(|buffer| buffer.expected_until.take());
        if came.is_some() {
            self.came.notify_waiters();
        }
    }

    async fn pages_first(&self, path: &RelPath) {
        // One moment altogether: others may come too late meanwhile.
        let end = Instant::now() + MOMENT;
        loop {
            let came = self.came.notified();
            let until = self.texts.with(path, |buffer| buffer.expected_until).flatten();
            let Some(until) = until.map(|until| until.min(end)) else { return };
            if until <= Instant::now() || timeout_at(until, came).await.is_err() {
                return;
            }
        }
    }
}

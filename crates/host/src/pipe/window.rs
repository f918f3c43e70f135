//! The window of one stream of bytes: how much of it may be on its way, seen from both of its ends.
//!
//! It counts and holds no bytes. A peer that says it took more than it was given gains nothing by it.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, watch};

use crate::operation::WINDOW;

/// So much is taken before it is said: half a window is always open to who sends, and small messages
/// need no word each.
pub(crate) const WORTH_SAYING: usize = WINDOW / 2;
/// A window without bounds.
const LIFTED: usize = usize::MAX;

/// The end that sends.
pub(crate) struct Window {
    room: watch::Sender<usize>,
}

impl Default for Window {
    fn default() -> Self {
        Self { room: watch::Sender::new(WINDOW) }
    }
}

impl Window {
    /// Wait until something may be sent, and learn how much.
    pub(crate) async fn room(&self) -> usize {
        let mut room = self.room.subscribe();
        // The sender is ours, so waiting can only end with the wanted value.
        room.wait_for(|room| *room > 0).await.map_or(0, |room| *room)
    }

    /// So much was sent.
    pub(crate) fn sent(&self, bytes: usize) {
        self.change(|room| room.saturating_sub(bytes));
    }

    /// The other end took so much.
    pub(crate) fn regain(&self, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(WINDOW);
        self.change(|room| room.saturating_add(bytes).min(WINDOW));
    }

    /// The other end will not say what it takes.
    pub(crate) fn lift(&self) {
        self.change(|_| LIFTED);
    }

    fn change(&self, to: impl FnOnce(usize) -> usize) {
        self.room.send_if_modified(|room| {
            let before = *room;
            if before != LIFTED {
                *room = to(before);
            }
            *room > before
        });
    }
}

/// The end that takes.
#[derive(Default)]
pub(crate) struct Takings {
    unsaid: AtomicUsize,
    more: Notify,
}

impl Takings {
    /// So much was taken.
    pub(crate) fn take(&self, bytes: usize) {
        if self.unsaid.fetch_add(bytes, Ordering::AcqRel) + bytes >= WORTH_SAYING {
            self.more.notify_one();
        }
    }

    /// Wait until there is something to say. Losing the future loses nothing.
    pub(crate) async fn to_say(&self) -> u64 {
        loop {
            if self.unsaid.load(Ordering::Acquire) >= WORTH_SAYING {
                return self.unsaid.swap(0, Ordering::AcqRel) as u64;
            }
            self.more.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_window_is_as_large_as_what_was_not_taken_leaves() {
        let window = Window::default();
        window.sent(WINDOW - 1);
        assert_eq!(now(window.room()), Some(1));
        window.sent(1);
        assert_eq!(now(window.room()), None);
        window.regain(10);
        assert_eq!(now(window.room()), Some(10));
        window.regain(u64::MAX);
        assert_eq!(now(window.room()), Some(WINDOW));
        window.lift();
        window.sent(WINDOW * 2);
        window.regain(1);
        assert_eq!(now(window.room()), Some(LIFTED));
    }

    #[test]
    fn what_was_taken_is_said_once_and_when_it_is_worth_it() {
        let takings = Takings::default();
        takings.take(WORTH_SAYING - 1);
        assert_eq!(now(takings.to_say()), None);
        takings.take(5);
        assert_eq!(now(takings.to_say()), Some(WORTH_SAYING as u64 + 4));
        assert_eq!(now(takings.to_say()), None);
    }
}

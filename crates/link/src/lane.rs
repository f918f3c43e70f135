//! Flow control of one call: what this side may still send, and what it has not yet read.
//!
//! A sender pays a message's charge from its credit; the reader gives charges back once half a
//! window is consumed. No charge exceeds half a window, so a sender whose reader has read all always
//! has enough, and nobody needs to announce being idle.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::session::Session;
use super::{LinkError, Violation, WINDOW};

const HALF: usize = WINDOW / 2;
/// What each message is charged besides its bytes, so that empty ones are bounded too.
const OVERHEAD: usize = 64;

pub(super) fn charge(payload: usize) -> usize {
    (payload + OVERHEAD).min(HALF)
}

#[derive(Debug)]
pub(super) enum Event {
    Message(Vec<u8>),
    End(Result<Vec<u8>, LinkError>),
}

/// One side's end of a call, as the session sees it.
#[derive(Debug)]
pub(super) struct Lane {
    /// None once nobody reads; what still arrives is dropped. Bounded by the window.
    inbox: Option<UnboundedSender<Event>>,
    /// Charges received and not given back.
    unread: usize,
    /// Charges paid and not got back.
    paid: usize,
    credit: Arc<Semaphore>,
}

impl Lane {
    pub(super) fn new(inbox: UnboundedSender<Event>, credit: Arc<Semaphore>) -> Self {
        Self { inbox: Some(inbox), unread: 0, paid: 0, credit }
    }

    pub(super) fn credit() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(WINDOW))
    }

    pub(super) fn receive(&mut self, call: u64, payload: Vec<u8>) -> Result<(), Violation> {
        let charge = charge(payload.len());
        if self.unread + charge > WINDOW {
            return Err(Violation::Overrun { call });
        }
        self.unread += charge;
        self.tell(Event::Message(payload));
        Ok(())
    }

    fn tell(&mut self, event: Event) {
        if self.inbox.as_ref().is_some_and(|inbox| inbox.send(event).is_err()) {
            self.inbox = None;
        }
    }

    pub(super) fn pay(&mut self, charge: usize) {
        self.paid += charge;
    }

    /// The other side consumed something.
    pub(super) fn regain(&mut self, call: u64, bytes: u64) -> Result<(), Violation> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.paid = self.paid.checked_sub(bytes).ok_or(Violation::Credit { call })?;
        self.credit.add_permits(bytes);
        Ok(())
    }

    /// This side consumed something.
    pub(super) fn give_back(&mut self, bytes: usize) {
        self.unread = self.unread.saturating_sub(bytes);
    }

    /// Nobody reads any more.
    pub(super) fn close_inbox(&mut self) {
        self.inbox = None;
    }

    /// Nobody may send any more.
    pub(super) fn close_credit(&self) {
        self.credit.close();
    }

    pub(super) fn is_sending_closed(&self) -> bool {
        self.credit.is_closed()
    }

    pub(super) fn end(mut self, outcome: Result<Vec<u8>, LinkError>) {
        self.close_credit();
        self.tell(Event::End(outcome));
    }
}

pub(super) fn channel() -> (UnboundedSender<Event>, Inbox) {
    let (sender, events) = mpsc::unbounded_channel();
    (sender, Inbox { events, consumed: 0 })
}

/// What arrives for one call, in order.
#[derive(Debug)]
pub(super) struct Inbox {
    events: UnboundedReceiver<Event>,
    consumed: usize,
}

impl Inbox {
    /// Cancel safe.
    pub(super) async fn next(&mut self, session: &Session, call: u64) -> Option<Event> {
        let event = self.events.recv().await?;
        if let Event::Message(payload) = &event {
            self.consumed += charge(payload.len());
            if self.consumed >= HALF {
                session.give_back(call, std::mem::take(&mut self.consumed));
            }
        }
        Some(event)
    }
}

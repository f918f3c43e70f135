//! Events to whoever listens: each subscriber has a queue of its own, bounded in number and in bytes.
//!
//! A subscriber that is too slow loses its queue and is told so with [`Event::Gap`]; it holds up nobody, neither the agent
//! nor another subscriber.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::Notify;

use crate::Event;

#[cfg(test)]
mod tests;

/// Events that may wait for one subscriber.
pub const MOST_WAITING: usize = 4096;
/// Bytes of events that may wait for one subscriber, as the agent sent them.
pub const MOST_WAITING_BYTES: usize = 16 * 1024 * 1024;
/// Subscribers of one agent; the oldest is closed for another.
pub const MOST_SUBSCRIBERS: usize = 64;

const TOO_SLOW: &str = "more happened than could be kept until it was read";

/// Where an agent tells its events.
#[derive(Debug, Default)]
pub struct Feed {
    subscribers: Mutex<Vec<Weak<Queue>>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<(Arc<Event>, usize)>,
    bytes: usize,
    is_closed: bool,
}

impl Feed {
    /// Hear what is told from now on.
    pub fn subscribe(&self) -> Subscription {
        let queue = Arc::new(Queue::default());
        let mut subscribers = locked(&self.subscribers);
        subscribers.retain(|known| known.strong_count() > 0);
        if subscribers.len() >= MOST_SUBSCRIBERS
            && let Some(oldest) = subscribers.remove(0).upgrade()
        {
            oldest.close();
        }
        subscribers.push(Arc::downgrade(&queue));
        Subscription { queue }
    }

    /// Tell an event; `bytes` is how long it was when it came.
    pub fn tell(&self, event: Event, bytes: usize) {
        self.tell_shared(&Arc::new(event), bytes);
    }

    /// The same for an event that others hold too.
    pub fn tell_shared(&self, event: &Arc<Event>, bytes: usize) {
        for queue in locked(&self.subscribers).iter().filter_map(Weak::upgrade) {
            queue.push(Arc::clone(event), bytes);
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        for queue in locked(&self.subscribers).iter().filter_map(Weak::upgrade) {
            queue.close();
        }
    }
}

impl Queue {
    fn push(&self, event: Arc<Event>, bytes: usize) {
        let mut waiting = locked(&self.waiting);
        if waiting.is_closed {
            return;
        }
        if waiting.events.len() >= MOST_WAITING || waiting.bytes + bytes > MOST_WAITING_BYTES {
            // What waits is useless without what is lost now, and so is this event.
            let gap = Event::Gap { why: TOO_SLOW.to_owned() };
            *waiting = Waiting { events: [(Arc::new(gap), 0)].into(), ..Waiting::default() };
        } else {
            waiting.events.push_back((event, bytes));
            waiting.bytes += bytes;
        }
        self.more.notify_one();
    }

    fn close(&self) {
        locked(&self.waiting).is_closed = true;
        self.more.notify_one();
    }
}

/// What one listener has not read yet.
#[derive(Debug)]
pub struct Subscription {
    queue: Arc<Queue>,
}

impl Subscription {
    /// The next event; `None` when no more will come. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Arc<Event>> {
        loop {
            {
                let mut waiting = locked(&self.queue.waiting);
                if let Some((event, bytes)) = waiting.events.pop_front() {
                    waiting.bytes -= bytes;
                    return Some(event);
                }
                if waiting.is_closed {
                    return None;
                }
            }
            self.queue.more.notified().await;
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

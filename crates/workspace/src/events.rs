//! The ordered stream of events, with a short memory so that a view can catch up after a break.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use openspace_protocol::{Event, Sequenced};
use tokio::sync::broadcast;

/// Events remembered for views that come back.
const REMEMBERED: usize = 4_096;
/// Events a slow listener may be behind before it has to start over.
const LISTENER_LAG: usize = 4_096;

struct Log {
    seq: u64,
    revision: u64,
    recent: VecDeque<Arc<Sequenced>>,
}

/// The stream.
pub struct Events {
    boot: String,
    log: Mutex<Log>,
    sender: broadcast::Sender<Arc<Sequenced>>,
}

/// A listener, from one exact point of the stream on.
pub struct Listener {
    /// Which run of the server this is; a view from another run starts over.
    pub boot: String,
    /// The last event before this listener.
    pub seq: u64,
    /// Events missed since the point asked for, or `None` if they are no longer known and the
    /// view needs a new snapshot.
    pub missed: Option<Vec<Arc<Sequenced>>>,
    receiver: broadcast::Receiver<Arc<Sequenced>>,
}

impl Listener {
    /// The next event; `None` when the listener fell too far behind or the server stops. Either
    /// way the view has to attach again.
    pub async fn next(&mut self) -> Option<Arc<Sequenced>> {
        self.receiver.recv().await.ok()
    }
}

impl Events {
    /// A new stream. `boot` names this run of the server, `revision` is where the state stands.
    pub fn new(boot: String, revision: u64) -> Self {
        let log = Log { seq: 0, revision, recent: VecDeque::new() };
        Self { boot, log: Mutex::new(log), sender: broadcast::Sender::new(LISTENER_LAG) }
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which run of the server this is.
    pub fn boot(&self) -> &str {
        &self.boot
    }

    /// The space's revision: counts every change of its state, across restarts.
    pub fn revision(&self) -> u64 {
        self.lock().revision
    }

    /// The number of the last event.
    pub fn seq(&self) -> u64 {
        self.lock().seq
    }

    /// Tell everybody. Events of one change share one revision.
    pub fn publish(&self, events: Vec<Event>, changes_state: bool) -> u64 {
        let mut log = self.lock();
        if changes_state {
            log.revision += 1;
        }
        let revision = log.revision;
        for event in events {
            log.seq += 1;
            let sequenced = Arc::new(Sequenced { seq: log.seq, revision, event });
            if log.recent.len() == REMEMBERED {
                log.recent.pop_front();
            }
            log.recent.push_back(Arc::clone(&sequenced));
            // An error here only means that nobody listens.
            drop(self.sender.send(sequenced));
        }
        revision
    }

    /// Listen from now on, with what was missed since `(boot, seq)`.
    pub fn listen(&self, since: Option<(&str, u64)>) -> Listener {
        let log = self.lock();
        let missed = since.and_then(|(boot, seq)| {
            let first = log.recent.front().map_or(log.seq + 1, |event| event.seq);
            let known = boot == self.boot && seq <= log.seq && seq + 1 >= first;
            known.then(|| log.recent.iter().filter(|event| event.seq > seq).cloned().collect())
        });
        let receiver = self.sender.subscribe();
        Listener { boot: self.boot.clone(), seq: log.seq, missed, receiver }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(version: u64) -> Event {
        Event::CatalogueChanged { version }
    }

    fn seqs(listener: &Listener) -> Option<Vec<u64>> {
        listener.missed.as_ref().map(|events| events.iter().map(|event| event.seq).collect())
    }

    #[tokio::test]
    async fn a_view_that_comes_back_gets_exactly_what_it_missed() {
        let events = Events::new("boot1".into(), 7);
        assert_eq!(events.publish(vec![event(1), event(2)], true), 8);
        events.publish(vec![event(3)], false);
        let mut listener = events.listen(Some(("boot1", 1)));
        assert_eq!(seqs(&listener), Some(vec![2, 3]));
        events.publish(vec![event(4)], true);
        let next = listener.next().await.unwrap();
        assert_eq!(*next, Sequenced { seq: 4, revision: 9, event: event(4) });
    }

    #[test]
    fn a_view_of_another_run_or_from_too_long_ago_starts_over() {
        let events = Events::new("boot2".into(), 0);
        for version in 0..5_000 {
            events.publish(vec![event(version)], true);
        }
        assert_eq!(seqs(&events.listen(Some(("boot1", 4_990)))), None);
        assert_eq!(seqs(&events.listen(Some(("boot2", 10)))), None);
        assert_eq!(seqs(&events.listen(Some(("boot2", 9_999)))), None, "from the future");
        assert_eq!(seqs(&events.listen(Some(("boot2", 4_998)))), Some(vec![4_999, 5_000]));
        assert_eq!(seqs(&events.listen(Some(("boot2", 5_000)))), Some(vec![]));
        assert_eq!(seqs(&events.listen(None)), None);
    }
}

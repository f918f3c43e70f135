//! The ordered stream of events, with a memory of bounded size for views that fall behind.
//!
//! An event is made into text once; every listener sends that text. Nobody's slowness costs more
//! than the memory of the stream: who is further behind than that starts over with a snapshot.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_protocol::{Event, Patch, Sequenced};
use tokio::{sync::watch, time::Instant};

use crate::part::Part;

/// Bytes of events remembered for views that come back or are slow.
const REMEMBERED: usize = 16 * 1024 * 1024;
/// How long news are gathered after some were given: a burst goes out together, and many listeners do
/// not hold up whoever makes the news.
const GATHER: Duration = Duration::from_millis(5);
/// What an event costs beside its text.
const OVERHEAD: usize = 128;

/// What an event is about, for whoever does not need to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The state changed.
    Changed {
        /// The parts that changed.
        parts: Vec<&'static str>,
        /// Whether one of them matters to agents that follow the state.
        announced: bool,
    },
    /// Commands were added or removed.
    Catalogue,
    /// Something else that is not state.
    Other,
}

/// One event, ready to be sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// Counts from 1 since the server started, without gaps.
    pub seq: u64,
    /// What it is about.
    pub news: News,
    /// The event as JSON.
    pub text: Arc<str>,
}

impl Told {
    /// Whether it says that a part changed.
    pub fn changed<P: Part>(&self) -> bool {
        matches!(&self.news, News::Changed { parts, .. } if parts.contains(&P::NAME))
    }

    /// What it says of a part, if it changed.
    pub fn patch<P: Part>(&self) -> Option<Patch> {
        if !self.changed::<P>() {
            return None;
        }
        match self.read().ok()?.event {
            Event::Changed { mut patches } => patches.remove(P::NAME),
            _ => None,
        }
    }

    /// The event, read from its text.
    pub fn read(&self) -> Result<Sequenced, serde_json::Error> {
        serde_json::from_str(&self.text)
    }
}

struct Log {
    seq: u64,
    revision: u64,
    recent: VecDeque<Arc<Told>>,
    bytes: usize,
}

impl Log {
    /// The number of the oldest event that is remembered, or of the next one.
    fn first(&self) -> u64 {
        self.recent.front().map_or(self.seq + 1, |event| event.seq)
    }

    /// What came after an event; `None` if some of it is forgotten.
    fn after(&self, seq: u64) -> Option<impl Iterator<Item = &Arc<Told>>> {
        let first = self.first();
        // The number comes from a view, which may say anything.
        let next = seq.saturating_add(1);
        let known = seq <= self.seq && next >= first;
        let skipped = usize::try_from(next.saturating_sub(first)).unwrap_or(usize::MAX);
        known.then(|| self.recent.iter().skip(skipped))
    }
}

struct Inner {
    boot: String,
    log: Mutex<Log>,
    latest: watch::Sender<u64>,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream.
pub struct Events(Arc<Inner>);

/// A listener, from one exact point of the stream on.
pub struct Listener {
    /// Which run of the server this is; a view from another run starts over.
    pub boot: String,
    /// The last event before the next one.
    pub seq: u64,
    inner: Arc<Inner>,
    latest: watch::Receiver<u64>,
    /// When news were gathered last.
    given: Option<Instant>,
}

impl Listener {
    /// The next event; `None` when the listener fell too far behind or the server stops. Either
    /// way the view has to attach again.
    pub async fn next(&mut self) -> Option<Arc<Told>> {
        self.next_some(1).await?.pop()
    }

    /// The next events that are there already, or the next one; at most `most`.
    pub async fn next_some(&mut self, most: usize) -> Option<Vec<Arc<Told>>> {
        let seen = self.seq;
        self.latest.wait_for(|latest| *latest > seen).await.ok()?;
        let events: Vec<Arc<Told>> = self.inner.lock().after(seen)?.take(most).cloned().collect();
        self.seq = events.last()?.seq;
        Some(events)
    }

    /// The same for many listeners: at once when there was nothing for a while, and then what came
    /// meanwhile in one piece. Losing the future loses nothing.
    pub async fn next_gathered(&mut self, most: usize) -> Option<Vec<Arc<Told>>> {
        if let Some(given) = self.given {
            tokio::time::sleep_until(given + GATHER).await;
        }
        let events = self.next_some(most).await?;
        self.given = Some(Instant::now());
        Some(events)
    }

    /// What is there already.
    pub fn now(&mut self) -> Option<Vec<Arc<Told>>> {
        let events: Vec<Arc<Told>> = self.inner.lock().after(self.seq)?.cloned().collect();
        self.seq = events.last().map_or(self.seq, |event| event.seq);
        Some(events)
    }
}

impl Events {
    /// A new stream. `boot` names this run of the server, `revision` is where the state stands.
    pub fn new(boot: String, revision: u64) -> Self {
        let log = Log { seq: 0, revision, recent: VecDeque::new(), bytes: 0 };
        Self(Arc::new(Inner { boot, log: Mutex::new(log), latest: watch::Sender::new(0) }))
    }

    /// Which run of the server this is.
    pub fn boot(&self) -> &str {
        &self.0.boot
    }

    /// The space's revision: counts every change of its state, across restarts.
    pub fn revision(&self) -> u64 {
        self.0.lock().revision
    }

    /// The number of the last event.
    pub fn seq(&self) -> u64 {
        self.0.lock().seq
    }

    /// Tell everybody; the revision after it. What nobody is told makes no revision, so that a view
    /// always knows the one that it has.
    pub(crate) fn publish(&self, event: Option<(Event, News)>, changes_state: bool) -> u64 {
        let mut log = self.0.lock();
        let Some((event, news)) = event else { return log.revision };
        log.revision += u64::from(changes_state);
        let revision = log.revision;
        log.seq += 1;
        let seq = log.seq;
        match serde_json::to_string(&Sequenced { seq, revision, event }) {
            Ok(text) => {
                log.bytes += text.len() + OVERHEAD;
                log.recent.push_back(Arc::new(Told { seq, news, text: text.into() }));
            }
            // Everybody finds it missing and starts over with the truth.
            Err(error) => {
                tracing::error!(%error, "an event cannot be written");
                log.recent.clear();
                log.bytes = 0;
            }
        }
        while log.bytes > REMEMBERED
            && let Some(oldest) = log.recent.pop_front()
        {
            log.bytes -= oldest.text.len() + OVERHEAD;
        }
        drop(log);
        // An error here only means that nobody listens.
        self.0.latest.send_replace(seq);
        revision
    }

    /// Listen from now on.
    pub fn listen(&self) -> Listener {
        let seq = self.seq();
        self.listener(seq)
    }

    /// Listen from after an event; `None` if what came since is no longer known.
    pub fn resume(&self, boot: &str, seq: u64) -> Option<Listener> {
        let known = boot == self.0.boot && self.0.lock().after(seq).is_some();
        known.then(|| self.listener(seq))
    }

    fn listener(&self, seq: u64) -> Listener {
        let inner = Arc::clone(&self.0);
        Listener {
            boot: self.0.boot.clone(),
            seq,
            latest: inner.latest.subscribe(),
            inner,
            given: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publish(events: &Events, version: u64, changes: bool) -> u64 {
        events.publish(Some((Event::CatalogueChanged { version }, News::Catalogue)), changes)
    }

    fn seqs(listener: Option<Listener>) -> Option<Vec<u64>> {
        let told = listener.and_then(|mut listener| listener.now());
        told.map(|events| events.iter().map(|event| event.seq).collect())
    }

    #[tokio::test]
    async fn a_view_that_comes_back_gets_exactly_what_it_missed() {
        let events = Events::new("boot1".into(), 7);
        publish(&events, 1, true);
        assert_eq!(publish(&events, 2, true), 9);
        publish(&events, 3, false);
        let mut listener = events.resume("boot1", 1).unwrap();
        assert_eq!(listener.next_some(9).await.unwrap().len(), 2);
        publish(&events, 4, true);
        let next = listener.next().await.unwrap();
        let event = Event::CatalogueChanged { version: 4 };
        assert_eq!(next.read().unwrap(), Sequenced { seq: 4, revision: 10, event });
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_given_together_and_what_comes_alone_at_once() {
        let events = Events::new("boot".into(), 0);
        let mut listener = events.listen();
        let start = Instant::now();
        publish(&events, 1, true);
        assert_eq!(listener.next_gathered(9).await.unwrap().len(), 1);
        assert_eq!(start.elapsed(), Duration::ZERO);
        publish(&events, 2, true);
        publish(&events, 3, true);
        assert_eq!(listener.next_gathered(9).await.unwrap().len(), 2);
        assert_eq!(start.elapsed(), GATHER);
    }

    #[test]
    fn a_view_of_another_run_or_from_too_long_ago_starts_over() {
        let events = Events::new("boot2".into(), 0);
        let name = "x".repeat(REMEMBERED / 4);
        for _ in 0..10 {
            let event = Event::UserDataChanged { name: name.clone() };
            events.publish(Some((event, News::Other)), true);
        }
        assert_eq!(seqs(events.resume("boot1", 9)), None);
        assert_eq!(seqs(events.resume("boot2", 3)), None, "forgotten");
        assert_eq!(seqs(events.resume("boot2", 99)), None, "from the future");
        assert_eq!(seqs(events.resume("boot2", u64::MAX)), None, "from nowhere");
        assert_eq!(seqs(events.resume("boot2", 8)), Some(vec![9, 10]));
        assert_eq!(seqs(events.resume("boot2", 10)), Some(vec![]));
    }

    #[tokio::test]
    async fn a_listener_that_falls_too_far_behind_is_told_so() {
        let events = Events::new("boot1".into(), 0);
        let mut slow = events.listen();
        let name = "x".repeat(REMEMBERED);
        publish(&events, 1, true);
        events.publish(Some((Event::UserDataChanged { name }, News::Other)), false);
        assert_eq!(slow.next().await, None);
        let mut later = events.listen();
        publish(&events, 2, true);
        assert_eq!(later.next().await.unwrap().seq, 3);
    }
}

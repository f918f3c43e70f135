//! Sessions of the era that has them, no more than can be kept.
//!
//! A client that goes without a word leaves its session behind, and every new start of it begins
//! another one. One that nobody used for a while ends, and when there are too many, those that were used
//! longest ago go first; one with an open stream stays. A client whose session is gone is told so by the
//! transport and begins a new one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{Stream, StreamExt};
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        WorkerTransport,
        common::server_side_http::ServerSseMessage,
        streamable_http_server::session::{
            SessionId, SessionManager,
            local::{LocalSessionManager, LocalSessionManagerError, LocalSessionWorker},
        },
    },
};
use tokio::time::Instant;

/// How often it is looked for those.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// Sessions that are kept while nobody listens on them.
pub(super) const MOST_SESSIONS: usize = 200;

/// When a session was used last, by the number of uses.
struct Use {
    at: u64,
    /// When it was last seen in use.
    seen: Instant,
    /// Each open stream has a copy.
    streams: Arc<()>,
}

#[derive(Default)]
struct Uses {
    last: u64,
    sessions: HashMap<SessionId, Use>,
}

impl Uses {
    fn note(&mut self, id: &SessionId, seen: Instant) -> Arc<()> {
        self.last += 1;
        let at = self.last;
        let noted = self.sessions.entry(Arc::clone(id));
        let noted = noted.or_insert_with(|| Use { at, seen, streams: Arc::default() });
        (noted.at, noted.seen) = (at, seen);
        Arc::clone(&noted.streams)
    }

    /// Those that nobody has used for too long. A stream that is open now is a use.
    fn idle(&mut self, now: Instant, patience: Duration) -> Vec<SessionId> {
        let mut idle = Vec::new();
        self.sessions.retain(|id, used| {
            if Arc::strong_count(&used.streams) > 1 {
                used.seen = now;
            }
            let stays = now.duration_since(used.seen) < patience;
            if !stays {
                idle.push(Arc::clone(id));
            }
            stays
        });
        idle
    }

    /// The session that is missed least, when there are too many; never the one that just began.
    fn superfluous(&mut self, newest: &SessionId) -> Option<SessionId> {
        if self.sessions.len() <= MOST_SESSIONS {
            return None;
        }
        let idle = self
            .sessions
            .iter()
            .filter(|(id, used)| *id != newest && Arc::strong_count(&used.streams) == 1);
        let oldest = idle.min_by_key(|(_, used)| used.at).map(|(id, _)| Arc::clone(id))?;
        self.sessions.remove(&oldest);
        Some(oldest)
    }
}

/// The library's sessions, with a bound.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    uses: Mutex<Uses>,
}

impl Sessions {
    /// Sessions that end when nobody listens on them and nothing ran in them for so long, as long as
    /// these are held.
    pub(super) fn start(inner: LocalSessionManager, idle: Option<Duration>) -> Arc<Self> {
        Self::start_with(inner, idle.unwrap_or(Duration::MAX), LOOK_EVERY)
    }

    /// End a session, if it has not ended: its client begins a new one or is gone.
    pub(super) async fn end_if_there(&self, id: &str) {
        let id: SessionId = id.into();
        if matches!(self.inner.has_session(&id).await, Ok(true)) {
            self.uses().sessions.remove(&id);
            self.end(&id).await;
        }
    }

    fn start_with(
        inner: LocalSessionManager,
        patience: Duration,
        look_every: Duration,
    ) -> Arc<Self> {
        let sessions = Arc::new(Self { inner, uses: Mutex::default() });
        let held = Arc::downgrade(&sessions);
        tokio::spawn(async move {
            let mut every = tokio::time::interval(look_every);
            loop {
                every.tick().await;
                let Some(sessions) = held.upgrade() else { return };
                let idle = sessions.uses().idle(Instant::now(), patience);
                for id in idle {
                    sessions.end(&id).await;
                }
            }
        });
        sessions
    }

    async fn end(&self, id: &SessionId) {
        if let Err(error) = self.inner.close_session(id).await {
            tracing::warn!(%error, "a session that nobody uses did not end");
        }
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stream, on which somebody listens as long as it is there.
    fn held<S: Stream + Send + Sync + 'static>(
        &self,
        id: &SessionId,
        stream: S,
    ) -> impl Stream<Item = S::Item> + Send + Sync + 'static {
        let listened = self.uses().note(id, Instant::now());
        stream.map(move |message| {
            let _ = &listened;
            message
        })
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let created = self.inner.create_session().await?;
        drop(self.uses().note(&created.0, Instant::now()));
        loop {
            let superfluous = self.uses().superfluous(&created.0);
            let Some(id) = superfluous else { break };
            self.end(&id).await;
        }
        Ok(created)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        let has = self.inner.has_session(id).await?;
        if has {
            drop(self.uses().note(id, Instant::now()));
        }
        Ok(has)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.uses().sessions.remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.inner.create_stream(id, message).await?;
        Ok(self.held(id, stream))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.inner.create_standalone_stream(id).await?;
        Ok(self.held(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.inner.resume(id, last_event_id).await?;
        Ok(self.held(id, stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a session is kept on which nobody listens and nothing runs.
    const IDLE: Duration = Duration::from_mins(30);

    #[test]
    fn a_session_ends_when_nobody_used_it_for_a_while_unless_somebody_listens() {
        let none = Vec::<SessionId>::new();
        let (mut uses, start) = (Uses::default(), Instant::now());
        let ids: [SessionId; 3] = ["left", "used", "listened"].map(Into::into);
        let [_, _, stream] = ids.each_ref().map(|id| uses.note(id, start));
        let later = start + IDLE / 2;
        drop(uses.note(&ids[1], later));
        assert_eq!(uses.idle(start + IDLE - Duration::from_secs(1), IDLE), none);
        assert_eq!(uses.idle(start + IDLE, IDLE), [Arc::clone(&ids[0])]);
        assert_eq!(uses.idle(later + IDLE, IDLE), [Arc::clone(&ids[1])]);
        let much_later = start + 20 * IDLE;
        assert_eq!(uses.idle(much_later, IDLE), none);
        drop(stream);
        assert_eq!(uses.idle(much_later + IDLE, IDLE), [Arc::clone(&ids[2])]);
    }

    #[tokio::test]
    async fn a_client_that_comes_back_too_late_finds_its_session_gone() {
        let short = Duration::from_millis(5);
        let sessions = Sessions::start_with(LocalSessionManager::default(), short, short);
        let (id, _transport) = sessions.create_session().await.unwrap();
        // Asking is a use, so it is asked behind the back of who counts uses.
        while sessions.inner.has_session(&id).await.unwrap() {
            tokio::time::sleep(short).await;
        }
        assert!(!sessions.has_session(&id).await.unwrap());
    }
}

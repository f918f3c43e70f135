//! Sessions of the era that has them, no more than can be kept.
//!
//! A client that goes without a word leaves its session behind, and every new start of it begins
//! another one. When there are too many, those that were used longest ago go first; one with an open
//! stream stays. A client whose session is gone is told so by the transport and begins a new one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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

/// Sessions that are kept while nobody listens on them.
pub(super) const MOST_SESSIONS: usize = 200;

/// When a session was used last, by the number of uses.
struct Use {
    at: u64,
    /// Each open stream has a copy.
    streams: Arc<()>,
}

#[derive(Default)]
struct Uses {
    last: u64,
    sessions: HashMap<SessionId, Use>,
}

impl Uses {
    fn note(&mut self, id: &SessionId) -> Arc<()> {
        self.last += 1;
        let at = self.last;
        let noted = self.sessions.entry(Arc::clone(id));
        let noted = noted.or_insert_with(|| Use { at, streams: Arc::default() });
        noted.at = at;
        Arc::clone(&noted.streams)
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
    pub(super) fn new(inner: LocalSessionManager) -> Self {
        Self { inner, uses: Mutex::default() }
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
        let listened = self.uses().note(id);
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
        drop(self.uses().note(&created.0));
        loop {
            let superfluous = self.uses().superfluous(&created.0);
            let Some(id) = superfluous else { break };
            if let Err(error) = self.inner.close_session(&id).await {
                tracing::warn!(%error, "a session that nobody uses did not end");
            }
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
            drop(self.uses().note(id));
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

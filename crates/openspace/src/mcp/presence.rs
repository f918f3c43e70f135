//! Whether the client of a legacy session over HTTP is still there: while a request of it or a stream
//! to it is open, and for a while after.
//!
//! The library keeps the session of a client that vanished for hours and tells nobody which streams
//! are open. So requests are followed here, around it, by the id of the session that they name.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{
        HeaderMap,
        header::{CONTENT_TYPE, HeaderName},
    },
    middleware::Next,
    response::Response,
};
use http_body_util::BodyExt as _;
use openspace_workspace::agents::{Session, Stream};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// What ties the requests of one session to the agent. It comes with the request that begins the
/// session, and lasts as long as the session keeps it.
#[derive(Clone, Default)]
pub(super) struct Line(Arc<OnceLock<Session>>);

impl Line {
    /// The session that began. A line has one.
    pub(super) fn begin(&self, session: Session) {
        // A second one is of a client that begins twice: it ends at once.
        drop(self.0.set(session));
    }

    /// Cancelled when the session is over, or is to be.
    fn over(&self) -> Option<CancellationToken> {
        self.0.get().map(Session::over)
    }

    /// Something is open on the line.
    pub(super) fn stream(&self) -> Option<Stream> {
        self.0.get()?.stream()
    }
}

/// The lines of sessions that are alive, by the id that the library gave them.
#[derive(Default)]
pub(super) struct Lines(Mutex<HashMap<String, Weak<OnceLock<Session>>>>);

impl Lines {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Weak<OnceLock<Session>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, id: String, line: &Line) {
        let mut lines = self.lock();
        // There are as many as the library has sessions.
        lines.retain(|_, line| line.strong_count() > 0);
        lines.insert(id, Arc::downgrade(&line.0));
    }

    fn find(&self, id: &str) -> Option<Line> {
        self.lock().get(id).and_then(Weak::upgrade).map(Line)
    }
}

fn session_id(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned)
}

/// Ends the session of an id.
pub(super) type End = Arc<dyn Fn(String) + Send + Sync>;

/// What requests are followed with.
#[derive(Clone)]
pub(super) struct Following {
    pub(super) lines: Arc<Lines>,
    pub(super) end: End,
}

/// Follow a request: its client is there until the answer has been sent or nobody takes it.
pub(super) async fn follow(
    State(Following { lines, end }): State<Following>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(id) = session_id(request.headers()) else {
        let line = Line::default();
        request.extensions_mut().insert(line.clone());
        let response = next.run(request).await;
        if let Some(id) = session_id(response.headers()) {
            lines.put(id.clone(), &line);
            // A person who disconnects the agent ends its session here, where the library has it.
            if let Some(over) = line.over() {
                tokio::spawn(async move {
                    over.cancelled().await;
                    end(id);
                });
            }
        }
        return response;
    };
    let stream = lines.find(&id).and_then(|line| line.stream());
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != "text/event-stream") {
        return response;
    }
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _open = &stream;
            frame
        }))
    })
}

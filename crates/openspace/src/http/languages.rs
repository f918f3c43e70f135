//! `GET /api/languages`: language servers for pages, over a WebSocket; and `GET /api/languages/source`: the text of a file
//! elsewhere that one of them named.
//!
//! Messages are JSON texts, declared in `areas/code/pages.rs`. What a page asks is no command: looking is not doing. A page
//! that does not keep up is let go and attaches again.

use std::sync::Arc;

use axum::{
    extract::{
        Query, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures::{SinkExt, StreamExt};
use openspace_command::Error;
use openspace_workspace::{
    Dispatcher, OpenSpace,
    areas::code::{page_session, sources},
};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::http::{Edge, refusal};

/// The largest message of a page: an item with what its server put into it.
const MAX_MESSAGE: usize = 4 * 1024 * 1024;

/// Attach a page.
pub async fn socket(State(edge): State<Edge>, upgrade: WebSocketUpgrade) -> Response {
    let state = Arc::clone(edge.dispatcher.state());
    let stop = edge.stop.clone();
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(move |socket| serve(socket, state, stop))
}

async fn serve(socket: WebSocket, state: Arc<OpenSpace>, stop: CancellationToken) {
    let (mut to_page, mut from_page) = socket.split();
    let (session, mut inbox) = page_session::join(&state).await;
    let let_go = inbox.let_go();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            text = inbox.next() => {
                let Some(text) = text else { break };
                // A page that takes nothing in must not be waited for when it is let go.
                tokio::select! {
                    sent = to_page.send(Message::text(&*text)) => if sent.is_err() { return },
                    () = let_go.cancelled() => return,
                    () = stop.cancelled() => return,
                }
            }
            received = from_page.next() => match received {
                Some(Ok(Message::Text(text))) => session.take(&text),
                Some(Ok(Message::Binary(_))) => {
                    session.refuse(&Error::invalid("messages are JSON texts"));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
        }
    }
    // If the other side is gone already, that is all the same.
    drop(to_page.send(Message::Close(None)).await);
}

/// Which file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Its absolute path in the place where language servers run.
    path: String,
}

/// The text of a file elsewhere that a language server named.
pub async fn source(
    State(dispatcher): State<Dispatcher>,
    Query(wanted): Query<Wanted>,
) -> Response {
    match sources::read(dispatcher.state(), &wanted.path).await {
        Ok(text) => ([(CONTENT_TYPE, "application/octet-stream")], text).into_response(),
        Err(error) => refusal(&error),
    }
}

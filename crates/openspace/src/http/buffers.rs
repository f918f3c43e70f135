//! `GET /api/buffers`: unsaved text, shared between browsers and with agents, over a WebSocket.
//!
//! Messages are JSON texts. What was typed is not a command: who saved or discarded it is on
//! record, not the typing. A page that does not keep up is let go and attaches again.

use axum::{
    extract::{
        State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::Response,
};
use futures::{SinkExt, StreamExt};
use openspace_buffers::{
    Buffers,
    pages::{FromPage, ToPage},
    sessions::PageSession,
};
use openspace_command::Error;
use tokio_util::sync::CancellationToken;

use crate::http::Edge;

/// The largest message of a page: base and text of a large file fit.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// Attach a page.
pub async fn socket(State(edge): State<Edge>, upgrade: WebSocketUpgrade) -> Response {
    let buffers = edge.dispatcher.state().buffers().clone();
    let stop = edge.stop.clone();
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(move |socket| serve(socket, buffers, stop))
}

async fn serve(socket: WebSocket, buffers: Buffers, stop: CancellationToken) {
    let (mut to_page, mut from_page) = socket.split();
    let (session, mut inbox) = buffers.join();
    let let_go = inbox.let_go();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            message = inbox.next() => {
                let Some(message) = message else { break };
                let Some(message) = text(&message) else { break };
                // A page that takes nothing in must not be waited for when it is let go.
                tokio::select! {
                    sent = to_page.send(message) => if sent.is_err() { return },
                    () = let_go.cancelled() => return,
                    () = stop.cancelled() => return,
                }
            }
            // What a page asks for one file is done in its order; files do not wait for each other.
            received = from_page.next() => match received {
                Some(Ok(Message::Text(text))) => take(&buffers, &session, &text).await,
                Some(Ok(Message::Binary(_))) => {
                    buffers.refuse(&session, &Error::invalid("messages are JSON texts"));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
        }
    }
    // If the other side is gone already, that is all the same.
    drop(to_page.send(Message::Close(None)).await);
}

fn text(message: &ToPage) -> Option<Message> {
    match serde_json::to_string(message) {
        Ok(text) => Some(Message::text(text)),
        Err(error) => {
            tracing::error!(%error, "a page cannot be told of a change");
            None
        }
    }
}

async fn take(buffers: &Buffers, session: &PageSession, text: &str) {
    match serde_json::from_str::<FromPage>(text) {
        Ok(message) => drop(buffers.receive(session, message).await),
        Err(error) => buffers.refuse(session, &Error::invalid(error.to_string())),
    }
}

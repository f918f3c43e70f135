//! `GET /api/terminals/{id}`: a terminal's raw bytes over a WebSocket.
//!
//! Binary messages from the server are output, the first one repaints the screen exactly. Binary
//! messages from the view are keys; a text message `{"rows", "cols"}` resizes. The message `answers`
//! says whether this view answers what programs ask: of several views one does. Bytes are not
//! commands: only who attached is on record, not what was typed.

use axum::{
    Json,
    body::Bytes,
    extract::{
        Path, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::{IntoResponse, Response},
};
use futures::{SinkExt, StreamExt};
use openspace_command::Error;
use openspace_host::{Attachment, TerminalHandle};
use openspace_terminal::{Chunk, Size};
use openspace_workspace::terminal::TerminalsPart;
use openspace_workspace::terminal::find_terminal;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{http::Edge, status::http_status};

/// Attach a view to a terminal.
pub async fn socket(
    State(edge): State<Edge>,
    Path(id): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    match live(&edge, &id) {
        Ok(terminal) => {
            let stop = edge.stop.clone();
            upgrade
                .max_message_size(1024 * 1024)
                .on_upgrade(move |socket| serve(socket, terminal, stop))
        }
        Err(error) => (http_status(error.kind), Json(error.to_value())).into_response(),
    }
}

fn live(edge: &Edge, name: &str) -> Result<TerminalHandle, Error> {
    let workspace = edge.dispatcher.state();
    let state = workspace.space().state();
    let (id, _) = find_terminal(state.part::<TerminalsPart>(), name)?;
    workspace.terminals().get(id).ok_or_else(|| {
        Error::conflict(format!("terminal {id} does not run"))
            .hint("terminal_restart starts a new shell in it")
    })
}

async fn serve(socket: WebSocket, terminal: TerminalHandle, stop: CancellationToken) {
    let (mut to_view, mut from_view) = socket.split();
    let mut attachment = terminal.attach();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            chunk = attachment.next() => {
                let Some(chunk) = chunk else { break };
                for message in messages(chunk) {
                    if to_view.send(message).await.is_err() {
                        return;
                    }
                }
            }
            received = from_view.next() => match received {
                Some(Ok(message)) => {
                    if let Some(answer) = take(&terminal, &attachment, message).await
                        && to_view.send(answer).await.is_err()
                    {
                        return;
                    }
                }
                Some(Err(_)) | None => return,
            },
        }
    }
    // If the other side is gone already, that is all the same.
    drop(to_view.send(Message::Close(None)).await);
}

fn messages(chunk: Chunk) -> Vec<Message> {
    match chunk {
        Chunk::Repaint { bytes, size } => vec![
            Message::text(
                json!({"type": "repaint", "rows": size.rows, "cols": size.cols}).to_string(),
            ),
            Message::binary(bytes),
        ],
        Chunk::Output(bytes) => vec![Message::binary(Bytes::from_owner(bytes))],
        Chunk::Answers(answers) => {
            vec![Message::text(json!({"type": "answers", "answers": answers}).to_string())]
        }
        // A repaint follows; the view need not know why.
        Chunk::Lagged => Vec::new(),
        Chunk::Resized(size) => vec![Message::text(
            json!({"type": "resized", "rows": size.rows, "cols": size.cols}).to_string(),
        )],
        Chunk::Ended(exit) => vec![Message::text(
            json!({"type": "ended", "code": exit.code, "signal": exit.signal}).to_string(),
        )],
    }
}

/// Act on what a view sent; what goes wrong is told to it.
async fn take(
    terminal: &TerminalHandle,
    attachment: &Attachment,
    message: Message,
) -> Option<Message> {
    let result = match message {
        Message::Binary(keys) => terminal.write_in(attachment, keys).await,
        Message::Text(text) => match serde_json::from_str::<Size>(&text) {
            Ok(size) => terminal.resize(size).await,
            Err(error) => {
                return Some(Message::text(
                    json!({"type": "error", "error": error.to_string()}).to_string(),
                ));
            }
        },
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return None,
    };
    let error = result.err()?;
    Some(Message::text(json!({"type": "error", "error": error.to_string()}).to_string()))
}

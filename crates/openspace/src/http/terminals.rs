//! `GET /api/terminals/{id}`: a terminal's raw bytes over a WebSocket.
//!
//! Binary messages from the server are output, the first one repaints the screen exactly. Binary
//! messages from the view are keys. What is said beside the bytes is declared in
//! `openspace_protocol::terminal`; what cannot be read as that is answered with an error. Bytes are not
//! commands: what is typed here is on no record.

use axum::{
    body::Bytes,
    extract::{
        Path, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::Response,
};
use futures::{SinkExt, StreamExt};
use openspace_command::{Error, Result};
use openspace_host::TerminalHandle;
use openspace_protocol::{FromTerminalView, ToTerminalView};
use openspace_terminal::{Chunk, Exit, Size};
use openspace_workspace::{
    areas::terminal::{Terminals, TerminalsPart, find_terminal},
    refusal::refused,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::http::{Edge, refusal};

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
        Err(error) => refusal(&error),
    }
}

fn live(edge: &Edge, name: &str) -> Result<TerminalHandle> {
    let workspace = edge.dispatcher.state();
    let state = workspace.space().state();
    let (id, _) = find_terminal(state.part::<TerminalsPart>(), name)?;
    workspace.service::<Terminals>().get(id).ok_or_else(|| {
        Error::conflict(format!("terminal {id} does not run"))
            .hint("terminal_restart starts a new shell in it")
    })
}

/// Answers to what a view sent that wait to be sent; whoever sends more nonsense waits.
const ANSWERS: usize = 16;

async fn serve(socket: WebSocket, terminal: TerminalHandle, stop: CancellationToken) {
    let (mut to_view, mut from_view) = socket.split();
    let mut attachment = terminal.attach();
    let view = attachment.view();
    let (answer, mut answers) = tokio::sync::mpsc::channel(ANSWERS);
    // A program that does not read holds up what is typed to it, but not what it prints.
    let listening = async {
        while let Some(Ok(message)) = from_view.next().await {
            for message in take(&terminal, view, message).await {
                // The receiver lives as long as this.
                drop(answer.send(message).await);
            }
        }
    };
    let telling = async {
        loop {
            let messages = tokio::select! {
                () = stop.cancelled() => break,
                chunk = attachment.next() => match chunk {
                    Some(chunk) => messages(chunk),
                    None => break,
                },
                Some(answer) = answers.recv() => vec![answer],
            };
            for message in messages {
                if to_view.send(message).await.is_err() {
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = listening => return,
        () = telling => {}
    }
    // If the other side is gone already, that is all the same.
    drop(to_view.send(Message::Close(None)).await);
}

fn messages(chunk: Chunk) -> Vec<Message> {
    match chunk {
        Chunk::Repaint { bytes, size: Size { rows, cols } } => {
            let mut messages = text(&ToTerminalView::Repaint { rows, cols });
            messages.push(Message::binary(bytes));
            messages
        }
        Chunk::Output(bytes) => vec![Message::binary(Bytes::from_owner(bytes))],
        Chunk::Answers(answers) => text(&ToTerminalView::Answers { answers }),
        // A repaint follows; the view need not know why.
        Chunk::Lagged => Vec::new(),
        Chunk::Resized(Size { rows, cols }) => text(&ToTerminalView::Resized { rows, cols }),
        Chunk::Ended(Exit { code, signal }) => text(&ToTerminalView::Ended { code, signal }),
    }
}

/// The one message.
fn text(message: &ToTerminalView) -> Vec<Message> {
    vec![Message::text(json!(message).to_string())]
}

/// Act on what a view sent; what goes wrong is told to it.
async fn take(terminal: &TerminalHandle, view: u64, message: Message) -> Vec<Message> {
    let done = match message {
        Message::Binary(keys) => terminal.write_in(view, keys).await.map_err(refused),
        Message::Text(text) => obey(terminal, &text).await,
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => Ok(()),
    };
    match done {
        Ok(()) => Vec::new(),
        Err(Error { message: error, kind, hint, .. }) => {
            text(&ToTerminalView::Error { error, kind, hint })
        }
    }
}

async fn obey(terminal: &TerminalHandle, text: &str) -> Result<()> {
    let said = serde_json::from_str(text).map_err(|error| {
        Error::invalid(format!("the message is not understood: {error}"))
            .hint("keys are binary messages; a text is {\"type\": \"resize\", \"rows\": 24, \"cols\": 80}")
    })?;
    match said {
        FromTerminalView::Resize { rows, cols } => {
            terminal.resize(Size { rows, cols }).await.map_err(refused)
        }
    }
}

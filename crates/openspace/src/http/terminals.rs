//! `GET /api/terminals/{id}`: a terminal's raw bytes over a WebSocket.
//!
//! Binary messages from the server are output, the first one repaints the screen exactly. Binary
//! messages from the view are keys. What is said beside the bytes is declared in
//! `openspace_protocol::terminal`; what cannot be read as that is answered with an error. Bytes are not
//! commands: what is typed here is on no record. But no agent types here, so an agent's terminal that
//! somebody types into is theirs too from then on, and that is noted.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{
        Path, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::Response,
};
use futures::{SinkExt, StreamExt};
use openspace_command::{CallerKind, Error, Result};
use openspace_host::TerminalHandle;
use openspace_protocol::{FromTerminalView, TerminalId, ToTerminalView};
use openspace_space::Space;
use openspace_terminal::{Chunk, Exit, Size};
use openspace_workspace::{
    agents::brought,
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
        Ok((id, terminal)) => {
            let stop = edge.stop.clone();
            let space = Arc::clone(edge.dispatcher.state().space());
            let terminals = edge.dispatcher.state().service::<Terminals>();
            let typing = Typing { space, terminals, id };
            upgrade
                .max_message_size(1024 * 1024)
                .on_upgrade(move |socket| serve(socket, terminal, typing, stop))
        }
        Err(error) => refusal(&error),
    }
}

fn live(edge: &Edge, name: &str) -> Result<(TerminalId, TerminalHandle)> {
    let workspace = edge.dispatcher.state();
    let state = workspace.space().state();
    let (id, _) = find_terminal(state.part::<TerminalsPart>(), name)?;
    let terminal = workspace.service::<Terminals>().get(id).ok_or_else(|| {
        Error::conflict(format!("terminal {id} does not run"))
            .hint("terminal_restart starts a new shell in it")
    })?;
    Ok((id, terminal))
}

/// Somebody who types here.
struct Typing {
    space: Arc<Space>,
    terminals: Arc<Terminals>,
    id: TerminalId,
}

/// Whether somebody typed, or a screen only answered what its program asked or told of the mouse.
fn is_typed(mut keys: &[u8]) -> bool {
    while !keys.is_empty() {
        match report(keys) {
            Some(length) => keys = &keys[length..],
            None => return true,
        }
    }
    false
}

/// How long the report is that these bytes begin with.
fn report(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"\x1b")?;
    match rest.first()? {
        b'[' => {
            let inner = &rest[1..];
            let end = inner.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let (parameters, last) = (&inner[..end], inner[end]);
            let length = 2 + end + 1;
            match (last, parameters) {
                (b'c' | b'n' | b'R' | b't' | b'x' | b'y', _)
                | (b'I' | b'O', [])
                | (b'u', [b'?', ..])
                | (b'M' | b'm', [b'<', ..]) => Some(length),
                // The mouse in its oldest form: three bytes follow.
                (b'M', []) if bytes.len() >= length + 3 => Some(length + 3),
                _ => None,
            }
        }
        b']' | b'P' | b'_' => {
            let is_end = |at: &usize| rest[*at] == 0x07 || rest[*at..].starts_with(b"\x1b\\");
            let end = (1..rest.len()).find(is_end)?;
            Some(1 + end + if rest[end] == 0x07 { 1 } else { 2 })
        }
        _ => None,
    }
}

/// Answers to what a view sent that wait to be sent; whoever sends more nonsense waits.
const ANSWERS: usize = 16;

async fn serve(
    socket: WebSocket,
    terminal: TerminalHandle,
    typing: Typing,
    stop: CancellationToken,
) {
    let (mut to_view, mut from_view) = socket.split();
    let mut has_typed = false;
    let mut attachment = terminal.attach();
    let view = attachment.view();
    let (answer, mut answers) = tokio::sync::mpsc::channel(ANSWERS);
    // A program that does not read holds up what is typed to it, but not what it prints.
    let listening = async {
        while let Some(Ok(message)) = from_view.next().await {
            if let Message::Binary(keys) = &message
                && is_typed(keys)
            {
                if !std::mem::replace(&mut has_typed, true) {
                    brought::typed_into(&typing.space, typing.id);
                }
                typing.terminals.typed_by(typing.id, CallerKind::Person, keys);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_screen_answers_by_itself_is_not_typed() {
        let by_itself: [&[u8]; 12] = [
            b"",
            b"\x1b[?1;2c",
            b"\x1b[>0;276;0c",
            b"\x1b[12;40R",
            b"\x1b[0n",
            b"\x1b[?2026;2$y",
            b"\x1b[?1u",
            b"\x1b[I\x1b[O",
            b"\x1b]11;rgb:1e/1e/1e\x1b\\",
            b"\x1bP1$r0m\x1b\\",
            b"\x1b[<35;10;4M",
            b"\x1b[M !!",
        ];
        for bytes in by_itself {
            assert!(!is_typed(bytes), "{bytes:?}");
        }
        let typed: [&[u8]; 10] = [
            b"l",
            b"ls\r",
            b"\r",
            b"\x03",
            b"\x1b",
            b"\x1b[A",
            b"\x1bOP",
            b"\x1b[?1;2cl",
            b"\x1b[200~x\x1b[201~",
            b"\x1b[13;2u",
        ];
        for bytes in typed {
            assert!(is_typed(bytes), "{bytes:?}");
        }
    }
}

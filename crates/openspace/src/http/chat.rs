//! `GET /api/v1/chat`: what happens in conversations with agents, over a WebSocket; and `GET /api/v1/chat/lines`: the same
//! of one session, as a line of JSON for each message.
//!
//! A page says which sessions it follows and nothing else: what is said to an agent is a command, on record. What a page
//! is told is declared in `areas/chat/pages.rs`.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    extract::{
        Query, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures::{SinkExt, StreamExt, stream};
use openspace_command::{Error, Result};
use openspace_workspace::{
    OpenSpace,
    areas::chat::{
        Chats, SessionAddress,
        address::address,
        pages::{FromChatPage, MOST_FOLLOWED, Next, Page, ToChatPage},
    },
};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::http::{Edge, refusal};

/// The largest message of a page: a list of sessions.
const MAX_MESSAGE: usize = 128 * 1024;

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
    let chats = Chats::of(&state);
    let page = Arc::new(chats.join());
    chats.welcome(&state, &page).await;
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            next = next(&chats, &state, &page) => {
                let Some(text) = next else { break };
                // A page that takes nothing in must not be waited for when the server stops.
                tokio::select! {
                    sent = to_page.send(Message::text(&*text)) => if sent.is_err() { return },
                    () = stop.cancelled() => return,
                }
            }
            received = from_page.next() => match received {
                Some(Ok(Message::Text(text))) => {
                    if let Err(error) = take(&chats, &page, &text) {
                        page.tell(&ToChatPage::failure(&error));
                    }
                }
                Some(Ok(Message::Binary(_))) => {
                    page.tell(&ToChatPage::failure(&Error::invalid("messages are JSON texts")));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
        }
    }
    // If the other side is gone already, that is all the same.
    drop(to_page.send(Message::Close(None)).await);
}

/// The next message for a page, after it was told anew how everything is if it had to be.
async fn next(chats: &Chats, state: &Arc<OpenSpace>, page: &Arc<Page>) -> Option<Arc<str>> {
    loop {
        match page.next().await? {
            Next::Text(text) => return Some(text),
            Next::Lost => {
                chats.tell_gap(page, "more happened than could be kept until it was read");
                chats.welcome(state, page).await;
            }
        }
    }
}

fn take(chats: &Chats, page: &Page, text: &str) -> Result<()> {
    let message = serde_json::from_str::<FromChatPage>(text);
    match message.map_err(|error| Error::invalid(error.to_string()))? {
        FromChatPage::Follow { sessions } if sessions.len() > MOST_FOLLOWED => {
            Err(Error::invalid(format!("at most {MOST_FOLLOWED} sessions are followed at once")))
        }
        FromChatPage::Follow { sessions } => {
            chats.follow(page, sessions);
            Ok(())
        }
    }
}

/// Whom to follow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The session: `AGENT/SESSION`, or its id alone for the default agent.
    session: String,
}

/// What happens in a session, a line for each message, until the client hangs up.
pub async fn lines(State(edge): State<Edge>, Query(wanted): Query<Wanted>) -> Response {
    let state = Arc::clone(edge.dispatcher.state());
    let session: SessionAddress = match address(&state, &wanted.session).await {
        Ok(session) => session,
        Err(error) => return refusal(&error),
    };
    let chats = Chats::of(&state);
    let page = Arc::new(chats.join());
    // First, so that nothing is missed of what the client does when it hears that it follows.
    chats.follow(&page, vec![session]);
    chats.welcome(&state, &page).await;
    let lines = stream::unfold((chats, state, page), |(chats, state, page)| async {
        let text = next(&chats, &state, &page).await?;
        Some((Ok::<_, Infallible>(format!("{text}\n")), (chats, state, page)))
    });
    let lines = lines.take_until(edge.stop.cancelled_owned());
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}

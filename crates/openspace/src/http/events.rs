//! The live space over SSE and WebSocket: a snapshot, then every event in order.
//!
//! A view that was away says the last `boot` and `seq` it saw and gets what it missed, or a new
//! snapshot. The WebSocket also tells the view its id, under which it reports what it shows.

use std::{convert::Infallible, sync::Arc};

use axum::{
    Json,
    extract::{
        Query, State, WebSocketUpgrade,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
    },
    http::HeaderMap,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event as SseEvent, KeepAlive},
    },
};
use futures::{SinkExt, Stream, StreamExt, stream};
use openspace_command::Error;
use openspace_isolation::Provider;
use openspace_space::{Attached, Listener, Snapshot, Space};
use openspace_workspace::{
    areas::view::commands as view,
    workspaces::{MAIN, Walls, Workspaces},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    http::{Edge, refusal},
    state_folder::random_word,
};

/// Events that are written before they are sent together.
const MOST_AT_ONCE: usize = 256;

/// What a view is told on the socket before the events.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FirstMessage {
    /// Who it speaks with.
    Welcome {
        /// The name under which it reports what it shows.
        view_id: String,
        /// Which run of the server this is.
        boot: String,
        /// What is worked on.
        workspace: Shown,
        /// The server's version.
        version: &'static str,
        /// Why agents' programs have no walls around them; none when they have.
        unconfined: Option<Unconfined>,
        /// Built for debugging: `/api/dev/reload` tells of new pages.
        debug: bool,
    },
    /// The whole state; not told to a view that only missed some events.
    Snapshot {
        /// The state.
        snapshot: Box<Snapshot>,
    },
}

/// What is worked on, for people.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WelcomeWorkspace")]
pub struct Shown {
    /// The name of the folder.
    name: String,
    /// Its absolute path.
    folder: String,
    /// The home of the person, which paths are shown by; none when the server has none.
    home: Option<String>,
}

/// Why agents' programs have no walls around them.
#[derive(Serialize, JsonSchema)]
pub struct Unconfined {
    /// The reason.
    why: String,
    /// What can be done about it.
    hint: Option<String>,
}

impl Unconfined {
    fn of(workspaces: &Workspaces) -> Option<Self> {
        let is_sandbox =
            workspaces.record(MAIN).is_ok_and(|main| main.provider == Provider::Sandbox);
        match workspaces.walls() {
            Walls::Missing { reason, hint } if !is_sandbox => {
                Some(Self { why: reason.clone(), hint: hint.clone() })
            }
            _ => None,
        }
    }
}

/// Where a view wants to go on.
#[derive(Debug, Default, Deserialize)]
pub struct Since {
    boot: Option<String>,
    seq: Option<u64>,
}

impl Since {
    fn point(&self) -> Option<(&str, u64)> {
        Some((self.boot.as_deref()?, self.seq?))
    }
}

/// The state now.
pub async fn snapshot(State(edge): State<Edge>, Query(wanted): Query<Wanted>) -> Response {
    let mut snapshot = edge.dispatcher.state().space().snapshot();
    if let Some(parts) = &wanted.parts {
        let names: Vec<&str> = parts.split(',').collect();
        if let Some(unknown) = names.iter().find(|name| !snapshot.parts.contains_key(**name)) {
            let known: Vec<&str> = snapshot.parts.keys().map(String::as_str).collect();
            let shown: String = unknown.chars().take(100).collect();
            let error = Error::not_found(format!("the space has no part `{shown}`"))
                .hint(format!("the parts are {}", known.join(", ")));
            return refusal(&error);
        }
        snapshot.parts.retain(|name, _| names.contains(&name.as_str()));
    }
    Json(snapshot).into_response()
}

/// Which parts of the state are wanted, separated by commas; all when left out.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    parts: Option<String>,
}

/// `GET /api/events`: as server-sent events. The id of each is `boot:seq`, so that browsers resume
/// by themselves.
pub async fn stream(
    State(edge): State<Edge>,
    Query(mut since): Query<Since>,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<SseEvent, Infallible>>> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    if let Some((boot, seq)) = last.and_then(|last| last.rsplit_once(':')) {
        since = Since { boot: Some(boot.to_owned()), seq: seq.parse().ok() };
    }
    let (first, listener) = match edge.dispatcher.state().space().attach(since.point()) {
        Attached::Fresh(snapshot, listener) => {
            let id = format!("{}:{}", snapshot.boot, snapshot.seq);
            (vec![sse("snapshot", &id, &json!(snapshot).to_string())], listener)
        }
        // What was missed is the first that the listener hears.
        Attached::Resumed(listener) => (Vec::new(), listener),
    };
    let stop = edge.stop.clone();
    let live = stream::unfold(listener, next_events).flat_map(stream::iter);
    let live = live.take_until(stop.cancelled_owned());
    Sse::new(stream::iter(first).chain(live).map(Ok)).keep_alive(KeepAlive::default())
}

async fn next_events(mut listener: Listener) -> Option<(Vec<SseEvent>, Listener)> {
    let events = listener.next_gathered(MOST_AT_ONCE).await?;
    let told = events.iter().map(|event| {
        let id = format!("{}:{}", listener.boot, event.seq);
        sse("event", &id, &event.text)
    });
    Some((told.collect(), listener))
}

fn sse(name: &str, id: &str, data: &str) -> SseEvent {
    SseEvent::default().event(name).id(id).data(data)
}

/// `GET /api/socket`: as a WebSocket, for browsers.
pub async fn socket(
    State(edge): State<Edge>,
    Query(since): Query<Since>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let view_id = format!("v{}", random_word(4));
    let space = Arc::clone(edge.dispatcher.state().space());
    if let Err(error) = view::attach(&space, &view_id) {
        return refusal(&error);
    }
    let attached = AttachedView { space, view_id };
    upgrade
        .max_message_size(64 * 1024)
        .on_upgrade(move |socket| async move { serve(socket, edge, since, &attached).await })
}

/// A view that is noted as attached until this is dropped.
struct AttachedView {
    space: Arc<Space>,
    view_id: String,
}

impl Drop for AttachedView {
    fn drop(&mut self) {
        view::detach(&self.space, &self.view_id);
    }
}

async fn serve(socket: WebSocket, edge: Edge, since: Since, attached: &AttachedView) {
    let (mut to_view, mut from_view) = socket.split();
    let (first, mut listener) = match attached.space.attach(since.point()) {
        Attached::Fresh(snapshot, listener) => {
            (Some(json!(FirstMessage::Snapshot { snapshot })), listener)
        }
        Attached::Resumed(listener) => (None, listener),
    };
    let folder = edge.dispatcher.state().folder();
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let welcome = json!(FirstMessage::Welcome {
        view_id: attached.view_id.clone(),
        boot: listener.boot.clone(),
        workspace: Shown {
            name: name.into_owned(),
            folder: folder.display().to_string(),
            home: edge.connect.home.as_ref().map(|home| home.display().to_string()),
        },
        version: env!("CARGO_PKG_VERSION"),
        unconfined: Unconfined::of(edge.dispatcher.state().workspaces()),
        debug: cfg!(debug_assertions),
    });
    for message in std::iter::once(welcome).chain(first) {
        if to_view.send(Message::text(message.to_string())).await.is_err() {
            return;
        }
    }
    loop {
        let events = tokio::select! {
            () = edge.stop.cancelled() => break,
            events = listener.next_gathered(MOST_AT_ONCE) => match events {
                Some(events) => events,
                None => break,
            },
            // Views speak through commands; here they only keep the connection alive or close it.
            received = from_view.next() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Text(_) | Message::Binary(_))) => {
                    let reason = Utf8Bytes::from_static("nothing is said here; run commands");
                    let code = close_code::UNSUPPORTED;
                    let close = Message::Close(Some(CloseFrame { code, reason }));
                    // If the other side is gone already, that is all the same.
                    drop(to_view.send(close).await);
                    return;
                }
            },
        };
        // All that is there is written before anything is sent: one write for a burst of events.
        for event in events {
            if to_view.feed(Message::text(&*event.text)).await.is_err() {
                return;
            }
        }
        if to_view.flush().await.is_err() {
            return;
        }
    }
    // The view attaches again from where it was; if the other side is gone, that is all the same.
    drop(to_view.send(Message::Close(None)).await);
}

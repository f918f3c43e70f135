//! The HTTP edge: it turns requests into calls and answers into responses, and decides nothing.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Json, Router,
    extract::{FromRef, Request},
    http::{
        HeaderValue, StatusCode,
        header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE},
    },
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use openspace_command::{Error, ErrorKind};
use openspace_workspace::Dispatcher;
use tokio_util::sync::CancellationToken;

use crate::{
    auth::{Gate, guard},
    connect::Target,
    mcp,
    status::http_status,
    user_data::UserData,
    web::Web,
};

pub mod approve;
pub mod assets;
pub mod audit;
pub mod bodies;
pub mod bridge;
pub mod buffers;
pub mod chat;
pub mod commands;
pub mod connect;
pub mod events;
pub mod files;
pub mod git;
pub mod hand_over;
pub mod health;
pub mod languages;
mod numbers;
pub mod openapi;
pub mod packing;
pub mod pages;
pub mod public;
pub mod search;
pub mod terminals;
pub mod user_data;
pub mod workspaces;

/// What handlers work with.
#[derive(Clone)]
pub struct Edge {
    /// The way to run commands.
    pub dispatcher: Dispatcher,
    /// The door.
    pub gate: Arc<Gate>,
    /// The MCP edge, for clients that join over a raw stream.
    pub mcp: Arc<mcp::Edge>,
    /// Numbers about requests.
    pub metrics: Arc<health::Metrics>,
    /// The web app.
    pub web: Arc<Web>,
    /// What the person keeps on every workspace.
    pub user_data: Arc<UserData>,
    /// Links to questions that were handed out.
    pub codes: approve::Codes,
    /// Where this server is reached from this machine.
    pub url: String,
    /// Where it listens.
    pub listens_on: SocketAddr,
    /// What agents are connected to.
    pub connect: Arc<Target>,
    /// Cancelled when somebody else is to serve; only for a server that stands in.
    pub hand_over: Option<CancellationToken>,
    /// Cancelled when the server stops: streams end.
    pub stop: CancellationToken,
}

impl FromRef<Edge> for Dispatcher {
    fn from_ref(edge: &Edge) -> Self {
        edge.dispatcher.clone()
    }
}

/// Every route, behind the gate.
pub fn router(edge: Edge) -> Router {
    let gate = Arc::clone(&edge.gate);
    let mcp = edge.mcp.routes();
    let mut router = Router::new();
    if cfg!(debug_assertions) {
        router = router.route("/api/dev/reload", get(assets::rebuilt));
    }
    router
        .route("/", get(assets::index))
        .route("/status", get(pages::status))
        .route("/open", get(pages::open).head(pages::look_at_link))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(health::metrics))
        .route("/api/buffers", get(buffers::socket))
        .route("/api/languages", get(languages::socket))
        .route("/api/languages/source", get(languages::source))
        .route("/api/link", post(pages::new_link))
        .route(hand_over::PATH, post(hand_over::make_way))
        .route("/api/connect", get(connect::clients))
        .route("/mcp/stream", get(mcp::joined))
        .merge(public::router())
        .merge(bridge::router())
        .merge(files::router())
        .merge(git::router())
        .merge(user_data::router())
        .merge(search::router())
        .merge(approve::router())
        .fallback(assets::file)
        .with_state(edge.clone())
        .merge(mcp)
        .layer(from_fn_with_state(edge.clone(), bodies::limit))
        .layer(from_fn(in_our_words))
        .layer(from_fn_with_state(gate, guard))
        .layer(from_fn(protect))
        .layer(from_fn_with_state(edge, health::count))
}

/// Longest reason of the framework that is passed on.
const MAX_REASON: usize = 1_000;

/// What the framework refuses by itself (a wrong method, a query it cannot read)
/// has the form of every other refusal. MCP has a form of its own.
async fn in_our_words(request: Request, next: Next) -> Response {
    let is_mcp = request.uri().path() == "/mcp";
    let response = next.run(request).await;
    let headers = response.headers();
    let is_text = headers
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind.to_str().is_ok_and(|kind| kind.starts_with("text/plain")));
    let is_ours = headers.contains_key(commands::KIND_HEADER);
    if is_mcp || is_ours || !is_text || !response.status().is_client_error() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let reason = axum::body::to_bytes(body, MAX_REASON).await.unwrap_or_default();
    let reason = String::from_utf8_lossy(&reason).into_owned();
    let (kind, error, hint) = match parts.status {
        StatusCode::METHOD_NOT_ALLOWED => {
            let allowed = parts.headers.get(ALLOW).and_then(|methods| methods.to_str().ok());
            let allowed = allowed.unwrap_or_default();
            let error = match allowed {
                "" => "this path does not take such a method".to_owned(),
                allowed => format!("this path only takes {allowed}"),
            };
            ("unsupported", error, None)
        }
        _ => ("invalid_args", reason, None),
    };
    let mut response = failure(parts.status, kind, &error, hint);
    for (name, value) in &parts.headers {
        if ![CONTENT_TYPE, CONTENT_LENGTH].contains(name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

/// Headers that every response has.
async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry("cache-control").or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Why something was refused that is not on record: so the log has to tell of faults of ours.
pub fn refusal(error: &Error) -> Response {
    if error.kind == ErrorKind::Internal {
        tracing::error!(?error, "a request failed");
    }
    let kind = [(commands::KIND_HEADER, error.kind.word())];
    (http_status(error.kind), kind, Json(error.to_value())).into_response()
}

/// A failure that is not a command's: the same object, for an error of the edge itself.
pub fn failure(status: StatusCode, kind: &str, error: &str, hint: Option<&str>) -> Response {
    let body = serde_json::json!({"success": false, "error": error, "kind": kind, "hint": hint});
    (status, Json(body)).into_response()
}

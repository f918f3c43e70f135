//! The HTTP edge: it turns requests into calls and answers into responses, and decides nothing.

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRef, Request},
    http::{HeaderValue, StatusCode},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use openspace_workspace::Dispatcher;
use tokio_util::sync::CancellationToken;

use crate::{
    auth::{Gate, guard},
    mcp,
};

pub mod bridge;
pub mod commands;
pub mod events;
pub mod health;
pub mod openapi;
pub mod pages;
pub mod terminals;

/// Largest body of a request: a large file to write fits, a flood does not.
pub const MAX_BODY: usize = 32 * 1024 * 1024;

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
    /// Where this server is reached.
    pub url: String,
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
    let mcp = edge.mcp.service();
    Router::new()
        .route("/", get(pages::status))
        .route("/open", get(pages::open))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi::document))
        .route("/api/commands", get(commands::list))
        .route("/api/commands/{id}", post(commands::call))
        .route("/api/state", get(events::snapshot))
        .route("/api/events", get(events::stream))
        .route("/api/socket", get(events::socket))
        .route("/api/link", post(pages::new_link))
        .route("/api/terminals/{id}", get(terminals::socket))
        .route("/mcp/stream", get(mcp::joined))
        .merge(bridge::router())
        .with_state(edge.clone())
        .route_service("/mcp", mcp)
        .fallback(pages::not_found)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(gate, guard))
        .layer(from_fn(protect))
        .layer(from_fn_with_state(edge, health::count))
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

/// A failure that is not a command's: the same object, for an error of the edge itself.
pub fn failure(status: StatusCode, kind: &str, error: &str, hint: Option<&str>) -> Response {
    let body = serde_json::json!({"success": false, "error": error, "kind": kind, "hint": hint});
    (status, axum::Json(body)).into_response()
}

//! `GET /api/connect`: how each known agent is connected, for the welcome page. No secret is in it.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{
    connect::{Client, Request, connect},
    http::Edge,
};

/// For every client: the command that connects it, and the text for its own file.
pub async fn clients(State(edge): State<Edge>) -> Response {
    let root = &edge.connect.root;
    let called = &edge.connect.called;
    let clients = Client::ALL.iter().filter_map(|&client| {
        let request = Request { client, http: false, instructions: false, set: None, write: false };
        let outcome = match connect(&edge.connect, &request) {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::warn!(client = client.name(), %error, "an agent cannot be explained");
                return None;
            }
        };
        let file = outcome.file.strip_prefix(root).unwrap_or(&outcome.file);
        Some(json!({
            "name": client.name(),
            "title": client.title(),
            "command": format!("{called} connect {} --write", client.name()),
            "file": file,
            "text": outcome.text,
        }))
    });
    Json(json!({ "clients": clients.collect::<Vec<_>>() })).into_response()
}

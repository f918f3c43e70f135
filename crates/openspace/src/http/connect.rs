//! `GET /api/connect`: how each known agent is connected, for the welcome page. No secret is in it.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    connect::{Client, Request, connect},
    http::Edge,
};

/// The agents that can be connected.
#[derive(Serialize, JsonSchema)]
pub struct Connectable {
    /// Each known one.
    clients: Vec<ConnectableClient>,
}

/// How an agent is connected.
#[derive(Serialize, JsonSchema)]
pub struct ConnectableClient {
    /// Its name on the command line.
    name: &'static str,
    /// Its name for people.
    title: &'static str,
    /// The command that connects it.
    command: String,
    /// Its own file, relative to the workspace where it is in there.
    file: String,
    /// What belongs into that file.
    text: String,
}

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
        Some(ConnectableClient {
            name: client.name(),
            title: client.title(),
            command: format!("{called} connect {} --write", client.name()),
            file: file.display().to_string(),
            text: outcome.text,
        })
    });
    Json(Connectable { clients: clients.collect() }).into_response()
}

//! `GET /api/git/status`: how git sees the workspace, for views. Looking is not on record; what
//! changes anything is the command `workspace.git`.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use openspace_git::StatusReply;
use openspace_workspace::areas::tools::git::repository;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{http::Edge, status::http_status};

/// How git sees the workspace.
#[derive(Serialize, JsonSchema)]
pub struct GitStatus {
    /// The repository; none when the workspace is in none.
    repository: Option<StatusReply>,
}

/// The status, or `null` when the workspace is in no repository.
pub async fn status(State(edge): State<Edge>) -> Response {
    match repository(edge.dispatcher.state()).await {
        Ok(repository) => Json(GitStatus { repository }).into_response(),
        Err(error) => (http_status(error.kind), Json(error.to_value())).into_response(),
    }
}

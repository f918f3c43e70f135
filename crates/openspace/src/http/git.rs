//! `GET /api/git/status`: how git sees the workspace, for views. Looking is not on record; what
//! changes anything is the command `workspace.git`.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use openspace_workspace::areas::tools::git::repository;
use serde_json::json;

use crate::{http::Edge, status::http_status};

/// The status, or `null` when the workspace is in no repository.
pub async fn status(State(edge): State<Edge>) -> Response {
    match repository(edge.dispatcher.state()).await {
        Ok(repository) => Json(json!({ "repository": repository })).into_response(),
        Err(error) => (http_status(error.kind), Json(error.to_value())).into_response(),
    }
}

//! `GET /api/git/status` and `/api/git/ignored`: how git sees the workspace, for views. Looking is not on record; what
//! changes anything is the command `workspace.git`.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use openspace_git::{Bounded, GitError, Name, StatusReply};
use openspace_host::{HostError, operation};
use openspace_workspace::{areas::tools::git::repository, refusal::refused};
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

/// What git ignores in the workspace.
#[derive(Default, Serialize, JsonSchema)]
pub struct GitIgnored {
    /// Files, and folders of which all is ignored. Nothing when the workspace is in no repository.
    ignored: Bounded<Name>,
}

/// How long git may take to look through the work tree.
const IGNORED_TIMEOUT_MS: u64 = 30_000;

/// What a tree of files shows apart.
pub async fn ignored(State(edge): State<Edge>) -> Response {
    let asked = operation::GitIgnored { timeout_ms: IGNORED_TIMEOUT_MS };
    let error = match edge.dispatcher.state().place().ask(asked).await {
        Ok(ignored) => return Json(GitIgnored { ignored }).into_response(),
        Err(HostError::Git(GitError::NotARepository)) => {
            return Json(GitIgnored::default()).into_response();
        }
        Err(error) => refused(error),
    };
    (http_status(error.kind), Json(error.to_value())).into_response()
}

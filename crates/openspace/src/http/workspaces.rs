//! `/api/v1/workspaces`: workspaces and their tools for platforms, as plain resources.
//!
//! Every route is a command under another name; nothing is decided here.

use axum::{
    Extension, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use openspace_command::Caller;
use openspace_workspace::Dispatcher;
use serde_json::{Value, json};

use super::{
    Edge,
    commands::{parse_body, run},
    failure,
};

/// The tools that a workspace has, by their last word.
pub const TOOLS: &[&str] =
    &["bash", "read", "write", "edit", "glob", "grep", "git", "run_output", "run_kill", "run_list"];

/// The routes.
pub fn router() -> Router<Edge> {
    Router::new()
        .route("/api/v1/workspaces", get(list).post(create))
        .route("/api/v1/workspaces/{id}", get(show).delete(destroy))
        .route("/api/v1/workspaces/{id}/{tool}", post(tool))
}

async fn list(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Response {
    run(&dispatcher, caller, "workspace.list", Ok(json!({})), &headers).await
}

async fn create(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let args = parse_body(&body);
    let mut response = run(&dispatcher, caller, "workspace.create", args, &headers).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::CREATED;
    }
    response
}

async fn show(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let args = Ok(json!({"workspace_id": id}));
    run(&dispatcher, caller, "workspace.get", args, &headers).await
}

async fn destroy(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let args = Ok(json!({"workspace_id": id}));
    run(&dispatcher, caller, "workspace.destroy", args, &headers).await
}

async fn tool(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    Path((id, tool)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !TOOLS.contains(&tool.as_str()) {
        let shown: String = tool.chars().take(100).collect();
        let error = format!("a workspace has no tool `{shown}`");
        let hint = format!("tools: {}", TOOLS.join(", "));
        return failure(StatusCode::NOT_FOUND, "not_found", &error, Some(&hint)).into_response();
    }
    let mut args = parse_body(&body);
    if let Ok(Value::Object(named)) = &mut args {
        let others = ["workspace_id", "workspaceId", "workspace"];
        if let Some(other) = others.iter().find(|name| named.contains_key(**name)) {
            let error = format!("argument `{other}`: the path already names the workspace");
            return failure(StatusCode::BAD_REQUEST, "invalid_args", &error, None);
        }
        named.insert("workspace_id".into(), id.into());
    }
    run(&dispatcher, caller, &format!("workspace.{tool}"), args, &headers).await
}

//! `GET /api/git/…`: how git sees the workspace, and its past, for views. Looking is not on record; what changes
//! anything is the command `workspace.git`.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Query, Request, State},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use openspace_command::{Error, Result};
use openspace_git::{
    BlameReply, BlameRequest, Bounded, BranchInfo, GitError, LogReply, LogRequest, Name,
    StashEntry, StatusReply, TagInfo,
};
use openspace_host::{HostError, operation};
use openspace_workspace::{Dispatcher, areas::tools::git::looking, refusal::refused};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::{Edge, packing::pack, refusal};

/// Questions that git works on at a time.
const AT_ONCE: usize = 8;

/// The routes.
pub fn router() -> Router<Edge> {
    Router::new()
        .route("/api/git/status", get(status))
        .route("/api/git/ignored", get(ignored))
        .route("/api/git/log", get(log))
        .route("/api/git/blame", get(blame))
        .route("/api/git/refs", get(refs))
        .route("/api/git/commit", get(commit))
        .route("/api/git/changes", get(changes))
        .route("/api/git/stashes", get(stashes))
        .layer(from_fn_with_state(Arc::new(Semaphore::new(AT_ONCE)), in_turn))
        .layer(from_fn(pack))
}

/// Each question is a process or two; more of them at once than this wait for their turn.
async fn in_turn(State(turns): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    match turns.acquire().await {
        Ok(_turn) => next.run(request).await,
        Err(_) => refusal(&Error::internal("there are no turns at git any more")),
    }
}

fn answer<T: Serialize>(result: Result<T>) -> Response {
    match result {
        Ok(told) => Json(told).into_response(),
        Err(error) => refusal(&error),
    }
}

/// How git sees the workspace.
#[derive(Serialize, JsonSchema)]
pub struct GitStatus {
    /// The repository; none when the workspace is in none.
    repository: Option<StatusReply>,
}

/// The status, or `null` when the workspace is in no repository.
async fn status(State(dispatcher): State<Dispatcher>) -> Response {
    let repository = looking::repository(dispatcher.state()).await;
    answer(repository.map(|repository| GitStatus { repository }))
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
async fn ignored(State(dispatcher): State<Dispatcher>) -> Response {
    answer(ignored_now(&dispatcher).await)
}

async fn ignored_now(dispatcher: &Dispatcher) -> Result<GitIgnored> {
    let place = dispatcher.state().workspaces().place_of_views().await?;
    match place.ask(operation::GitIgnored { timeout_ms: IGNORED_TIMEOUT_MS }).await {
        Ok(ignored) => Ok(GitIgnored { ignored }),
        Err(HostError::Git(GitError::NotARepository)) => Ok(GitIgnored::default()),
        Err(error) => Err(refused(error)),
    }
}

/// Which commits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedLog {
    path: Option<String>,
    revision: Option<String>,
    /// Revisions with a space between them: no name of one has a space.
    starts: Option<String>,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    skip: u32,
    limit: Option<u32>,
}

async fn log(State(dispatcher): State<Dispatcher>, Query(wanted): Query<WantedLog>) -> Response {
    answer(commits(&dispatcher, wanted).await)
}

async fn commits(dispatcher: &Dispatcher, wanted: WantedLog) -> Result<LogReply> {
    let WantedLog { path, revision, starts, all, skip, limit } = wanted;
    let path = path.map(|path| dispatcher.state().path(&path)).transpose()?;
    let starts = starts.unwrap_or_default();
    let revisions = starts.split_ascii_whitespace().map(str::to_owned).collect();
    let wanted = LogRequest { limit, skip, path, revision, revisions, all };
    looking::log(dispatcher.state(), wanted).await
}

/// Which lines of which file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedBlame {
    path: String,
    lines: Option<String>,
}

/// Which commits the lines of a file come from.
#[derive(Serialize, JsonSchema)]
pub struct GitBlame {
    /// None when there is no telling: no commit has the file, it is gone, or it is secret.
    blame: Option<BlameReply>,
}

async fn blame(
    State(dispatcher): State<Dispatcher>,
    Query(wanted): Query<WantedBlame>,
) -> Response {
    answer(blamed(&dispatcher, wanted).await)
}

async fn blamed(dispatcher: &Dispatcher, wanted: WantedBlame) -> Result<GitBlame> {
    let path = dispatcher.state().path(&wanted.path)?;
    let wanted = BlameRequest { path, lines: wanted.lines, ..BlameRequest::default() };
    Ok(GitBlame { blame: looking::blame(dispatcher.state(), wanted).await? })
}

/// What commits are called by.
#[derive(Serialize, JsonSchema)]
pub struct GitRefs {
    /// Own ones and those that remotes were last seen to have.
    branches: Bounded<BranchInfo>,
    /// The newest first.
    tags: Bounded<TagInfo>,
}

async fn refs(State(dispatcher): State<Dispatcher>) -> Response {
    let refs = looking::refs(dispatcher.state()).await;
    answer(refs.map(|(branches, tags)| GitRefs { branches, tags }))
}

/// Which commit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedCommit {
    revision: Option<String>,
}

async fn commit(
    State(dispatcher): State<Dispatcher>,
    Query(wanted): Query<WantedCommit>,
) -> Response {
    answer(looking::commit(dispatcher.state(), wanted.revision).await)
}

/// Between which commits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedChanges {
    from: String,
    to: String,
}

async fn changes(
    State(dispatcher): State<Dispatcher>,
    Query(wanted): Query<WantedChanges>,
) -> Response {
    answer(looking::changes(dispatcher.state(), &wanted.from, &wanted.to).await)
}

/// What was put aside.
#[derive(Serialize, JsonSchema)]
pub struct GitStashes {
    /// The newest first.
    stashes: Bounded<StashEntry>,
}

async fn stashes(State(dispatcher): State<Dispatcher>) -> Response {
    let stashes = looking::stashes(dispatcher.state()).await;
    answer(stashes.map(|stashes| GitStashes { stashes }))
}

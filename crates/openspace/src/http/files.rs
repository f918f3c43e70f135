//! `/api/files`: looking at files, as an editor and a tree of files need it.
//!
//! Reading whole files is bulk data, not commands: it is not on record. Changes are commands. The
//! person's own browser may see secret files, and who holds the token may not.

use axum::{
    Extension, Json, Router,
    extract::{Query, State},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_TYPE, HeaderName},
    },
    middleware::from_fn,
    response::{IntoResponse, Response},
    routing::get,
};
use openspace_command::{Error, ErrorKind, Result};
use openspace_files::{Inspected, Kind, NameEntry};
use openspace_git::GitError;
use openspace_host::{
    HostError,
    operation::{GitContent, InspectPath, ListNames, Operation, ReadBytes},
};
use openspace_workspace::{Dispatcher, refusal::refused, tree::TreeFollower};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Edge, packing::pack, refusal};
use crate::auth::Admitted;

/// Names told of one folder.
const MAX_NAMES: usize = 20_000;
/// How long git may take to find a file.
const GIT_TIMEOUT_MS: u64 = 30_000;
/// Tells the token of what was read.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-openspace-token");
/// What the index is called in place of a revision.
const INDEX: &str = "index";

/// The routes.
pub fn router() -> Router<Edge> {
    Router::new()
        .route("/api/files/stat", get(stat))
        .route("/api/files/list", get(list).layer(from_fn(pack)))
        .route("/api/files/content", get(content))
}

/// Which file or folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    path: String,
}

/// Which content.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedContent {
    path: String,
    revision: Option<String>,
}

/// What is at a path; nothing is an answer like any other.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PathStat {
    /// Nothing is there.
    Missing,
    /// A regular file.
    File(FileStat),
    /// A folder.
    Folder(FileStat),
    /// A symbolic link that leads to nothing in here.
    Symlink(FileStat),
    /// A pipe, a socket or a device.
    Other(FileStat),
}

/// What is known of a file or folder.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileStat {
    /// In bytes.
    size: u64,
    /// When the content last changed, in milliseconds since 1970.
    mtime_ms: i64,
    /// When it was made, in milliseconds since 1970.
    ctime_ms: i64,
    /// Changes whenever the file does.
    token: String,
    /// It cannot be written.
    readonly: bool,
    /// It is a symbolic link.
    link: bool,
}

/// What is in a folder.
#[derive(Serialize, JsonSchema)]
pub struct FolderNames {
    /// By name.
    entries: Vec<FolderEntry>,
    /// There are more.
    truncated: bool,
}

/// A name in a folder.
#[derive(Serialize, JsonSchema)]
pub struct FolderEntry {
    /// The name.
    name: String,
    /// What it is; of a link, what it leads to.
    kind: Kind,
    /// It is a symbolic link.
    link: bool,
}

/// A cookie is a person's browser; a token may be anybody's.
fn is_person(admitted: Admitted) -> bool {
    matches!(admitted, Admitted::Browser | Admitted::Person)
}

async fn ask<O: Operation>(dispatcher: &Dispatcher, operation: O) -> Result<O::Output> {
    dispatcher.state().place().ask(operation).await.map_err(refused)
}

fn answer(result: Result<Response>) -> Response {
    result.unwrap_or_else(|error| refusal(&error))
}

async fn stat(
    State(dispatcher): State<Dispatcher>,
    Extension(admitted): Extension<Admitted>,
    Query(wanted): Query<Wanted>,
) -> Response {
    answer(look(&dispatcher, is_person(admitted), &wanted.path).await)
}

async fn look(dispatcher: &Dispatcher, person: bool, path: &str) -> Result<Response> {
    let path = dispatcher.state().path(path)?;
    let Inspected { kind, size, modified, created, token, readonly, link, place: _ } =
        match ask(dispatcher, InspectPath { path, person }).await {
            // Views ask for many files that are not there; that is an answer like any other.
            Err(error) if error.kind == ErrorKind::NotFound => {
                return Ok(Json(PathStat::Missing).into_response());
            }
            answer => answer?,
        };
    let stat = FileStat { size, mtime_ms: modified, ctime_ms: created, token, readonly, link };
    let stat = match kind {
        Kind::File => PathStat::File(stat),
        Kind::Folder => PathStat::Folder(stat),
        Kind::Symlink => PathStat::Symlink(stat),
        Kind::Other => PathStat::Other(stat),
    };
    Ok(Json(stat).into_response())
}

async fn list(State(dispatcher): State<Dispatcher>, Query(wanted): Query<Wanted>) -> Response {
    answer(names(&dispatcher, &wanted.path).await)
}

async fn names(dispatcher: &Dispatcher, path: &str) -> Result<Response> {
    let path = dispatcher.state().path(path)?;
    dispatcher.state().service::<TreeFollower>().look_at(&path).await;
    let names = match ask(dispatcher, ListNames { path, limit: MAX_NAMES }).await {
        Ok(names) => names,
        // An explorer looks into folders that others have just deleted; a browser notes errors.
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        Err(error) => return Err(error),
    };
    let entry = |NameEntry { name, kind, link }| FolderEntry { name, kind, link };
    let entries = names.entries.into_iter().map(entry).collect();
    Ok(Json(FolderNames { entries, truncated: names.truncated }).into_response())
}

async fn content(
    State(dispatcher): State<Dispatcher>,
    Extension(admitted): Extension<Admitted>,
    Query(wanted): Query<WantedContent>,
) -> Response {
    answer(bytes(&dispatcher, is_person(admitted), wanted).await)
}

async fn bytes(dispatcher: &Dispatcher, person: bool, wanted: WantedContent) -> Result<Response> {
    let path = dispatcher.state().path(&wanted.path)?;
    let kind = (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let Some(revision) = wanted.revision else {
        let read = ask(dispatcher, ReadBytes { path, person }).await?;
        let token = HeaderValue::try_from(read.token)
            .map_err(|error| Error::internal("the token is no header").because(error))?;
        return Ok(([kind, (TOKEN_HEADER, token)], read.content).into_response());
    };
    let revision = (revision != INDEX).then_some(revision);
    let stored = GitContent { path, revision, person, timeout_ms: GIT_TIMEOUT_MS };
    let place = dispatcher.state().workspaces().place_of_views().await?;
    match place.ask(stored).await {
        Ok(stored) => Ok(([kind], stored.content).into_response()),
        // A view of changes asks for files that one of its sides does not have; a browser notes errors.
        Err(HostError::Git(GitError::NotInRevision { .. })) => {
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        Err(error) => Err(refused(error)),
    }
}

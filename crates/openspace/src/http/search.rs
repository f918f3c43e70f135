//! `POST /api/search/text` and `POST /api/search/files`: searching for somebody who types.
//!
//! The searches are the host's, with the rules they always have. Like reading they are bulk data and
//! not on record. Whoever hangs up takes the search back.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
    routing::post,
};
use futures::{StreamExt, stream};
use openspace_command::{Error, Result};
use openspace_files::{
    grep::{FileMatches, GrepQuery, Grepped, MAX_TOLD},
    search::MAX_NAMES,
};
use openspace_host::{
    Conversation, HostError,
    operation::{FindNames, Grep},
};
use openspace_protocol::RelPath;
use openspace_workspace::refusal::refused;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::{Edge, commands::parse_body, refusal};

/// Matches that are told when the request does not say.
const DEFAULT_MATCHES: u32 = 20_000;
/// Names that are told when the request does not say.
const DEFAULT_NAMES: u32 = 500;
/// Longest pattern or query.
const MAX_PATTERN: usize = 10_000;
/// Globs of one kind.
const MAX_GLOBS: usize = 1_000;
/// Files whose matches may wait to be sent, and those that are sent together.
const CHANNEL: usize = 64;

/// The routes.
pub fn router() -> Router<Edge> {
    Router::new().route("/api/search/text", post(text)).route("/api/search/files", post(files))
}

/// What to search for in contents.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the search view")]
pub struct TextSearch {
    /// A text, or an expression.
    pattern: String,
    /// It is an expression.
    #[serde(default)]
    regex: bool,
    /// Upper and lower case differ.
    #[serde(default)]
    case_sensitive: bool,
    /// Only whole words match.
    #[serde(default)]
    whole_word: bool,
    /// A match may span lines.
    #[serde(default)]
    multiline: bool,
    /// Only files that one of these globs matches; all when there is none.
    #[serde(default)]
    include: Vec<String>,
    /// No files that one of these globs matches.
    #[serde(default)]
    exclude: Vec<String>,
    /// Leave out what ignore files name.
    #[serde(default = "yes")]
    use_ignore_files: bool,
    /// Matches that are told at most.
    limit: Option<u32>,
}

/// A line of the answer of a search in contents. The last one says how it ended.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SearchLine {
    /// Matches in a file; a file with many is told in pieces.
    Found(FileMatches),
    /// All of it was searched, as far as the limit allows.
    Ended(SearchEnd),
}

/// How a search ended.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchEnd {
    /// It is over.
    done: True,
    /// There were more matches than the limit.
    limit_hit: bool,
    /// Files with matches.
    files: u64,
    /// Matches in them, where they were counted.
    matches: Option<u64>,
}

/// Always true: what tells one object from others.
#[derive(JsonSchema)]
#[schemars(extend("const" = true), with = "bool", inline)]
struct True;

impl Serialize for True {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

fn yes() -> bool {
    true
}

impl TextSearch {
    fn query(self) -> Result<GrepQuery> {
        check_length("pattern", &self.pattern)?;
        if self.pattern.is_empty() {
            return Err(Error::invalid("argument `pattern` is empty"));
        }
        for (name, globs) in [("include", &self.include), ("exclude", &self.exclude)] {
            if globs.len() > MAX_GLOBS {
                return Err(Error::invalid(format!(
                    "argument `{name}`: at most {MAX_GLOBS} globs"
                )));
            }
        }
        Ok(GrepQuery {
            include: self.include,
            exclude: self.exclude,
            case_insensitive: !self.case_sensitive,
            whole_word: self.whole_word,
            multiline: self.multiline,
            dot_matches_line_end: false,
            fixed_strings: !self.regex,
            respect_gitignore: self.use_ignore_files,
            limit: Some(checked_limit(self.limit, DEFAULT_MATCHES, MAX_TOLD)?),
            ..GrepQuery::new(self.pattern)
        })
    }
}

/// Which files to find.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileSearch {
    /// A few letters of the path.
    #[serde(default)]
    query: String,
    /// Paths that are told at most.
    limit: Option<u32>,
}

/// Files by name, the best first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundFiles {
    /// Their paths.
    paths: Vec<RelPath>,
    /// There are more.
    limit_hit: bool,
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_value(parse_body(body)?).map_err(|error| Error::invalid(error.to_string()))
}

fn check_length(name: &str, text: &str) -> Result<()> {
    if text.len() > MAX_PATTERN {
        return Err(Error::invalid(format!("argument `{name}`: at most {MAX_PATTERN} bytes")));
    }
    Ok(())
}

fn checked_limit(limit: Option<u32>, default: u32, most: u32) -> Result<u32> {
    match limit {
        None => Ok(default),
        Some(limit) if (1..=most).contains(&limit) => Ok(limit),
        Some(_) => Err(Error::invalid(format!("argument `limit`: from 1 to {most}"))),
    }
}

/// Files by a few letters of their path, the best first.
async fn files(State(edge): State<Edge>, body: Bytes) -> Response {
    match find(&edge, &body).await {
        Ok(found) => Json(found).into_response(),
        Err(error) => refusal(&error),
    }
}

async fn find(edge: &Edge, body: &[u8]) -> Result<FoundFiles> {
    let FileSearch { query, limit } = read(body)?;
    check_length("query", &query)?;
    let limit = checked_limit(limit, DEFAULT_NAMES, MAX_NAMES)?;
    let found = edge.dispatcher.state().place().ask(FindNames { query, limit }).await;
    let found = found.map_err(refused)?;
    Ok(FoundFiles { paths: found.paths, limit_hit: found.truncated })
}

/// Matches in contents, a line for each file as it is found, then a line that says how it ended.
async fn text(State(edge): State<Edge>, body: Bytes) -> Response {
    let query = match read(&body).and_then(TextSearch::query) {
        Ok(query) => query,
        Err(error) => return refusal(&error),
    };
    let mut search = Search::start(&edge, query);
    // What is wrong with a query shows before the first match, and has a status of its own.
    let first = match search.next_lines().await {
        Ok(lines) => lines,
        Err(error) => return refusal(&error),
    };
    let rest = stream::unfold(Some(search), |search| async {
        let mut search = search?;
        match search.next_lines().await {
            Ok(Some(lines)) => Some((lines, Some(search))),
            Ok(None) => None,
            Err(error) => Some((line(&error.to_value()), None)),
        }
    });
    let lines = stream::iter(first).chain(rest).take_until(edge.stop.cancelled_owned());
    let lines = lines.map(Ok::<_, std::convert::Infallible>);
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}

/// A search under way; dropped, it is taken back.
struct Search {
    found: mpsc::Receiver<FileMatches>,
    searching: Option<AbortOnDropHandle<Result<Grepped, HostError>>>,
}

impl Search {
    fn start(edge: &Edge, query: GrepQuery) -> Self {
        let (items, found) = mpsc::channel(CHANNEL);
        let conversation = Conversation { items: Some(items), ..Conversation::default() };
        let place = Arc::clone(edge.dispatcher.state().place());
        let search = async move { place.ask_with(Grep { query }, conversation).await };
        Self { found, searching: Some(AbortOnDropHandle::new(tokio::spawn(search))) }
    }

    /// The next lines: matches, then once how it ended, then nothing.
    async fn next_lines(&mut self) -> Result<Option<Bytes>> {
        let mut found = Vec::new();
        self.found.recv_many(&mut found, CHANNEL).await;
        let mut lines = Vec::new();
        for matches in found {
            lines.extend(line(&json!(SearchLine::Found(matches))));
        }
        if !lines.is_empty() {
            return Ok(Some(lines.into()));
        }
        let Some(searching) = self.searching.take() else { return Ok(None) };
        let ended = searching.await;
        let ended = ended.map_err(|error| Error::internal("the search failed").because(error))?;
        let found = ended.map_err(refused)?;
        let end = SearchEnd {
            done: True,
            limit_hit: found.truncated,
            files: found.total_files,
            matches: found.total_matches,
        };
        Ok(Some(line(&json!(SearchLine::Ended(end)))))
    }
}

fn line(value: &Value) -> Bytes {
    format!("{value}\n").into()
}

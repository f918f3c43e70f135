//! The bridge API: how outside programs add commands and answer calls.
//!
//! A bridge posts a manifest, listens on `/events` and posts results. Bodies are JSON whatever
//! their content type says, so that plain `curl -d` works. Every path exists with and without
//! `/openspace` before it.

use std::{convert::Infallible, time::Duration};

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::{StatusCode, Uri, header::CONTENT_TYPE},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::{get, post},
};
use futures::{StreamExt, stream};
use openspace_command::{Call, Caller, CallerKind, Error, ErrorKind};
use openspace_workspace::areas::bridge::{Calls, DEFAULT_BRIDGE, manifest::Manifest};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    auth::{query_value, same_secret},
    http::{Edge, failure},
    mcp::ToolSet,
    state_folder::random_word,
};

/// How often a silent stream says that it is alive.
const PING_EVERY: Duration = Duration::from_secs(30);

/// The routes, under both prefixes.
pub fn router() -> Router<Edge> {
    let mut router = Router::new();
    for prefix in ["", "/openspace"] {
        router = router
            .route(&format!("{prefix}/manifest"), post(manifest))
            .route(&format!("{prefix}/state"), post(state))
            .route(&format!("{prefix}/commands"), post(command))
            .route(&format!("{prefix}/events"), get(events))
            .route(&format!("{prefix}/instructions"), get(show_instructions))
            .route(&format!("{prefix}/command-results"), post(result))
            .route(&format!("{prefix}/register-bridge"), post(register));
    }
    router
}

/// Which bridge a request is about.
#[derive(Debug, Default, Deserialize)]
pub struct Which {
    bridge: Option<String>,
}

impl Which {
    fn name(&self, body: &Value) -> String {
        let named = body.get("bridgeId").or_else(|| body.get("bridge")).and_then(Value::as_str);
        let name = self.bridge.as_deref().or(named).unwrap_or(DEFAULT_BRIDGE);
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(64).collect()
    }
}

/// A refusal in the form of every other; the status stays the one that bridges know.
fn refuse(status: StatusCode, kind: ErrorKind, error: &str, hint: &str) -> Response {
    failure(status, kind.word(), error, Some(hint))
}

/// A body that is JSON and still not what was expected.
fn refuse_body(error: &str) -> Response {
    let hint = "docs/guides/bridges.md shows what each path takes";
    refuse(StatusCode::BAD_REQUEST, ErrorKind::InvalidArgs, error, hint)
}

#[expect(clippy::result_large_err, reason = "the error is the response itself")]
fn parse(body: &Bytes) -> Result<Value, Response> {
    serde_json::from_slice(body).map_err(|error| {
        let body = json!({
            "success": false,
            "error": "Invalid JSON",
            "kind": ErrorKind::InvalidArgs,
            "hint": "send one JSON object as the body",
            "reason": error.to_string(),
        });
        (StatusCode::BAD_REQUEST, Json(body)).into_response()
    })
}

/// `POST /register-bridge`: get a name of one's own, so that several bridges live side by side.
async fn register(Query(which): Query<Which>, body: Bytes) -> Response {
    let body = if body.is_empty() {
        json!({})
    } else {
        match parse(&body) {
            Ok(body) => body,
            Err(response) => return response,
        }
    };
    if !body.is_object() {
        return refuse_body("the body is not an object");
    }
    let name = match body.get("name") {
        None | Some(Value::Null) => "bridge",
        Some(Value::String(name)) => name,
        Some(_) => return refuse_body("`name` is not a text"),
    };
    let named =
        Which { bridge: which.bridge.or_else(|| Some(format!("{name}-{}", random_word(3)))) };
    let bridge = named.name(&Value::Null);
    Json(json!({
        "success": true,
        "bridgeId": bridge,
        "manifest": format!("/openspace/manifest?bridge={bridge}"),
        "events": format!("/openspace/events?bridge={bridge}"),
        "state": format!("/openspace/state?bridge={bridge}"),
        "results": "/openspace/command-results",
    }))
    .into_response()
}

/// `POST /manifest`: the bridge's commands, in place of those it had.
async fn manifest(State(edge): State<Edge>, Query(which): Query<Which>, body: Bytes) -> Response {
    let body = match parse(&body) {
        Ok(body) => body,
        Err(response) => return response,
    };
    let bridge = which.name(&body);
    let bridges = edge.dispatcher.state().bridges();
    match Manifest::parse(body).and_then(|manifest| bridges.register(&bridge, manifest)) {
        Ok(commands) => {
            tracing::info!(bridge, commands, "manifest updated");
            Json(json!({"success": true, "commands": commands})).into_response()
        }
        Err(error) => refuse_body(&error.to_string()),
    }
}

/// `POST /state`: what the bridge wants agents to know.
async fn state(State(edge): State<Edge>, Query(which): Query<Which>, body: Bytes) -> Response {
    let body = match parse(&body) {
        Ok(body) => body,
        Err(response) => return response,
    };
    let bridge = which.name(&body);
    match edge.dispatcher.state().bridges().report(&bridge, body) {
        Ok(()) => Json(json!({"success": true})).into_response(),
        Err(error) => refuse_body(&error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Posted {
    cmd: String,
    #[serde(default)]
    args: Value,
    session_id: Option<String>,
}

/// `POST /commands`: start a command and do not wait for it; 202 says that it was accepted.
async fn command(
    State(edge): State<Edge>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Response {
    let posted: Posted = match parse(&body).map(serde_json::from_value) {
        Ok(Ok(posted)) => posted,
        Ok(Err(error)) => return refuse_body(&error.to_string()),
        Err(response) => return response,
    };
    let bridges = edge.dispatcher.state().bridges();
    if !bridges.ever_a_manifest() {
        return refuse(
            StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Busy,
            "Manifest not initialized",
            "post a manifest to /openspace/manifest first",
        );
    }
    let Some(definition) = edge.dispatcher.registry().find(&posted.cmd) else {
        let reason = format!("Unknown command: {}", posted.cmd);
        let call = Call::new(caller, &posted.cmd, Value::Null);
        edge.dispatcher.refuse(&call, Error::not_found(&reason));
        let hint = "GET /api/v1/commands lists what there is";
        return refuse(StatusCode::BAD_REQUEST, ErrorKind::NotFound, &reason, hint);
    };
    if definition.bridge.is_none() {
        bridges.announce(&posted.cmd, &posted.args);
    }
    let session = posted.session_id.or(caller.session);
    let caller = Caller::new(CallerKind::Bridge, &caller.id, session.as_deref());
    let call = Call::new(caller, &posted.cmd, posted.args);
    let dispatcher = edge.dispatcher.clone();
    tokio::spawn(async move { dispatcher.dispatch(call).await });
    (StatusCode::ACCEPTED, Json(json!({"success": true, "accepted": definition.id})))
        .into_response()
}

/// `GET /events`: calls for a bridge, as server-sent events.
async fn events(State(edge): State<Edge>, Query(which): Query<Which>) -> Response {
    let calls = match edge.dispatcher.state().bridges().listen(&which.name(&Value::Null)) {
        Ok(calls) => calls,
        Err(error) => {
            let hint = "close a stream that is no longer read, or raise --max-bridge-streams";
            let error = error.to_string();
            return refuse(StatusCode::SERVICE_UNAVAILABLE, ErrorKind::Busy, &error, hint);
        }
    };
    let now = edge.dispatcher.state().now();
    let hello = stream::iter([Ok::<_, Infallible>(ping(now))]);
    let stop = edge.stop.clone();
    let live = stream::unfold((calls, edge), next_call).take_until(stop.cancelled_owned()).map(Ok);
    Sse::new(hello.chain(live)).keep_alive(KeepAlive::default()).into_response()
}

async fn next_call((mut calls, edge): (Calls, Edge)) -> Option<(Event, (Calls, Edge))> {
    let event = match tokio::time::timeout(PING_EVERY, calls.next()).await {
        Ok(call) => Event::default().event("AGENT_COMMAND").data(call?.data.to_string()),
        Err(_) => ping(edge.dispatcher.state().now()),
    };
    Some((event, (calls, edge)))
}

fn ping(now: u64) -> Event {
    Event::default().event("ping").data(json!({"timestamp": now}).to_string())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Posting {
    #[serde(alias = "id")]
    call_id: Option<String>,
    cmd: Option<String>,
    success: bool,
    #[serde(alias = "data", alias = "result")]
    output: Option<Value>,
    error: Option<String>,
    kind: Option<ErrorKind>,
    hint: Option<String>,
}

/// `POST /command-results`: a bridge's answer to a call.
async fn result(State(edge): State<Edge>, body: Bytes) -> Response {
    let posted: Posting = match parse(&body).map(serde_json::from_value) {
        Ok(Ok(posted)) => posted,
        Ok(Err(error)) => return refuse_body(&error.to_string()),
        Err(response) => return response,
    };
    let result = if posted.success {
        Ok(posted.output.unwrap_or_else(|| json!({})))
    } else {
        let message = posted.error.unwrap_or_else(|| "the bridge gave no reason".into());
        let error = Error::new(posted.kind.unwrap_or(ErrorKind::Internal), message);
        Err(match posted.hint {
            Some(hint) => error.hint(hint),
            None => error,
        })
    };
    let bridges = edge.dispatcher.state().bridges();
    if bridges.answer(posted.call_id.as_deref(), posted.cmd.as_deref(), result) {
        return Json(json!({"success": true})).into_response();
    }
    refuse(
        StatusCode::NOT_FOUND,
        ErrorKind::NotFound,
        "no call waits for this result; it may have timed out",
        "answer each call once, with the `callId` that it came with",
    )
}

/// `GET /instructions`: what an agent is told, made from the live state.
/// They are for who is shown the tools that `set` names; an agent of ours is known by its key, and told what people
/// did since it called last.
async fn show_instructions(State(edge): State<Edge>, uri: Uri) -> Response {
    let set = query_value(&uri, "set").map_or(Ok(ToolSet::default()), str::parse);
    match set {
        Ok(set) => {
            let kind = [(CONTENT_TYPE, "text/markdown; charset=utf-8")];
            let key = query_value(&uri, "key").unwrap_or_default();
            let conversations = edge.dispatcher.state().conversations();
            let holder = conversations.holder_of(|live| same_secret(key, live));
            let client = holder.as_ref().map(|holder| holder.agent.as_str());
            (kind, edge.mcp.instructions(set, client)).into_response()
        }
        Err(error) => {
            let hint = "leave `set` out for all of them";
            refuse(StatusCode::BAD_REQUEST, ErrorKind::InvalidArgs, &error, hint)
        }
    }
}

//! `GET /api/commands` and `POST /api/commands/{id}`.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header::CACHE_CONTROL},
    response::{IntoResponse, Response},
};
use openspace_command::{Call, Caller, Error, Reply, Result};
use openspace_workspace::{Dispatcher, areas::catalogue::Full};
use serde_json::{Value, json};

use super::packing::tagged;
use crate::status::http_status;

/// Names the kind of a failure, for clients that asked for text.
pub const KIND_HEADER: &str = "x-openspace-kind";

/// How the program ended that a command ran, as a shell tells it.
pub const EXIT_CODE_HEADER: &str = "x-openspace-exit-code";

/// The catalogue: everything that palettes, forms and documents are drawn from. It is large and
/// seldom another, so a page that is loaded again asks only whether it is.
pub async fn list(State(dispatcher): State<Dispatcher>, headers: HeaderMap) -> Response {
    let commands: Vec<Full> =
        dispatcher.registry().all().iter().map(|definition| Full::of(definition)).collect();
    let version = *dispatcher.registry().version().borrow();
    let catalogue = json!({"version": version, "commands": commands}).to_string();
    let mut response = tagged(&headers, catalogue.into_bytes());
    let cache = HeaderValue::from_static("private, no-cache");
    response.headers_mut().insert(CACHE_CONTROL, cache);
    response
}

/// Run a command. A client that hangs up takes its call back.
pub async fn call(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    run(&dispatcher, caller, &id, parse_body(&body), &headers).await
}

/// Run a command and answer as the client asked to be answered. Arguments that cannot be read are
/// refused by the dispatcher, so that they are on record too.
pub async fn run(
    dispatcher: &Dispatcher,
    caller: Caller,
    id: &str,
    args: Result<Value, Error>,
    headers: &HeaderMap,
) -> Response {
    let wants_text = headers
        .get("accept")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.starts_with("text/plain"));
    let args = match args {
        Ok(args) => args,
        Err(error) => {
            let call = Call::new(caller, id, Value::Null);
            return respond(&dispatcher.refuse(&call, error), wants_text);
        }
    };
    let call = Call::new(caller, id, args).with_text(wants_text);
    let hang_up = call.cancel.clone().drop_guard();
    let reply = dispatcher.dispatch(call).await;
    hang_up.disarm();
    respond(&reply, wants_text)
}

/// A body is JSON, or empty for no arguments.
pub fn parse_body(body: &[u8]) -> Result<Value> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    serde_json::from_slice(body).map_err(|error| {
        Error::invalid(format!("the body is not valid JSON: {error}"))
            .hint("send the arguments as a JSON object, such as {\"path\": \"src/main.rs\"}")
    })
}

/// The response for a reply; what the caller has left is in a header.
pub fn respond(reply: &Reply, wants_text: bool) -> Response {
    let status =
        reply.result.as_ref().map_or_else(|error| http_status(error.kind), |_| StatusCode::OK);
    let mut response = if wants_text {
        (status, reply.to_text()).into_response()
    } else {
        (status, Json(reply.to_value())).into_response()
    };
    let budget = serde_json::to_string(&reply.budget).unwrap_or_default();
    if let Ok(value) = budget.parse() {
        response.headers_mut().insert("x-openspace-budget", value);
    }
    if let Err(error) = &reply.result {
        let kind = HeaderValue::from_static(error.kind.word());
        response.headers_mut().insert(KIND_HEADER, kind);
    }
    if let Some(code) = reply.exit_code {
        response.headers_mut().insert(EXIT_CODE_HEADER, HeaderValue::from(u16::from(code)));
    }
    if let Some(Ok(value)) = reply.warning.as_ref().map(|warning| warning.parse()) {
        response.headers_mut().insert("x-openspace-warning", value);
    }
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        response.headers_mut().insert("retry-after", HeaderValue::from_static("2"));
    }
    response
}

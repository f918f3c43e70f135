//! `GET /api/commands` and `POST /api/commands/{id}`.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use openspace_command::{Call, Caller, Reply};
use openspace_workspace::{Dispatcher, catalogue::Full};
use serde_json::{Value, json};

use crate::{http::failure, status::http_status};

/// Names the kind of a failure, for clients that asked for text.
pub const KIND_HEADER: &str = "x-openspace-kind";

/// The catalogue: everything that palettes, forms and documents are drawn from.
pub async fn list(State(dispatcher): State<Dispatcher>) -> Json<Value> {
    let commands: Vec<Full> =
        dispatcher.registry().all().iter().map(|definition| Full::of(definition)).collect();
    let version = *dispatcher.registry().version().borrow();
    Json(json!({"version": version, "commands": commands}))
}

/// Run a command. A client that hangs up takes its call back.
pub async fn call(
    State(dispatcher): State<Dispatcher>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let args = match parse_body(&body) {
        Ok(args) => args,
        Err(response) => return response,
    };
    let wants_text = headers
        .get("accept")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.starts_with("text/plain"));
    let call = Call::new(caller, &id, args).with_text(wants_text);
    let hang_up = call.cancel.clone().drop_guard();
    let reply = dispatcher.dispatch(call).await;
    hang_up.disarm();
    respond(&reply, wants_text)
}

#[expect(clippy::result_large_err, reason = "the error is the response itself")]
/// A body is JSON, or empty for no arguments.
pub fn parse_body(body: &[u8]) -> Result<Value, Response> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    serde_json::from_slice(body).map_err(|error| {
        let error = format!("the body is not valid JSON: {error}");
        let hint = "send the arguments as a JSON object, such as {\"path\": \"src/main.rs\"}";
        failure(StatusCode::BAD_REQUEST, "invalid_args", &error, Some(hint))
    })
}

/// The response for a reply; what the caller has left is in a header.
fn respond(reply: &Reply, wants_text: bool) -> Response {
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
        let kind = axum::http::HeaderValue::from_static(error.kind.word());
        response.headers_mut().insert(KIND_HEADER, kind);
    }
    if let Some(Ok(value)) = reply.warning.as_ref().map(|warning| warning.parse()) {
        response.headers_mut().insert("x-openspace-warning", value);
    }
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        response.headers_mut().insert("retry-after", axum::http::HeaderValue::from_static("2"));
    }
    response
}

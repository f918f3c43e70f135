//! What the transport cannot read is refused in the words of JSON-RPC.
//!
//! The library answers such a body as if its content type were wrong. Whether it is no JSON or no message
//! is looked at only then.

use std::error::Error as _;

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, Method, StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::LengthLimitError;
use serde_json::{Value, json};

use crate::http::bodies::MAX_BODY;

/// The codes of JSON-RPC.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

fn refusal(status: StatusCode, code: i32, id: &Value, message: &str) -> Response {
    let error = json!({"code": code, "message": message});
    (status, Json(json!({"jsonrpc": "2.0", "id": id, "error": error}))).into_response()
}

/// Pass a request on; a body that was not understood is answered with the reason.
pub(super) async fn in_json_rpc(request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !is_json(request.headers()) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let body = match to_bytes(body, MAX_BODY).await {
        Ok(body) => body,
        Err(error) => {
            let cause = error.source();
            let too_large =
                cause.and_then(|cause| cause.downcast_ref::<LengthLimitError>()).is_some();
            let status =
                if too_large { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST };
            let message = format!("the body cannot be read to its end: {error}");
            return refusal(status, PARSE_ERROR, &Value::Null, &message);
        }
    };
    let response = next.run(Request::from_parts(parts, Body::from(body.clone()))).await;
    if response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return response;
    }
    match serde_json::from_slice::<Value>(&body) {
        Err(error) => {
            let message = format!("the body is not valid JSON: {error}");
            refusal(StatusCode::BAD_REQUEST, PARSE_ERROR, &Value::Null, &message)
        }
        Ok(value) => {
            let id = value.get("id").unwrap_or(&Value::Null);
            let message = "the body is no message of MCP";
            refusal(StatusCode::BAD_REQUEST, INVALID_REQUEST, id, message)
        }
    }
}

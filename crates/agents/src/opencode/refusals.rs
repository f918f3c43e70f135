//! What a refusal of opencode means.

use hyper::StatusCode;
use serde_json::Value;

use super::operations::Operation;
use crate::{AgentError, model::shortened};

#[cfg(test)]
mod tests;

/// The error for an answer with this status.
pub(super) fn of(
    url: &str,
    operation: &Operation,
    names: &[&str],
    status: StatusCode,
    body: &[u8],
) -> AgentError {
    let message = || shortened(&words(body).unwrap_or_else(|| status.to_string()));
    // What is named last is what is looked for in what is named before.
    let last = operation.names.last().copied().zip(names.last());
    match (status, last) {
        (StatusCode::UNAUTHORIZED, _) => AgentError::NotAllowed {
            agent: format!("opencode at {url}"),
            why: "its password is another one, or it was given none".to_owned(),
        },
        (StatusCode::NOT_FOUND, Some((what, id))) => {
            AgentError::NotFound { what, id: (*id).to_owned() }
        }
        (StatusCode::CONFLICT, Some((_, id))) => AgentError::Busy { session: (*id).to_owned() },
        _ => AgentError::Refused { status: status.as_u16(), message: message() },
    }
}

/// opencode has several forms for the same.
fn words(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let said = [&body["data"]["message"], &body["message"], &body["name"], &body["_tag"]];
    said.into_iter().find_map(Value::as_str).map(str::to_owned)
}

//! Why something has no answer, in the words of this crate.

use agent_client_protocol_schema::v1::{Error as Refusal, ErrorCode};
use serde_json::Value;

use super::{client::LogIn, peer::CallError};
use crate::{
    AgentError,
    model::{Failure, FailureKind, shortened},
};

/// Why a call was not answered.
pub(super) fn of_call(
    error: CallError,
    method: &str,
    agent: &str,
    log_ins: &[LogIn],
) -> AgentError {
    let (what, agent) = (method.to_owned(), agent.to_owned());
    match error {
        CallError::Over(why) => AgentError::NotRunning { agent, why },
        CallError::Refused(refusal) if refusal.code == ErrorCode::AuthRequired => {
            let ways: Vec<String> =
                log_ins.iter().map(|it| format!("{} ({})", it.name, it.id)).collect();
            let ways = if ways.is_empty() { "its own command".to_owned() } else { ways.join(", ") };
            AgentError::NotAllowed {
                agent,
                why: format!("{}; log in with {ways}", words(&refusal)),
            }
        }
        CallError::Refused(refusal) => {
            let status = match refusal.code {
                ErrorCode::MethodNotFound => 501,
                ErrorCode::InvalidParams | ErrorCode::InvalidRequest | ErrorCode::ParseError => 400,
                ErrorCode::ResourceNotFound => 404,
                _ => status(&refusal).unwrap_or(500),
            };
            AgentError::Refused { status, message: words(&refusal) }
        }
        CallError::TimedOut(patience) => {
            let after_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
            AgentError::TimedOut { what, after_ms }
        }
        CallError::NotUnderstood(why) => AgentError::Protocol { what, why: shortened(&why) },
        CallError::TooLarge => {
            AgentError::TooLarge { what, limit: super::line::LONGEST_LINE as u64 }
        }
        CallError::TooMany => AgentError::Protocol {
            what,
            why: "the agent answers nothing that it is asked".to_owned(),
        },
    }
}

/// Why a turn did not end well.
pub(super) fn of_turn(error: CallError, agent: &str) -> Failure {
    let (kind, name, message, status) = match error {
        CallError::Refused(refusal) => {
            let status = status(&refusal);
            let kind = match (refusal.code, status) {
                (ErrorCode::AuthRequired, _) | (_, Some(401 | 403)) => FailureKind::LogIn,
                (ErrorCode::RequestCancelled, _) => FailureKind::Aborted,
                (_, Some(429)) => FailureKind::RateLimit,
                (_, Some(_)) => FailureKind::Provider,
                (_, None) => FailureKind::Other,
            };
            (kind, refusal.code.to_string(), words(&refusal), status)
        }
        CallError::Over(why) => {
            let message = format!("{agent} ended in the middle of it: {why}");
            (FailureKind::Other, "ended".to_owned(), message, None)
        }
        other => {
            let message = of_call(other, "session/prompt", agent, &[]).to_string();
            (FailureKind::Other, "protocol".to_owned(), message, None)
        }
    };
    let is_retryable = kind == FailureKind::RateLimit;
    Failure { kind, name, message: shortened(&message), status, is_retryable }
}

/// An agent's words, with what it adds to them.
fn words(refusal: &Refusal) -> String {
    let more = refusal.data.as_ref().and_then(|data| match data {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => ["details", "message", "error"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str().map(str::to_owned)),
        _ => None,
    });
    match more.filter(|more| *more != refusal.message) {
        Some(more) => shortened(&format!("{}: {more}", refusal.message)),
        None => shortened(&refusal.message),
    }
}

/// The status of a provider, where the agent tells it as a number.
fn status(refusal: &Refusal) -> Option<u16> {
    let data = refusal.data.as_ref()?;
    let names = ["status", "statusCode", "status_code"];
    let status = names.iter().find_map(|name| data.get(name)?.as_u64())?;
    u16::try_from(status).ok().filter(|status| (100..600).contains(status))
}

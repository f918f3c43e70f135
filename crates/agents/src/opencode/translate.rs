//! What opencode says, in the words of the model.
//!
//! What has a form that is not known here is never an error: a part becomes [`PartContent::Other`] with the name that
//! opencode gives it.

mod catalogue;
mod parts;
mod requests;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::wire;
use crate::{
    AgentError,
    model::{
        Change, DiffText, Failure, FailureKind, FileDiff, LongText, MOST_DIFFS, MOST_PARTS,
        Message, MessageId, MessageInfo, ModelChoice, PartId, Reverted, Role, Session, SessionId,
        SessionStatus, Totals, Usage, shortened,
    },
};

pub(super) use catalogue::{commands, models, modes};
pub(super) use parts::part;
pub(super) use requests::{permission, question, todos};

#[cfg(test)]
mod tests;

/// Read something of a known form.
pub(super) fn read<T: DeserializeOwned>(what: &str, value: Value) -> Result<T, AgentError> {
    serde_json::from_value(value)
        .map_err(|error| AgentError::Protocol { what: what.to_owned(), why: error.to_string() })
}

pub(super) fn session(said: wire::Session) -> Session {
    let totals = said
        .tokens
        .as_ref()
        .map(|tokens| Totals { usage: usage(tokens), cost: said.cost.unwrap_or_default() });
    Session {
        id: SessionId(said.id),
        title: shortened(&said.title),
        parent_id: said.parent_id.map(SessionId),
        directory: said.directory,
        created: Some(said.time.created),
        updated: Some(said.time.updated),
        archived: said.time.archived.map(milliseconds),
        shared_at: said.share.map(|share| share.url),
        reverted: said.revert.map(|revert| Reverted {
            message_id: MessageId(revert.message_id),
            part_id: revert.part_id.map(PartId),
            diff: revert.diff.map(LongText::new),
        }),
        mode: said.agent,
        model: said.model.map(|model| ModelChoice {
            provider: model.provider_id,
            model: model.id,
            // That is how it says that none was chosen.
            variant: model.variant.filter(|variant| variant != "default"),
        }),
        totals,
    }
}

pub(super) fn status(said: wire::Status) -> SessionStatus {
    match said.r#type.as_str() {
        "idle" => SessionStatus::Idle {},
        "retry" => SessionStatus::Retry {
            attempt: said.attempt.unwrap_or_default(),
            message: shortened(&said.message.unwrap_or_default()),
            next: said.next,
        },
        // Whatever else it may be one day, it is not idle.
        _ => SessionStatus::Busy {},
    }
}

pub(super) fn message(said: wire::Message) -> Result<Message, AgentError> {
    let left_out = said.parts.len().saturating_sub(MOST_PARTS);
    Ok(Message {
        info: message_info(said.info)?,
        parts: said.parts.into_iter().take(MOST_PARTS).filter_map(part).collect(),
        parts_left_out: left_out as u64,
    })
}

pub(super) fn message_info(said: Value) -> Result<MessageInfo, AgentError> {
    const WHAT: &str = "a message";
    match said["role"].as_str() {
        Some("user") => Ok(user_message(read(WHAT, said)?)),
        Some("assistant") => Ok(assistant_message(read(WHAT, said)?)),
        role => Err(AgentError::Protocol {
            what: WHAT.to_owned(),
            why: format!("its role is {role:?}"),
        }),
    }
}

fn user_message(said: wire::UserMessage) -> MessageInfo {
    let diffs = said.summary.map(|summary| summary.diffs).unwrap_or_default();
    MessageInfo {
        id: MessageId(said.id),
        session_id: SessionId(said.session_id),
        role: Role::User,
        created: milliseconds(said.time.created),
        completed: Some(milliseconds(said.time.created)),
        answers: None,
        mode: said.agent,
        model: said.model.map(chosen),
        usage: None,
        cost: None,
        finish: None,
        failure: None,
        is_summary: false,
        diffs: file_diffs(diffs),
    }
}

fn assistant_message(said: wire::AssistantMessage) -> MessageInfo {
    MessageInfo {
        id: MessageId(said.id),
        session_id: SessionId(said.session_id),
        role: Role::Assistant,
        created: said.time.created,
        completed: said.time.completed,
        answers: Some(MessageId(said.parent_id)),
        mode: said.agent,
        model: Some(ModelChoice {
            provider: said.provider_id,
            model: said.model_id,
            variant: said.variant,
        }),
        usage: Some(usage(&said.tokens)),
        cost: Some(said.cost),
        finish: said.finish,
        failure: said.error.map(failure),
        is_summary: said.summary.unwrap_or_default(),
        diffs: Vec::new(),
    }
}

pub(super) fn failure(said: wire::Failure) -> Failure {
    let status = said.data.status_code;
    let kind = match (said.name.as_str(), status) {
        ("MessageAbortedError", _) => FailureKind::Aborted,
        ("ProviderAuthError", _) | ("APIError", Some(401 | 403)) => FailureKind::LogIn,
        ("APIError", Some(429)) => FailureKind::RateLimit,
        ("APIError", _) => FailureKind::Provider,
        ("ContextOverflowError", _) => FailureKind::ContextFull,
        ("MessageOutputLengthError", _) => FailureKind::OutputLength,
        ("ContentFilterError", _) => FailureKind::ContentFilter,
        _ => FailureKind::Other,
    };
    Failure {
        kind,
        message: shortened(&said.data.message),
        name: said.name,
        status,
        is_retryable: said.data.is_retryable,
    }
}

pub(super) fn file_diffs(said: Vec<wire::FileDiff>) -> Vec<FileDiff> {
    said.into_iter().take(MOST_DIFFS).map(file_diff).collect()
}

fn file_diff(said: wire::FileDiff) -> FileDiff {
    FileDiff {
        path: said.file.unwrap_or_default(),
        change: match said.status.as_deref() {
            Some("added") => Some(Change::Added),
            Some("deleted") => Some(Change::Deleted),
            Some("modified") => Some(Change::Modified),
            _ => None,
        },
        additions: Some(count(said.additions)),
        deletions: Some(count(said.deletions)),
        text: said.patch.map_or(DiffText::Untold, patch),
    }
}

fn patch(patch: impl Into<String>) -> DiffText {
    DiffText::Patch { patch: LongText::new(patch) }
}

fn usage(said: &wire::Tokens) -> Usage {
    Usage {
        input: count(said.input),
        output: count(said.output),
        reasoning: count(said.reasoning),
        cache_read: count(said.cache.read),
        cache_write: count(said.cache.write),
    }
}

fn chosen(said: wire::ChosenModel) -> ModelChoice {
    ModelChoice { provider: said.provider_id, model: said.model_id, variant: said.variant }
}

/// opencode says whole numbers as JSON numbers of any form.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of floats stays within the bounds of the type"
)]
fn count(number: f64) -> u64 {
    number as u64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast of floats stays within the bounds of the type"
)]
fn milliseconds(number: f64) -> i64 {
    number as i64
}

//! Messages: who said something, when, with which model, at which cost, and how it ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileDiff, MessageId, ModelChoice, Part, SessionId};

/// A message with its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// What is known of it as a whole.
    pub info: MessageInfo,
    /// What it says, in order.
    pub parts: Vec<Part>,
    /// Parts that are not here because there are too many.
    pub parts_left_out: u64,
}

/// What is known of a message as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageInfo {
    /// Its id.
    pub id: MessageId,
    /// The session that it belongs to.
    pub session_id: SessionId,
    /// Who said it.
    pub role: Role,
    /// When it began.
    pub created: i64,
    /// When it was complete.
    pub completed: Option<i64>,
    /// The message that it answers.
    pub answers: Option<MessageId>,
    /// The way of working it was made in.
    pub mode: Option<String>,
    /// The model.
    pub model: Option<ModelChoice>,
    /// Tokens.
    pub usage: Option<Usage>,
    /// What it cost, in US dollars, where the agent knows.
    pub cost: Option<f64>,
    /// Why the model stopped, in its word.
    pub finish: Option<String>,
    /// Why it is not complete.
    pub failure: Option<Failure>,
    /// Whether it stands for older messages that the model does not see any more.
    pub is_summary: bool,
    /// What the turn that it began did to files, where the agent says so.
    pub diffs: Vec<FileDiff>,
}

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person, or who speaks for one.
    User,
    /// The agent.
    Assistant,
}

/// Tokens of a message or a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read by the model and not from a cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Written by the model for itself.
    pub reasoning: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
}

impl Usage {
    /// How much of the context is used: all that was read and written.
    pub fn context(&self) -> u64 {
        self.input + self.output + self.reasoning + self.cache_read + self.cache_write
    }
}

/// Why a turn did not end well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// What kind, for programs.
    pub kind: FailureKind,
    /// The agent's name for it.
    pub name: String,
    /// The agent's or the provider's words, without keys.
    pub message: String,
    /// The provider's status, if it gave one.
    pub status: Option<u16>,
    /// Whether the same may succeed later.
    pub is_retryable: bool,
}

/// What kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Somebody stopped it.
    Aborted,
    /// The provider wants a log-in or a key.
    LogIn,
    /// The provider wants us to wait.
    RateLimit,
    /// The provider refused or failed.
    Provider,
    /// The conversation is longer than the model can read.
    ContextFull,
    /// The answer is longer than the model may write.
    OutputLength,
    /// A filter of the provider.
    ContentFilter,
    /// Anything else.
    Other,
}

/// Which messages of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageQuery {
    /// Of which session.
    pub session_id: SessionId,
    /// How many at most; what is above [`MOST_MESSAGES`](super::MOST_MESSAGES) is brought down to it.
    pub limit: usize,
    /// Only those before this place, from [`MessagePage::older`]; missing means the newest.
    pub before: Option<String>,
}

/// Some messages, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessagePage {
    /// The messages.
    pub messages: Vec<Message>,
    /// Where older ones go on; missing when these are the oldest.
    pub older: Option<String>,
}

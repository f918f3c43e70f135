//! What an agent wants from a person, and what it means to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FileDiff, MessageId, PermissionId, QuestionId, SessionId};

/// Something that a person must allow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// Its id.
    pub id: PermissionId,
    /// The session that asks; that of a sub-agent asks by itself.
    pub session_id: SessionId,
    /// What kind of thing, in the agent's word, such as `bash` or `edit`.
    pub permission: String,
    /// What it is about, in a few words, where the agent says so.
    pub title: Option<String>,
    /// What exactly: commands, paths.
    pub patterns: Vec<String>,
    /// What `always` would allow from then on; empty where the agent does not say.
    pub always: Vec<String>,
    /// The answers that the agent takes.
    pub replies: Vec<PermissionReply>,
    /// What it would do to files.
    pub diffs: Vec<FileDiff>,
    /// What else the agent says, as far as it fits.
    pub details: Value,
    /// The call that waits.
    pub tool: Option<ToolReference>,
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolReference {
    /// The message that it is in, where the agent says so.
    pub message_id: Option<MessageId>,
    /// The call.
    pub call_id: String,
}

/// How a request for permission was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionReply {
    /// This time.
    Once,
    /// From now on.
    Always,
    /// No.
    Reject,
}

/// An answer to a request for permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PermissionAnswer {
    /// This time.
    Once {},
    /// From now on.
    Always {},
    /// No. With a message the model hears why and goes on; without, the turn may end.
    Reject {
        /// What the model is told.
        #[serde(default)]
        message: Option<String>,
    },
}

impl PermissionAnswer {
    /// The answer without its message.
    pub fn reply(&self) -> PermissionReply {
        match self {
            Self::Once {} => PermissionReply::Once,
            Self::Always {} => PermissionReply::Always,
            Self::Reject { .. } => PermissionReply::Reject,
        }
    }
}

/// Questions that the agent asks together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionRequest {
    /// Its id.
    pub id: QuestionId,
    /// The session that asks.
    pub session_id: SessionId,
    /// The questions; an answer has one list for each.
    pub questions: Vec<Question>,
    /// The call that waits.
    pub tool: Option<ToolReference>,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// A word or two for it.
    pub header: String,
    /// What can be chosen.
    pub choices: Vec<QuestionChoice>,
    /// Whether several can be.
    pub is_multiple: bool,
    /// Whether an answer in own words is taken.
    pub takes_own_words: bool,
}

/// Something to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionChoice {
    /// What is answered.
    pub label: String,
    /// What it means.
    pub description: String,
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    /// What.
    pub content: String,
    /// How far it is.
    pub state: TodoState,
    /// How important, in the agent's word.
    pub priority: String,
}

/// How far something to be done is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Not to be done any more.
    Cancelled,
    /// The agent has a word for it that this crate does not know.
    Unknown,
}

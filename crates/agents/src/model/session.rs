//! Sessions: conversations that an agent keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LongText, MessageId, ModelChoice, PartId, SessionId, Usage};

/// A conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// What it is about.
    pub title: String,
    /// The session whose sub-agent this is.
    pub parent_id: Option<SessionId>,
    /// The folder that it works in.
    pub directory: Option<String>,
    /// When it began.
    pub created: Option<i64>,
    /// When something in it changed last.
    pub updated: Option<i64>,
    /// Since when it is put aside.
    pub archived: Option<i64>,
    /// Where others can read it.
    pub shared_at: Option<String>,
    /// From which message on everything is undone.
    pub reverted: Option<Reverted>,
    /// The way of working chosen last.
    pub mode: Option<String>,
    /// The model chosen last.
    pub model: Option<ModelChoice>,
    /// What it came to so far, where the agent counts.
    pub totals: Option<Totals>,
}

/// What a session came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Tokens.
    pub usage: Usage,
    /// What it cost, in US dollars.
    pub cost: f64,
}

/// What is undone. The messages from this one on are still listed until the next prompt: do not show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reverted {
    /// The first message that is undone.
    pub message_id: MessageId,
    /// The first part of it that is undone; missing means all of it.
    pub part_id: Option<PartId>,
    /// What the undoing did to files, as a unified diff.
    pub diff: Option<LongText>,
}

/// What to undo: this message and all after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevertTo {
    /// The first message to undo.
    pub message_id: MessageId,
    /// The first part of it to undo; missing means all of it.
    #[serde(default)]
    pub part_id: Option<PartId>,
}

/// What a session does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SessionStatus {
    /// Nothing.
    Idle {},
    /// It works.
    Busy {},
    /// It waits to ask the model again.
    Retry {
        /// How often it tried.
        attempt: u32,
        /// Why.
        message: String,
        /// When it tries again.
        next: Option<i64>,
    },
}

/// What a session does, with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusOfSession {
    /// Which.
    pub session_id: SessionId,
    /// What it does.
    pub status: SessionStatus,
}

/// A session to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewSession {
    /// What it is about; missing leaves it to the agent.
    #[serde(default)]
    pub title: Option<String>,
    /// The model.
    #[serde(default)]
    pub model: Option<ModelChoice>,
    /// The way of working.
    #[serde(default)]
    pub mode: Option<String>,
}

/// Which sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionQuery {
    /// Only those with this in their title.
    #[serde(default)]
    pub search: Option<String>,
    /// Only those that are no sub-agent's.
    #[serde(default)]
    pub only_roots: bool,
    /// How many at most; missing, or above [`MOST_SESSIONS`](super::MOST_SESSIONS), is that many.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Only those after this place, from [`SessionPage::next`].
    #[serde(default)]
    pub after: Option<String>,
}

/// Some sessions, the one that changed last first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Where it goes on; missing when there are no more.
    pub next: Option<String>,
}

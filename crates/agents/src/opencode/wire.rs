//! What opencode sends, as far as it is read: the names are its own.
//!
//! Everything that may be missing may be missing here, and what is not read is not here. A test holds the names to what
//! opencode itself says of its types.

use serde::Deserialize;
use serde_json::{Map, Value};

macro_rules! read {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $name {
            $($(#[$attribute])* pub(super) $field: $kind,)*
        }
    )*};
}

read! {
    /// `Session`
    Session {
        id: String,
        title: String,
        #[serde(rename = "parentID")]
        parent_id: Option<String>,
        directory: Option<String>,
        time: SessionTime,
        share: Option<Shared>,
        revert: Option<Revert>,
        agent: Option<String>,
        model: Option<SessionModel>,
        cost: Option<f64>,
        tokens: Option<Tokens>,
    }

    SessionTime { created: i64, updated: i64, archived: Option<f64>, }

    Shared { url: String, }

    Revert {
        #[serde(rename = "messageID")]
        message_id: String,
        #[serde(rename = "partID")]
        part_id: Option<String>,
        diff: Option<String>,
    }

    SessionModel {
        id: String,
        #[serde(rename = "providerID")]
        provider_id: String,
        variant: Option<String>,
    }

    Tokens { input: f64, output: f64, reasoning: f64, cache: CachedTokens, }

    CachedTokens { read: f64, write: f64, }

    /// `UserMessage`
    UserMessage {
        id: String,
        #[serde(rename = "sessionID")]
        session_id: String,
        time: UserTime,
        agent: Option<String>,
        model: Option<ChosenModel>,
        summary: Option<UserSummary>,
    }

    UserTime { created: f64, }

    UserSummary { #[serde(default)] diffs: Vec<FileDiff>, }

    ChosenModel {
        #[serde(rename = "providerID")]
        provider_id: String,
        #[serde(rename = "modelID")]
        model_id: String,
        variant: Option<String>,
    }

    /// `AssistantMessage`
    AssistantMessage {
        id: String,
        #[serde(rename = "sessionID")]
        session_id: String,
        time: AssistantTime,
        error: Option<Failure>,
        #[serde(rename = "parentID")]
        parent_id: String,
        #[serde(rename = "modelID")]
        model_id: String,
        #[serde(rename = "providerID")]
        provider_id: String,
        variant: Option<String>,
        agent: Option<String>,
        summary: Option<bool>,
        cost: f64,
        tokens: Tokens,
        finish: Option<String>,
    }

    AssistantTime { created: i64, completed: Option<i64>, }

    Failure { name: String, #[serde(default)] data: FailureData, }

    /// `SnapshotFileDiff`
    FileDiff {
        file: Option<String>,
        patch: Option<String>,
        additions: f64,
        deletions: f64,
        status: Option<String>,
    }

    /// What all parts have.
    PartHead {
        id: String,
        #[serde(rename = "sessionID")]
        session_id: String,
        #[serde(rename = "messageID")]
        message_id: String,
        r#type: String,
    }

    /// `TextPart`
    TextPart { text: String, synthetic: Option<bool>, time: Option<PartTime>, }

    /// `ReasoningPart`
    ReasoningPart { text: String, time: Option<PartTime>, }

    PartTime { start: i64, end: Option<i64>, }

    /// `FilePart`
    FilePart { mime: String, filename: Option<String>, url: String, }

    /// `ToolPart`
    ToolPart {
        #[serde(rename = "callID")]
        call_id: String,
        tool: String,
        state: ToolState,
    }

    /// `ToolStatePending`, `ToolStateRunning`, `ToolStateCompleted` and `ToolStateError`
    ToolState {
        status: String,
        #[serde(default)]
        input: Value,
        title: Option<String>,
        output: Option<String>,
        error: Option<String>,
        #[serde(default)]
        metadata: Map<String, Value>,
        time: Option<PartTime>,
        #[serde(default)]
        attachments: Vec<FilePart>,
    }

    /// `StepFinishPart`
    StepFinishPart { reason: String, cost: f64, tokens: Tokens, }

    /// `PatchPart`
    PatchPart { files: Vec<String>, }

    /// `AgentPart`
    AgentPart { name: String, }

    /// `SubtaskPart`
    SubtaskPart { prompt: String, description: String, agent: String, }

    /// `RetryPart`
    RetryPart { attempt: u32, error: Failure, time: RetryTime, }

    RetryTime { created: i64, }

    /// `CompactionPart`
    CompactionPart { auto: bool, }

    /// `PermissionRequest`
    PermissionRequest {
        id: String,
        #[serde(rename = "sessionID")]
        session_id: String,
        permission: String,
        patterns: Vec<String>,
        #[serde(default)]
        metadata: Map<String, Value>,
        #[serde(default)]
        always: Vec<String>,
        tool: Option<ToolCall>,
    }

    ToolCall {
        #[serde(rename = "messageID")]
        message_id: String,
        #[serde(rename = "callID")]
        call_id: String,
    }

    /// `QuestionRequest`
    QuestionRequest {
        id: String,
        #[serde(rename = "sessionID")]
        session_id: String,
        questions: Vec<Question>,
        tool: Option<ToolCall>,
    }

    /// `QuestionInfo`
    Question {
        question: String,
        header: String,
        options: Vec<QuestionOption>,
        multiple: Option<bool>,
        custom: Option<bool>,
    }

    /// `QuestionOption`
    QuestionOption { label: String, description: String, }

    /// `Todo`
    Todo { content: String, status: String, priority: String, }

    /// `SessionStatus`
    Status {
        r#type: String,
        attempt: Option<u32>,
        message: Option<String>,
        next: Option<i64>,
    }

    /// `Provider`
    Provider {
        id: String,
        name: String,
        source: Option<String>,
        key: Option<String>,
        #[serde(default)]
        env: Vec<String>,
        models: Map<String, Value>,
    }

    /// `Model`
    Model {
        id: String,
        name: String,
        status: Option<String>,
        capabilities: Capabilities,
        cost: Option<Cost>,
        limit: Limit,
        #[serde(default)]
        variants: Map<String, Value>,
    }

    Capabilities { reasoning: bool, toolcall: bool, input: Inputs, }

    Inputs { image: bool, }

    Cost { input: f64, output: f64, }

    Limit { context: f64, output: f64, }

    /// `Agent`
    Agent {
        name: String,
        description: Option<String>,
        mode: String,
        hidden: Option<bool>,
        model: Option<AgentModel>,
        variant: Option<String>,
    }

    AgentModel {
        #[serde(rename = "providerID")]
        provider_id: String,
        #[serde(rename = "modelID")]
        model_id: String,
    }

    /// `Command`
    Command {
        name: String,
        description: Option<String>,
        source: Option<String>,
        #[serde(default)]
        hints: Vec<String>,
    }
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FailureData {
    pub(super) message: String,
    pub(super) status_code: Option<u16>,
    pub(super) is_retryable: bool,
}

/// A message with its parts.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) info: Value,
    #[serde(default)]
    pub(super) parts: Vec<Value>,
}

/// What comes on `/global/event`.
#[derive(Debug, Deserialize)]
pub(super) struct GlobalEvent {
    pub(super) payload: Payload,
}

/// An event.
#[derive(Debug, Deserialize)]
pub(super) struct Payload {
    pub(super) id: Option<String>,
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) properties: Value,
}

/// `GET /config/providers`
#[derive(Debug, Deserialize)]
pub(super) struct Configured {
    pub(super) providers: Vec<Provider>,
    #[serde(default)]
    pub(super) default: Map<String, Value>,
}

/// `GET /provider`
#[derive(Debug, Deserialize)]
pub(super) struct Providers {
    pub(super) all: Vec<Provider>,
    #[serde(default)]
    pub(super) connected: Vec<String>,
}

//! Parts of messages: what was said, thought, done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, FileDiff, FileReference, LongText, MessageId, PartId, SessionId, Usage};

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Its id.
    pub id: PartId,
    /// The message that it belongs to.
    pub message_id: MessageId,
    /// The session of that message.
    pub session_id: SessionId,
    /// What it is.
    pub content: PartContent,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PartContent {
    /// Something said.
    Text {
        /// What.
        text: LongText,
        /// Whether it was made by a program for the model to read, and is not for people.
        is_synthetic: bool,
        /// When it began.
        started: Option<i64>,
        /// When it was complete.
        ended: Option<i64>,
    },
    /// Something thought.
    Reasoning {
        /// What.
        text: LongText,
        /// When it began.
        started: Option<i64>,
        /// When it was complete.
        ended: Option<i64>,
    },
    /// A tool at work.
    Tool {
        /// The call.
        call: Box<ToolCall>,
    },
    /// A file or a picture.
    File {
        /// Which.
        file: FileReference,
    },
    /// An agent that was mentioned.
    Mention {
        /// Its name.
        agent: String,
    },
    /// Work that was handed to a sub-agent.
    Subtask {
        /// Which agent.
        agent: String,
        /// What it is about.
        description: String,
        /// What it was told.
        prompt: LongText,
    },
    /// A step of the model begins.
    StepStart {},
    /// A step of the model ended.
    StepFinish {
        /// Why, in the model's word.
        reason: String,
        /// Tokens.
        usage: Usage,
        /// What it cost, in US dollars.
        cost: Option<f64>,
    },
    /// Files changed in a step.
    Patch {
        /// Which, as the agent names them.
        files: Vec<String>,
    },
    /// What came before was made shorter for the model.
    Compaction {
        /// Whether the agent did it by itself.
        is_automatic: bool,
    },
    /// The model is asked again after a failure.
    Retry {
        /// How often already.
        attempt: u32,
        /// Why.
        failure: Failure,
        /// When.
        at: Option<i64>,
    },
    /// Something that this crate has no word for.
    Other {
        /// The agent's name for it.
        name: String,
    },
}

/// A tool at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The call's own id, which requests for permission name.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// What it is about, in a few words.
    pub title: Option<String>,
    /// How far it is.
    pub state: ToolState,
    /// Its arguments, as far as they fit.
    pub input: Value,
    /// Bytes of the arguments that are not here.
    pub input_left_out: u64,
    /// What it gave, or has put out so far.
    pub output: Option<LongText>,
    /// Why it failed.
    pub error: Option<LongText>,
    /// When it began.
    pub started: Option<i64>,
    /// When it ended.
    pub ended: Option<i64>,
    /// Pictures and files that it gave.
    pub attachments: Vec<FileReference>,
    /// What it did, or would do, to files.
    pub diffs: Vec<FileDiff>,
    /// What it works on.
    pub locations: Vec<Location>,
    /// The session in which a sub-agent does the work.
    pub child_session: Option<SessionId>,
}

/// How far a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// Its arguments are being written, or somebody has to allow it.
    Pending,
    /// It works.
    Running,
    /// It is done.
    Completed,
    /// It failed, was refused or was stopped.
    Failed,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The file, as the agent names it.
    pub path: String,
    /// The line, counted from one.
    pub line: Option<u32>,
}

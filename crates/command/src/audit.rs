//! The record of every call: who ran what, when, for how long and how it ended. Never contents.

use openspace_protocol::ErrorKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Caller;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what was asked.
    Done,
    /// It did not, for a reason of this kind.
    Failed(ErrorKind),
}

impl Outcome {
    /// `done`, or the word of the error's kind.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed(kind) => kind.word(),
        }
    }
}

/// One call, for the audit log, the activity view and the instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// When it started, in milliseconds since 1970.
    pub at: u64,
    /// Who ran it.
    pub caller: Caller,
    /// Canonical id of the command, or the name asked for when there is no such command.
    pub command: String,
    /// One line that names things and holds no contents.
    pub summary: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The error's sentence, for a call that failed.
    pub error: Option<String>,
    /// How long it took, in microseconds.
    pub micros: u64,
}

/// Where records go. `record` must return at once: a full disk or a dead writer never holds up or
/// changes a command.
pub trait Recorder: Send + Sync + 'static {
    /// Take the record of a call that has just ended.
    fn record(&self, record: Record);
}

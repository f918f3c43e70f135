//! A call after it ended: the facts that the audit log, the activity view and scripts agree on.
//!
//! Only what a record holds is said here. Who fills it sees to it that no text in it is long, spans
//! lines or holds a secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Caller, ErrorKind};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    /// When it started, in milliseconds since 1970.
    pub at: u64,
    /// Who ran it.
    pub caller: Caller,
    /// Canonical id of the command, or the name asked for when there is no such command.
    pub command: String,
    /// The workspace it worked in, for commands that choose one of several.
    pub workspace: Option<String>,
    /// One line that names things and holds no contents.
    pub summary: String,
    /// The files and folders it named.
    pub paths: Vec<String>,
    /// By what it was let in, such as a rule or a person's answer; nothing where nobody had to decide.
    #[serde(default)]
    pub let_in: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// The error's sentence, for a call that failed.
    pub error: Option<String>,
    /// How long it took, in microseconds.
    pub micros: u64,
}

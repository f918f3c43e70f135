//! What a model is to say.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model says to one request, in this order: it waits, thinks, speaks, calls tools, ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// Milliseconds before it says anything.
    pub delay_ms: u64,
    /// Milliseconds between two pieces.
    pub gap_ms: u64,
    /// What it thinks, word by word.
    pub reasoning: String,
    /// What it says, word by word.
    pub text: String,
    /// What it says after that in pieces of 64 KiB, so many bytes.
    pub filler: usize,
    /// Tools that it calls.
    pub tools: Vec<CallOfTool>,
    /// How it ends.
    pub end: End,
    /// Tokens that it says it read.
    pub tokens_read: Option<u64>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallOfTool {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// How a step ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum End {
    /// As it should.
    #[default]
    Well,
    /// It never does: the connection stays open and nothing more is said.
    Never,
    /// The connection breaks off.
    Broken,
    /// It is refused before anything is said.
    Refused {
        /// The status.
        status: u16,
        /// Why.
        message: String,
        /// After how many milliseconds to ask again.
        retry_after_ms: Option<u64>,
    },
}

impl Step {
    /// It says something.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// It calls a tool.
    pub fn tool(name: &str, arguments: Value) -> Self {
        let tools = vec![CallOfTool { name: name.to_owned(), arguments }];
        Self { tools, ..Self::default() }
    }

    /// It is refused.
    pub fn refused(status: u16, message: &str) -> Self {
        let end = End::Refused { status, message: message.to_owned(), retry_after_ms: None };
        Self { end, ..Self::default() }
    }

    /// It thinks first.
    #[must_use]
    pub fn thinking(self, reasoning: &str) -> Self {
        Self { reasoning: reasoning.to_owned(), ..self }
    }

    /// It says the rest and then nothing more, and does not end.
    #[must_use]
    pub fn never_ending(self) -> Self {
        Self { end: End::Never, ..self }
    }

    pub(crate) fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }

    pub(crate) fn gap(&self) -> Duration {
        Duration::from_millis(self.gap_ms)
    }
}

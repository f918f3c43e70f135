//! What a view of a terminal and the server say to each other, beside the bytes.
//!
//! Bytes are binary messages: keys to the server, output to the view. All else is one of these, as a
//! JSON text. The first message is a repaint, and the bytes that bring the screen to the present state
//! are the binary message behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ErrorKind;

/// What a view says, beside keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromTerminalView {
    /// The terminal should have this size.
    Resize {
        /// Lines.
        rows: u16,
        /// Columns.
        cols: u16,
    },
}

/// What a view is told, beside output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToTerminalView {
    /// The next binary message brings a screen of this size, whatever it shows, to the present state.
    Repaint {
        /// Lines.
        rows: u16,
        /// Columns.
        cols: u16,
    },
    /// The terminal has this size now.
    Resized {
        /// Lines.
        rows: u16,
        /// Columns.
        cols: u16,
    },
    /// Whether this view answers what programs ask, from this place of the output on. Of several views
    /// one does.
    Answers {
        /// It does.
        answers: bool,
    },
    /// The program has ended; nothing follows.
    Ended {
        /// The exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// What the view sent was not done.
    Error {
        /// What went wrong, in one sentence.
        error: String,
        /// What kind of failure it is.
        kind: ErrorKind,
        /// What to try next.
        hint: Option<String>,
    },
}

#[cfg(test)]
mod tests;

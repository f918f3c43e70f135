//! What a run in a terminal is asked for and what it tells: plain data.

use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command to type at the prompt of a terminal, and what to wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRequest {
    /// Run by the terminal's shell as one command, also when it has several lines.
    pub command: String,
    pub wait: Wait,
    /// When to stop waiting. The command goes on.
    pub timeout_ms: u64,
    /// At most this many lines of output are returned, the first and the last ones.
    #[serde(default = "RunRequest::default_lines")]
    pub lines: usize,
}

impl RunRequest {
    pub const fn default_lines() -> usize {
        200
    }
}

/// What ends a run, besides the end of the command, which always does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "until", rename_all = "snake_case")]
pub enum Wait {
    /// The end of the command, or a full-screen program that takes over.
    Exit,
    /// No output for this long.
    Idle {
        #[serde(rename = "quietMs")]
        quiet_ms: u64,
    },
    /// A line of the output, finished or not, in which this regular expression is found.
    Pattern { pattern: String },
    /// A program that accepts connections on this port of the loopback interface.
    Port { port: NonZeroU16 },
}

/// Why a run has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The command has finished.
    Exited,
    /// The shell took the line and ran nothing: it was a comment, or the shell printed what is
    /// wrong with it.
    NotRun,
    Idle,
    Matched,
    PortOpen,
    TimedOut,
    /// A full-screen program waits for keys.
    AlternateScreen,
    /// The shell itself has ended; the exit code is its own.
    ShellEnded,
    Cancelled,
}

/// How far a run has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunOutcome {
    pub ended: Ended,
    /// Of the command, or of the shell when that has ended; absent while the command runs and when
    /// a signal ended the shell.
    pub exit_code: Option<i32>,
    /// The lines the command printed, as a person sees them, without the typed command and without
    /// the prompt. The last one may be unfinished. A shell that does not tell of its commands has
    /// its prompt in it.
    pub output: Vec<String>,
    pub output_truncated: bool,
    /// The index in `output` before which lines were left out.
    pub omitted_at: Option<usize>,
    /// How many lines there were.
    pub total_lines: usize,
    /// Pass as `since` of a read to go on after the finished lines of `output`.
    pub cursor: u64,
    /// The line in which the pattern was found.
    pub matched: Option<String>,
    /// Whether the command still runs.
    pub running: bool,
    /// Whether a full-screen program is shown.
    pub alternate_screen: bool,
    /// From typing the command to the end of the wait.
    pub duration_ms: u64,
    /// The shell's folder at its last prompt.
    pub cwd: Option<String>,
}

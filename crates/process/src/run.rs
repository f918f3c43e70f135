//! Running a shell command for an agent: output captured, time limited, nothing left behind.
//!
//! The command gets a session and process group of its own, no input, no terminal and no variable
//! of this process. Nothing here judges whether a command may run, chooses a folder for it or
//! masks secrets in what it prints: all of that is the caller's.
//!
//! A foreground run owns every process it starts. What is still alive when the shell has ended is
//! ended too, because nobody could see it any more; a program that is to stay belongs into
//! [`Background`](crate::Background). Processes are found by session, ancestors and marker: one that leaves its
//! session, loses its parent and also empties its environment is not found, but cannot hold up a
//! run either.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::excerpt::Excerpt;
use crate::follow::{Cause, Sink, follow};
use crate::spill::Spill;
use crate::start::{self, start};
use crate::text;

/// The most a kept text may hold, the mark of a cut included.
pub const BUDGET: usize = 50 * 1024;
/// The longest command.
pub const LONGEST_COMMAND: usize = 1024 * 1024;
/// The most that is written to a file of full output.
pub(crate) const LARGEST_SPILL: u64 = 1024 * 1024 * 1024;

/// What to run.
#[derive(Clone, Debug)]
pub struct Run {
    pub command: String,
    /// Absolute; whether something may run there is the caller's to judge.
    pub cwd: PathBuf,
    /// Absolute path of a POSIX shell.
    pub shell: PathBuf,
    /// The whole environment, but for the variables that keep programs from waiting for a person.
    pub base_env: Vec<(OsString, OsString)>,
    /// Without it the command may run for ever.
    pub timeout: Option<Duration>,
    /// Unique text by which processes of this run are found again: the value of
    /// `OPENSPACE_TERMINAL`.
    pub marker: String,
    /// An existing folder for outputs that exceed the budget. Its owner removes old ones.
    pub spill: PathBuf,
    pub patience: Patience,
}

/// How long to wait for what should happen soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From SIGTERM to SIGKILL after a timeout or a cancel.
    pub term_grace: Duration,
    /// From SIGTERM to SIGKILL for processes that outlive their shell.
    pub leftover_grace: Duration,
    /// How long output is awaited once the shell has ended by itself.
    pub drain_after_exit: Duration,
    /// How long output is awaited once every process that could be found has ended.
    pub drain_after_end: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            term_grace: Duration::from_secs(5),
            leftover_grace: Duration::from_millis(500),
            drain_after_exit: Duration::from_millis(500),
            drain_after_end: Duration::from_secs(2),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Stdout,
    Stderr,
}

/// What came of a command that was run to its end, whatever that end was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    pub stdout: Captured,
    pub stderr: Captured,
    /// Both streams in the order in which they arrived. The kernel keeps no order between two
    /// pipes: what a program writes to both at the same moment may be swapped.
    pub combined: Captured,
    /// The whole of `combined`, present when any text had to be cut.
    pub full: Option<FullOutput>,
    /// As the kernel reports it; absent when a signal ended the shell or it could not be ended.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub timed_out: bool,
    /// Until the shell ended.
    pub duration: Duration,
    /// How many processes outlived the shell and were ended.
    pub left_behind: usize,
    /// Processes that could not be ended.
    pub survivors: Vec<u32>,
}

/// A stream as text. Bytes that are not UTF-8, and zero bytes, are shown as U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// At most [`BUDGET`] bytes: beginning and end, with a line between them that says what is
    /// left out, when the stream is longer.
    pub text: String,
    pub truncated: bool,
    /// The stream holds zero bytes.
    pub binary: bool,
    pub total_bytes: u64,
    /// An unfinished last line counts.
    pub total_lines: u64,
}

/// A file with the raw output of both streams in the order of arrival.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FullOutput {
    pub path: PathBuf,
    /// How many bytes, from the beginning, it holds.
    pub bytes: u64,
    /// Why it does not hold all.
    pub incomplete: Option<Incomplete>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Incomplete {
    /// The largest size of such a file was reached.
    Limit { bytes: u64 },
    /// The file could not be created or written.
    Failed { message: String },
}

impl fmt::Display for Incomplete {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit { bytes } => write!(out, "the limit of {bytes} bytes was reached"),
            Self::Failed { message } => out.write_str(message),
        }
    }
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessError {
    #[error("the command is empty")]
    CommandEmpty,
    #[error("the command contains a zero byte")]
    CommandHasNul,
    #[error("the command has {bytes} bytes; {LONGEST_COMMAND} are possible")]
    CommandTooLong { bytes: usize },
    #[error("{} is not an absolute path", .0.display())]
    PathRelative(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("the folder {} does not exist or is not a folder", .0.display())]
    FolderMissing(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("the folder for full outputs {} does not exist or is not a folder", .0.display())]
    SpillMissing(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("the shell {} does not exist", .0.display())]
    ShellMissing(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("the shell {} is not an executable file", .0.display())]
    ShellNotExecutable(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("a run needs a marker that is not empty")]
    MarkerEmpty,
    #[error("{} could not be started", .shell.display())]
    Spawn {
        #[serde(with = "openspace_protocol::wire_error::path")]
        shell: PathBuf,
        #[serde(with = "openspace_protocol::wire_error")]
        source: std::io::Error,
    },
    #[error("{0:?} is neither the name of a program nor an absolute path")]
    ProgramName(String),
    #[error("the program {program} is not there: {}", crate::find::how(.program, .looked))]
    ProgramMissing {
        program: String,
        /// The folders in which its name was looked for.
        looked: Vec<String>,
    },
    #[error("the program {} could not be started: {reason}", .program.display())]
    NotStarted {
        #[serde(with = "openspace_protocol::wire_error::path")]
        program: PathBuf,
        reason: String,
    },
    #[error("{what} contains a zero byte")]
    HasNul { what: String },
    #[error("{0:?} cannot be the name of a variable")]
    VariableName(String),
    #[error("the run was cancelled")]
    Cancelled,
    #[error("the run was cancelled, but these processes could not be ended: {0:?}")]
    StillRunning(Vec<u32>),
    #[error("the cursor {since} lies ahead of the output, which is at {current}")]
    FutureCursor { since: u64, current: u64 },
    #[error("the full output {} could not be read", .path.display())]
    Reread {
        #[serde(with = "openspace_protocol::wire_error::path")]
        path: PathBuf,
        #[serde(with = "openspace_protocol::wire_error")]
        source: std::io::Error,
    },
    #[error("the state of the process could not be learnt")]
    Wait(
        #[source]
        #[serde(with = "openspace_protocol::wire_error")]
        std::io::Error,
    ),
}

/// Runs a command to its end. `output` sees every piece as it arrives, never with a character cut
/// in two; it must not block.
///
/// Dropping the future ends every process of the run.
pub async fn run(
    run: &Run,
    output: impl FnMut(Stream, &[u8]) + Send,
    cancel: &CancellationToken,
) -> Result<Finished, ProcessError> {
    start::check(run)?;
    if cancel.is_cancelled() {
        return Err(ProcessError::Cancelled);
    }
    let mut capture = Capture::new(run, output);
    let ending = follow(start(run)?, run.timeout, run.patience, cancel, &mut capture).await?;
    if ending.cause == Cause::Cancelled {
        return Err(if ending.survivors.is_empty() {
            ProcessError::Cancelled
        } else {
            ProcessError::StillRunning(ending.survivors)
        });
    }
    let full = capture.full().await;
    Ok(Finished {
        stdout: capture.stdout.finish(),
        stderr: capture.stderr.finish(),
        combined: capture.combined.finish(),
        full,
        exit_code: ending.status.and_then(|status| status.code()),
        signal: ending.status.and_then(|status| status.signal()),
        timed_out: ending.cause == Cause::TimedOut,
        duration: ending.duration,
        left_behind: ending.left_behind,
        survivors: ending.survivors,
    })
}

/// What a foreground run keeps of its output.
struct Capture<'run, Output> {
    output: Output,
    stdout: Excerpt,
    stderr: Excerpt,
    combined: Excerpt,
    folder: &'run PathBuf,
    full: Full,
}

enum Full {
    /// The raw output as long as it is within the budget.
    Small(Vec<u8>),
    Spilled(Spill),
    Failed(FullOutput),
}

impl<'run, Output> Capture<'run, Output> {
    fn new(run: &'run Run, output: Output) -> Self {
        Self {
            output,
            stdout: Excerpt::default(),
            stderr: Excerpt::default(),
            combined: Excerpt::default(),
            folder: &run.spill,
            full: Full::Small(Vec::new()),
        }
    }

    async fn full(&mut self) -> Option<FullOutput> {
        match std::mem::replace(&mut self.full, Full::Small(Vec::new())) {
            Full::Small(_) => None,
            Full::Spilled(spill) => Some(spill.finish().await),
            Full::Failed(full) => Some(full),
        }
    }
}

impl<Output: FnMut(Stream, &[u8]) + Send> Sink for Capture<'_, Output> {
    fn take(&mut self, stream: Stream, piece: &[u8]) {
        (self.output)(stream, piece);
        let readable = text::Readable::of(piece);
        match stream {
            Stream::Stdout => self.stdout.push(&readable),
            Stream::Stderr => self.stderr.push(&readable),
        }
        self.combined.push(&readable);
        match &mut self.full {
            Full::Small(all) => {
                all.extend_from_slice(piece);
                if self.combined.is_cut() {
                    self.full = match Spill::create(self.folder, LARGEST_SPILL) {
                        Ok(mut spill) => {
                            spill.push(all);
                            Full::Spilled(spill)
                        }
                        Err(failed) => Full::Failed(failed),
                    };
                }
            }
            Full::Spilled(spill) => spill.push(piece),
            Full::Failed(_) => {}
        }
    }

    async fn room(&mut self) {
        if let Full::Spilled(spill) = &mut self.full {
            spill.room().await;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

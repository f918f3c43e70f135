//! What goes into a terminal and what comes out: plain data.

use std::ffi::OsString;
use std::path::PathBuf;

use openspace_process::TreeError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::marks::CommandMark;

/// Rows and columns of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    pub rows: u16,
    pub cols: u16,
}

impl Size {
    pub const SMALLEST: Self = Self { rows: 2, cols: 2 };
    /// Every cell takes memory, so a size beyond any real screen is refused.
    pub const LARGEST: Self = Self { rows: 500, cols: 1000 };

    pub(super) fn check(self) -> Result<Self, TerminalError> {
        let rows = Self::SMALLEST.rows..=Self::LARGEST.rows;
        let columns = Self::SMALLEST.cols..=Self::LARGEST.cols;
        if rows.contains(&self.rows) && columns.contains(&self.cols) {
            Ok(self)
        } else {
            Err(TerminalError::Size { rows: self.rows, cols: self.cols })
        }
    }
}

/// What to start in a new terminal.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// Absolute; no search path is used.
    pub shell: PathBuf,
    pub args: Vec<String>,
    /// Absolute; whether the caller may start something there is the caller's to judge.
    pub cwd: PathBuf,
    /// The whole environment the shell inherits. Nothing of this process's own is added.
    pub base_env: Vec<(OsString, OsString)>,
    /// Set on top of the base environment.
    pub env: Vec<(String, String)>,
    pub size: Size,
    /// Unique text by which processes of this terminal are found again, whatever they do to their
    /// session: the value of `OPENSPACE_TERMINAL`.
    pub marker: String,
    /// Has the shell tell of its prompts and commands, if it is one that can.
    pub integration: Option<Integration>,
}

/// What the marks of a shell need.
#[derive(Clone, Debug)]
pub struct Integration {
    /// A private folder of this terminal alone. It is made when missing; to remove it when the
    /// terminal is gone is the caller's.
    pub folder: PathBuf,
    /// Random letters and digits, 16 to 64 of them, never used before. They stay between the
    /// terminal and its shell.
    pub nonce: String,
}

/// How the shell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Life {
    Running { pid: u32 },
    Exited(Exit),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub life: Life,
    pub size: Size,
    pub alternate_screen: bool,
    /// The title the program asked for, empty if it never did.
    pub title: String,
    /// Whether the shell has told of its prompts, so that commands can be run and waited for.
    pub integration: bool,
    /// Whether the shell waits for a command; unknown without its word.
    pub at_prompt: Option<bool>,
    /// The command line the shell is running, if it said so.
    pub running_command: Option<String>,
    /// The shell's folder at its last prompt.
    pub cwd: Option<String>,
    /// The newest command that has ended, if the shell told of one.
    pub last_ended: Option<CommandMark>,
}

/// What to read of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadRequest {
    /// At most this many lines.
    pub lines: usize,
    /// The cursor of an earlier read: give the lines finished after it, oldest first. Without it:
    /// the newest finished lines.
    pub since: Option<u64>,
}

/// What a person sees in the terminal, as text without any control or escape sequence.
///
/// A line is *finished* when the cursor stands below it; wrapped rows are one line. `lines` holds
/// finished lines only, `partial` the line the cursor is on, `below` what stands under that line,
/// so nothing is given twice. Successive reads, each with the `cursor` of the one before, give
/// every finished line exactly once.
///
/// A number names a place in the transcript. What a program writes over a place that was already
/// read comes in `redrawn`. What it deletes from the middle of the screen or scrolls away inside a
/// region that does not reach the top row is gone, as it is for a person. Erasing the screen
/// loses nothing: its lines stay in the transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalRead {
    pub lines: Vec<String>,
    /// The number of `lines[0]`, or the number the next finished line will have.
    pub first_line: u64,
    /// Pass as `since` to go on from here.
    pub cursor: u64,
    /// The unfinished line, for example a prompt or a progress bar; absent when blank.
    pub partial: Option<String>,
    /// Text under the cursor's line, for example a menu or a status bar.
    pub below: Vec<String>,
    /// Lines before `since` that changed after that cursor was first handed out, as they are now.
    /// Known for the last few dozen cursors. May repeat while `since` stays the same.
    pub redrawn: Vec<RedrawnLine>,
    /// How many lines after `since` were lost because the transcript keeps only so many.
    pub dropped: u64,
    /// `lines` was not enough: with `since` newer lines wait, without it older ones exist.
    pub more: bool,
    pub alternate_screen: bool,
    /// The rows of the alternate screen while a full-screen program shows it.
    pub screen: Option<Vec<String>>,
}

/// The transcript and how the program was, of one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    pub text: TerminalRead,
    pub life: Life,
}

/// A line that was read before and reads differently now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedrawnLine {
    pub line: u64,
    pub text: String,
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalError {
    #[error("the shell {} does not exist", .0.display())]
    ShellMissing(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("the shell {} is not an executable file", .0.display())]
    ShellNotExecutable(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("the folder {} does not exist or is not a folder", .0.display())]
    FolderMissing(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error("{} is not an absolute path", .0.display())]
    PathRelative(#[serde(with = "openspace_protocol::wire_error::path")] PathBuf),
    #[error(
        "a terminal of {rows} rows and {cols} columns is not possible; from {} by {} to {} by {}",
        Size::SMALLEST.rows, Size::SMALLEST.cols, Size::LARGEST.rows, Size::LARGEST.cols
    )]
    Size { rows: u16, cols: u16 },
    #[error("the terminal could not start {}", .shell.display())]
    Spawn {
        #[serde(with = "openspace_protocol::wire_error::path")]
        shell: PathBuf,
        #[serde(with = "openspace_protocol::wire_error")]
        source: std::io::Error,
    },
    #[error("a terminal needs a marker that is not empty")]
    MarkerEmpty,
    #[error("the program in the terminal has ended")]
    Ended,
    #[error("the program does not read its input: {taken} of {size} bytes were taken")]
    WriteBlocked { taken: usize, size: usize },
    #[error("the cursor {since} lies ahead of the transcript, which is at {current}")]
    FutureCursor { since: u64, current: u64 },
    #[error("the terminal device failed")]
    Device(
        #[source]
        #[serde(with = "openspace_protocol::wire_error")]
        std::io::Error,
    ),
    #[error("processes of the terminal are still running: {0:?}")]
    StillRunning(Vec<u32>),
    #[error("the shell integration could not be written to {}", .folder.display())]
    Integration {
        #[serde(with = "openspace_protocol::wire_error::path")]
        folder: PathBuf,
        #[serde(with = "openspace_protocol::wire_error")]
        source: std::io::Error,
    },
    #[error("the terminal is busy{}", .running.as_ref().map(|line| format!(" with `{line}`")).unwrap_or_default())]
    Busy { running: Option<String> },
    #[error("somebody is typing at the prompt")]
    Typing,
    #[error("the shell does not tell when a command has finished")]
    NoIntegration,
    #[error("the shell showed no prompt in time")]
    NoPrompt,
    #[error(
        "the shell did not start the command: a quote, a bracket or a here-document in it may be \
         open; it was taken back"
    )]
    NotStarted,
    #[error("there is no command")]
    CommandEmpty,
    #[error("the command has {size} bytes; {limit} are the most")]
    CommandSize { size: usize, limit: usize },
    #[error(
        "the command holds the control character {0:#04x}; only tabs and line ends can be typed"
    )]
    CommandCharacter(u32),
    #[error("the pattern cannot be used: {0}")]
    Pattern(String),
    #[error("something accepts connections on port {0} already")]
    PortTaken(u16),
}

impl From<TreeError> for TerminalError {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::MarkerEmpty => Self::MarkerEmpty,
            TreeError::StillRunning(pids) => Self::StillRunning(pids),
            TreeError::Unseen(source) => Self::Device(source),
        }
    }
}

//! Terminals: a shell on a pseudo-terminal, with an emulator behind it.
//!
//! The raw output goes to views untouched; agents read a transcript of what a person sees. Nothing
//! here knows commands or callers, judges what may be started, or keeps what is typed.
//!
//! All terminals share the threads of the tokio runtime, in which every function of this crate must
//! be called.

mod emulator;
mod filter;
mod flood;
mod history;
mod integration;
mod marks;
mod model;
mod reflow;
mod repaint;
mod sequence;
mod terminal;
mod transcript;
mod types;
mod views;

pub use marks::{CommandMark, ShellState};
pub use terminal::{
    Attachment, Ended, InterruptWay, Interrupted, RunOutcome, RunRequest, Terminal, Wait,
};
pub use types::{
    Exit, Integration, Life, ReadRequest, Reading, RedrawnLine, Size, Spawn, Status, TerminalError,
    TerminalRead,
};
pub use views::Chunk;

//! Failures of terminals in words for a caller.

use openspace_command::{Error, ErrorKind};
use openspace_terminal::TerminalError;

pub(super) fn refused(error: TerminalError) -> Error {
    let message = error.to_string();
    let (kind, hint) = match &error {
        TerminalError::ShellMissing(_) | TerminalError::ShellNotExecutable(_) => {
            (ErrorKind::InvalidArgs, Some("leave `shellPath` out for the default shell"))
        }
        TerminalError::FolderMissing(_) | TerminalError::PathRelative(_) => {
            (ErrorKind::InvalidArgs, Some("file_list shows the folders there are"))
        }
        TerminalError::Ended => (
            ErrorKind::Conflict,
            Some("terminal_restart starts a new shell in it, terminal_close removes it"),
        ),
        TerminalError::WriteBlocked { .. } => (
            ErrorKind::Conflict,
            Some("wait until the program reads, or interrupt it by sending \\u0003"),
        ),
        TerminalError::FutureCursor { .. } => {
            (ErrorKind::InvalidArgs, Some("use the `cursor` of an earlier read of this terminal"))
        }
        TerminalError::Busy { .. } => (
            ErrorKind::Conflict,
            Some(
                "wait for it with terminal_read_output, stop it with terminal_interrupt, or use another terminal",
            ),
        ),
        TerminalError::Typing => (
            ErrorKind::Conflict,
            Some("somebody's text stands at the prompt; use another terminal"),
        ),
        TerminalError::NoIntegration => (
            ErrorKind::Unsupported,
            Some(
                "wait for `idle`, `pattern` or `port` instead, or use a terminal with bash, zsh or fish",
            ),
        ),
        TerminalError::NoPrompt => {
            (ErrorKind::TimedOut, Some("terminal_read_output shows what the terminal does"))
        }
        TerminalError::NotStarted => (ErrorKind::InvalidArgs, Some("close what is open in it")),
        TerminalError::Size { .. }
        | TerminalError::CommandEmpty
        | TerminalError::CommandSize { .. }
        | TerminalError::CommandCharacter(_)
        | TerminalError::Pattern(_) => (ErrorKind::InvalidArgs, None),
        TerminalError::PortTaken(_) => {
            (ErrorKind::Conflict, Some("use another port, or stop the program that has it"))
        }
        TerminalError::Spawn { .. }
        | TerminalError::Integration { .. }
        | TerminalError::MarkerEmpty
        | TerminalError::Device(_)
        | TerminalError::StillRunning(_) => (ErrorKind::Internal, None),
    };
    super::with(kind, message, hint.map(str::to_owned)).because(error)
}

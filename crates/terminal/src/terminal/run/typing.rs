//! How a command is typed.

use crate::integration::Shell;
use crate::types::TerminalError;

const COMMAND_LIMIT: usize = 32 * 1024;
const PASTE_START: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";
/// Makes line editors take the next key as text.
const VERBATIM: &str = "\x16";

/// A command that can be typed.
pub(super) struct Keys {
    command: String,
}

impl Keys {
    pub(super) fn check(command: &str) -> Result<Self, TerminalError> {
        if command.len() > COMMAND_LIMIT {
            return Err(TerminalError::CommandSize { size: command.len(), limit: COMMAND_LIMIT });
        }
        let command = command.replace("\r\n", "\n").trim_matches('\n').to_owned();
        if command.trim().is_empty() {
            return Err(TerminalError::CommandEmpty);
        }
        match command.chars().find(|&key| key.is_control() && key != '\n' && key != '\t') {
            Some(key) => Err(TerminalError::CommandCharacter(key.into())),
            None => Ok(Self { command }),
        }
    }

    pub(super) fn lines(&self) -> u64 {
        1 + self.command.matches('\n').count() as u64
    }

    /// How many lines [`Keys::typed`] has.
    pub(super) fn typed_lines(&self, shell: Shell, paste: bool) -> u64 {
        self.lines() + if self.grouped(shell, paste) { 2 } else { 0 }
    }

    /// fish runs all that is pasted as one command; the others stop at each line end.
    fn grouped(&self, shell: Shell, paste: bool) -> bool {
        self.lines() > 1 && !(paste && shell == Shell::Fish)
    }

    /// For a shell with a line editor. Pasted, no key of the command has a meaning of its own.
    pub(super) fn typed(&self, shell: Shell, paste: bool) -> Vec<u8> {
        let (begin, end) = shell.group();
        let command = &self.command;
        let text = if self.grouped(shell, paste) {
            format!("{begin}\n{command}\n{end}")
        } else {
            command.clone()
        };
        let keys = if paste {
            format!("{PASTE_START}{text}{PASTE_END}\r")
        } else {
            format!("{}\r", text.replace('\t', &format!("{VERBATIM}\t")).replace('\n', "\r"))
        };
        keys.into_bytes()
    }

    /// For a program of which nothing is known.
    pub(super) fn plain(&self) -> Vec<u8> {
        format!("{}\r", self.command).into_bytes()
    }
}

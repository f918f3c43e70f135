//! What a shell tells of itself: where its prompt is, which command runs and how each one ended.
//!
//! Only marks that carry the terminal's nonce count, so a program that prints marks of its own is
//! not believed. Marks never become text. This module looks at no process and types nothing.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::emulator::Emulator;

/// Of how many commands the marks are kept.
const HISTORY_LIMIT: usize = 100;
const COMMAND_LIMIT: usize = 8 * 1024;
/// How many characters the scripts put into one mark.
const TEXT_LIMIT: usize = 900;

/// A command that was run at the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandMark {
    /// Counts the commands of the terminal from 0.
    pub number: u64,
    /// As the shell took it; absent when it did not say and the screen does not show it.
    pub command: Option<String>,
    /// The number of the first line of its output in the transcript.
    pub first_line: u64,
    /// The number of the line the cursor was on when it had finished; absent while it runs.
    pub end_line: Option<u64>,
    pub exit_code: Option<i32>,
    /// The folder it was started in.
    pub cwd: Option<String>,
}

/// What the shell of a terminal is doing, by its own word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ShellState {
    AtPrompt,
    Running {
        command: Option<String>,
    },
    /// It has not said anything yet, or is between a command and its prompt.
    Unknown,
}

/// A spot in the text: the number of a line and how many cells into it.
pub(super) type TextSpot = (u64, usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Silent,
    /// Between the end of a command and the end of the next prompt.
    Drawing,
    /// The prompt ends at this spot.
    Prompt(TextSpot),
    /// The shell asks for the rest of an unfinished command.
    Continued(TextSpot),
    Running,
}

#[derive(Debug, PartialEq, Eq)]
enum Mark {
    PromptStart,
    PromptEnd,
    Continued,
    CommandLine(String),
    Started,
    Finished(Option<i32>),
    Folder(String),
}

#[derive(Debug)]
pub(super) struct Marks {
    nonce: Option<String>,
    phase: Phase,
    history: VecDeque<CommandMark>,
    /// How many commands were started, prompts begun and continuation prompts shown.
    pub(super) started: u64,
    pub(super) prompts: u64,
    /// The line on which the newest prompt begins.
    pub(super) prompt_line: u64,
    pub(super) continued: u64,
    command_line: Option<String>,
    cwd: Option<String>,
    /// What the newest finished command printed after its last line end.
    tail: Option<String>,
    /// How many of the first lines of the next command to keep when the transcript drops them.
    pub(super) keep_head: usize,
}

impl Marks {
    pub(super) fn new(nonce: Option<String>) -> Self {
        Self {
            nonce,
            phase: Phase::Silent,
            history: VecDeque::new(),
            started: 0,
            prompts: 0,
            prompt_line: 0,
            continued: 0,
            command_line: None,
            cwd: None,
            tail: None,
            keep_head: 0,
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn at_prompt(&self) -> bool {
        matches!(self.phase, Phase::Prompt(_))
    }

    /// Whether the shell has told of itself at all.
    pub(super) fn heard(&self) -> bool {
        self.phase != Phase::Silent
    }

    pub(super) fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    pub(super) fn history(&self) -> impl Iterator<Item = &CommandMark> {
        self.history.iter()
    }

    /// The newest command that has ended.
    pub(super) fn last_ended(&self) -> Option<&CommandMark> {
        self.history.iter().rev().find(|command| command.end_line.is_some())
    }

    pub(super) fn state(&self) -> ShellState {
        match self.phase {
            Phase::Silent | Phase::Drawing => ShellState::Unknown,
            Phase::Prompt(_) | Phase::Continued(_) => ShellState::AtPrompt,
            Phase::Running => ShellState::Running {
                command: self.history.back().and_then(|command| command.command.clone()),
            },
        }
    }

    /// The command of this number when it has finished, and what it printed after its last line
    /// end if no other command has finished since.
    pub(super) fn finished(&self, number: u64) -> Option<(&CommandMark, Option<&String>)> {
        let newest = self.last_ended()?;
        let command = self.history.iter().find(|command| command.number == number)?;
        command.end_line?;
        Some((command, self.tail.as_ref().filter(|_| newest.number == number)))
    }

    /// Makes `text` safe to show: whoever reads the nonce could forge marks with it.
    pub(super) fn conceal(&self, text: &mut String) {
        if let Some(nonce) = self.nonce.as_deref().filter(|nonce| text.contains(*nonce)) {
            *text = text.replace(nonce, &"*".repeat(nonce.len()));
        }
    }

    fn parse(&self, body: &[u8]) -> Option<Mark> {
        let nonce = self.nonce.as_ref()?;
        let fields: Vec<&[u8]> = body.strip_prefix(b"633;")?.splitn(4, |&b| b == b';').collect();
        let (given, fields) = fields.split_last()?;
        if *given != nonce.as_bytes() {
            return None;
        }
        match fields {
            [b"A"] => Some(Mark::PromptStart),
            [b"B"] => Some(Mark::PromptEnd),
            [b"C"] => Some(Mark::Started),
            [b"D", code] => {
                let code = std::str::from_utf8(code).ok().and_then(|code| code.parse().ok());
                Some(Mark::Finished(code))
            }
            [b"E", line] => Some(Mark::CommandLine(unescape(line))),
            [b"F"] => Some(Mark::Continued),
            [b"P", property] => {
                property.strip_prefix(b"Cwd=").map(|folder| Mark::Folder(unescape(folder)))
            }
            _ => None,
        }
    }
}

/// Undoes what the scripts do to characters that would end a mark.
fn unescape(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.strip_prefix(b"x").and_then(|digits| digits.get(..2));
        let code = code.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        (bytes, rest) = match (byte, code) {
            (b'\\', Some(code)) => (push(bytes, code), &after[3..]),
            (b'\\', None) if after.first() == Some(&b'\\') => (push(bytes, b'\\'), &after[1..]),
            _ => (push(bytes, byte), after),
        };
    }
    String::from_utf8_lossy(&bytes)
        .chars()
        .filter(|&c| !c.is_control() || c == '\n' || c == '\t')
        .collect()
}

fn push(mut bytes: Vec<u8>, byte: u8) -> Vec<u8> {
    bytes.push(byte);
    bytes
}

impl Emulator {
    /// Takes an operating system command if it is a mark of this terminal's shell.
    pub(super) fn take_mark(&mut self, body: &[u8]) {
        let Some(mark) = self.marks.parse(body) else { return };
        let spot = self.cursor_spot();
        self.history_mut().mark(spot, String::from_utf8_lossy(body).into_owned());
        match (mark, self.marks.phase) {
            (Mark::PromptStart, _) => {
                self.finish(None);
                self.marks.prompts += 1;
                self.marks.prompt_line = self.cursor_in_text().0;
                self.marks.phase = Phase::Drawing;
                self.marks.command_line = None;
            }
            // A program may have inherited the shell's prompt: while it runs it is not the shell.
            (Mark::PromptEnd, Phase::Drawing | Phase::Prompt(_)) => {
                self.marks.phase = Phase::Prompt(self.cursor_in_text());
            }
            (Mark::Continued, Phase::Prompt(spot) | Phase::Continued(spot)) => {
                self.marks.continued += 1;
                self.marks.phase = Phase::Continued(spot);
            }
            (Mark::CommandLine(line), Phase::Prompt(_) | Phase::Continued(_) | Phase::Drawing) => {
                self.marks.command_line = Some(line);
            }
            (Mark::Started, Phase::Prompt(_) | Phase::Continued(_) | Phase::Drawing) => {
                self.start_command();
            }
            (Mark::Finished(code), Phase::Running) => self.finish(code),
            (Mark::Folder(folder), _) => {
                // The scripts cut what is longer, and a part of a path is none.
                self.marks.cwd = Some(folder).filter(|folder| folder.chars().count() <= TEXT_LIMIT);
            }
            _ => {}
        }
    }

    fn start_command(&mut self) {
        let (first_line, _) = self.cursor_in_text();
        let mut command = self.marks.command_line.take().or_else(|| self.typed(first_line));
        if let Some(command) = &mut command {
            command.truncate(command.floor_char_boundary(COMMAND_LIMIT));
        }
        let keep_head = std::mem::take(&mut self.marks.keep_head);
        self.transcript_mut().keep_head(first_line, keep_head);
        let marks = &mut self.marks;
        if marks.history.len() == HISTORY_LIMIT {
            marks.history.pop_front();
        }
        marks.history.push_back(CommandMark {
            number: marks.started,
            command,
            first_line,
            end_line: None,
            exit_code: None,
            cwd: marks.cwd.clone(),
        });
        marks.started += 1;
        marks.phase = Phase::Running;
    }

    /// What stands on the screen between the prompt and the output.
    fn typed(&mut self, first_line: u64) -> Option<String> {
        let (Phase::Prompt((line, offset)) | Phase::Continued((line, offset))) = self.marks.phase
        else {
            return None;
        };
        let base = self.transcript().next();
        let screen = self.screen_lines();
        let from = usize::try_from(line.checked_sub(base)?).ok()?;
        let to = usize::try_from(first_line.checked_sub(base)?).ok()?;
        let lines = screen.lines.get(from..to)?;
        let (first, rest) = lines.split_first()?;
        let mut text: String = first.chars().skip(offset).collect();
        for line in rest {
            text.push('\n');
            text.push_str(line);
        }
        Some(text)
    }

    fn finish(&mut self, code: Option<i32>) {
        if self.marks.phase != Phase::Running {
            return;
        }
        let (end_line, _) = self.cursor_in_text();
        self.marks.tail = self.partial();
        self.marks.phase = Phase::Drawing;
        if let Some(command) = self.marks.history.back_mut() {
            command.end_line = Some(end_line);
            command.exit_code = code;
        }
    }

    /// Where the cursor of the primary screen is in the text.
    pub(super) fn cursor_in_text(&mut self) -> TextSpot {
        let (finished, cells) = self.cursor_on_screen();
        let transcript = self.transcript();
        let above = if finished == 0 { transcript.open().text().chars().count() } else { 0 };
        (transcript.next() + finished, above + cells)
    }

    /// The line the cursor of the primary screen is on, unless it is blank.
    pub(super) fn partial(&mut self) -> Option<String> {
        let mut screen = self.screen_lines();
        (screen.cursor < screen.lines.len())
            .then(|| screen.lines.swap_remove(screen.cursor))
            .filter(|line| !line.is_empty())
    }

    /// Whether something that is no part of the prompt stands at the prompt.
    pub(super) fn typing(&mut self) -> bool {
        match self.marks.phase {
            Phase::Prompt(spot) => {
                let at_cursor = |emulator: &mut Self| {
                    let (row, column) = emulator.screen().cursor_position();
                    let cell = emulator.screen().cell(row, column);
                    cell.is_some_and(|cell| cell.has_contents() && cell.contents() != " ")
                };
                self.cursor_in_text() != spot || self.with_primary(at_cursor)
            }
            Phase::Continued(_) => true,
            Phase::Silent | Phase::Drawing | Phase::Running => false,
        }
    }
}

#[cfg(test)]
mod tests;

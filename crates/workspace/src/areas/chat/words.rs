//! Conversations as text, for a shell and for models. What a terminal would act on is no part of it.

use std::fmt::Write as _;

use openspace_agents::model::{
    self, Change, FileDiff, FilePlace, Message, Mode, ModeUse, ModelChoice, Part, PartContent,
    Role, SessionStatus, Todo, TodoState, ToolCall, ToolState,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::session_commands::ListedSession;
use crate::conversations::{AgentState, Running};

/// Characters of a line that stands for something longer.
const LINE: usize = 200;
/// Bytes that are given of what a tool was told and gave, where messages are read.
const TOOL_CUT: usize = 1_500;

/// A message as it is read.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChatReadMessage")]
pub struct ReadMessage {
    /// Its id.
    pub(super) id: String,
    /// Who said it.
    pub(super) role: Role,
    /// When it began, in milliseconds since 1970.
    pub(super) created: i64,
    /// What was said and done, in order.
    pub(super) parts: Vec<ReadPart>,
    /// Why it is not complete.
    pub(super) failure: Option<String>,
}

/// A part of a message as it is read.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[schemars(rename = "ChatReadPart")]
pub enum ReadPart {
    /// Something said.
    Text {
        /// What.
        text: String,
    },
    /// A tool that was used.
    Tool {
        /// Its name.
        tool: String,
        /// What it is about.
        about: String,
        /// How far it is.
        state: ToolState,
        /// What it gave, or why it failed, cut.
        output: Option<String>,
    },
    /// A file or a picture, by name.
    File {
        /// Its name.
        name: String,
    },
    /// Something else that happened.
    Note {
        /// What, in a few words.
        note: String,
    },
}

/// Messages for a reader: texts of at most `cut` bytes each, and `most` in all, the newest first to have room. Gives what
/// was left out. What was said to the model alone, by its agent or by us, is for no reader and no part of it.
pub(super) fn read(messages: &[Message], cut: usize, most: usize) -> (Vec<ReadMessage>, u64) {
    let mut room = Room { left: most, left_out: 0 };
    let for_people = messages.iter().rev().filter(|message| !is_for_model(message));
    let mut read: Vec<ReadMessage> = for_people.map(|message| room.message(message, cut)).collect();
    read.reverse();
    (read, room.left_out)
}

/// Whether a message has words for the model and nothing else, as those by which an agent makes itself go on.
fn is_for_model(message: &Message) -> bool {
    let is_synthetic =
        |part: &Part| matches!(part.content, PartContent::Text { is_synthetic: true, .. });
    message.info.failure.is_none()
        && !message.parts.is_empty()
        && message.parts.iter().all(is_synthetic)
}

struct Room {
    left: usize,
    left_out: u64,
}

impl Room {
    fn take(&mut self, text: &str, cut: usize) -> String {
        let end = text.floor_char_boundary(cut.min(self.left));
        self.left -= end;
        let rest = text.len() - end;
        self.left_out += rest as u64;
        let taken = plain(&text[..end]);
        if rest == 0 { taken } else { format!("{taken}… ({rest} more bytes)") }
    }

    fn message(&mut self, message: &Message, cut: usize) -> ReadMessage {
        let parts = message.parts.iter().filter_map(|part| self.part(part, cut)).collect();
        ReadMessage {
            id: message.info.id.0.clone(),
            role: message.info.role,
            created: message.info.created,
            parts,
            failure: message.info.failure.as_ref().map(|failure| plain(&failure.message)),
        }
    }

    fn part(&mut self, part: &Part, cut: usize) -> Option<ReadPart> {
        Some(match &part.content {
            PartContent::Text { is_synthetic: true, .. }
            | PartContent::Reasoning { .. }
            | PartContent::StepStart {}
            | PartContent::StepFinish { .. }
            | PartContent::Other { .. } => return None,
            PartContent::Text { text, .. } if text.text.trim().is_empty() => return None,
            PartContent::Text { text, .. } => {
                self.left_out += text.left_out;
                ReadPart::Text { text: self.take(&text.text, cut) }
            }
            PartContent::Tool { call } => {
                let output = call.error.as_ref().or(call.output.as_ref());
                // Of one message more is wanted than of many.
                let cut = if cut > TOOL_CUT * 4 { cut } else { TOOL_CUT };
                ReadPart::Tool {
                    tool: one_line(&call.tool),
                    about: about(call),
                    state: call.state,
                    output: output.map(|text| self.take(&text.text, cut)),
                }
            }
            PartContent::File { file } => {
                let name = file.name.clone().unwrap_or_else(|| match &file.place {
                    FilePlace::Path { path, .. } => path.clone(),
                    FilePlace::Link { url } => url.clone(),
                    FilePlace::Data { .. } | FilePlace::LeftOut { .. } => file.mime.clone(),
                });
                ReadPart::File { name: one_line(&name) }
            }
            PartContent::Mention { agent } => note(&format!("mentions {agent}")),
            PartContent::Subtask { agent, description, .. } => {
                note(&format!("hands to {agent}: {description}"))
            }
            PartContent::Patch { files } => note(&format!("changed {}", files.join(", "))),
            PartContent::Compaction { .. } => note("what came before was made shorter"),
            PartContent::Retry { attempt, failure, .. } => {
                note(&format!("try {attempt} after a failure: {}", failure.message))
            }
        })
    }
}

fn note(words: &str) -> ReadPart {
    ReadPart::Note { note: one_line(words) }
}

/// What a call of a tool is about: its title, or its arguments.
fn about(call: &ToolCall) -> String {
    match &call.title {
        Some(title) if !title.trim().is_empty() => one_line(title),
        _ => one_line(&call.input.to_string()),
    }
}

/// Text without what a terminal acts on.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Text as a line that does not fill the screen.
pub(super) fn one_line(text: &str) -> String {
    let mut line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LINE + 1).collect();
    if line.chars().count() > LINE {
        line = line.chars().take(LINE).chain(['…']).collect();
    }
    line.trim().to_owned()
}

/// Lines, or a sentence when there are none.
pub(super) fn lines(lines: impl Iterator<Item = String>, none: &str) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { none.to_owned() } else { lines.join("\n") }
}

/// Something with what it is for.
pub(super) fn entry(name: &str, description: Option<&str>) -> String {
    match description {
        Some(description) => format!("{}  {}", one_line(name), one_line(description)),
        None => one_line(name),
    }
}

pub(super) fn agents(agents: &[AgentState], default: Option<&str>) -> String {
    let line = |one: &AgentState| agent(one, default == Some(one.id.as_str()));
    lines(agents.iter().map(line), "No agent is known.")
}

/// An agent: its state, and what to do where it cannot be talked to.
pub(super) fn agent(agent: &AgentState, is_default: bool) -> String {
    let state = match agent.state {
        Running::Missing => "not installed",
        Running::Hidden => "installed where agents see nothing",
        Running::Stopped => "stopped",
        Running::Starting => "starting",
        Running::Running => "running",
        Running::Failed => "failed",
        Running::Unreachable => "does not answer",
    };
    let default = if is_default { ", the default" } else { "" };
    let mut line = format!("{}  {} ({state}{default})", agent.id, one_line(&agent.name));
    // Writing to a String cannot fail.
    if agent.state != Running::Missing && !agent.confined.is {
        let _ = write!(line, ", not confined");
    }
    if let Some(why) = agent.why.as_ref().filter(|_| agent.state != Running::Missing) {
        let _ = write!(line, "\n    {}", one_line(why));
    }
    let hint = agent.hint.as_ref().or(agent.install.as_ref());
    if let Some(hint) = hint.filter(|_| agent.state != Running::Running) {
        let is_wanted = !matches!(agent.state, Running::Stopped | Running::Starting);
        if is_wanted {
            let _ = write!(line, "\n    {}", one_line(hint));
        }
    }
    if agent.needs_restart {
        line.push_str("\n    it runs otherwise than it is set: start it anew to change that");
    }
    line
}

pub(super) fn sessions(sessions: &[ListedSession], next: Option<&str>) -> String {
    let mut text = lines(sessions.iter().map(session), "There are no sessions.");
    if let Some(next) = next {
        let _ = write!(text, "\n(more: after {next})");
    }
    text
}

/// A session in a line.
pub(super) fn session(listed: &ListedSession) -> String {
    let unread = if listed.unread { ", unread" } else { "" };
    let title = match one_line(&listed.session.title) {
        title if title.is_empty() => "(no title)".to_owned(),
        title => title,
    };
    let mut line = format!("{}  {title} ({}{unread})", listed.address, state(Some(&listed.status)));
    if let Some(url) = &listed.session.shared_at {
        let _ = write!(line, "\n    shared at {}", one_line(url));
    }
    if let Some(reverted) = &listed.session.reverted {
        let _ = write!(line, "\n    undone from {} on", one_line(&reverted.message_id.0));
    }
    line
}

/// What a session does, in a word.
pub(super) fn state(status: Option<&SessionStatus>) -> &'static str {
    match status {
        Some(SessionStatus::Idle {}) => "idle",
        Some(SessionStatus::Busy {}) => "busy",
        Some(SessionStatus::Retry { .. }) => "retry",
        None => "unknown",
    }
}

pub(super) fn stopped(address: &str) -> String {
    format!("{} is stopped.", one_line(address))
}

pub(super) fn todo(todo: &Todo) -> String {
    let sign = match todo.state {
        TodoState::Pending => "[ ]",
        TodoState::InProgress => "[>]",
        TodoState::Completed => "[x]",
        TodoState::Cancelled => "[-]",
        TodoState::Unknown => "[?]",
    };
    format!("{sign} {}", one_line(&todo.content))
}

pub(super) fn diff(diff: &FileDiff) -> String {
    let sign = match diff.change {
        Some(Change::Added) => "A",
        Some(Change::Deleted) => "D",
        Some(Change::Modified) => "M",
        None => "?",
    };
    let count =
        |count: Option<u64>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
    let (added, gone) = (count(diff.additions), count(diff.deletions));
    format!("{sign} {}  +{added} -{gone}", one_line(&diff.path))
}

/// A way of working, and whether a session can be in it.
pub(super) fn mode(mode: &Mode) -> String {
    let name = match mode.usable {
        ModeUse::SubAgent => format!("{} (by mention only)", mode.id),
        ModeUse::Session | ModeUse::Both => mode.id.clone(),
    };
    entry(&name, mode.description.as_deref())
}

/// What is chosen for what is said next.
pub(super) fn selected(model: Option<&ModelChoice>, mode: Option<&str>) -> String {
    let left = || "left to the agent".to_owned();
    let named = |model: &ModelChoice| {
        let variant = model.variant.as_deref().map(|variant| format!("#{variant}"));
        one_line(&format!("{}/{}{}", model.provider, model.model, variant.unwrap_or_default()))
    };
    let (model, mode) = (model.map_or_else(left, named), mode.map_or_else(left, one_line));
    format!("From now on: model {model}, mode {mode}.")
}

pub(super) fn models(models: &model::Models) -> String {
    let mut text = String::new();
    for provider in &models.providers {
        for model in &provider.models {
            let name = match provider.id.as_str() {
                "" => model.id.clone(),
                provider => format!("{provider}/{}", model.id),
            };
            let is_default = models.default.as_ref().is_some_and(|default| {
                default.provider == provider.id && default.model == model.id
            });
            let default = if is_default { " (the default)" } else { "" };
            let variants = match model.variants.as_slice() {
                [] => String::new(),
                variants => format!("  #{}", variants.join(" #")),
            };
            let _ = writeln!(text, "{}", one_line(&format!("{name}{default}{variants}")));
        }
    }
    if text.is_empty() { "This agent offers no models.".into() } else { text.trim_end().to_owned() }
}

/// Messages, each under who said it.
pub(super) fn messages(messages: &[ReadMessage]) -> String {
    let mut text = String::new();
    for message in messages {
        let who = match message.role {
            Role::User => "You",
            Role::Assistant => "Agent",
        };
        let _ = write!(text, "\n{who} ({})\n", one_line(&message.id));
        for part in &message.parts {
            let _ = match part {
                ReadPart::Text { text: said } => {
                    writeln!(text, "  {}", said.trim().replace('\n', "\n  "))
                }
                ReadPart::Tool { tool, about, state, output } => {
                    tool_text(&mut text, tool, about, *state, output.as_deref())
                }
                ReadPart::File { name } => writeln!(text, "  [{name}]"),
                ReadPart::Note { note } => writeln!(text, "  ({note})"),
            };
        }
        if let Some(failure) = &message.failure {
            let _ = writeln!(text, "  failed: {}", one_line(failure));
        }
    }
    if text.is_empty() { "Nothing was said yet.".into() } else { text }
}

fn tool_text(
    text: &mut String,
    tool: &str,
    about: &str,
    state: ToolState,
    output: Option<&str>,
) -> std::fmt::Result {
    let word = match state {
        ToolState::Pending => " (waits)",
        ToolState::Running => " (works)",
        ToolState::Completed => "",
        ToolState::Failed => " (failed)",
    };
    writeln!(text, "  * {tool}: {about}{word}")?;
    match output.map(str::trim).filter(|output| !output.is_empty()) {
        Some(output) => writeln!(text, "      {}", output.replace('\n', "\n      ")),
        None => Ok(()),
    }
}

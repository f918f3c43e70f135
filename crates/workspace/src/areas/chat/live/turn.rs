//! The turn of one session, put together from what its agent tells.

use openspace_agents::{
    Event, TextField,
    model::{
        Failure, LONGEST_TEXT, LongText, Message, MessageId, MessageInfo, MessagePage, Part,
        PartContent, PartId, PermissionRequest, QuestionRequest, Role, SessionStatus,
    },
};

#[cfg(test)]
mod tests;

/// Bytes of text of one turn that are kept. What was complete first is forgotten first; its agent has it.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Messages of one turn that are kept.
const MOST_MESSAGES: usize = 500;
/// Parts of one message that are kept.
const MOST_PARTS: usize = 2_000;
/// Bytes of words that are kept of answers that broke off, the newest.
const MOST_BROKEN: usize = 256 * 1024;

/// What was told of a session since its turn began.
#[derive(Debug, Default)]
pub(super) struct Turn {
    messages: Vec<Kept>,
    progress: Progress,
    /// Words that were heard and that their agent may never have kept: it went away in the middle of them.
    broken: Vec<Part>,
    /// The turn is over: what comes next is another one.
    is_over: bool,
    bytes: usize,
    touched: u64,
}

/// A message, as far as it was told.
#[derive(Debug)]
struct Kept {
    id: MessageId,
    info: Option<MessageInfo>,
    parts: Vec<(PartId, Option<Part>)>,
    is_removed: bool,
}

/// How far a session is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What it does, as far as anything was told.
    pub status: Option<SessionStatus>,
    /// Answers that ended in this turn, each with the message of the person that it answers.
    pub ended: Vec<Outcome>,
    /// The failure that was told last in this turn, of the session as a whole.
    pub failure: Option<Failure>,
    /// Requests for permission that wait.
    pub permissions: Vec<PermissionRequest>,
    /// Questions that wait.
    pub questions: Vec<QuestionRequest>,
}

/// An answer that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The answer.
    pub message: MessageId,
    /// What it answers.
    pub answers: Option<MessageId>,
    /// Why it is not complete.
    pub failure: Option<Failure>,
}

/// Requests and questions of one session that are remembered as waiting.
const MOST_WAITING: usize = 64;

impl Turn {
    /// The number of the last event.
    pub(super) fn touched(&self) -> u64 {
        self.touched
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Something was missed, or the agent is gone: what it does is not known any more. Words that were not whole are kept,
    /// for an agent that died has them nowhere. Whether any are.
    pub(super) fn break_off(&mut self) -> bool {
        let is_said = |kept: &Kept| kept.info.as_ref().is_none_or(is_unfinished);
        let parts = self.messages.drain(..).filter(is_said).flat_map(|kept| kept.parts);
        let growing = parts
            .filter_map(|(_, part)| part)
            .filter(|part| words(part).is_some_and(|words| !words.is_empty()));
        self.broken.extend(growing);
        let mut bytes = 0;
        let is_over = |part: &Part| {
            bytes += weight(part);
            bytes > MOST_BROKEN
        };
        if let Some(over) = self.broken.iter().rev().position(is_over) {
            self.broken.drain(..self.broken.len() - over);
        }
        (self.progress, self.bytes, self.is_over) = (Progress::default(), 0, true);
        !self.broken.is_empty()
    }

    pub(super) fn apply(&mut self, event: &Event, number: u64) {
        self.touched = number;
        if self.is_over && begins(event) {
            let Progress { status, permissions, questions, .. } =
                std::mem::take(&mut self.progress);
            self.progress = Progress { status, permissions, questions, ..Progress::default() };
            (self.messages, self.bytes, self.is_over) = (Vec::new(), 0, false);
        }
        match event {
            Event::Status { status, .. } => {
                self.is_over = matches!(status, SessionStatus::Idle {});
                self.progress.status = Some(status.clone());
            }
            Event::Error { failure, .. } => self.progress.failure = Some(failure.clone()),
            Event::PermissionAsked { request } => {
                remember(&mut self.progress.permissions, request.clone(), |one| &one.id);
            }
            Event::PermissionAnswered { permission_id, .. } => {
                self.progress.permissions.retain(|one| one.id != *permission_id);
            }
            Event::QuestionAsked { request } => {
                remember(&mut self.progress.questions, request.clone(), |one| &one.id);
            }
            Event::QuestionAnswered { question_id, .. } => {
                self.progress.questions.retain(|one| one.id != *question_id);
            }
            Event::MessageUpdated { message } => self.message(message),
            Event::MessageRemoved { message_id, .. } => {
                let kept = self.kept(message_id);
                (kept.info, kept.parts, kept.is_removed) = (None, Vec::new(), true);
            }
            Event::PartUpdated { part } => {
                self.bytes += weight(part);
                self.kept(&part.message_id).put(&part.id, Some(part.clone()));
            }
            Event::TextDelta { message_id, part_id, field, delta, .. } => {
                self.bytes += delta.len();
                let parts = &mut self.kept(message_id).parts;
                // Of a part that was not told there is no beginning to add to.
                let known = parts.iter_mut().find(|(id, _)| id == part_id);
                if let Some(text) = known.and_then(|(_, part)| grows(part.as_mut()?, *field)) {
                    add(text, delta);
                }
            }
            Event::PartRemoved { message_id, part_id, .. } => {
                self.kept(message_id).put(part_id, None);
            }
            _ => {}
        }
        self.keep_bounds();
    }

    fn message(&mut self, message: &MessageInfo) {
        let has_ended = message.completed.is_some() || message.failure.is_some();
        if message.role == Role::Assistant && has_ended {
            let outcome = Outcome {
                message: message.id.clone(),
                answers: message.answers.clone(),
                failure: message.failure.clone(),
            };
            remember(&mut self.progress.ended, outcome, |one| &one.message);
        }
        let kept = self.kept(&message.id);
        (kept.info, kept.is_removed) = (Some(message.clone()), false);
    }

    fn kept(&mut self, id: &MessageId) -> &mut Kept {
        let index = self.messages.iter().position(|kept| kept.id == *id);
        let index = index.unwrap_or_else(|| {
            let (id, parts) = (id.clone(), Vec::new());
            self.messages.push(Kept { id, info: None, parts, is_removed: false });
            self.messages.len() - 1
        });
        &mut self.messages[index]
    }

    /// Forget the oldest messages of a turn that has too many, and weigh it anew: parts that were told again and again
    /// count once.
    fn keep_bounds(&mut self) {
        if self.bytes <= MOST_BYTES && self.messages.len() <= MOST_MESSAGES {
            return;
        }
        let weights = |kept: &Kept| -> usize {
            kept.parts.iter().filter_map(|(_, part)| part.as_ref()).map(weight).sum()
        };
        self.bytes = self.messages.iter().map(weights).sum();
        while (self.bytes > MOST_BYTES || self.messages.len() > MOST_MESSAGES)
            && self.messages.len() > 1
        {
            self.bytes -= weights(&self.messages.remove(0));
        }
    }

    /// Make messages what they are by what was told. Those that are not among them are put behind the newest.
    pub(super) fn complete(&self, page: &mut MessagePage, is_newest: bool) {
        self.mend(page);
        for kept in &self.messages {
            let index = page.messages.iter().position(|message| message.info.id == kept.id);
            match (index, &kept.info) {
                (Some(index), _) if kept.is_removed => drop(page.messages.remove(index)),
                (Some(index), info) => kept.complete(&mut page.messages[index], info.as_ref()),
                (None, Some(info)) if is_newest && is_newer(info, page) => {
                    let mut message =
                        Message { info: info.clone(), parts: Vec::new(), parts_left_out: 0 };
                    kept.complete(&mut message, None);
                    page.messages.push(message);
                }
                (None, _) => {}
            }
        }
    }
}

impl Turn {
    /// Give messages that broke off the words that were heard of them. One that is still being said has none of it.
    fn mend(&self, page: &mut MessagePage) {
        if self.progress.status.as_ref().is_some_and(|it| *it != SessionStatus::Idle {}) {
            return;
        }
        for part in &self.broken {
            let message = page.messages.iter_mut().find(|one| one.info.id == part.message_id);
            let Some(message) = message.filter(|one| is_unfinished(&one.info)) else { continue };
            match message.parts.iter_mut().find(|known| known.id == part.id) {
                Some(known) => {
                    let (Some(heard), Some(told)) = (words(part), words(known)) else { continue };
                    if heard.len() > told.len() && heard.starts_with(told) {
                        *known = part.clone();
                    }
                }
                None if message.parts_left_out == 0 => message.parts.push(part.clone()),
                None => {}
            }
        }
    }
}

impl Kept {
    /// The part is this now, or gone.
    fn put(&mut self, id: &PartId, part: Option<Part>) {
        match self.parts.iter().position(|(known, _)| known == id) {
            Some(index) => self.parts[index].1 = part,
            None if self.parts.len() < MOST_PARTS => self.parts.push((id.clone(), part)),
            None => {}
        }
    }

    fn complete(&self, message: &mut Message, info: Option<&MessageInfo>) {
        if let Some(info) = info {
            message.info = info.clone();
        }
        for (id, part) in &self.parts {
            let index = message.parts.iter().position(|known| known.id == *id);
            match (index, part) {
                (Some(index), Some(part)) => message.parts[index] = part.clone(),
                (Some(index), None) => drop(message.parts.remove(index)),
                (None, Some(part)) if message.parts_left_out == 0 => {
                    message.parts.push(part.clone());
                }
                (None, _) => {}
            }
        }
    }
}

/// Whether an event can be the first of a turn.
fn begins(event: &Event) -> bool {
    match event {
        Event::MessageUpdated { .. } | Event::PartUpdated { .. } => true,
        Event::Status { status, .. } => !matches!(status, SessionStatus::Idle {}),
        _ => false,
    }
}

fn is_newer(info: &MessageInfo, page: &MessagePage) -> bool {
    page.messages.last().is_none_or(|last| last.info.created <= info.created)
}

/// Remember something once, the newest last and within a bound.
fn remember<T, I: PartialEq>(all: &mut Vec<T>, one: T, id: impl Fn(&T) -> &I) {
    match all.iter().position(|known| id(known) == id(&one)) {
        Some(index) => all[index] = one,
        None => all.push(one),
    }
    if all.len() > MOST_WAITING {
        all.remove(0);
    }
}

/// Whether more of an answer may come, as far as its agent has said.
fn is_unfinished(info: &MessageInfo) -> bool {
    info.role == Role::Assistant && info.completed.is_none() && info.failure.is_none()
}

/// The words of a part that was not whole when it was told last.
fn words(part: &Part) -> Option<&str> {
    match &part.content {
        PartContent::Text { text, ended: None, .. }
        | PartContent::Reasoning { text, ended: None, .. } => Some(&text.text),
        _ => None,
    }
}

/// The text of a part that grows.
fn grows(part: &mut Part, field: TextField) -> Option<&mut LongText> {
    match (&mut part.content, field) {
        (PartContent::Text { text, .. } | PartContent::Reasoning { text, .. }, TextField::Text) => {
            Some(text)
        }
        (PartContent::Tool { call }, TextField::Output) => {
            Some(call.output.get_or_insert_default())
        }
        _ => None,
    }
}

fn add(text: &mut LongText, delta: &str) {
    let room = LONGEST_TEXT.saturating_sub(text.text.len());
    let fits = if text.left_out == 0 { delta.floor_char_boundary(room) } else { 0 };
    text.text.push_str(&delta[..fits]);
    text.left_out += (delta.len() - fits) as u64;
}

/// About how many bytes of text a part has.
fn weight(part: &Part) -> usize {
    let long = |text: &Option<LongText>| text.as_ref().map_or(0, |text| text.text.len());
    let large = match &part.content {
        PartContent::Text { text, .. } | PartContent::Reasoning { text, .. } => text.text.len(),
        PartContent::Tool { call } => {
            long(&call.output) + long(&call.error) + call.input.to_string().len()
        }
        PartContent::Subtask { prompt, .. } => prompt.text.len(),
        _ => 0,
    };
    large + size_of::<Part>()
}

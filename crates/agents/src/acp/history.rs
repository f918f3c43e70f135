//! What was said in one session, as its agent told it piece by piece.
//!
//! ACP has no way to ask for messages: an agent tells them while they happen, and some tell them again when an old
//! session is loaded. So they are kept here, the newest of them, within bounds; what is forgotten is told as removed.
//! Ids of messages are numbers in the session, those of parts numbers in the message: an agent that tells an old
//! session again in the same order gives them the same ids.

use std::collections::{HashMap, VecDeque};

use crate::{
    AgentError, Event, TextField,
    model::{
        FileReference, LONGEST_TEXT, LongText, MOST_MESSAGES, MOST_PARTS, Message, MessageId,
        MessageInfo, MessagePage, ModelChoice, Part, PartContent, PartId, Role, SessionId,
        ToolCall,
    },
};

use super::{tool, weight};

/// Messages that are kept of a session.
pub const MOST_KEPT_MESSAGES: usize = 2000;
/// About how many bytes are kept of a session.
pub const MOST_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// Who says something, and whether aloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    Person,
    Agent,
    Thought,
}

impl Voice {
    fn role(self) -> Role {
        match self {
            Self::Person => Role::User,
            Self::Agent | Self::Thought => Role::Assistant,
        }
    }
}

/// What is said next.
#[derive(Debug)]
pub(super) enum Piece {
    Text { text: String, is_synthetic: bool },
    File(FileReference),
}

/// What messages are said with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chosen {
    pub(super) mode: Option<String>,
    pub(super) model: Option<ModelChoice>,
}

/// The messages of a session.
#[derive(Debug)]
pub(super) struct History {
    session: SessionId,
    messages: VecDeque<Message>,
    /// The number of the next message.
    next: u64,
    bytes: usize,
    /// Where the calls of tools are: the number of the message, and which part.
    calls: HashMap<String, (u64, usize)>,
    /// The text that grows: which part of the newest message, and what the agent calls what it belongs to.
    growing: Option<(usize, Voice, Option<String>)>,
    pub(super) chosen: Chosen,
}

impl History {
    pub(super) fn new(session: SessionId) -> Self {
        Self {
            session,
            messages: VecDeque::new(),
            next: 0,
            bytes: 0,
            calls: HashMap::new(),
            growing: None,
            chosen: Chosen::default(),
        }
    }

    /// The same for another session.
    pub(super) fn copy(&self, session: &SessionId) -> Self {
        let mut copy = Self::new(session.clone());
        (copy.next, copy.bytes, copy.chosen) = (self.next, self.bytes, self.chosen.clone());
        copy.calls.clone_from(&self.calls);
        copy.messages.clone_from(&self.messages);
        for (number, message) in (self.oldest()..).zip(&mut copy.messages) {
            let id = message_id(session, number);
            for (index, part) in message.parts.iter_mut().enumerate() {
                (part.session_id, part.message_id) = (session.clone(), id.clone());
                part.id = part_id(&id, index);
            }
            (message.info.id, message.info.session_id) = (id, session.clone());
            let asked = number.checked_sub(1).map(|before| message_id(session, before));
            message.info.answers = message.info.answers.is_some().then_some(asked).flatten();
        }
        copy
    }

    fn oldest(&self) -> u64 {
        self.next - self.messages.len() as u64
    }

    /// Begin a message; what grew is complete.
    pub(super) fn begin(&mut self, role: Role, now: i64, events: &mut Vec<Event>) -> MessageId {
        self.complete(now, events);
        let id = message_id(&self.session, self.next);
        let asked = self.messages.back().map(|before| before.info.id.clone());
        let info = MessageInfo {
            id: id.clone(),
            session_id: self.session.clone(),
            role,
            created: now,
            completed: (role == Role::User).then_some(now),
            answers: asked.filter(|_| role == Role::Assistant),
            mode: self.chosen.mode.clone(),
            model: self.chosen.model.clone(),
            usage: None,
            cost: None,
            finish: None,
            failure: None,
            is_summary: false,
            diffs: Vec::new(),
        };
        events.push(Event::MessageUpdated { message: info.clone() });
        self.messages.push_back(Message { info, parts: Vec::new(), parts_left_out: 0 });
        self.next += 1;
        self.forget(events);
        id
    }

    /// A person says something, all of it at once.
    pub(super) fn prompt(
        &mut self,
        pieces: Vec<Piece>,
        now: i64,
        events: &mut Vec<Event>,
    ) -> MessageId {
        let id = self.begin(Role::User, now, events);
        for piece in pieces {
            let content = match piece {
                Piece::Text { text, is_synthetic } => {
                    let (text, at) = (self.cut(text), Some(now));
                    PartContent::Text { text, is_synthetic, started: at, ended: at }
                }
                Piece::File(file) => PartContent::File { file },
            };
            self.add(content, now, events);
        }
        id
    }

    /// Something is said: more of what was said before, where it belongs together.
    pub(super) fn say(
        &mut self,
        (voice, of): (Voice, Option<String>),
        piece: Piece,
        now: i64,
        events: &mut Vec<Event>,
    ) {
        let goes_on = match &self.growing {
            Some((_, grows, grows_of)) => *grows == voice && *grows_of == of,
            None => false,
        };
        if !self.is_newest(voice.role()) || (voice == Voice::Person && !goes_on) {
            self.begin(voice.role(), now, events);
        }
        match piece {
            // Words for the model alone are a part of their own, whatever they stand beside.
            Piece::Text { text, is_synthetic }
                if goes_on && (voice == Voice::Thought || self.is_for_model() == is_synthetic) =>
            {
                self.grow(&text, events);
            }
            Piece::Text { text, is_synthetic } => {
                let (text, started) = (self.cut(text), Some(now));
                let content = match voice {
                    Voice::Thought => PartContent::Reasoning { text, started, ended: None },
                    _ => PartContent::Text { text, is_synthetic, started, ended: None },
                };
                if let Some(index) = self.add(content, now, events) {
                    self.growing = Some((index, voice, of));
                }
            }
            Piece::File(file) => drop(self.add(PartContent::File { file }, now, events)),
        }
    }

    /// A tool is called, or a call went on.
    pub(super) fn call(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut ToolCall),
        now: i64,
        events: &mut Vec<Event>,
    ) {
        let known = self.calls.get(id).copied();
        let Some((number, index)) = known.filter(|(number, _)| *number >= self.oldest()) else {
            let mut call = Box::new(tool::begun(id, now));
            change(&mut call);
            self.fit(&mut call);
            if !self.is_newest(Role::Assistant) {
                self.begin(Role::Assistant, now, events);
            }
            if let Some(index) = self.add(PartContent::Tool { call }, now, events) {
                self.calls.insert(id.to_owned(), (self.next - 1, index));
            }
            return;
        };
        let at = usize::try_from(number - self.oldest()).unwrap_or(usize::MAX);
        let room = MOST_KEPT_BYTES.saturating_sub(self.bytes);
        let Some(part) = self.messages.get_mut(at).and_then(|message| message.parts.get_mut(index))
        else {
            return;
        };
        let before = weight::part(part);
        if let PartContent::Tool { call } = &mut part.content {
            change(call);
            tool::fit(call, before + room);
        }
        self.bytes = self.bytes + weight::part(part) - before;
        events.push(Event::PartUpdated { part: part.clone() });
        self.forget(events);
    }

    /// What grew is complete.
    pub(super) fn complete(&mut self, now: i64, events: &mut Vec<Event>) {
        let Some((index, ..)) = self.growing.take() else { return };
        let part = self.messages.back_mut().and_then(|message| message.parts.get_mut(index));
        if let Some(part) = part {
            if let PartContent::Text { ended, .. } | PartContent::Reasoning { ended, .. } =
                &mut part.content
            {
                *ended = Some(now);
            }
            events.push(Event::PartUpdated { part: part.clone() });
        }
    }

    /// The call of a tool as it is now.
    pub(super) fn called(&self, id: &str) -> Option<&ToolCall> {
        let (number, index) = self.calls.get(id)?;
        let at = usize::try_from(number.checked_sub(self.oldest())?).ok()?;
        match &self.messages.get(at)?.parts.get(*index)?.content {
            PartContent::Tool { call } => Some(call),
            _ => None,
        }
    }

    /// Change what is known of the agent's newest message, if the newest is the agent's.
    pub(super) fn amend(&mut self, change: impl FnOnce(&mut MessageInfo), events: &mut Vec<Event>) {
        let newest =
            self.messages.back_mut().filter(|message| message.info.role == Role::Assistant);
        if let Some(message) = newest {
            change(&mut message.info);
            events.push(Event::MessageUpdated { message: message.info.clone() });
        }
    }

    /// The agent's turn is over; if it said nothing, that is a message too.
    pub(super) fn end_turn(
        &mut self,
        change: impl FnOnce(&mut MessageInfo),
        now: i64,
        events: &mut Vec<Event>,
    ) {
        self.complete(now, events);
        if !self.is_newest(Role::Assistant) {
            self.begin(Role::Assistant, now, events);
        }
        self.stop_calls(now, events);
        let change = |info: &mut MessageInfo| {
            info.completed = Some(now);
            change(info);
        };
        self.amend(change, events);
    }

    /// Nothing works on after a turn, whatever its agent forgot to say.
    fn stop_calls(&mut self, now: i64, events: &mut Vec<Event>) {
        let Some(message) = self.messages.back_mut() else { return };
        for part in &mut message.parts {
            if let PartContent::Tool { call } = &mut part.content
                && tool::stop(call, now)
            {
                events.push(Event::PartUpdated { part: part.clone() });
            }
        }
    }

    /// All that was told is of the past: nothing in it goes on.
    pub(super) fn settle(&mut self, now: i64) {
        let mut unheard = Vec::new();
        self.complete(now, &mut unheard);
        self.stop_calls(now, &mut unheard);
        for message in &mut self.messages {
            message.info.completed.get_or_insert(message.info.created);
        }
    }

    /// Messages before this place, or the newest.
    pub(super) fn page(
        &self,
        limit: usize,
        before: Option<&str>,
    ) -> Result<MessagePage, AgentError> {
        let end = match before {
            None => self.next,
            Some(before) => before.parse::<u64>().map_err(|_| AgentError::Invalid {
                what: "the place to go on from".to_owned(),
                why: format!("`{before}` is none that was given"),
            })?,
        };
        let end = usize::try_from(end.saturating_sub(self.oldest())).unwrap_or(usize::MAX);
        let end = end.min(self.messages.len());
        let begin = end.saturating_sub(limit.clamp(1, MOST_MESSAGES));
        let older = (begin > 0).then(|| (self.oldest() + begin as u64).to_string());
        Ok(MessagePage { messages: self.messages.range(begin..end).cloned().collect(), older })
    }

    pub(super) fn find(&self, id: &MessageId) -> Option<&Message> {
        self.messages.iter().find(|message| message.info.id == *id)
    }

    fn is_newest(&self, role: Role) -> bool {
        self.messages.back().is_some_and(|message| message.info.role == role)
    }

    /// Add a part to the newest message, if it has room for one more.
    fn add(&mut self, content: PartContent, now: i64, events: &mut Vec<Event>) -> Option<usize> {
        self.complete(now, events);
        let is_full = self.bytes >= MOST_KEPT_BYTES;
        let message = self.messages.back_mut()?;
        if message.parts.len() >= MOST_PARTS || is_full {
            message.parts_left_out += 1;
            return None;
        }
        let (index, message_id) = (message.parts.len(), message.info.id.clone());
        let id = part_id(&message_id, index);
        let part = Part { id, message_id, session_id: self.session.clone(), content };
        self.bytes += weight::part(&part);
        events.push(Event::PartUpdated { part: part.clone() });
        message.parts.push(part);
        self.forget(events);
        Some(index)
    }

    /// Whether the text that grows is for the model alone.
    fn is_for_model(&self) -> bool {
        let Some((index, ..)) = self.growing else { return false };
        let part = self.messages.back().and_then(|message| message.parts.get(index));
        part.is_some_and(|part| {
            matches!(part.content, PartContent::Text { is_synthetic: true, .. })
        })
    }

    /// More of the text that grows. Once something was left out of it, all that follows is.
    fn grow(&mut self, more: &str, events: &mut Vec<Event>) {
        let room = MOST_KEPT_BYTES.saturating_sub(self.bytes);
        let Some((index, ..)) = self.growing else { return };
        let part = self.messages.back_mut().and_then(|message| message.parts.get_mut(index));
        let Some(part) = part else { return };
        let (PartContent::Text { text, .. } | PartContent::Reasoning { text, .. }) =
            &mut part.content
        else {
            return;
        };
        let room = if text.is_whole() { room.min(LONGEST_TEXT - text.text.len()) } else { 0 };
        let (kept, left_out) = more.split_at(more.floor_char_boundary(room));
        text.left_out += left_out.len() as u64;
        if kept.is_empty() {
            return;
        }
        text.text.push_str(kept);
        self.bytes += kept.len();
        events.push(Event::TextDelta {
            session_id: self.session.clone(),
            message_id: part.message_id.clone(),
            part_id: part.id.clone(),
            field: TextField::Text,
            delta: kept.to_owned(),
        });
        self.forget(events);
    }

    fn cut(&self, text: String) -> LongText {
        LongText::within(text, LONGEST_TEXT.min(MOST_KEPT_BYTES.saturating_sub(self.bytes)))
    }

    fn fit(&self, call: &mut ToolCall) {
        tool::fit(call, MOST_KEPT_BYTES.saturating_sub(self.bytes));
    }

    /// Forget the oldest messages while there is too much, but never the newest.
    fn forget(&mut self, events: &mut Vec<Event>) {
        while self.messages.len() > 1
            && (self.messages.len() > MOST_KEPT_MESSAGES || self.bytes >= MOST_KEPT_BYTES)
        {
            let Some(message) = self.messages.pop_front() else { return };
            for part in &message.parts {
                self.bytes = self.bytes.saturating_sub(weight::part(part));
                if let PartContent::Tool { call } = &part.content {
                    self.calls.remove(&call.call_id);
                }
            }
            let MessageInfo { id: message_id, session_id, .. } = message.info;
            events.push(Event::MessageRemoved { session_id, message_id });
        }
    }
}

fn message_id(session: &SessionId, number: u64) -> MessageId {
    MessageId(format!("{session}:{number}"))
}

fn part_id(message: &MessageId, index: usize) -> PartId {
    PartId(format!("{message}:{index}"))
}

//! What is known of sessions, messages and parts while they are told: which text may hold commands that are to be run.

use std::time::Instant;

use super::{
    Found, Outcome,
    cards::Place,
    stream::{Block, Stream, read},
};
use crate::{
    Event, TextField,
    model::{
        LongText, Message, MessageId, MessageInfo, Part, PartContent, PartId, Role, SessionId,
        SessionStatus,
    },
    recent::Recent,
};

/// Parts that grow at the same time; the oldest is forgotten for another, and no command of it is run any more.
const MOST_GROWING: usize = 64;
/// Messages that are remembered: who said them, and whether they are being said.
const MOST_MESSAGES: usize = 512;
/// Sessions that are known to work.
const MOST_WORKING: usize = 512;
/// Commands of which it is remembered what became of them.
const MOST_CARDS: usize = 512;
/// What opens a block; a text without it is left alone.
const OPENING: &str = "%%OS{";

/// What is known of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// A person says it, or who speaks for one.
    ByPerson,
    /// The agent is saying it.
    Now,
    /// The agent said it, or it stands for older messages.
    Before,
}

pub(super) struct Book {
    working: Recent<SessionId, ()>,
    messages: Recent<MessageId, Said>,
    growing: Recent<PartId, Growing>,
    cards: Recent<PartId, Part>,
}

/// A part that grows.
struct Growing {
    session: SessionId,
    message: MessageId,
    stream: Stream,
}

impl Default for Book {
    fn default() -> Self {
        Self {
            working: Recent::new(MOST_WORKING),
            messages: Recent::new(MOST_MESSAGES),
            growing: Recent::new(MOST_GROWING),
            cards: Recent::new(MOST_CARDS),
        }
    }
}

/// What came of something that was heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) events: Vec<Event>,
    /// Commands to be run.
    pub(super) found: Vec<Found>,
    /// Blocks that cannot be run, in words for the agent.
    pub(super) wrong: Vec<(SessionId, String)>,
}

/// Whether an event has nothing to do with text of an agent.
pub(super) fn is_plain(event: &Event) -> bool {
    match event {
        Event::Gap { .. }
        | Event::Status { .. }
        | Event::SessionDeleted { .. }
        | Event::MessageUpdated { .. }
        | Event::MessageRemoved { .. }
        | Event::PartRemoved { .. }
        | Event::TextDelta { field: TextField::Text, .. } => false,
        Event::PartUpdated { part } => !is_text(&part.content),
        _ => true,
    }
}

fn is_text(content: &PartContent) -> bool {
    matches!(content, PartContent::Text { is_synthetic: false, .. })
}

impl Book {
    /// When [`Book::tick`] has something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.growing.values().filter_map(|part| part.stream.deadline()).min()
    }

    /// Time goes by: blocks that take too long are given up.
    pub(super) fn tick(&mut self, now: Instant) -> Heard {
        let mut heard = Heard::default();
        for (id, part) in self.growing.iter_mut() {
            let place = part.place(id);
            let (blocks, is_live) = (part.stream.tick(now), part.stream.is_live);
            heard.take(&mut self.cards, &place, blocks, is_live);
        }
        heard
    }

    /// The agent told something that may have to do with its text.
    pub(super) fn hear(&mut self, event: &Event, now: Instant) -> Heard {
        match event {
            Event::TextDelta { session_id, message_id, part_id, field: TextField::Text, delta } => {
                return self.grows((session_id, message_id, part_id), delta, event, now);
            }
            Event::PartUpdated { part } if is_text(&part.content) => return self.part(part, now),
            Event::Gap { .. } => self.growing.values_mut().for_each(|part| part.stream.gap()),
            Event::Status { session_id, status: SessionStatus::Idle {} } => {
                self.working.remove(session_id);
            }
            Event::Status { session_id, .. } => drop(self.working.insert(session_id.clone(), ())),
            Event::SessionDeleted { session_id } => {
                self.working.remove(session_id);
                self.growing.retain(|_, part| part.session != *session_id);
            }
            Event::MessageUpdated { message } => {
                self.messages.insert(message.id.clone(), said(message));
            }
            Event::MessageRemoved { message_id, .. } => {
                self.growing.retain(|_, part| part.message != *message_id);
            }
            Event::PartRemoved { part_id, .. } => drop(self.growing.remove(part_id)),
            _ => {}
        }
        Heard { events: vec![event.clone()], ..Heard::default() }
    }

    /// A part is this now.
    fn part(&mut self, part: &Part, now: Instant) -> Heard {
        let PartContent::Text { text, ended, .. } = &part.content else { return Heard::default() };
        let said = self.messages.get(&part.message_id).copied();
        if said == Some(Said::ByPerson) {
            return Heard {
                events: vec![Event::PartUpdated { part: part.clone() }],
                ..Heard::default()
            };
        }
        let is_live = said == Some(Said::Now)
            && ended.is_none()
            && self.working.get(&part.session_id).is_some();
        let mut heard = Heard::default();
        let growing = self.growing.or_insert_with(&part.id, || Growing {
            session: part.session_id.clone(),
            message: part.message_id.clone(),
            stream: Stream::new(is_live),
        });
        let blocks = growing.stream.replace(&text.text, ended.is_some(), now);
        let (place, is_live) = (growing.place(&part.id), growing.stream.is_live);
        let clean = growing.stream.shown().to_owned();
        heard.events.push(Event::PartUpdated { part: with_text(part, clean) });
        heard.take(&mut self.cards, &place, blocks, is_live);
        if ended.is_some() {
            self.growing.remove(&part.id);
        }
        heard
    }

    /// A part grows.
    fn grows(
        &mut self,
        (session, message, part): (&SessionId, &MessageId, &PartId),
        delta: &str,
        event: &Event,
        now: Instant,
    ) -> Heard {
        let mut heard = Heard::default();
        // What is thought, and what a person says, is told in the same words.
        let Some(growing) = self.growing.get_mut(part) else {
            heard.events.push(event.clone());
            return heard;
        };
        let grown = growing.stream.push(delta, now);
        let (place, is_live) = (growing.place(part), growing.stream.is_live);
        if !grown.text.is_empty() {
            heard.events.push(Event::TextDelta {
                session_id: session.clone(),
                message_id: message.clone(),
                part_id: part.clone(),
                field: TextField::Text,
                delta: grown.text,
            });
        }
        heard.take(&mut self.cards, &place, grown.blocks, is_live);
        heard
    }

    /// A command was run.
    pub(super) fn ran(&mut self, found: &Found, outcome: &Outcome) -> Event {
        let card = found.place.over(&found.command, outcome);
        self.cards.insert(card.id.clone(), card.clone());
        Event::PartUpdated { part: card }
    }

    /// A message that is read again: no command in it is run.
    pub(super) fn read(&self, message: &mut Message) {
        if message.info.role != Role::Assistant {
            return;
        }
        let is_over = message.info.completed.is_some() || message.info.failure.is_some();
        for part in std::mem::take(&mut message.parts) {
            let text = match &part.content {
                PartContent::Text { text, is_synthetic: false, ended, .. }
                    if text.text.contains(OPENING) =>
                {
                    Some((read(&text.text, is_over || ended.is_some()), part.clone()))
                }
                _ => None,
            };
            let Some(((clean, blocks), part)) = text else {
                message.parts.push(part);
                continue;
            };
            message.parts.push(with_text(&part, clean));
            for (number, block) in blocks {
                let place = Place {
                    session: part.session_id.clone(),
                    message: part.message_id.clone(),
                    part: part.id.clone(),
                    number,
                };
                let known = self.cards.get(&place.id()).cloned();
                message.parts.push(known.unwrap_or_else(|| place.of_the_past(&block)));
            }
        }
    }
}

impl Growing {
    fn place(&self, part: &PartId) -> Place {
        let (session, message) = (self.session.clone(), self.message.clone());
        Place { session, message, part: part.clone(), number: 0 }
    }
}

impl Heard {
    /// Blocks of a part that are new: commands are run if they are heard live, and each has its card.
    fn take(
        &mut self,
        cards: &mut Recent<PartId, Part>,
        first: &Place,
        blocks: Vec<(usize, Block)>,
        is_live: bool,
    ) {
        for (number, block) in blocks {
            let place = Place { number, ..first.clone() };
            let known = cards.get(&place.id()).cloned();
            let card = match &block {
                // Told again: what became of it is known.
                _ if known.is_some() => known.clone(),
                Block::Command(command) if is_live => Some(place.running(command)),
                block => Some(place.of_the_past(block)),
            };
            let Some(card) = card else { continue };
            if known.is_none() && is_live {
                cards.insert(card.id.clone(), card.clone());
            }
            self.events.push(Event::PartUpdated { part: card });
            match block {
                _ if known.is_some() || !is_live => {}
                Block::Command(command) => {
                    self.found.push(Found { session: place.session.clone(), command, place });
                }
                Block::Wrong { text, why } => {
                    let begins = text.chars().take(60).collect::<String>();
                    self.wrong.push((place.session, format!("`{begins}`: not run, {why}")));
                }
            }
        }
    }
}

fn said(message: &MessageInfo) -> Said {
    let is_over = message.completed.is_some() || message.failure.is_some() || message.is_summary;
    match message.role {
        Role::User => Said::ByPerson,
        Role::Assistant if is_over => Said::Before,
        Role::Assistant => Said::Now,
    }
}

/// The same part with another text.
fn with_text(part: &Part, clean: String) -> Part {
    let mut part = part.clone();
    if let PartContent::Text { text, .. } = &mut part.content {
        let left_out = text.left_out;
        *text = LongText { text: clean, left_out };
    }
    part
}

//! What comes on the stream, made into what is told: each thing once, for this folder only, in bounds and without keys.

use serde_json::Value;

use super::{events, keys::Keys, wire};
use crate::{
    Event,
    model::{LONGEST_TEXT, Part, PartContent, PartId},
    recent::Recent,
};

#[cfg(test)]
mod tests;

/// Ids of events that are remembered to tell none twice.
const REMEMBERED: usize = 2048;
/// Parts whose length is remembered; more do not grow at the same time.
const GROWING: usize = 512;

/// What is remembered of a stream.
#[derive(Debug)]
pub(super) struct Sieve {
    directory: String,
    seen: Recent<String, ()>,
    /// How long parts are that grow.
    lengths: Recent<PartId, usize>,
    last: Option<Event>,
}

/// What is to be done with a frame.
#[derive(Debug, PartialEq)]
pub(super) enum Sifted {
    Nothing,
    Tell(Box<Event>),
    /// Something was said that could not be understood: what others know may be old.
    Lost(String),
}

impl Sieve {
    pub(super) fn new(directory: &str) -> Self {
        Self {
            directory: directory.to_owned(),
            seen: Recent::new(REMEMBERED),
            lengths: Recent::new(GROWING),
            last: None,
        }
    }

    pub(super) fn sift(&mut self, data: &[u8], keys: &Keys) -> Sifted {
        let Ok(said) = serde_json::from_slice::<Value>(data) else {
            return Sifted::Lost("an event is no JSON".to_owned());
        };
        // Twice as many come as say something: those are not looked at further.
        let (kind, properties) = (&said["payload"]["type"], &said["payload"]["properties"]);
        let directory = match kind.as_str() {
            Some("sync") => return Sifted::Nothing,
            Some("server.instance.disposed") => &properties["directory"],
            _ => &said["directory"],
        };
        if !self.is_ours(directory) {
            return Sifted::Nothing;
        }
        let Ok(said) = serde_json::from_value::<wire::GlobalEvent>(keys.hide(said)) else {
            return Sifted::Lost("an event has another form".to_owned());
        };
        let id = said.payload.id.clone();
        if id.is_some_and(|id| self.seen.insert(id, ()).is_some()) {
            return Sifted::Nothing;
        }
        match events::event(said.payload) {
            Ok(Some(event)) => self.bounded(event),
            Ok(None) => Sifted::Nothing,
            Err(error) => Sifted::Lost(error.to_string()),
        }
    }

    /// What belongs to no folder concerns all of them.
    fn is_ours(&self, directory: &Value) -> bool {
        directory.as_str().is_none_or(|directory| directory == self.directory)
    }

    fn bounded(&mut self, mut event: Event) -> Sifted {
        if self.last.as_ref() == Some(&event) {
            return Sifted::Nothing;
        }
        match &mut event {
            Event::PartUpdated { part } => self.measure(part),
            Event::TextDelta { part_id, delta, .. } => {
                let room = self.room(part_id, delta);
                delta.truncate(room);
                if delta.is_empty() {
                    return Sifted::Nothing;
                }
            }
            _ => {}
        }
        self.last = match &event {
            // Two equal pieces of text are two pieces.
            Event::TextDelta { .. } | Event::PartUpdated { .. } => None,
            other => Some(other.clone()),
        };
        Sifted::Tell(Box::new(event))
    }

    fn measure(&mut self, part: &Part) {
        if let PartContent::Text { text, .. } | PartContent::Reasoning { text, .. } = &part.content
        {
            self.lengths.insert(part.id.clone(), text.text.len());
        }
    }

    /// How many bytes of this there is room for in its part, which has them from then on.
    fn room(&mut self, part: &PartId, delta: &str) -> usize {
        let length = self.lengths.get_mut(part).copied().unwrap_or_default();
        let room = delta.floor_char_boundary(LONGEST_TEXT - length.min(LONGEST_TEXT));
        // What was cut once gets no more: it would have a hole.
        let length = if room == delta.len() { length + room } else { LONGEST_TEXT };
        self.lengths.insert(part.clone(), length);
        room
    }
}

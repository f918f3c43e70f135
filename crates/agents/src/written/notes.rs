//! What an agent has to be told with the next prompt of a session: how commands are written, and what became of those
//! that it wrote.

use std::fmt::Write as _;

use super::Outcome;
use crate::{interceptor::WrittenCommand, model::SessionId, recent::Recent};

/// Sessions of which something is remembered; the oldest is forgotten for another, and introduced again.
const MOST_SESSIONS: usize = 256;
/// Bytes that are told of one command, and of all of them in one prompt.
const ONE: usize = 2_000;
const ALL: usize = 8_000;

/// What is to be told, by session.
pub(super) struct Notes {
    introduction: String,
    sessions: Recent<SessionId, Note>,
}

/// What one session is to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    introduction: Option<String>,
    results: String,
    left_out: usize,
}

impl Notes {
    pub(super) fn new(introduction: &str) -> Self {
        Self { introduction: introduction.to_owned(), sessions: Recent::new(MOST_SESSIONS) }
    }

    fn of(&mut self, session: &SessionId) -> &mut Note {
        let introduction = &self.introduction;
        self.sessions.or_insert_with(session, || Note {
            introduction: Some(introduction.clone()).filter(|text| !text.is_empty()),
            ..Note::default()
        })
    }

    pub(super) fn add(&mut self, session: &SessionId, result: &str) {
        self.of(session).add(result);
    }

    /// What is to be told now.
    pub(super) fn take(&mut self, session: &SessionId) -> Note {
        std::mem::take(self.of(session))
    }

    /// It was not told.
    pub(super) fn give_back(&mut self, session: &SessionId, note: Note) {
        let later = self.take(session);
        let known = self.of(session);
        *known = note;
        known.left_out += later.left_out;
        later.results.lines().for_each(|result| known.add(result));
    }
}

impl Note {
    fn add(&mut self, result: &str) {
        let end = result.floor_char_boundary(ONE);
        if self.results.len() + end + 1 > ALL {
            self.left_out += 1;
            return;
        }
        self.results.push_str(&result[..end]);
        if end < result.len() {
            self.results.push('…');
        }
        self.results.push('\n');
    }

    /// In words, if there is anything to say.
    pub(super) fn text(&self) -> Option<String> {
        let mut text = self.introduction.clone().unwrap_or_default();
        if !self.results.is_empty() || self.left_out > 0 {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str("What became of the commands in your text:\n");
            text.push_str(&self.results);
            if self.left_out > 0 {
                // Writing into a text does not fail.
                let _ = writeln!(text, "({} more are not told here)", self.left_out);
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

/// What became of a command, for the agent.
pub(super) fn ran(command: &WrittenCommand, outcome: &Outcome) -> String {
    let word = if outcome.is_done { "done" } else { "failed" };
    format!("{}: {word}: {}", command.cmd, outcome.text)
}

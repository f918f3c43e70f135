//! What people did, in order, and how far each session of an agent was told.
//!
//! What nobody was told yet is put together where it is about the same; what somebody was told stays as it is. Both
//! lists have bounds: what is forgotten is counted, and a session that is forgotten begins anew.

use std::collections::{HashMap, VecDeque};

use openspace_command::Since;
use openspace_text::offsets::EditedLines;

use super::{Doing, Lines, told};

/// Doings that are kept.
const MOST_KEPT: usize = 200;
/// Sessions that are known; the one that called longest ago is forgotten for another.
const MOST_SESSIONS: usize = 256;

#[derive(Default)]
pub(super) struct Log {
    /// The number of the newest one.
    last: u64,
    kept: VecDeque<(u64, Doing)>,
    /// The newest one that anybody was told.
    told: u64,
    sessions: HashMap<String, Session>,
    calls: u64,
}

/// How far a session was told.
struct Session {
    client: String,
    up_to: u64,
    called: u64,
}

impl Log {
    /// Whether anybody would be told.
    pub(super) fn is_wanted(&self) -> bool {
        !self.sessions.is_empty()
    }

    pub(super) fn note(&mut self, doing: Doing) {
        if !self.is_wanted() {
            return;
        }
        let told = self.told;
        let mut untold = self.kept.iter_mut().rev().take_while(|(number, _)| *number > told);
        if let Some((_, known)) = untold.find(|(_, it)| doing.is_about_the_same(it)) {
            *known = doing;
            return;
        }
        self.last += 1;
        self.kept.push_back((self.last, doing));
        if self.kept.len() > MOST_KEPT {
            self.kept.pop_front();
        }
    }

    /// Somebody typed into a file.
    pub(super) fn typed(&mut self, path: &str, edits: &[EditedLines]) {
        let told = self.told;
        let mut untold = self.kept.iter_mut().rev().take_while(|(number, _)| *number > told);
        let known = untold.find_map(|(_, it)| match it {
            Doing::Typed { path: of, lines } if of == path => Some(Some(lines)),
            // What is typed after a save is not saved.
            Doing::Saved { path: of } if of == path => Some(None),
            _ => None,
        });
        if let Some(Some(lines)) = known {
            for edit in edits {
                lines.edit(*edit);
            }
            return;
        }
        let mut lines = Lines::default();
        for edit in edits {
            lines.edit(*edit);
        }
        self.note(Doing::Typed { path: path.to_owned(), lines });
    }

    /// What a session has not been told, which it is told now. Its first call begins with nothing.
    pub(super) fn since(&mut self, session: &str, client: &str) -> Option<Since> {
        self.calls += 1;
        let known = self.sessions.get(session).map(|session| session.up_to);
        if known.is_none() {
            self.make_room();
        }
        let since = known.and_then(|up_to| self.after(up_to, client));
        let (client, up_to) = (client.to_owned(), self.last);
        self.told = self.last;
        self.sessions.insert(session.to_owned(), Session { client, up_to, called: self.calls });
        since
    }

    /// What a client was not told, whichever of its sessions called last.
    pub(super) fn since_any(&self, client: &str) -> Option<Since> {
        let ours = self.sessions.values().filter(|session| session.client == client);
        let up_to = ours.map(|session| session.up_to).max()?;
        self.after(up_to, client)
    }

    fn after(&self, up_to: u64, client: &str) -> Option<Since> {
        if up_to == self.last {
            return None;
        }
        let first = self.kept.front().map_or(self.last + 1, |(number, _)| *number);
        let forgotten = (first - 1).saturating_sub(up_to);
        let untold =
            self.kept.iter().filter(|(number, doing)| *number > up_to && doing.is_for(client));
        told::told(untold.map(|(_, doing)| doing), forgotten)
    }

    /// How many doings and sessions there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> (usize, usize) {
        (self.kept.len(), self.sessions.len())
    }

    fn make_room(&mut self) {
        if self.sessions.len() < MOST_SESSIONS {
            return;
        }
        let quietest = self.sessions.iter().min_by_key(|(_, session)| session.called);
        if let Some(quietest) = quietest.map(|(name, _)| name.clone()) {
            self.sessions.remove(&quietest);
        }
    }
}

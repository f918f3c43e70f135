//! Whether somebody opened a secret before it was hidden.
//!
//! The kernel tells of a rename only after it is done, and of an opening when it is done, so both may be
//! told in the wrong order, and an opening that began before a file was hidden may end after. What
//! happened shortly before and after is therefore remembered.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

use super::folders::{Event, Folders};

/// How long an event is remembered.
const REMEMBERED: Duration = Duration::from_secs(1);
/// How long after it was hidden an opening still counts.
const LATE: Duration = Duration::from_millis(50);
/// The most that is remembered of either.
const MOST: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Sightings {
    events: VecDeque<(Instant, Event)>,
    hidden: VecDeque<Hidden>,
}

#[derive(Debug)]
struct Hidden {
    at: Instant,
    folder: i32,
    name: OsString,
    path: OsString,
}

impl Sightings {
    /// Remembers an event of a folder in which openings are told.
    pub(super) fn note(&mut self, event: Event, folders: &Folders) {
        let folder = match &event {
            Event::Appeared { folder, .. }
            | Event::Left { folder, .. }
            | Event::Opened { folder, .. } => *folder,
            Event::Ended { .. } | Event::Missed => return,
        };
        if !folders.is_close(folder) {
            return;
        }
        if self.events.len() == MOST {
            self.events.pop_front();
        }
        self.events.push_back((Instant::now(), event));
    }

    /// How often a name was opened before it was told that it appeared. When it was renamed, only what
    /// came after the making of the file that was renamed counts: before that it was another file.
    pub(super) fn opened_before(&self, folder: i32, name: &OsStr, renamed: Option<u32>) -> usize {
        let Some(number) = renamed else { return 0 };
        let now = Instant::now();
        let recent = || {
            let events = self.events.iter().rev();
            events.take_while(move |(at, _)| now.duration_since(*at) < REMEMBERED)
        };
        let source = recent().find_map(|(_, event)| match event {
            Event::Left { folder, name, renamed, .. } if *renamed == number => {
                Some((*folder, name.clone()))
            }
            _ => None,
        });
        let is_making = |event: &Event| {
            matches!((event, &source), (Event::Appeared { folder, name, renamed: None }, Some(of))
                if *folder == of.0 && *name == of.1)
        };
        let since_made = recent().take_while(|(_, event)| !is_making(event));
        let is_it = |event: &Event| matches!(event, Event::Opened { folder: of, name: it } if *of == folder && it == name);
        since_made.filter(|(_, event)| is_it(event)).count()
    }

    /// A secret was hidden, and nobody has opened it yet.
    pub(super) fn hid(&mut self, at: Instant, folder: i32, name: &OsStr, path: &OsStr) {
        if self.hidden.len() == MOST {
            self.hidden.pop_front();
        }
        let (name, path) = (name.to_owned(), path.to_owned());
        self.hidden.push_back(Hidden { at, folder, name, path });
    }

    /// The secret of this name, if it was hidden a moment ago. It is told once.
    pub(super) fn hidden_just_now(&mut self, folder: i32, name: &OsStr) -> Option<OsString> {
        let now = Instant::now();
        self.hidden.retain(|hidden| now.duration_since(hidden.at) < LATE);
        let is_it = |hidden: &Hidden| hidden.folder == folder && hidden.name == name;
        let at = self.hidden.iter().position(is_it)?;
        self.hidden.remove(at).map(|hidden| hidden.path)
    }
}

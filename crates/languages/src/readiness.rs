//! Whether a server has read what it needs, so that an empty answer means that there is nothing.
//!
//! There is no word for it in the protocol: each server has a way of its own to say so, or none. Progress that is shown
//! to people is heard in any case, because it says how far loading has come.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Moment;

/// Things under way at a time that are heard of. So many at once are loading enough.
const MOST_PROGRESS: usize = 200;
/// What is kept of a title.
const LONGEST_TITLE: usize = 120;

/// How a server says that it is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ReadyBy {
    /// It reads as it goes: an answer is never about less than all.
    AtOnce,
    /// When nothing is under way for so long.
    Quiet {
        /// How long.
        ms: u32,
        /// It must have answered something about a document before.
        #[serde(default)]
        answered: bool,
    },
    /// When what is called so has ended.
    Progress {
        /// How its title begins.
        title: String,
    },
    /// When it says that it rests (`experimental/serverStatus`; rust-analyzer).
    ServerStatus,
    /// When it says so (`language/status`; jdtls).
    LanguageStatus,
    /// When its projects are there (`workspace/projectInitializationComplete`; Roslyn).
    ProjectsRead,
}

impl Default for ReadyBy {
    fn default() -> Self {
        Self::Quiet { ms: 500, answered: true }
    }
}

#[derive(Debug)]
pub(crate) struct Readiness {
    by: ReadyBy,
    under_way: BTreeMap<String, Progress>,
    /// When something was last under way.
    busy: Moment,
    answered: bool,
    /// It said that it is ready, in its own way.
    said: bool,
}

#[derive(Debug)]
struct Progress {
    title: String,
    percent: Option<u8>,
}

impl Readiness {
    /// A server that greeted.
    pub(crate) fn new(by: ReadyBy, now: Moment) -> Self {
        Self { by, under_way: BTreeMap::new(), busy: now, answered: false, said: false }
    }

    /// It answered something about a document.
    pub(crate) fn answered(&mut self) {
        self.answered = true;
    }

    /// It is ready when it has answered, and has not yet.
    pub(crate) fn lacks_answer(&self) -> bool {
        !self.answered && matches!(self.by, ReadyBy::Quiet { answered: true, .. })
    }

    /// It told something that may be about this.
    pub(crate) fn told(&mut self, method: &str, params: &Value, now: Moment) {
        match (method, &self.by) {
            ("$/progress", _) => self.progress(params, now),
            ("experimental/serverStatus", ReadyBy::ServerStatus) => {
                self.said = params["quiescent"] == true;
            }
            ("language/status", ReadyBy::LanguageStatus) => match params["type"].as_str() {
                Some("ServiceReady") => self.said = true,
                Some("Starting") => self.said = false,
                _ => {}
            },
            ("workspace/projectInitializationComplete", ReadyBy::ProjectsRead) => self.said = true,
            _ => {}
        }
    }

    fn progress(&mut self, params: &Value, now: Moment) {
        let token = params["token"].to_string();
        let value = &params["value"];
        let percent = value["percentage"].as_u64().and_then(|it| u8::try_from(it.min(100)).ok());
        match value["kind"].as_str() {
            Some("begin") if self.under_way.len() < MOST_PROGRESS => {
                let title = value["title"].as_str().unwrap_or_default();
                let title = title[..title.floor_char_boundary(LONGEST_TITLE)].to_owned();
                self.under_way.insert(token, Progress { title, percent });
            }
            Some("report") => {
                if let Some(known) = self.under_way.get_mut(&token) {
                    known.percent = percent.or(known.percent);
                }
            }
            Some("end") => {
                let ended = self.under_way.remove(&token);
                if let (Some(ended), ReadyBy::Progress { title }) = (ended, &self.by) {
                    self.said |= ended.title.starts_with(title);
                }
            }
            _ => return,
        }
        self.busy = now;
    }

    pub(crate) fn is_ready(&self, now: Moment) -> bool {
        match &self.by {
            ReadyBy::AtOnce => true,
            ReadyBy::Quiet { answered, .. } => {
                (self.answered || !answered) && self.quiet_at().is_some_and(|quiet| quiet <= now)
            }
            ReadyBy::Progress { title } => {
                self.said && !self.under_way.values().any(|it| it.title.starts_with(title))
            }
            ReadyBy::ServerStatus | ReadyBy::LanguageStatus | ReadyBy::ProjectsRead => self.said,
        }
    }

    /// When it may be ready although nothing happens.
    pub(crate) fn quiet_at(&self) -> Option<Moment> {
        match self.by {
            ReadyBy::Quiet { ms, .. } if self.under_way.is_empty() => {
                Some(self.busy + Duration::from_millis(ms.into()))
            }
            _ => None,
        }
    }

    /// How far it is, and with what: the one that is least far.
    pub(crate) fn loading(&self) -> (Option<u8>, Option<String>) {
        let slowest = self.under_way.values().min_by_key(|it| it.percent.unwrap_or(u8::MAX));
        let title = slowest.map(|it| it.title.clone()).filter(|title| !title.is_empty());
        (slowest.and_then(|it| it.percent), title)
    }
}

#[cfg(test)]
mod tests;

//! What is known of each file, and what has to be asked so that it is about the text as it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    AFTER_BARRIER, Diagnostic, Freshness, MOST_FILES, MOST_IN_FILE, Report,
    wire::{Found, Part, Published, Pulled},
};
use crate::{Moment, uri::Uri};

/// How a server tells what it found in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is asked, under each of these identifiers.
    Pull(Vec<String>),
    /// It tells by itself.
    Push,
}

/// The text that a file has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// None if the document is not open.
    pub(crate) version: Option<i32>,
    /// Which state of all texts.
    pub(crate) edition: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Book {
    files: HashMap<Uri, File>,
    /// Whether pushes name versions; nobody knows before the first.
    names_versions: Option<bool>,
}

#[derive(Debug, Default)]
struct File {
    /// By identifier.
    pulled: BTreeMap<String, Told>,
    pushed: Option<Told>,
    barrier: Barrier,
    failure: Option<String>,
}

#[derive(Debug)]
struct Told {
    /// About which text; none where nobody knows.
    version: Option<i32>,
    edition: u64,
    freshness: Freshness,
    found: Found,
    result: Option<String>,
}

/// A question behind a change, whose answer says that the change was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Barrier {
    #[default]
    None,
    Asked(i32),
    Answered {
        version: i32,
        at: Moment,
    },
}

impl Told {
    fn now(&self, text: Text) -> Freshness {
        let is_of_this = match text.version {
            Some(_) => self.version == text.version,
            // Of a file that is not open the disk is meant, and changes of it are told.
            None => true,
        };
        match (is_of_this, self.edition == text.edition) {
            (false, _) => Freshness::Pending,
            (true, false) => self.freshness.max(Freshness::Old),
            (true, true) => self.freshness,
        }
    }
}

impl Book {
    /// The process that told all this is gone; what it found is kept to be shown, and is about older texts.
    pub(crate) fn forget_process(&mut self) {
        self.names_versions = None;
        for file in self.files.values_mut() {
            file.barrier = Barrier::None;
            file.failure = None;
            for told in file.pulled.values_mut().chain(&mut file.pushed) {
                told.freshness = Freshness::Pending;
                told.result = None;
            }
        }
    }

    fn file(&mut self, uri: &Uri) -> Option<&mut File> {
        if self.files.len() >= MOST_FILES && !self.files.contains_key(uri) {
            return None;
        }
        Some(self.files.entry(uri.clone()).or_default())
    }

    /// The server told something by itself. `version` is the text that it can be about.
    pub(crate) fn published(&mut self, said: Published, text: Text, now: Moment) {
        if text.version.is_some() {
            self.names_versions = Some(said.version.is_some());
        }
        let Some(file) = self.file(&said.uri) else { return };
        let (version, freshness) = match (said.version, text.version) {
            // A later version than ours is one that we have not told: it means the last one.
            (Some(said), Some(ours)) if said >= ours => (Some(ours), Freshness::Fresh),
            (Some(said), Some(_)) => (Some(said), Freshness::Fresh),
            (None, Some(ours)) => match file.barrier {
                Barrier::Answered { version, at }
                    if version == ours && now >= at + AFTER_BARRIER =>
                {
                    (Some(ours), Freshness::Likely)
                }
                _ => (None, Freshness::Pending),
            },
            (_, None) => (None, Freshness::Likely),
        };
        if let (Some(before), Some(version)) = (&file.pushed, version)
            && before.version.is_some_and(|before| before > version)
        {
            // Late, and about less than what is known already.
            return;
        }
        let edition = text.edition;
        file.pushed = Some(Told { version, edition, freshness, found: said.found, result: None });
        self.sweep(&said.uri);
    }

    /// A file of which nothing is wrong, and that nobody asks about, needs no place.
    fn sweep(&mut self, uri: &Uri) {
        let is_bare = |file: &File| {
            file.barrier == Barrier::None
                && file.pulled.is_empty()
                && file.failure.is_none()
                && file
                    .pushed
                    .as_ref()
                    .is_none_or(|told| told.version.is_none() && told.found == Found::default())
        };
        if self.files.len() >= MOST_FILES / 2 && self.files.get(uri).is_some_and(is_bare) {
            self.files.remove(uri);
        }
    }

    /// The answer to a question about a document, which had this text when it was asked. Says whether it could be used.
    pub(crate) fn pulled(
        &mut self,
        uri: &Uri,
        identifier: &str,
        asked: Text,
        is_ready: bool,
        answer: Pulled,
        version_of: impl Fn(&Uri) -> Option<i32>,
    ) -> bool {
        let freshness = if is_ready { Freshness::Fresh } else { Freshness::Pending };
        for (related, part) in answer.related {
            if related != *uri {
                let text = Text { version: version_of(&related), ..asked };
                self.take(&related, identifier, text, freshness, part);
            }
        }
        self.take(uri, identifier, asked, freshness, answer.own)
    }

    fn take(
        &mut self,
        uri: &Uri,
        identifier: &str,
        text: Text,
        freshness: Freshness,
        part: Part,
    ) -> bool {
        let Some(file) = self.file(uri) else { return false };
        let Text { version, edition } = text;
        match part {
            Part::Full { found, result } => {
                let told = Told { version, edition, freshness, found, result };
                file.pulled.insert(identifier.to_owned(), told);
            }
            Part::Same { result } => {
                let Some(known) = file.pulled.get_mut(identifier) else { return false };
                *known = Told {
                    version,
                    edition,
                    freshness,
                    found: std::mem::take(&mut known.found),
                    result: result.or(known.result.take()),
                };
            }
        }
        file.failure = None;
        true
    }

    /// The name of what was answered last, so that a server can say "the same".
    pub(crate) fn result(&self, uri: &Uri, identifier: &str) -> Option<&str> {
        self.files.get(uri)?.pulled.get(identifier)?.result.as_deref()
    }

    /// Asking failed.
    pub(crate) fn failed(&mut self, uri: &Uri, why: String) {
        if let Some(file) = self.file(uri) {
            file.failure = Some(why);
        }
    }

    /// All that was asked for is about something else now, such as other settings.
    pub(crate) fn refresh(&mut self) {
        for told in self.files.values_mut().flat_map(|file| file.pulled.values_mut()) {
            told.freshness = told.freshness.max(Freshness::Old);
        }
    }

    /// How documents are told about has changed: what was told in the old way is not told again.
    pub(crate) fn change_way(&mut self, uri: &Uri, way: &Way) {
        let Some(file) = self.files.get_mut(uri) else { return };
        match way {
            Way::Pull(identifiers) => {
                if file.pulled.is_empty() {
                    file.pushed = None;
                }
                file.pulled.retain(|identifier, _| identifiers.contains(identifier));
            }
            Way::Push => file.pulled.clear(),
        }
    }

    /// The version for which a barrier has to be sent now.
    pub(crate) fn needs_barrier(&self, uri: &Uri, version: i32) -> bool {
        let barrier = self.files.get(uri).map_or(Barrier::None, |file| file.barrier);
        self.names_versions != Some(true)
            && match barrier {
                Barrier::None => true,
                // One at a time; the next follows its answer.
                Barrier::Asked(_) => false,
                Barrier::Answered { version: answered, .. } => answered != version,
            }
    }

    pub(crate) fn barrier_sent(&mut self, uri: &Uri, version: i32) {
        if let Some(file) = self.file(uri) {
            file.barrier = Barrier::Asked(version);
        }
    }

    pub(crate) fn barrier_answered(&mut self, uri: &Uri, version: i32, now: Moment) {
        if let Some(file) = self.files.get_mut(uri)
            && file.barrier == Barrier::Asked(version)
        {
            file.barrier = Barrier::Answered { version, at: now };
        }
    }

    /// Nobody will answer it.
    pub(crate) fn barrier_lost(&mut self, uri: &Uri) {
        if let Some(file) = self.files.get_mut(uri) {
            file.barrier = Barrier::None;
        }
    }

    /// The document was closed: servers say nothing more of it, or say what the disk has.
    pub(crate) fn closed(&mut self, uri: &Uri) {
        if let Some(file) = self.files.get_mut(uri) {
            file.barrier = Barrier::None;
            file.failure = None;
            for told in file.pulled.values_mut().chain(&mut file.pushed) {
                told.freshness = told.freshness.max(Freshness::Old);
            }
        }
    }

    /// Identifiers under which nothing fresh is known.
    pub(crate) fn to_pull<'a>(&self, uri: &Uri, text: Text, all: &'a [String]) -> Vec<&'a String> {
        let file = self.files.get(uri);
        let is_stale = |identifier: &&String| {
            let told = file.and_then(|file| file.pulled.get(*identifier));
            told.is_none_or(|told| told.now(text) != Freshness::Fresh)
        };
        all.iter().filter(is_stale).collect()
    }

    /// What a list of problems should have of a file, however old: of one that is not open, only what is told unasked,
    /// for nobody asks again.
    pub(crate) fn to_list(&self, uri: &Uri, text: Text, way: &Way) -> Vec<Diagnostic> {
        let report = self.report(uri, text, way);
        match (text.version, way) {
            (None, Way::Pull(_)) => report.beside,
            _ => report.items.into_iter().chain(report.beside).collect(),
        }
    }

    /// Files of which something is known.
    pub(crate) fn files(&self) -> BTreeSet<&Uri> {
        self.files.keys().collect()
    }

    pub(crate) fn report(&self, uri: &Uri, text: Text, way: &Way) -> Report {
        let mut report = Report {
            freshness: Freshness::Pending,
            version: text.version,
            items: Vec::new(),
            beside: Vec::new(),
            left_out: 0,
            failure: None,
        };
        let Some(file) = self.files.get(uri) else { return report };
        report.failure.clone_from(&file.failure);
        let mut tell = |found: &Found| {
            report.left_out += found.left_out;
            found.items.clone()
        };
        match way {
            Way::Push => {
                if let Some(told) = &file.pushed {
                    report.items = tell(&told.found);
                    report.freshness = told.now(text);
                }
            }
            Way::Pull(identifiers) => {
                let told = || identifiers.iter().map(|identifier| file.pulled.get(identifier));
                report.items = told().flatten().flat_map(|told| tell(&told.found)).collect();
                report.items.sort_by_key(|item| (item.range, item.severity));
                report.left_out += report.items.len().saturating_sub(MOST_IN_FILE);
                report.items.truncate(MOST_IN_FILE);
                let of_each = told().map(|told| told.map_or(Freshness::Pending, |it| it.now(text)));
                report.freshness = of_each.max().unwrap_or(Freshness::Pending);
                if let Some(pushed) = &file.pushed {
                    let others = |item: &&Diagnostic| !report.items.contains(item);
                    report.beside = pushed.found.items.iter().filter(others).cloned().collect();
                }
            }
        }
        report
    }
}

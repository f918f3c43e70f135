//! Diagnostics of one server: asked for when somebody wants them and the server is ready, made sure of by a barrier
//! where it names no versions.

use serde_json::{Value, json, value::RawValue};

use super::{
    Event, Server,
    asking::{AGAIN_AFTER, Purpose, Sent},
};
use crate::{
    Moment,
    diagnostics::{Diagnostic, Pulled, Report, Text, Way},
    documents::DocumentError,
    message::{CONTENT_MODIFIED, Refusal, SERVER_CANCELLED},
    uri::Uri,
};

/// Questions that can be a barrier: cheap, answered by most, and only after the change before them was read.
const BARRIERS: [&str; 3] =
    ["textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/codeLens"];

impl Server {
    /// Somebody wants to know what is wrong with a document, about its text as it is. What is known is told by
    /// [`Self::report`]; when it changes, there is an event.
    pub fn want_diagnostics(&mut self, uri: &Uri, now: Moment) -> Result<(), DocumentError> {
        if self.documents.get(uri).is_none() {
            return Err(DocumentError::NotOpen(uri.clone()));
        }
        self.used = now;
        self.flush_changed_files();
        self.wanted.insert(uri.clone());
        self.settle(now);
        Ok(())
    }

    /// Nobody wants to know any more.
    pub fn unwant_diagnostics(&mut self, uri: &Uri) {
        self.wanted.remove(uri);
    }

    /// What is known of a file now.
    pub fn report(&self, uri: &Uri) -> Report {
        self.book.report(uri, self.text(uri), &self.way(uri))
    }

    /// What a list of problems should have of a file: what is known, however old it is. Of a file that is not open, only
    /// what is told unasked, for nobody asks again.
    pub fn to_list(&self, uri: &Uri) -> Vec<Diagnostic> {
        self.book.to_list(uri, self.text(uri), &self.way(uri))
    }

    /// Open documents of which nothing settled is known, at most so many.
    pub fn unsettled(&self, most: usize) -> Vec<Uri> {
        let open = self.documents.iter().map(|(uri, _)| uri);
        let unsettled = open.filter(|uri| !self.report(uri).freshness.is_settled());
        unsettled.take(most).cloned().collect()
    }

    /// Files of which something is known.
    pub fn files(&self) -> Vec<Uri> {
        self.book.files().into_iter().cloned().collect()
    }

    pub(super) fn text(&self, uri: &Uri) -> Text {
        let version = self.documents.get(uri).map(|document| document.version);
        Text { version, edition: self.documents.edition() }
    }

    pub(super) fn way(&self, uri: &Uri) -> Way {
        let pulls = self.abilities.pulls(uri, self.language(uri));
        if pulls.is_empty() { Way::Push } else { Way::Pull(pulls) }
    }

    pub(super) fn language(&self, uri: &Uri) -> &str {
        self.documents.get(uri).map_or("", |document| &document.language)
    }

    /// Ask what has to be asked.
    pub(super) fn check(&mut self, now: Moment) {
        let wanted: Vec<Uri> = self.wanted.iter().cloned().collect();
        for uri in wanted {
            match self.way(&uri) {
                Way::Pull(identifiers) => self.pull(&uri, &identifiers, now),
                Way::Push => {
                    if self.report(&uri).freshness.is_settled() {
                        self.wanted.remove(&uri);
                    }
                }
            }
        }
        let open: Vec<(Uri, i32)> =
            self.documents.iter().map(|(uri, document)| (uri.clone(), document.version)).collect();
        for (uri, version) in open {
            if self.book.needs_barrier(&uri, version) && self.way(&uri) == Way::Push {
                self.send_barrier(uri, version, now);
            }
        }
    }

    fn pull(&mut self, uri: &Uri, identifiers: &[String], now: Moment) {
        if self.pull_again.get(uri).is_some_and(|at| *at > now) {
            return;
        }
        self.pull_again.remove(uri);
        let text = self.text(uri);
        let stale = self.book.to_pull(uri, text, identifiers);
        if stale.is_empty() {
            self.wanted.remove(uri);
            return;
        }
        // What it says before it has read everything would have to be asked again.
        if !self.is_ready(now) {
            return;
        }
        for identifier in stale {
            let is_asked = self.sent.values().any(|sent| {
                matches!(&sent.purpose, Purpose::Pull { uri: asked, identifier: of, .. }
                    if asked == uri && of == identifier)
            });
            if is_asked {
                continue;
            }
            let mut params = json!({"textDocument": {"uri": uri}});
            if !identifier.is_empty() {
                params["identifier"] = json!(identifier);
            }
            if let Some(result) = self.book.result(uri, identifier) {
                params["previousResultId"] = json!(result);
            }
            let purpose = Purpose::Pull { uri: uri.clone(), identifier: identifier.clone(), text };
            self.call("textDocument/diagnostic", &params, purpose, now);
        }
    }

    /// Where a server is ready when it answers, somebody must ask: those who wait until it is ready do not.
    pub(super) fn probe(&mut self, now: Moment) {
        if self.probed || !self.readiness.lacks_answer() {
            return;
        }
        let Some(uri) = self.documents.iter().next().map(|(uri, _)| uri.clone()) else { return };
        self.probed = true;
        let document = Some((&uri, self.language(&uri)));
        match BARRIERS.into_iter().find(|it| self.abilities.can(it, document)) {
            Some(method) => {
                let params = json!({"textDocument": {"uri": uri}});
                self.call(method, &params, Purpose::Probe, now);
            }
            None => self.readiness.answered(),
        }
    }

    fn send_barrier(&mut self, uri: Uri, version: i32, now: Moment) {
        let document = Some((&uri, self.language(&uri)));
        let Some(method) = BARRIERS.into_iter().find(|it| self.abilities.can(it, document)) else {
            return;
        };
        self.book.barrier_sent(&uri, version);
        let params = json!({"textDocument": {"uri": uri}});
        self.call(method, &params, Purpose::Barrier { uri, version }, now);
    }

    /// The text changed: what is being found out about the one before is of no use.
    pub(super) fn drop_pulls(&mut self, uri: &Uri) {
        let is_of =
            |sent: &Sent| matches!(&sent.purpose, Purpose::Pull { uri: of, .. } if of == uri);
        let ids: Vec<u64> =
            self.sent.iter().filter(|(_, it)| is_of(it)).map(|(id, _)| *id).collect();
        for id in ids {
            self.abandon(id);
        }
    }

    pub(super) fn pulled(
        &mut self,
        uri: &Uri,
        identifier: &str,
        text: Text,
        was_ready: bool,
        answer: Result<Box<RawValue>, Refusal>,
        now: Moment,
    ) {
        let said = match answer {
            Ok(said) => said,
            Err(refusal) => return self.pull_refused(uri, &refusal, now),
        };
        self.readiness.answered();
        let is_ready = was_ready && self.is_ready(now);
        let read = serde_json::from_str::<Value>(said.get()).ok().and_then(Pulled::read);
        let Some(read) = read else {
            return self.pull_failed(uri, "its answer is no report of diagnostics".to_owned());
        };
        let related: Vec<Uri> = read.related.keys().cloned().collect();
        let documents = &self.documents;
        let version_of = |uri: &Uri| documents.get(uri).map(|document| document.version);
        if !self.book.pulled(uri, identifier, text, is_ready, read, version_of) {
            return self
                .pull_failed(uri, "it says that nothing changed since it never said".to_owned());
        }
        for uri in related.into_iter().chain([uri.clone()]) {
            self.events.push_back(Event::Diagnostics { uri });
        }
    }

    fn pull_refused(&mut self, uri: &Uri, refusal: &Refusal, now: Moment) {
        let retrigger = refusal.data.as_ref().is_none_or(|data| data["retriggerRequest"] != false);
        if refusal.code == CONTENT_MODIFIED || (refusal.code == SERVER_CANCELLED && retrigger) {
            self.pull_again.insert(uri.clone(), now + AGAIN_AFTER);
            return;
        }
        self.pull_failed(uri, format!("{} (code {})", refusal.message, refusal.code));
    }

    fn pull_failed(&mut self, uri: &Uri, why: String) {
        self.wanted.remove(uri);
        self.book.failed(uri, why);
        self.events.push_back(Event::Diagnostics { uri: uri.clone() });
    }

    /// One of our own questions gets no answer.
    pub(super) fn unanswered(&mut self, purpose: Purpose, why: &str) {
        match purpose {
            Purpose::Pull { uri, .. } => self.pull_failed(&uri, why.to_owned()),
            Purpose::Barrier { uri, .. } => self.book.barrier_lost(&uri),
            Purpose::Probe => self.probed = false,
            Purpose::Greeting | Purpose::Farewell | Purpose::Questions(_) => {}
        }
    }
}

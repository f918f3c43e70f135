//! What an edit broke and what it mended, told with the edit: about the text as it is after it, or not at all.
//!
//! Nothing is started for it. Where a server of the file runs and is ready, it is asked before the edit and after it,
//! for a moment each; what is not known by then is said to be not known.

use std::{sync::Arc, time::Duration};

use openspace_languages::{
    Diagnostic, FileChange, Freshness, LanguageServer, Report, Severity, State, Uri, difference,
    table::AfterEdit,
};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::{task::JoinSet, time::Instant};

use super::{
    diagnostics_command::Problem, running::Running, servers::CodeServers, whereabouts::Where,
};
use crate::{Cx, OpenSpace, places::Place, workspaces::MAIN};

/// How long the set before the edit is waited for, and the one after it.
const BEFORE: Duration = Duration::from_millis(700);
const AFTER: Duration = Duration::from_secs(2);
/// New problems that are told of the file.
const MOST_NEW: usize = 10;
/// Other files that are compared, and those that are named.
const MOST_OTHERS: usize = 20;
const MOST_ELSEWHERE: usize = 5;

/// What an edit did to what is wrong.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CodeProblems")]
pub(crate) struct Problems {
    /// Whether this is about the text after the edit: `fresh`, `likely`, or `pending` with why nobody knows yet.
    state: String,
    /// What was not wrong before, the worst first, at most 10 and how many more: line, column, how bad it is, and what.
    new: Vec<String>,
    /// How much is not wrong any more.
    fixed: usize,
    /// Other files with new errors, of those that were asked about before, and how many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<String>,
    #[serde(skip)]
    total_new: usize,
}

impl Problems {
    fn pending(why: &str) -> Self {
        Self {
            state: format!("pending: {why}; ask code_diagnostics"),
            new: Vec::new(),
            total_new: 0,
            fixed: 0,
            elsewhere: Vec::new(),
        }
    }

    /// For readers, after what became of the file.
    pub(crate) fn words(&self) -> String {
        if let Some(why) = self.state.strip_prefix("pending: ") {
            return format!("Problems: not known yet ({why}).");
        }
        if self.total_new == 0 && self.elsewhere.is_empty() {
            return format!("Problems: nothing new, {} fixed.", self.fixed);
        }
        let mut lines = vec![format!("Problems: {} new, {} fixed.", self.total_new, self.fixed)];
        lines.extend(self.new.iter().chain(&self.elsewhere).map(|line| format!("  {line}")));
        lines.join("\n")
    }
}

/// What was known before an edit.
pub(crate) struct Before {
    path: RelPath,
    of: Vec<OfServer>,
}

struct OfServer {
    running: Arc<Running>,
    uri: Uri,
    /// The text and what was wrong with it; nothing where nobody knew in time.
    file: Option<(Arc<str>, Vec<Diagnostic>)>,
    /// Errors of other files.
    others: Vec<(Uri, usize)>,
    is_ready: bool,
}

/// Look before an edit. Nothing, if no server of the file runs.
pub(crate) async fn before(cx: &Cx, place: &Place, path: &RelPath) -> Option<Before> {
    if place.id() != MAIN || path.is_untitled() {
        return None;
    }
    let servers = cx.state.service::<CodeServers>();
    let running = servers.running_for(path);
    if running.is_empty() || servers.after_edit() == AfterEdit::Off {
        return None;
    }
    let mut of = Vec::new();
    for running in running {
        of.push(OfServer::look(&cx.state, &servers, running, path).await);
    }
    Some(Before { path: path.clone(), of })
}

/// The same before edits of several files, which count as others but for the first.
pub(super) async fn before_all(cx: &Cx, paths: &[RelPath]) -> Option<Before> {
    let servers = cx.state.service::<CodeServers>();
    let first = paths.first()?;
    if servers.after_edit() == AfterEdit::Off {
        return None;
    }
    for running in servers.running_for(first) {
        let told = running.tell_texts(&cx.state, &servers, paths).await;
        if told.is_err() || running.server.state() != State::Ready {
            continue;
        }
        let mut asked = JoinSet::new();
        for path in paths.iter().take(MOST_OTHERS) {
            let (server, uri) = (running.server.clone(), running.uri(path));
            asked.spawn(async move { drop(server.diagnostics(&uri, BEFORE).await) });
        }
        while asked.join_next().await.is_some() {}
    }
    before(cx, cx.state.place(), first).await
}

impl OfServer {
    async fn look(
        state: &OpenSpace,
        servers: &CodeServers,
        running: Arc<Running>,
        path: &RelPath,
    ) -> Self {
        let uri = running.uri(path);
        let mut look = Self {
            uri: uri.clone(),
            file: None,
            others: Vec::new(),
            is_ready: running.server.state() == State::Ready,
            running,
        };
        if !look.is_ready {
            return look;
        }
        let server = &look.running.server;
        let told = look.running.tell_texts(state, servers, std::slice::from_ref(path)).await;
        // A file that is not there yet has no problems, and one that cannot be told has no server.
        look.file = if told.is_err() {
            Some((Arc::from(""), Vec::new()))
        } else {
            let report = server.diagnostics(&uri, BEFORE).await.ok();
            let report = report.filter(|report| report.freshness.is_settled());
            let text = server.see(|server| server.document(&uri).map(|it| Arc::clone(&it.text)));
            text.zip(report.map(|report| report.items))
        };
        look.others = server.see(|server| {
            let others = server.documents().map(|(uri, _)| uri).filter(|other| **other != uri);
            let reports = others.map(|uri| (uri.clone(), server.report(uri)));
            let settled = reports.filter(|(_, report)| report.freshness.is_settled());
            settled.map(|(uri, report)| (uri, errors(&report))).take(MOST_OTHERS).collect()
        });
        look
    }
}

fn errors(report: &Report) -> usize {
    report.items.iter().filter(|item| item.severity == Severity::Error).count()
}

impl Before {
    /// What the edit changed about it.
    pub(crate) async fn problems(self, state: &OpenSpace, created: bool) -> Option<Problems> {
        let Self { path, of } = self;
        let servers = state.service::<CodeServers>();
        let change = if created { FileChange::Created } else { FileChange::Changed };
        let until = Instant::now() + AFTER;
        let mut all = Problems { state: "fresh".to_owned(), ..Problems::pending("") };
        let mut new = Vec::new();
        let errors_alone = servers.after_edit() == AfterEdit::Errors;
        let counts = |item: &Diagnostic| !errors_alone || item.severity == Severity::Error;
        for OfServer { running, uri, file, others, is_ready } in of {
            running.server.file_changed(uri.clone(), change);
            if !is_ready {
                let state = running.server.state();
                return Some(Problems::pending(&format!("{}: {state}", running.name)));
            }
            // What no server may be told has no problems that it could know of.
            running.tell_texts(state, &servers, std::slice::from_ref(&path)).await.ok()?;
            let Some((old, known)) = file else {
                let why = "what was wrong before the edit was not known in time";
                return Some(Problems::pending(why));
            };
            let left = until.saturating_duration_since(Instant::now());
            let Ok(report) = running.server.diagnostics(&uri, left).await else {
                return Some(Problems::pending(&format!("{} was not told of it", running.name)));
            };
            let text = running.server.see(|it| it.document(&uri).map(|it| Arc::clone(&it.text)));
            let Some(text) = text.filter(|_| report.freshness.is_settled()) else {
                return Some(Problems::pending(&format!("{} is not done with it", running.name)));
            };
            if report.freshness == Freshness::Likely {
                "likely".clone_into(&mut all.state);
            }
            let found = difference((&known, &old), (&report.items, &text));
            all.fixed += found.fixed.iter().filter(|item| counts(item)).count();
            new.extend(found.new.into_iter().filter(counts));
            let root = running.place.facts().root.clone();
            for (uri, errors) in broken(&running.server, others, until).await {
                let path = Where::of(&uri, &root).text();
                all.elsewhere.push(format!("{path}: {errors} new error(s)"));
            }
        }
        new.sort_by_key(|item| (item.severity, item.range));
        all.total_new = new.len();
        let unsaved = state.buffers().unsaved_lines(&path);
        let words = |item| Problem::among(item, &unsaved).words();
        all.new = new.iter().take(MOST_NEW).map(words).collect();
        if new.len() > MOST_NEW {
            all.new.push(format!("and {} more", new.len() - MOST_NEW));
        }
        all.elsewhere.truncate(MOST_ELSEWHERE);
        Some(all)
    }
}

/// Other files that have more errors than before, and how many more.
async fn broken(
    server: &LanguageServer,
    others: Vec<(Uri, usize)>,
    until: Instant,
) -> Vec<(Uri, usize)> {
    let mut asked = JoinSet::new();
    for (uri, before) in others {
        let server = server.clone();
        asked.spawn(async move {
            let left = until.saturating_duration_since(Instant::now());
            let report = server.diagnostics(&uri, left).await.ok()?;
            let more = errors(&report).saturating_sub(before);
            (report.freshness.is_settled() && more > 0).then_some((uri, more))
        });
    }
    let mut broken = Vec::new();
    while let Some(told) = asked.join_next().await {
        broken.extend(told.ok().flatten());
    }
    broken.sort();
    broken
}

//! Puts what a language server finds into the list of problems, so that a page and agents see the same.
//!
//! The source is the id of the server, and each file is replaced as a whole when something new is known of it. What is
//! known of an older text stays until the newer is known, as on any screen. When the server ends, all of it goes.
//! Nothing is waited for here, and no server is started.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use openspace_command::WeakDispatcher;
use openspace_languages::{self as languages, Diagnostic, Event, Feature, State, Uri};
use openspace_protocol::RelPath;
use serde_json::Value;
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Instant, sleep_until},
};

use super::{running::Running, whereabouts::Where};
use crate::{
    OpenSpace,
    areas::problems::{MAX_MESSAGE, MAX_NAME, Problem, ProblemsPart, Severity, Tag, replace_files},
};

/// Problems of one file that are listed, the worst first.
const MOST_OF_FILE: usize = 500;
/// Problems of one server that are listed.
const MOST_OF_SERVER: usize = 5_000;
/// How long what is found is gathered before it is listed.
const GATHERED_FOR: Duration = Duration::from_millis(100);
/// How long texts must be quiet before it is found out what is wrong with them, and the longest wait for that.
const QUIET_FOR: Duration = Duration::from_millis(250);
const LATEST: Duration = Duration::from_secs(2);
/// Documents that a server is asked about after a change.
const MOST_ASKED: usize = 50;

/// Lists what this server finds, until nobody knows the server any more.
pub(super) fn list(
    dispatcher: WeakDispatcher<OpenSpace>,
    running: &Arc<Running>,
) -> impl Future<Output = ()> + Send + use<> {
    let mut events = running.server.subscribe();
    let changed = Arc::clone(&running.changed);
    let running = Arc::downgrade(running);
    async move {
        let mut listing = Listing::default();
        loop {
            let due = listing.next();
            let is_due = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => listing.hear(&event),
                    Err(RecvError::Lagged(_)) => {
                        let Some(running) = running.upgrade() else { return };
                        listing.hear_all(&running);
                    }
                    Err(RecvError::Closed) => return,
                },
                () = changed.notified() => listing.ask_soon(),
                () = is_due => {
                    let known = dispatcher.upgrade().zip(running.upgrade());
                    let Some((dispatcher, running)) = known else { return };
                    listing.work(dispatcher.state(), &running).await;
                }
            }
        }
    }
}

/// What is to be done for one server.
#[derive(Default)]
struct Listing {
    /// Files of which something new is known, and when they are listed.
    gathered: BTreeSet<Uri>,
    list_at: Option<Instant>,
    /// When the server is asked, and the latest moment for that.
    ask_at: Option<(Instant, Instant)>,
    /// It ended: nothing of it is listed any more.
    clear: bool,
    /// How many are listed, by file.
    listed: BTreeMap<RelPath, usize>,
}

impl Listing {
    fn next(&self) -> Option<Instant> {
        let ask_at = self.ask_at.map(|(quiet, latest)| quiet.min(latest));
        self.list_at.into_iter().chain(ask_at).min()
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Diagnostics { uri } => {
                self.gathered.insert(uri.clone());
                self.list_soon();
            }
            Event::Refresh(Feature::Diagnostics) | Event::State(State::Ready) => self.ask_soon(),
            Event::State(State::Stopped | State::Failed { .. }) => {
                self.clear = true;
                self.gathered.clear();
                self.ask_at = None;
                self.list_soon();
            }
            _ => {}
        }
    }

    /// More happened than was heard.
    fn hear_all(&mut self, running: &Running) {
        let state = running.server.state();
        if matches!(state, State::Stopped | State::Failed { .. }) {
            self.hear(&Event::State(state));
        } else {
            let open = |server: &languages::Server| {
                let open = server.documents().map(|(uri, _)| uri.clone());
                open.chain(server.files()).collect::<Vec<Uri>>()
            };
            self.gathered.extend(running.server.see(open));
            self.list_soon();
            self.ask_soon();
        }
    }

    fn list_soon(&mut self) {
        self.list_at.get_or_insert_with(|| Instant::now() + GATHERED_FOR);
    }

    fn ask_soon(&mut self) {
        let now = Instant::now();
        let latest = self.ask_at.map_or(now + LATEST, |(_, latest)| latest);
        self.ask_at = Some((now + QUIET_FOR, latest));
    }

    async fn work(&mut self, state: &OpenSpace, running: &Running) {
        let now = Instant::now();
        if self.ask_at.is_some_and(|(quiet, latest)| quiet.min(latest) <= now) {
            self.ask_at = None;
            let unsettled = running.server.see(|server| server.unsettled(MOST_ASKED));
            if unsettled.len() == MOST_ASKED {
                // The rest has its turn when these are known.
                self.ask_at = Some((now + LATEST, now + LATEST));
            }
            for uri in unsettled {
                // One that was closed meanwhile is of no interest.
                drop(running.server.want_diagnostics(&uri));
            }
        }
        if self.list_at.is_some_and(|at| at <= now) {
            self.list_at = None;
            self.list(state, running).await;
        }
    }

    async fn list(&mut self, state: &OpenSpace, running: &Running) {
        let mut found: BTreeMap<RelPath, Vec<Problem>> = BTreeMap::new();
        if std::mem::take(&mut self.clear) {
            found.extend(
                std::mem::take(&mut self.listed).into_keys().map(|path| (path, Vec::new())),
            );
        }
        let root = &running.place.facts().root;
        let ended = matches!(running.server.state(), State::Stopped | State::Failed { .. });
        for uri in std::mem::take(&mut self.gathered) {
            let Where::Inside(path) = Where::of(&uri, root) else { continue };
            let items = running.server.see(|server| server.to_list(&uri));
            self.listed.remove(&path);
            let room = MOST_OF_SERVER.saturating_sub(self.listed.values().sum());
            let most = if ended { 0 } else { room.min(MOST_OF_FILE) };
            let problems = problems(&path, items, most);
            if !problems.is_empty() {
                self.listed.insert(path.clone(), problems.len());
            }
            found.insert(path, problems);
        }
        let found = found.into_iter().map(|(path, found)| (path.to_string(), found)).collect();
        let listed = state
            .space()
            .change(|space| replace_files(space.part_mut::<ProblemsPart>(), &running.id, found));
        if let Err(error) = listed.await {
            tracing::warn!(server = running.id, %error, "what a language server found is not listed");
        }
    }
}

/// The worst of these, in the order of the text.
fn problems(path: &RelPath, mut items: Vec<Diagnostic>, most: usize) -> Vec<Problem> {
    items.sort_by_key(|item| (item.severity, item.range));
    items.truncate(most);
    items.sort_by_key(|item| (item.range, item.severity));
    items.iter().map(|item| problem(path, item)).collect()
}

fn problem(path: &RelPath, item: &Diagnostic) -> Problem {
    let shortened = |text: &str, most| text.chars().take(most).collect::<String>();
    let code = match &item.code {
        Some(Value::String(code)) => Some(code.clone()),
        Some(Value::Number(code)) => Some(code.to_string()),
        _ => None,
    };
    let tags = item.rest.get("tags").and_then(Value::as_array).into_iter().flatten();
    let range = item.range;
    Problem {
        path: path.to_string(),
        start_line: range.start.line.saturating_add(1),
        start_column: Some(range.start.character.saturating_add(1)),
        end_line: Some(range.end.line.saturating_add(1)),
        end_column: Some(range.end.character.saturating_add(1)),
        severity: match item.severity {
            languages::Severity::Error => Severity::Error,
            languages::Severity::Warning => Severity::Warning,
            languages::Severity::Information => Severity::Info,
            languages::Severity::Hint => Severity::Hint,
        },
        message: shortened(&item.message, MAX_MESSAGE),
        code: code.map(|code| shortened(&code, MAX_NAME)),
        tags: tags
            .filter_map(|tag| match tag.as_u64() {
                Some(1) => Some(Tag::Unnecessary),
                Some(2) => Some(Tag::Deprecated),
                _ => None,
            })
            .collect(),
    }
}

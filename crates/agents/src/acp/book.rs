//! All that is known of an agent's sessions, and who is told when it changes.
//!
//! One lock holds it, and events are told while it is held: their order is the order of the changes. Nothing waits in
//! here. Sessions are kept within a bound; those that an agent speaks of and nobody began are few, and silent.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{history::History, options::Options, permission::Waiting, weight};
use crate::{
    AgentError, Event, Feed, Thing,
    model::{
        Failure, FailureKind, PermissionId, PermissionReply, Session, SessionId, SessionStatus,
        SlashCommand, StatusOfSession, Todo, shortened,
    },
};

/// Sessions that are kept; the one that nothing happened in for longest is forgotten for another.
pub const MOST_KEPT_SESSIONS: usize = 50;
/// Sessions that an agent may speak of though nobody began them.
const MOST_UNKNOWN: usize = 8;
/// Requests for permission that may wait.
const MOST_PERMISSIONS: usize = 64;
/// Times that an agent is said to make no sense; then nobody wants to hear it any more.
const MOST_COMPLAINTS: usize = 20;

/// Milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

pub(super) struct Book {
    pub(super) agent: String,
    pub(super) clock: Clock,
    pub(super) feed: Feed,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<SessionId, Entry>,
    permissions: BTreeMap<u64, Waiting>,
    next_permission: u64,
    /// Counts what happens, for the order in which sessions are forgotten.
    touched: u64,
    complaints: usize,
    over: Option<String>,
}

/// A session.
pub(super) struct Entry {
    pub(super) session: Session,
    pub(super) history: History,
    pub(super) options: Options,
    pub(super) commands: Option<Vec<SlashCommand>>,
    pub(super) todos: Vec<Todo>,
    /// How far it is between us and the agent.
    pub(super) stage: Stage,
    /// The number of the turn that is under way.
    pub(super) turn: Option<u64>,
    /// How many turns there were.
    pub(super) turns: u64,
    touched: u64,
}

/// How far a session is between us and the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The agent speaks of it, and nobody began it here.
    Unknown,
    /// The agent tells it again.
    Loading,
    /// It can be spoken to.
    Open,
}

impl Entry {
    fn new(id: &SessionId, directory: Option<&str>, now: i64, stage: Stage) -> Self {
        let session = Session {
            id: id.clone(),
            title: String::new(),
            parent_id: None,
            directory: directory.map(str::to_owned),
            created: (stage == Stage::Open).then_some(now),
            updated: Some(now),
            archived: None,
            shared_at: None,
            reverted: None,
            mode: None,
            model: None,
            totals: None,
        };
        Self {
            session,
            history: History::new(id.clone()),
            options: Options::default(),
            commands: None,
            todos: Vec::new(),
            stage,
            turn: None,
            turns: 0,
            touched: 0,
        }
    }

    /// What the options say is chosen is chosen.
    pub(super) fn settle_options(&mut self) {
        let chosen = self.options.chosen();
        (self.session.mode, self.session.model) = (chosen.mode.clone(), chosen.model.clone());
        self.history.chosen = chosen;
    }

    pub(super) fn status(&self) -> Event {
        let status =
            if self.turn.is_some() { SessionStatus::Busy {} } else { SessionStatus::Idle {} };
        Event::Status { session_id: self.session.id.clone(), status }
    }
}

impl Book {
    pub(super) fn new(agent: String, clock: Clock) -> Self {
        Self { agent, clock, feed: Feed::default(), state: Mutex::default() }
    }

    /// Change a session that is open. What becomes of it is told.
    pub(super) fn change<T>(
        &self,
        id: &SessionId,
        change: impl FnOnce(&mut Entry, i64, &mut Vec<Event>) -> T,
    ) -> Result<T, AgentError> {
        let mut state = self.locked();
        let touched = state.touch();
        let entry = state.sessions.get_mut(id).filter(|entry| entry.stage == Stage::Open);
        let entry = entry.ok_or_else(|| no_session(id))?;
        Ok(self.changed(entry, touched, change))
    }

    /// Change a session because the agent speaks of it, whatever we know of it. Those that nobody began are silent.
    pub(super) fn hear(
        &self,
        id: &SessionId,
        change: impl FnOnce(&mut Entry, i64, &mut Vec<Event>),
    ) -> Result<(), String> {
        let mut state = self.locked();
        let touched = state.touch();
        if !state.sessions.contains_key(id) {
            let unknown = state.sessions.values().filter(|entry| entry.stage == Stage::Unknown);
            if unknown.count() >= MOST_UNKNOWN {
                return Err(format!(
                    "something of a session that nobody began: {}",
                    shortened(&id.0)
                ));
            }
            let entry = Entry::new(id, None, (self.clock)(), Stage::Unknown);
            state.sessions.insert(id.clone(), entry);
        }
        if let Some(entry) = state.sessions.get_mut(id) {
            self.changed(entry, touched, change);
        }
        Ok(())
    }

    fn changed<T>(
        &self,
        entry: &mut Entry,
        touched: u64,
        change: impl FnOnce(&mut Entry, i64, &mut Vec<Event>) -> T,
    ) -> T {
        let (now, mut events) = ((self.clock)(), Vec::new());
        (entry.touched, entry.session.updated) = (touched, Some(now));
        let changed = change(entry, now, &mut events);
        if entry.stage == Stage::Open {
            for event in events {
                self.tell(event);
            }
        }
        changed
    }

    /// Look at a session that is open.
    pub(super) fn look<T>(
        &self,
        id: &SessionId,
        look: impl FnOnce(&Entry) -> T,
    ) -> Result<T, AgentError> {
        let state = self.locked();
        let entry = state.sessions.get(id).filter(|entry| entry.stage == Stage::Open);
        entry.map(look).ok_or_else(|| no_session(id))
    }

    /// What one of the open sessions says, the one that something happened in last first.
    pub(super) fn any<T>(&self, look: impl Fn(&Entry) -> Option<T>) -> Option<T> {
        let state = self.locked();
        let mut open: Vec<&Entry> =
            state.sessions.values().filter(|entry| entry.stage == Stage::Open).collect();
        open.sort_by_key(|entry| std::cmp::Reverse(entry.touched));
        open.into_iter().find_map(look)
    }

    /// Sessions that are open, the one that something happened in last first.
    pub(super) fn sessions(&self) -> Vec<Session> {
        let state = self.locked();
        let mut open: Vec<&Entry> =
            state.sessions.values().filter(|entry| entry.stage == Stage::Open).collect();
        open.sort_by_key(|entry| std::cmp::Reverse(entry.touched));
        open.into_iter().map(|entry| entry.session.clone()).collect()
    }

    pub(super) fn statuses(&self) -> Vec<StatusOfSession> {
        let state = self.locked();
        let busy = state.sessions.values().filter(|entry| entry.turn.is_some());
        busy.map(|entry| StatusOfSession {
            session_id: entry.session.id.clone(),
            status: SessionStatus::Busy {},
        })
        .collect()
    }

    /// A session begins to be told again; what was known of it is forgotten.
    pub(super) fn load(&self, id: &SessionId, directory: &str) -> Result<(), AgentError> {
        let entry = Entry::new(id, Some(directory), (self.clock)(), Stage::Loading);
        self.insert(entry, None).map(drop)
    }

    /// A session can be spoken to from now on; one that is new is told. Gives those that were forgotten for it.
    pub(super) fn open(
        &self,
        id: &SessionId,
        (directory, is_new): (&str, bool),
        change: impl FnOnce(&mut Entry, i64),
    ) -> Result<(Session, Vec<SessionId>), AgentError> {
        let now = (self.clock)();
        let known = self.locked().sessions.remove(id);
        let mut entry = known.unwrap_or_else(|| Entry::new(id, None, now, Stage::Unknown));
        if entry.stage != Stage::Loading {
            entry.session.created = Some(now);
        }
        entry.session.directory = Some(directory.to_owned());
        change(&mut entry, now);
        entry.settle_options();
        entry.history.settle(now);
        entry.stage = Stage::Open;
        let session = entry.session.clone();
        let told = is_new.then(|| Event::SessionCreated { session: session.clone() });
        Ok((session, self.insert(entry, told)?))
    }

    /// A session is gone.
    pub(super) fn remove(&self, id: &SessionId) {
        self.locked().sessions.remove(id);
    }

    /// Put a session in, and forget others if there are too many.
    fn insert(&self, mut entry: Entry, told: Option<Event>) -> Result<Vec<SessionId>, AgentError> {
        let mut state = self.locked();
        entry.touched = state.touch();
        let mut forgotten = Vec::new();
        while state.sessions.len() >= MOST_KEPT_SESSIONS + MOST_UNKNOWN {
            let idle = state
                .sessions
                .values()
                .filter(|it| it.turn.is_none() && it.stage != Stage::Loading);
            let oldest = idle.min_by_key(|it| (it.stage == Stage::Open, it.touched));
            let Some(oldest) = oldest.map(|it| it.session.id.clone()) else {
                let why = format!(
                    "all {MOST_KEPT_SESSIONS} sessions are at work; wait for one, or stop it"
                );
                return Err(AgentError::Invalid { what: "another session".to_owned(), why });
            };
            state.sessions.remove(&oldest);
            forgotten.push(oldest);
        }
        state.sessions.insert(entry.session.id.clone(), entry);
        if let Some(event) = told {
            self.tell(event);
        }
        Ok(forgotten)
    }

    /// A request waits for a person, unless too many do.
    pub(super) fn ask(&self, waiting: impl FnOnce(u64) -> Waiting) -> Result<(), String> {
        let mut state = self.locked();
        if state.permissions.len() >= MOST_PERMISSIONS {
            return Err(format!("more than {MOST_PERMISSIONS} requests for permission at once"));
        }
        let number = state.next_permission;
        state.next_permission += 1;
        let waiting = waiting(number);
        self.tell(Event::PermissionAsked { request: waiting.request.clone() });
        state.permissions.insert(number, waiting);
        Ok(())
    }

    /// Requests that wait, the oldest first.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        self.locked().permissions.values().cloned().collect()
    }

    /// A request does not wait any more. Whoever takes it answers the agent.
    pub(super) fn take(
        &self,
        id: &PermissionId,
        reply: Option<PermissionReply>,
    ) -> Option<Waiting> {
        let mut state = self.locked();
        let mut all = state.permissions.iter();
        let number =
            all.find(|(_, waiting)| waiting.request.id == *id).map(|(number, _)| *number)?;
        let taken = state.permissions.remove(&number)?;
        let session_id = taken.request.session_id.clone();
        self.tell(Event::PermissionAnswered { session_id, permission_id: id.clone(), reply });
        Some(taken)
    }

    /// The agent said something that makes no sense.
    pub(super) fn complain(&self, why: &str) {
        let mut state = self.locked();
        state.complaints += 1;
        let message = match state.complaints {
            ..MOST_COMPLAINTS => format!("{} said {why}", self.agent),
            MOST_COMPLAINTS => format!("{} said {why}; more of this kind is not told", self.agent),
            _ => return,
        };
        let failure = failure(FailureKind::Other, "protocol", &message);
        self.tell(Event::Error { session_id: None, failure });
    }

    /// The agent is gone. Turns end by themselves: their calls fail.
    pub(super) fn end(&self, why: &str) {
        let waiting: Vec<PermissionId> =
            self.waiting().into_iter().map(|waiting| waiting.request.id).collect();
        for id in waiting {
            drop(self.take(&id, None));
        }
        let mut state = self.locked();
        state.over = Some(why.to_owned());
        self.tell(Event::Connection { connected: false, why: Some(why.to_owned()) });
    }

    /// Why the agent is gone, if it is.
    pub(super) fn over(&self) -> Option<String> {
        self.locked().over.clone()
    }

    pub(super) fn tell(&self, event: Event) {
        let weight = weight::event(&event);
        self.feed.tell(event, weight);
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn touch(&mut self) -> u64 {
        self.touched += 1;
        self.touched
    }
}

pub(super) fn failure(kind: FailureKind, name: &str, message: &str) -> Failure {
    let (name, message) = (name.to_owned(), shortened(message));
    Failure { kind, name, message, status: None, is_retryable: false }
}

pub(super) fn no_session(id: &SessionId) -> AgentError {
    AgentError::NotFound { what: Thing::Session, id: shortened(&id.0) }
}

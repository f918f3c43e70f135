//! Agents that are connected, and what each of them runs right now.
//!
//! An agent is connected while a stream to it is open, a call of it runs, or it was last heard of
//! less than [`FORGOTTEN_AFTER`] ago: clients vanish without a word. One with a session that was
//! silent for longer comes back with its next call; when the session ends, it is gone at once. The
//! edges say who is there, the dispatcher what runs.
//!
//! What an agent brought with it is noted in [`brought`], and goes with it ([`cleanup`]); what a person
//! says of an agent, that it has to pause or is not let in any more, is kept in [`standing`].
//!
//! Views are told at once when somebody connects or leaves; counts and running calls follow at a
//! pace that people can read, and are exact whenever a view reads the whole state.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use openspace_command::{Caller, CallerKind, Now, Record};
use openspace_space::{Declared, Entries, Part, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{
    brought::BroughtPart,
    past::{Pasts, client},
    settings::AgentSettings,
    standing::{Attended, Standing, StandingPart},
};
use crate::{
    areas::{Area, approvals::words::is_unseen},
    consents::Consents,
    metrics::Counts,
};

pub mod brought;
pub mod cleanup;
pub mod commands;
pub mod past;
pub mod settings;
pub mod standing;
mod telling;

pub use self::past::{Whereabouts, Why};

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: PARTS,
    rules: &[brought::keep_true],
    ..Area::EMPTY
};

/// What is kept of agents in the space.
pub const PARTS: &[Declared] =
    &[Declared::of::<AgentsPart>(), Declared::of::<BroughtPart>(), Declared::of::<StandingPart>()];

/// Agents that are shown at once.
pub const MAX_AGENTS: usize = 100;
/// Running calls of one agent that are shown.
pub const MAX_RUNNING: usize = 50;
/// An agent without an open stream counts as gone after this many milliseconds of silence.
pub const FORGOTTEN_AFTER: u64 = 5 * 60 * 1000;
/// The least time between two tellings.
const PACE: Duration = Duration::from_millis(100);
/// How often silence is looked for while nothing happens.
const LOOK_EVERY: Duration = Duration::from_secs(20);
/// Longest name shown, in characters.
const MAX_NAME: usize = 120;

/// Agents by id.
pub type AgentRecords = BTreeMap<Arc<str>, AgentRecord>;

/// Agents that are connected, and what they run.
pub struct AgentsPart;

impl Part for AgentsPart {
    const NAME: &'static str = "agents";
    const SAVED: bool = false;
    // An agent's own calls change this part: it would hear of itself without end.
    const ANNOUNCED: bool = false;
    type Content = Entries<AgentRecord>;
}

/// How an agent reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Transport {
    /// MCP over HTTP.
    Http,
    /// MCP over the input and output of `openspace mcp`.
    Stdio,
    /// In another way.
    Other,
}

/// What is known about a connected agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRecord {
    /// The client's name and version, as it says.
    pub name: String,
    /// How it reaches the server.
    pub transport: Transport,
    /// Since when it is connected, in milliseconds since 1970.
    pub connected_at: u64,
    /// When its last call started; none yet if null.
    pub last_call_at: Option<u64>,
    /// How many calls it has started.
    pub calls: u64,
    /// The calls that run now, oldest first, at most 50 of them.
    pub running: Vec<RunningCall>,
    /// Whether a person paused it: its calls are refused until they let it go on.
    pub paused: bool,
    /// Whether a person disconnected it: its calls are refused until they let it in again.
    pub disconnected: bool,
    /// How many things that are still there it brought, by kind, such as `terminal`.
    pub brought: BTreeMap<String, u32>,
}

/// A call that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningCall {
    /// Its number, used once in a run of the server.
    pub call_id: u64,
    /// Canonical id of the command.
    pub command: String,
    /// What it does, in one line.
    pub summary: String,
    /// When it started, in milliseconds since 1970.
    pub started_at: u64,
}

struct Agent {
    record: AgentRecord,
    /// All running calls; the record has the first of them.
    running: BTreeMap<u64, RunningCall>,
    /// When it was last heard of.
    heard_at: u64,
    /// It is kept in mind while it is silent.
    has_session: bool,
    /// The numbers of the streams that are open.
    streams: BTreeSet<u64>,
    /// Cancelled when its session is over, or is to be.
    over: CancellationToken,
    /// The number of its session: one that it had before may end after it came back.
    session: u64,
}

impl Agent {
    fn is_there(&self, now: u64) -> bool {
        let is_silent = now.saturating_sub(self.heard_at) >= FORGOTTEN_AFTER;
        !is_silent || self.is_open()
    }

    /// Something to it is open, or runs.
    fn is_open(&self) -> bool {
        !self.streams.is_empty() || !self.running.is_empty()
    }

    fn whereabouts(&self) -> Whereabouts {
        if self.is_open() { Whereabouts::There } else { Whereabouts::Quiet(self.heard_at) }
    }
}

#[derive(Default)]
struct Live {
    agents: BTreeMap<String, Agent>,
    /// Whose call a number is.
    callers: HashMap<u64, String>,
    last_stream: u64,
    last_session: u64,
    /// Those that were there.
    pasts: Pasts,
    /// What a person said of agents.
    standing: BTreeMap<String, Standing>,
    /// The calls that are looked after, by number.
    attended: BTreeMap<u64, Attended>,
    last_attended: u64,
    told_at: Option<Instant>,
    connection_told_at: Option<Instant>,
    is_waiting_to_tell: bool,
}

/// The connected agents of a space.
pub struct Agents {
    live: Mutex<Live>,
    space: Weak<Space>,
    now: Now,
    settings: AgentSettings,
    consents: Consents,
    counts: Arc<Counts>,
    started_at: u64,
    /// It is being looked who is gone.
    is_looking: AtomicBool,
    /// Nobody leaves any more: they are all cut off.
    server_stops: AtomicBool,
    /// Somebody left, or something else happened after which it is worth a look who is gone.
    moved: Arc<Notify>,
    this: Weak<Self>,
}

/// An agent's session; the agent is gone when this is dropped.
pub struct Session {
    agents: Weak<Agents>,
    id: String,
    number: u64,
    over: CancellationToken,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.over.cancel();
        if let Some(agents) = self.agents.upgrade() {
            agents.gone(&self.id, self.number);
        }
    }
}

impl Session {
    /// Cancelled when it is over, or when a person disconnected the agent and the edge is to end it.
    pub fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// Something between the agent and the server is open.
    pub fn stream(&self) -> Option<Stream> {
        Some(self.agents.upgrade()?.open_stream(&self.id))
    }
}

/// A stream to an agent; the agent is connected at least until this is dropped.
pub struct Stream {
    agents: Weak<Agents>,
    id: String,
    number: u64,
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(agents) = self.agents.upgrade() {
            agents.end_stream(&self.id, self.number);
        }
    }
}

/// The id of a caller among the agents. `#` occurs in no name.
pub fn agent_id(caller: &Caller) -> String {
    match &caller.session {
        Some(session) => format!("{}#{session}", caller.id),
        None => caller.id.clone(),
    }
}

impl Agents {
    /// Nobody is connected yet.
    pub fn new(
        space: &Arc<Space>,
        now: Now,
        settings: AgentSettings,
        counts: Arc<Counts>,
    ) -> Arc<Self> {
        let started_at = now();
        let standing = standing::saved(&space.state());
        let agents = Arc::new_cyclic(|this| Self {
            live: Mutex::new(Live { standing, ..Live::default() }),
            space: Arc::downgrade(space),
            consents: Consents::new(space, Arc::clone(&now), settings.consent),
            now,
            settings,
            counts,
            started_at,
            is_looking: AtomicBool::new(false),
            server_stops: AtomicBool::new(false),
            moved: Arc::default(),
            this: Weak::clone(this),
        });
        let weak = Arc::downgrade(&agents);
        space.before_reading(move || {
            if let Some(agents) = weak.upgrade() {
                agents.tell(&mut agents.lock());
            }
        });
        agents.look_for_silence();
        agents
    }

    /// From now on streams end because the server stops: what agents brought stays for when they are back.
    pub fn server_stops(&self) {
        self.server_stops.store(true, Ordering::Release);
    }

    /// How they are looked after.
    pub fn settings(&self) -> &AgentSettings {
        &self.settings
    }

    /// Which clients were agreed to.
    pub fn consents(&self) -> &Consents {
        &self.consents
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An agent was heard of.
    pub fn seen(&self, caller: &Caller, name: &str, transport: Transport) {
        let mut live = self.lock();
        if self.note(&mut live, caller, name, transport) {
            self.tell_in_time(&mut live, true);
        }
    }

    /// An agent began a session; it is gone when the session is dropped.
    pub fn connected(&self, caller: &Caller, name: &str, transport: Transport) -> Session {
        let id = agent_id(caller);
        let over = CancellationToken::new();
        let mut live = self.lock();
        live.last_session += 1;
        let number = live.last_session;
        self.note(&mut live, caller, name, transport);
        if let Some(agent) = live.agents.get_mut(&id) {
            agent.has_session = true;
            agent.over = over.clone();
            agent.session = number;
        }
        self.tell_in_time(&mut live, true);
        Session { agents: Weak::clone(&self.this), id, number, over }
    }

    /// Something between an agent that was heard of and the server is open.
    pub fn stream(&self, caller: &Caller) -> Stream {
        self.open_stream(&agent_id(caller))
    }

    fn open_stream(&self, id: &str) -> Stream {
        let now = (self.now)();
        let mut live = self.lock();
        live.last_stream += 1;
        let number = live.last_stream;
        let mut comes_back = false;
        if let Some(agent) = live.agents.get_mut(id) {
            comes_back = !agent.is_there(now);
            agent.heard_at = now;
            agent.streams.insert(number);
        }
        if comes_back {
            self.tell_in_time(&mut live, true);
        }
        Stream { agents: Weak::clone(&self.this), id: id.to_owned(), number }
    }

    /// Nothing is told: who had a stream just now is still there.
    fn end_stream(&self, id: &str, number: u64) {
        let mut live = self.lock();
        if let Some(agent) = live.agents.get_mut(id)
            && agent.streams.remove(&number)
        {
            agent.heard_at = (self.now)();
            self.moved.notify_one();
        }
    }

    /// An agent's session ended.
    fn gone(&self, id: &str, session: u64) {
        let mut live = self.lock();
        if live.agents.get(id).is_none_or(|agent| agent.session != session) {
            return;
        }
        if let Some(agent) = live.agents.remove(id) {
            live.callers.retain(|_, caller| caller != id);
            live.pasts.remember(id.to_owned(), agent.record.connected_at, (self.now)(), true);
            self.tell_in_time(&mut live, true);
            self.moved.notify_one();
        }
    }

    /// A call begins to run. An agent that nobody spoke of before is connected from here on.
    pub fn started(&self, call: u64, record: &Record) {
        if record.caller.kind != CallerKind::Agent {
            return;
        }
        let id = agent_id(&record.caller);
        let mut live = self.lock();
        let now = (self.now)();
        let was_there = live.agents.get(&id).is_some_and(|agent| agent.is_there(now));
        if !live.agents.contains_key(&id) {
            self.note(&mut live, &record.caller, &record.caller.id, Transport::Other);
        }
        if let Some(agent) = live.agents.get_mut(&id) {
            agent.heard_at = now;
            agent.record.last_call_at = Some(now);
            agent.record.calls += 1;
            let (command, summary) = (record.command.clone(), record.summary.clone());
            let running = RunningCall { call_id: call, command, summary, started_at: now };
            agent.running.insert(call, running);
            live.callers.insert(call, id);
        }
        self.tell_in_time(&mut live, !was_there);
    }

    /// A call runs no more.
    pub fn ended(&self, call: u64) {
        let mut live = self.lock();
        let Some(id) = live.callers.remove(&call) else { return };
        if let Some(agent) = live.agents.get_mut(&id) {
            agent.running.remove(&call);
            agent.heard_at = (self.now)();
        }
        self.tell_in_time(&mut live, false);
    }

    /// Where an agent is.
    pub fn whereabouts(&self, id: &str) -> Whereabouts {
        self.lock().whereabouts(id, self.started_at)
    }

    /// When what an agent brought goes, and why; nothing while nobody knows that it has to.
    pub fn due(&self, id: &str) -> Option<(u64, Why)> {
        let live = self.lock();
        let own = live.whereabouts(id, self.started_at);
        past::due(own, &live.others_of_client(id), &self.settings)
    }

    /// Whether there is or was such an agent, as far as that is remembered.
    pub(crate) fn is_known(&self, id: &str) -> bool {
        let live = self.lock();
        live.agents.contains_key(id) || live.pasts.is_known(id) || live.standing.contains_key(id)
    }

    /// The agents that are connected now.
    pub fn list(&self) -> AgentRecords {
        let now = (self.now)();
        let mut live = self.lock();
        live.forget_silent(now);
        live.records(now)
    }

    /// Whether the agent was not there before.
    fn note(&self, live: &mut Live, caller: &Caller, name: &str, transport: Transport) -> bool {
        let now = (self.now)();
        live.forget_silent(now);
        let id = agent_id(caller);
        if let Some(agent) = live.agents.get_mut(&id) {
            let was_there = agent.is_there(now);
            agent.heard_at = now;
            agent.record.name = shown(name);
            agent.record.transport = transport;
            return !was_there;
        }
        live.make_room(now);
        live.pasts.came_back(&id);
        self.inherit_pause(live, &id);
        let record = AgentRecord {
            name: shown(name),
            transport,
            connected_at: now,
            last_call_at: None,
            calls: 0,
            running: Vec::new(),
            paused: false,
            disconnected: false,
            brought: BTreeMap::new(),
        };
        let agent = Agent {
            record,
            running: BTreeMap::new(),
            heard_at: now,
            has_session: false,
            streams: BTreeSet::new(),
            over: CancellationToken::new(),
            session: 0,
        };
        live.agents.insert(id, agent);
        true
    }
}

impl Live {
    fn records(&self, now: u64) -> AgentRecords {
        let record = |id: &str, agent: &Agent| {
            let running = agent.running.values().take(MAX_RUNNING).cloned().collect();
            let standing = self.standing.get(id);
            let paused = standing.is_some_and(|standing| standing.paused.is_some());
            let disconnected = standing.is_some_and(|standing| standing.disconnected.is_some());
            AgentRecord { running, paused, disconnected, ..agent.record.clone() }
        };
        let there = self.agents.iter().filter(|(_, agent)| agent.is_there(now));
        there.map(|(id, agent)| (id.as_str().into(), record(id, agent))).collect()
    }

    fn whereabouts(&self, id: &str, started_at: u64) -> Whereabouts {
        match self.agents.get(id) {
            Some(agent) => agent.whereabouts(),
            None => self.pasts.whereabouts(id, started_at),
        }
    }

    /// When the other sessions of a client connected, and where they are.
    fn others_of_client(&self, id: &str) -> Vec<(u64, Whereabouts)> {
        let name = client(id);
        let others = self.agents.iter().filter(|(other, _)| *other != id && client(other) == name);
        let others = others.map(|(_, agent)| (agent.record.connected_at, agent.whereabouts()));
        others.chain(self.pasts.of_client(name)).collect()
    }

    fn forget_silent(&mut self, now: u64) {
        let is_gone = |agent: &Agent| !agent.has_session && !agent.is_there(now);
        let gone: Vec<String> =
            self.agents.iter().filter(|(_, one)| is_gone(one)).map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.forget(id);
        }
    }

    /// Forget an agent that has not said goodbye.
    fn forget(&mut self, id: String) {
        if let Some(agent) = self.agents.remove(&id) {
            self.callers.retain(|_, caller| *caller != id);
            self.pasts.remember(id, agent.record.connected_at, agent.heard_at, false);
        }
    }

    /// When there are too many, the one that has been silent longest is forgotten; first those that
    /// are not there, then those without a session.
    fn make_room(&mut self, now: u64) {
        if self.agents.len() < MAX_AGENTS {
            return;
        }
        let least = |agent: &Agent| {
            let is_open = !agent.streams.is_empty() || !agent.running.is_empty();
            (agent.is_there(now), is_open, agent.has_session, agent.heard_at)
        };
        let silent = self.agents.iter().min_by_key(|(_, agent)| least(agent));
        if let Some(id) = silent.map(|(id, _)| id.clone()) {
            self.forget(id);
        }
    }
}

/// A name as it is shown: callers choose their own.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !is_unseen(*c)).take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests;

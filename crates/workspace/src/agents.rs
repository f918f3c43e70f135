//! Agents that are connected, and what each of them runs right now.
//!
//! An agent is connected while a stream to it is open, a call of it runs, or it was last heard of
//! less than [`FORGOTTEN_AFTER`] ago: clients vanish without a word. One with a session that was
//! silent for longer comes back with its next call; when the session ends, it is gone at once. The
//! edges say who is there, the dispatcher what runs; here nothing is decided and nothing is saved.
//!
//! Views are told at once when somebody connects or leaves; counts and running calls follow at a
//! pace that people can read, and are exact whenever a view reads the whole state.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use openspace_command::{Caller, CallerKind, Now, Record};
use openspace_space::{Declared, Entries, Part, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{runtime::Handle, time::Instant};

use crate::areas::Area;

/// What this area brings.
pub const AREA: Area = Area { parts: &[Declared::of::<AgentsPart>()], ..Area::EMPTY };

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
}

impl Agent {
    fn is_there(&self, now: u64) -> bool {
        let is_silent = now.saturating_sub(self.heard_at) >= FORGOTTEN_AFTER;
        !is_silent || !self.streams.is_empty() || !self.running.is_empty()
    }
}

#[derive(Default)]
struct Live {
    agents: BTreeMap<String, Agent>,
    /// Whose call a number is.
    callers: HashMap<u64, String>,
    last_stream: u64,
    told_at: Option<Instant>,
    connection_told_at: Option<Instant>,
    is_waiting_to_tell: bool,
}

/// The connected agents of a space.
pub struct Agents {
    live: Mutex<Live>,
    space: Weak<Space>,
    now: Now,
    this: Weak<Self>,
}

/// An agent's session; the agent is gone when this is dropped.
pub struct Session {
    agents: Weak<Agents>,
    id: String,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(agents) = self.agents.upgrade() {
            agents.gone(&self.id);
        }
    }
}

impl Session {
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
    pub fn new(space: &Arc<Space>, now: Now) -> Arc<Self> {
        let agents = Arc::new_cyclic(|this| Self {
            live: Mutex::default(),
            space: Arc::downgrade(space),
            now,
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
        let mut live = self.lock();
        self.note(&mut live, caller, name, transport);
        if let Some(agent) = live.agents.get_mut(&id) {
            agent.has_session = true;
        }
        self.tell_in_time(&mut live, true);
        Session { agents: Weak::clone(&self.this), id }
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
        }
    }

    /// An agent's session ended.
    pub fn gone(&self, id: &str) {
        let mut live = self.lock();
        if live.agents.remove(id).is_some() {
            live.callers.retain(|_, caller| caller != id);
            self.tell_in_time(&mut live, true);
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
        let record = AgentRecord {
            name: shown(name),
            transport,
            connected_at: now,
            last_call_at: None,
            calls: 0,
            running: Vec::new(),
        };
        let (running, streams) = (BTreeMap::new(), BTreeSet::new());
        let agent = Agent { record, running, heard_at: now, has_session: false, streams };
        live.agents.insert(id, agent);
        true
    }

    /// Tell now, or soon if something was told just now. Somebody who comes or goes does not wait
    /// for calls, only for others who do.
    fn tell_in_time(&self, live: &mut Live, is_connection: bool) {
        if live.is_waiting_to_tell && !is_connection {
            return;
        }
        let last = if is_connection { live.connection_told_at } else { live.told_at };
        let wait = last.map_or(Duration::ZERO, |told| PACE.saturating_sub(told.elapsed()));
        let runtime = Handle::try_current().ok();
        match runtime {
            Some(runtime) if !wait.is_zero() => {
                if std::mem::replace(&mut live.is_waiting_to_tell, true) {
                    return;
                }
                let this = Weak::clone(&self.this);
                runtime.spawn(async move {
                    tokio::time::sleep(wait).await;
                    if let Some(agents) = this.upgrade() {
                        let mut live = agents.lock();
                        live.is_waiting_to_tell = false;
                        agents.tell(&mut live);
                    }
                });
            }
            _ => {
                if is_connection {
                    live.connection_told_at = Some(Instant::now());
                }
                self.tell(live);
            }
        }
    }

    /// Make the space's part what is so. Under the lock, so that no older value overtakes this one.
    fn tell(&self, live: &mut Live) {
        let Some(space) = self.space.upgrade() else { return };
        let now = (self.now)();
        live.forget_silent(now);
        let records = live.records(now);
        live.told_at = Some(Instant::now());
        let told = space.observe(|state| {
            state.part_mut::<AgentsPart>().become_these(records);
            Ok(())
        });
        if let Err(error) = told {
            tracing::error!(%error, "views were not told of agents");
        }
    }

    /// So that a view sees an agent go although nothing else happens.
    fn look_for_silence(&self) {
        let this = Weak::clone(&self.this);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                let Some(agents) = this.upgrade() else { return };
                agents.tell(&mut agents.lock());
            }
        });
    }
}

impl Live {
    fn records(&self, now: u64) -> AgentRecords {
        let record = |agent: &Agent| {
            let running = agent.running.values().take(MAX_RUNNING).cloned().collect();
            AgentRecord { running, ..agent.record.clone() }
        };
        let there = self.agents.iter().filter(|(_, agent)| agent.is_there(now));
        there.map(|(id, agent)| (id.as_str().into(), record(agent))).collect()
    }

    fn forget_silent(&mut self, now: u64) {
        self.agents.retain(|_, agent| agent.has_session || agent.is_there(now));
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
            self.agents.remove(&id);
            self.callers.retain(|_, caller| *caller != id);
        }
    }
}

/// A name as it is shown: callers choose their own.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests;

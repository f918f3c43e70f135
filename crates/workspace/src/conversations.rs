//! Conversations with agents: which agents there are, how each is, started, followed and stopped.
//!
//! An agent is a program of somebody else's. It is started when somebody first talks to it, in a confined place
//! of its own with a key of its own for our tools, and it ends with the server. Nothing that it needs is
//! written into the person's configuration. What is said in a conversation is not known here, nor any edge.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use openspace_agents::{Agent, known::KnownAgent, model::SessionId};
use openspace_command::{Error, Result};
use openspace_host::operation::FindProgram;
use openspace_isolation::Provider;
use tokio::sync::{broadcast, watch};

use crate::{Dispatcher, OpenSpace, areas::Area, refusal::refused, workspaces::Walls};

mod acp;
mod calls;
mod choices;
mod handed;
mod keys;
mod listening;
mod opencode;
mod permissions;
mod settings;
mod slot;
mod start;
mod state;
mod supervise;
mod use_tool;
mod writing;
mod written;

pub use choices::{AgentsFile, NoAgentsFile};
pub use keys::{AgentKey, AgentKeys, KeyHolder};
pub use listening::{Listening, Told};
pub use settings::{AgentSetting, AgentsSettings};
pub use state::{AbilityState, AgentState, Confined, Running};
pub use writing::AgentChange;

use choices::{Choices, Way};
use permissions::Asked;
use slot::{Current, Slot};

/// What this area brings.
pub const AREA: Area = Area { commands: use_tool::COMMANDS, ..Area::EMPTY };

/// Changes of states that may wait for who listens; who is slower gets a gap.
const MOST_CHANGES: usize = 256;
/// Sessions that are remembered to be there.
const MOST_SESSIONS: usize = 1_000;
/// The agent that is meant by an address.
const ATTACHED: &str = "opencode";

/// Sub-agents below sub-agents that are looked through for the session that a person sees.
const DEEPEST: usize = 8;

/// What conversations are made of.
pub struct ConversationOptions {
    /// Where this server is reached by programs of this machine, as in `http://127.0.0.1:3000`. Without it no
    /// agent has our tools, and so none is started.
    pub url: Option<String>,
    /// The keys of agents, which the edges know too.
    pub keys: AgentKeys,
    /// What the person chooses.
    pub file: Arc<dyn AgentsFile>,
    /// An opencode that somebody else started.
    pub attached: Option<Attached>,
    /// The password of one whose address the person has set in their file.
    pub password: Option<String>,
}

/// An opencode that somebody else started.
#[derive(Clone)]
pub struct Attached {
    /// Its address, as in `http://127.0.0.1:4096`.
    pub url: String,
    /// The user that it wants, if it is not its own.
    pub user: Option<String>,
    /// Its password, if it has one.
    pub password: Option<String>,
}

impl ConversationOptions {
    /// No agent can be started and none is attached.
    pub fn none() -> Self {
        Self {
            url: None,
            keys: AgentKeys::new(|_| String::new()),
            file: Arc::new(NoAgentsFile),
            attached: None,
            password: None,
        }
    }
}

/// The conversations of a server.
pub struct Conversations {
    options: ConversationOptions,
    slots: Mutex<BTreeMap<String, Arc<Slot>>>,
    /// What agents ask leave for, by their own id of the request.
    asked: Mutex<BTreeMap<String, Asked>>,
    /// Sessions that were asked for and are there, with their agents.
    sessions: Mutex<BTreeSet<(String, String)>>,
    changes: broadcast::Sender<AgentState>,
    /// Counts the starts of all agents.
    starts: watch::Sender<u64>,
    /// Held by who writes the person's file.
    saving: tokio::sync::Mutex<()>,
    /// Set once everything is there; it is not kept for our sake.
    dispatcher: OnceLock<openspace_command::WeakDispatcher<OpenSpace>>,
}

impl Conversations {
    pub(crate) fn new(options: ConversationOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            slots: Mutex::default(),
            asked: Mutex::default(),
            sessions: Mutex::default(),
            changes: broadcast::Sender::new(MOST_CHANGES),
            starts: watch::Sender::new(0),
            saving: tokio::sync::Mutex::default(),
            dispatcher: OnceLock::new(),
        })
    }

    /// Everything is there: an agent that was started elsewhere is followed from now on.
    pub(crate) fn begin(self: &Arc<Self>, dispatcher: &Dispatcher) {
        if self.dispatcher.set(dispatcher.downgrade()).is_err() {
            tracing::error!("conversations began twice");
        }
        let way = self.way(ATTACHED);
        if let Some(attached) = self.attached(ATTACHED, &way) {
            // What is wrong with it is how the agent is from now on.
            drop(self.attach(&attached, way));
        }
    }

    /// The agents that people can talk to, in the order of the table, and how each is now.
    pub async fn agents(&self) -> Vec<AgentState> {
        let choices = Choices::read(&*self.options.file);
        let mut states = Vec::new();
        for known in &choices.known.agents {
            let mut state = self.state(known, &choices.way(&known.id));
            if matches!(state.state, Running::Stopped | Running::Missing | Running::Hidden) {
                self.look_for(known, &mut state).await;
            }
            states.push(state);
        }
        states
    }

    /// What is wrong in the person's own list of agents, in sentences.
    pub fn wrong_choices(&self) -> Vec<String> {
        Choices::read(&*self.options.file).wrong
    }

    /// The agent that is meant when none is named: the one that the person set, or the first that is installed.
    pub async fn default_agent(&self) -> Option<String> {
        let choices = Choices::read(&*self.options.file);
        if let Some(id) = choices.default.clone().filter(|id| choices.known.find(id).is_some()) {
            return Some(id);
        }
        for known in &choices.known.agents {
            let mut state = self.state(known, &choices.way(&known.id));
            if state.state == Running::Stopped {
                self.look_for(known, &mut state).await;
            }
            if state.state != Running::Missing {
                return Some(known.id.clone());
            }
        }
        None
    }

    /// An agent to talk to. One that does not run is started, and waited for until it can be asked.
    pub async fn agent(self: &Arc<Self>, id: &str) -> Result<Arc<dyn Agent>> {
        let choices = Choices::read(&*self.options.file);
        let Some(known) = choices.known.find(id).cloned() else {
            let shown: String = id.chars().take(100).collect();
            let ids: Vec<&str> = choices.known.agents.iter().map(|it| it.id.as_str()).collect();
            return Err(Error::not_found(format!("there is no agent `{shown}`"))
                .hint(format!("agents: {}", ids.join(", "))));
        };
        let slot = self.slot(id);
        if let Some(agent) = slot.agent() {
            return Ok(agent);
        }
        let (this, way) = (Arc::clone(self), choices.way(id));
        // A task of its own: who does not wait any longer leaves it half started otherwise.
        let starting = tokio::spawn(async move { this.started(&known, way, &slot).await });
        starting.await.map_err(|join| Error::internal("the agent was not started").because(join))?
    }

    /// Stop an agent. It starts again when somebody talks to it. One that does not run is no error.
    pub async fn stop(&self, id: &str) -> Result<()> {
        if self.options.attached.is_some() && id == ATTACHED {
            return Err(Error::denied("this opencode was started by somebody else")
                .hint("stop it where it was started"));
        }
        let slot = self.known_slot(id);
        match slot {
            Some(slot) => self.stopped(id, &slot).await,
            None => Ok(()),
        }
    }

    /// A person lets an agent run outside of any confined place, as long as the server runs.
    pub fn allow_outside(&self, id: &str) {
        self.slot(id).now().outside = true;
    }

    /// The agent whose key this is, as long as it runs. `same` compares in a time that tells nothing.
    pub fn holder_of(&self, same: impl Fn(&str) -> bool) -> Option<KeyHolder> {
        self.options.keys.whose(same)
    }

    /// The session to which a call of one of our tools belongs that came with this key; nothing where that is
    /// not known.
    pub async fn session_of(
        &self,
        holder: &KeyHolder,
        tool: &str,
        arguments: &serde_json::Value,
    ) -> Option<String> {
        // The key's own session is no proof: an agent may use the endpoint of one session for all of them.
        let current = self.known_slot(&holder.agent)?.current()?;
        let session = current.started.calls.session_of(tool, arguments).await?;
        Some(self.root_of(&holder.agent, &session).await.0)
    }

    /// Whether an agent that runs has this session: callers name theirs themselves.
    pub(crate) async fn has_session(&self, id: &str, session: &str) -> bool {
        let Some(agent) = self.known_slot(id).and_then(|slot| slot.agent()) else { return false };
        let key = (id.to_owned(), session.to_owned());
        if self.sessions().contains(&key) {
            return true;
        }
        let is_there = agent.session(&SessionId(session.to_owned())).await.is_ok();
        if is_there {
            let mut sessions = self.sessions();
            if sessions.len() >= MOST_SESSIONS {
                sessions.clear();
            }
            sessions.insert(key);
        }
        is_there
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeSet<(String, String)>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hear what all agents tell, and how they are, from now on.
    pub fn subscribe(self: &Arc<Self>) -> Listening {
        let mut starts = self.starts.subscribe();
        starts.mark_changed();
        Listening {
            conversations: Arc::downgrade(self),
            changes: self.changes.subscribe(),
            starts,
            heard: Vec::new(),
        }
    }

    /// Stop all: the server stops.
    pub(crate) async fn stop_all(&self) {
        let slots: Vec<(String, Arc<Slot>)> = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.iter().map(|(id, slot)| (id.clone(), Arc::clone(slot))).collect()
        };
        for (id, slot) in slots {
            if let Err(error) = self.stopped(&id, &slot).await {
                tracing::error!(agent = id, %error, "an agent was not stopped");
            }
        }
    }

    /// The agents that run, with the number of this start of each.
    fn running(&self) -> Vec<(String, u64, Arc<dyn Agent>)> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let running = |(id, slot): (&String, &Arc<Slot>)| {
            let current = slot.current()?;
            Some((id.clone(), current.start, Arc::clone(&current.started.agent)))
        };
        slots.iter().filter_map(running).collect()
    }

    fn asked(&self) -> MutexGuard<'_, BTreeMap<String, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An agent asks for something, until this is dropped.
    fn ask(self: &Arc<Self>, request: String, asked: Asked) -> Asking {
        self.asked().insert(request.clone(), asked);
        Asking { conversations: Arc::clone(self), request }
    }

    /// The session that a person sees, for one that may be of a sub-agent.
    pub(crate) async fn root_of(&self, id: &str, session: &SessionId) -> SessionId {
        let mut root = session.clone();
        let Some(agent) = self.known_slot(id).and_then(|slot| slot.agent()) else { return root };
        for _ in 0..DEEPEST {
            match agent.session(&root).await {
                Ok(found) => match found.parent_id {
                    Some(parent) => root = parent,
                    None => break,
                },
                // It is still a session of this agent.
                Err(_) => break,
            }
        }
        root
    }

    fn slot(&self, id: &str) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(id.to_owned()).or_default())
    }

    /// Whether an agent can be talked to without being started.
    pub(crate) fn is_running(&self, id: &str) -> bool {
        self.known_slot(id).is_some_and(|slot| slot.agent().is_some())
    }

    fn known_slot(&self, id: &str) -> Option<Arc<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// The server's dispatcher, as long as it is there.
    fn dispatcher(&self) -> Result<Dispatcher> {
        let dispatcher = self.dispatcher.get().and_then(openspace_command::WeakDispatcher::upgrade);
        dispatcher.ok_or_else(|| {
            Error::new(openspace_command::ErrorKind::Lost, "the server stops").hint("call again")
        })
    }

    /// How an agent is, as far as that is known without looking for its program.
    fn state(&self, known: &KnownAgent, way: &Way) -> AgentState {
        let slot = self.known_slot(&known.id);
        let now = slot.as_ref().map(|slot| slot.now());
        let current = now.as_ref().and_then(|now| now.current.as_ref());
        let confined = match current {
            Some(current) => current.started.confined.clone(),
            None => self.would_be_confined(known, way, now.as_ref().is_some_and(|now| now.outside)),
        };
        AgentState {
            id: known.id.clone(),
            name: known.name.clone(),
            state: now.as_ref().and_then(|now| now.state).unwrap_or(Running::Stopped),
            why: now.as_ref().and_then(|now| now.why.clone()),
            hint: now.as_ref().and_then(|now| now.hint.clone()),
            install: known.install(),
            login: known.login.clone(),
            login_command: known.login_command.clone(),
            needs_restart: current.is_some_and(|current| self.has_other_way(known, current, way)),
            confined,
            abilities: current
                .map(|current| state::abilities(&*current.started.agent))
                .unwrap_or_default(),
        }
    }

    /// Whether an agent will be confined that is started now.
    fn would_be_confined(&self, known: &KnownAgent, way: &Way, allowed: bool) -> Confined {
        if self.attached(&known.id, way).is_some() {
            return Confined::no(start::ATTACHED_WHY);
        }
        if way.outside || allowed {
            return Confined::no(start::OUTSIDE_WHY);
        }
        let Ok(dispatcher) = self.dispatcher() else { return Confined::no("the server stops") };
        let workspaces = dispatcher.state().workspaces();
        match workspaces.walls() {
            _ if workspaces.is_main_in(Provider::Sandbox) => Confined::no(start::SANDBOX_WHY),
            Walls::Confined(_) => Confined::YES,
            Walls::Missing { reason, .. } => Confined::no(reason),
        }
    }

    /// Whether an agent that runs was started otherwise than it would be now. One that the server was told of stays.
    fn has_other_way(&self, known: &KnownAgent, current: &Current, way: &Way) -> bool {
        let is_told = self.options.attached.is_some() && known.id == ATTACHED;
        !is_told && current.way != *way
    }

    /// Look whether the program of an agent is installed on this machine.
    async fn look_for(&self, known: &KnownAgent, state: &mut AgentState) {
        let Some(program) = known.command.first() else { return };
        match self.found(program).await {
            // That it is not shown in its place was noticed when it was started.
            Ok(true) if state.state == Running::Hidden => {}
            Ok(true) => {
                let was_missing = state.state == Running::Missing;
                state.state = Running::Stopped;
                if was_missing {
                    (state.why, state.hint) = (None, None);
                }
            }
            Ok(false) => {
                state.state = Running::Missing;
                state.why = Some(format!("`{program}` is not among the programs of this machine"));
                state.hint = known.install().map(|install| format!("install it with `{install}`"));
            }
            Err(error) => {
                state.why = Some(error.message);
                state.hint = error.hint;
            }
        }
    }

    /// Whether the program of an agent is on this machine, wherever its place is.
    async fn is_on_machine(&self, known: &KnownAgent) -> bool {
        let Some(program) = known.command.first() else { return false };
        self.found(program).await.unwrap_or_default()
    }

    async fn found(&self, program: &str) -> Result<bool> {
        let find = FindProgram { program: program.to_owned(), folders: Vec::new() };
        let found = self.dispatcher()?.state().place().ask(find).await.map_err(refused)?;
        Ok(found.is_some())
    }
}

/// A request of an agent that waits.
struct Asking {
    conversations: Arc<Conversations>,
    request: String,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.conversations.asked().remove(&self.request);
    }
}

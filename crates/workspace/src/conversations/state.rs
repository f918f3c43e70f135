//! How an agent is, as readers are told.

use openspace_agents::{Ability, Agent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that people can talk to, and how it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentState {
    /// A short word, such as `opencode`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whether it can be talked to.
    pub state: Running,
    /// Why it is so, where that is not as wished.
    pub why: Option<String>,
    /// What can be done about it.
    pub hint: Option<String>,
    /// The command that installs it, as far as there is one.
    pub install: Option<String>,
    /// How a person logs in, in words.
    pub login: Option<String>,
    /// The command that logs in, where it can be followed in a terminal.
    pub login_command: Option<String>,
    /// Whether it runs otherwise than the person has set by now: a new start would change that.
    pub needs_restart: bool,
    /// Whether its programs are confined.
    pub confined: Confined,
    /// What it can do beside talking; known while it runs.
    pub abilities: Vec<AbilityState>,
}

/// Whether an agent can be talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgentRunning")]
pub enum Running {
    /// It is not installed.
    Missing,
    /// It is installed where its confined place does not show it.
    Hidden,
    /// It is installed and starts when somebody talks to it.
    Stopped,
    /// It is being started, or started again.
    Starting,
    /// It can be talked to.
    Running,
    /// It could not be started, or ended again and again.
    Failed,
    /// Somebody else started it, and it does not answer.
    Unreachable,
}

/// Whether an agent's programs are confined to the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentConfined")]
pub struct Confined {
    /// Whether they are, or will be when it is started.
    pub is: bool,
    /// Why not.
    pub why: Option<String>,
}

/// Something that only some agents can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentAbility")]
pub struct AbilityState {
    /// What.
    pub ability: Ability,
    /// Whether this one can.
    pub can: bool,
    /// Why it cannot.
    pub why: Option<String>,
}

impl Confined {
    /// They are.
    pub(super) const YES: Self = Self { is: true, why: None };

    /// They are not.
    pub(super) fn no(why: impl Into<String>) -> Self {
        Self { is: false, why: Some(why.into()) }
    }
}

/// What an agent can do, ability by ability.
pub(super) fn abilities(agent: &dyn Agent) -> Vec<AbilityState> {
    let absent = agent.capabilities().absent;
    let state = |ability: Ability| {
        let why = absent.get(&ability).cloned();
        AbilityState { ability, can: why.is_none(), why }
    };
    Ability::ALL.into_iter().map(state).collect()
}

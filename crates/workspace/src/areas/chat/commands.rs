//! `chat.agents`, `chat.start_agent`, `chat.stop_agent`. The list of the area's commands.

use openspace_command::{Caller, CallerKind, Command, Error, Intent, Meta, Result, Shown, Site};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    address::agent_id,
    answer_command::Answer,
    by_person::ByPerson,
    choice_commands::{Models, Modes, Select, SlashCommands},
    history_commands::{Compact, Fork, Revert, Share, Unrevert, Unshare},
    log_in_commands::{FinishLogIn, LogIn, LogOut, OpenLogIn},
    note_commands::{Draft, MayAttach, Seen},
    read_commands::{Diff, Messages, Read, Todos},
    review_commands::{Original, Review},
    session_commands::{Create, Delete, Rename, Sessions},
    setup_commands::{Configure, Providers, Settings},
    talk_commands::{Abort, Run, Send, Wait},
    verdict_commands::{Accept, Undo},
    words,
};
use crate::{Cx, Entry, OpenSpace, conversations::AgentState};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Agents>(),
    Entry::of::<StartAgent>(),
    Entry::of::<StopAgent>(),
    Entry::of::<Sessions>(),
    Entry::of::<Create>(),
    Entry::of::<Send>(),
    Entry::of::<Run>(),
    Entry::of::<Read>(),
    Entry::of::<Messages>(),
    Entry::of::<Wait>(),
    Entry::of::<Abort>(),
    Entry::of::<Fork>(),
    Entry::of::<Revert>(),
    Entry::of::<Unrevert>(),
    Entry::of::<Compact>(),
    Entry::of::<Share>(),
    Entry::of::<Unshare>(),
    Entry::of::<Rename>(),
    Entry::of::<Delete>(),
    Entry::of::<Models>(),
    Entry::of::<Modes>(),
    Entry::of::<SlashCommands>(),
    Entry::of::<Select>(),
    Entry::of::<Answer>(),
    Entry::of::<Draft>(),
    Entry::of::<Seen>(),
    Entry::of::<MayAttach>(),
    Entry::of::<Todos>(),
    Entry::of::<Diff>(),
    Entry::of::<Review>(),
    Entry::of::<Original>(),
    Entry::of::<Accept>(),
    Entry::of::<Undo>(),
    Entry::of::<Settings>(),
    Entry::of::<ByPerson<Configure>>(),
    Entry::of::<Providers>(),
    Entry::of::<ByPerson<LogIn>>(),
    Entry::of::<ByPerson<OpenLogIn>>(),
    Entry::of::<ByPerson<FinishLogIn>>(),
    Entry::of::<ByPerson<LogOut>>(),
];

/// Refuse an agent what is a person's own.
pub(super) fn check_no_agent(caller: &Caller, what: &str) -> Result<()> {
    match caller.kind {
        CallerKind::Person | CallerKind::Script => Ok(()),
        CallerKind::Agent | CallerKind::Bridge => {
            Err(Error::denied(format!("{what} of a person are not an agent's")))
        }
    }
}

/// What it means to have an agent do something: what is said goes to whoever offers its model, and it may act by it.
pub(super) fn speaking_to(agent: Option<&str>) -> Intent {
    let agent = agent.unwrap_or("the default agent");
    let about = format!("It would speak to {agent}, which may act by what it is told.");
    Intent { about: Some(about), ..Intent::default() }
}

/// Agents.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsListed {
    /// Those that are known, whether installed or not.
    agents: Vec<AgentState>,
    /// The one that is meant where none is named.
    default_agent: Option<String>,
}

/// List the agents that can be talked to, how each is, and how to get one.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agents {}

impl Command<OpenSpace> for Agents {
    const META: Meta =
        Meta::new("chat.agents", "Chat: Agents", Access::Read).shown(Shown::Searchable);
    type Output = AgentsListed;

    fn summary(&self) -> String {
        "list agents to talk to".into()
    }

    async fn run(self, cx: Cx) -> Result<AgentsListed> {
        let conversations = cx.state.conversations();
        Ok(AgentsListed {
            agents: conversations.agents().await,
            default_agent: conversations.default_agent().await,
        })
    }

    fn text(listed: &AgentsListed) -> Option<String> {
        Some(words::agents(&listed.agents, listed.default_agent.as_deref()))
    }
}

/// An agent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneAgent {
    /// The agent as it is now.
    agent: AgentState,
}

impl OneAgent {
    async fn of(cx: &Cx, id: &str) -> Result<Self> {
        let agents = cx.state.conversations().agents().await;
        let agent = agents.into_iter().find(|agent| agent.id == id);
        let agent = agent.ok_or_else(|| Error::not_found(format!("there is no agent `{id}`")))?;
        Ok(Self { agent })
    }
}

/// Start an agent, and wait until it can be talked to.
///
/// Whatever needs an agent starts it; this is for having it ready before.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartAgent {
    /// Its id; the default agent when left out.
    agent: Option<String>,
}

impl Command<OpenSpace> for StartAgent {
    const META: Meta = Meta::new("chat.start_agent", "Chat: Start Agent", Access::Execute)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = OneAgent;

    fn summary(&self) -> String {
        format!("start agent {}", self.agent.as_deref().unwrap_or("(default)"))
    }

    /// What an agent is that runs is its own: whether it is confined is for the person who starts it.
    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        Intent { site: Site::Outside, ..Intent::default() }
    }

    async fn run(self, cx: Cx) -> Result<OneAgent> {
        let id = agent_id(&cx.state, self.agent.as_deref()).await?;
        cx.state.conversations().agent(&id).await?;
        OneAgent::of(&cx, &id).await
    }

    fn text(one: &OneAgent) -> Option<String> {
        Some(words::agent(&one.agent, false))
    }
}

/// Stop an agent, with whatever it does right now.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopAgent {
    /// Its id; the default agent when left out.
    agent: Option<String>,
}

impl Command<OpenSpace> for StopAgent {
    const META: Meta = Meta::new("chat.stop_agent", "Chat: Stop Agent", Access::Destroy)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = OneAgent;

    fn summary(&self) -> String {
        format!("stop agent {}", self.agent.as_deref().unwrap_or("(default)"))
    }

    async fn run(self, cx: Cx) -> Result<OneAgent> {
        let id = agent_id(&cx.state, self.agent.as_deref()).await?;
        cx.state.conversations().stop(&id).await?;
        OneAgent::of(&cx, &id).await
    }

    fn text(one: &OneAgent) -> Option<String> {
        Some(words::agent(&one.agent, false))
    }
}

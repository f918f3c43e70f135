//! `chat.settings`, `chat.configure`, `chat.providers`: how agents are set up.
//!
//! What is set is written into the person's own file, or it is not set. Nobody but the person changes anything, and nobody
//! is asked whether somebody else may.

use std::sync::Arc;

use openspace_agents::{Agent, model::ProviderSetting};
use openspace_command::{Command, Error, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    address::agent_id, by_person::PersonsCommand, commands::check_no_agent, refusal::refused,
    session_commands::parse_model, setup_words as words,
};
use crate::{
    Cx, OpenSpace,
    conversations::{AgentChange, AgentState, AgentsSettings},
};

/// What is set.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsTold {
    /// What is set about agents, and where it is kept.
    #[serde(flatten)]
    settings: AgentsSettings,
}

/// Say what the person has set about agents, and where it is kept.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {}

impl Command<OpenSpace> for Settings {
    const META: Meta = Meta::new("chat.settings", "Chat: Settings of Agents", Access::Read)
        .shown(Shown::Searchable);
    type Output = SettingsTold;

    fn summary(&self) -> String {
        "what is set about agents".into()
    }

    async fn run(self, cx: Cx) -> Result<SettingsTold> {
        check_no_agent(&cx.caller, "settings")?;
        Ok(SettingsTold { settings: cx.state.conversations().settings() })
    }

    fn text(told: &SettingsTold) -> Option<String> {
        Some(words::settings(&told.settings))
    }
}

/// How an agent is set now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Configured {
    /// The agent as it is now. `needsRestart` says whether it has to be started anew for what was set.
    agent: AgentState,
    /// The file that it was written to.
    file: String,
}

/// Set something about an agent, in the person's own `agents.toml`.
///
/// What is left out stays as it is. Only the person can: in the browser, or at their own shell.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Configure {
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// Whether it is the one that is meant where none is named.
    is_default: Option<bool>,
    /// Whether it runs on this machine as the person, not confined.
    outside: Option<bool>,
    /// Whether it has its own tools for files and programs; without them it has those of the space alone.
    own_tools: Option<bool>,
    /// The address of one that runs already, such as `http://127.0.0.1:4096`, which is talked to then; an empty text starts
    /// one again.
    address: Option<String>,
    /// The model that it uses when nobody chooses, as `PROVIDER/MODEL`; an empty text leaves it to the agent.
    model: Option<String>,
    /// The model for titles and other small work, as `PROVIDER/MODEL`; an empty text leaves it to the agent.
    small_model: Option<String>,
}

impl PersonsCommand for Configure {
    const META: Meta = Meta::new("chat.configure", "Chat: Configure Agent", Access::Edit)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Configured;

    fn summary(&self) -> String {
        let given = [
            ("default", self.is_default.is_some()),
            ("outside", self.outside.is_some()),
            ("own tools", self.own_tools.is_some()),
            ("address", self.address.is_some()),
            ("model", self.model.is_some()),
            ("small model", self.small_model.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|it| it.1).map(|it| it.0).collect();
        format!("set {} of {}", given.join(", "), self.agent.as_deref().unwrap_or("(default)"))
    }

    fn check(&self) -> Result<()> {
        for model in [&self.model, &self.small_model].into_iter().flatten() {
            if !model.is_empty() && (!model.contains('/') || parse_model(model)?.variant.is_some())
            {
                return Err(Error::invalid("a model that is set is `PROVIDER/MODEL`")
                    .hint("chat_models lists the models"));
            }
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Configured> {
        let id = agent_id(&cx.state, self.agent.as_deref()).await?;
        let conversations = cx.state.conversations();
        let change = AgentChange {
            is_default: self.is_default,
            outside: self.outside,
            own_tools: self.own_tools,
            address: self.address,
            model: self.model,
            small_model: self.small_model,
        };
        conversations.configure(&id, change).await?;
        let agents = conversations.agents().await;
        let agent = agents.into_iter().find(|agent| agent.id == id);
        let agent = agent.ok_or_else(|| Error::not_found(format!("there is no agent `{id}`")))?;
        Ok(Configured { agent, file: conversations.settings().file })
    }

    fn text(configured: &Configured) -> Option<String> {
        Some(words::configured(&configured.agent, &configured.file))
    }
}

/// Who offers models.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProvidersListed {
    /// The agent that was asked.
    agent: String,
    /// Each, those that are connected first. No key is in it.
    providers: Vec<ProviderSetting>,
}

/// List who offers models to an agent, whether connected, and how to log in there.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Providers {
    /// The agent; the default agent when left out.
    agent: Option<String>,
}

impl Command<OpenSpace> for Providers {
    const META: Meta = Meta::new("chat.providers", "Chat: Providers of Models", Access::Read)
        .shown(Shown::Searchable);
    type Output = ProvidersListed;

    fn summary(&self) -> String {
        "list providers of models".into()
    }

    async fn run(self, cx: Cx) -> Result<ProvidersListed> {
        let (id, agent) = asked(&cx, self.agent.as_deref()).await?;
        let mut providers = agent.providers().await.map_err(refused)?;
        providers.sort_by(|one, other| {
            let key = |it: &ProviderSetting| (!it.is_connected, it.name.to_lowercase());
            key(one).cmp(&key(other))
        });
        Ok(ProvidersListed { agent: id, providers })
    }

    fn text(listed: &ProvidersListed) -> Option<String> {
        Some(words::providers(&listed.providers))
    }
}

/// The agent that is meant, started if it does not run.
pub(super) async fn asked(cx: &Cx, named: Option<&str>) -> Result<(String, Arc<dyn Agent>)> {
    let id = agent_id(&cx.state, named).await?;
    let agent = cx.state.conversations().agent(&id).await?;
    Ok((id, agent))
}

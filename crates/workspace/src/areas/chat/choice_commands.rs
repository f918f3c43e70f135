//! `chat.models`, `chat.modes`, `chat.commands`, `chat.select`.

use openspace_agents::model::{self, Mode, ModelChoice, SessionId, SlashCommand};
use openspace_command::{Caller, Command, Error, Intent, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    address::{Found, agent_id, find_running, note_key, running},
    note,
    refusal::refused,
    session_commands::{check_word, parse_model},
    words,
};
use crate::{Cx, OpenSpace};

/// Whom to ask: the agent of a session, or an agent.
async fn asked(
    cx: &Cx,
    session: Option<&str>,
    agent: Option<&str>,
) -> Result<(std::sync::Arc<dyn openspace_agents::Agent>, Option<SessionId>)> {
    if let Some(session) = session {
        let Found { address, agent } = find_running(cx, session).await?;
        return Ok((agent, Some(address.session_id)));
    }
    let id = agent_id(&cx.state, agent).await?;
    Ok((running(cx, &id).await?, None))
}

/// Models.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsListed {
    /// The models, by who offers them, and the one that is used when nobody chooses.
    #[serde(flatten)]
    models: model::Models,
}

/// List the models that an agent can use.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Models {
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// A session of it; some agents offer models for a session only.
    session: Option<String>,
}

impl Command<OpenSpace> for Models {
    const META: Meta =
        Meta::new("chat.models", "Chat: Models", Access::Read).shown(Shown::Searchable);
    type Output = ModelsListed;

    fn summary(&self) -> String {
        "list models".into()
    }

    async fn run(self, cx: Cx) -> Result<ModelsListed> {
        let (agent, session) = asked(&cx, self.session.as_deref(), self.agent.as_deref()).await?;
        Ok(ModelsListed { models: agent.models(session.as_ref()).await.map_err(refused)? })
    }

    fn text(listed: &ModelsListed) -> Option<String> {
        Some(words::models(&listed.models))
    }
}

/// Ways of working.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModesListed {
    /// Each, with what it is for.
    modes: Vec<Mode>,
}

/// List the ways in which an agent can work, such as planning only.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Modes {
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// A session of it; some agents offer ways of working for a session only.
    session: Option<String>,
}

impl Command<OpenSpace> for Modes {
    const META: Meta =
        Meta::new("chat.modes", "Chat: Modes", Access::Read).shown(Shown::Searchable);
    type Output = ModesListed;

    fn summary(&self) -> String {
        "list ways of working".into()
    }

    async fn run(self, cx: Cx) -> Result<ModesListed> {
        let (agent, session) = asked(&cx, self.session.as_deref(), self.agent.as_deref()).await?;
        Ok(ModesListed { modes: agent.modes(session.as_ref()).await.map_err(refused)? })
    }

    fn text(listed: &ModesListed) -> Option<String> {
        Some(words::lines(listed.modes.iter().map(words::mode), "This agent offers no modes."))
    }
}

/// Slash commands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommandsListed {
    /// Each, with what it does.
    commands: Vec<SlashCommand>,
}

/// List the slash commands of an agent; `chat.run` runs one.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlashCommands {
    /// The agent; the default agent when left out.
    agent: Option<String>,
    /// A session of it; some agents offer commands for a session only.
    session: Option<String>,
}

impl Command<OpenSpace> for SlashCommands {
    const META: Meta =
        Meta::new("chat.commands", "Chat: Slash Commands", Access::Read).shown(Shown::Searchable);
    type Output = SlashCommandsListed;

    fn summary(&self) -> String {
        "list slash commands".into()
    }

    async fn run(self, cx: Cx) -> Result<SlashCommandsListed> {
        let (agent, session) = asked(&cx, self.session.as_deref(), self.agent.as_deref()).await?;
        Ok(SlashCommandsListed {
            commands: agent.commands(session.as_ref()).await.map_err(refused)?,
        })
    }

    fn text(listed: &SlashCommandsListed) -> Option<String> {
        let line = |command: &SlashCommand| {
            words::entry(&format!("/{}", command.name), command.description.as_deref())
        };
        Some(words::lines(listed.commands.iter().map(line), "This agent offers no slash commands."))
    }
}

/// What is chosen now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selected {
    /// The model, unless it is left to the agent.
    model: Option<ModelChoice>,
    /// The way of working, unless it is left to the agent.
    mode: Option<String>,
}

/// Choose model and way of working for what is said next in a session, or in new ones.
///
/// What is left out stays as it is; an empty text leaves it to the agent again.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Select {
    /// The session; left out, it is for new sessions of the agent.
    session: Option<String>,
    /// The agent, without a session; the default agent when left out.
    agent: Option<String>,
    /// The model: `PROVIDER/MODEL`, with `#VARIANT` behind it for a variant.
    model: Option<String>,
    /// The way of working.
    mode: Option<String>,
}

impl Command<OpenSpace> for Select {
    const META: Meta = Meta::new("chat.select", "Chat: Choose Model and Mode", Access::Reach)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Selected;

    fn summary(&self) -> String {
        format!("choose for {}", self.session.as_deref().unwrap_or("new sessions"))
    }

    /// Where a model is, there goes what the person says next.
    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        let about = "What is said from then on would go to the chosen model.".to_owned();
        Intent { about: Some(about), ..Intent::default() }
    }

    fn check(&self) -> Result<()> {
        if self.session.is_some() && self.agent.is_some() {
            return Err(Error::invalid("argument `agent`: a session has its own"));
        }
        let given = |word: &Option<String>| word.clone().filter(|word| !word.is_empty());
        check_word("mode", given(&self.mode).as_deref())?;
        given(&self.model).as_deref().map(parse_model).transpose().map(drop)
    }

    /// Whether there is such a model is said by the agent when it is used: it need not run to be chosen for.
    async fn run(self, cx: Cx) -> Result<Selected> {
        let key = note_key(&cx.state, self.session.as_deref(), self.agent.as_deref()).await?;
        let now = cx.state.now();
        let model = self
            .model
            .map(|word| if word.is_empty() { Ok(None) } else { parse_model(&word).map(Some) });
        let model = model.transpose()?;
        let mode = self.mode.map(|word| Some(word).filter(|word| !word.is_empty()));
        cx.state
            .space()
            .change(|state| {
                let mut selected = Selected { model: None, mode: None };
                note(state, &key, now, |noted| {
                    if let Some(model) = model {
                        noted.model = model;
                    }
                    if let Some(mode) = mode {
                        noted.mode = mode;
                    }
                    selected = Selected { model: noted.model.clone(), mode: noted.mode.clone() };
                });
                Ok(selected)
            })
            .await
    }

    fn text(selected: &Selected) -> Option<String> {
        Some(words::selected(selected.model.as_ref(), selected.mode.as_deref()))
    }
}

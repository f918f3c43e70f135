//! What the person has set about agents, as it is shown, and how it is changed: in their own file, which is kept as it is
//! but for what is set.

use std::sync::Arc;

use openspace_agents::{
    known::{KnownAgent, OwnApi},
    opencode::Address,
};
use openspace_command::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ATTACHED, AgentChange, AgentsFile, Conversations, Running,
    choices::{Choices, Way},
    writing,
};

/// Bytes of a model's name or an address.
const LONGEST: usize = 1_024;

/// What is set about agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsSettings {
    /// The file that it is kept in.
    pub file: String,
    /// What is wrong in that file, in sentences.
    pub wrong: Vec<String>,
    /// The agent that is meant where none is named, if one is set.
    pub default: Option<String>,
    /// Each agent, in the order of `chat.agents`.
    pub agents: Vec<AgentSetting>,
}

/// What is set about an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSetting {
    /// Its id.
    pub id: String,
    /// Its program.
    pub program: String,
    /// Whether it runs on this machine as the person, not confined.
    pub outside: bool,
    /// Whether it has its own tools for files and programs.
    pub own_tools: bool,
    /// Where one runs already that is talked to, if one is.
    pub address: Option<String>,
    /// Whether that address was given to the server when it was started, and is no setting.
    pub is_address_fixed: bool,
    /// The model that it uses when nobody chooses, if one is set.
    pub model: Option<String>,
    /// The model for titles and other small work, if one is set.
    pub small_model: Option<String>,
    /// Why its own tools cannot be switched off, if they cannot.
    pub why_own_tools: Option<String>,
    /// Why no model and no address can be set for it, if they cannot.
    pub why_no_models: Option<String>,
}

impl Conversations {
    /// What the person has set.
    pub fn settings(&self) -> AgentsSettings {
        let choices = Choices::read(&*self.options.file);
        let agents = choices.known.agents.iter().map(|known| {
            let way = choices.way(&known.id);
            let fixed = self.options.attached.as_ref().filter(|_| known.id == ATTACHED);
            AgentSetting {
                id: known.id.clone(),
                program: known.command.first().cloned().unwrap_or_default(),
                outside: way.outside,
                own_tools: way.own_tools,
                is_address_fixed: fixed.is_some(),
                address: fixed.map(|attached| attached.url.clone()).or(way.address),
                model: way.model,
                small_model: way.small_model,
                why_own_tools: why_own_tools(known),
                why_no_models: why_no_models(known),
            }
        });
        AgentsSettings {
            file: self.options.file.name(),
            agents: agents.collect(),
            default: choices.default,
            wrong: choices.wrong,
        }
    }

    /// Set something about an agent, in the person's file.
    pub async fn configure(&self, id: &str, change: AgentChange) -> Result<()> {
        let choices = Choices::read(&*self.options.file);
        let Some(known) = choices.known.find(id).cloned() else {
            let shown: String = id.chars().take(100).collect();
            return Err(Error::not_found(format!("there is no agent `{shown}`"))
                .hint("chat_agents says which there are"));
        };
        self.check(&known, &change)?;
        let _alone = self.saving.lock().await;
        let (file, of) = (Arc::clone(&self.options.file), known.id.clone());
        let saved = tokio::task::spawn_blocking(move || save(&*file, &of, &change)).await;
        saved.map_err(|join| Error::internal("the setting was not saved").because(join))??;
        // What was in its way may not be any more: it is tried again when somebody talks to it.
        if let Some(slot) = self.known_slot(id) {
            let state = slot.now().state;
            if matches!(state, Some(Running::Failed | Running::Missing | Running::Hidden)) {
                slot.set(Running::Stopped, None, None);
            }
        }
        self.tell_of(id);
        Ok(())
    }

    fn check(&self, known: &KnownAgent, change: &AgentChange) -> Result<()> {
        let unsupported = |why: String| Error::new(ErrorKind::Unsupported, why);
        if let (Some(false), Some(why)) = (change.own_tools, why_own_tools(known)) {
            return Err(unsupported(why));
        }
        let given = |word: &Option<String>| word.as_ref().is_some_and(|word| !word.is_empty());
        let models = [&change.model, &change.small_model];
        let has_model = models.into_iter().any(given);
        if (has_model || given(&change.address))
            && let Some(why) = why_no_models(known)
        {
            return Err(unsupported(why)
                .hint("chat_select chooses a model for a session, where the agent offers some"));
        }
        if given(&change.address) && known.id != ATTACHED {
            let why = format!("only `{ATTACHED}` is talked to at an address");
            return Err(unsupported(why));
        }
        let is_fixed = self.options.attached.is_some() && known.id == ATTACHED;
        if change.address.is_some() && is_fixed {
            return Err(Error::conflict("the server was started with an address for this agent")
                .hint("start it without `--opencode` to set another one"));
        }
        let is_elsewhere = is_fixed || self.way(&known.id).address.is_some();
        if has_model && is_elsewhere && change.address.as_deref() != Some("") {
            return Err(unsupported(format!(
                "{} was started by somebody else, with a configuration of its own",
                known.name
            ))
            .hint("set the model there, or choose one for new sessions with chat_select"));
        }
        if let Some(url) = change.address.as_ref().filter(|url| !url.is_empty()) {
            let folder = "/";
            if url.len() > LONGEST {
                return Err(Error::invalid("argument `address`: is too long"));
            }
            Address::new(url, folder)
                .map_err(|error| Error::invalid(format!("argument `address`: {error}")))?;
        }
        Ok(())
    }
}

/// Read, change, look whether it says so now, and only then write.
fn save(file: &dyn AgentsFile, id: &str, change: &AgentChange) -> Result<()> {
    let name = file.name();
    let unsaved = |why: String| {
        Error::conflict(format!("{name} was not changed: {why}"))
            .hint("mend the file by hand, or set it there")
    };
    let text = file.read().map_err(|error| unsaved(error.to_string()))?.unwrap_or_default();
    let next = writing::written(&text, id, change).map_err(&unsaved)?;
    if next == text {
        return Ok(());
    }
    let (before, after) = (Choices::of(&name, &text), Choices::of(&name, &next));
    if after.wrong.len() > before.wrong.len() || !says(&after, id, change) {
        return Err(unsaved("it would not say then what it should".to_owned()));
    }
    file.write(&next).map_err(|error| unsaved(error.to_string()))?;
    tracing::info!(agent = id, file = name, "what a person set about an agent was saved");
    Ok(())
}

/// Whether what was set is what is read.
fn says(choices: &Choices, id: &str, change: &AgentChange) -> bool {
    let way: Way = choices.way(id);
    let word = |wanted: &Option<String>, is: &Option<String>| {
        wanted.as_ref().is_none_or(|wanted| *wanted == is.clone().unwrap_or_default())
    };
    change.outside.is_none_or(|wanted| wanted == way.outside)
        && change.own_tools.is_none_or(|wanted| wanted == way.own_tools)
        && change.is_default.is_none_or(|wanted| wanted == (choices.default.as_deref() == Some(id)))
        && word(&change.address, &way.address)
        && word(&change.model, &way.model)
        && word(&change.small_model, &way.small_model)
}

fn why_own_tools(known: &KnownAgent) -> Option<String> {
    match known.api {
        Some(OwnApi::Opencode) => None,
        None => {
            Some(format!("{} keeps its own tools: nothing here can switch them off", known.name))
        }
    }
}

fn why_no_models(known: &KnownAgent) -> Option<String> {
    match known.api {
        Some(OwnApi::Opencode) => None,
        None => Some(format!("{} has models and an address of its own making", known.name)),
    }
}

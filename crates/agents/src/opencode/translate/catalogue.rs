//! Models, ways of working, slash commands. Options of providers and models are not told: keys are in them.

use serde_json::Value;

use super::count;
use crate::{
    model::{Mode, ModeUse, Model, ModelChoice, Models, Provider, SlashCommand, shortened},
    opencode::wire,
};

/// Providers, models of one, ways of working or commands.
const MOST_ENTRIES: usize = 1000;

/// What is used without a choice is in the configuration, as `provider/model`, or is the default of the first provider.
pub(in crate::opencode) fn models(said: wire::Configured, config: &Value) -> Models {
    let configured = config["model"].as_str().and_then(|model| model.split_once('/'));
    let first = said.default.iter().next();
    let first = first.and_then(|(provider, model)| Some((provider.as_str(), model.as_str()?)));
    let default = configured.or(first).map(|(provider, model)| ModelChoice {
        provider: provider.to_owned(),
        model: model.to_owned(),
        variant: None,
    });
    let providers = said.providers.into_iter().take(MOST_ENTRIES).map(provider).collect();
    Models { providers, default }
}

fn provider(said: wire::Provider) -> Provider {
    // One that has another form cannot be chosen; the others still can.
    let models = said.models.into_iter().take(MOST_ENTRIES);
    let models = models.filter_map(|(_, said)| serde_json::from_value(said).ok().map(model));
    Provider { id: said.id, name: shortened(&said.name), models: models.collect() }
}

fn model(said: wire::Model) -> Model {
    let known = |number: f64| Some(count(number)).filter(|number| *number > 0);
    Model {
        id: said.id,
        name: shortened(&said.name),
        context: known(said.limit.context),
        output: known(said.limit.output),
        has_reasoning: said.capabilities.reasoning,
        has_tools: said.capabilities.toolcall,
        takes_images: said.capabilities.input.image,
        variants: said.variants.into_iter().map(|(name, _)| name).take(MOST_ENTRIES).collect(),
        cost_input: said.cost.as_ref().map(|cost| cost.input),
        cost_output: said.cost.map(|cost| cost.output),
        stage: said.status,
    }
}

/// Those that a person can choose.
pub(in crate::opencode) fn modes(said: Vec<wire::Agent>) -> Vec<Mode> {
    let shown = said.into_iter().filter(|agent| !agent.hidden.unwrap_or_default());
    let mode = |agent: wire::Agent| Mode {
        id: agent.name.clone(),
        name: agent.name,
        description: agent.description.map(|text| shortened(&text)),
        usable: match agent.mode.as_str() {
            "primary" => ModeUse::Session,
            "subagent" => ModeUse::SubAgent,
            _ => ModeUse::Both,
        },
        model: agent.model.map(|model| ModelChoice {
            provider: model.provider_id,
            model: model.model_id,
            variant: agent.variant,
        }),
    };
    shown.take(MOST_ENTRIES).map(mode).collect()
}

pub(in crate::opencode) fn commands(said: Vec<wire::Command>) -> Vec<SlashCommand> {
    let command = |command: wire::Command| SlashCommand {
        name: command.name,
        description: command.description.map(|text| shortened(&text)),
        hint: Some(command.hints.join(" ")).filter(|hint| !hint.is_empty()),
        source: command.source,
    };
    said.into_iter().take(MOST_ENTRIES).map(command).collect()
}

//! How agents are set up, as text for a shell. No key is known here.

use std::fmt::Write as _;

use openspace_agents::model::{LogInPage, ProviderSetting};

use super::words::{lines, one_line};
use crate::conversations::{AgentSetting, AgentState, AgentsSettings};

pub(super) fn settings(settings: &AgentsSettings) -> String {
    let default = settings.default.as_deref();
    let agents = settings.agents.iter().map(|agent| setting(agent, default));
    let mut text = lines(agents, "No agent is known.");
    // Writing to a String cannot fail.
    let _ = write!(text, "\n(kept in {})", one_line(&settings.file));
    for wrong in &settings.wrong {
        let _ = write!(text, "\nwrong: {}", one_line(wrong));
    }
    text
}

fn setting(agent: &AgentSetting, default: Option<&str>) -> String {
    let mut said = Vec::new();
    if default == Some(agent.id.as_str()) {
        said.push("the default".to_owned());
    }
    if agent.outside {
        said.push("not confined".to_owned());
    }
    if !agent.own_tools {
        said.push("without its own tools".to_owned());
    }
    let words =
        [("at", &agent.address), ("model", &agent.model), ("small model", &agent.small_model)];
    for (name, word) in words {
        said.extend(word.as_ref().map(|word| format!("{name} {}", one_line(word))));
    }
    if said.is_empty() {
        return one_line(&agent.id);
    }
    format!("{}  {}", one_line(&agent.id), said.join(", "))
}

pub(super) fn configured(agent: &AgentState, file: &str) -> String {
    let mut text = format!("{} is set in {}.", one_line(&agent.name), one_line(file));
    if agent.needs_restart {
        let _ = write!(
            text,
            " It runs as it was: `openspace chat stop-agent --agent {0}` and `openspace chat start-agent --agent {0}` start it anew.",
            agent.id
        );
    }
    text
}

pub(super) fn providers(providers: &[ProviderSetting]) -> String {
    lines(providers.iter().map(provider), "Nobody offers models to this agent.")
}

fn provider(provider: &ProviderSetting) -> String {
    let from = match (provider.is_connected, provider.source.as_deref(), provider.has_key) {
        (false, _, _) => "not connected".to_owned(),
        (true, Some("env"), _) => format!("connected, by {}", provider.variables.join(" or ")),
        (true, Some("api"), _) => "connected, logged in".to_owned(),
        (true, Some("config"), true) => "connected, by its configuration, with a key".to_owned(),
        (true, Some("config"), false) => "connected, by its configuration".to_owned(),
        (true, _, _) => "connected".to_owned(),
    };
    let models = if provider.models == 1 { "model" } else { "models" };
    let (id, name) = (one_line(&provider.id), one_line(&provider.name));
    format!("{id}  {name} ({from}; {} {models})", provider.models)
}

pub(super) fn set_up(agent: &str, set: &ProviderSetting, is_in_use: bool) -> String {
    let line = provider(set);
    if is_in_use {
        return line;
    }
    format!(
        "{line}\n{agent} is at work: it goes by this from its next start on (`openspace chat stop-agent --agent {agent}`)."
    )
}

pub(super) fn page(page: &LogInPage) -> String {
    let mut text = format!("Open {}", one_line(&page.url));
    if !page.instructions.trim().is_empty() {
        let _ = write!(text, "\n{}", one_line(&page.instructions));
    }
    let next = if page.gives_code {
        "Then `openspace chat finish-log-in PROVIDER WAY --code`, which reads the code."
    } else {
        "Meanwhile `openspace chat finish-log-in PROVIDER WAY` waits until it is done."
    };
    let _ = write!(text, "\n{next}");
    text
}

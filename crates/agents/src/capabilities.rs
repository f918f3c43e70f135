//! What an agent can do beyond talking, and why it cannot do the rest.

use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AgentError;

/// Something that only some agents can do.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// List sessions of the past.
    List,
    /// Give the messages of a session of the past.
    History,
    /// Give a session another title.
    Rename,
    /// Delete a session.
    Delete,
    /// Begin a session with the messages of another.
    Fork,
    /// Undo messages and what they did to files.
    Revert,
    /// Take an undoing back.
    Unrevert,
    /// Make the context of a session shorter.
    Compact,
    /// Put a session where others can read it.
    Share,
    /// Take it away again.
    Unshare,
    /// Keep a list of what is to be done.
    Todos,
    /// Ask a person questions with choices.
    Questions,
    /// Hand work to sessions below a session.
    SubAgents,
    /// Say what a message did to files.
    Diff,
    /// Offer several models.
    Models,
    /// Offer several ways of working.
    Modes,
    /// Offer variants of a model, such as how long it thinks.
    Variants,
    /// Offer slash commands.
    Commands,
    /// Take pictures in prompts.
    Images,
    /// Take a prompt while it works on another.
    Queue,
    /// Take a word for the model with a refused permission.
    RejectWithMessage,
    /// Say who offers it models, and take log-ins there.
    Providers,
}

impl Ability {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::List,
        Self::History,
        Self::Rename,
        Self::Delete,
        Self::Fork,
        Self::Revert,
        Self::Unrevert,
        Self::Compact,
        Self::Share,
        Self::Unshare,
        Self::Todos,
        Self::Questions,
        Self::SubAgents,
        Self::Diff,
        Self::Models,
        Self::Modes,
        Self::Variants,
        Self::Commands,
        Self::Images,
        Self::Queue,
        Self::RejectWithMessage,
        Self::Providers,
    ];
}

impl fmt::Display for Ability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::List => "list sessions",
            Self::History => "read old messages",
            Self::Rename => "rename a session",
            Self::Delete => "delete a session",
            Self::Fork => "fork a session",
            Self::Revert => "revert messages",
            Self::Unrevert => "take a revert back",
            Self::Compact => "compact a session",
            Self::Share => "share a session",
            Self::Unshare => "take a shared session back",
            Self::Todos => "keep todos",
            Self::Questions => "ask questions",
            Self::SubAgents => "use sub-agents",
            Self::Diff => "say what changed",
            Self::Models => "choose a model",
            Self::Modes => "choose a mode",
            Self::Variants => "choose a variant",
            Self::Commands => "run slash commands",
            Self::Images => "take pictures",
            Self::Queue => "take a prompt while it works",
            Self::RejectWithMessage => "hear why it was refused",
            Self::Providers => "set up providers of models",
        })
    }
}

/// What an agent can do: everything but what is listed here with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// What it cannot do, and why, in words for a person.
    pub absent: BTreeMap<Ability, String>,
}

impl Capabilities {
    /// Judge every ability: `None` means that it is there, a text says why it is not. The caller matches on the ability,
    /// so that a new one cannot be forgotten.
    pub fn judged(why_not: impl Fn(Ability) -> Option<String>) -> Self {
        let absent = Ability::ALL.into_iter();
        Self { absent: absent.filter_map(|it| why_not(it).map(|why| (it, why))).collect() }
    }

    /// Whether it is there.
    pub fn has(&self, ability: Ability) -> bool {
        !self.absent.contains_key(&ability)
    }

    /// An error with the reason, unless it is there.
    pub fn check(&self, ability: Ability) -> Result<(), AgentError> {
        match self.absent.get(&ability) {
            None => Ok(()),
            Some(why) => Err(AgentError::Unsupported { what: ability, why: why.clone() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_absent_is_refused_with_its_reason_and_the_rest_is_there() {
        let capabilities = Capabilities::judged(|ability| match ability {
            Ability::Fork => Some("it forgets".to_owned()),
            _ => None,
        });
        assert_eq!(
            serde_json::to_value(&capabilities).unwrap(),
            json!({ "absent": { "fork": "it forgets" } })
        );
        assert_eq!(capabilities.check(Ability::Revert), Ok(()));
        let refusal = capabilities.check(Ability::Fork).unwrap_err();
        assert_eq!(refusal.to_string(), "this agent cannot do that (fork a session): it forgets");
        let told = serde_json::to_value(&refusal).unwrap();
        assert_eq!(told, json!({ "kind": "unsupported", "what": "fork", "why": "it forgets" }));
        assert_eq!(serde_json::from_value::<AgentError>(told).unwrap(), refusal);
    }

    #[test]
    fn the_list_of_abilities_is_complete() {
        let schema = schemars::schema_for!(Ability);
        let declared = schema.as_value()["oneOf"].as_array().unwrap().len();
        assert_eq!(Ability::ALL.len(), declared);
    }
}

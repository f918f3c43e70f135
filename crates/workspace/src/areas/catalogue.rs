//! Commands about commands: so that agents need not carry every tool in their heads.

use openspace_command::Definition;
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{OpenSpace, Registry, areas::Area};

pub mod commands;

/// What this area brings.
pub const AREA: Area = Area { commands: commands::COMMANDS, ..Area::EMPTY };

/// A command in one line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// Canonical id.
    pub id: String,
    /// Name in tool lists.
    pub tool: String,
    /// What it does.
    pub description: String,
    /// What it can do to the world.
    pub access: Access,
    /// Its arguments in short; `?` marks those that may be left out.
    pub arguments: String,
}

impl Brief {
    /// A command in one line.
    pub fn of(definition: &Definition<OpenSpace>) -> Self {
        Self {
            id: definition.id.clone(),
            tool: definition.tool.clone(),
            description: definition.doc.lines().next().unwrap_or_default().to_owned(),
            access: definition.access,
            arguments: definition.signature(),
        }
    }
}

/// A command, whole: what the palette, the reference and the OpenAPI document are made from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Full {
    /// Canonical id.
    pub id: String,
    /// Name in tool lists.
    pub tool: String,
    /// The palette's line.
    pub title: String,
    /// Documentation.
    pub description: String,
    /// Since when it is deprecated, and what to use instead; missing where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// What it can do to the world.
    pub access: Access,
    /// Where it is offered.
    pub shown: openspace_command::Shown,
    /// Which group of tools it belongs to.
    pub set: openspace_command::Set,
    /// Whether it may ask for attention.
    pub focus: openspace_command::Focus,
    /// How calls of one caller are ordered.
    pub order: openspace_command::Order,
    /// Whether running it twice is the same as once.
    pub idempotent: bool,
    /// Default keys.
    pub keys: Vec<String>,
    /// The outside program that added it.
    pub bridge: Option<String>,
    /// JSON schema of the arguments.
    pub input_schema: Value,
    /// JSON schema of the answer.
    pub output_schema: Value,
}

impl Full {
    /// A command, whole.
    pub fn of(definition: &Definition<OpenSpace>) -> Self {
        Self {
            id: definition.id.clone(),
            tool: definition.tool.clone(),
            title: definition.title.clone(),
            description: definition.doc.clone(),
            deprecated: definition.deprecated.map(str::to_owned),
            access: definition.access,
            shown: definition.shown,
            set: definition.set,
            focus: definition.focus,
            order: definition.order,
            idempotent: definition.idempotent,
            keys: definition.keys.clone(),
            bridge: definition.bridge.clone(),
            input_schema: (*definition.input).clone(),
            output_schema: (*definition.output).clone(),
        }
    }
}

/// Commands that fit some words, best first.
pub fn search(registry: &Registry, query: &str, limit: usize) -> Vec<Brief> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<(usize, Brief)> = registry
        .all()
        .iter()
        .filter(|definition| definition.shown != openspace_command::Shown::Hidden)
        .filter_map(|definition| {
            let name = format!("{} {}", definition.id, definition.title).to_lowercase();
            let doc = definition.doc.to_lowercase();
            let mut score = 0;
            for word in &words {
                score += match (name.contains(word), doc.contains(word)) {
                    (true, _) => 3,
                    (false, true) => 1,
                    (false, false) => return None,
                };
            }
            Some((score, Brief::of(definition)))
        })
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(limit).map(|(_, brief)| brief).collect()
}

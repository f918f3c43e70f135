//! What can be chosen: models, ways of working, slash commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MessageId;

/// A model, chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// Who offers it; empty where an agent has no such word.
    pub provider: String,
    /// Its id with that provider.
    pub model: String,
    /// A variant, such as how long it thinks.
    #[serde(default)]
    pub variant: Option<String>,
}

/// The models that can be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Models {
    /// Who offers them.
    pub providers: Vec<Provider>,
    /// What is used when nobody chooses.
    pub default: Option<ModelChoice>,
}

/// Who offers models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its models.
    pub models: Vec<Model>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Its id with its provider.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Tokens that it can read and write together, where known.
    pub context: Option<u64>,
    /// Tokens that it can write, where known.
    pub output: Option<u64>,
    /// Whether it thinks.
    pub has_reasoning: bool,
    /// Whether it can use tools.
    pub has_tools: bool,
    /// Whether it takes pictures.
    pub takes_images: bool,
    /// Its variants.
    pub variants: Vec<String>,
    /// What a million tokens that it reads cost, in US dollars, where known.
    pub cost_input: Option<f64>,
    /// What a million tokens that it writes cost, in US dollars, where known.
    pub cost_output: Option<f64>,
    /// Its age, such as `beta` or `deprecated`, where the agent says so.
    pub stage: Option<String>,
}

/// A way of working: what it may do and how it is told to. Some call it an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mode {
    /// What it is chosen by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// How it can be used.
    pub usable: ModeUse,
    /// The model that it brings.
    pub model: Option<ModelChoice>,
}

/// How a way of working can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeUse {
    /// For a session.
    Session,
    /// By mention, for a sub-agent.
    SubAgent,
    /// Both.
    Both,
}

/// A slash command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Its name without the slash.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// What to write after it, where the agent says so.
    pub hint: Option<String>,
    /// Where it comes from, in the agent's word.
    pub source: Option<String>,
}

/// A slash command to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommandCall {
    /// Its name without the slash.
    pub name: String,
    /// What stands after it.
    pub arguments: String,
    /// The id that its message gets; missing leaves it to the implementation.
    #[serde(default)]
    pub message_id: Option<MessageId>,
    /// With which model; missing leaves it to the session.
    #[serde(default)]
    pub model: Option<ModelChoice>,
    /// In which way of working; missing leaves it to the session.
    #[serde(default)]
    pub mode: Option<String>,
}

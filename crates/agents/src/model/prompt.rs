//! What is said to an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Lines, ModelChoice};

/// What is said to an agent in one go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// What, in order; at least one.
    pub parts: Vec<PromptPart>,
    /// With which model; missing leaves it to the session.
    #[serde(default)]
    pub model: Option<ModelChoice>,
    /// In which way of working; missing leaves it to the session.
    #[serde(default)]
    pub mode: Option<String>,
}

impl Prompt {
    /// Just words.
    pub fn text(text: impl Into<String>) -> Self {
        let parts = vec![PromptPart::Text { text: text.into(), is_synthetic: false }];
        Self { parts, ..Self::default() }
    }
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PromptPart {
    /// Words.
    Text {
        /// The words.
        text: String,
        /// Whether a program adds them for the model and people need not see them.
        #[serde(default)]
        is_synthetic: bool,
    },
    /// A file on the agent's disk, or lines of it.
    File {
        /// Its absolute path.
        path: String,
        /// Its media type; missing means plain text.
        #[serde(default)]
        mime: Option<String>,
        /// Which lines; missing means all.
        #[serde(default)]
        lines: Option<Lines>,
        /// Where the words mention it.
        #[serde(default)]
        mention: Option<Span>,
    },
    /// A picture.
    Image {
        /// Its media type.
        mime: String,
        /// Its bytes.
        base64: String,
        /// What it is called.
        #[serde(default)]
        name: Option<String>,
    },
    /// An agent to hand work to.
    Agent {
        /// Its name.
        name: String,
        /// Where the words mention it.
        #[serde(default)]
        mention: Option<Span>,
    },
}

/// A piece of the words of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// The piece, such as `@src/main.rs`.
    pub text: String,
    /// Where it begins, in UTF-16 units as pages count.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

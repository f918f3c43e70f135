//! Who offers models to an agent, and how a person logs in there. A key goes one way: to the agent.

use std::{collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};

/// Bytes of a key or a code; more is none.
pub const LONGEST_KEY: usize = 16 * 1024;

/// Somebody who offers models, with what is set for it. No key is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderSetting {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Whether its models can be used now.
    pub is_connected: bool,
    /// Where its settings come from, in the agent's word: `env`, `config`, `custom` or `api`.
    pub source: Option<String>,
    /// Whether the agent has a key for it.
    pub has_key: bool,
    /// Variables of the environment in which the agent looks for a key.
    pub variables: Vec<String>,
    /// How many models it offers.
    pub models: usize,
    /// How one can log in.
    pub log_ins: Vec<LogInWay>,
}

/// A way to log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogInWay {
    /// What it is called.
    pub label: String,
    /// Whether a key is enough; otherwise it goes through a page of the provider.
    pub is_by_key: bool,
    /// What has to be known beside.
    pub asks: Vec<LogInAsk>,
}

/// Something that has to be known for a way to log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogInAsk {
    /// Under which name it is given.
    pub name: String,
    /// What is asked for, in words.
    pub message: String,
    /// An example.
    pub example: Option<String>,
    /// What can be chosen; own words where there is nothing.
    pub choices: Vec<LogInChoice>,
    /// It is asked for only if this holds.
    pub only_when: Option<LogInCondition>,
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogInChoice {
    /// What is sent.
    pub value: String,
    /// What a person reads.
    pub label: String,
}

/// What was given before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogInCondition {
    /// Under this name.
    pub name: String,
    /// Whether it has to be this value, or must not be.
    pub is: bool,
    /// The value.
    pub value: String,
}

/// A log-in with a key.
#[derive(Clone, Debug)]
pub struct KeyLogIn {
    /// The provider's id.
    pub provider: String,
    /// The key.
    pub key: Key,
    /// What is asked for beside, by name.
    pub answers: BTreeMap<String, String>,
}

/// A log-in through a page of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLogIn {
    /// The provider's id.
    pub provider: String,
    /// Which of its ways, from 0.
    pub way: usize,
    /// What is asked for beside, by name.
    pub answers: BTreeMap<String, String>,
}

/// The page to log in at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogInPage {
    /// Its address.
    pub url: String,
    /// What is to be done there.
    pub instructions: String,
    /// Whether the page gives a code that is to be handed on; otherwise the agent hears by itself.
    pub gives_code: bool,
}

/// A key, or a code of a page, on its way to an agent. It cannot be written anywhere: it has no form as data, and
/// nothing of it is in its `Debug` nor in what is said when it cannot be read.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key, unless it is empty, too long, or holds what no key does.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        match text {
            "" => Err("it is empty"),
            _ if text.len() > LONGEST_KEY => Err("it is too long"),
            _ if text.chars().any(char::is_control) => Err("it has more than one line"),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The words, for whoever it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The library's own refusal would quote what was given.
        let given = serde_json::Value::deserialize(deserializer);
        let given = given.map_err(|_| de::Error::custom("a key is a text"))?;
        let text = given.as_str().ok_or_else(|| de::Error::custom("a key is a text"))?;
        Self::new(text).map_err(|why| de::Error::custom(format!("this is no key: {why}")))
    }
}

impl JsonSchema for Key {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Key".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "password", "writeOnly": true })
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_of_a_key_is_in_its_debug_nor_in_a_refusal() {
        let key: Key = serde_json::from_value(json!(" sk-one ")).unwrap();
        assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("sk-one", "Key(…)"));
        let refused = |given| serde_json::from_value::<Key>(given).unwrap_err().to_string();
        assert_eq!(refused(json!({ "key": "sk-two" })), "a key is a text");
        assert_eq!(refused(json!(123_456)), "a key is a text");
        assert_eq!(refused(json!("sk-a\nsk-b")), "this is no key: it has more than one line");
        assert_eq!(refused(json!("  ")), "this is no key: it is empty");
        assert_eq!(refused(json!("k".repeat(LONGEST_KEY + 1))), "this is no key: it is too long");
    }
}

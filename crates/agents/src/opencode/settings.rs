//! What a person sets in opencode: who offers models, log-ins, its configuration. Never a key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{OpenCode, http::Ask, operations, wire};
use crate::{AgentError, model::shortened};

/// Somebody who offers models, with what is set for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderSetting {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Whether its models can be used now.
    pub is_connected: bool,
    /// Where its settings come from, in opencode's word: `env`, `config`, `custom` or `api`.
    pub source: Option<String>,
    /// Variables of the environment in which opencode looks for a key.
    pub variables: Vec<String>,
    /// How many models it offers.
    pub models: usize,
    /// How one can log in.
    pub log_ins: Vec<LogIn>,
}

/// A way to log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogIn {
    /// What it is called.
    pub label: String,
    /// Whether a key is enough; otherwise it goes through a page of the provider.
    pub is_by_key: bool,
}

/// A way to log in, as opencode says it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SaidLogIn {
    r#type: String,
    label: String,
}

impl OpenCode {
    /// Its version.
    pub async fn version(&self) -> Result<String, AgentError> {
        let said = self.inner.ask(Ask::new(operations::HEALTH)).await?.value;
        let version = said["version"].as_str().map(shortened);
        version.ok_or_else(|| AgentError::Protocol {
            what: "its version".to_owned(),
            why: "it says none".to_owned(),
        })
    }

    /// Its configuration for this folder, with [`HIDDEN`](super::HIDDEN) in the place of every secret.
    pub async fn config(&self) -> Result<Value, AgentError> {
        self.inner.config().await
    }

    /// Everybody who offers models.
    pub async fn providers(&self) -> Result<Vec<ProviderSetting>, AgentError> {
        let said: wire::Providers = self.inner.get(Ask::new(operations::PROVIDERS)).await?;
        let mut log_ins: BTreeMap<String, Vec<SaidLogIn>> =
            self.inner.get(Ask::new(operations::LOG_INS)).await?;
        let providers = said.all.into_iter().map(|provider| ProviderSetting {
            is_connected: said.connected.contains(&provider.id),
            name: shortened(&provider.name),
            source: provider.source,
            variables: provider.env,
            models: provider.models.len(),
            log_ins: log_ins.remove(&provider.id).iter().flatten().map(log_in).collect(),
            id: provider.id,
        });
        Ok(providers.collect())
    }

    /// Give opencode the key of a provider, which keeps it in its own place. It takes part in new turns.
    pub async fn set_key(&self, provider: &str, key: &str) -> Result<(), AgentError> {
        if key.trim().is_empty() {
            let why = "it is empty".to_owned();
            return Err(AgentError::Invalid { what: "the key".to_owned(), why });
        }
        // Known before it is said, so that no refusal can tell it.
        self.inner.keys.learn_one(provider, key);
        let body = json!({ "type": "api", "key": key });
        self.inner.ask(Ask::new(operations::SET_KEY).of(provider).body(body)).await.map(drop)
    }

    /// Have opencode forget the key or log-in of a provider.
    pub async fn remove_key(&self, provider: &str) -> Result<(), AgentError> {
        self.inner.ask(Ask::new(operations::REMOVE_KEY).of(provider)).await.map(drop)
    }
}

fn log_in(said: &SaidLogIn) -> LogIn {
    LogIn { label: shortened(&said.label), is_by_key: said.r#type == "api" }
}

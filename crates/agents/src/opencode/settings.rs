//! What a person sets in opencode: who offers models, log-ins, its configuration. Never a key is told.
//!
//! opencode keeps log-ins by itself, and reads them when it reads its configuration. So after one it is told to read
//! again, unless a session is at work: that would end it.

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{OpenCode, http::Ask, operations, wire};
use crate::{
    AgentError, Thing,
    model::{
        Key, KeyLogIn, LogInAsk, LogInChoice, LogInCondition, LogInPage, LogInWay, PageLogIn,
        ProviderSetting, shortened,
    },
};

/// Providers, ways to log in, things that one asks for, choices of one.
const MOST: usize = 1000;
/// Bytes of an address to log in at.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// A way to log in, as opencode says it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SaidLogIn {
    r#type: String,
    label: String,
    #[serde(default)]
    prompts: Vec<SaidPrompt>,
}

/// What it asks for beside a key.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct SaidPrompt {
    key: String,
    message: String,
    placeholder: Option<String>,
    #[serde(default)]
    options: Vec<SaidOption>,
    when: Option<SaidWhen>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct SaidOption {
    label: String,
    value: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct SaidWhen {
    key: String,
    op: String,
    value: String,
}

/// Where to log in, as opencode says it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SaidPage {
    url: String,
    method: String,
    instructions: String,
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

    pub(super) async fn all_providers(&self) -> Result<Vec<ProviderSetting>, AgentError> {
        let said: wire::Providers = self.inner.get(Ask::new(operations::PROVIDERS)).await?;
        let mut log_ins: BTreeMap<String, Vec<SaidLogIn>> =
            self.inner.get(Ask::new(operations::LOG_INS)).await?;
        let providers = said.all.into_iter().take(MOST).map(|provider| ProviderSetting {
            is_connected: said.connected.contains(&provider.id),
            name: shortened(&provider.name),
            source: provider.source,
            has_key: provider.key.is_some_and(|key| !key.is_empty()),
            variables: provider.env,
            models: provider.models.len(),
            log_ins: ways(log_ins.remove(&provider.id)),
            id: provider.id,
        });
        Ok(providers.collect())
    }

    pub(super) async fn set_key(&self, log_in: KeyLogIn) -> Result<bool, AgentError> {
        let KeyLogIn { provider, key, answers } = log_in;
        self.known_provider(&provider).await?;
        // Known before it is said, so that no refusal can tell it.
        self.inner.keys.learn_one(&provider, key.reveal());
        let more = (!answers.is_empty()).then_some(answers);
        let body = json!({ "type": "api", "key": key.reveal(), "metadata": more });
        self.inner.ask(Ask::new(operations::SET_KEY).of(&provider).body(body)).await?;
        self.read_again().await
    }

    pub(super) async fn remove_key(&self, provider: &str) -> Result<bool, AgentError> {
        self.known_provider(provider).await?;
        self.inner.ask(Ask::new(operations::REMOVE_KEY).of(provider)).await?;
        self.read_again().await
    }

    pub(super) async fn open_page(&self, log_in: PageLogIn) -> Result<LogInPage, AgentError> {
        let PageLogIn { provider, way, answers } = log_in;
        let known = self.known_provider(&provider).await?;
        if known.log_ins.get(way).is_none_or(|way| way.is_by_key) {
            return Err(AgentError::Invalid {
                what: format!("way {way} to log in"),
                why: format!("{provider} has no page under this number"),
            });
        }
        let body = json!({ "method": way, "inputs": answers });
        let ask = Ask::new(operations::OPEN_PAGE).of(&provider).body(body);
        let said: SaidPage = self.inner.get(ask).await?;
        // It is opened by a person: whatever is no address of the web is none to open.
        let is_web = ["https://", "http://"].iter().any(|scheme| said.url.starts_with(scheme));
        if !is_web || said.url.len() > LONGEST_ADDRESS || said.url.contains(char::is_control) {
            return Err(AgentError::Protocol {
                what: "where to log in".to_owned(),
                why: "it says no address of the web".to_owned(),
            });
        }
        Ok(LogInPage {
            url: said.url,
            instructions: shortened(&said.instructions),
            gives_code: said.method == "code",
        })
    }

    pub(super) async fn page_done(
        &self,
        provider: &str,
        way: usize,
        code: Option<Key>,
    ) -> Result<bool, AgentError> {
        if let Some(code) = &code {
            self.inner.keys.learn_one(provider, code.reveal());
        }
        let body = json!({ "method": way, "code": code.as_ref().map(Key::reveal) });
        self.inner.ask(Ask::new(operations::PAGE_DONE).of(provider).body(body)).await?;
        self.read_again().await
    }

    /// One that is not known would be kept all the same, and used by nobody.
    async fn known_provider(&self, id: &str) -> Result<ProviderSetting, AgentError> {
        let found = self.all_providers().await?.into_iter().find(|known| known.id == id);
        let shown: String = id.chars().take(100).collect();
        found.ok_or(AgentError::NotFound { what: Thing::Provider, id: shown })
    }

    /// Have it read what it keeps, unless a session is at work; whether it did.
    async fn read_again(&self) -> Result<bool, AgentError> {
        let busy: BTreeMap<String, Value> = self.inner.get(Ask::new(operations::STATUSES)).await?;
        if !busy.is_empty() {
            return Ok(false);
        }
        self.inner.ask(Ask::new(operations::READ_AGAIN)).await?;
        // What it has now is another thing to hide.
        self.inner.learn_again().await?;
        Ok(true)
    }
}

fn ways(said: Option<Vec<SaidLogIn>>) -> Vec<LogInWay> {
    // Where a provider names no way, a key is one.
    let Some(said) = said.filter(|said| !said.is_empty()) else {
        let label = "API key".to_owned();
        return vec![LogInWay { label, is_by_key: true, asks: Vec::new() }];
    };
    let way = |said: SaidLogIn| LogInWay {
        label: shortened(&said.label),
        is_by_key: said.r#type == "api",
        asks: said.prompts.into_iter().take(MOST).map(ask).collect(),
    };
    said.into_iter().take(MOST).map(way).collect()
}

fn ask(said: SaidPrompt) -> LogInAsk {
    let choice =
        |option: SaidOption| LogInChoice { value: option.value, label: shortened(&option.label) };
    LogInAsk {
        name: said.key,
        message: shortened(&said.message),
        example: said.placeholder.as_deref().map(shortened),
        choices: said.options.into_iter().take(MOST).map(choice).collect(),
        only_when: said.when.map(|when| LogInCondition {
            name: when.key,
            is: when.op == "eq",
            value: when.value,
        }),
    }
}

//! Keys: found in what opencode says of its configuration, and hidden wherever they come up again.
//!
//! opencode gives keys of providers in clear. Nothing that it says leaves this crate before it went through [`Keys::hide`],
//! which knows the values that its configuration holds and the forms that tokens have; and of the configuration itself
//! nothing is told that stands in a place for secrets.

use std::sync::{Arc, PoisonError, RwLock};

use openspace_secrets::{Masker, Value as Secret, is_named_secret};
use serde_json::{Map, Value};

use crate::AgentError;

#[cfg(test)]
mod tests;

/// What stands in the place of a key.
pub const HIDDEN: &str = "⟨secret⟩";
/// Names of objects whose values are secrets whatever they are called: headers and environments of programs.
const ALL_SECRET: &[&str] = &["headers", "environment"];
/// Keys that are kept; more are not learned.
const MOST_KEYS: usize = 1000;

/// What is known of keys.
#[derive(Debug, Default)]
pub(super) struct Keys {
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    secrets: Vec<Secret>,
    masker: Arc<Masker>,
}

impl Keys {
    /// Take note of the keys in a configuration or a list of providers. What was known stays known: what opencode said
    /// before may still be on its way.
    pub(super) fn learn(&self, said: &Value) {
        let mut found = Vec::new();
        collect(said, false, "opencode", &mut found);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.secrets.len();
        for secret in found {
            let is_new = !known.secrets.iter().any(|known| known.text() == secret.text());
            if is_new && known.secrets.len() < MOST_KEYS {
                known.secrets.push(secret);
            }
        }
        if known.secrets.len() > before {
            known.masker = Arc::new(Masker::new(&known.secrets));
        }
    }

    /// Take note of one key.
    pub(super) fn learn_one(&self, provider: &str, key: &str) {
        let mut fields = Map::new();
        fields.insert("key".to_owned(), Value::String(key.to_owned()));
        let mut providers = Map::new();
        providers.insert(provider.to_owned(), Value::Object(fields));
        self.learn(&Value::Object(providers));
    }

    /// What opencode said, without keys. Names of fields are looked at as well.
    pub(super) fn hide(&self, said: Value) -> Value {
        let masker = Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner).masker);
        hidden(&masker, said)
    }

    /// An error without keys.
    pub(super) fn hide_error(&self, error: AgentError) -> AgentError {
        let hide = |text: String| self.hide_text(&text);
        match error {
            AgentError::NotRunning { agent, why } => {
                AgentError::NotRunning { agent, why: hide(why) }
            }
            AgentError::NotAllowed { agent, why } => {
                AgentError::NotAllowed { agent, why: hide(why) }
            }
            AgentError::Refused { status, message } => {
                AgentError::Refused { status, message: hide(message) }
            }
            AgentError::NotFound { what, id } => AgentError::NotFound { what, id: hide(id) },
            AgentError::Protocol { what, why } => AgentError::Protocol { what, why: hide(why) },
            AgentError::Invalid { what, why } => AgentError::Invalid { what, why: hide(why) },
            // In these are our own words alone.
            error @ (AgentError::Busy { .. }
            | AgentError::Unsupported { .. }
            | AgentError::TimedOut { .. }
            | AgentError::TooLarge { .. }) => error,
        }
    }

    /// A sentence without keys.
    pub(super) fn hide_text(&self, text: &str) -> String {
        let masker = Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner).masker);
        masker.mask(text).text.into_owned()
    }
}

fn hidden(masker: &Masker, said: Value) -> Value {
    match said {
        Value::String(text) => match masker.mask(&text) {
            masked if masked.count == 0 => Value::String(text),
            masked => Value::String(masked.text.into_owned()),
        },
        Value::Array(values) => {
            Value::Array(values.into_iter().map(|value| hidden(masker, value)).collect())
        }
        Value::Object(entries) => {
            let entries = entries
                .into_iter()
                .map(|(name, value)| (masker.mask(&name).text.into_owned(), hidden(masker, value)));
            Value::Object(entries.collect())
        }
        plain => plain,
    }
}

/// A configuration with nothing in it that stands in a place for secrets, however short it is.
pub(super) fn redacted(config: Value) -> Value {
    redact(config, false)
}

fn redact(value: Value, is_secret: bool) -> Value {
    match value {
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(name, value)| {
                let is_secret = is_secret || is_place_of_secrets(&name);
                (name, redact(value, is_secret))
            });
            Value::Object(entries.collect())
        }
        Value::Array(values) => {
            Value::Array(values.into_iter().map(|value| redact(value, is_secret)).collect())
        }
        Value::String(_) if is_secret => Value::String(HIDDEN.to_owned()),
        plain => plain,
    }
}

fn collect(value: &Value, is_secret: bool, called: &str, found: &mut Vec<Secret>) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                collect(value, is_secret || is_place_of_secrets(name), name, found);
            }
        }
        Value::Array(values) => {
            for value in values {
                collect(value, is_secret, called, found);
            }
        }
        Value::String(text) if is_secret => {
            found.push(Secret::new(called, text.as_str()));
            // `Bearer abc`: the word alone is the key.
            if let Some((_, word)) = text.rsplit_once(' ') {
                found.push(Secret::new(called, word));
            }
        }
        _ => {}
    }
}

fn is_place_of_secrets(name: &str) -> bool {
    ALL_SECRET.contains(&name) || is_named_secret(name)
}

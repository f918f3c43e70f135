//! Keys of agents: what a started agent shows when it calls our tools.
//!
//! Each start of an agent has keys of its own, and so may each session. They are dead when the agent has ended.
//! What a key opens is for the edges to say; here it is known only whose it is. The server's own token is never
//! handed to an agent: every program that an agent starts could read it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keys that are alive at once; one agent has one for each session at most.
const MOST_KEYS: usize = 1_000;
/// Bytes of randomness in a key.
const KEY_BYTES: usize = 24;

/// Whose a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// The agent.
    pub agent: String,
    /// The session that it was handed to, where that is known.
    pub session: Option<String>,
}

struct Live {
    number: u64,
    key: String,
    holder: KeyHolder,
}

#[derive(Default)]
struct Inner {
    last: u64,
    keys: Vec<Live>,
}

/// The keys that are alive. Clones share them.
#[derive(Clone)]
pub struct AgentKeys {
    inner: Arc<Mutex<Inner>>,
    random: fn(usize) -> String,
}

/// A key as long as its agent runs. Dropping it makes it open nothing.
pub struct AgentKey {
    number: u64,
    text: String,
    inner: Arc<Mutex<Inner>>,
}

impl AgentKeys {
    /// No keys yet. `random` makes a word of so many random bytes.
    pub fn new(random: fn(usize) -> String) -> Self {
        Self { inner: Arc::default(), random }
    }

    /// A new key of an agent; nothing when there are too many.
    pub fn issue(&self, agent: &str) -> Option<AgentKey> {
        let text = self.word();
        let mut inner = locked(&self.inner);
        if inner.keys.len() >= MOST_KEYS {
            return None;
        }
        inner.last += 1;
        let number = inner.last;
        let holder = KeyHolder { agent: agent.to_owned(), session: None };
        inner.keys.push(Live { number, key: text.clone(), holder });
        Some(AgentKey { number, text, inner: Arc::clone(&self.inner) })
    }

    /// A random word that nobody can guess.
    pub(super) fn word(&self) -> String {
        (self.random)(KEY_BYTES)
    }

    /// Whose a key is, if it is alive. `same` compares in a time that tells nothing.
    pub fn whose(&self, same: impl Fn(&str) -> bool) -> Option<KeyHolder> {
        let inner = locked(&self.inner);
        // All are looked at, so that the time does not say which one it was.
        let mut found = None;
        for live in &inner.keys {
            if same(&live.key) {
                found = Some(live.holder.clone());
            }
        }
        found
    }
}

impl AgentKey {
    /// The key itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// It was handed to this session.
    pub(super) fn is_of(&self, session: &str) {
        let mut inner = locked(&self.inner);
        if let Some(live) = inner.keys.iter_mut().find(|live| live.number == self.number) {
            live.holder.session = Some(session.to_owned());
        }
    }
}

impl Drop for AgentKey {
    fn drop(&mut self) {
        locked(&self.inner).keys.retain(|live| live.number != self.number);
    }
}

fn locked(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_as_long_as_it_is_held() {
        let keys = AgentKeys::new(|bytes| format!("word-of-{bytes}"));
        let key = keys.issue("opencode").unwrap();
        let whose = |text: &str| keys.whose(|key| key == text);
        let holder = KeyHolder { agent: "opencode".into(), session: None };
        assert_eq!(whose("word-of-24"), Some(holder.clone()));
        assert_eq!(whose("another"), None);
        key.is_of("ses_1");
        assert_eq!(
            whose("word-of-24"),
            Some(KeyHolder { session: Some("ses_1".into()), ..holder })
        );
        drop(key);
        assert_eq!(whose("word-of-24"), None);
    }
}

//! opencode, over its own HTTP API and its stream of events.
//!
//! Only the paths without `/api` are used: what is called version 2 there has no tools of ours and shows messages that the
//! other does not know. Whoever started opencode, or was told of it, says so with [`OpenCode::listens`]; nothing is asked
//! before.

mod address;
mod clock;
mod conversation;
mod events;
mod follow;
mod frames;
mod http;
mod ids;
mod keys;
mod operations;
mod prompts;
mod refusals;
mod settings;
mod sieve;
mod translate;
mod turns;
mod wire;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod tests;

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use crate::{AgentError, Event, Feed};
use http::{Ask, Http, Reply};
use ids::Ids;
use keys::Keys;

pub use address::Address;
pub use clock::{Clock, RealTime};
pub use keys::HIDDEN;

/// A conversation with an opencode that somebody else started.
#[derive(Debug)]
pub struct OpenCode {
    inner: Arc<Inner>,
    follower: Mutex<Option<AbortOnDropHandle<()>>>,
}

/// What those who ask and the one who follows share.
#[derive(Debug)]
struct Inner {
    http: Http,
    keys: Keys,
    feed: Feed,
    ids: Ids,
    clock: Arc<dyn Clock>,
    /// Why nothing may be asked.
    silent: Mutex<Option<String>>,
    /// Whether the keys that it has now are known; held while they are asked for.
    has_learned: tokio::sync::Mutex<bool>,
    /// Whether its configuration lets sessions be shared.
    shares: AtomicBool,
    /// Requests that end with a turn and that nobody waits for any more.
    turns: Mutex<JoinSet<()>>,
}

impl OpenCode {
    /// An opencode at this address. It is not asked for anything until it is said to listen.
    pub fn new(address: Address, clock: Arc<dyn Clock>) -> Self {
        let keys = Keys::default();
        // Its shell can read the password of its own port, and say it.
        for secret in [&address.password, &address.authorization].into_iter().flatten() {
            keys.learn_one("opencode", secret);
        }
        let inner = Inner {
            http: Http::new(Arc::new(address)),
            keys,
            feed: Feed::default(),
            ids: Ids::default(),
            clock,
            silent: Mutex::new(Some("nobody has said yet that it listens".to_owned())),
            has_learned: tokio::sync::Mutex::new(false),
            shares: AtomicBool::new(true),
            turns: Mutex::new(JoinSet::new()),
        };
        Self { inner: Arc::new(inner), follower: Mutex::new(None) }
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.inner.http.address
    }

    /// It listens: it printed so, or somebody says so. From now on it is asked and followed; once it does not answer any
    /// more it is tried again and again until [`OpenCode::stopped`].
    pub fn listens(&self) {
        *locked(&self.inner.silent) = None;
        let follower = tokio::spawn(follow::follow(Arc::clone(&self.inner)));
        *locked(&self.follower) = Some(AbortOnDropHandle::new(follower));
    }

    /// It does not listen any more, or is about to stop: it is not asked again.
    pub fn stopped(&self, why: &str) {
        *locked(&self.inner.silent) = Some(why.to_owned());
        if locked(&self.follower).take().is_some() {
            let why = Some(why.to_owned());
            self.inner.feed.tell(Event::Connection { connected: false, why }, 0);
        }
    }
}

impl Inner {
    /// Ask, and give the answer without keys.
    async fn ask(&self, ask: Ask<'_>) -> Result<Reply, AgentError> {
        if let Some(why) = locked(&self.silent).clone() {
            let agent = format!("opencode at {}", self.http.address.url());
            return Err(AgentError::NotRunning { agent, why });
        }
        let mut has_learned = self.has_learned.lock().await;
        if !*has_learned {
            self.learn().await?;
            *has_learned = true;
        }
        drop(has_learned);
        match self.http.ask(ask).await {
            Ok(reply) => Ok(Reply { value: self.keys.hide(reply.value), ..reply }),
            Err(error) => Err(self.keys.hide_error(error)),
        }
    }

    /// Ask, and read the answer.
    async fn get<T: DeserializeOwned>(&self, ask: Ask<'_>) -> Result<T, AgentError> {
        let what = ask.name();
        translate::read(&what, self.ask(ask).await?.value)
    }

    /// Find out which keys there are, whatever was known.
    async fn learn_again(&self) -> Result<(), AgentError> {
        let mut has_learned = self.has_learned.lock().await;
        *has_learned = false;
        self.learn().await?;
        *has_learned = true;
        Ok(())
    }

    async fn learn(&self) -> Result<(), AgentError> {
        for operation in [operations::CONFIG, operations::CONFIGURED] {
            let asked = self.http.ask(Ask::new(operation)).await;
            let said = asked.map_err(|error| self.keys.hide_error(error))?.value;
            self.keys.learn(&said);
            if said["share"].is_string() {
                self.shares.store(said["share"] != "disabled", Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Its configuration, still without what stands in places for secrets.
    async fn config(&self) -> Result<Value, AgentError> {
        let said = self.ask(Ask::new(operations::CONFIG)).await?;
        Ok(keys::redacted(said.value))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

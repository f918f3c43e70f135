//! Bridges: outside programs that add commands and answer calls to them.
//!
//! A bridge registers a manifest, listens for calls and posts results. Its commands are checked
//! against their own schemas here, appear in every list at once, and vanish when the bridge goes.
//! A bridge never sees another bridge's calls, and a call that it does not answer ends in time.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use openspace_command::{Definition, Error, ErrorKind, Prepared, Result};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::{OpenSpace, Registry};

pub mod manifest;

use manifest::{Manifest, ManifestError};

/// How long a bridge may take to answer.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// How long a manifest or a report stays without anybody listening for its calls.
pub const UNHEARD_FOR: Duration = Duration::from_mins(1);
/// Streams of calls that may be open at once, unless set otherwise.
pub const MAX_STREAMS: usize = 10;
/// Bridges that may be registered at once.
const MAX_BRIDGES: usize = 50;
/// Calls that may wait in one stream.
const STREAM_BACKLOG: usize = 256;
/// Size of a reported state that is kept.
const MAX_STATE: usize = 256 * 1024;
/// The bridge of a program that does not name itself.
pub const DEFAULT_BRIDGE: &str = "default";

/// A call on its way to a bridge.
#[derive(Clone, Debug, PartialEq)]
pub struct BridgeCall {
    /// The body of the event.
    pub data: Value,
}

struct Stream {
    id: u64,
    sender: mpsc::Sender<BridgeCall>,
}

#[derive(Default)]
struct Bridge {
    streams: Vec<Stream>,
    state: Option<Value>,
    /// Counts manifests, reports and streams, so that an old timer does not remove a bridge that came back.
    generation: u64,
}

struct Pending {
    bridge: String,
    command: String,
    answer: oneshot::Sender<Result<Value>>,
}

#[derive(Default)]
struct State {
    bridges: BTreeMap<String, Bridge>,
    pending: HashMap<String, Pending>,
    ever_a_manifest: bool,
}

/// Why a stream of calls cannot be opened.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum StreamError {
    /// Too many are open.
    #[error("{0} streams are open already; close one first")]
    TooMany(usize),
    /// Too many bridges.
    #[error("{MAX_BRIDGES} bridges are registered already")]
    TooManyBridges,
}

/// The bridges of a workspace.
pub struct Bridges {
    state: Mutex<State>,
    registry: Weak<Registry>,
    numbers: AtomicU64,
    max_streams: usize,
    answer_within: Duration,
}

/// Calls for one bridge; dropping it closes the stream.
pub struct Calls {
    receiver: mpsc::Receiver<BridgeCall>,
    bridges: Arc<Bridges>,
    bridge: String,
    id: u64,
}

impl Calls {
    /// The next call; `None` when the server stops.
    pub async fn next(&mut self) -> Option<BridgeCall> {
        self.receiver.recv().await
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        self.bridges.stream_closed(&self.bridge, self.id);
    }
}

impl Bridges {
    /// No bridges yet.
    pub fn new(registry: &Arc<Registry>, max_streams: usize, answer_within: Duration) -> Self {
        Self {
            state: Mutex::default(),
            registry: Arc::downgrade(registry),
            numbers: AtomicU64::new(1),
            max_streams,
            answer_within,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether any bridge has ever registered commands.
    pub fn ever_a_manifest(&self) -> bool {
        self.lock().ever_a_manifest
    }

    /// Put a bridge's commands in place of those it had.
    pub fn register(
        self: &Arc<Self>,
        bridge: &str,
        manifest: Manifest,
    ) -> Result<usize, ManifestError> {
        let definitions = manifest
            .commands
            .into_iter()
            .map(|command| self.definition(bridge, command))
            .collect::<Result<Vec<_>, _>>()?;
        let count = definitions.len();
        let generation = {
            let mut state = self.lock();
            if !state.bridges.contains_key(bridge) && state.bridges.len() >= MAX_BRIDGES {
                return Err(ManifestError::TooManyBridges(MAX_BRIDGES));
            }
            if let Some(registry) = self.registry.upgrade() {
                registry.replace_bridge(bridge, definitions)?;
            }
            state.ever_a_manifest = true;
            let entry = state.bridges.entry(bridge.to_owned()).or_default();
            entry.generation += 1;
            entry.generation
        };
        self.forget_if_unheard(bridge, generation);
        Ok(count)
    }

    fn definition(
        self: &Arc<Self>,
        bridge: &str,
        command: manifest::ManifestCommand,
    ) -> Result<Definition<OpenSpace>, ManifestError> {
        let validator = jsonschema::validator_for(&command.schema).map_err(|error| {
            ManifestError::BadSchema { id: command.id.clone(), reason: error.to_string() }
        })?;
        let id = openspace_command::canonical_id(&command.id);
        let (bridges, owner, called) =
            (Arc::downgrade(self), bridge.to_owned(), command.id.clone());
        let prepare = move |args: Value| {
            if let Some(error) = validator.iter_errors(&args).next() {
                let at = error.instance_path().to_string();
                let at = at.trim_start_matches('/').replace('/', ".");
                // Messages are recorded, and a record holds no contents.
                let reason = error.masked();
                return Err(Error::invalid(if at.is_empty() {
                    reason.to_string()
                } else {
                    format!("argument `{at}`: {reason}")
                }));
            }
            let (bridges, owner, called) = (bridges.clone(), owner.clone(), called.clone());
            Ok(Prepared::new(format!("{called} by bridge {owner}"), move |_| async move {
                let bridges =
                    bridges.upgrade().ok_or_else(|| Error::internal("the server stops"))?;
                bridges.call(&owner, &called, args).await
            }))
        };
        let title = command.title.unwrap_or_else(|| id.clone());
        Ok(Definition::bridged(bridge, &id, title, command.description, command.schema, prepare)?)
    }

    /// Remove a bridge that nobody has listened for in all its time.
    fn forget_if_unheard(self: &Arc<Self>, bridge: &str, generation: u64) {
        let (bridges, bridge) = (Arc::downgrade(self), bridge.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(UNHEARD_FOR).await;
            let Some(bridges) = bridges.upgrade() else { return };
            let unheard =
                bridges.lock().bridges.get(&bridge).is_some_and(|entry| {
                    entry.generation == generation && entry.streams.is_empty()
                });
            if unheard {
                tracing::info!(bridge, "a bridge that never listened is removed");
                bridges.remove_unheard(&bridge);
            }
        });
    }

    /// Listen for the calls to a bridge.
    pub fn listen(self: &Arc<Self>, bridge: &str) -> Result<Calls, StreamError> {
        let (sender, receiver) = mpsc::channel(STREAM_BACKLOG);
        let id = self.number();
        let mut state = self.lock();
        let open: usize = state.bridges.values().map(|bridge| bridge.streams.len()).sum();
        if open >= self.max_streams {
            return Err(StreamError::TooMany(open));
        }
        if !state.bridges.contains_key(bridge) && state.bridges.len() >= MAX_BRIDGES {
            return Err(StreamError::TooManyBridges);
        }
        let entry = state.bridges.entry(bridge.to_owned()).or_default();
        entry.generation += 1;
        entry.streams.push(Stream { id, sender });
        Ok(Calls { receiver, bridges: Arc::clone(self), bridge: bridge.to_owned(), id })
    }

    fn stream_closed(&self, bridge: &str, id: u64) {
        if let Some(entry) = self.lock().bridges.get_mut(bridge) {
            entry.streams.retain(|stream| stream.id != id);
        }
        self.remove_unheard(bridge);
    }

    /// A bridge that nobody speaks for is gone: its commands vanish, calls it had are lost.
    fn remove_unheard(&self, bridge: &str) {
        let lost: Vec<Pending> = {
            let mut state = self.lock();
            if !state.bridges.get(bridge).is_some_and(|entry| entry.streams.is_empty()) {
                return;
            }
            state.bridges.remove(bridge);
            // Under the lock, so that a bridge which registers again is not undone.
            if let Some(registry) = self.registry.upgrade()
                && let Err(error) = registry.replace_bridge(bridge, Vec::new())
            {
                tracing::error!(bridge, %error, "a bridge's commands could not be removed");
            }
            let ids: Vec<String> = state
                .pending
                .iter()
                .filter(|(_, pending)| pending.bridge == bridge)
                .map(|(id, _)| id.clone())
                .collect();
            ids.iter().filter_map(|id| state.pending.remove(id)).collect()
        };
        for pending in lost {
            // The caller may have stopped waiting; then nobody needs to know.
            drop(
                pending.answer.send(Err(Error::new(
                    ErrorKind::Lost,
                    format!("the bridge `{bridge}` went away during the call"),
                )
                .hint("whether the work was done is unknown; look before calling again"))),
            );
        }
    }

    async fn call(self: &Arc<Self>, bridge: &str, command: &str, args: Value) -> Result<Value> {
        let call_id = format!("c{}", self.number());
        let (answer, answered) = oneshot::channel();
        let data = json!({"cmd": command, "args": args, "callId": call_id});
        {
            let mut state = self.lock();
            let streams = state.bridges.get(bridge).map(|entry| &entry.streams);
            let heard = streams.is_some_and(|streams| {
                let sent = |stream: &Stream| {
                    stream.sender.try_send(BridgeCall { data: data.clone() }).is_ok()
                };
                // Any one listener of the bridge answers; the others must not do the work twice.
                streams.iter().any(sent)
            });
            if !heard {
                return Err(Error::conflict(format!("the bridge `{bridge}` is not listening"))
                    .hint("start the program that provides this command"));
            }
            let pending = Pending { bridge: bridge.into(), command: command.into(), answer };
            state.pending.insert(call_id.clone(), pending);
        }
        let _forget = Forget { bridges: Arc::clone(self), call_id };
        match tokio::time::timeout(self.answer_within, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Error::internal("the call was dropped")),
            Err(_) => Err(Error::new(
                ErrorKind::TimedOut,
                format!(
                    "the bridge `{bridge}` did not answer within {} s",
                    self.answer_within.as_secs()
                ),
            )
            .hint("whether the work was done is unknown; look before calling again")),
        }
    }

    /// Give a bridge's result to whoever waits for it. Without a call's id the oldest waiting call
    /// of that command is meant. False when nobody waits.
    pub fn answer(
        &self,
        call_id: Option<&str>,
        command: Option<&str>,
        result: Result<Value>,
    ) -> bool {
        let pending = {
            let mut state = self.lock();
            let id = match (call_id, command) {
                (Some(id), _) => Some(id.to_owned()),
                (None, Some(command)) => state
                    .pending
                    .iter()
                    .filter(|(_, pending)| {
                        openspace_command::canonical_id(&pending.command)
                            == openspace_command::canonical_id(command)
                    })
                    .min_by_key(|(id, _)| id[1..].parse::<u64>().unwrap_or(u64::MAX))
                    .map(|(id, _)| id.clone()),
                (None, None) => None,
            };
            id.and_then(|id| state.pending.remove(&id))
        };
        pending.is_some_and(|pending| pending.answer.send(result).is_ok())
    }

    /// Tell every listening bridge of a command that the server itself carries out.
    pub fn announce(&self, command: &str, args: &Value) {
        let data = json!({"cmd": command, "args": args, "handledBy": "openspace"});
        let state = self.lock();
        for stream in state.bridges.values().flat_map(|bridge| &bridge.streams) {
            if stream.sender.try_send(BridgeCall { data: data.clone() }).is_err() {
                tracing::debug!("a bridge that does not listen misses an announcement");
            }
        }
    }

    /// Keep what a bridge reports of its own state.
    pub fn report(self: &Arc<Self>, bridge: &str, state: Value) -> Result<()> {
        if state.to_string().len() > MAX_STATE {
            return Err(Error::invalid(format!("a bridge's state has at most {MAX_STATE} bytes")));
        }
        let mut all = self.lock();
        if !all.bridges.contains_key(bridge) && all.bridges.len() >= MAX_BRIDGES {
            return Err(Error::conflict(StreamError::TooManyBridges.to_string()));
        }
        let entry = all.bridges.entry(bridge.to_owned()).or_default();
        entry.state = Some(state);
        entry.generation += 1;
        let (unheard, generation) = (entry.streams.is_empty(), entry.generation);
        drop(all);
        // A report alone must not hold a bridge's place for ever.
        if unheard {
            self.forget_if_unheard(bridge, generation);
        }
        Ok(())
    }

    /// What bridges report, by bridge.
    pub fn states(&self) -> BTreeMap<String, Value> {
        let state = self.lock();
        let reported =
            |(name, bridge): (&String, &Bridge)| Some((name.clone(), bridge.state.clone()?));
        state.bridges.iter().filter_map(reported).collect()
    }
}

struct Forget {
    bridges: Arc<Bridges>,
    call_id: String,
}

impl Drop for Forget {
    fn drop(&mut self) {
        self.bridges.lock().pending.remove(&self.call_id);
    }
}

//! Who wants to hear about changes, in both protocol eras.
//!
//! A legacy client listens for the life of its session: the server keeps the session's [`Peer`]
//! and pushes through it. A modern client opens a `subscriptions/listen` request instead: the
//! server keeps that request's [`SubscriptionSink`], which already filters what was asked for.
//! Any task may call [`Listeners::announce`]; it does not need to know which era is listening.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use rmcp::{
    Peer, RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{ServiceError, SubscriptionSendError, SubscriptionSink},
};
use tokio::time::timeout;

/// A client that does not drain its stream must not hold up the others for longer than this.
const SEND_LIMIT: Duration = Duration::from_secs(2);

/// Something a client may have cached and should fetch again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The content of a resource, by its URI.
    Resource(String),
}

/// Resource URIs one legacy session has subscribed to.
#[derive(Debug, Default)]
pub(super) struct Watched(Mutex<HashSet<String>>);

impl Watched {
    pub(super) fn add(&self, uri: String) {
        locked(&self.0).insert(uri);
    }

    pub(super) fn remove(&self, uri: &str) {
        locked(&self.0).remove(uri);
    }

    fn contains(&self, uri: &str) -> bool {
        locked(&self.0).contains(uri)
    }
}

/// All open listeners of this process.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    next: AtomicU64,
    open: Mutex<HashMap<u64, Listener>>,
}

#[derive(Debug, Clone)]
enum Listener {
    Session { peer: Peer<RoleServer>, watched: Arc<Watched> },
    Stream(SubscriptionSink),
}

/// Keeps one listener registered; dropping it takes the listener off the list.
#[derive(Debug)]
pub(super) struct Registration {
    listeners: Arc<Listeners>,
    id: u64,
}

impl Registration {
    /// Tell this listener alone.
    pub(super) async fn tell(&self, changes: &[Change]) {
        let listener = locked(&self.listeners.open).get(&self.id).cloned();
        for change in changes {
            if let Some(listener) = &listener {
                // One that does not take it in time is like one that has gone.
                drop(timeout(SEND_LIMIT, listener.tell(change)).await);
            }
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        locked(&self.listeners.open).remove(&self.id);
    }
}

impl Listeners {
    /// Registers a legacy session for the rest of its life.
    pub(super) fn add_session(
        self: &Arc<Self>,
        peer: Peer<RoleServer>,
        watched: Arc<Watched>,
    ) -> Registration {
        self.add(Listener::Session { peer, watched })
    }

    /// Registers one modern `subscriptions/listen` stream.
    pub(super) fn add_stream(self: &Arc<Self>, sink: SubscriptionSink) -> Registration {
        self.add(Listener::Stream(sink))
    }

    fn add(self: &Arc<Self>, listener: Listener) -> Registration {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        locked(&self.open).insert(id, listener);
        Registration { listeners: Arc::clone(self), id }
    }

    /// Tells every listener that asked for it. Returns when all were told or ran out of time.
    pub(super) async fn announce(&self, change: &Change) {
        // The lock is released before the first await.
        let open: Vec<Listener> = locked(&self.open).values().cloned().collect();
        join_all(open.iter().map(|listener| timeout(SEND_LIMIT, listener.tell(change)))).await;
    }
}

impl Listener {
    /// Failures are not reported: a listener that cannot be reached has gone, and its
    /// registration is dropped by whoever owns it.
    async fn tell(&self, change: &Change) {
        match self {
            Self::Session { peer, watched } => drop(tell_session(peer, watched, change).await),
            Self::Stream(sink) => drop(tell_stream(sink, change).await),
        }
    }
}

async fn tell_session(
    peer: &Peer<RoleServer>,
    watched: &Watched,
    change: &Change,
) -> Result<(), ServiceError> {
    match change {
        Change::Tools => peer.notify_tool_list_changed().await,
        Change::Prompts => peer.notify_prompt_list_changed().await,
        Change::Resources => peer.notify_resource_list_changed().await,
        Change::Resource(uri) if watched.contains(uri) => {
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
        }
        Change::Resource(_) => Ok(()),
    }
}

/// The sink refuses what the client did not ask for, so there is nothing to filter here.
async fn tell_stream(
    sink: &SubscriptionSink,
    change: &Change,
) -> Result<(), SubscriptionSendError> {
    match change {
        Change::Tools => sink.notify_tool_list_changed().await,
        Change::Prompts => sink.notify_prompt_list_changed().await,
        Change::Resources => sink.notify_resource_list_changed().await,
        Change::Resource(uri) => sink.notify_resource_updated(uri.as_str()).await,
    }
}

/// A panic while the lock was held cannot leave a map of handles half changed, so poisoning is
/// of no interest here.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

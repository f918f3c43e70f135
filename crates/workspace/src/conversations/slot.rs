//! One agent: what it is doing, and the one that runs now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openspace_agents::Agent;

use super::{Running, choices::Way, start::Started};

/// One agent, whether it runs or not.
#[derive(Default)]
pub(super) struct Slot {
    now: Mutex<Now>,
    /// Held by who starts or stops it.
    pub(super) alone: tokio::sync::Mutex<()>,
}

/// How it is.
#[derive(Default)]
pub(super) struct Now {
    /// Nothing as long as nobody wanted it.
    pub(super) state: Option<Running>,
    pub(super) why: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) current: Option<Current>,
    /// A person allowed it to run outside of any confined place, as long as the server runs.
    pub(super) outside: bool,
}

/// The one that runs.
#[derive(Clone)]
pub(super) struct Current {
    /// Which start of it.
    pub(super) start: u64,
    pub(super) started: Arc<Started>,
    /// What the person had chosen for it then.
    pub(super) way: Way,
}

impl Slot {
    pub(super) fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one that runs, if it can be talked to.
    pub(super) fn current(&self) -> Option<Current> {
        self.now().current.clone()
    }

    pub(super) fn agent(&self) -> Option<Arc<dyn Agent>> {
        self.now().current.as_ref().map(|current| Arc::clone(&current.started.agent))
    }

    /// It is so now; whoever ran before does no more, unless it is still running.
    pub(super) fn set(&self, state: Running, why: Option<String>, hint: Option<String>) {
        let mut now = self.now();
        (now.state, now.why, now.hint) = (Some(state), why, hint);
        if !matches!(state, Running::Running | Running::Unreachable) {
            now.current = None;
        }
    }
}

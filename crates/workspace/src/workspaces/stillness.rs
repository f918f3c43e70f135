//! Programs of agents that stand still while git changes a repository outside of their place.
//!
//! Git's own files are looked at before git meets them. A program that runs between the look and git could put
//! something else there, so none does: not one that runs already, and not one in a place that would be opened
//! meanwhile. Git that only looks holds nobody up.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use openspace_isolation::{Held, NotHeld};
use tokio::{
    sync::{OwnedRwLockReadGuard, RwLock},
    task::AbortHandle,
    time::Instant,
};

use super::{Workspaces, agents_place::OpenForAgents};
use crate::places::Place;

/// How long programs may stand still without anybody being told.
const UNTOLD: Duration = Duration::from_secs(10);
/// What git may take beyond its own time, to end what it started.
const GRACE: Duration = Duration::from_mins(1);

/// While it lives, no program of an agent runs in a workspace.
pub(crate) struct Stillness {
    // Programs go on before another place can be opened.
    _held: Vec<Held>,
    _telling: Option<Telling>,
    _unopened: OwnedRwLockReadGuard<()>,
}

/// Tells that programs stand still when they do so for long, and when they go on then.
struct Telling {
    workspace: String,
    begun: Instant,
    task: AbortHandle,
}

impl Telling {
    fn begin(workspace: &str) -> Self {
        let named = workspace.to_owned();
        let task = tokio::spawn(async move {
            tokio::time::sleep(UNTOLD).await;
            tracing::warn!(workspace = named, "programs of agents stand still until git is done");
        });
        let task = task.abort_handle();
        Self { workspace: workspace.to_owned(), begun: Instant::now(), task }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.task.abort();
        let lasted = self.begun.elapsed();
        if lasted > UNTOLD {
            let seconds = lasted.as_secs();
            tracing::warn!(workspace = self.workspace, seconds, "programs of agents go on");
        }
    }
}

impl Workspaces {
    /// Make agents' programs stand still in a workspace while git works in this place of it, for this long at most;
    /// nothing when it is the agents' own. Says why they do not.
    pub(crate) async fn hold_agents(
        &self,
        place: &Place,
        at_most: Duration,
    ) -> Result<Option<Stillness>, NotHeld> {
        let id = place.id();
        let is_theirs = |open: &OpenForAgents| std::ptr::eq(Arc::as_ptr(&open.place), place);
        if self.lock_for_agents().values().any(is_theirs) {
            return Ok(None);
        }
        let unopened = self.stillness(id).read_owned().await;
        let keepers = self.keepings(id).into_iter().filter_map(|keeping| keeping.keeper());
        let mut held = Vec::new();
        for keeper in keepers {
            match keeper.hold(at_most.saturating_add(GRACE)).await {
                Ok(one) => held.push(one),
                // Whoever was in the place has ended with it.
                Err(NotHeld::Lost(_)) => {}
                Err(moving @ NotHeld::Moving(_)) => return Err(moving),
            }
        }
        let telling = (!held.is_empty()).then(|| Telling::begin(id));
        Ok(Some(Stillness { _held: held, _telling: telling, _unopened: unopened }))
    }

    /// Held by whoever needs agents' programs to stand still; who opens a place for them waits.
    pub(super) fn stillness(&self, id: &str) -> Arc<RwLock<()>> {
        let mut known = self.still.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(id.to_owned()).or_default())
    }
}

//! Watching files of a local host.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::{LocalHost, lock, stopped};
use crate::{
    host::{HostError, Item, Talk},
    watch::Watcher,
};

/// Changed files that may wait to be told.
const CHANNEL: usize = 256;

impl LocalHost {
    pub(super) fn watcher(&self) -> Result<Arc<Watcher>, HostError> {
        lock(&self.watcher)
            .clone()
            .ok_or_else(|| HostError::Unknown { what: "follower".into(), name: "of files".into() })
    }

    /// Tell of changed files until nobody listens.
    pub(super) async fn follow_files(&self, talk: Talk) -> Result<(), HostError> {
        let (sender, mut changes) = mpsc::channel(CHANNEL);
        let watcher = Arc::new(Watcher::new(&self.facts.root, sender)?);
        *lock(&self.watcher) = Some(watcher);
        talk.tell(Item::Following).await;
        loop {
            tokio::select! {
                path = changes.recv() => {
                    let Some(path) = path else { return Ok(()) };
                    if !talk.tell(Item::FileChanged(path)).await {
                        return Ok(());
                    }
                }
                () = stopped(&talk.cancel, &talk) => return Ok(()),
            }
        }
    }
}

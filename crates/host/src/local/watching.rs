//! Watching files of a local host.

use std::sync::{Arc, Mutex, Weak};

use openspace_files::watch::{
    Watcher,
    tree::{Tree, TreeNews},
};
use tokio::sync::mpsc;

use super::{LocalHost, lock, stopped};
use crate::{
    host::{HostError, Item, Talk},
    operation::LookAt,
};

/// Changed files that may wait to be told.
const CHANNEL: usize = 256;

/// A tree is kept by its host until this is dropped, or another takes its place.
struct Followed<'a> {
    kept: &'a Mutex<Option<Arc<Tree>>>,
    tree: Weak<Tree>,
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        let mut kept = lock(self.kept);
        if kept.as_ref().is_some_and(|tree| Arc::as_ptr(tree) == self.tree.as_ptr()) {
            *kept = None;
        }
    }
}

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

    /// Tell of changes anywhere in the tree until nobody listens.
    pub(super) async fn follow_tree(&self, talk: Talk) -> Result<(), HostError> {
        if talk.items.is_none() {
            return Ok(());
        }
        let (tree, follower) = Tree::new();
        let tree = Arc::new(tree);
        let _followed = Followed { kept: &self.tree, tree: Arc::downgrade(&tree) };
        *lock(&self.tree) = Some(tree);
        let (sender, mut news) = mpsc::channel(1);
        let followed = async {
            let pass_on = async {
                while let Some(told) = news.recv().await {
                    let item = match told {
                        TreeNews::Following => Item::Following,
                        TreeNews::Changed { changes, rescan } => {
                            Item::TreeChanged { changes, rescan }
                        }
                    };
                    if !talk.tell(item).await {
                        news.close();
                    }
                }
            };
            let (followed, ()) = tokio::join!(follower.follow(self.files(), sender), pass_on);
            followed
        };
        tokio::select! {
            followed = followed => Ok(followed?),
            () = stopped(&talk.cancel, &talk) => Ok(()),
        }
    }

    pub(super) async fn look_at(&self, LookAt { paths }: LookAt) -> Result<(), HostError> {
        let tree = lock(&self.tree).clone().ok_or_else(|| HostError::Unknown {
            what: "follower".into(),
            name: "of the tree".into(),
        })?;
        tree.look_at(paths).await;
        Ok(())
    }
}

//! Watching files of a local host.

use std::sync::{Arc, Mutex, Weak};

use openspace_files::watch::{Watcher, tree::Tree};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{LocalHost, lock};
use crate::{
    conversation::HostConversation,
    host::HostError,
    operation::{FileNews, FollowFiles, FollowTree, LookAt, WatchFile},
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

    pub(super) async fn watch_file(
        &self,
        WatchFile { path }: WatchFile,
        cancel: &CancellationToken,
    ) -> Result<(), HostError> {
        let watcher = self.watcher()?;
        self.blocking(cancel, move |_, _| watcher.watch(&path)).await
    }

    /// Tell of changed files until nobody listens.
    pub(super) async fn follow_files(
        &self,
        conversation: &HostConversation<FollowFiles>,
    ) -> Result<(), HostError> {
        let (sender, mut changes) = mpsc::channel(CHANNEL);
        let watcher = Arc::new(Watcher::new(&self.facts.root, sender)?);
        *lock(&self.watcher) = Some(watcher);
        conversation.tell(FileNews::Following).await;
        loop {
            tokio::select! {
                path = changes.recv() => {
                    let Some(path) = path else { return Ok(()) };
                    if !conversation.tell(FileNews::Changed(path)).await {
                        return Ok(());
                    }
                }
                () = conversation.stopped() => return Ok(()),
            }
        }
    }

    /// Tell of changes anywhere in the tree until nobody listens.
    pub(super) async fn follow_tree(
        &self,
        conversation: &HostConversation<FollowTree>,
    ) -> Result<(), HostError> {
        if !conversation.is_listened_to() {
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
                    if !conversation.tell(told).await {
                        news.close();
                    }
                }
            };
            let (followed, ()) = tokio::join!(follower.follow(self.files(), sender), pass_on);
            followed
        };
        tokio::select! {
            followed = followed => Ok(followed?),
            () = conversation.stopped() => Ok(()),
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

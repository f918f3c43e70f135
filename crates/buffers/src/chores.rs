//! Work that is due for paths: one task for each path, so that a file whose host does not answer
//! holds up no other. What is due twice before it is begun is done once.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use openspace_protocol::RelPath;
use tokio_util::sync::CancellationToken;

use super::lock;

/// What is due, by path. A path is in the map as long as its task lives.
pub(super) struct Chores<K> {
    due: Mutex<BTreeMap<RelPath, BTreeSet<K>>>,
    stop: CancellationToken,
}

impl<K: Ord + Send + 'static> Chores<K> {
    /// No chore is begun or goes on after `stop`.
    pub(super) fn new(stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self { due: Mutex::default(), stop })
    }

    /// Do something for a path as soon as what was due for it before is done.
    pub(super) fn add<F>(self: &Arc<Self>, path: &RelPath, kind: K, work: F)
    where
        F: Worker<K>,
    {
        let mut due = lock(&self.due);
        if let Some(known) = due.get_mut(path) {
            known.insert(kind);
            return;
        }
        due.insert(path.clone(), BTreeSet::from([kind]));
        drop(due);
        let lane = Lane { chores: Arc::clone(self), path: path.clone(), is_over: false };
        tokio::spawn(self.stop.clone().run_until_cancelled_owned(lane.run(work)));
    }
}

/// How chores are done.
pub(super) trait Worker<K>: Send + 'static {
    /// Do one.
    fn work(&self, path: &RelPath, kind: K) -> impl Future<Output = ()> + Send;
}

struct Lane<K: Ord> {
    chores: Arc<Chores<K>>,
    path: RelPath,
    is_over: bool,
}

impl<K: Ord> Lane<K> {
    async fn run(mut self, work: impl Worker<K>) {
        while let Some(kind) = self.next() {
            work.work(&self.path, kind).await;
        }
    }

    /// What is to be done next; the lane is over when there is nothing.
    fn next(&mut self) -> Option<K> {
        let mut due = lock(&self.chores.due);
        let next = due.get_mut(&self.path).and_then(BTreeSet::pop_first);
        if next.is_none() {
            due.remove(&self.path);
            self.is_over = true;
        }
        next
    }
}

/// A lane that ends in the middle must not keep the path from getting another.
impl<K: Ord> Drop for Lane<K> {
    fn drop(&mut self) {
        if !self.is_over {
            lock(&self.chores.due).remove(&self.path);
        }
    }
}

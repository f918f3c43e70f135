//! Watching a whole tree: what changed is told in batches, soon and not too often.
//!
//! Every folder that git does not ignore has a watch of its own, and so have those that somebody
//! looks at. Nothing is read but names and ignore files. What cannot be told one by one is told as
//! "anything may have changed", and never left out.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use openspace_protocol::{FileChange, RelPath};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::{folders::Folders, notices::Notices};
use super::WatchError;
use crate::{
    files::{FileError, Files},
    search::FileList,
};

mod batch;
mod folders;
mod notices;

#[cfg(test)]
mod tests;

/// How long a burst is gathered.
const GATHER: Duration = Duration::from_millis(10);
/// How often changes are told at most.
const PAUSE: Duration = Duration::from_millis(50);
/// Folders to look at that may wait.
const CHANNEL: usize = 16;

/// What is told of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TreeNews {
    /// From now on changes are told.
    Following,
    /// Something in the tree changed.
    Changed {
        /// What is known of it.
        changes: Vec<FileChange>,
        /// Anything may have changed besides.
        rescan: bool,
    },
}

/// Folders that somebody looks at, and who awaits that they are watched.
type Look = (Vec<RelPath>, oneshot::Sender<()>);

/// What is known of a tree that is followed.
pub struct Tree {
    looks: mpsc::Sender<Look>,
    shared: Arc<Shared>,
    list: Mutex<Option<(u64, Arc<FileList>)>>,
}

/// What the watching has to say to others.
#[derive(Default)]
struct Shared {
    /// Counts whenever a name may have come or gone.
    changes: AtomicU64,
    /// Every folder of the tree is watched.
    complete: AtomicBool,
    /// It was logged that not every folder is.
    limited: AtomicBool,
}

impl Shared {
    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }

    fn incomplete(&self, reason: &str) {
        self.complete.store(false, Ordering::Release);
        if !self.limited.swap(true, Ordering::AcqRel) {
            tracing::warn!(reason, "not every folder is watched, only those that are looked at");
        }
    }
}

/// The side of a tree that does the watching.
pub struct Follower {
    looks: mpsc::Receiver<Look>,
    shared: Arc<Shared>,
    max_folders: usize,
}

impl Tree {
    /// A tree that is not followed yet, and who follows it.
    pub fn new() -> (Self, Follower) {
        Self::with(folders::MAX_FOLDERS)
    }

    fn with(max_folders: usize) -> (Self, Follower) {
        let (sender, looks) = mpsc::channel(CHANNEL);
        let shared = Arc::<Shared>::default();
        let tree = Self { looks: sender, shared: Arc::clone(&shared), list: Mutex::default() };
        (tree, Follower { looks, shared, max_folders })
    }

    /// Watch these folders too; returns when they are watched, or nothing is any more.
    pub async fn look_at(&self, paths: Vec<RelPath>) {
        let (done, watched) = oneshot::channel();
        if self.looks.send((paths, done)).await.is_ok() {
            // A follower that ends meanwhile watches nothing, whatever was asked.
            drop(watched.await);
        }
    }

    /// The files of the tree, as they were listed last, or listed now.
    pub fn list(
        &self,
        list: impl FnOnce() -> Result<FileList, FileError>,
    ) -> Result<Arc<FileList>, FileError> {
        // Asked first: what changes while the files are listed makes the list old.
        let changes = self.shared.changes.load(Ordering::Acquire);
        let known = self.list.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((then, list)) = known
            && then == changes
            && self.shared.complete.load(Ordering::Acquire)
        {
            return Ok(list);
        }
        let listed = Arc::new(list()?);
        let kept = self.shared.complete.load(Ordering::Acquire);
        let kept = kept.then(|| (changes, Arc::clone(&listed)));
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(listed)
    }
}

impl Follower {
    /// Tell of changes until nobody listens.
    pub async fn follow(
        mut self,
        files: Arc<Files>,
        told: mpsc::Sender<TreeNews>,
    ) -> Result<(), WatchError> {
        let failed = |error| WatchError::from(notify::Error::io(error));
        let notices = Notices::open().map_err(failed)?;
        let ready = notices.readiness().map_err(failed)?;
        let stop = CancellationToken::new();
        let _stop = stop.clone().drop_guard();
        let shared = Arc::clone(&self.shared);
        let folders = Folders::new(files, notices, self.max_folders, shared, stop);
        let mut folders = blocking(folders.map_err(failed)?, |folders| {
            folders.start();
            Ok(())
        })
        .await
        .map_err(failed)?;
        let limited = self.shared.limited.load(Ordering::Acquire);
        self.shared.complete.store(!limited, Ordering::Release);
        if told.send(TreeNews::Following).await.is_err() {
            return Ok(());
        }
        let mut next = Instant::now();
        loop {
            tokio::select! {
                readable = ready.readable() => {
                    // Cleared first: what comes while the rest is taken makes it ready again.
                    readable.map_err(failed)?.clear_ready();
                    sleep(GATHER).await;
                    folders = blocking(folders, |folders| {
                        while folders.hear()? {}
                        Ok(())
                    })
                    .await
                    .map_err(failed)?;
                }
                () = sleep_until(next), if !folders.batch.is_empty() => {
                    let Some((changes, rescan)) = folders.batch.take() else { continue };
                    if told.send(TreeNews::Changed { changes, rescan }).await.is_err() {
                        return Ok(());
                    }
                    next = Instant::now() + PAUSE;
                }
                look = self.looks.recv() => {
                    // Another follower took this one's place.
                    let Some((paths, done)) = look else { return Ok(()) };
                    folders = blocking(folders, |folders| {
                        folders.look_at(paths);
                        Ok(())
                    })
                    .await
                    .map_err(failed)?;
                    // Whoever asked may have gone.
                    done.send(()).ok();
                }
            }
        }
    }
}

/// Work with the disk, on a thread that may wait for it.
async fn blocking(
    mut folders: Folders,
    work: impl FnOnce(&mut Folders) -> io::Result<()> + Send + 'static,
) -> io::Result<Folders> {
    let done = tokio::task::spawn_blocking(move || work(&mut folders).map(|()| folders)).await;
    done.map_err(io::Error::other)?
}

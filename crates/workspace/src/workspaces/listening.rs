//! Listening to the keeper of an agents' place: what it tells is remembered beside the workspace, to its last word, so
//! that the next place knows it, however this one ended.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use openspace_isolation::{Following, Heard, IsolationError, Keeper};
use openspace_protocol::keeping::{News, Opened};
use openspace_space::Space;
use tokio::task::JoinHandle;

use super::{
    among_packages::AmongPackages,
    repository,
    seen_secrets::{self, Seen},
};

/// Secrets of which it is remembered that they may have been read.
const MOST_EXPOSED: usize = 100;
/// How long a keeper is waited for that has to leave.
const PATIENCE: Duration = Duration::from_secs(25);

/// Secrets that a program of an agent may have read in the moment before they were hidden.
pub(super) type Exposed = Arc<Mutex<VecDeque<String>>>;

/// The keeper of a workspace's agents' place, and the one that listens to it. Each is made anew with the place.
#[derive(Clone, Default)]
pub(super) struct Keeping {
    /// It ends with the place.
    keeper: Arc<Mutex<Weak<Keeper>>>,
    listening: Arc<tokio::sync::Mutex<Option<JoinHandle<()>>>>,
}

impl Keeping {
    /// The keeper, while its place is there.
    pub(super) fn keeper(&self) -> Option<Arc<Keeper>> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// The keeper, once it has taken in all that happened.
    async fn drained(&self) -> Option<Arc<Keeper>> {
        let keeper = self.keeper()?;
        keeper.drain().await.is_ok().then_some(keeper)
    }

    /// The keeper of the place that is open, once it has taken in all that happened. When there is none, all that
    /// the last one told is remembered.
    pub(super) async fn settled(&self) -> Result<Option<Arc<Keeper>>, IsolationError> {
        if let Some(keeper) = self.drained().await {
            return Ok(Some(keeper));
        }
        let mut listening = self.listening.lock().await;
        // Another place may have been opened meanwhile.
        if let Some(keeper) = self.drained().await {
            return Ok(Some(keeper));
        }
        self.end_with(&mut listening).await.map(|()| None)
    }

    /// Ends the keeper, if there is one, and with it the place, and waits until all that it told is remembered.
    pub(super) async fn end(&self) -> Result<(), IsolationError> {
        self.end_with(&mut *self.listening.lock().await).await
    }

    async fn end_with(&self, listening: &mut Option<JoinHandle<()>>) -> Result<(), IsolationError> {
        if let Some(keeper) = self.keeper() {
            keeper.end();
        }
        let Some(task) = listening else { return Ok(()) };
        // A task that was aborted with the server hears nothing either.
        if tokio::time::timeout(PATIENCE, task).await.is_err() {
            let reason = "the last one of this workspace does not end".to_owned();
            return Err(IsolationError::KeeperFailed { reason });
        }
        *listening = None;
        Ok(())
    }

    /// From now on this is the keeper, and somebody listens to it. The last one must have ended.
    pub(super) async fn begin(&self, keeper: &Arc<Keeper>, listener: Listener) {
        *self.listening.lock().await = Some(tokio::spawn(listener.listen(keeper.follow())));
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(keeper);
    }
}

/// Remembers what a keeper tells of one workspace.
pub(super) struct Listener {
    pub(super) workspace: String,
    pub(super) root: PathBuf,
    /// The workspace's private folder.
    pub(super) private: PathBuf,
    pub(super) exposed: Exposed,
    pub(super) among_packages: AmongPackages,
    pub(super) space: Option<Arc<Space>>,
}

impl Listener {
    /// Listens until the keeper has left.
    pub(super) async fn listen(self, mut following: Following) {
        while let Some(heard) = following.next().await {
            match heard {
                Heard::News(news) => self.hear(news),
                Heard::Missed(kept) => {
                    tracing::warn!(
                        workspace = self.workspace,
                        "news about secrets were missed: which ones were opened is not known"
                    );
                    kept.secrets.iter().for_each(|path| self.hid(path));
                    kept.repositories.iter().for_each(|path| self.made(path));
                }
            }
        }
    }

    fn hear(&self, news: News) {
        let workspace = &self.workspace;
        match news {
            News::Hidden { path, opened } => {
                self.hid(&path);
                if opened == Opened::Seen {
                    self.exposed(path);
                }
            }
            News::Repository { path } => self.made(&path),
            News::Unprotected { path, reason } => {
                tracing::warn!(
                    workspace,
                    path,
                    reason,
                    "agents can change what should be protected"
                );
            }
            News::Shown { path, reason } => {
                tracing::warn!(workspace, path, reason, "agents can read what holds a credential");
            }
            News::Unwatched { folders, reason } => {
                tracing::warn!(workspace, folders, reason, "folders are not watched for secrets");
            }
            News::Removed { .. } => {}
        }
    }

    /// A secret is hidden there.
    fn hid(&self, path: &str) {
        if let Err(error) = self.among_packages.hid(path) {
            let workspace = &self.workspace;
            tracing::error!(workspace, path, %error, "where a secret was moved cannot be remembered");
        }
    }

    /// A repository appeared.
    fn made(&self, path: &str) {
        if !path.eq_ignore_ascii_case(repository::GIT) {
            return;
        }
        if let Err(error) = repository::note_appeared(&self.root, &self.private) {
            let workspace = &self.workspace;
            tracing::error!(workspace, %error, "that a repository appeared cannot be remembered");
        }
    }

    fn exposed(&self, path: String) {
        tracing::warn!(
            workspace = self.workspace,
            path,
            "a secret was opened while it was being replaced: a program of an agent may have read it"
        );
        if let Some(space) = &self.space {
            seen_secrets::tell(space, Seen::Opened, std::slice::from_ref(&path));
        }
        let mut exposed = self.exposed.lock().unwrap_or_else(PoisonError::into_inner);
        if !exposed.contains(&path) {
            exposed.push_back(path);
        }
        while exposed.len() > MOST_EXPOSED {
            exposed.pop_front();
        }
    }
}

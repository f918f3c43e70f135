//! Follows the tree of the main place: tells views what changed on disk, marks the tabs of files that are
//! gone, and tells whoever else has to know.
//!
//! While no view is attached nothing is told to views and no tab is marked, and that is not made up for: a
//! view that comes is told to look again. Whether a tab is missing is asked of the place, never guessed.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use openspace_files::{FileError, watch::tree::TreeNews};
use openspace_host::{
    BoxFuture, Conversation, HostError,
    operation::{FollowTree, LookAt, StatPath},
};
use openspace_layout::TabKind;
use openspace_protocol::{Event, FileChange, RelPath};
use openspace_space::{Listener, Space};
use tokio::sync::{Notify, broadcast, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    areas::{layout::LayoutPart, view::ViewsPart},
    places::Place,
    refusal::layout_refused,
    services::{Base, Service},
};

/// Batches of changes that may wait to be told.
const CHANNEL: usize = 16;
/// Folders that views look at; the newest count.
const MAX_LOOKED_AT: usize = 1_000;
/// How soon a follower that failed is started again.
const AGAIN: Duration = Duration::from_secs(1);
/// Changes that one who listens may be behind; who is further behind has to look at everything.
const BEHIND: usize = 64;

/// What changed in the tree.
#[derive(Clone, Debug)]
pub struct TreeChange {
    /// What is known of it.
    pub changes: Arc<[FileChange]>,
    /// Anything may have changed besides.
    pub rescan: bool,
}

/// Follows a tree.
pub struct TreeFollower {
    inner: Arc<Inner>,
    stop: CancellationToken,
    _stop_at_last: DropGuard,
}

struct Inner {
    place: Arc<Place>,
    space: Weak<Space>,
    /// Whether the host tells of changes now.
    following: AtomicBool,
    /// Folders that views or tabs show, the newest last.
    looked_at: Mutex<VecDeque<RelPath>>,
    /// There is something to look at that the host was not told of.
    look: Notify,
    news: broadcast::Sender<TreeChange>,
}

impl Service for TreeFollower {
    fn start(base: &Base) -> Self {
        let inner = Arc::new(Inner {
            place: Arc::clone(&base.place),
            space: Arc::downgrade(&base.space),
            following: AtomicBool::new(false),
            looked_at: Mutex::default(),
            look: Notify::new(),
            news: broadcast::Sender::new(BEHIND),
        });
        let stop = CancellationToken::new();
        tokio::spawn(stop.clone().run_until_cancelled_owned(keep_following(Arc::clone(&inner))));
        Self { inner, stop: stop.clone(), _stop_at_last: stop.drop_guard() }
    }

    /// A host that is left must not be opened again for it.
    fn stop(&self) -> BoxFuture<'_, ()> {
        self.stop.cancel();
        Box::pin(async {})
    }
}

impl TreeFollower {
    /// What changes from now on, whoever looks. It begins with a `rescan` once the tree is followed.
    pub fn news(&self) -> broadcast::Receiver<TreeChange> {
        self.inner.news.subscribe()
    }

    /// A view lists this folder: from now on it is told of changes there, although git may ignore
    /// it. To be asked before the folder is listed, so that no change falls between. Returns when that
    /// is so, or will be as soon as the tree is followed.
    pub async fn look_at(&self, path: &RelPath) {
        self.inner.remember([path.clone()]);
        if self.inner.following.load(Ordering::Acquire) {
            self.inner.ask_to_look(vec![path.clone()]).await;
        }
    }
}

/// Follow, whatever becomes of the place's host.
async fn keep_following(inner: Arc<Inner>) {
    while let Some(audience) = Audience::of(&inner.space) {
        let followed = inner.follow(audience).await;
        inner.following.store(false, Ordering::Release);
        if let Err(error) = followed {
            tracing::warn!(%error, "the tree is not followed for the moment");
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// The views that are attached.
struct Audience {
    space: Weak<Space>,
    views: BTreeSet<String>,
    listener: Listener,
}

impl Audience {
    /// Those who look now; `None` when the space is gone.
    fn of(space: &Weak<Space>) -> Option<Self> {
        let (state, listener) = space.upgrade()?.state_and_listener();
        let views = state.part::<ViewsPart>().keys().map(ToString::to_string).collect();
        Some(Self { space: Weak::clone(space), views, listener })
    }

    fn is_there(&self) -> bool {
        !self.views.is_empty()
    }

    /// Wait until somebody looks where nobody did; `None` when the space is gone.
    async fn comes(&mut self) -> Option<()> {
        loop {
            let Some(event) = self.listener.next().await else {
                // Too far behind to know who came.
                *self = Self::of(&self.space)?;
                if self.is_there() {
                    return Some(());
                }
                continue;
            };
            // Each change counts, also one that was taken back at once: the view that came then has to be
            // told to look again.
            if let Some(patch) = event.patch::<ViewsPart>() {
                let was_there = self.is_there();
                self.views.retain(|view| !patch.removed.contains(view));
                let stayed = was_there && self.is_there();
                self.views.extend(patch.put.into_keys());
                if !stayed && self.is_there() {
                    return Some(());
                }
            }
        }
    }
}

impl Inner {
    async fn follow(&self, mut audience: Audience) -> Result<(), HostError> {
        let (items, mut told) = mpsc::channel(CHANNEL);
        let conversation =
            Conversation::<FollowTree> { items: Some(items), ..Conversation::default() };
        let listen = async {
            loop {
                let (changes, rescan) = tokio::select! {
                    news = told.recv() => match news {
                        None => return,
                        Some(TreeNews::Following) => {
                            self.following.store(true, Ordering::Release);
                            self.look.notify_one();
                            (Vec::new(), true)
                        }
                        Some(TreeNews::Changed { changes, rescan }) => (changes, rescan),
                    },
                    came = audience.comes() => {
                        // Who comes before the tree is followed is told when it is.
                        if came.is_some() && self.following.load(Ordering::Acquire) {
                            self.tell(Vec::new(), true).await;
                        }
                        continue;
                    }
                };
                // Nobody may listen.
                self.news.send(TreeChange { changes: changes.as_slice().into(), rescan }).ok();
                if audience.is_there() {
                    self.tell(changes, rescan).await;
                }
            }
        };
        let followed =
            async { tokio::join!(self.place.ask_with(FollowTree {}, conversation), listen).0 };
        tokio::select! {
            followed = followed => followed,
            // Apart from the listening: the host may wait for that before it looks anywhere.
            () = self.keep_looking() => Ok(()),
        }
    }

    /// Tell the host where views and tabs look, again and again.
    async fn keep_looking(&self) {
        let layout_changes = async {
            while let Some(space) = self.space.upgrade() {
                let mut listener = space.events().listen();
                drop(space);
                self.look.notify_one();
                while let Some(event) = listener.next().await {
                    if event.changed::<LayoutPart>() {
                        self.look.notify_one();
                    }
                }
            }
        };
        let looking = async {
            let mut is_first = true;
            loop {
                self.look.notified().await;
                if !self.following.load(Ordering::Acquire) {
                    continue;
                }
                let new = self.remember(self.folders_of_tabs());
                let paths = if is_first { self.looked_at().iter().cloned().collect() } else { new };
                is_first = false;
                if !paths.is_empty() {
                    self.ask_to_look(paths).await;
                }
            }
        };
        tokio::select! {
            () = layout_changes => {}
            () = looking => {}
        }
    }

    fn folders_of_tabs(&self) -> Vec<RelPath> {
        let Some(space) = self.space.upgrade() else { return Vec::new() };
        let state = space.state();
        let layout = state.part::<LayoutPart>();
        let editors = layout.tabs().filter(|(_, tab)| tab.kind == TabKind::Editor);
        let paths = editors.filter_map(|(_, tab)| RelPath::parse(&tab.content_id).ok());
        paths.filter_map(|path| path.parent()).collect()
    }

    /// Remember folders as the newest; gives back those that were not known.
    fn remember(&self, paths: impl IntoIterator<Item = RelPath>) -> Vec<RelPath> {
        let mut looked_at = self.looked_at();
        let mut new = Vec::new();
        for path in paths {
            if let Some(at) = looked_at.iter().position(|known| *known == path) {
                looked_at.remove(at);
            } else {
                new.push(path.clone());
            }
            looked_at.push_back(path);
            if looked_at.len() > MAX_LOOKED_AT {
                looked_at.pop_front();
            }
        }
        new
    }

    fn looked_at(&self) -> MutexGuard<'_, VecDeque<RelPath>> {
        self.looked_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask_to_look(&self, paths: Vec<RelPath>) {
        // A host that follows no more is asked again with all of them when it does.
        if let Err(error) = self.place.ask(LookAt { paths }).await {
            tracing::debug!(%error, "folders are not looked at for the moment");
        }
    }

    async fn tell(&self, changes: Vec<FileChange>, rescan: bool) {
        let Some(space) = self.space.upgrade() else { return };
        space.tell(Event::FilesChanged { changes: changes.clone(), rescan });
        self.mark_tabs(&space, &changes, rescan).await;
    }

    /// Find out which of the tabs that the changes may concern have lost or found their file.
    async fn mark_tabs(&self, space: &Space, changes: &[FileChange], rescan: bool) {
        let state = space.state();
        let layout = state.part::<LayoutPart>();
        let mut marks = BTreeMap::new();
        for (_, tab) in layout.tabs().filter(|(_, tab)| tab.kind == TabKind::Editor) {
            let Ok(path) = RelPath::parse(&tab.content_id) else { continue };
            let concerned = |change: &FileChange| path.as_path().starts_with(change.path.as_path());
            if path.is_untitled() || (!rescan && !changes.iter().any(concerned)) {
                continue;
            }
            let missing = match self.place.ask(StatPath { path }).await {
                Ok(_) => false,
                Err(HostError::File(FileError::NotFound { .. })) => true,
                Err(error) => {
                    tracing::debug!(%error, "whether a file is there is not known");
                    continue;
                }
            };
            if missing != tab.missing {
                marks.insert(tab.content_id.clone(), missing);
            }
        }
        if marks.is_empty() {
            return;
        }
        let marked = space.change_now(|state| {
            let layout = state.part_mut::<LayoutPart>();
            for (path, missing) in marks {
                // A tab that was closed meanwhile needs no mark.
                if layout.find_tab(TabKind::Editor, &path).is_some() {
                    layout.mark_missing(TabKind::Editor, &path, missing).map_err(layout_refused)?;
                }
            }
            Ok(())
        });
        if let Err(error) = marked {
            tracing::error!(%error, "tabs of missing files could not be marked");
        }
    }
}

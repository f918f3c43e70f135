//! Follows what people type and what changes on disk, so that language servers know it before they are asked.

use std::{collections::BTreeSet, time::Duration};

use openspace_command::WeakDispatcher;
use openspace_languages::FileChange;
use openspace_protocol::{ChangeKind, RelPath};
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Instant, MissedTickBehavior, interval, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    CodePages,
    servers::{CodeServers, LanguageOptions},
};
use crate::{
    Dispatcher, OpenSpace,
    tree::{TreeChange, TreeFollower},
};

/// How long changes are gathered: who types changes a text many times in a moment.
const GATHERED_FOR: Duration = Duration::from_millis(50);
/// Files that are gathered; of more, all open ones are looked at.
const MOST_GATHERED: usize = 500;

/// What changed and was not told yet.
#[derive(Default)]
struct Gathered {
    paths: BTreeSet<RelPath>,
    all: bool,
    due: Option<Instant>,
}

impl Gathered {
    fn note(&mut self, paths: impl IntoIterator<Item = RelPath>, all: bool) {
        self.paths.extend(paths);
        self.all |= all || self.paths.len() > MOST_GATHERED;
        if self.all {
            self.paths.clear();
        }
        self.due.get_or_insert_with(|| Instant::now() + GATHERED_FOR);
    }
}

/// Follow as long as the server runs.
pub(super) fn follow(
    dispatcher: &Dispatcher,
    stop: CancellationToken,
    options: LanguageOptions,
) -> impl Future<Output = ()> + Send + use<> {
    let mut tree = dispatcher.state().service::<TreeFollower>().news();
    let mut texts = dispatcher.state().buffers().changes();
    let dispatcher = dispatcher.downgrade();
    async move {
        let mut gathered = Gathered::default();
        let mut ticks = interval(options.look_every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let due = gathered.due;
            let is_due = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                news = tree.recv() => match news {
                    Ok(news) => {
                        let Some(servers) = servers(&dispatcher) else { return };
                        tell_tree(&servers, &news);
                        let paths = news.changes.iter().map(|change| change.path.clone());
                        gathered.note(paths, news.rescan);
                    }
                    Err(RecvError::Lagged(_)) => gathered.note([], true),
                    Err(RecvError::Closed) => return,
                },
                text = texts.recv() => match text {
                    Ok(path) => gathered.note([path], false),
                    Err(RecvError::Lagged(_)) => gathered.note([], true),
                    Err(RecvError::Closed) => return,
                },
                () = is_due => {
                    let Some(dispatcher) = dispatcher.upgrade() else { return };
                    tell(dispatcher.state(), std::mem::take(&mut gathered)).await;
                }
                _ = ticks.tick() => {
                    let Some(dispatcher) = dispatcher.upgrade() else { return };
                    let shown = dispatcher.state().service::<CodePages>().shown();
                    let servers = dispatcher.state().service::<CodeServers>();
                    servers.tidy(&options, &shown).await;
                }
            }
        }
    }
}

fn servers(dispatcher: &WeakDispatcher<OpenSpace>) -> Option<std::sync::Arc<CodeServers>> {
    Some(dispatcher.upgrade()?.state().service::<CodeServers>())
}

/// Servers say themselves which files they want to hear of.
fn tell_tree(servers: &CodeServers, news: &TreeChange) {
    for running in servers.alive() {
        for change in &*news.changes {
            let what = match change.change {
                ChangeKind::Created => FileChange::Created,
                ChangeKind::Changed => FileChange::Changed,
                ChangeKind::Deleted => FileChange::Deleted,
            };
            running.server.file_changed(running.uri(&change.path), what);
        }
        if news.rescan {
            running.server.all_files_changed();
        }
        running.changed.notify_one();
    }
}

async fn tell(state: &OpenSpace, gathered: Gathered) {
    let servers = state.service::<CodeServers>();
    for running in servers.alive() {
        if gathered.all {
            if let Err(error) = running.tell_texts(state, &servers, &[]).await {
                tracing::debug!(%error, "a language server is not told of all texts");
            }
            continue;
        }
        for path in &gathered.paths {
            running.follow(state, &servers, path).await;
        }
    }
}

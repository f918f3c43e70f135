//! The pages that hear of languages: what they show, and how all language servers are.
//!
//! Files that a page shows have their servers started, if those may run, and stay open there. How servers are is told
//! whole each time something changed, gathered for a moment. What is wrong with texts does not come through here but
//! through the space's problems.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_command::WeakDispatcher;
use openspace_host::BoxFuture;
use openspace_protocol::RelPath;
use tokio::{
    sync::{Notify, broadcast::error::RecvError},
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    addresses::Named, page_list, page_queue::Outbox, pages::ToLanguagePage, server_news,
    servers::CodeServers,
};
use crate::{
    Dispatcher, OpenSpace,
    services::{Base, Service},
};

/// Pages that may listen at once; the oldest is let go for another.
const MOST_PAGES: usize = 64;
/// How long changes of servers are gathered.
const GATHERED_FOR: Duration = Duration::from_millis(100);

/// The pages that hear of languages.
pub struct CodePages {
    /// Files elsewhere that servers named.
    pub(super) named: Named,
    attached: Mutex<BTreeMap<u64, Attached>>,
    /// Files that came to be shown, whose servers are to be started.
    begun: Mutex<BTreeSet<RelPath>>,
    begins: Notify,
    /// Something of the list changed.
    changed: Notify,
    stop: CancellationToken,
    tasks: TaskTracker,
}

struct Attached {
    outbox: Arc<Outbox>,
    shown: BTreeSet<RelPath>,
    /// How servers are, as it was told last.
    told: Arc<str>,
}

impl Service for CodePages {
    fn start(_base: &Base) -> Self {
        Self {
            named: Named::default(),
            attached: Mutex::default(),
            begun: Mutex::default(),
            begins: Notify::new(),
            changed: Notify::new(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.stop.cancel();
            self.tasks.close();
            self.tasks.wait().await;
        })
    }
}

/// Begin to tell pages. `look_every` is how often it is looked for servers that somebody installed.
pub(super) fn begin(dispatcher: &Dispatcher, look_every: Duration) {
    let pages = dispatcher.state().service::<CodePages>();
    let weak = dispatcher.downgrade();
    let stop = pages.stop.clone();
    let spawn = |work: BoxFuture<'static, ()>| {
        pages.tasks.spawn(stop.clone().run_until_cancelled_owned(work));
    };
    spawn(Box::pin(keep_open(Arc::clone(&pages), weak.clone(), look_every)));
    spawn(Box::pin(tell(Arc::clone(&pages), weak)));
    let mut news = dispatcher.state().service::<CodeServers>().news();
    let hearing = Arc::clone(&pages);
    spawn(Box::pin(async move {
        let mut heard = JoinSet::new();
        loop {
            tokio::select! {
                running = news.recv() => match running {
                    Ok(running) => {
                        heard.spawn(server_news::hear(Arc::clone(&hearing), &running));
                        hearing.changed();
                    }
                    // Servers are few: who is behind by that many is not there any more.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                Some(_) = heard.join_next() => {}
            }
        }
    }));
}

impl CodePages {
    fn attached(&self) -> MutexGuard<'_, BTreeMap<u64, Attached>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Let a page hear of languages.
    pub(super) async fn attach(&self, state: &OpenSpace, outbox: &Arc<Outbox>) {
        let told = text(&page_list::list(state, self).await);
        let mut attached = self.attached();
        if attached.len() >= MOST_PAGES
            && let Some((_, oldest)) = attached.pop_first()
        {
            oldest.outbox.let_go();
        }
        outbox.send_text(Arc::clone(&told));
        outbox.send_text(text(&page_list::kinds(&state.service::<CodeServers>())));
        let page = Attached { outbox: Arc::clone(outbox), shown: BTreeSet::new(), told };
        attached.insert(outbox.id(), page);
        drop(attached);
        // It may have changed while the page was not there yet.
        self.changed();
    }

    pub(super) fn detach(&self, outbox: &Outbox) {
        let left = self.attached().remove(&outbox.id());
        if left.is_some_and(|page| !page.shown.is_empty()) {
            self.changed();
        }
    }

    /// A page shows these files, and no others.
    pub(super) fn show(&self, outbox: &Outbox, paths: BTreeSet<RelPath>) {
        let begun: Vec<RelPath> = {
            let mut attached = self.attached();
            let Some(page) = attached.get_mut(&outbox.id()) else { return };
            let begun = paths.difference(&page.shown).cloned().collect();
            page.shown = paths;
            begun
        };
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).extend(begun);
        self.begins.notify_one();
        self.changed();
    }

    /// Servers may be used by now that could not be before: start those of all files that are shown.
    pub fn look_again(&self) {
        let shown = self.shown();
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).extend(shown);
        self.begins.notify_one();
    }

    /// Files that some page shows.
    pub(super) fn shown(&self) -> BTreeSet<RelPath> {
        self.attached().values().flat_map(|page| page.shown.iter().cloned()).collect()
    }

    /// Something about a server changed: all pages are told soon.
    pub(super) fn changed(&self) {
        self.changed.notify_one();
    }

    /// Tell all pages.
    pub(super) fn tell(&self, message: &ToLanguagePage) {
        let text = text(message);
        for page in self.attached().values() {
            page.outbox.send_text(Arc::clone(&text));
        }
    }
}

/// Start the servers of files that come to be shown, and have them know those files; now and then also servers that were
/// not there before.
async fn keep_open(
    pages: Arc<CodePages>,
    dispatcher: WeakDispatcher<OpenSpace>,
    look_every: Duration,
) {
    let mut ticks = interval(look_every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut opening = JoinSet::new();
    loop {
        let (paths, again) = tokio::select! {
            Some(_) = opening.join_next() => {
                pages.changed();
                continue;
            }
            () = pages.begins.notified() => {
                let mut begun = pages.begun.lock().unwrap_or_else(PoisonError::into_inner);
                (std::mem::take(&mut *begun), true)
            }
            // What is still being opened would only be opened once more.
            _ = ticks.tick(), if opening.is_empty() => (pages.shown(), false),
        };
        let Some(dispatcher) = dispatcher.upgrade() else { return };
        // One whose server takes its time holds up no other.
        for path in paths {
            opening.spawn(open(Arc::clone(dispatcher.state()), path, again));
        }
        if !pages.attached().is_empty() {
            pages.changed();
        }
    }
}

/// Have the servers of a file know it. Why one does not is in the list of what is missing.
async fn open(state: Arc<OpenSpace>, path: RelPath, again: bool) {
    let servers = state.service::<CodeServers>();
    let Ok(all) = servers.of_shown(&state, &path, again).await else { return };
    for running in all {
        if let Err(error) = running.keep_open(&state, &servers, &path).await {
            tracing::debug!(%path, %error, "a language server is not told of a file");
        }
    }
}

/// Tell all pages how servers are, whenever that changed.
async fn tell(pages: Arc<CodePages>, dispatcher: WeakDispatcher<OpenSpace>) {
    loop {
        pages.changed.notified().await;
        sleep(GATHERED_FOR).await;
        if pages.attached().is_empty() {
            continue;
        }
        let Some(dispatcher) = dispatcher.upgrade() else { return };
        let text = text(&page_list::list(dispatcher.state(), &pages).await);
        for page in pages.attached().values_mut() {
            if page.told != text {
                page.told = Arc::clone(&text);
                page.outbox.send_text(Arc::clone(&text));
            }
        }
    }
}

/// A message as it is sent.
fn text(message: &ToLanguagePage) -> Arc<str> {
    let text = serde_json::to_string(message).unwrap_or_else(|error| {
        tracing::error!(%error, "pages cannot be told of languages");
        r#"{"type":"error","error":"this cannot be told","kind":"internal","hint":null}"#.to_owned()
    });
    text.into()
}

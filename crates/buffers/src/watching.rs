//! Which files the host watches, for whom, and whatever becomes of the host.
//!
//! A file is watched as long as somebody wants it, once for all who do. A new host watches nothing
//! yet and is told file by file. What a change means is not known here.

use std::{sync::Arc, time::Duration};

use openspace_host::{
    Conversation, Host, HostError,
    operation::{FileNews, FollowFiles, UnwatchFile, WatchFile},
};
use openspace_protocol::RelPath;
use tokio::sync::{mpsc, watch};

use super::paths::{Known, PathGuard, Paths};

/// Changed files that may wait to be told.
const CHANNEL: usize = 256;
/// How soon the host is asked again to tell of changes when it ended that.
const AGAIN: Duration = Duration::from_secs(1);

/// What a file is watched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It has highlights.
    Highlights,
    /// It has unsaved text.
    Unsaved,
}

/// What is heard of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// It changed.
    Changed,
    /// The host is a new one: the watch has to be renewed, and nobody told what changed meanwhile.
    NewHost,
}

#[derive(Default)]
struct Watch {
    highlights: bool,
    unsaved: bool,
    /// The stream of news in which the host was told to watch the file.
    told_in: Option<u64>,
}

impl Watch {
    fn purpose(&mut self, purpose: Purpose) -> &mut bool {
        match purpose {
            Purpose::Highlights => &mut self.highlights,
            Purpose::Unsaved => &mut self.unsaved,
        }
    }
}

impl Known for Watch {
    fn is_nothing(&self) -> bool {
        !self.highlights && !self.unsaved
    }
}

/// The watched files.
pub(super) struct Watching {
    host: Arc<dyn Host>,
    files: Arc<Paths<Watch>>,
    /// The number of the stream of news; none while the host tells nothing.
    stream: watch::Sender<Option<u64>>,
}

impl Watching {
    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self { host, files: Arc::default(), stream: watch::Sender::new(None) }
    }

    /// Hear of changes, again and again, until this future is dropped.
    pub(super) async fn follow(&self, tell: impl Fn(&RelPath, News)) {
        for number in 1.. {
            if let Err(error) = self.follow_once(number, &tell).await {
                tracing::warn!(%error, "files are not followed for the moment");
            }
            self.stream.send_replace(None);
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn follow_once(
        &self,
        number: u64,
        tell: impl Fn(&RelPath, News),
    ) -> Result<(), HostError> {
        let (items, mut told) = mpsc::channel(CHANNEL);
        let conversation =
            Conversation::<FollowFiles> { items: Some(items), ..Conversation::default() };
        let listen = async {
            while let Some(news) = told.recv().await {
                match news {
                    FileNews::Following => {
                        self.stream.send_replace(Some(number));
                        // Whoever wants a file after this renews the watch in this stream.
                        for path in self.files.paths() {
                            tell(&path, News::NewHost);
                        }
                    }
                    FileNews::Changed(path) => tell(&path, News::Changed),
                }
            }
        };
        let (followed, ()) = tokio::join!(self.host.ask_with(FollowFiles {}, conversation), listen);
        followed
    }

    /// Wait until the host tells of changes; false when it did not within `patience`.
    pub(super) async fn is_followed(&self, patience: Duration) -> bool {
        let mut stream = self.stream.subscribe();
        let followed = tokio::time::timeout(patience, stream.wait_for(Option::is_some)).await;
        matches!(followed, Ok(Ok(_)))
    }

    /// A file is to be watched; true when it was not for this purpose. To be followed by `renew`.
    pub(super) async fn want(&self, path: &RelPath, purpose: Purpose) -> bool {
        let watch = self.files.guard(path).await;
        let was_wanted = std::mem::replace(watch.known().purpose(purpose), true);
        !was_wanted
    }

    /// Have the host watch a file that is wanted, unless it does. While the host tells nothing this
    /// waits for the next stream of news.
    pub(super) async fn renew(&self, path: &RelPath) -> Result<(), HostError> {
        if path.is_untitled() {
            return Ok(());
        }
        let watch = self.files.guard(path).await;
        let stream = *self.stream.borrow();
        if stream.is_none() || watch.known().is_nothing() || watch.known().told_in == stream {
            return Ok(());
        }
        self.host.ask(WatchFile { path: path.clone() }).await?;
        watch.known().told_in = stream;
        Ok(())
    }

    /// A file need not be watched for a purpose any more.
    pub(super) async fn leave(&self, path: &RelPath, purpose: Purpose) -> Result<(), HostError> {
        let watch = self.files.guard(path).await;
        *watch.known().purpose(purpose) = false;
        if watch.known().is_nothing() { self.unwatch(&watch).await } else { Ok(()) }
    }

    async fn unwatch(&self, watch: &PathGuard<Watch>) -> Result<(), HostError> {
        let told_in = watch.known().told_in.take();
        // A host that is not there any more watches nothing.
        if told_in.is_none() || told_in != *self.stream.borrow() {
            return Ok(());
        }
        self.host.ask(UnwatchFile { path: watch.path().clone() }).await.map(drop)
    }
}

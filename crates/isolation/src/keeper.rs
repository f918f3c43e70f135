//! The keeper of a walled place: the process that hides secrets in it, as the server sees it.
//!
//! A place whose keeper is gone is ended: nothing would hide what becomes secret.

use std::collections::{BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openspace_protocol::keeping::{Ask, LONGEST_LINE, News, Said};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};

use crate::{IsolationError, RunnerProcess};

/// How long a keeper may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take to leave, which it does when nobody is in the place any more.
const GRACE: Duration = Duration::from_secs(10);
/// News that wait for whoever is slow to take them.
const WAITING_NEWS: usize = 1024;
/// The most of a kind that is remembered.
const REMEMBERED: usize = 10_000;

/// What a keeper has told so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Secrets that are hidden, relative to the workspace.
    pub secrets: BTreeSet<String>,
    /// What must not be changed inside and can be, with the reason.
    pub unprotected: Vec<(String, String)>,
    /// What holds a credential and can be read inside, with the reason.
    pub shown: Vec<(String, String)>,
    /// Repositories that were made since the place was opened.
    pub repositories: BTreeSet<String>,
    /// Folders that are not watched, and why.
    pub unwatched: Option<(u64, String)>,
}

/// The keeper is gone, and with it the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what hides secrets in the place has ended: {0}")]
pub struct KeeperLost(pub String);

/// Why programs of a place do not stand still.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotHeld {
    /// There is nobody in it any more.
    #[error(transparent)]
    Lost(#[from] KeeperLost),
    /// They cannot be made to.
    #[error("programs of agents do not stand still: {0}")]
    Moving(String),
}

/// All programs of a place stand still while this lives.
#[derive(Debug)]
pub struct Held {
    id: u64,
    releases: mpsc::UnboundedSender<u64>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // A keeper that is gone has ended its place.
        _ = self.releases.send(self.id);
    }
}

/// Hides secrets in a place for as long as it lives. Dropping it ends the place.
#[derive(Debug)]
pub struct Keeper {
    shared: Arc<Shared>,
    asked: AtomicU64,
    releases: mpsc::UnboundedSender<u64>,
}

#[derive(Debug)]
struct Shared {
    kept: Arc<Mutex<Kept>>,
    news: broadcast::Sender<News>,
    /// Whether it has left, and told all.
    left: watch::Sender<bool>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Option<String>>>>,
    lost: watch::Sender<Option<String>>,
    /// Ends the keeper's own process.
    end: Notify,
    /// Taken away when it is to end.
    input: tokio::sync::Mutex<Option<ChildStdin>>,
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Option<String>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, news: News) {
        let mut kept = self.kept();
        match news.clone() {
            News::Hidden { path, .. } if kept.secrets.len() < REMEMBERED => {
                kept.secrets.insert(path);
            }
            News::Unprotected { path, reason } if kept.unprotected.len() < REMEMBERED => {
                kept.unprotected.push((path, reason));
            }
            News::Shown { path, reason } if kept.shown.len() < REMEMBERED => {
                kept.shown.push((path, reason));
            }
            News::Repository { path } if kept.repositories.len() < REMEMBERED => {
                kept.repositories.insert(path);
            }
            News::Unwatched { folders, reason } => {
                kept.unwatched = (folders > 0).then_some((folders, reason));
            }
            _ => {}
        }
        drop(kept);
        // Nobody has to listen.
        drop(self.news.send(news));
    }

    fn lose(&self, reason: &str) {
        self.lost.send_if_modified(|lost| {
            let is_first = lost.is_none();
            lost.get_or_insert_with(|| reason.to_owned());
            is_first
        });
        // Whoever waits for an answer learns that none will come.
        self.waiting().clear();
    }
}

/// A keeper that has been started and has not joined its place yet.
pub(crate) struct Starting {
    child: Child,
    input: ChildStdin,
    lines: Lines,
}

impl Starting {
    pub(crate) fn new(mut child: Child) -> Result<Self, IsolationError> {
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no streams"));
        };
        Ok(Self { child, input, lines: Lines(BufReader::new(output)) })
    }

    /// Joins the place in which a process is, and waits until its secrets are hidden. The place ends
    /// with the keeper, and the keeper with the place.
    pub(crate) async fn join(
        mut self,
        pid: u32,
        process: &RunnerProcess,
    ) -> Result<Keeper, IsolationError> {
        // One that has ended already has said why.
        let ask = Ask::Join { pid };
        let asking = send(&mut self.input, &ask);
        drop(tokio::time::timeout(PATIENCE, asking).await);
        let shared = Arc::new(Shared {
            input: tokio::sync::Mutex::new(Some(self.input)),
            kept: Arc::default(),
            left: watch::Sender::new(false),
            news: broadcast::Sender::new(WAITING_NEWS),
            waiting: Mutex::default(),
            lost: watch::Sender::new(None),
            end: Notify::new(),
        });
        let ready = async {
            loop {
                match self.lines.next().await.map_err(|reason| failed(&reason))? {
                    Said::Ready { .. } => return Ok(()),
                    Said::News(news) => shared.note(news),
                    Said::Failed { reason } => return Err(failed(&reason)),
                    Said::Drained { .. } | Said::Held { .. } => {
                        return Err(failed("it answers what nobody asked"));
                    }
                }
            }
        };
        match tokio::time::timeout(PATIENCE, ready).await {
            Ok(ready) => ready?,
            Err(_) => return Err(failed("it does not answer")),
        }
        let place = PlaceEnd { ask: process.ending(), ended: Box::pin(process.when_ended()) };
        tokio::spawn(follow(self.child, self.lines, Arc::clone(&shared), place));
        let (releases, released) = mpsc::unbounded_channel();
        tokio::spawn(release(released, Arc::clone(&shared)));
        Ok(Keeper { shared, asked: AtomicU64::new(0), releases })
    }
}

impl Keeper {
    /// Makes sure that all that has become secret so far is hidden. A program may be started only
    /// after this has succeeded.
    pub async fn drain(&self) -> Result<(), KeeperLost> {
        let id = self.asked.fetch_add(1, Ordering::Relaxed);
        self.ask(id, Ask::Drain { id }).await.map(drop)
    }

    /// Makes all programs of the place stand still until what is answered is dropped, and no longer than
    /// this.
    pub async fn hold(&self, at_most: Duration) -> Result<Held, NotHeld> {
        let id = self.asked.fetch_add(1, Ordering::Relaxed);
        // They go on also when nobody waits for the answer any more.
        let held = Held { id, releases: self.releases.clone() };
        let ask = Ask::Hold { id, at_most_seconds: at_most.as_secs() };
        match self.ask(id, ask).await? {
            None => Ok(held),
            Some(reason) => Err(NotHeld::Moving(reason)),
        }
    }

    /// Asks for something and waits for the answer, which may say why it was not done.
    async fn ask(&self, id: u64, ask: Ask) -> Result<Option<String>, KeeperLost> {
        let (answer, answered) = oneshot::channel();
        self.shared.waiting().insert(id, answer);
        if let Some(reason) = self.lost_already() {
            self.shared.waiting().remove(&id);
            return Err(KeeperLost(reason));
        }
        let asked = async {
            match self.shared.input.lock().await.as_mut() {
                Some(input) => send(input, &ask).await,
                None => Err(std::io::ErrorKind::BrokenPipe.into()),
            }
        };
        let asked = tokio::time::timeout(PATIENCE, async {
            asked.await.map_err(|error| error.to_string())?;
            answered.await.map_err(|_| String::new())
        });
        match asked.await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(reason)) => self.shared.lose(&reason),
            Err(_) => self.shared.lose("it does not answer"),
        }
        // A keeper that cannot be relied on must not let the place go on.
        self.shared.end.notify_one();
        Err(KeeperLost(self.lost_already().unwrap_or_default()))
    }

    /// What it has told so far.
    pub fn kept(&self) -> Kept {
        self.shared.kept().clone()
    }

    /// Whether it has told of a repository that was made since the place was opened.
    pub fn tells_of(&self, repository: &str) -> bool {
        self.shared.kept().repositories.iter().any(|it| it.eq_ignore_ascii_case(repository))
    }

    /// What it tells from now on. Whoever is slow misses some and is told how many.
    pub fn news(&self) -> broadcast::Receiver<News> {
        self.shared.news.subscribe()
    }

    /// Has it end its place and leave.
    pub fn end(&self) {
        self.shared.end.notify_one();
    }

    /// Follows it from now on, until it has left.
    pub fn follow(&self) -> Following {
        let news = self.shared.news.subscribe();
        Following { news, kept: Arc::clone(&self.shared.kept), left: self.shared.left.subscribe() }
    }

    /// Waits until it is gone, and says why.
    pub async fn lost(&self) -> KeeperLost {
        let mut lost = self.shared.lost.subscribe();
        let reason = lost.wait_for(Option::is_some).await;
        KeeperLost(reason.ok().and_then(|reason| reason.clone()).unwrap_or_default())
    }

    fn lost_already(&self) -> Option<String> {
        self.shared.lost.borrow().clone()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.shared.end.notify_one();
    }
}

/// What a keeper tells, to the last word: it tells what happened at the end after its place has ended.
#[derive(Debug)]
pub struct Following {
    news: broadcast::Receiver<News>,
    kept: Arc<Mutex<Kept>>,
    left: watch::Receiver<bool>,
}

/// What a follower of a keeper hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Something happened.
    News(News),
    /// There were more news than wait for one who is slow; this is all that was told so far.
    Missed(Box<Kept>),
}

impl Following {
    /// What it tells next; nothing when it has left and all was told.
    pub async fn next(&mut self) -> Option<Heard> {
        let told = tokio::select! {
            // All it told comes before that it left.
            biased;
            told = self.news.recv() => told,
            _ = self.left.wait_for(|left| *left) => return None,
        };
        match told {
            Ok(news) => Some(Heard::News(news)),
            Err(RecvError::Lagged(_)) => {
                let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                Some(Heard::Missed(Box::new(kept.clone())))
            }
            Err(RecvError::Closed) => None,
        }
    }
}

/// The end of the place that is kept: asking for it, and waiting for it.
struct PlaceEnd {
    ask: Arc<Notify>,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Reads what a keeper says until it or its place ends, then ends the other.
async fn follow(mut child: Child, mut lines: Lines, shared: Arc<Shared>, mut place: PlaceEnd) {
    let reason = loop {
        let said = tokio::select! {
            // Why it ended comes before that it did.
            biased;
            said = lines.next() => said,
            () = shared.end.notified() => break "it was ended".to_owned(),
            () = &mut place.ended => break "its place has ended".to_owned(),
        };
        match said {
            Ok(Said::Drained { id }) => {
                let waiting = shared.waiting().remove(&id);
                // Nobody may wait any more.
                waiting.map(|waiting| waiting.send(None));
            }
            Ok(Said::Held { id, refused }) => {
                let waiting = shared.waiting().remove(&id);
                waiting.map(|waiting| waiting.send(refused));
            }
            Ok(Said::News(news)) => shared.note(news),
            Ok(Said::Ready { .. }) => break "it joined twice".to_owned(),
            Ok(Said::Failed { reason }) | Err(reason) => break reason,
        }
    };
    place.ask.notify_one();
    shared.lose(&reason);
    // A moment to leave the workspace as it was found, then its end.
    let leaving = async {
        drop(shared.input.lock().await.take());
        while let Ok(said) = lines.next().await {
            if let Said::News(news) = said {
                shared.note(news);
            }
        }
        child.wait().await
    };
    if tokio::time::timeout(GRACE, leaving).await.is_err() {
        // Nobody waits for one that the kernel does not let go.
        drop(tokio::time::timeout(GRACE, child.kill()).await);
    }
    shared.left.send_replace(true);
}

/// Lets programs go on when whoever held them has let go.
async fn release(mut released: mpsc::UnboundedReceiver<u64>, shared: Arc<Shared>) {
    while let Some(id) = released.recv().await {
        if let Some(input) = shared.input.lock().await.as_mut() {
            let ask = Ask::Release { id };
            let sending = send(input, &ask);
            if !matches!(tokio::time::timeout(PATIENCE, sending).await, Ok(Ok(()))) {
                // Programs would stand still for ever: better none than these.
                shared.lose("it does not listen");
                shared.end.notify_one();
            }
        }
    }
}

async fn send(input: &mut ChildStdin, ask: &Ask) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(ask)?;
    line.push(b'\n');
    input.write_all(&line).await?;
    input.flush().await
}

fn failed(reason: &str) -> IsolationError {
    IsolationError::KeeperFailed { reason: reason.to_owned() }
}

struct Lines(BufReader<ChildStdout>);

impl Lines {
    async fn next(&mut self) -> Result<Said, String> {
        let mut line = Vec::new();
        let longest = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX);
        let read = (&mut self.0).take(longest).read_until(b'\n', &mut line).await;
        read.map_err(|error| error.to_string())?;
        if line.last() != Some(&b'\n') {
            let reason =
                if line.len() >= LONGEST_LINE { "its line is too long" } else { "it has ended" };
            return Err(reason.to_owned());
        }
        serde_json::from_slice(&line).map_err(|error| error.to_string())
    }
}

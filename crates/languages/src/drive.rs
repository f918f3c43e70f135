//! A server over a pair of streams, for many callers: the machine of [`Server`] with a clock and callers who wait.
//!
//! Who starts the program, and where, is not known here: its streams are handed to [`LanguageServer::serve`], which
//! returns when they end and says what comes next. Nothing waits for somebody who is gone, and all that waits is
//! bounded.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_text::offsets::Edit;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::{Notify, broadcast, oneshot, watch},
    time::{Instant, sleep_until, timeout, timeout_at},
};

use crate::{
    Moment,
    diagnostics::Report,
    documents::DocumentError,
    life::{FAREWELL, Limits},
    question::{AskError, Question, Reply, State, Ticket},
    server::{EditId, Event, Folder, MOST_OUTPUT, Next, Server, Setup},
    settings::Settings,
    uri::Uri,
    watch::FileChange,
};

/// Events that are kept for whoever follows; who is slower than that is told so.
pub const MOST_EVENTS: usize = 1024;
/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;
/// How long a server may take to read what it is told.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

/// A language server. Clones are the same one.
#[derive(Clone)]
pub struct LanguageServer {
    shared: Arc<Shared>,
}

struct Shared {
    core: Mutex<Core>,
    /// There is something to be sent, or time matters at another moment.
    more: Notify,
    /// Something was sent, so there is room.
    room: Notify,
    /// Counts events, for those who wait for one of some kind.
    happened: watch::Sender<u64>,
    events: broadcast::Sender<Arc<Event>>,
    began: Instant,
}

struct Core {
    server: Server,
    callers: HashMap<Ticket, oneshot::Sender<Result<Reply, AskError>>>,
    over: bool,
}

/// How the streams of a process ended, and what comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// What was noticed.
    pub why: String,
    /// What comes next.
    pub next: AfterProcess,
}

/// What comes after a process of a server. Whatever is left of it has to be ended in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterProcess {
    /// It is not wanted any more.
    Stopped,
    /// Start it again after this long.
    Again(Duration),
    /// Start it only when somebody wants it.
    Failed {
        /// Why.
        why: String,
    },
}

impl LanguageServer {
    /// A server that does not run yet.
    pub fn new(setup: Setup) -> Self {
        let core = Core { server: Server::new(setup), callers: HashMap::new(), over: false };
        Self {
            shared: Arc::new(Shared {
                core: Mutex::new(core),
                more: Notify::new(),
                room: Notify::new(),
                happened: watch::Sender::new(0),
                events: broadcast::Sender::new(MOST_EVENTS),
                began: Instant::now(),
            }),
        }
    }

    /// A process of it is being started: from now on questions wait for it.
    pub fn prepare(&self) {
        self.act(|core, now| core.server.prepare(now));
    }

    /// No process of it could be started, and none would be if it was tried again.
    pub fn not_started(&self, why: &str) {
        self.act(|core, now| core.server.not_started(why, now));
    }

    /// Speak over these streams until one of them ends or the process has to be ended. One process at a time. Dropped
    /// before, the server counts as stopped.
    pub async fn serve(
        &self,
        reader: impl AsyncRead + Unpin,
        writer: impl AsyncWrite + Unpin,
    ) -> Served {
        self.act(|core, now| {
            core.over = false;
            core.server.begin(now);
        });
        let mut serving = Serving { server: self, is_over: false };
        let shared = &*self.shared;
        let why = tokio::select! {
            biased;
            () = shared.time() => "it had to be ended".to_owned(),
            why = shared.write(writer) => why,
            why = shared.read(reader) => why,
        };
        serving.is_over = true;
        let now = shared.now();
        let next = match self.act(|core, now| core.server.ended(&why, now)) {
            Next::Stopped => AfterProcess::Stopped,
            Next::Again { at } => AfterProcess::Again(at.saturating_sub(now)),
            Next::Failed { why } => AfterProcess::Failed { why },
        };
        Served { why, next }
    }

    /// Ask something. Dropped, the question is cancelled.
    pub async fn ask(&self, question: Question) -> Result<Reply, AskError> {
        let patience = question.patience;
        let (caller, mut answer) = oneshot::channel();
        let ticket = self.act(|core, now| {
            let ticket = core.server.ask(question, now)?;
            core.callers.insert(ticket, caller);
            Ok(ticket)
        })?;
        let _waiting = Waiting { server: self, ticket };
        // No process may run just now that time would be looked at for.
        let late = Instant::now() + patience + Duration::from_millis(1);
        loop {
            match timeout_at(late, &mut answer).await {
                Ok(Ok(answer)) => return answer,
                Err(_) => self.act(|core, now| core.server.tick(now)),
                Ok(Err(_)) => {
                    let (server, state) = self
                        .look(|core, now| (core.server.name().to_owned(), core.server.state(now)));
                    return Err(AskError::NotRunning { server, state });
                }
            }
        }
    }

    /// What is wrong with a document, about its text as it is now; or, when that is not known after this long, what is
    /// known and how old it is.
    pub async fn diagnostics(
        &self,
        uri: &Uri,
        patience: Duration,
    ) -> Result<Report, DocumentError> {
        let deadline = Instant::now() + patience;
        let mut happened = self.shared.happened.subscribe();
        loop {
            happened.mark_unchanged();
            let report = self.act(|core, now| {
                core.server.want_diagnostics(uri, now)?;
                Ok((core.server.report(uri), core.server.state(now)))
            });
            let (report, state) = report?;
            let is_lasting = matches!(state, State::Stopped | State::Ending | State::Failed { .. });
            let is_known = report.freshness.is_settled() || report.failure.is_some();
            if is_known || is_lasting || timeout_at(deadline, happened.changed()).await.is_err() {
                self.act(|core, _| core.server.unwant_diagnostics(uri));
                return Ok(report);
            }
        }
    }

    /// Have it find out what is wrong with a document, if that is not known, without waiting for it.
    pub fn want_diagnostics(&self, uri: &Uri) -> Result<(), DocumentError> {
        self.act(|core, now| core.server.want_diagnostics(uri, now))
    }

    /// What happens from now on, but for answers.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        self.shared.events.subscribe()
    }

    /// Open a document; one that is open already gets this text. `saved` says that the disk has the same.
    pub fn open(
        &self,
        uri: &Uri,
        language: &str,
        text: Arc<str>,
        saved: bool,
    ) -> Result<(), DocumentError> {
        self.act(|core, now| core.server.open(uri, language, text, saved, now))
    }

    /// Edits of the text that it was told last, in order, all of them about that text.
    pub fn change(&self, uri: &Uri, edits: &[Edit]) -> Result<(), DocumentError> {
        self.act(|core, now| core.server.change(uri, edits, now))
    }

    /// The whole text, when nobody knows what changed in it.
    pub fn replace(&self, uri: &Uri, text: &str) -> Result<(), DocumentError> {
        self.act(|core, now| core.server.replace(uri, text, now))
    }

    /// The disk has the text now.
    pub fn saved(&self, uri: &Uri) -> Result<(), DocumentError> {
        self.act(|core, now| core.server.saved(uri, now))
    }

    /// Close a document.
    pub fn close(&self, uri: &Uri) {
        self.act(|core, now| core.server.close(uri, now));
    }

    /// A file changed on the disk.
    pub fn file_changed(&self, uri: Uri, change: FileChange) {
        self.act(|core, now| core.server.file_changed(uri, change, now));
    }

    /// Anything may have changed on the disk.
    pub fn all_files_changed(&self) {
        self.act(|core, now| core.server.all_files_changed(now));
    }

    /// Other settings hold from now on.
    pub fn configure(&self, settings: Settings) {
        self.act(|core, now| core.server.configure(settings, now));
    }

    /// Have it work on one more folder. False if it cannot: the folder needs a server of its own.
    pub fn add_folder(&self, folder: Folder) -> bool {
        self.act(|core, now| core.server.add_folder(folder, now))
    }

    /// Say whether an edit was made that the server asked for. False if that is too late.
    pub fn answer_edit(&self, edit: EditId, made: Result<(), String>) -> bool {
        self.act(|core, now| core.server.answer_edit(edit, made, now))
    }

    /// Ask it to end; [`Self::serve`] returns when it has, or after [`FAREWELL`] twice.
    pub fn stop(&self) {
        self.act(|core, now| core.server.stop(now));
    }

    /// End it at once and for good, with this as the reason: it may not run any longer.
    pub fn give_up(&self, why: &str) {
        self.act(|core, now| core.server.give_up(why, now));
    }

    /// The longest that [`Self::stop`] takes.
    pub const fn longest_farewell() -> Duration {
        FAREWELL.saturating_mul(2)
    }

    /// How it is.
    pub fn state(&self) -> State {
        self.look(|core, now| core.server.state(now))
    }

    /// How long ago it was asked something, or told a text.
    pub fn unused_for(&self) -> Duration {
        self.look(|core, now| now.saturating_sub(core.server.used()))
    }

    /// Whether it has been of no use for so long that it should be stopped.
    pub fn is_idle(&self, limits: &Limits) -> bool {
        self.look(|core, now| core.server.idle_at(limits).is_some_and(|at| at <= now))
    }

    /// What it can.
    pub fn abilities(&self) -> Value {
        self.look(|core, _| core.server.abilities())
    }

    /// Anything else that can be seen of it. Nothing may be waited for meanwhile.
    pub fn see<R>(&self, look: impl FnOnce(&Server) -> R) -> R {
        self.look(|core, _| look(&core.server))
    }

    fn look<R>(&self, look: impl FnOnce(&Core, Moment) -> R) -> R {
        look(&self.shared.locked(), self.shared.now())
    }

    fn act<R>(&self, act: impl FnOnce(&mut Core, Moment) -> R) -> R {
        self.shared.act(act)
    }
}

/// A process that is spoken with.
struct Serving<'a> {
    server: &'a LanguageServer,
    is_over: bool,
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.server.act(|core, now| {
                core.server.stop(now);
                core.server.ended("nobody speaks with it any more", now);
            });
        }
    }
}

/// A question that somebody waits for.
struct Waiting<'a> {
    server: &'a LanguageServer,
    ticket: Ticket,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.server.act(|core, now| {
            if core.callers.remove(&self.ticket).is_some() {
                core.server.cancel(self.ticket, now);
            }
        });
    }
}

impl Shared {
    fn now(&self) -> Moment {
        self.began.elapsed()
    }

    fn locked(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Do something, then tell what came of it.
    fn act<R>(&self, act: impl FnOnce(&mut Core, Moment) -> R) -> R {
        let mut core = self.locked();
        let result = act(&mut core, self.now());
        let mut told = Vec::new();
        // In this very order, under the lock: nobody hears of a state after the next one.
        for event in core.server.take_events() {
            match event {
                Event::Answered { ticket, answer } => {
                    if let Some(caller) = core.callers.remove(&ticket) {
                        // Whoever left meanwhile needs no answer.
                        drop(caller.send(answer));
                    }
                }
                Event::Over => {
                    core.over = true;
                    told.push(Event::Over);
                }
                event => told.push(event),
            }
        }
        let something_happened = !told.is_empty();
        for event in told {
            // Nobody may follow.
            drop(self.events.send(Arc::new(event)));
        }
        drop(core);
        self.more.notify_waiters();
        if something_happened {
            self.happened.send_modify(|count| *count = count.wrapping_add(1));
        }
        result
    }

    /// Look at the time whenever it matters. Returns when the process has to be ended.
    async fn time(&self) {
        loop {
            let more = self.more.notified();
            let next = {
                let core = self.locked();
                if core.over {
                    return;
                }
                core.server.next_tick(self.now())
            };
            match next {
                None => more.await,
                Some(at) => tokio::select! {
                    () = more => {}
                    () = sleep_until(self.began + at) => self.act(|core, now| core.server.tick(now)),
                },
            }
        }
    }

    /// Until nothing can be written any more; says why.
    async fn write(&self, mut writer: impl AsyncWrite + Unpin) -> String {
        loop {
            let more = self.more.notified();
            let output = self.locked().server.take_output();
            if output.is_empty() {
                more.await;
                continue;
            }
            self.room.notify_one();
            // As long as it reads, it may be slow.
            for piece in output.chunks(PIECE) {
                match timeout(WRITE_PATIENCE, writer.write_all(piece)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return format!("it cannot be written to: {error}"),
                    Err(_) => return format!("it read nothing for {} s", WRITE_PATIENCE.as_secs()),
                }
            }
            match timeout(WRITE_PATIENCE, writer.flush()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return format!("it cannot be written to: {error}"),
                Err(_) => return format!("it read nothing for {} s", WRITE_PATIENCE.as_secs()),
            }
        }
    }

    /// Until no more comes; says why.
    async fn read(&self, mut reader: impl AsyncRead + Unpin) -> String {
        let mut piece = vec![0; PIECE];
        loop {
            let room = self.room.notified();
            if self.locked().server.output_len() > MOST_OUTPUT {
                room.await;
                continue;
            }
            match reader.read(&mut piece).await {
                Ok(0) => return "it closed its output".to_owned(),
                Ok(count) => self.act(|core, now| core.server.received(&piece[..count], now)),
                Err(error) => return format!("it cannot be read: {error}"),
            }
        }
    }
}

#[cfg(test)]
mod tests;

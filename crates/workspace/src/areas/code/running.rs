//! One language server of a project over its life: started where servers run, started again when it crashed, ended when
//! nobody wants it any more.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use openspace_host::{
    PipeProgram, PipedHandle,
    operation::{PipeMemory, PipedProgram},
};
use openspace_languages::{
    AfterProcess, LanguageServer, State,
    find::{Found, FoundIn},
};
use openspace_protocol::RelPath;
use tokio::{
    sync::{Notify, watch},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::texts::Texts;
use crate::{places::Place, refusal::refused};

/// How long what is left of a process may take to end when its streams have.
const ENDS_WITHIN: Duration = Duration::from_secs(2);
/// How long a server may take to be gone, from when it is asked to end.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// Lines and characters that are told of what it complained last.
const LAST_LINES: usize = 6;
const LAST_WORDS: usize = 600;

/// A language server of a project, whether it runs or not.
pub(super) struct Running {
    /// Which one of the table.
    pub(super) id: String,
    /// What people call it.
    pub(super) name: String,
    /// For which languages.
    pub(super) languages: Vec<String>,
    /// The folder that it works on first.
    pub(super) root: RelPath,
    /// Others that it works on, too.
    others: Mutex<Vec<RelPath>>,
    /// Its program.
    pub(super) program: PathBuf,
    arguments: Vec<String>,
    /// Where the program was found.
    pub(super) found_in: FoundIn,
    /// Where it runs.
    pub(super) place: Arc<Place>,
    /// What speaks with it.
    pub(super) server: LanguageServer,
    /// What it was told of texts. Held while it is told.
    pub(super) texts: tokio::sync::Mutex<Texts>,
    /// A text changed that it knows, or a file: what is wrong may be something else now.
    pub(super) changed: Arc<Notify>,
    listing: OnceLock<AbortOnDropHandle<()>>,
    life: Mutex<Life>,
    lives: watch::Sender<bool>,
}

#[derive(Default)]
struct Life {
    /// Ends it.
    stop: CancellationToken,
    /// It was wanted again while it ended.
    again: bool,
    program: Option<PipeProgram>,
    said: String,
    /// Why we ended it.
    ended_because: Option<String>,
}

impl Running {
    pub(super) fn new(
        found: Found,
        name: String,
        languages: Vec<String>,
        root: RelPath,
        place: Arc<Place>,
        server: LanguageServer,
    ) -> Self {
        Self {
            id: found.server,
            name,
            languages,
            root,
            others: Mutex::default(),
            program: found.program,
            arguments: found.arguments,
            found_in: found.found_in,
            place,
            server,
            texts: tokio::sync::Mutex::default(),
            changed: Arc::default(),
            listing: OnceLock::new(),
            life: Mutex::default(),
            lives: watch::Sender::new(false),
        }
    }

    /// What lists its findings, as long as anybody knows the server.
    pub(super) fn listed_by(&self, listing: impl Future<Output = ()> + Send + 'static) {
        self.listing.get_or_init(|| AbortOnDropHandle::new(tokio::spawn(listing)));
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is wanted: it runs, starts, or is started again soon.
    pub(super) fn lives(&self) -> bool {
        *self.lives.borrow()
    }

    /// It works on one more folder.
    pub(super) fn add_root(&self, root: RelPath) {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if root != self.root && !others.contains(&root) {
            others.push(root);
        }
    }

    /// All folders that it works on.
    pub(super) fn roots(&self) -> Vec<RelPath> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::once(&self.root).chain(&*others).cloned().collect()
    }

    /// How much of a path is the innermost of its folders; nothing if the path is in none of them.
    pub(super) fn depth_of(&self, path: &RelPath) -> Option<usize> {
        let holds = |root: &&RelPath| root.is_root() || path.as_path().starts_with(root.as_path());
        self.roots().iter().filter(holds).map(|root| root.as_str().len()).max()
    }

    /// Bytes of memory that all its processes use now; nothing while it does not run.
    pub(super) async fn memory(&self) -> Option<u64> {
        let pid = self.pid()?;
        let told = self.place.ask(PipeMemory { pids: vec![pid] }).await;
        told.inspect_err(
            |error| tracing::warn!(server = self.id, %error, "its memory is not known"),
        )
        .ok()?
        .into_iter()
        .next()?
    }

    /// Why it was ended by us, until it is started again.
    pub(super) fn ended_because(&self) -> Option<String> {
        self.life().ended_because.clone()
    }

    /// The number of its process in its place, while it has one.
    pub(super) fn pid(&self) -> Option<u32> {
        self.life().program.as_ref().map(PipeProgram::pid)
    }

    /// The end of what it complained.
    pub(super) fn said(&self) -> String {
        let life = self.life();
        life.program
            .as_ref()
            .map_or_else(|| life.said.clone(), |program| last_words(&program.stderr()))
    }

    /// Start it, if it is not wanted already.
    pub(super) fn start(self: &Arc<Self>) {
        let mut life = self.life();
        if self.lives() {
            // One that has just been told to end is started again when it has.
            life.again |= life.stop.is_cancelled();
            return;
        }
        life.stop = CancellationToken::new();
        life.ended_because = None;
        self.server.prepare();
        self.lives.send_replace(true);
        tokio::spawn(Arc::clone(self).live());
    }

    /// The same, and say why to those who ask.
    pub(super) async fn stop_because(&self, why: String) {
        self.life().ended_because = Some(why);
        self.stop().await;
    }

    /// End it, and wait until it is gone; for a while at least.
    pub(super) async fn stop(&self) {
        {
            let mut life = self.life();
            life.again = false;
            life.stop.cancel();
        }
        let mut lives = self.lives.subscribe();
        let gone = timeout(GONE_WITHIN, lives.wait_for(|lives| !lives)).await;
        if gone.is_err() {
            tracing::warn!(server = self.id, "a language server takes long to end");
        }
    }

    async fn live(self: Arc<Self>) {
        loop {
            let stop = self.life().stop.clone();
            if let AfterProcess::Again(after) = self.one_process(&stop).await {
                tokio::select! {
                    () = sleep(after) => continue,
                    () = stop.cancelled() => self.server.stop(),
                }
            }
            if let State::Failed { why } = self.server.state() {
                tracing::warn!(server = self.id, why, "a language server failed");
            }
            let mut life = self.life();
            if !std::mem::take(&mut life.again) {
                self.lives.send_replace(false);
                return;
            }
            life.stop = CancellationToken::new();
            self.server.prepare();
        }
    }

    /// From the start of a process to its end.
    async fn one_process(&self, stop: &CancellationToken) -> AfterProcess {
        let handle = tokio::select! {
            started = self.started() => started,
            () = stop.cancelled() => {
                self.server.stop();
                return AfterProcess::Stopped;
            }
        };
        let PipedHandle { stdin, stdout, program } = match handle {
            Ok(handle) => handle,
            Err(why) => {
                self.server.not_started(&why);
                return AfterProcess::Failed { why };
            }
        };
        self.life().program = Some(program.clone());
        let served = {
            let serving = self.server.serve(stdout, stdin);
            tokio::pin!(serving);
            tokio::select! {
                // First, so that it has begun before it is told to end.
                biased;
                served = &mut serving => served,
                () = stop.cancelled() => {
                    self.server.stop();
                    serving.await
                }
            }
        };
        program.stop(ENDS_WITHIN);
        if timeout(ENDS_WITHIN.saturating_mul(2), program.ended()).await.is_err() {
            tracing::warn!(server = self.id, "a process of a language server is still there");
        }
        let mut life = self.life();
        life.said = last_words(&program.stderr());
        life.program = None;
        drop(life);
        tracing::debug!(server = self.id, why = served.why, "a language server ended");
        served.next
    }

    async fn started(&self) -> Result<PipedHandle, String> {
        let words = |error| {
            let error = refused(error);
            match error.hint {
                Some(hint) => format!("{}; {hint}", error.message),
                None => error.message,
            }
        };
        let program = self.program.to_string_lossy().into_owned();
        let program = PipedProgram {
            folder: self.root.clone(),
            ..PipedProgram::new(program).with(self.arguments.clone())
        };
        let host = self.place.host().await.map_err(words)?;
        PipedHandle::start(host, program).await.map_err(words)
    }
}

/// The end of what a program complained, without what only a terminal understands.
fn last_words(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    let plain: String = last.chars().filter(|it| *it == '\n' || !it.is_control()).collect();
    let superfluous = plain.chars().count().saturating_sub(LAST_WORDS);
    plain.chars().skip(superfluous).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_the_last_lines_without_what_a_terminal_understands() {
        let said = b"one\n\ntwo\nthree\nfour\nfive\nsix\n\x1b[31mseven\x07\n";
        assert_eq!(last_words(said), "two\nthree\nfour\nfive\nsix\n[31mseven");
        assert_eq!(last_words("é".repeat(2000).as_bytes()).chars().count(), LAST_WORDS);
    }
}

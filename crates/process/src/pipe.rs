//! A program that is spoken with: bytes go to its standard input, and what it writes comes back as it
//! is, each stream by itself.
//!
//! It is started by its path and its arguments; no shell reads them. Nothing is kept here: whoever
//! does not read slows the program down, and whoever writes waits for it. No byte is changed, held
//! back or thrown away, and nothing is known of what the bytes mean.
//!
//! The program ends with everything it started. What it wrote before can still be read then, and
//! nothing after it: once nobody is left who could write, what lies in a pipe is all there is.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStdin, Command};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::run::{Patience, ProcessError};
use crate::start::{ENVIRONMENT, Started};
use crate::tree::{self, Tree, TreeError};

#[cfg(test)]
mod tests;

/// The longest patience with a program that is to stop.
const LONGEST_PATIENCE: Duration = Duration::from_hours(1);

/// What to start.
#[derive(Clone, Debug)]
pub struct Piped {
    /// Its absolute path.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Absolute; whether something may run there is the caller's to judge.
    pub cwd: PathBuf,
    /// The whole environment, but for the marker.
    pub environment: Vec<(OsString, OsString)>,
    /// Unique text by which its processes are found again: the value of `OPENSPACE_TERMINAL`.
    pub marker: String,
}

/// An environment without some variables of another one and with some more. Programs are kept from
/// waiting for a person, unless what is added says otherwise.
pub fn environment(
    base: &[(OsString, OsString)],
    without: &[String],
    with: &[(String, String)],
) -> Result<Vec<(OsString, OsString)>, ProcessError> {
    for name in without.iter().chain(with.iter().map(|(name, _)| name)) {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(ProcessError::VariableName(name.clone()));
        }
    }
    let quiet = ENVIRONMENT.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let mut all: Vec<(OsString, OsString)> = Vec::new();
    let kept = base.iter().cloned().chain(quiet);
    let kept = kept.filter(|(name, _)| without.iter().all(|gone| name != gone.as_str()));
    let added = with.iter().map(|(name, value)| (name.into(), value.into()));
    for (name, value) in kept.chain(added) {
        all.retain(|(known, _)| *known != name);
        all.push((name, value));
    }
    Ok(all)
}

/// A program that was started. What is not taken out of it ends when it is dropped.
pub struct Connected {
    pub pid: u32,
    pub stdin: ChildStdin,
    pub stdout: Outflow,
    pub stderr: Outflow,
    pub leader: Leader,
    /// Everything has ended.
    pub over: CancellationToken,
}

impl Connected {
    /// Its processes.
    pub fn tree(&self) -> Tree {
        self.leader.started.tree.clone()
    }
}

/// Starts a program. Must be called in a tokio runtime.
pub fn connect(wanted: &Piped) -> Result<Connected, ProcessError> {
    check(wanted)?;
    let failed = |error: io::Error| ProcessError::NotStarted {
        program: wanted.program.clone(),
        reason: error.to_string(),
    };
    let mut started = Started::spawn(&mut command(wanted), &wanted.marker).map_err(failed)?;
    let child = &mut started.child;
    let ends = (child.id(), child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(pid), Some(stdin), Some(stdout), Some(stderr)) = ends else {
        return Err(failed(io::Error::other("it has no pipes")));
    };
    let over = CancellationToken::new();
    let outflow = |source| Outflow { source: Some(source), left: None, over: over.clone() };
    Ok(Connected {
        pid,
        stdin,
        stdout: outflow(Box::new(stdout)),
        stderr: outflow(Box::new(stderr)),
        leader: Leader { started, over: over.clone() },
        over,
    })
}

fn check(wanted: &Piped) -> Result<(), ProcessError> {
    let has_nul = |text: &OsString| text.as_bytes().contains(&0);
    if let Some(at) = wanted.arguments.iter().position(has_nul) {
        return Err(ProcessError::HasNul { what: format!("argument {}", at + 1) });
    }
    // The name of a variable may be told, its value may be a secret.
    if let Some((name, _)) =
        wanted.environment.iter().find(|(name, value)| has_nul(name) || has_nul(value))
    {
        let what = format!("the variable {}", name.to_string_lossy().replace('\0', "\u{fffd}"));
        return Err(ProcessError::HasNul { what });
    }
    if wanted.marker.is_empty() {
        return Err(ProcessError::MarkerEmpty);
    }
    let relative = [&wanted.cwd, &wanted.program].into_iter().find(|path| !path.is_absolute());
    if let Some(path) = relative {
        return Err(ProcessError::PathRelative(path.clone()));
    }
    if !wanted.cwd.is_dir() {
        return Err(ProcessError::FolderMissing(wanted.cwd.clone()));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this is where programs with a pipe start")]
fn command(wanted: &Piped) -> Command {
    let mut command = Command::new(&wanted.program);
    command
        .args(&wanted.arguments)
        .current_dir(&wanted.cwd)
        .env_clear()
        .envs(wanted.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

trait Source: AsyncRead + AsFd + Send + Sync + Unpin {}

impl<T: AsyncRead + AsFd + Send + Sync + Unpin> Source for T {}

/// What a program writes to one of its streams.
pub struct Outflow {
    /// Absent once it has come to its end.
    source: Option<Box<dyn Source>>,
    /// What may still be read, once everything has ended.
    left: Option<u64>,
    over: CancellationToken,
}

impl Outflow {
    /// Waits for bytes and reads them; 0 at the end, or where there is no room. Losing the future loses
    /// nothing.
    pub async fn read(&mut self, buffer: &mut [u8]) -> usize {
        let Some(source) = &mut self.source else { return 0 };
        if buffer.is_empty() {
            return 0;
        }
        if self.left.is_none() {
            tokio::select! {
                biased;
                // A process that could not be found may hold the pipe open and write for ever.
                () = self.over.cancelled() => self.left = Some(lies_in(source)),
                read = source.read(buffer) => return self.came(read),
            }
        }
        let left = usize::try_from(self.left.unwrap_or_default()).unwrap_or(usize::MAX);
        if left == 0 {
            self.source = None;
            return 0;
        }
        let size = left.min(buffer.len());
        let read = source.read(&mut buffer[..size]).await;
        let count = self.came(read);
        self.left = Some((left - count) as u64);
        count
    }

    /// A pipe that fails has nothing more to say.
    fn came(&mut self, read: io::Result<usize>) -> usize {
        let count = read.unwrap_or_else(|error| {
            tracing::warn!(%error, "a pipe of a program could not be read");
            0
        });
        if count == 0 {
            self.source = None;
        }
        count
    }
}

/// How much lies in a pipe. Where the kernel does not say, nobody waits for it.
fn lies_in(pipe: &dyn Source) -> u64 {
    rustix::io::ioctl_fionread(pipe).unwrap_or_else(|error| {
        tracing::warn!(%error, "how much a pipe still holds is not known");
        0
    })
}

/// Asks a program to stop; more urgently when it is asked again. Clones ask the same program.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<watch::Sender<Option<Instant>>>);

impl Stop {
    /// It is asked with SIGTERM at once and ended with SIGKILL after this long. Who was asked to be
    /// faster already is not given more time.
    pub fn within(&self, patience: Duration) {
        let due = Instant::now() + patience.min(LONGEST_PATIENCE);
        self.0.send_if_modified(|asked| {
            let sooner = asked.is_none_or(|asked| due < asked);
            if sooner {
                *asked = Some(due);
            }
            sooner
        });
    }

    /// Waits until it is asked, and to be faster than this.
    async fn before(&self, known: Option<Instant>) -> Instant {
        let sooner = |asked: &Option<Instant>| match (asked, known) {
            (Some(asked), Some(known)) => *asked < known,
            (asked, None) => asked.is_some(),
            (None, Some(_)) => false,
        };
        let mut asked = self.0.subscribe();
        let due = asked.wait_for(sooner).await.ok().and_then(|due| *due);
        match due {
            Some(due) => due,
            // The sender is ours, so this cannot be.
            None => std::future::pending().await,
        }
    }
}

/// How a program with a pipe ended. What outlived it has been ended as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// As the kernel reports it; absent when a signal ended it or it could not be ended.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// It was asked to stop before it ended.
    pub stopped: bool,
    /// How many processes outlived it.
    pub left_behind: usize,
    /// Those that could not be ended.
    pub survivors: Vec<u32>,
}

/// The program itself. Dropping it ends all it started at once.
pub struct Leader {
    started: Started,
    over: CancellationToken,
}

impl Leader {
    /// Waits for its end, or ends it when it is asked to stop, and then ends what it left behind.
    /// `silent` says that nothing more will come from its streams.
    pub async fn ended(
        mut self,
        stop: &Stop,
        patience: Patience,
        silent: impl Future<Output = ()>,
    ) -> Result<Ended, ProcessError> {
        // However this ends, nobody waits for more.
        let _over = self.over.clone().drop_guard();
        let mut status = None;
        let mut asked = None;
        tokio::select! {
            biased;
            ended = self.started.child.wait() => status = Some(ended.map_err(ProcessError::Wait)?),
            due = stop.before(None) => asked = Some(due),
        }
        if asked.is_none() {
            // What it started may be about to finish what it has to say.
            tokio::select! {
                () = silent => {}
                () = sleep(patience.drain_after_exit) => {}
                _ = stop.before(None) => {}
            }
        }
        let mut due = asked.unwrap_or_else(|| Instant::now() + patience.leftover_grace);
        let told = loop {
            let grace = due.saturating_duration_since(Instant::now());
            tokio::select! {
                biased;
                told = tree::end(&self.started.tree, Signal::TERM, grace) => break told,
                sooner = stop.before(Some(due)) => due = sooner,
            }
        };
        if status.is_none()
            && let Ok(ended) = timeout(patience.drain_after_end, self.started.child.wait()).await
        {
            status = Some(ended.map_err(ProcessError::Wait)?);
        }
        let (told, survivors) = match told {
            Ok(told) => (told, Vec::new()),
            Err(TreeError::StillRunning(survivors)) => (0, survivors),
            Err(error) => return Err(ProcessError::Wait(io::Error::other(error))),
        };
        self.started.over();
        Ok(Ended {
            exit_code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            stopped: asked.is_some(),
            left_behind: if asked.is_some() { 0 } else { told },
            survivors,
        })
    }
}

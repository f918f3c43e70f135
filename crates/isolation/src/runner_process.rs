//! A running place: who is inside, how it ended, and making sure that nothing of it stays.

use std::collections::VecDeque;
use std::fmt;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr};
use tokio::sync::{Notify, watch};

use crate::cgroups::Groups;

/// How much of what was written to standard error is kept.
const KEPT: usize = 8 * 1024;

/// How long a process that was killed may take to go.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many seconds all that is inside may take to go after it was killed.
const LEAVING: i64 = 5;

/// How the first process of a place ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Its exit code, if it exited. A sandbox gives 128 + signal when the runner was killed.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Processes that were killed because the memory limit was reached.
    pub killed_for_memory: u64,
    /// The last of what was written to standard error.
    pub stderr: String,
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(formatter, "it ended with code {code}")?,
            (None, Some(signal)) => write!(formatter, "it was ended by signal {signal}")?,
            (None, None) => formatter.write_str("how it ended is unknown")?,
        }
        if self.killed_for_memory > 0 {
            formatter.write_str("; its memory limit was reached")?;
        }
        match self.stderr.trim() {
            "" => Ok(()),
            text => write!(formatter, "; it wrote: {text}"),
        }
    }
}

/// Owns everything that was started. Dropping it ends all of it.
///
/// For an orderly end, close the runner's standard input, give it a moment with [`RunnerProcess::ended`],
/// then call [`RunnerProcess::end`].
#[derive(Debug)]
pub struct RunnerProcess {
    pid: u32,
    stderr: Arc<Mutex<Tail>>,
    ended: watch::Receiver<Option<Ending>>,
    /// Asks for the end of the process.
    end: Arc<Notify>,
    groups: Option<Arc<Groups>>,
    inside: Arc<Inside>,
}

/// The first process inside a walled place, once it is known. Bubblewrap asks the kernel to end it with its
/// parent, but only some time after it was made: if the parent ends before, it would stay for ever.
#[derive(Debug, Default)]
struct Inside(OnceLock<OwnedFd>);

impl Inside {
    fn kill(&self) {
        if let Some(first) = self.0.get() {
            // One that has ended already is what is wanted.
            _ = rustix::process::pidfd_send_signal(first, Signal::KILL);
        }
    }

    /// Waits until it has ended, and with it all others inside.
    async fn gone(&self) {
        let Some(Ok(first)) = self.0.get().map(OwnedFd::try_clone) else { return };
        let ended = tokio::task::spawn_blocking(move || {
            let within = Timespec { tv_sec: LEAVING, tv_nsec: 0 };
            rustix::event::poll(&mut [PollFd::new(&first, PollFlags::IN)], Some(&within))
        });
        if let Ok(Ok(0)) = ended.await {
            tracing::warn!("a place was killed and has not ended");
        }
    }
}

impl RunnerProcess {
    /// Must be called on a runtime: a task keeps the process.
    pub(crate) fn new(child: Child, stderr: Option<ChildStderr>, groups: Option<Groups>) -> Self {
        let end = Arc::<Notify>::default();
        let asked = Arc::clone(&end);
        let (report, ended) = watch::channel(None);
        let tail = Arc::new(Mutex::new(Tail::default()));
        let groups = groups.map(Arc::new);
        let pid = child.id().unwrap_or_default();
        let kept = Arc::clone(&tail);
        let counted = groups.clone();
        let inside = Arc::<Inside>::default();
        let first = Arc::clone(&inside);
        tokio::spawn(async move {
            let mut owner = Owner { child, inside: Arc::clone(&first) };
            let mut reading = tokio::spawn(read(stderr, Arc::clone(&kept)));
            let status = tokio::select! {
                status = owner.child.wait() => status,
                () = asked.notified() => {
                    owner.kill();
                    owner.child.wait().await
                }
            };
            first.kill();
            first.gone().await;
            // A process that was left behind may hold the pipe open for ever.
            let patience = Duration::from_millis(100);
            if tokio::time::timeout(patience, &mut reading).await.is_err() {
                reading.abort();
            }
            let status =
                status.inspect_err(|error| tracing::warn!(%error, pid, "cannot wait")).ok();
            let killed_for_memory = counted.map_or(0, |groups| groups.killed_for_memory());
            report.send_replace(Some(how_it_ended(status, killed_for_memory, &kept)));
        });
        Self { pid, stderr: tail, ended, end, groups, inside }
    }

    /// Says who is the first inside, so that it can be ended for certain. One that has ended already
    /// needs no end.
    pub(crate) fn has_inside(&self, pid: u32) {
        let first = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let opened =
            first.and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok());
        // The number may be another's by now.
        if let Some(opened) = opened.filter(|_| parent_of(pid) == Some(self.pid)) {
            drop(self.inside.0.set(opened));
        }
    }

    /// Number of the first process, as this machine counts.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The last of what was written to standard error so far.
    pub fn stderr(&self) -> String {
        text(&self.stderr)
    }

    /// Waits until the first process has ended.
    pub async fn ended(&self) -> Ending {
        let mut ended = self.ended.clone();
        let ending = ended.wait_for(Option::is_some).await;
        let ending = ending.ok().and_then(|ending| ending.clone());
        // Whoever waits for the process is gone only if the runtime is about to end.
        ending.unwrap_or_else(|| how_it_ended(None, 0, &self.stderr))
    }

    /// Waits until the first process has ended, for whoever outlives this.
    pub(crate) fn when_ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut ended = self.ended.clone();
        async move {
            // Whoever waits for the process is gone only if the runtime is about to end.
            drop(ended.wait_for(Option::is_some).await);
        }
    }

    /// Asks for the end of everything inside.
    pub(crate) fn ending(&self) -> Arc<Notify> {
        Arc::clone(&self.end)
    }

    /// Ends everything inside at once, and returns when nothing of it is left, or when the kernel does
    /// not let it go.
    pub async fn end(mut self) -> Ending {
        self.end.notify_one();
        let ending = tokio::time::timeout(PATIENCE, self.ended()).await.unwrap_or_else(|_| {
            tracing::warn!(pid = self.pid, "a place was killed and has not ended");
            how_it_ended(None, 0, &self.stderr)
        });
        if let Some(groups) = self.groups.take() {
            let removed = tokio::task::spawn_blocking(move || groups.remove()).await;
            if let Ok(Err(error)) = removed {
                tracing::warn!(%error, "the cgroup of a place stays behind");
            }
        }
        ending
    }
}

impl Drop for RunnerProcess {
    fn drop(&mut self) {
        self.end.notify_one();
        let Some(groups) = self.groups.take() else { return };
        // A thread of its own, because the runtime may be about to end.
        let remove = move || {
            if let Err(error) = groups.remove() {
                tracing::warn!(%error, "the cgroup of a place stays behind");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("end-place".to_owned()).spawn(remove) {
            tracing::warn!(%error, "the cgroup of a place stays behind");
        }
    }
}

/// Holds the process until it was waited for; if it never is, because the runtime ends, it still
/// kills the whole session.
struct Owner {
    child: Child,
    inside: Arc<Inside>,
}

impl Owner {
    fn kill(&mut self) {
        // The number is certainly the child's own as long as it has not been waited for.
        let group = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(group) = group {
            _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        // The group may not exist yet; then it has ended already or this ends it.
        drop(self.child.start_kill());
        self.inside.kill();
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.kill();
    }
}

fn how_it_ended(
    status: Option<ExitStatus>,
    killed_for_memory: u64,
    stderr: &Mutex<Tail>,
) -> Ending {
    Ending {
        code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        killed_for_memory,
        stderr: text(stderr),
    }
}

#[expect(clippy::disallowed_methods, reason = "a fact of the kernel is no file of a workspace")]
fn parent_of(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let surplus = (self.0.len() + bytes.len()).saturating_sub(KEPT);
        self.0.drain(..surplus);
        self.0.extend(bytes);
    }
}

fn text(tail: &Mutex<Tail>) -> String {
    let tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes: Vec<u8> = tail.0.iter().copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn read(stderr: Option<ChildStderr>, tail: Arc<Mutex<Tail>>) {
    let Some(mut stderr) = stderr else { return };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
    }
}

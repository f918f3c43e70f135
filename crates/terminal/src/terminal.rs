//! A terminal itself: the shell on its device, read by whoever watches, and its end.

mod interrupt;
mod replies;
mod run;

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openspace_process::{MARKER_VARIABLE, Tree};
use rustix::io::Errno;
use rustix::process::Signal;
use rustix::termios::Winsize;
use tokio::io::unix::AsyncFd;
use tokio::process::Child;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

pub use self::interrupt::{InterruptWay, Interrupted};
use self::replies::Replies;
pub use self::run::{Ended, RunOutcome, RunRequest, Wait};
use crate::integration::{self, Injection};
use crate::marks::{CommandMark, ShellState};
use crate::model::Model;
use crate::types::{
    Exit, Integration, Life, ReadRequest, Reading, Size, Spawn, Status, TerminalError, TerminalRead,
};
use crate::views::{Chunk, Next, Views};

const READ_BYTES: usize = 64 * 1024;
/// How long output is still awaited after the shell has ended: its background processes may hold
/// the device open for ever.
const DRAIN: Duration = Duration::from_millis(500);
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
const WRITE_RETRY: Duration = Duration::from_millis(50);
/// How long programs have to end by themselves.
const GRACE: Duration = Duration::from_secs(1);
const REAP_PATIENCE: Duration = Duration::from_secs(5);

thread_local! {
    /// One buffer per thread of the runtime serves all terminals: it is never held across a wait.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

type Device = AsyncFd<OwnedFd>;

/// A running or ended terminal. Clones are the same terminal; it lives until its program ends or
/// [`Terminal::kill`], also when no handle is left.
#[derive(Clone)]
pub struct Terminal {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    /// Keeps two writers from mixing their bytes.
    writing: tokio::sync::Mutex<()>,
    /// What the terminal itself answers to its program, and the program has not taken yet.
    replies: Replies,
    tree: Tree,
    /// The kind of the shell, if it was asked to tell of its commands.
    shell: Option<integration::Shell>,
    spawned: Instant,
}

struct State {
    model: Model,
    views: Views,
    life: Life,
    device: Option<Arc<Device>>,
    /// The command of the one [`Terminal::run`] there may be at a time.
    run: Option<String>,
}

impl Terminal {
    pub fn spawn(spawn: &Spawn) -> Result<Self, TerminalError> {
        check(spawn)?;
        let failed =
            |source: std::io::Error| TerminalError::Spawn { shell: spawn.shell.clone(), source };
        let injection = inject(spawn)?;
        let (device, child) = start(spawn, injection.as_ref()).map_err(failed)?;
        let Some(pid) = child.id() else {
            return Err(failed(std::io::Error::other("the process has no number")));
        };
        let device = Arc::new(register(device).map_err(failed)?);
        let mut model = Model::new(spawn.size);
        let integration = spawn.integration.as_ref().filter(|_| injection.is_some());
        if let Some(Integration { nonce, .. }) = integration {
            model.believe(nonce.clone());
        }
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                model,
                views: Views::default(),
                life: Life::Running { pid },
                device: Some(Arc::clone(&device)),
                run: None,
            }),
            changed: watch::Sender::new(0),
            writing: tokio::sync::Mutex::new(()),
            replies: Replies::default(),
            tree: Tree::new(pid, &spawn.marker),
            shell: integration.and_then(|_| integration::Shell::of(&spawn.shell)),
            spawned: Instant::now(),
        });
        tokio::spawn(follow(Arc::clone(&shared), device, child));
        Ok(Self { shared })
    }

    /// Types `bytes`. Waits a bounded time for a program that does not read.
    pub async fn write(&self, bytes: &[u8]) -> Result<(), TerminalError> {
        let device = self.shared.state().device.clone().ok_or(TerminalError::Ended)?;
        let deadline = Instant::now() + WRITE_PATIENCE;
        let blocked = |taken| TerminalError::WriteBlocked { taken, size: bytes.len() };
        let Ok(_turn) = timeout_at(deadline, self.shared.writing.lock()).await else {
            return Err(blocked(0));
        };
        let mut taken = 0;
        while taken < bytes.len() {
            // What the program asked before comes before what is typed, and nothing between its parts.
            let first = if taken == 0 { self.shared.replies.offer(&device) } else { Ok(true) };
            let written = match first {
                Ok(true) => rustix::io::write(device.get_ref(), &bytes[taken..]),
                Ok(false) => Err(Errno::AGAIN),
                Err(errno) => Err(errno),
            };
            match written {
                Ok(count) => taken += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if Instant::now() >= deadline {
                        return Err(blocked(taken));
                    }
                    takes_more(&device).await;
                }
                Err(Errno::IO) => return Err(TerminalError::Ended),
                Err(errno) => return Err(TerminalError::Device(errno.into())),
            }
            // What was all taken was typed, also when it ended the shell.
            let ended = matches!(self.shared.state().life, Life::Exited(_));
            if ended && taken < bytes.len() {
                return Err(TerminalError::Ended);
            }
        }
        Ok(())
    }

    pub fn resize(&self, size: Size) -> Result<(), TerminalError> {
        size.check()?;
        let mut state = self.shared.state();
        let device = state.device.clone().ok_or(TerminalError::Ended)?;
        rustix::termios::tcsetwinsize(device.get_ref(), window(size))
            .map_err(|errno| TerminalError::Device(errno.into()))?;
        state.model.resize(size);
        state.views.resized(size);
        drop(state);
        self.shared.announce();
        Ok(())
    }

    /// Reads the transcript; see [`TerminalRead`].
    pub fn read(&self, request: ReadRequest) -> Result<TerminalRead, TerminalError> {
        self.shared.state().model.read(request)
    }

    /// Reads the transcript and how the program is, both of the same moment: after the end there is
    /// no more to read.
    pub fn look(&self, request: ReadRequest) -> Result<Reading, TerminalError> {
        let mut state = self.shared.state();
        Ok(Reading { text: state.model.read(request)?, life: state.life })
    }

    /// Follows the raw output from this moment on, as the view of a number that no other view has.
    pub fn attach(&self, id: u64) -> Attachment {
        let mut state = self.shared.state();
        let State { model, views, .. } = &mut *state;
        let ready = views.add(id, model);
        Attachment { shared: Arc::clone(&self.shared), id, ready }
    }

    /// Somebody types in this view.
    pub fn worked_in(&self, view: u64) {
        self.shared.state().views.worked_in(view);
    }

    pub fn status(&self) -> Status {
        let state = self.shared.state();
        let marks = state.model.marks();
        let shell = match state.life {
            Life::Running { .. } => marks.state(),
            Life::Exited(_) => ShellState::Unknown,
        };
        Status {
            life: state.life,
            size: state.model.size(),
            alternate_screen: state.model.alternate_screen(),
            title: state.model.title().to_owned(),
            integration: marks.heard(),
            at_prompt: match shell {
                ShellState::AtPrompt => Some(true),
                ShellState::Running { .. } => Some(false),
                ShellState::Unknown => None,
            },
            running_command: match shell {
                ShellState::Running { command } => command,
                ShellState::AtPrompt | ShellState::Unknown => None,
            },
            cwd: marks.cwd().map(str::to_owned),
            last_ended: marks.last_ended().cloned(),
        }
    }

    /// The newest commands of the shell, oldest first, as far as it told of them.
    pub fn commands(&self) -> Vec<CommandMark> {
        self.shared.state().model.marks().history().cloned().collect()
    }

    /// A counter that moves when output arrives, the size changes or the program ends.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.changed.subscribe()
    }

    /// Ends the shell and everything it started, also what left its session, also after the shell
    /// itself has ended. Returns when all of it is gone.
    pub async fn kill(&self) -> Result<(), TerminalError> {
        openspace_process::end(&self.shared.tree, Signal::HUP, GRACE).await?;
        let mut changed = self.changed();
        let ended = async {
            // The lock must not live across the wait.
            let running = || matches!(self.shared.state().life, Life::Running { .. });
            while running() && changed.changed().await.is_ok() {}
        };
        match (timeout(REAP_PATIENCE, ended).await, self.shared.state().life) {
            (Err(_), Life::Running { pid }) => Err(TerminalError::StillRunning(vec![pid])),
            _ => Ok(()),
        }
    }
}

impl Shared {
    /// A panic while the lock was held leaves a state that is still consistent enough to read.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    fn take(&self, bytes: &[u8], device: &Device) {
        let replies = {
            let mut state = self.state();
            let State { model, views, .. } = &mut *state;
            let replies = model.process(bytes, views.is_empty());
            views.output(bytes);
            replies
        };
        self.announce();
        if replies.is_empty() {
            return;
        }
        self.replies.add(&replies);
        // At once where that is possible: a program may print on and on while it waits for an answer.
        if let Ok(_turn) = self.writing.try_lock()
            && let Err(error) = self.replies.offer(device)
        {
            tracing::debug!(%error, "a terminal's answer was not taken by its program");
        }
    }

    /// Answers the program as soon as it takes that and nobody else is writing. Losing the future
    /// loses no answer.
    async fn answer(&self, device: &Device) {
        let _turn = self.writing.lock().await;
        // A device that fails has no program that could take an answer.
        while matches!(self.replies.offer(device), Ok(false) | Err(Errno::INTR)) {
            takes_more(device).await;
        }
    }

    /// Takes what there is to read, and says whether the device is still open.
    async fn pump(&self, device: &Device) -> bool {
        let Ok(mut ready) = device.readable().await else { return false };
        let mut open = true;
        let full = BUFFER.with_borrow_mut(|buffer| {
            let mut filled = 0;
            while filled < buffer.len() {
                match rustix::io::read(device.get_ref(), &mut buffer[filled..]) {
                    Ok(0) => open = false,
                    Ok(count) => {
                        filled += count;
                        continue;
                    }
                    Err(Errno::INTR) => continue,
                    Err(Errno::AGAIN) => ready.clear_ready(),
                    // The kernel's way to say that the last process has closed its side.
                    Err(_) => open = false,
                }
                break;
            }
            if filled > 0 {
                self.take(&buffer[..filled], device);
            }
            filled == buffer.len()
        });
        if full {
            tokio::task::yield_now().await;
        }
        open
    }
}

/// Reads the device until the shell has ended and its output is drained.
async fn follow(shared: Arc<Shared>, device: Arc<Device>, mut child: Child) {
    let mut exit = None;
    let mut open = true;
    let mut deadline = Instant::now();
    while open || exit.is_none() {
        tokio::select! {
            biased;
            status = child.wait(), if exit.is_none() => {
                exit = Some(status.map_or(Exit { code: None, signal: None }, exit_of));
                deadline = Instant::now() + DRAIN;
            }
            () = sleep_until(deadline), if exit.is_some() => break,
            still_open = shared.pump(&device), if open => open = still_open,
            () = shared.answer(&device), if !shared.replies.is_empty() => {}
        }
    }
    let mut state = shared.state();
    state.life = Life::Exited(exit.unwrap_or(Exit { code: None, signal: None }));
    state.device = None;
    state.views.wake();
    drop(state);
    shared.announce();
}

/// Waits until the device may take more. A missed readiness event costs one retry, never the write.
async fn takes_more(device: &Device) {
    if let Ok(Ok(mut ready)) = timeout(WRITE_RETRY, device.writable()).await {
        ready.clear_ready();
        tokio::task::yield_now().await;
    }
}

fn exit_of(status: ExitStatus) -> Exit {
    Exit { code: status.code(), signal: status.signal() }
}

fn window(size: Size) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 }
}

fn check(spawn: &Spawn) -> Result<(), TerminalError> {
    spawn.size.check()?;
    if spawn.marker.is_empty() {
        return Err(TerminalError::MarkerEmpty);
    }
    for path in [&spawn.cwd, &spawn.shell] {
        if !path.is_absolute() {
            return Err(TerminalError::PathRelative(path.clone()));
        }
    }
    if !spawn.cwd.is_dir() {
        return Err(TerminalError::FolderMissing(spawn.cwd.clone()));
    }
    if !spawn.shell.exists() {
        return Err(TerminalError::ShellMissing(spawn.shell.clone()));
    }
    if !is_executable(&spawn.shell) {
        return Err(TerminalError::ShellNotExecutable(spawn.shell.clone()));
    }
    Ok(())
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

fn inject(spawn: &Spawn) -> Result<Option<Injection>, TerminalError> {
    let Some(integration) = &spawn.integration else { return Ok(None) };
    integration::prepare(spawn, integration)
        .map_err(|source| TerminalError::Integration { folder: integration.folder.clone(), source })
}

fn start(spawn: &Spawn, injection: Option<&Injection>) -> Result<(OwnedFd, Child), std::io::Error> {
    // The device is opened and made private in two steps; no other program may start in between and
    // inherit it.
    let _alone = openspace_process::starting();
    let (device, shell_side) = pty_process::open().map_err(std::io::Error::other)?;
    rustix::termios::tcsetwinsize(&device, window(spawn.size))?;
    let command = pty_process::Command::new(&spawn.shell);
    let command = match injection {
        Some(injection) => command.args(&injection.args),
        None => command.args(&spawn.args),
    };
    #[expect(unsafe_code, reason = "there is no other way to act between fork and exec")]
    // SAFETY: between fork and exec only system calls are made.
    let command = unsafe { command.pre_exec(openspace_process::take_back_open_files) };
    let injected = injection.map(|injection| injection.env.as_slice()).unwrap_or_default();
    let child = command
        .current_dir(&spawn.cwd)
        .env_clear()
        .envs(spawn.base_env.iter().map(|(name, value)| (name, value)))
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor")
        .envs(spawn.env.iter().map(|(name, value)| (name, value)))
        .envs(injected.iter().map(|(name, value)| (name, value)))
        .env(MARKER_VARIABLE, &spawn.marker)
        .kill_on_drop(true)
        .spawn(shell_side)
        .map_err(|error| match error {
            pty_process::Error::Io(error) => error,
            other => std::io::Error::other(other),
        })?;
    Ok((device.into(), child))
}

#[expect(
    unsafe_code,
    reason = "the descriptor stays open and the same as long as it is owned here"
)]
fn register(device: OwnedFd) -> std::io::Result<Device> {
    // SAFETY: the registration owns the descriptor and gives out shared references only, so nobody
    // can close or replace it before it is taken out of the registration.
    unsafe { AsyncFd::register(device) }.map_err(std::io::Error::from)
}

/// A view of a terminal. Dropping it detaches.
pub struct Attachment {
    shared: Arc<Shared>,
    id: u64,
    ready: Arc<Notify>,
}

impl Attachment {
    /// The next chunk; `None` after the last one. Losing the future loses no chunk.
    pub async fn next(&mut self) -> Option<Chunk> {
        loop {
            let popped = {
                let mut state = self.shared.state();
                let State { model, views, life, .. } = &mut *state;
                views.pop(self.id, model, *life)
            };
            match popped {
                Next::Chunk(chunk) => return Some(chunk),
                Next::Over => return None,
                Next::Wait => self.ready.notified().await,
            }
        }
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        self.shared.state().views.remove(self.id);
    }
}

#[cfg(test)]
mod tests;

//! Starting the shell of a run, and making sure that it never stays behind.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, setrlimit};
use tokio::process::{Child, Command};

use super::{LONGEST_COMMAND, ProcessError, Run};
use crate::tree::{self, MARKER_VARIABLE, Tree};

/// Keeps programs from waiting for a person who is not there.
pub(crate) const ENVIRONMENT: [(&str, &str); 8] = [
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", "dumb"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// The kernel takes at most 128 KiB in one argument.
const LONGEST_ARGUMENT: usize = 96 * 1024;

/// One program starts at a time.
static STARTING: Mutex<()> = Mutex::new(());

/// Holds up every other start of a program, for whoever has something open for a moment that a
/// program must not inherit.
pub fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A started shell. Dropping it ends the whole tree unless [`Started::over`] was called.
pub struct Started {
    pub(crate) child: Child,
    pub(crate) tree: Tree,
    over: bool,
}

impl Started {
    /// Starts a command in a session of its own, found again by the marker.
    pub fn spawn(command: &mut Command, marker: &str) -> std::io::Result<Self> {
        command.env(MARKER_VARIABLE, marker).kill_on_drop(true);
        lead_a_session(command);
        let child = {
            let _alone = starting();
            command.spawn()?
        };
        let Some(pid) = child.id() else {
            return Err(std::io::Error::other("the process has no number"));
        };
        Ok(Self { tree: Tree::new(pid, marker), child, over: false })
    }

    /// Nothing is left to end.
    pub(crate) fn over(&mut self) {
        self.over = true;
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        // The number is certainly the shell's own as long as the shell has not been waited for.
        let group = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(group) = group {
            _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        // A thread of its own, because the runtime may be about to end.
        let tree = self.tree.clone();
        let end = move || {
            if let Err(error) = tree::kill(tree) {
                tracing::warn!(%error, "an abandoned run was not ended");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("end-run".to_owned()).spawn(end) {
            tracing::warn!(%error, "processes that left the group of an abandoned run may stay");
        }
    }
}

pub(super) fn check(run: &Run) -> Result<(), ProcessError> {
    if run.command.trim().is_empty() {
        return Err(ProcessError::CommandEmpty);
    }
    if run.command.contains('\0') {
        return Err(ProcessError::CommandHasNul);
    }
    if run.command.len() > LONGEST_COMMAND {
        return Err(ProcessError::CommandTooLong { bytes: run.command.len() });
    }
    if run.marker.is_empty() {
        return Err(ProcessError::MarkerEmpty);
    }
    if let Some(path) =
        [&run.cwd, &run.shell, &run.spill].into_iter().find(|path| !path.is_absolute())
    {
        return Err(ProcessError::PathRelative(path.clone()));
    }
    if !run.cwd.is_dir() {
        return Err(ProcessError::FolderMissing(run.cwd.clone()));
    }
    if !run.spill.is_dir() {
        return Err(ProcessError::SpillMissing(run.spill.clone()));
    }
    if !run.shell.exists() {
        return Err(ProcessError::ShellMissing(run.shell.clone()));
    }
    if !is_executable(&run.shell) {
        return Err(ProcessError::ShellNotExecutable(run.shell.clone()));
    }
    Ok(())
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

pub(super) fn start(run: &Run) -> Result<Started, ProcessError> {
    let failed = |source| ProcessError::Spawn { shell: run.shell.clone(), source };
    let mut command = shell(run);
    command
        .current_dir(&run.cwd)
        .env_clear()
        .envs(run.base_env.iter().map(|(name, value)| (name, value)))
        .envs(ENVIRONMENT)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Started::spawn(&mut command, &run.marker).map_err(failed)
}

#[expect(clippy::disallowed_methods, reason = "this is where the processes of runs start")]
fn shell(run: &Run) -> Command {
    let mut command = Command::new(&run.shell);
    let script = run.command.as_str();
    if script.len() <= LONGEST_ARGUMENT {
        // A shell would take a leading sign for an option of its own.
        let space = if script.starts_with(['-', '+']) { " " } else { "" };
        command.arg("-c").arg(format!("{space}{script}"));
        return command;
    }
    let parts = parts(script);
    let joined =
        (1..=parts.len()).fold(String::new(), |all, number| all + &format!("${{{number}}}"));
    // The parameters are put together before the script takes them away.
    command.arg("-c").arg(format!("eval \"set --; {joined}\"")).arg(&run.shell).args(parts);
    command
}

fn parts(mut script: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    while !script.is_empty() {
        let (part, rest) = script.split_at(script.floor_char_boundary(LONGEST_ARGUMENT));
        parts.push(part);
        script = rest;
    }
    parts
}

#[expect(unsafe_code, reason = "there is no other way to call setsid between fork and exec")]
fn lead_a_session(command: &mut Command) {
    let act = || {
        rustix::process::setsid()?;
        take_back_open_files()
    };
    // SAFETY: between fork and exec only these system calls are made; they allocate nothing and take
    // no lock.
    unsafe { command.as_std_mut().pre_exec(act) };
}

/// How many files programs may have open unless they ask for more; 0 for as many as this process.
static OPEN_FILES: AtomicU64 = AtomicU64::new(0);

/// Lets programs that start from now on have no more files open than this, unless they ask for more:
/// this process has taken more for itself.
pub fn give_back_open_files(soft: u64) {
    OPEN_FILES.store(soft, Ordering::Relaxed);
}

/// For a program between fork and exec: takes the limit that programs have. It only makes system calls.
pub fn take_back_open_files() -> std::io::Result<()> {
    let soft = OPEN_FILES.load(Ordering::Relaxed);
    if soft == 0 {
        return Ok(());
    }
    let limit = Rlimit { current: Some(soft), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).map_err(std::io::Error::from)
}

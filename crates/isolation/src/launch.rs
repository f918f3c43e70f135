//! Starting the first process of a place, with everything that must hold before it runs a single
//! instruction of its own: its cgroups, its limits, its identity and its open files.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{Gid, Uid};
use rustix::io::{Errno, FdFlags};
use rustix::process::{Resource, Rlimit, getrlimit};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Files that other threads may open between counting and forking.
const OPENED_MEANWHILE: RawFd = 256;

/// How long a process may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    /// Stay open in the process, under the same numbers. All others are closed.
    pub(crate) kept: Vec<OwnedFd>,
    /// `cgroup.procs` of the groups to join.
    pub(crate) joined: Vec<OwnedFd>,
    pub(crate) limits: Vec<(Resource, u64)>,
    /// How many files it may have open unless it asks for more; as many as this process when left out.
    pub(crate) open_files: Option<u64>,
    /// Whom to become.
    pub(crate) identity: Option<(Uid, Gid)>,
}

#[expect(clippy::disallowed_methods, reason = "this is where the processes of places start")]
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().current_dir("/").kill_on_drop(true);
    command
}

/// Starts the process with pipes for its three streams.
pub(crate) async fn start(launch: Launch) -> io::Result<Child> {
    let mut command = command(&launch.program);
    command
        .args(&launch.arguments)
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&launch.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (reply, child) = oneshot::channel();
    let starter = starter()?;
    let job = Job { command, launch, runtime: Handle::current(), reply };
    let gone = || io::Error::other("the thread that starts processes is gone");
    starter.send(job).map_err(|_| gone())?;
    match tokio::time::timeout(PATIENCE, child).await {
        Ok(child) => child.map_err(|_| gone())?,
        // Whoever comes too late is ended: nobody takes it.
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}

struct Job {
    command: Command,
    launch: Launch,
    runtime: Handle,
    reply: oneshot::Sender<io::Result<Child>>,
}

/// The kernel sends the signal that bubblewrap asks for at the death of its parent when the
/// *thread* that forked it ends, and threads of a pool end when they idle. So one thread that
/// never ends starts everything.
fn starter() -> io::Result<Sender<Job>> {
    static STARTER: Mutex<Option<Sender<Job>>> = Mutex::new(None);
    let mut starter = STARTER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(starter) = &*starter {
        return Ok(starter.clone());
    }
    let (jobs, received) = channel();
    std::thread::Builder::new().name("start-places".to_owned()).spawn(move || serve(&received))?;
    *starter = Some(jobs.clone());
    Ok(jobs)
}

fn serve(jobs: &Receiver<Job>) {
    while let Ok(Job { mut command, launch, runtime, reply }) = jobs.recv() {
        let _runtime = runtime.enter();
        let child = highest_open_file().and_then(|highest| {
            prepare(&mut command, launch, highest.saturating_add(OPENED_MEANWHILE));
            command.spawn()
        });
        // Nobody waits any more: dropping the child kills it.
        drop(reply.send(child));
    }
}

fn highest_open_file() -> io::Result<RawFd> {
    let mut highest = 2;
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    Ok(highest)
}

#[expect(unsafe_code, reason = "there is no other way to act between fork and exec")]
fn prepare(command: &mut Command, launch: Launch, highest: RawFd) {
    let Launch { kept, joined, limits, open_files, identity, .. } = launch;
    let act = move || {
        rustix::process::setsid()?;
        for group in &joined {
            // Zero means the one who writes.
            rustix::io::write(group, b"0")?;
        }
        if open_files.is_some() {
            let limit = Rlimit { current: open_files, ..getrlimit(Resource::Nofile) };
            rustix::process::setrlimit(Resource::Nofile, limit)?;
        }
        for (resource, value) in &limits {
            let value = Some(*value);
            rustix::process::setrlimit(*resource, Rlimit { current: value, maximum: value })?;
        }
        for number in 3..=highest {
            // SAFETY: the number is only handed to the kernel, which says if it is no open file.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            match rustix::io::fcntl_setfd(file, FdFlags::CLOEXEC) {
                Ok(()) | Err(Errno::BADF) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for file in &kept {
            debug_assert!(file.as_raw_fd() > 2);
            rustix::io::fcntl_setfd(file.as_fd(), FdFlags::empty())?;
        }
        if let Some((user, group)) = identity {
            rustix::thread::set_thread_groups(&[])?;
            rustix::thread::set_thread_res_gid(group, group, group)?;
            rustix::thread::set_thread_res_uid(user, user, user)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only system calls are made; nothing allocates or locks.
    unsafe { command.as_std_mut().pre_exec(act) };
}

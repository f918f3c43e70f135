//! Finding and ending every process that belongs to a run or a terminal.
//!
//! A process belongs to it by its session, by its ancestors or by the marker in its environment,
//! which follows a program that leaves session and parent behind. This module ends such processes
//! only; it starts none and never touches this process or its ancestors.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};

/// The variable that carries a marker.
pub const MARKER_VARIABLE: &str = "OPENSPACE_TERMINAL";

const FIRST_WAIT: Duration = Duration::from_millis(2);
const LONGEST_WAIT: Duration = Duration::from_millis(100);
const KILL_ROUNDS: usize = 25;
/// In this time no machine uses up all numbers of processes.
const NUMBERS_LAST: Duration = Duration::from_millis(500);
/// More than the kernel ever tells of one process: about fifty numbers and a short name.
const STAT_BYTES: usize = 4096;
/// As much as most environments have.
const ENVIRONMENT_BYTES: usize = 16 * 1024;

/// Why processes were not ended.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Without a marker nothing can be told apart.
    #[error("a marker must not be empty")]
    MarkerEmpty,
    /// They live after every attempt.
    #[error("processes are still running: {0:?}")]
    StillRunning(Vec<u32>),
    /// It was not learnt which there are.
    #[error("the processes could not be looked at")]
    Unseen(#[source] std::io::Error),
}

/// A process and when it started, so that a number used again is not taken for the same process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity {
    pid: i32,
    start: u64,
}

struct Process {
    identity: Identity,
    parent: i32,
    group: i32,
    session: i32,
    zombie: bool,
}

/// The processes of one terminal or run, as far as they were ever seen.
#[derive(Clone)]
pub struct Tree {
    leader: i32,
    leader_start: Option<u64>,
    marker: String,
    begin: Instant,
    known: HashSet<Identity>,
}

impl Tree {
    /// Call right after the shell was started, while its number is certainly its own.
    pub fn new(leader: u32, marker: &str) -> Self {
        let leader = i32::try_from(leader).unwrap_or_default();
        Self {
            leader,
            leader_start: inspect(leader).map(|process| process.identity.start),
            marker: marker.to_owned(),
            begin: Instant::now(),
            known: HashSet::new(),
        }
    }

    /// The smallest number that a process of the tree can have. Numbers grow until they start
    /// again, so what is younger than the shell has a larger one: of the many processes of a machine
    /// only few have to be looked at after a small command.
    fn smallest(&self) -> i32 {
        let may_have_started_again = self.begin.elapsed() > NUMBERS_LAST
            || newest_number().is_none_or(|newest| newest < self.leader);
        if may_have_started_again { 0 } else { self.leader }
    }

    /// The living processes of the tree, the oldest first.
    fn scan(&mut self) -> Vec<Identity> {
        let processes = processes(self.smallest());
        let by_pid: HashMap<i32, &Process> =
            processes.iter().map(|process| (process.identity.pid, process)).collect();
        let leader = by_pid.get(&self.leader).map(|process| process.identity);
        // A leader with another start time means that the number was used again.
        let session_is_ours = leader.is_none_or(|leader| Some(leader.start) == self.leader_start);
        let untouchable = lineage(&by_pid);
        let mut entry = format!("{MARKER_VARIABLE}={}", self.marker).into_bytes();
        entry.push(0);

        // Whatever is older than the shell cannot come from it, and to read the environment of every
        // process of the machine would take longer than a small command.
        let may_be_ours = |process: &Process| {
            self.leader_start.is_none_or(|start| process.identity.start >= start)
        };
        for process in processes.iter().filter(|process| may_be_ours(process)) {
            if (session_is_ours && process.session == self.leader)
                || environment_has(process.identity.pid, |variable| variable == entry)
            {
                self.known.insert(process.identity);
            }
        }
        // Children may stand before their parents in the list, so repeat until nothing is new.
        loop {
            let before = self.known.len();
            for process in &processes {
                let parent = by_pid.get(&process.parent).map(|parent| parent.identity);
                if parent.is_some_and(|parent| self.known.contains(&parent)) {
                    self.known.insert(process.identity);
                }
            }
            if self.known.len() == before {
                break;
            }
        }
        let alive: HashSet<Identity> = processes
            .iter()
            .filter(|process| !process.zombie && !untouchable.contains(&process.identity.pid))
            .map(|process| process.identity)
            .collect();
        self.known.retain(|identity| by_pid.contains_key(&identity.pid));
        let mut living: Vec<Identity> =
            self.known.iter().filter(|identity| alive.contains(identity)).copied().collect();
        // The oldest first: a shell must hear of a signal before it sees its children die of it, or
        // it takes that for their ordinary end and goes on without its own trap.
        living.sort_unstable_by_key(|identity| (identity.start, identity.pid));
        living
    }
}

/// Asks the whole tree to end with the signal `first`, waits for `grace`, then ends it. Returns
/// when nothing is left, with the number of processes that were told.
pub async fn end(tree: &Tree, first: Signal, grace: Duration) -> Result<usize, TreeError> {
    let mut tree = tree.clone();
    let mut told = HashSet::new();
    let mut wait = FIRST_WAIT;
    let mut waited = Duration::ZERO;
    while waited < grace {
        let left;
        (tree, left) = scan(tree).await?;
        if left.is_empty() {
            return Ok(told.len());
        }
        for identity in left {
            if told.insert(identity) {
                send(identity, first);
                send(identity, Signal::CONT);
            }
        }
        tokio::time::sleep(wait).await;
        waited += wait;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    wait = FIRST_WAIT;
    let mut left = Vec::new();
    for _ in 0..KILL_ROUNDS {
        (tree, left) = scan(tree).await?;
        if left.is_empty() {
            return Ok(told.len());
        }
        for &identity in &left {
            told.insert(identity);
            send(identity, Signal::KILL);
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    Err(TreeError::StillRunning(pids(&left)))
}

/// Ends the whole tree at once, for where nothing can be awaited. Blocks.
pub(crate) fn kill(mut tree: Tree) -> Result<(), TreeError> {
    let mut wait = FIRST_WAIT;
    let mut left = Vec::new();
    for _ in 0..KILL_ROUNDS {
        left = tree.scan();
        if left.is_empty() {
            return Ok(());
        }
        for &identity in &left {
            send(identity, Signal::KILL);
        }
        std::thread::sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    Err(TreeError::StillRunning(pids(&left)))
}

/// Interrupts the processes in the session of the terminal's shell, never the shell itself: those
/// of one group, or all of them where the kernel does not tell which group is in the foreground.
/// Returns how many were told.
pub async fn interrupt(tree: &Tree, group: Option<i32>) -> Result<usize, TreeError> {
    let tree = tree.clone();
    let told = move || {
        let processes = processes(0);
        let by_pid: HashMap<i32, &Process> =
            processes.iter().map(|process| (process.identity.pid, process)).collect();
        let leader = by_pid.get(&tree.leader).map(|process| process.identity.start);
        let untouchable = lineage(&by_pid);
        let meant = processes.iter().filter(|process| {
            let pid = process.identity.pid;
            process.session == tree.leader
                && leader == tree.leader_start
                && group.is_none_or(|group| process.group == group)
                && pid > 1
                && pid != tree.leader
                && !process.zombie
                && !untouchable.contains(&pid)
        });
        meant.map(|process| send(process.identity, Signal::INT)).count()
    };
    tokio::task::spawn_blocking(told).await.map_err(|failure| TreeError::Unseen(failure.into()))
}

async fn scan(mut tree: Tree) -> Result<(Tree, Vec<Identity>), TreeError> {
    if tree.smallest() > 0 {
        // Few processes are looked at: a change of thread would take longer.
        let found = tree.scan();
        return Ok((tree, found));
    }
    tokio::task::spawn_blocking(move || {
        let found = tree.scan();
        (tree, found)
    })
    .await
    .map_err(|failure| TreeError::Unseen(failure.into()))
}

/// Ends what a server that died without cleaning up left behind: every process of this user whose
/// marker starts with `prefix`. Returns how many were found. Blocks; not for an async task.
pub fn reap_marked(prefix: &str) -> Result<usize, TreeError> {
    if prefix.is_empty() {
        return Err(TreeError::MarkerEmpty);
    }
    let start = format!("{MARKER_VARIABLE}={prefix}").into_bytes();
    let mut found = HashSet::new();
    let mut wait = FIRST_WAIT;
    let mut left = Vec::new();
    for _ in 0..KILL_ROUNDS {
        let processes = processes(0);
        let by_pid = processes.iter().map(|process| (process.identity.pid, process)).collect();
        let untouchable = lineage(&by_pid);
        left = processes
            .iter()
            .filter(|process| !process.zombie && !untouchable.contains(&process.identity.pid))
            .map(|process| process.identity)
            .filter(|identity| environment_has(identity.pid, |entry| entry.starts_with(&start)))
            .collect();
        if left.is_empty() {
            return Ok(found.len());
        }
        for &identity in &left {
            found.insert(identity);
            send(identity, Signal::KILL);
        }
        std::thread::sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    Err(TreeError::StillRunning(pids(&left)))
}

fn pids(identities: &[Identity]) -> Vec<u32> {
    identities.iter().filter_map(|identity| u32::try_from(identity.pid).ok()).collect()
}

/// This process and its ancestors: a server may itself run inside a terminal.
fn lineage(by_pid: &HashMap<i32, &Process>) -> HashSet<i32> {
    let mut lineage = HashSet::new();
    let mut next = rustix::process::getpid().as_raw_pid();
    while lineage.insert(next) {
        match by_pid.get(&next) {
            Some(process) => next = process.parent,
            None => break,
        }
    }
    lineage
}

/// Sends a signal to exactly this process. One that has gone meanwhile, or that belongs to another
/// user, is no failure here: the scan that follows tells what is left.
fn send(identity: Identity, signal: Signal) {
    let Some(pid) = Pid::from_raw(identity.pid) else { return };
    let still_the_same =
        || inspect(identity.pid).is_some_and(|process| process.identity == identity);
    match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if still_the_same() => {
            _ = rustix::process::pidfd_send_signal(handle, signal);
        }
        Err(Errno::NOSYS) if still_the_same() => {
            _ = rustix::process::kill_process(pid, signal);
        }
        Ok(_) | Err(_) => {}
    }
}

/// The number of the process that was started last.
fn newest_number() -> Option<i32> {
    let mut text = [0; 128];
    let length = open("/proc/loadavg")?.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.split_ascii_whitespace().next_back()?.parse().ok()
}

/// The processes of this user from a number on.
fn processes(smallest: i32) -> Vec<Process> {
    let user = rustix::process::geteuid().as_raw();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok().filter(|pid| *pid >= smallest)?;
            let ours = user == 0 || entry.metadata().is_ok_and(|entry| entry.uid() == user);
            ours.then(|| inspect(pid)).flatten()
        })
        .collect()
}

fn inspect(pid: i32) -> Option<Process> {
    // In one read: a file without a known size would otherwise be read in many small pieces.
    let mut stat = [0; STAT_BYTES];
    let length = open(&format!("/proc/{pid}/stat"))?.read(&mut stat).ok()?;
    let stat = String::from_utf8_lossy(&stat[..length]);
    // The name before the last bracket may hold spaces and brackets of its own.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X" | "x");
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let start = fields.nth(15)?.parse().ok()?;
    Some(Process { identity: Identity { pid, start }, parent, group, session, zombie })
}

/// Whether any variable, given with its closing zero byte, fits.
fn environment_has(pid: i32, fits: impl Fn(&[u8]) -> bool) -> bool {
    let mut environment = Vec::with_capacity(ENVIRONMENT_BYTES);
    open(&format!("/proc/{pid}/environ"))
        .and_then(|mut file| file.read_to_end(&mut environment).ok())
        .is_some_and(|_| environment.split_inclusive(|&byte| byte == 0).any(fits))
}

#[expect(clippy::disallowed_methods, reason = "the process table is no file of a workspace")]
fn open(path: &str) -> Option<File> {
    File::open(path).ok()
}

/// Bytes of memory that all living processes of a tree have in the machine now; what several of them share counts for
/// each. One that ends meanwhile has none. Blocks.
pub fn resident(tree: &Tree) -> u64 {
    tree.clone().scan().into_iter().filter_map(|identity| resident_of(identity.pid)).sum()
}

fn resident_of(pid: i32) -> Option<u64> {
    let mut text = [0; STAT_BYTES];
    let length = open(&format!("/proc/{pid}/status"))?.read(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text[..length]);
    let kibibytes = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim();
    let kibibytes: u64 = kibibytes.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}

/// Whether a process of this number lives. One that has ended and was not waited for does not.
pub fn is_running(pid: u32) -> bool {
    i32::try_from(pid).ok().and_then(inspect).is_some_and(|process| !process.zombie)
}

#[cfg(test)]
mod tests;

//! Programs of the place that stand still, so that what somebody outside looks at stays as it was seen.
//!
//! They are stopped in order, parents first; then all in one step by the kernel, so that nobody is left out,
//! and looked at until each thread of each has come to rest: one that was in the middle of a system call ends
//! it first. A program that lets others go on is stopped again. They go on when nobody needs it any more, and at the latest after the time that was
//! said. Stopped programs end with their place like others, so nothing is left stopped when this process
//! or the server ends.
//!
//! It knows nothing of why they are stopped, and does not stop what has the time to make itself ready: a
//! place whose programs do not come to rest is refused, not ended.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ffi::OsStr;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Signal;

use super::mounts::Joined;
use super::{KeepError, Keeper};
use crate::kernel;

/// How long programs may take to come to rest. Meanwhile nothing that became secret is hidden for the time of
/// one round at most.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long one round waits. Who starts a program waits for it in a way that cannot be stopped, so both are let
/// go and stopped anew.
const ROUND: Duration = Duration::from_millis(40);
/// How long programs may go on between two rounds.
const BETWEEN: Duration = Duration::from_millis(4);
/// How often it is looked whether all stand still.
const LOOK: Duration = Duration::from_micros(300);
/// Rounds after each of which all must stand still. In the first a program may have been about to let others
/// go on.
const ROUNDS: usize = 2;

/// When it is looked again whether all have gone on: some programs stop themselves when they hear that one of
/// theirs was stopped.
const AGAIN: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_millis(300), Duration::from_secs(1)];

/// Who asked that programs stand still, and until when at the latest.
#[derive(Default)]
pub(super) struct Still {
    held: BTreeMap<u64, Instant>,
    /// Processes that stood still before, and will afterwards.
    before: BTreeSet<Process>,
    /// Processes that went on when they were last let go, and when it is looked whether they did.
    went_on: BTreeSet<Process>,
    again: VecDeque<Instant>,
}

/// A process as the place counts, and when it began: its number may be another's later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    pid: u32,
    began: u64,
}

/// A process as it was seen.
#[derive(Debug)]
struct Sight {
    process: Process,
    parent: u32,
    name: String,
    moves: bool,
    is_stopped: bool,
}

impl Keeper {
    /// Makes all programs stand still; says why they do not.
    pub(super) fn hold(
        &mut self,
        id: u64,
        at_most: Duration,
        joined: &Joined,
    ) -> Result<Option<String>, KeepError> {
        let now = Instant::now();
        let Some(until) = now.checked_add(at_most) else {
            return Err(KeepError::Ask("it would hold programs for ever"));
        };
        let is_first = self.still.held.is_empty();
        if is_first {
            self.still.note_stopped();
        }
        let mut rounds = 0;
        while rounds < ROUNDS {
            stop_in_order();
            let Err(moving) = stop(joined) else {
                rounds += 1;
                continue;
            };
            rounds = 0;
            // Those that were made to stand still for somebody else stay so.
            if is_first {
                self.still.go_on();
            }
            if now.elapsed() > PATIENCE {
                return Ok(Some(moving));
            }
            self.take_in()?;
            if is_first {
                std::thread::sleep(BETWEEN);
            }
        }
        self.still.again.clear();
        self.still.held.insert(id, until);
        Ok(None)
    }
}

impl Still {
    /// Notes who stands still already.
    fn note_stopped(&mut self) {
        let was_let_go = |it: &Process| !self.again.is_empty() && self.went_on.contains(it);
        let stopped = look().into_iter().filter(|it| it.is_stopped).map(|it| it.process);
        self.before = stopped.filter(|it| !was_let_go(it)).collect();
        self.again.clear();
    }

    /// When there is next something to do.
    pub(super) fn until(&self) -> Option<Instant> {
        self.held.values().min().into_iter().chain(self.again.front()).min().copied()
    }

    pub(super) fn let_go(&mut self, id: u64) {
        if self.held.remove(&id).is_some() && self.held.is_empty() {
            self.go_on();
        }
    }

    /// Lets go of those who have held programs for longer than they said, and looks whether all that was let go
    /// has gone on.
    pub(super) fn take_care(&mut self, now: Instant) {
        if self.again.pop_front_if(|at| *at <= now).is_some() {
            let stopped = look().into_iter().filter(|it| it.is_stopped).map(|it| it.process);
            for process in stopped.filter(|it| self.went_on.contains(it)) {
                // One that is gone needs no signal.
                _ = send(process.pid, Signal::CONT);
            }
        }
        let late: Vec<u64> =
            self.held.iter().filter(|(_, until)| **until <= now).map(|(id, _)| *id).collect();
        for id in late {
            self.let_go(id);
        }
    }

    fn go_on(&mut self) {
        let seen = look();
        let parents: HashMap<u32, u32> =
            seen.iter().map(|it| (it.process.pid, it.parent)).collect();
        let depth = |pid: u32| {
            let above = std::iter::successors(Some(pid), |pid| parents.get(pid).copied());
            above.take(seen.len()).count()
        };
        let mut order: Vec<(usize, Process)> = seen
            .iter()
            .filter(|it| !self.before.contains(&it.process))
            .map(|it| (depth(it.process.pid), it.process))
            .collect();
        // A shell must not see that its children were stopped, so they go on before it does.
        order.sort_unstable_by(|one, other| other.cmp(one));
        let now = Instant::now();
        self.again = AGAIN.iter().map(|after| now + *after).collect();
        self.went_on = order.iter().map(|(_, process)| *process).collect();
        for (_, process) in order {
            // One that is gone needs no signal.
            _ = send(process.pid, Signal::CONT);
        }
    }
}

/// Stops each after its parent has come to rest: a shell that sees its program stop takes it for put aside, and
/// who waits for one that it has just started cannot come to rest before that one has begun. Who does not play
/// along is left to [`stop`].
fn stop_in_order() {
    let begun = Instant::now();
    while begun.elapsed() < ROUND {
        let seen = look();
        let moving: BTreeSet<u32> =
            seen.iter().filter(|it| it.moves).map(|it| it.process.pid).collect();
        if moving.is_empty() {
            return;
        }
        for it in seen.iter().filter(|it| it.moves && !moving.contains(&it.parent)) {
            // One that is gone needs no signal.
            _ = send(it.process.pid, Signal::STOP);
        }
        std::thread::sleep(LOOK);
    }
}

/// Stops all and waits until they stand still; says who does not.
fn stop(joined: &Joined) -> Result<(), String> {
    let begun = Instant::now();
    kernel::signal_all(libc::SIGSTOP)
        .map_err(|error| format!("they cannot be reached: {error}"))?;
    loop {
        let seen = look();
        // Somebody is always there, as long as the place is.
        if seen.is_empty() && !joined.has_ended(Duration::ZERO) {
            return Err("they cannot be seen".to_owned());
        }
        let Some(moving) = seen.into_iter().find(|it| it.moves) else { return Ok(()) };
        if begun.elapsed() > ROUND {
            return Err(format!("`{}` ({}) goes on", moving.name, moving.process.pid));
        }
        std::thread::sleep(LOOK);
    }
}

/// All processes of the place.
fn look() -> Vec<Sight> {
    numbers("/proc".as_ref()).filter_map(sight).collect()
}

fn numbers(folder: &OsStr) -> impl Iterator<Item = u32> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// One process, unless it is gone.
fn sight(pid: u32) -> Option<Sight> {
    let facts = Facts::read(&format!("/proc/{pid}/stat"))?;
    let tasks = format!("/proc/{pid}/task");
    let threads: Vec<u8> = numbers(tasks.as_ref())
        .filter_map(|task| Some(Facts::read(&format!("{tasks}/{task}/stat"))?.state))
        .collect();
    Some(Sight {
        process: Process { pid, began: facts.began },
        parent: facts.parent,
        name: facts.name,
        // Stopped, stopped by who traces it, ended.
        moves: threads.iter().any(|state| !b"TtZXx".contains(state)),
        is_stopped: threads.iter().all(|state| b"TZXx".contains(state)) && threads.contains(&b'T'),
    })
}

/// What the kernel says of a process or a thread in one line.
struct Facts {
    name: String,
    state: u8,
    parent: u32,
    began: u64,
}

impl Facts {
    #[expect(clippy::disallowed_methods, reason = "a fact of the kernel is no file of a workspace")]
    fn read(path: &str) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(&std::fs::read(path).ok()?))
    }

    fn parse(line: &str) -> Option<Self> {
        // The name may have anything in it, brackets and spaces too.
        let (before, after) = line.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let mut fields = after.split_ascii_whitespace();
        let state = fields.next()?.bytes().next()?;
        let parent = fields.next()?.parse().ok()?;
        let began = fields.nth(17)?.parse().ok()?;
        Some(Self { name: name.to_owned(), state, parent, began })
    }
}

/// Sends a signal to a process by the number it has in the place.
fn send(pid: u32, signal: Signal) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let process = rustix::fs::open(format!("/proc/{pid}"), flags, Mode::empty())?;
    rustix::process::pidfd_send_signal(process, signal)
}

#[cfg(test)]
mod tests {
    use super::Facts;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_hide_what_follows() {
        let fields = (5..22).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
        let facts = Facts::parse(&format!("12 (a) R (b) T 7 {fields} 99 1 2")).unwrap();
        let Facts { name, state, parent, began } = facts;
        assert_eq!((name.as_str(), state, parent, began), ("a) R (b", b'T', 7, 99));
    }
}

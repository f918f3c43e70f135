//! How much one caller may do at once and in one turn, and what it did last.
//!
//! A turn of a caller whose prompts we cannot see is a burst of calls without an idle gap. Calls that
//! are refused because a turn is used up do not make it longer: who asks again and again gets in. A
//! person's every action is a turn of its own, so only the limit on concurrent calls binds people.
//! All sessions of an agent share one turn, because it begins sessions at will.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_protocol::ErrorKind;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::{sync::OwnedMutexGuard, time::Instant};

use crate::{Caller, CallerKind, Error, Outcome, Record, Result, repeats::Repeats};

/// The numbers. Set when the server starts; no command can change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls of one caller that may run at the same time.
    pub concurrent: u32,
    /// Calls of one caller in one turn.
    pub per_turn: u32,
    /// State-changing calls of one caller that may wait in line.
    pub queued: u32,
    /// An idle gap that ends a turn.
    pub turn_gap: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { concurrent: 10, per_turn: 50, queued: 50, turn_gap: Duration::from_secs(2) }
    }
}

/// What a caller has left, given with every result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Calls left in this turn; absent for people, who have no such limit.
    pub calls_left: Option<u32>,
    /// Calls that may be started now beside those running.
    pub concurrent_left: u32,
    /// State-changing calls waiting in line.
    pub queued: u32,
}

/// What all callers do together, for numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Calls that run.
    pub running: u32,
    /// Calls that wait in their callers' lines.
    pub waiting: u32,
}

/// A call that ended, as the ring of recent results keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recent {
    /// Canonical id.
    pub command: String,
    /// One line that names things.
    pub summary: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The error's sentence.
    pub error: Option<String>,
}

/// Results remembered for each caller.
const RING: usize = 20;
/// Callers remembered; the longest idle ones are forgotten.
const MAX_CALLERS: usize = 1_000;
/// A line this deep is worth a warning.
const DEEP_QUEUE: f64 = 0.8;

struct State {
    running: u32,
    waiting: u32,
    last_active: Instant,
    line: Arc<tokio::sync::Mutex<()>>,
    recent: VecDeque<Recent>,
    repeats: Repeats,
}

impl State {
    fn new(now: Instant) -> Self {
        Self {
            running: 0,
            waiting: 0,
            last_active: now,
            line: Arc::default(),
            recent: VecDeque::new(),
            repeats: Repeats::default(),
        }
    }
}

/// A turn of one client.
struct Turn {
    /// Calls that were let in.
    used: u32,
    /// Calls of any of its sessions that run or wait.
    going_on: u32,
    last_active: Instant,
}

impl Turn {
    fn new(now: Instant) -> Self {
        Self { used: 0, going_on: 0, last_active: now }
    }
}

/// What turns are kept by.
fn turn_key(caller: &Caller) -> String {
    match caller.kind {
        CallerKind::Agent => Caller { session: None, ..caller.clone() }.key(),
        _ => caller.key(),
    }
}

#[derive(Default)]
struct All {
    /// By caller, each session for itself.
    states: HashMap<String, State>,
    /// By client.
    turns: HashMap<String, Turn>,
}

impl All {
    fn state(&mut self, caller: &Caller) -> &mut State {
        self.states.entry(caller.key()).or_insert_with(|| State::new(Instant::now()))
    }

    fn turn(&mut self, caller: &Caller) -> &mut Turn {
        self.turns.entry(turn_key(caller)).or_insert_with(|| Turn::new(Instant::now()))
    }
}

/// The state of all callers.
#[derive(Default)]
pub(crate) struct Callers {
    all: Mutex<All>,
}

impl Callers {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Count a call against the turn, or refuse it.
    pub(crate) fn count(&self, caller: &Caller, limits: &Limits) -> Result<()> {
        let now = Instant::now();
        let mut all = self.lock();
        all.forget_idle();
        all.state(caller).last_active = now;
        if caller.kind == CallerKind::Person {
            return Ok(());
        }
        let turn = all.turn(caller);
        if turn.going_on == 0 && now.duration_since(turn.last_active) >= limits.turn_gap {
            turn.used = 0;
        }
        if turn.used >= limits.per_turn {
            return Err(Error::new(
                ErrorKind::Limit,
                format!("all {} calls of this turn are used", limits.per_turn),
            )
            .hint(format!(
                "a new turn starts {:.1} s after the last call that was let in; plan fewer, larger calls",
                limits.turn_gap.as_secs_f64()
            )));
        }
        turn.last_active = now;
        turn.used += 1;
        Ok(())
    }

    /// Wait in the caller's line. Waiting calls do not count as running.
    pub(crate) async fn queue(self: &Arc<Self>, caller: &Caller, limits: &Limits) -> Result<Front> {
        let (line, waiting) = {
            let mut all = self.lock();
            let state = all.state(caller);
            if state.waiting >= limits.queued {
                return Err(Error::new(
                    ErrorKind::Busy,
                    format!("{} calls that change state are already waiting", state.waiting),
                )
                .hint("wait for their results before sending more"));
            }
            state.waiting += 1;
            let line = Arc::clone(&state.line);
            all.turn(caller).going_on += 1;
            (line, Waiting { callers: Arc::clone(self), caller: caller.clone() })
        };
        let guard = line.lock_owned().await;
        drop(waiting);
        Ok(Front(guard))
    }

    /// Take one of the places for running calls, or refuse.
    pub(crate) fn start(self: &Arc<Self>, caller: &Caller, limits: &Limits) -> Result<Running> {
        let mut all = self.lock();
        let state = all.state(caller);
        if state.running >= limits.concurrent {
            return Err(Error::new(
                ErrorKind::Busy,
                format!("{} calls of this caller are already running", state.running),
            )
            .hint("wait for one of them to end, then call again"));
        }
        state.running += 1;
        all.turn(caller).going_on += 1;
        Ok(Running { callers: Arc::clone(self), caller: caller.clone() })
    }

    /// Start a new turn, because the caller or a prompt says so.
    pub(crate) fn new_turn(&self, caller: &Caller) {
        if let Some(turn) = self.lock().turns.get_mut(&turn_key(caller)) {
            turn.used = 0;
        }
    }

    /// What the caller has left.
    pub(crate) fn budget(&self, caller: &Caller, limits: &Limits) -> Budget {
        let all = self.lock();
        let (running, waiting) =
            all.states.get(&caller.key()).map_or((0, 0), |state| (state.running, state.waiting));
        let used = all.turns.get(&turn_key(caller)).map_or(0, |turn| turn.used);
        let limited = caller.kind != CallerKind::Person;
        Budget {
            calls_left: limited.then(|| limits.per_turn.saturating_sub(used)),
            concurrent_left: limits.concurrent.saturating_sub(running),
            queued: waiting,
        }
    }

    /// Remember how a call ended.
    pub(crate) fn remember(&self, record: &Record) {
        if let Some(state) = self.lock().states.get_mut(&record.caller.key()) {
            if state.recent.len() == RING {
                state.recent.pop_front();
            }
            state.recent.push_back(Recent {
                command: record.command.clone(),
                summary: record.summary.clone(),
                outcome: record.outcome,
                error: record.error.clone(),
            });
        }
    }

    /// Refuse a call that its caller keeps repeating although it fails.
    pub(crate) fn check_repeated(&self, caller: &Caller, call: Option<u64>) -> Result<()> {
        let Some(call) = call else { return Ok(()) };
        match self.lock().states.get_mut(&caller.key()) {
            Some(state) => state.repeats.check(call, Instant::now()),
            None => Ok(()),
        }
    }

    /// Remember whether a call failed as it did before; its answer, with advice where it did.
    pub(crate) fn advised<T>(
        &self,
        caller: &Caller,
        call: Option<u64>,
        answer: Result<T>,
    ) -> Result<T> {
        let Some(call) = call else { return answer };
        let mut all = self.lock();
        let Some(state) = all.states.get_mut(&caller.key()) else { return answer };
        match answer {
            Ok(answer) => {
                state.repeats.succeeded(call);
                Ok(answer)
            }
            Err(error) => Err(state.repeats.failed(call, error, Instant::now())),
        }
    }

    /// What all of them do together.
    pub(crate) fn load(&self) -> Load {
        self.lock().states.values().fold(Load::default(), |load, state| Load {
            running: load.running + state.running,
            waiting: load.waiting + state.waiting,
        })
    }

    /// The last results of a caller, oldest first.
    pub(crate) fn recent(&self, caller: &Caller) -> Vec<Recent> {
        self.lock()
            .states
            .get(&caller.key())
            .map_or_else(Vec::new, |state| state.recent.iter().cloned().collect())
    }

    /// Failures that a caller repeated without a success of the same call since.
    pub(crate) fn repeated_failures(&self) -> Vec<(Recent, usize)> {
        let all = self.lock();
        let mut found: Vec<(Recent, usize)> = Vec::new();
        for state in all.states.values() {
            for (index, call) in state.recent.iter().enumerate() {
                let same = |other: &&Recent| {
                    other.command == call.command && other.summary == call.summary
                };
                let is_last = !state.recent.iter().skip(index + 1).any(|other| same(&other));
                let times = state.recent.iter().filter(same).count();
                if is_last && times > 1 && call.outcome != Outcome::Done {
                    found.push((call.clone(), times));
                }
            }
        }
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.command.cmp(&b.0.command)));
        found
    }
}

impl Budget {
    /// A warning when the line is nearly full.
    pub fn warning(&self, limits: &Limits) -> Option<String> {
        (f64::from(self.queued) >= f64::from(limits.queued) * DEEP_QUEUE)
            .then(|| format!("{} of {} places in line are taken", self.queued, limits.queued))
    }
}

impl All {
    /// Forget those that were idle longest, when there are too many.
    fn forget_idle(&mut self) {
        let is_idle = |state: &State| state.running == 0 && state.waiting == 0;
        forget(&mut self.states, |state| is_idle(state).then_some(state.last_active));
        forget(&mut self.turns, |turn| (turn.going_on == 0).then_some(turn.last_active));
    }
}

/// `idle` says since when one is, if it is.
fn forget<T>(all: &mut HashMap<String, T>, idle: impl Fn(&T) -> Option<Instant>) {
    if all.len() < MAX_CALLERS {
        return;
    }
    let since = |(key, one): (&String, &T)| Some((idle(one)?, key.clone()));
    let mut idle: Vec<(Instant, String)> = all.iter().filter_map(since).collect();
    idle.sort();
    for (_, key) in idle.into_iter().take(MAX_CALLERS / 10) {
        all.remove(&key);
    }
}

/// The front of a line, given back when dropped.
pub(crate) struct Front(#[expect(dead_code, reason = "held, not read")] OwnedMutexGuard<()>);

struct Waiting {
    callers: Arc<Callers>,
    caller: Caller,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut all = self.callers.lock();
        let state = all.state(&self.caller);
        state.waiting = state.waiting.saturating_sub(1);
        let turn = all.turn(&self.caller);
        turn.going_on = turn.going_on.saturating_sub(1);
    }
}

/// A running call, counted until dropped.
pub(crate) struct Running {
    callers: Arc<Callers>,
    caller: Caller,
}

impl Drop for Running {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut all = self.callers.lock();
        let state = all.state(&self.caller);
        state.running = state.running.saturating_sub(1);
        state.last_active = now;
        let turn = all.turn(&self.caller);
        turn.going_on = turn.going_on.saturating_sub(1);
        turn.last_active = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn asking_again_and_again_does_not_put_off_the_next_turn() {
        let limits = Limits { per_turn: 1, ..Limits::default() };
        let (callers, agent) = (Callers::default(), Caller::new(CallerKind::Agent, "a", None));
        let mut let_in = Vec::new();
        for _ in 0..6 {
            let_in.push(callers.count(&agent, &limits).is_ok());
            tokio::time::advance(Duration::from_millis(1_500)).await;
        }
        assert_eq!(let_in, [true, false, true, false, true, false]);
    }
}

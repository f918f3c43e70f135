//! Numbers about what happened since the start: calls and how they ended, how long they took, what was
//! let in and kept out. They are counted here and shown by an edge.
//!
//! No label holds what a caller chose: commands are those that are compiled in, everything else counts as
//! `other`, so that nobody can make the list grow.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use openspace_command::{CallerKind, Outcome, Record};

use crate::Registry;

/// Upper bounds of the buckets of durations, in seconds.
pub const BUCKETS: [f64; 9] = [0.0005, 0.002, 0.01, 0.05, 0.25, 1.0, 5.0, 30.0, 120.0];
/// Combinations of labels kept for one number; more of them count as `other`.
const MAX_SERIES: usize = 4_000;

/// How long calls of one command took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations {
    /// How many took at most as long as each bound, and how many longer; not added up.
    pub buckets: [u64; BUCKETS.len() + 1],
    /// All of them together, in seconds.
    pub seconds: f64,
}

/// What keeps calls out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// A rule of the policy.
    Policy,
    /// A person's no, or what is for others only.
    Denied,
    /// The place that programs are confined to.
    Confinement,
    /// Nobody has agreed to the client.
    Consent,
    /// A person paused the agent.
    Paused,
}

impl Wall {
    /// Every wall.
    pub const ALL: [Self; 5] =
        [Self::Policy, Self::Denied, Self::Confinement, Self::Consent, Self::Paused];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Denied => "denied",
            Self::Confinement => "confinement",
            Self::Consent => "consent",
            Self::Paused => "paused",
        }
    }
}

type Series<const N: usize> = BTreeMap<[String; N], u64>;

#[derive(Default)]
struct Counted {
    /// By command, outcome and kind of caller.
    calls: Series<3>,
    durations: BTreeMap<String, Durations>,
    /// By channel and answer.
    approvals: Series<2>,
    /// By reason.
    cleaned: Series<1>,
    /// By kind.
    ended: Series<1>,
}

/// The numbers of a server.
pub struct Counts {
    commands: BTreeSet<String>,
    counted: Mutex<Counted>,
    walls: [AtomicU64; Wall::ALL.len()],
}

fn add<const N: usize>(series: &mut Series<N>, labels: [&str; N]) {
    let labels = labels.map(str::to_owned);
    let is_full = series.len() >= MAX_SERIES && !series.contains_key(&labels);
    let labels =
        if is_full { [const { String::new() }; N].map(|_| "other".into()) } else { labels };
    *series.entry(labels).or_default() += 1;
}

impl Counts {
    /// Nothing happened yet. These are the commands that are counted by name.
    pub fn new(registry: &Registry) -> Self {
        Self {
            commands: registry.all().iter().map(|definition| definition.id.clone()).collect(),
            counted: Mutex::default(),
            walls: Default::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call ended.
    pub fn call(&self, record: &Record) {
        let command = self.commands.get(&record.command).map_or("other", String::as_str);
        let outcome = match record.outcome {
            Outcome::Done => "ok",
            Outcome::Failed(kind) => kind.word(),
        };
        let caller = match record.caller.kind {
            CallerKind::Person => "person",
            CallerKind::Agent => "agent",
            CallerKind::Script => "script",
            CallerKind::Bridge => "bridge",
        };
        let seconds = std::time::Duration::from_micros(record.micros).as_secs_f64();
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        let mut counted = self.lock();
        add(&mut counted.calls, [command, outcome, caller]);
        let durations = counted.durations.entry(command.to_owned()).or_default();
        durations.buckets[bucket] += 1;
        durations.seconds += seconds;
        drop(counted);
        match outcome {
            "policy" => self.refused(Wall::Policy),
            "denied" => self.refused(Wall::Denied),
            _ => {}
        }
    }

    /// A call was kept out, or a program met a wall. Of those that a call's outcome tells, each is counted
    /// with the call.
    pub fn refused(&self, wall: Wall) {
        self.walls[wall as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Somebody answered a question, in this way.
    pub fn approval(&self, channel: &'static str, answer: &'static str) {
        add(&mut self.lock().approvals, [channel, answer]);
    }

    /// It was cleaned up after an agent, for this reason, and things of these kinds were ended.
    pub fn cleaned_up<'a>(&self, why: &'static str, kinds: impl Iterator<Item = &'a str>) {
        let mut counted = self.lock();
        add(&mut counted.cleaned, [why]);
        kinds.for_each(|kind| add(&mut counted.ended, [kind]));
    }

    /// Calls by command, outcome and kind of caller.
    pub fn calls(&self) -> Vec<([String; 3], u64)> {
        self.lock().calls.clone().into_iter().collect()
    }

    /// How long calls took, by command.
    pub fn durations(&self) -> BTreeMap<String, Durations> {
        self.lock().durations.clone()
    }

    /// Answers by channel and answer.
    pub fn approvals(&self) -> Vec<([String; 2], u64)> {
        self.lock().approvals.clone().into_iter().collect()
    }

    /// Clean-ups by reason.
    pub fn cleaned(&self) -> Vec<([String; 1], u64)> {
        self.lock().cleaned.clone().into_iter().collect()
    }

    /// What was ended by clean-ups, by kind.
    pub fn ended(&self) -> Vec<([String; 1], u64)> {
        self.lock().ended.clone().into_iter().collect()
    }

    /// What was kept out, by wall.
    pub fn walls(&self) -> Vec<([String; 1], u64)> {
        let count = |wall: Wall| self.walls[wall as usize].load(Ordering::Relaxed);
        Wall::ALL.iter().map(|wall| ([wall.word().to_owned()], count(*wall))).collect()
    }
}

#[cfg(test)]
mod tests {
    use openspace_command::{Caller, ErrorKind};
    use pretty_assertions::assert_eq;

    use super::*;

    fn record(command: &str, outcome: Outcome, micros: u64) -> Record {
        let record = serde_json::json!({
            "at": 0, "caller": Caller::new(CallerKind::Agent, "a", None), "command": command,
            "workspace": null, "summary": "", "paths": [], "outcome": outcome, "error": null,
            "micros": micros,
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn calls_are_counted_by_what_they_were_and_nothing_a_caller_made_up() {
        let counts = Counts::new(&crate::registry());
        counts.call(&record("openspace.pane.list", Outcome::Done, 300));
        counts.call(&record("openspace.pane.list", Outcome::Done, 20_000_000));
        counts.call(&record("made up", Outcome::Failed(ErrorKind::Denied), 0));
        let calls = [
            (["openspace.pane.list", "ok", "agent"].map(str::to_owned), 2),
            (["other", "denied", "agent"].map(str::to_owned), 1),
        ];
        assert_eq!(counts.calls(), calls);
        let took = &counts.durations()["openspace.pane.list"];
        assert_eq!(took.buckets, [1, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
        assert!((took.seconds - 20.0003).abs() < 1e-9);
        assert_eq!(counts.walls()[1], (["denied".to_owned()], 1));
    }

    #[test]
    fn the_list_has_an_end() {
        let mut series = Series::<1>::new();
        for number in 0..2 * MAX_SERIES {
            add(&mut series, [&number.to_string()]);
        }
        assert_eq!(series.len(), MAX_SERIES + 1);
        assert_eq!(series[&["other".to_owned()]], MAX_SERIES as u64);
    }
}

//! One language server over its whole life: a machine without a clock and without a stream.
//!
//! Bytes that came go in, bytes to be sent and events come out; the time is said with every step. A server is begun
//! anew for each process (a generation); documents, settings and crashes outlive it, questions do not. Nothing is
//! ever answered with nothing by a server that has not read everything.

mod asking;
mod checking;
mod hearing;
mod living;
mod texts;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use self::asking::{Held, Sent};
pub use self::hearing::{Feature, Level};
use crate::{
    Moment,
    abilities::Abilities,
    diagnostics::Book,
    documents::Documents,
    frame::{self, Frames},
    life::{Crashes, GREETING, Limits},
    message,
    question::{AskError, Reply, State, Ticket},
    readiness::{Readiness, ReadyBy},
    settings::Settings,
    uri::Uri,
    watch::{Gathered, Watchers},
};

/// Bytes that wait to be sent, above which nothing should be read: whoever floods us with requests is slowed down.
pub const MOST_OUTPUT: usize = 4 * 1024 * 1024;
/// Messages in a row that are none, after which a server is given up.
const MOST_NONSENSE: usize = 1000;

/// A folder that a server works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub uri: Uri,
    /// What people call it.
    pub name: String,
}

/// What a server is told at its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// What people call the server.
    pub server: String,
    /// What it works on; the first is its root.
    pub folders: Vec<Folder>,
    /// Options that are its own.
    pub initialization: Value,
    /// Settings that it may ask for.
    pub settings: Settings,
    /// How it says that it is ready.
    pub ready: ReadyBy,
    /// Our name.
    pub client: String,
    /// Our version.
    pub version: String,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is in another state.
    State(State),
    /// A question has its answer.
    Answered {
        /// Which.
        ticket: Ticket,
        /// What it got.
        answer: Result<Reply, AskError>,
    },
    /// What is known of a file, or how fresh it is, has changed.
    Diagnostics {
        /// Of which.
        uri: Uri,
    },
    /// What it can has changed.
    Abilities,
    /// What it wants to hear of has changed.
    Watchers,
    /// What it said of these is not so any more; ask again.
    Refresh(Feature),
    /// It tells people something.
    Notice {
        /// How bad it is.
        level: Level,
        /// Its words.
        text: String,
    },
    /// It wants files edited, while it works on this question. Answered with [`Server::answer_edit`].
    EditAsked {
        /// Which edit.
        edit: EditId,
        /// For whom.
        ticket: Ticket,
        /// The edit, as the protocol has it.
        changes: Value,
    },
    /// It said something that makes no sense.
    Complaint(String),
    /// Nothing more is expected: its process has to be ended now.
    Over,
}

/// An edit that a server waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditId(u64);

/// What comes after the end of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It ended as it was asked to.
    Stopped,
    /// Start it again, not before this moment.
    Again {
        /// When.
        at: Moment,
    },
    /// Start it only when somebody wants it.
    Failed {
        /// Why.
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    Stopped,
    /// Somebody starts a process of it.
    Prepared,
    Starting {
        until: Moment,
    },
    Running,
    /// It was asked to get ready to end, then told to end.
    Ending {
        told: bool,
        until: Moment,
    },
    Waiting {
        why: String,
    },
    Failed {
        why: String,
    },
}

/// A language server.
#[derive(Debug)]
pub struct Server {
    setup: Setup,
    phase: Phase,
    generation: u64,
    frames: Frames,
    output: Vec<u8>,
    events: VecDeque<Event>,
    told: State,
    nonsense: usize,
    /// It was asked something for no other reason than to see it answer.
    probed: bool,

    next_id: u64,
    next_ticket: u64,
    sent: BTreeMap<u64, Sent>,
    held: Vec<Held>,
    edits: Vec<hearing::AskedEdit>,

    documents: Documents,
    abilities: Abilities,
    readiness: Readiness,
    book: Book,
    wanted: BTreeSet<Uri>,
    pull_again: BTreeMap<Uri, Moment>,
    watchers: Watchers,
    gathered: Gathered,

    crashes: Crashes,
    used: Moment,
}

impl Server {
    /// A server that does not run yet.
    pub fn new(setup: Setup) -> Self {
        let readiness = Readiness::new(setup.ready.clone(), Moment::ZERO);
        Self {
            setup,
            phase: Phase::Stopped,
            generation: 0,
            frames: Frames::default(),
            output: Vec::new(),
            events: VecDeque::new(),
            told: State::Stopped,
            nonsense: 0,
            probed: false,
            next_id: 0,
            next_ticket: 0,
            sent: BTreeMap::new(),
            held: Vec::new(),
            edits: Vec::new(),
            documents: Documents::default(),
            abilities: Abilities::default(),
            readiness,
            book: Book::default(),
            wanted: BTreeSet::new(),
            pull_again: BTreeMap::new(),
            watchers: Watchers::default(),
            gathered: Gathered::default(),
            crashes: Crashes::default(),
            used: Moment::ZERO,
        }
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.setup.server
    }

    /// Which process of it this is, counted from 1.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Moment) {
        match self.phase {
            Phase::Starting { until } if until <= now => {
                self.fail(&format!("it did not greet within {} s", GREETING.as_secs()), now);
            }
            Phase::Ending { told: false, until } if until <= now => self.say_farewell(now),
            Phase::Ending { told: true, until } if until <= now => {
                // Told once: what has no deadline any more is not waited for.
                self.phase = Phase::Ending { told: true, until: Moment::MAX };
                self.events.push_back(Event::Over);
            }
            _ => {}
        }
        self.settle(now);
    }

    /// When time matters next.
    pub fn next_tick(&self, now: Moment) -> Option<Moment> {
        let phase = match self.phase {
            Phase::Starting { until } | Phase::Ending { until, .. } => Some(until),
            _ => None,
        };
        let quiet = self.readiness.quiet_at().filter(|at| *at > now && self.is_running());
        let asked = self.sent.values().filter_map(Sent::deadline).min();
        let held = self.held.iter().map(|held| held.looked_at(now)).min();
        let edits = self.edits.iter().map(|edit| edit.until).min();
        let pulls = self.pull_again.values().copied().min();
        let all = [phase, quiet, asked, held, edits, pulls, self.gathered.due()];
        all.into_iter().flatten().filter(|at| *at < Moment::MAX).min()
    }

    /// Do all that can be done now.
    fn settle(&mut self, now: Moment) {
        self.expire(now);
        self.refuse_late_edits(now);
        if self.is_running() {
            self.tell_changed_files(now);
            self.probe(now);
            self.check(now);
        }
        self.send_held(now);
        self.tell_state(now);
    }

    fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    fn is_ready(&self, now: Moment) -> bool {
        self.is_running() && self.readiness.is_ready(now)
    }

    /// How it is.
    pub fn state(&self, now: Moment) -> State {
        match &self.phase {
            Phase::Stopped => State::Stopped,
            Phase::Prepared | Phase::Starting { .. } => State::Starting,
            Phase::Running if self.readiness.is_ready(now) => State::Ready,
            Phase::Running => {
                let (percent, what) = self.readiness.loading();
                State::Loading { percent, what }
            }
            Phase::Ending { .. } => State::Ending,
            Phase::Waiting { why } => State::Waiting { why: why.clone() },
            Phase::Failed { why } => State::Failed { why: why.clone() },
        }
    }

    fn tell_state(&mut self, now: Moment) {
        let state = self.state(now);
        if state != self.told {
            self.told = state.clone();
            self.events.push_back(Event::State(state));
        }
    }

    /// When it has been of no use for so long that it should be stopped; nothing while it is of some.
    pub fn idle_at(&self, limits: &Limits) -> Option<Moment> {
        let is_of_use = !self.documents.is_empty() || !self.held.is_empty() || self.has_questions();
        let idle = Moment::from_secs(limits.idle_s);
        (self.is_running() && !is_of_use).then_some(self.used.saturating_add(idle))
    }

    /// When it was last asked or told something.
    pub fn used(&self) -> Moment {
        self.used
    }

    /// What it can, as pages want it: what it said in its greeting, and what it registered.
    pub fn abilities(&self) -> Value {
        self.abilities.all()
    }

    /// Methods that it has for some document, each with its options, or `true` where it said none.
    pub fn abilities_by_method(&self) -> Map<String, Value> {
        self.abilities.by_method()
    }

    /// Counts changes of texts, files and settings: as long as it is the same, what it said is about what there is.
    pub fn edition(&self) -> (u64, i32) {
        (self.documents.edition(), self.documents.last_version())
    }

    /// Take what is to be sent.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// How much is to be sent.
    pub fn output_len(&self) -> usize {
        self.output.len()
    }

    /// Take what happened.
    pub fn take_events(&mut self) -> VecDeque<Event> {
        std::mem::take(&mut self.events)
    }

    fn tell(&mut self, method: &str, params: &Value) {
        frame::write(&message::notification(method, params), &mut self.output);
    }
}

#[cfg(test)]
mod tests;

//! Tasks: what a project says is run to build, test and watch it, in terminals that a person and an agent see.
//!
//! What they are is read from `.vscode/tasks.json` and `package.json` each time; nothing of it is kept. Running one is
//! nothing but calls of `terminal.create` and `terminal.run` in the name of who asked, so that a task is judged, held and
//! recorded as a line that is typed there; no program is started here. What was found goes to the list of problems.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use openspace_command::{Caller, CallerKind, Error, ErrorKind, Result};
use openspace_host::BoxFuture;
use openspace_protocol::TerminalId;
use openspace_space::{Declared, Entries, Part, Space, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    areas::{Area, terminal::TerminalsPart},
    services::{Base, Service},
};

pub mod commands;
mod definition;
mod detected;
mod jsonc;
mod line;
mod matchers;
mod plan;
mod running;
mod scan;
mod sources;
mod variables;

/// What this area brings.
pub const AREA: Area =
    Area { commands: commands::COMMANDS, parts: &[Declared::of::<TasksPart>()], ..Area::EMPTY };

/// Runs of tasks that are known at once; the oldest that have ended are forgotten first.
const MAX_KNOWN: usize = 100;

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TaskState {
    /// Tasks that it depends on run.
    Waiting,
    /// It runs.
    Running,
    /// It has looked, and goes on until something changes.
    Watching,
    /// It has ended by itself.
    Ended,
    /// It could not be run, or nobody knows how it ended.
    Failed,
}

impl TaskState {
    /// Whether it goes on.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Waiting | Self::Running | Self::Watching)
    }
}

/// A run of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRun {
    /// The task's label.
    pub task: String,
    /// How far it has come.
    pub state: TaskState,
    /// Its exit code, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The terminal that it runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_id: Option<TerminalId>,
    /// How many problems were found in what it printed; absent when nobody looks for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<usize>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Who started it.
    pub started_by: String,
    /// What kind of caller that is.
    pub started_as: CallerKind,
    /// When, in milliseconds since 1970.
    pub started_at: u64,
}

/// Runs by number.
pub type TaskRuns = Entries<TaskRun>;

/// The runs of tasks.
pub struct TasksPart;

impl Part for TasksPart {
    const NAME: &'static str = "tasks";
    const SAVED: bool = false;
    type Content = TaskRuns;
}

/// Which terminal is whose for which task: that of one caller is none of another's.
#[derive(Default)]
struct Owned(Mutex<HashMap<(String, CallerKind, String), TerminalId>>);

/// What runs.
pub struct Tasks {
    stop: CancellationToken,
    last: AtomicU64,
    owned: Owned,
}

impl Service for Tasks {
    fn start(_base: &Base) -> Self {
        Self { stop: CancellationToken::new(), last: AtomicU64::new(0), owned: Owned::default() }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.stop.cancel();
        Box::pin(async {})
    }
}

impl Tasks {
    fn owned(&self) -> MutexGuard<'_, HashMap<(String, CallerKind, String), TerminalId>> {
        self.owned.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terminal in which a caller ran a task before.
    fn terminal_of(&self, task: &str, caller: &Caller) -> Option<TerminalId> {
        self.owned().get(&(task.to_owned(), caller.kind, caller.id.clone())).copied()
    }

    /// Note a terminal, and forget those that are gone.
    fn note_terminal(&self, state: &State, task: &str, caller: &Caller, id: TerminalId) {
        let mut owned = self.owned();
        owned.retain(|_, id| state.part::<TerminalsPart>().contains_key(id));
        owned.insert((task.to_owned(), caller.kind, caller.id.clone()), id);
    }

    /// The key of a new run. One of the same task and caller that goes on is a conflict.
    fn begin(&self, space: &Space, task: &str, caller: &Caller, now: u64) -> Result<String> {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        // Keys are compared as text.
        let key = format!("k{number:08}");
        let run = TaskRun {
            task: task.to_owned(),
            state: TaskState::Waiting,
            exit_code: None,
            terminal_id: None,
            problems: None,
            why: None,
            started_by: caller.id.clone(),
            started_as: caller.kind,
            started_at: now,
        };
        space.change_now(|state| {
            if let Some(active) = active(state, task, caller) {
                let place = active.terminal_id.map(|id| format!(" in {id}")).unwrap_or_default();
                return Err(Error::conflict(format!("the task `{task}` runs already{place}"))
                    .hint("task_stop ends it, terminal_read_output reads what it shows"));
            }
            let runs = state.part_mut::<TasksPart>();
            let is_of_it = |run: &TaskRun| {
                run.task == task && run.started_by == caller.id && run.started_as == caller.kind
            };
            runs.retain(|_, run| !is_of_it(run));
            if runs.len() >= MAX_KNOWN {
                let oldest = runs.iter().find(|(_, run)| !run.state.is_active());
                let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                    let message = format!("{MAX_KNOWN} tasks run already");
                    return Err(Error::new(ErrorKind::Limit, message).hint("task_stop ends one"));
                };
                runs.remove(&oldest);
            }
            runs.insert(key.clone(), run);
            Ok(())
        })?;
        Ok(key)
    }
}

/// The run of a task that goes on, of this caller.
fn active<'a>(state: &'a State, task: &str, caller: &Caller) -> Option<&'a TaskRun> {
    state.part::<TasksPart>().values().find(|run| {
        run.state.is_active()
            && run.task == task
            && run.started_by == caller.id
            && run.started_as == caller.kind
    })
}

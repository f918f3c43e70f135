//! Runs a plan: each task in a terminal of its caller's, by calls that the caller could make itself. It goes on when the
//! call that began it is over, as what runs in a terminal does.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_command::{Call, Caller, Error, Result};
use openspace_host::{BoxFuture, TerminalHandle, operation::FindProgram};
use openspace_protocol::TerminalId;
use openspace_terminal::{Ended, Life};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::sleep};

use super::{
    TaskRun, TaskState, Tasks, TasksPart, active,
    line::quoted,
    plan::{Plan, Ready, Step},
};
use crate::{
    Dispatcher, OpenSpace,
    areas::terminal::{TerminalRecord, Terminals, TerminalsPart},
    refusal::refused,
};

mod follower;
mod reading;

use self::{follower::Follower, reading::Reader};

/// So long the call waits that types a task's line; who follows the task then reads the terminal itself.
const STARTS_WITHIN_MS: u64 = 1_000;
/// Lines that are read of a terminal at once.
const LINES: usize = 10_000;
/// Lines that are kept of what a task printed last.
const TAIL: usize = 200;
/// Characters of such a line.
const TAIL_LINE: usize = 2_000;
/// So often it is looked whether the record of a terminal says that its shell has ended,
const NOTED_WITHIN: usize = 40;
/// and this long apart.
const NOTED_EVERY: Duration = Duration::from_millis(25);
/// Shells that tell when a command has ended.
const TELLING: [&str; 3] = ["bash", "zsh", "fish"];
/// Characters of a terminal's title.
const MAX_TITLE: usize = 100;

/// How a task ended, for those that depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// With this exit code.
    Ended(Option<i32>),
    /// It has looked, and goes on.
    Watching,
    /// Not at all, and why.
    Failed(String),
}

/// What a task printed last.
#[derive(Default)]
pub(super) struct Tail {
    pub(super) lines: VecDeque<String>,
    pub(super) left_out: usize,
}

impl Tail {
    fn push(&mut self, line: &str) {
        if self.lines.len() >= TAIL {
            self.lines.pop_front();
            self.left_out += 1;
        }
        self.lines.push_back(line.chars().take(TAIL_LINE).collect());
    }
}

/// A plan that is carried out.
pub(super) struct Running {
    dispatcher: Dispatcher,
    state: Arc<OpenSpace>,
    tasks: Arc<Tasks>,
    caller: Caller,
    pub(super) plan: Plan,
    /// The first call that was refused: the caller's to know as it is.
    refused: Mutex<Option<Error>>,
    tail: Mutex<Tail>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `terminal.run` answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Typed {
    ended: Ended,
    exit_code: Option<i32>,
    output: Vec<String>,
    omitted_at: Option<usize>,
    cursor: u64,
}

/// What `terminal.create` answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    terminal_id: TerminalId,
}

impl Running {
    pub(super) fn new(cx: &crate::Cx, plan: Plan) -> Self {
        Self {
            dispatcher: cx.dispatcher().clone(),
            state: Arc::clone(&cx.state),
            tasks: cx.state.service::<Tasks>(),
            caller: cx.caller.clone(),
            plan,
            refused: Mutex::default(),
            tail: Mutex::default(),
        }
    }

    /// Why a call for a task was refused.
    pub(super) fn take_refused(&self) -> Option<Error> {
        lock(&self.refused).take()
    }

    pub(super) fn take_tail(&self) -> Tail {
        std::mem::take(&mut *lock(&self.tail))
    }

    /// Run a task and what it depends on. Its key is that of a run that was begun for it.
    pub(super) fn run(
        self: Arc<Self>,
        label: String,
        key: Option<String>,
    ) -> BoxFuture<'static, Finish> {
        Box::pin(async move {
            let Some(step) = self.plan.steps.get(&label) else {
                return Finish::Failed(format!("there is no task `{label}`"));
            };
            let finish = step.finish.get_or_init(|| self.step(&label, step, key));
            finish.await.clone()
        })
    }

    async fn step(self: &Arc<Self>, label: &str, step: &Step, key: Option<String>) -> Finish {
        let space = self.state.space();
        let key = if let Some(key) = key {
            key
        } else {
            let is_watching = active(&space.state(), label, &self.caller)
                .is_some_and(|run| run.state == TaskState::Watching);
            if is_watching {
                return Finish::Watching;
            }
            match self.tasks.begin(space, label, &self.caller, self.state.now()) {
                Ok(key) => key,
                Err(error) => return self.refuse(error),
            }
        };
        let finish = match self.before(step).await {
            Some(failed) => failed,
            None => match &step.ready {
                None => Finish::Ended(Some(0)),
                Some(ready) => {
                    let stop = self.tasks.stop.clone();
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => Finish::Failed("the server stopped".into()),
                        finish = self.alone(label, &key, ready) => finish,
                    }
                }
            },
        };
        // A task that goes on is noted by who follows it.
        if finish != Finish::Watching {
            self.note_finish(&key, &finish);
        }
        finish
    }

    /// The tasks that it depends on; gives how this one ends when one of them did not end well.
    async fn before(self: &Arc<Self>, step: &Step) -> Option<Finish> {
        let mut finished = Vec::new();
        if step.in_sequence {
            for label in &step.depends_on {
                let finish = Arc::clone(self).run(label.clone(), None).await;
                let is_well = is_well(&finish);
                finished.push((label.clone(), finish));
                if !is_well {
                    break;
                }
            }
        } else {
            let mut all = JoinSet::new();
            for label in &step.depends_on {
                let (running, label) = (Arc::clone(self), label.clone());
                all.spawn(async move { (label.clone(), running.run(label, None).await) });
            }
            while let Some(one) = all.join_next().await {
                finished.push(
                    one.unwrap_or_else(|error| {
                        ("a task".into(), Finish::Failed(error.to_string()))
                    }),
                );
            }
        }
        let (label, finish) = finished.into_iter().find(|(_, finish)| !is_well(finish))?;
        Some(Finish::Failed(match finish {
            Finish::Ended(Some(code)) => format!("`{label}` ended with exit code {code}"),
            Finish::Failed(why) => format!("`{label}` failed: {why}"),
            Finish::Ended(None) | Finish::Watching => format!("how `{label}` ended is not known"),
        }))
    }

    /// A task by itself, in its terminal.
    async fn alone(self: &Arc<Self>, label: &str, key: &str, ready: &Ready) -> Finish {
        match self.try_alone(label, key, ready).await {
            Ok(finish) => finish,
            Err(error) => self.refuse(error),
        }
    }

    fn refuse(&self, error: Error) -> Finish {
        let why = error.message.clone();
        lock(&self.refused).get_or_insert(error);
        Finish::Failed(why)
    }

    async fn try_alone(self: &Arc<Self>, label: &str, key: &str, ready: &Ready) -> Result<Finish> {
        let (id, terminal) = self.terminal(label, ready).await?;
        let space = self.state.space();
        let shell = {
            let state = space.state();
            let record = state.part::<TerminalsPart>().get(&id);
            let shell = record.map(|record| record.shell.to_string_lossy().into_owned());
            shell.unwrap_or_else(|| "sh".into())
        };
        let before = terminal.status().await.map_err(refused)?;
        // The number of the first command that is not of before.
        let next = before.last_ended.map_or(0, |ended| ended.number + 1);
        let matchers = std::mem::take(&mut *lock(&ready.matchers));
        let mut reader = Reader::new(&self.state, label, &ready.folder, matchers);
        self.note(key, |run| {
            run.state = TaskState::Running;
            run.terminal_id = Some(id);
            run.problems = ready.is_matched.then_some(0);
        });
        let line = ready.program.line(&shell);
        let arguments = json!({"terminalId": id, "command": line, "timeoutMs": STARTS_WITHIN_MS,
            "lines": LINES});
        let typed: Typed = self.call("terminal.run", arguments).await?;
        // Not before it was let in.
        reader.clear();
        if typed.omitted_at.is_some() {
            reader.gap();
        }
        let mut has_looked = false;
        for line in &typed.output {
            lock(&self.tail).push(line);
            has_looked |= reader.line(line);
        }
        let finish = match typed.ended {
            Ended::Exited => Finish::Ended(typed.exit_code),
            Ended::NotRun => Finish::Failed("the shell ran nothing".into()),
            // A line with `exit` in it ends the shell that reads it.
            Ended::ShellEnded => Finish::Ended(typed.exit_code),
            _ => {
                reader.read_to(typed.cursor);
                let follower = Follower { running: Arc::clone(self), key: key.to_owned(), next };
                let goes_on = has_looked || (ready.in_background && !reader.has_cycle());
                let first = if goes_on {
                    self.publish(key, &reader);
                    Finish::Watching
                } else {
                    follower.follow(&terminal, &mut reader, true).await
                };
                if first == Finish::Watching {
                    self.note(key, |run| run.state = TaskState::Watching);
                    follower.go_on(terminal, reader);
                    return Ok(first);
                }
                first
            }
        };
        self.publish(key, &reader);
        if ready.shown.closes && finish == Finish::Ended(Some(0)) {
            let _closed: Value = self.call("terminal.close", json!({"terminalId": id})).await?;
        }
        Ok(finish)
    }

    /// The terminal for a task: the one of its last run when it waits for a command, or a new one.
    async fn terminal(&self, label: &str, ready: &Ready) -> Result<(TerminalId, TerminalHandle)> {
        let space = self.state.space();
        let terminals = self.state.service::<Terminals>();
        let root = self.state.root();
        let folder = root.join(ready.folder.as_str());
        let known = self.tasks.terminal_of(label, &self.caller).filter(|_| !ready.shown.in_new);
        let record = known.and_then(|id| {
            let state = space.state();
            state.part::<TerminalsPart>().get(&id).map(|record| (id, record.clone()))
        });
        let gone = |id| Error::conflict(format!("the terminal {id} was closed"));
        if let Some((id, record)) = record {
            let has_ended = self.has_ended(id).await;
            if has_ended && record.cwd == ready.folder.as_str() {
                let _restarted: Value =
                    self.call("terminal.restart", json!({"terminalId": id})).await?;
                return Ok((id, terminals.get(id).ok_or_else(|| gone(id))?));
            }
            if let Some(terminal) = terminals.get(id).filter(|_| !has_ended)
                && self.is_free(id, &terminal, &folder).await?
            {
                return Ok((id, terminal));
            }
        }
        let title: String = label.chars().take(MAX_TITLE).collect();
        let mut arguments = json!({"title": title, "cwd": ready.folder.as_str()});
        if let Some(shell) = self.shell().await? {
            arguments["shellPath"] = json!(shell);
        }
        let Created { terminal_id: id } = self.call("terminal.create", arguments).await?;
        self.tasks.note_terminal(&space.state(), label, &self.caller, id);
        Ok((id, terminals.get(id).ok_or_else(|| gone(id))?))
    }

    /// Whether the shell of a terminal has ended; if so, its record says it too.
    async fn has_ended(&self, id: TerminalId) -> bool {
        let terminals = self.state.service::<Terminals>();
        let life = match terminals.get(id) {
            Some(terminal) => terminal.status().await.ok().map(|status| status.life),
            None => None,
        };
        if matches!(life, Some(Life::Running { .. })) {
            return false;
        }
        let is_noted = || {
            let state = self.state.space().state();
            !state.part::<TerminalsPart>().get(&id).is_some_and(TerminalRecord::is_running)
        };
        // Who watches the shell notes its end a moment later.
        for _ in 0..NOTED_WITHIN {
            if is_noted() {
                return true;
            }
            sleep(NOTED_EVERY).await;
        }
        false
    }

    /// Whether a terminal waits for a command, in the folder of the task: whoever used it since may have gone elsewhere.
    async fn is_free(
        &self,
        id: TerminalId,
        terminal: &TerminalHandle,
        folder: &Path,
    ) -> Result<bool> {
        let status = terminal.status().await.map_err(refused)?;
        if status.at_prompt != Some(true) || status.alternate_screen {
            return Ok(false);
        }
        if status.cwd.as_deref().is_some_and(|cwd| Path::new(cwd) == folder) {
            return Ok(true);
        }
        let line = format!("cd {}", quoted(&folder.to_string_lossy()));
        let arguments = json!({"terminalId": id, "command": line});
        let typed: Typed = self.call("terminal.run", arguments).await?;
        if typed.exit_code == Some(0) {
            return Ok(true);
        }
        let message = format!("the terminal {id} could not go to `{}`", folder.display());
        Err(Error::conflict(message))
    }

    /// The shell to ask for, where the usual one does not tell when a command has ended.
    async fn shell(&self) -> Result<Option<String>> {
        let usual = &self.state.place().facts().shell;
        let name = usual.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if TELLING.contains(&name) {
            return Ok(None);
        }
        let find = FindProgram { program: "bash".into(), folders: Vec::new() };
        let found = self.state.place().ask(find).await.map_err(refused)?;
        Ok(found.map(|path| path.to_string_lossy().into_owned()))
    }

    /// Call a command as the caller: it is let in, asked about and recorded like any other call of theirs.
    async fn call<T: DeserializeOwned>(&self, command: &str, arguments: Value) -> Result<T> {
        let call = Call::new(self.caller.clone(), command, arguments).unseen();
        let data = self.dispatcher.dispatch(call).await.result?;
        serde_json::from_value(Value::Object(data)).map_err(|error| {
            Error::internal(format!("the answer of `{command}` could not be read")).because(error)
        })
    }

    /// Change what is known of a run.
    fn note(&self, key: &str, change: impl FnOnce(&mut TaskRun)) {
        let noted = self.state.space().change_now(|state| {
            if let Some(run) = state.part_mut::<TasksPart>().get_mut(key) {
                change(run);
            }
            Ok(())
        });
        if let Err(error) = noted {
            tracing::error!(%error, "how far a task has come could not be noted");
        }
    }

    fn note_finish(&self, key: &str, finish: &Finish) {
        self.note(key, |run| match finish {
            Finish::Ended(code) => {
                run.state = TaskState::Ended;
                run.exit_code = *code;
            }
            Finish::Failed(why) => {
                run.state = TaskState::Failed;
                run.why = Some(why.clone());
            }
            Finish::Watching => run.state = TaskState::Watching,
        });
    }

    /// Put what was found into the list of problems.
    fn publish(&self, key: &str, reader: &Reader) {
        let Some(published) = reader.publish() else { return };
        match published {
            Ok(count) => {
                self.note(key, |run| run.problems = Some(count));
                self.state.doings().problems(&self.caller, reader.source(), count);
            }
            Err(error) => self.note(key, |run| run.why = Some(error.message)),
        }
    }
}

pub(super) fn is_well(finish: &Finish) -> bool {
    matches!(finish, Finish::Ended(Some(0)) | Finish::Watching)
}

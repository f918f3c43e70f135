//! `task.list`, `task.run` and `task.stop`.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use openspace_command::{Command, Error, Focus, Meta, Result, Shown};
use openspace_protocol::{Access, TerminalId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    TaskRun, TaskState, Tasks, TasksPart,
    definition::{Group, Input},
    plan::{Wanted, plan},
    running::Running,
    sources::Book,
};
use crate::{Cx, Entry, OpenSpace, bounds::check_bounds};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<List>(), Entry::of::<Run>(), Entry::of::<Stop>()];

/// How long a task is waited for when the call does not say.
const DEFAULT_TIMEOUT_MS: u64 = 120_000;
/// How long a task is waited for at most.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Answers to what a task asks for.
const MAX_INPUTS: usize = 50;
/// Characters of such an answer.
const MAX_INPUT: usize = 2_000;
/// Tasks that one answer lists.
const MAX_LISTED: usize = 1_000;

/// A task that can be run.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "facts that a caller asks for one by one")]
pub struct Listed {
    /// Its label, by which it is run.
    label: String,
    /// What it is, or the script that it runs.
    detail: Option<String>,
    /// What it is for.
    group: Option<Group>,
    /// Whether it is the one of its group that is run unless another is named.
    is_default: bool,
    /// Whether it is left out where people choose.
    hidden: bool,
    /// The tasks that run before it.
    depends_on: Vec<String>,
    /// Whether it is written down as a task, rather than found as a script of a package.
    is_written: bool,
    /// What it asks for, to be given as `inputs`.
    inputs: Vec<Input>,
    /// Whether it is about a file, which `file` names.
    needs_file: bool,
    /// Whether its terminal is not brought into view.
    is_quiet: bool,
    /// Whether its terminal gets the keyboard of the person who runs it.
    takes_focus: bool,
    /// Why it cannot be run here.
    unusable: Option<String>,
    /// What of it means nothing here.
    notes: Vec<String>,
}

/// All tasks.
#[derive(Serialize, JsonSchema)]
pub struct AllTasks {
    /// The tasks, those that are written down first; at most 1000 of them.
    tasks: Vec<Listed>,
    /// What runs or ran last.
    runs: Vec<TaskRun>,
}

/// List the tasks of the workspace.
///
/// From `.vscode/tasks.json` and the scripts of packages.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {}

impl Command<OpenSpace> for List {
    const META: Meta = Meta::new("task.list", "Task: List", Access::Read).shown(Shown::Searchable);
    type Output = AllTasks;

    fn summary(&self) -> String {
        "list tasks".into()
    }

    async fn run(self, cx: Cx) -> Result<AllTasks> {
        let book = Book::open(&cx).await?;
        let tasks = book.tasks.iter().take(MAX_LISTED).map(|task| Listed {
            label: task.label.clone(),
            detail: task.detail.clone(),
            group: task.group,
            is_default: task.is_default,
            hidden: task.hidden,
            depends_on: task.depends_on.clone(),
            is_written: task.is_written,
            inputs: book.asked_by(task).into_iter().cloned().collect(),
            needs_file: book.needs_file(task),
            is_quiet: task.runs.as_ref().is_some_and(|runs| runs.shown.is_quiet),
            takes_focus: task.runs.as_ref().is_some_and(|runs| runs.shown.takes_focus),
            unusable: task.unusable.clone(),
            notes: task.notes.clone(),
        });
        let tasks = tasks.collect();
        let runs = cx.state.space().state().part::<TasksPart>().values().cloned().collect();
        Ok(AllTasks { tasks, runs })
    }
}

/// Run a task of the workspace in a terminal that the person sees.
///
/// It waits for its end. After `timeoutMs` it goes on, and `task.list` tells how far it is.
///
/// Tasks that it depends on run before it, each in a terminal of its own. What its problem matchers find is in
/// `editor.diagnostics`, under its label. Each line is judged like one that is typed into a terminal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// Its label.
    task: String,
    /// The file that `${file}` and the like mean.
    file: Option<String>,
    /// The line that `${lineNumber}` means.
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// Answers to what it asks for, by id.
    #[serde(default)]
    inputs: BTreeMap<String, String>,
    /// Most milliseconds to wait; 120000 when left out.
    #[schemars(range(max = MAX_TIMEOUT_MS))]
    timeout_ms: Option<u64>,
}

/// How far a task has come.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// The task.
    #[serde(flatten)]
    run: TaskRun,
    /// What it printed last, and in front of it what tasks printed that it depends on; at most 200 lines.
    output: Vec<String>,
    /// How many lines before these were left out.
    left_out: usize,
    /// What of it means nothing here.
    notes: Vec<String>,
}

impl Command<OpenSpace> for Run {
    const META: Meta = Meta::new("task.run", "Task: Run", Access::Execute)
        .shown(Shown::Searchable)
        .focus(Focus::Show)
        .parallel()
        .passes_on();
    type Output = Ran;

    fn summary(&self) -> String {
        format!("run the task {}", self.task)
    }

    fn paths(&self) -> Vec<String> {
        self.file.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_bounds("timeoutMs", self.timeout_ms, 0..=MAX_TIMEOUT_MS)?;
        check_bounds("line", self.line, 1..=u32::MAX)?;
        if self.inputs.len() > MAX_INPUTS {
            return Err(Error::invalid(format!("argument `inputs`: at most {MAX_INPUTS}")));
        }
        let long = |text: &String| text.chars().count() > MAX_INPUT || text.contains('\0');
        if self.inputs.values().any(long) {
            let message = format!("argument `inputs`: texts of at most {MAX_INPUT} characters");
            return Err(Error::invalid(message));
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Ran> {
        let book = Book::open(&cx).await?;
        let file = self.file.as_deref().map(|file| cx.state.path(file)).transpose()?;
        let wanted = Wanted { task: &self.task, file, line: self.line, inputs: &self.inputs };
        let plan = plan(&cx, &book, &wanted)?;
        let notes = plan.steps.iter().flat_map(|(label, step)| {
            step.notes.iter().map(move |note| format!("{label}: {note}"))
        });
        let notes = notes.collect();
        let tasks = cx.state.service::<Tasks>();
        let key = tasks.begin(cx.state.space(), &self.task, &cx.caller, cx.state.now())?;
        let running = Arc::new(Running::new(&cx, plan));
        let work = Arc::clone(&running).run(self.task.clone(), Some(key.clone()));
        let timeout = Duration::from_millis(self.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS));
        // It goes on when nobody waits any more.
        let ended = tokio::time::timeout(timeout, tokio::spawn(work)).await;
        if let Ok(Err(join)) = ended {
            return Err(Error::internal("the task could not be followed").because(join));
        }
        if let Some(error) = running.take_refused() {
            return Err(error);
        }
        let run = cx.state.space().state().part::<TasksPart>().get(key.as_str()).cloned();
        let run = run.ok_or_else(|| Error::conflict("the task was run again meanwhile"))?;
        let tail = running.take_tail();
        Ok(Ran { run, output: tail.lines.into(), left_out: tail.left_out, notes })
    }

    fn text(ran: &Ran) -> Option<String> {
        Some(describe(ran))
    }

    fn exit_code(ran: &Ran) -> Option<u8> {
        match ran.run.state {
            TaskState::Failed => Some(1),
            _ => ran.run.exit_code.and_then(|code| u8::try_from(code).ok()),
        }
    }
}

fn describe(ran: &Ran) -> String {
    let mut lines = ran.output.clone();
    if ran.left_out > 0 {
        lines.insert(0, format!("(… {} lines left out …)", ran.left_out));
    }
    let TaskRun { task, state, exit_code, terminal_id, problems, why, .. } = &ran.run;
    let place = terminal_id.map(|id| format!(" in {id}")).unwrap_or_default();
    let code = exit_code.map_or("unknown".into(), |code| code.to_string());
    lines.push(match state {
        TaskState::Waiting => format!("(`{task}` waits for tasks before it)"),
        TaskState::Running => format!("(`{task}` still runs{place}; task_stop stops it)"),
        TaskState::Watching => format!("(`{task}` goes on{place}; task_stop stops it)"),
        TaskState::Ended => format!("(`{task}` ended{place}: exit code {code})"),
        TaskState::Failed => {
            format!("(`{task}` failed{place}: {})", why.as_deref().unwrap_or("nobody knows why"))
        }
    });
    if let Some(count) = problems.filter(|count| *count > 0) {
        lines.push(format!("({count} problems; editor_diagnostics lists them)"));
    }
    lines.extend(ran.notes.iter().map(|note| format!("(not as written: {note})")));
    lines.join("\n")
}

/// Stop a task that runs, as Ctrl-C in its terminal does.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stop {
    /// Its label.
    task: String,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// The terminal that it ran in.
    terminal_id: TerminalId,
    /// Whether its terminal waits for a command again.
    stopped: bool,
}

impl Command<OpenSpace> for Stop {
    const META: Meta = Meta::new("task.stop", "Task: Stop", Access::Execute)
        .shown(Shown::Searchable)
        .parallel()
        .passes_on();
    type Output = Stopped;

    fn summary(&self) -> String {
        format!("stop the task {}", self.task)
    }

    async fn run(self, cx: Cx) -> Result<Stopped> {
        let state = cx.state.space().state();
        let runs = state.part::<TasksPart>();
        let all = runs.values().filter(|run| run.task == self.task && run.state.is_active());
        // One's own before those of others.
        let is_others =
            |run: &&TaskRun| run.started_by != cx.caller.id || run.started_as != cx.caller.kind;
        let found = all.min_by_key(is_others).map(|run| run.terminal_id);
        let Some(found) = found else {
            let running = runs.values().filter(|run| run.state.is_active());
            let running: Vec<&str> = running.map(|run| run.task.as_str()).collect();
            let known = if running.is_empty() {
                "none runs".into()
            } else {
                format!("those that run: {}", running.join(", "))
            };
            return Err(Error::conflict("no such task runs").hint(known));
        };
        let Some(terminal_id) = found else {
            return Err(Error::conflict(format!("the task `{}` waits for others", self.task))
                .hint("stop those"));
        };
        let reply = cx.dispatch("terminal.interrupt", json!({"terminalId": terminal_id})).await;
        let data = reply.result?;
        let stopped = data.get("promptBack").and_then(Value::as_bool).unwrap_or(false);
        Ok(Stopped { terminal_id, stopped })
    }
}

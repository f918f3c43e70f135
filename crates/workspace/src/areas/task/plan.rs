//! What a task needs before it runs: the tasks that it depends on, each once, and the lines of all of them. Everything
//! that can be wrong is found here, before the first one runs.

use std::{collections::BTreeMap, path::PathBuf};

use openspace_command::{Error, Result};
use openspace_protocol::RelPath;
use tokio::sync::OnceCell;

use super::{
    definition::{Definition, Runs, Shown},
    line::{Program, Word},
    matchers::{self, Matcher},
    running::Finish,
    sources::Book,
    variables::Variables,
};
use crate::Cx;

/// Tasks that one may need.
const MAX_STEPS: usize = 100;
/// Tasks that may wait for each other in a row.
const MAX_DEPTH: usize = 20;

/// A task and all that it depends on, by label.
pub(super) struct Plan {
    pub(super) steps: BTreeMap<String, Step>,
}

/// A task of a plan.
pub(super) struct Step {
    pub(super) depends_on: Vec<String>,
    pub(super) in_sequence: bool,
    pub(super) ready: Option<Ready>,
    pub(super) notes: Vec<String>,
    /// How it ended; set by whoever needs it first.
    pub(super) finish: OnceCell<Finish>,
}

/// What is run, with everything put in.
pub(super) struct Ready {
    pub(super) program: Program,
    pub(super) folder: RelPath,
    pub(super) matchers: std::sync::Mutex<Vec<Matcher>>,
    pub(super) is_matched: bool,
    pub(super) in_background: bool,
    pub(super) shown: Shown,
}

/// What a caller says of a run.
pub(super) struct Wanted<'a> {
    pub(super) task: &'a str,
    pub(super) file: Option<RelPath>,
    pub(super) line: Option<u32>,
    pub(super) inputs: &'a BTreeMap<String, String>,
}

/// Plan a run.
pub(super) fn plan(cx: &Cx, book: &Book, wanted: &Wanted<'_>) -> Result<Plan> {
    let mut plan = Plan { steps: BTreeMap::new() };
    add(cx, book, wanted, wanted.task, &mut Vec::new(), &mut plan)?;
    Ok(plan)
}

fn add(
    cx: &Cx,
    book: &Book,
    wanted: &Wanted<'_>,
    label: &str,
    above: &mut Vec<String>,
    plan: &mut Plan,
) -> Result<()> {
    if above.iter().any(|one| one == label) {
        above.push(label.to_owned());
        return Err(Error::invalid(format!("tasks depend on each other: {}", above.join(" → "))));
    }
    if plan.steps.contains_key(label) {
        return Ok(());
    }
    if plan.steps.len() >= MAX_STEPS || above.len() >= MAX_DEPTH {
        return Err(Error::invalid(format!(
            "the task `{}` depends on more than {MAX_STEPS} tasks, or {MAX_DEPTH} in a row",
            wanted.task
        )));
    }
    let task = book.find(label).map_err(|error| match above.last() {
        Some(by) => Error::not_found(format!("{}, on which `{by}` depends", error.message)),
        None => error,
    })?;
    let named = |mut error: Error| {
        error.message = format!("the task `{label}`: {}", error.message);
        error
    };
    if let Some(why) = &task.unusable {
        return Err(named(Error::invalid(why.clone())));
    }
    let (ready, mut notes) = match &task.runs {
        Some(runs) => {
            let (ready, notes) = ready(cx, runs, wanted).map_err(named)?;
            (Some(ready), notes)
        }
        None => (None, Vec::new()),
    };
    notes.extend(task.notes.iter().cloned());
    above.push(label.to_owned());
    for next in &task.depends_on {
        add(cx, book, wanted, next, above, plan)?;
    }
    above.pop();
    let Definition { depends_on, in_sequence, .. } = task;
    let step = Step {
        depends_on: depends_on.clone(),
        in_sequence: *in_sequence,
        ready,
        notes,
        finish: OnceCell::new(),
    };
    plan.steps.insert(label.to_owned(), step);
    Ok(())
}

/// Put in what is known.
fn ready(cx: &Cx, runs: &Runs, wanted: &Wanted<'_>) -> Result<(Ready, Vec<String>)> {
    let root: PathBuf = cx.state.root().to_owned();
    let Wanted { file, line, inputs, .. } = wanted;
    let variables =
        Variables { root, file: file.clone(), by_shell: runs.by_shell, line: *line, inputs };
    let put = |word: &Word| variables.put_into(&word.text()).map(|text| word.with(text));
    let folder = variables.put_into(runs.cwd.as_deref().unwrap_or("."))?;
    let folder = cx.state.path(&folder).map_err(|mut error| {
        error.message = format!("`options.cwd`: {}", error.message);
        error
    })?;
    let env = runs
        .env
        .iter()
        .map(|(name, value)| variables.put_into(value).map(|value| (name.clone(), value)));
    let program = Program {
        command: put(&runs.command)?,
        args: runs.args.iter().map(put).collect::<Result<_>>()?,
        by_shell: runs.by_shell,
        env: env.collect::<Result<_>>()?,
    };
    let (mut matchers, notes) = matchers::read(&runs.matchers)?;
    for matcher in &mut matchers {
        matcher.base = matcher.base.take().map(|base| variables.put_into(&base)).transpose()?;
    }
    let ready = Ready {
        program,
        folder,
        is_matched: !matchers.is_empty(),
        matchers: std::sync::Mutex::new(matchers),
        in_background: runs.in_background,
        shown: runs.shown,
    };
    Ok((ready, notes))
}

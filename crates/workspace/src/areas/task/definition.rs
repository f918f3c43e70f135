//! What a task is, as `.vscode/tasks.json` says it. A task that cannot be run here is known all the same, with the
//! reason: nobody looks for it in vain.

use std::collections::BTreeMap;

use openspace_command::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::line::Word;

/// Where the tasks of a workspace are written.
pub(super) const FILE: &str = ".vscode/tasks.json";
/// Tasks of one file.
const MAX_TASKS: usize = 500;
/// Characters of a label.
pub(super) const MAX_LABEL: usize = 200;

/// What a task is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Group {
    /// It builds.
    Build,
    /// It tests.
    Test,
}

/// What a task asks for before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Input {
    /// The name under which it is given.
    pub(super) id: String,
    /// What is asked.
    pub(super) description: Option<String>,
    /// What is proposed.
    pub(super) default: Option<String>,
    /// What there is to choose from; anything when it is empty.
    pub(super) options: Vec<String>,
    /// Whether it is a secret, which nobody should see while it is typed.
    pub(super) password: bool,
}

/// A task.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a task, one by one")]
pub(super) struct Definition {
    pub(super) label: String,
    pub(super) detail: Option<String>,
    pub(super) group: Option<Group>,
    pub(super) is_default: bool,
    pub(super) hidden: bool,
    /// Whether somebody wrote it down as a task.
    pub(super) is_written: bool,
    /// Labels of tasks that run before.
    pub(super) depends_on: Vec<String>,
    /// One after the other, not at once.
    pub(super) in_sequence: bool,
    /// What it runs itself, if anything.
    pub(super) runs: Option<Runs>,
    /// Why it cannot be run here.
    pub(super) unusable: Option<String>,
    /// What of it means nothing here.
    pub(super) notes: Vec<String>,
}

/// What a task runs.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    pub(super) command: Word,
    pub(super) args: Vec<Word>,
    pub(super) by_shell: bool,
    pub(super) env: BTreeMap<String, String>,
    pub(super) cwd: Option<String>,
    /// Whether it goes on until it is stopped.
    pub(super) in_background: bool,
    /// As written; read when it is run.
    pub(super) matchers: Value,
    pub(super) shown: Shown,
}

/// How its terminal is shown, as far as that means something here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one word of a task's file")]
pub(super) struct Shown {
    /// A new terminal for each run.
    pub(super) in_new: bool,
    /// It is not brought into view.
    pub(super) is_quiet: bool,
    /// It gets the keyboard of who runs the task.
    pub(super) takes_focus: bool,
    /// The terminal goes when the task has ended well.
    pub(super) closes: bool,
}

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct TasksFile {
    pub(super) tasks: Vec<Definition>,
    pub(super) inputs: Vec<Input>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<Word>,
    #[serde(default)]
    args: Vec<Word>,
    #[serde(default)]
    options: WrittenOptions,
    group: Option<WrittenGroup>,
    depends_on: Option<Depends>,
    depends_order: Option<String>,
    #[serde(default)]
    presentation: Presentation,
    #[serde(default)]
    problem_matcher: Value,
    #[serde(default)]
    is_background: bool,
    detail: Option<String>,
    #[serde(default)]
    hide: bool,
    script: Option<String>,
    path: Option<String>,
    run_options: Option<RunOptions>,
}

#[derive(Default, Deserialize)]
struct WrittenOptions {
    cwd: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    shell: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenGroup {
    Named(String),
    Full {
        kind: String,
        #[serde(default, rename = "isDefault")]
        is_default: Value,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Depends {
    One(String),
    More(Vec<String>),
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Presentation {
    panel: Option<String>,
    reveal: Option<String>,
    #[serde(default)]
    focus: bool,
    #[serde(default)]
    close: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunOptions {
    run_on: Option<String>,
    instance_limit: Option<u32>,
}

#[derive(Deserialize)]
struct WrittenInput {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    description: Option<String>,
    default: Option<String>,
    #[serde(default)]
    options: Vec<Choice>,
    #[serde(default)]
    password: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Choice {
    Plain(String),
    Labelled { value: String },
}

/// Read the file's value.
pub(super) fn read(value: Value) -> Result<TasksFile> {
    let bad = |why: String| Error::invalid(format!("`{FILE}`: {why}"));
    let mut whole = match value {
        Value::Null => return Ok(TasksFile::default()),
        Value::Object(whole) => whole,
        _ => return Err(bad("is not an object".into())),
    };
    if let Some(version) = whole.get("version").filter(|version| *version != "2.0.0") {
        return Err(bad(format!("`version` is {version}, and 2.0.0 is what can be read")));
    }
    over(&mut whole, "linux");
    let tasks = match whole.remove("tasks") {
        None => Vec::new(),
        Some(Value::Array(tasks)) if tasks.len() <= MAX_TASKS => tasks,
        Some(Value::Array(_)) => return Err(bad(format!("has more than {MAX_TASKS} tasks"))),
        Some(_) => return Err(bad("`tasks` is not a list".into())),
    };
    let inputs = match whole.remove("inputs") {
        None => Vec::new(),
        Some(inputs) => serde_json::from_value::<Vec<WrittenInput>>(inputs)
            .map_err(|error| bad(format!("`inputs`: {error}")))?,
    };
    let common: Map<String, Value> = ["type", "options", "presentation", "problemMatcher"]
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), whole.remove(*key)?)))
        .collect();
    let mut read = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.into_iter().enumerate() {
        let Value::Object(task) = task else {
            return Err(bad(format!("`tasks[{index}]` is not an object")));
        };
        let definition = task_of(&common, task, index).map_err(bad)?;
        if read.iter().any(|other: &Definition| other.label == definition.label) {
            return Err(bad(format!("two tasks have the label `{}`", definition.label)));
        }
        read.push(definition);
    }
    // What is asked for in another way than these cannot be answered; the variable then says so.
    let inputs = inputs.into_iter().filter(|input| input.kind != "command").map(|input| Input {
        id: input.id,
        description: input.description,
        default: input.default,
        options: input
            .options
            .into_iter()
            .map(|choice| match choice {
                Choice::Plain(value) | Choice::Labelled { value } => value,
            })
            .collect(),
        password: input.password,
    });
    Ok(TasksFile { tasks: read, inputs: inputs.collect() })
}

/// What is said for one system is said over what is said for all.
fn over(task: &mut Map<String, Value>, system: &str) {
    for other in ["windows", "osx"] {
        task.remove(other);
    }
    if let Some(Value::Object(own)) = task.remove(system) {
        merge(task, own);
    }
}

/// Options and how it is shown are put together, everything else is replaced.
fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        let is_deep = matches!(key.as_str(), "options" | "presentation" | "env");
        match (into.get_mut(&key), value) {
            (Some(Value::Object(into)), Value::Object(from)) if is_deep => merge(into, from),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn task_of(
    common: &Map<String, Value>,
    mut task: Map<String, Value>,
    index: usize,
) -> Result<Definition, String> {
    over(&mut task, "linux");
    let mut whole = common.clone();
    merge(&mut whole, task);
    let label = whole.get("label").or_else(|| whole.get("taskName")).and_then(Value::as_str);
    let is_npm = whole.get("type").is_some_and(|kind| kind == "npm");
    let script = whole.get("script").and_then(Value::as_str).filter(|_| is_npm);
    let label = match (label, script) {
        (Some(label), _) => label.to_owned(),
        (None, Some(script)) => format!("npm: {script}"),
        (None, None) => return Err(format!("`tasks[{index}]` has no `label`")),
    };
    if label.trim().is_empty()
        || label.chars().count() > MAX_LABEL
        || label.contains(char::is_control)
    {
        return Err(format!(
            "`tasks[{index}].label` must be 1 to {MAX_LABEL} printable characters"
        ));
    }
    let none = Definition {
        label,
        detail: None,
        group: None,
        is_default: false,
        hidden: false,
        is_written: true,
        depends_on: Vec::new(),
        in_sequence: false,
        runs: None,
        unusable: None,
        notes: Vec::new(),
    };
    Ok(match serde_json::from_value::<Written>(Value::Object(whole)) {
        Ok(written) => written.into_definition(none),
        Err(error) => Definition { unusable: Some(error.to_string()), ..none },
    })
}

impl Written {
    fn into_definition(self, none: Definition) -> Definition {
        let mut notes = Vec::new();
        let (group, is_default) = match self.group {
            None => (None, false),
            Some(WrittenGroup::Named(kind)) => (group_of(&kind), false),
            Some(WrittenGroup::Full { kind, is_default }) => {
                if is_default.is_string() {
                    notes.push("`isDefault` as a pattern of files is not known here".into());
                }
                (group_of(&kind), is_default == Value::Bool(true))
            }
        };
        if let Some(options) = self.run_options {
            if options.run_on.as_deref().is_some_and(|when| when != "default") {
                notes.push("it does not run by itself when the folder is opened".into());
            }
            if options.instance_limit.is_some_and(|limit| limit > 1) {
                notes.push("it runs once at a time".into());
            }
        }
        let mut unusable = match self.depends_order.as_deref() {
            None | Some("parallel" | "sequence") => None,
            Some(other) => Some(format!("`dependsOrder` is `{other}`, not parallel or sequence")),
        };
        let in_sequence = self.depends_order.as_deref() == Some("sequence");
        let depends_on = match self.depends_on {
            None => Vec::new(),
            Some(Depends::One(label)) => vec![label],
            Some(Depends::More(labels)) => labels,
        };
        let (mut command, mut args, mut cwd) = (self.command, self.args, self.options.cwd);
        let by_shell = match self.kind.as_deref() {
            Some("shell") => true,
            None | Some("process") => false,
            Some("npm") => {
                match self.script {
                    Some(script) => {
                        command = Some(Word::Plain("npm".into()));
                        args = ["run".to_owned(), script].map(Word::Plain).to_vec();
                        cwd = cwd.or(self.path.filter(|path| !path.is_empty()));
                    }
                    None => unusable = Some("it has no `script`".into()),
                }
                false
            }
            Some(other) => {
                unusable = Some(format!(
                    "tasks of the type `{other}` need an extension; known are shell, process and npm"
                ));
                false
            }
        };
        if self.options.shell.is_some() {
            unusable =
                Some("`options.shell` is not known here: its terminal has the usual shell".into());
        }
        if let Some(name) = self.options.env.keys().find(|name| !is_variable(name)) {
            unusable = Some(format!("`options.env`: `{name}` is no name of a variable"));
        }
        if command.is_none() && depends_on.is_empty() {
            unusable = unusable.or_else(|| Some("it has no `command`".into()));
        }
        let runs = command.map(|command| Runs {
            command,
            args,
            by_shell,
            env: self.options.env,
            cwd,
            in_background: self.is_background,
            matchers: self.problem_matcher,
            shown: Shown {
                in_new: self.presentation.panel.as_deref() == Some("new"),
                is_quiet: matches!(self.presentation.reveal.as_deref(), Some("silent" | "never")),
                takes_focus: self.presentation.focus,
                closes: self.presentation.close,
            },
        });
        let (detail, hidden) = (self.detail, self.hide);
        Definition {
            detail,
            group,
            is_default,
            hidden,
            depends_on,
            in_sequence,
            runs,
            unusable,
            notes,
            ..none
        }
    }
}

fn group_of(kind: &str) -> Option<Group> {
    match kind {
        "build" => Some(Group::Build),
        "test" => Some(Group::Test),
        _ => None,
    }
}

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests;

//! The tasks of the workspace, from all that says so: the file of tasks, and the scripts of packages.

use std::collections::BTreeMap;

use openspace_command::{Error, Result};
use openspace_files::{FileError, LineRange};
use openspace_host::{HostError, operation::ReadText};
use openspace_protocol::RelPath;

use super::{
    definition::{self, Definition, FILE, Input},
    detected, jsonc,
    line::Word,
};
use crate::{Cx, content::reading::look, paths::is_person, refusal::refused};

/// All tasks, by label.
pub(super) struct Book {
    pub(super) tasks: Vec<Definition>,
    pub(super) inputs: Vec<Input>,
}

impl Book {
    /// Read all of them, as they are now.
    pub(super) async fn open(cx: &Cx) -> Result<Self> {
        let written = match text(cx, FILE).await? {
            Some(text) => definition::read(jsonc::read(FILE, &text)?)?,
            None => definition::TasksFile::default(),
        };
        let mut tasks = written.tasks;
        for found in detected::scripts(cx).await? {
            // What is written down stands for what is found under the same name.
            if !tasks.iter().any(|task| task.label == found.label) {
                tasks.push(found);
            }
        }
        Ok(Self { tasks, inputs: written.inputs })
    }

    /// The task of a label.
    pub(super) fn find(&self, label: &str) -> Result<&Definition> {
        self.tasks.iter().find(|task| task.label == label).ok_or_else(|| {
            let shown: String = label.chars().take(100).collect();
            let known: Vec<&str> =
                self.tasks.iter().take(50).map(|task| task.label.as_str()).collect();
            let known = if known.is_empty() {
                format!("there are none: write them into {FILE}")
            } else {
                format!("tasks: {}", known.join(", "))
            };
            Error::not_found(format!("there is no task `{shown}`")).hint(known)
        })
    }

    /// What a task and those that it depends on ask for.
    pub(super) fn asked_by(&self, task: &Definition) -> Vec<&Input> {
        let mut texts = BTreeMap::new();
        self.collect(task, &mut texts);
        let is_asked = |input: &&Input| {
            texts.values().flatten().any(|text| text.contains(&format!("${{input:{}}}", input.id)))
        };
        self.inputs.iter().filter(is_asked).collect()
    }

    /// Whether a task, or one that it depends on, is about a file.
    pub(super) fn needs_file(&self, task: &Definition) -> bool {
        let mut texts = BTreeMap::new();
        self.collect(task, &mut texts);
        let mut all = texts.values().flatten();
        all.any(|text| text.contains("${file") || text.contains("${relativeFile"))
    }

    fn collect<'a>(&'a self, task: &'a Definition, texts: &mut BTreeMap<&'a str, Vec<String>>) {
        if texts.contains_key(task.label.as_str()) {
            return;
        }
        let of_runs = task.runs.iter().flat_map(|runs| {
            let words = std::iter::once(&runs.command).chain(&runs.args).map(Word::text);
            words.chain(runs.env.values().cloned()).chain(runs.cwd.clone())
        });
        texts.insert(&task.label, of_runs.collect());
        for label in &task.depends_on {
            if let Ok(next) = self.find(label) {
                self.collect(next, texts);
            }
        }
    }
}

/// The text of a file as the caller sees it; none when there is no such file.
pub(super) async fn text(cx: &Cx, path: &str) -> Result<Option<String>> {
    let path: RelPath = cx.state.path(path)?;
    let form =
        ReadText { path: path.clone(), range: LineRange::default(), person: is_person(&cx.caller) };
    match look(cx, cx.state.place(), form).await {
        Ok(read) if read.content.truncated => {
            Err(Error::invalid(format!("`{path}` is too large to be read whole")))
        }
        Ok(read) => Ok(Some(read.content.content)),
        Err(HostError::File(FileError::NotFound { .. })) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

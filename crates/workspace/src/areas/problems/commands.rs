//! `editor.report_problems` and `editor.diagnostics`.

use openspace_command::{Command, Error, Meta, Result, Set, Shown};
use openspace_host::operation::StatPath;
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_MESSAGE, MAX_NAME, MAX_PROBLEMS, Problem, Severity, replace};
use crate::{
    Cx, Entry, OpenSpace,
    areas::{
        editor::{Range, check_range},
        problems::ProblemsPart,
    },
    open_space::ask,
    paths::explained,
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[Entry::of::<Report>(), Entry::of::<Diagnostics>()];

/// Problems that one answer lists.
const MAX_LISTED: usize = 1_000;

/// A problem as it is reported.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reported {
    /// The file; may be left out when the report is about one file.
    path: Option<String>,
    /// The line where it begins, counting from 1.
    #[schemars(range(min = 1))]
    start_line: u32,
    /// The column where it begins, counting from 1.
    #[schemars(range(min = 1))]
    start_column: Option<u32>,
    /// The line where it ends; the same line when left out.
    #[schemars(range(min = 1))]
    end_line: Option<u32>,
    /// The column where it ends.
    #[schemars(range(min = 1))]
    end_column: Option<u32>,
    /// How bad it is; `error` when left out.
    severity: Option<Severity>,
    /// What it is.
    message: String,
    /// The code or rule, such as `E0308`.
    code: Option<String>,
}

impl Reported {
    fn range(&self) -> Range {
        let end_line = self.end_line.unwrap_or(self.start_line);
        let Self { start_line, start_column, end_column, .. } = *self;
        Range { start_line, end_line, start_column, end_column }
    }
}

/// What is in the list of problems now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Noted {
    /// How many problems this source has now.
    total: usize,
    /// How many messages were cut, because they were too long.
    shortened: usize,
}

/// Put findings of a linter or compiler into the person's list of problems.
///
/// Replaces what the same source reported before, in all files or in the one given by `path`. An
/// empty list clears it. Run the tool, then report what it found; the person sees it in the
/// Problems view and in the files.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Report {
    /// Who found them, such as `clippy` or `tsc`.
    source: String,
    /// What was found.
    problems: Vec<Reported>,
    /// Replace only what this source reported of this file.
    path: Option<String>,
}

impl Command<OpenSpace> for Report {
    const META: Meta = Meta::new("editor.report_problems", "Editor: Report Problems", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Noted;

    fn summary(&self) -> String {
        format!("report {} problems of {}", self.problems.len(), self.source)
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_name("argument `source`", &self.source)?;
        if self.problems.len() > MAX_PROBLEMS {
            return Err(Error::invalid(format!("argument `problems`: at most {MAX_PROBLEMS}")));
        }
        for (index, problem) in self.problems.iter().enumerate() {
            let at = format!("argument `problems[{index}]`");
            check_range(problem.range(), &at)?;
            if problem.message.trim().is_empty() {
                return Err(Error::invalid(format!("{at}: the message is empty")));
            }
            if let Some(code) = &problem.code {
                check_name(&format!("{at}.code"), code)?;
            }
            if problem.path.is_none() && self.path.is_none() {
                return Err(Error::invalid(format!("{at}: give a `path`")));
            }
        }
        Ok(())
    }

    async fn run(self, cx: Cx) -> Result<Noted> {
        let only = self.path.as_deref().map(|path| cx.state.path(path)).transpose()?;
        let only = only.map(String::from);
        let mut shortened = 0;
        let mut found = Vec::with_capacity(self.problems.len());
        for (index, reported) in self.problems.into_iter().enumerate() {
            let at = |mut error: Error| {
                error.message = format!("argument `problems[{index}]`: {}", error.message);
                error
            };
            let path = reported.path.as_deref().map(|path| cx.state.path(path)).transpose();
            let path = path.map_err(at)?.map(String::from).or_else(|| only.clone());
            let path = path.unwrap_or_default();
            if only.as_ref().is_some_and(|only| *only != path) {
                let message = format!("`{path}` is not the file that the report is about");
                return Err(at(Error::invalid(message)));
            }
            let message = bounded(&reported.message, &mut shortened);
            found.push(Problem {
                path,
                start_line: reported.start_line,
                start_column: reported.start_column,
                end_line: reported.end_line,
                end_column: reported.end_column,
                severity: reported.severity.unwrap_or(Severity::Error),
                message,
                code: reported.code,
                tags: Vec::new(),
            });
        }
        let noted = cx
            .state
            .space()
            .change(|state| {
                let problems = state.part_mut::<ProblemsPart>();
                let total = replace(problems, &self.source, only.as_deref(), found)?;
                Ok(Noted { total, shortened })
            })
            .await?;
        cx.state.doings().problems(&cx.caller, &self.source, noted.total);
        Ok(noted)
    }
}

fn check_name(what: &str, name: &str) -> Result<()> {
    let is_printable = !name.chars().any(char::is_control);
    if is_printable && (1..=MAX_NAME).contains(&name.chars().count()) {
        return Ok(());
    }
    Err(Error::invalid(format!("{what}: 1 to {MAX_NAME} printable characters")))
}

fn bounded(message: &str, shortened: &mut usize) -> String {
    if message.chars().nth(MAX_MESSAGE).is_none() {
        return message.to_owned();
    }
    *shortened += 1;
    message.chars().take(MAX_MESSAGE - 1).chain(['…']).collect()
}

/// A problem, and who found it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Who found it.
    source: String,
    /// What it is.
    #[serde(flatten)]
    problem: Problem,
}

/// Problems.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The problems, file by file, at most 1000 of them.
    problems: Vec<Listed>,
    /// How many there are.
    total: usize,
    /// How many of these are errors.
    errors: usize,
    /// How many of these are warnings.
    warnings: usize,
}

/// List the problems that language servers found and linters and compilers reported.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diagnostics {
    /// Only those in this file, or in the files of this folder.
    path: Option<String>,
    /// Only those that are at least this bad.
    severity: Option<Severity>,
}

impl Command<OpenSpace> for Diagnostics {
    const META: Meta =
        Meta::new("editor.diagnostics", "Editor: Diagnostics", Access::Read).set(Set::Ide);
    type Output = Found;

    fn summary(&self) -> String {
        match &self.path {
            Some(path) => format!("problems in {path}"),
            None => "problems".into(),
        }
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    async fn run(self, cx: Cx) -> Result<Found> {
        let path = self.path.as_deref().map(|path| cx.state.path(path)).transpose()?;
        let state = cx.state.space().state();
        let all = state.part::<ProblemsPart>();
        let within = |problem: &Problem| match &path {
            Some(path) if !path.is_root() => problem
                .path
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            _ => true,
        };
        let mut found: Vec<(&String, &Problem)> = all
            .iter()
            .flat_map(|(_, file)| file.problems.iter().map(move |problem| (&file.source, problem)))
            .filter(|(_, problem)| within(problem))
            .collect();
        if found.is_empty()
            && let Some(path) = &path
        {
            // None in a file that is not there would say more than is known.
            if let Err(error) = ask(&cx, StatPath { path: path.clone() }).await {
                return Err(explained(cx.state.place(), error).await);
            }
        }
        found.retain(|(_, problem)| self.severity.is_none_or(|least| problem.severity <= least));
        found.sort_by_key(|(_, problem)| (&problem.path, problem.start_line, problem.start_column));
        let count = |wanted| found.iter().filter(|(_, found)| found.severity == wanted).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let total = found.len();
        let listed = found.into_iter().take(MAX_LISTED);
        let problems = listed
            .map(|(source, problem)| Listed { source: source.clone(), problem: problem.clone() })
            .collect();
        Ok(Found { problems, total, errors, warnings })
    }
}

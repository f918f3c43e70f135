//! `code.diagnostics`: what is wrong with texts as they are now.
//!
//! What is told of a file says whether it is about the text as it is. A file of which nothing is known yet is named as
//! such and never called right.

use std::ops::Range;

use openspace_command::{Command, Meta, Result};
use openspace_languages::{Diagnostic, Freshness, Severity};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    asked_files::{Looking, reports},
    asking::Asking,
    commands::{MOST_WAIT, check_wait, wait},
    quoting::Quotes,
    whereabouts::Where,
};
use crate::{Cx, OpenSpace};

/// Files that an answer names.
const MOST_NAMED: usize = 100;
/// Problems of one file, and of all, that an answer shows.
const MOST_OF_FILE: usize = 20;
const MOST_OF_ALL: usize = 50;
/// Letters of the words of a problem.
const LONGEST: usize = 500;
/// Notes that an answer has.
const MOST_NOTES: usize = 20;

/// How bad problems are that are shown.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CodeSeverity")]
pub enum Badness {
    /// It does not work.
    Error,
    /// It may not do what was meant.
    Warning,
    /// Good to know.
    Information,
    /// It could be nicer.
    Hint,
}

impl From<Severity> for Badness {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Information => Self::Information,
            Severity::Hint => Self::Hint,
        }
    }
}

/// Whether what is told is about the text as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CodeFreshness")]
pub enum Fresh {
    /// It is.
    Fresh,
    /// It very likely is.
    Likely,
    /// It is about other files as they were before.
    Old,
    /// Nothing is known about this text yet.
    Pending,
}

impl From<Freshness> for Fresh {
    fn from(freshness: Freshness) -> Self {
        match freshness {
            Freshness::Fresh => Self::Fresh,
            Freshness::Likely => Self::Likely,
            Freshness::Old => Self::Old,
            Freshness::Pending => Self::Pending,
        }
    }
}

/// Say what is wrong in a file or folder, as its language servers see it now.
///
/// Without `path`: in files that were asked about. `pending` means that nothing is known yet.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diagnostics {
    /// File or folder.
    ///
    /// Relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    /// The least bad to show.
    ///
    /// `warning` when left out.
    severity: Option<Badness>,
    /// The wait.
    ///
    /// Most seconds to wait for a server that loads; 10 when left out.
    #[schemars(range(max = MOST_WAIT))]
    wait_s: Option<u32>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CodeProblem")]
pub struct Problem {
    /// The line.
    pub(super) line: u32,
    /// The column.
    pub(super) column: u32,
    /// How bad it is: `error`, `warning`, `information` or `hint`.
    #[schemars(with = "String")]
    pub(super) severity: Badness,
    /// What it is.
    pub(super) message: String,
    /// Who says so, and its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// True on a line that the person has changed and not saved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unsaved: bool,
}

impl Problem {
    pub(super) fn of(item: &Diagnostic) -> Self {
        let code = item.code.as_ref().map(|code| match code {
            Value::String(code) => code.clone(),
            other => other.to_string(),
        });
        let source: Vec<String> = item.source.iter().cloned().chain(code).collect();
        Self {
            line: item.range.start.line + 1,
            column: item.range.start.character + 1,
            severity: item.severity.into(),
            message: shortened(&item.message),
            source: (!source.is_empty()).then(|| shortened(&source.join(" "))),
            text: None,
            unsaved: false,
        }
    }

    /// The same, with whether the person has saved these lines.
    pub(super) fn among(item: &Diagnostic, unsaved: &[Range<usize>]) -> Self {
        let (first, last) = (item.range.start.line as usize, item.range.end.line as usize);
        let unsaved = unsaved.iter().any(|lines| lines.start <= last && first < lines.end);
        Self { unsaved, ..Self::of(item) }
    }

    pub(super) fn words(&self) -> String {
        let source = self.source.as_ref().map(|source| format!(" [{source}]")).unwrap_or_default();
        let text = self.text.as_ref().map(|text| format!("\n    {text}")).unwrap_or_default();
        let severity = match self.severity {
            Badness::Error => "error",
            Badness::Warning => "warning",
            Badness::Information => "information",
            Badness::Hint => "hint",
        };
        let unsaved = if self.unsaved { " (the person has not saved this line)" } else { "" };
        let Self { line, column, message, .. } = self;
        format!("{line}:{column} {severity}: {message}{source}{unsaved}{text}")
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is wrong in a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodeFile")]
pub struct InFile {
    /// The file.
    path: String,
    /// Whether this is about its text as it is now: `fresh`, `likely`, `old` (other files changed since) or `pending`.
    #[schemars(with = "String")]
    state: Fresh,
    /// How many errors it has.
    errors: usize,
    /// How many warnings.
    warnings: usize,
    /// The worst first, at most 20.
    problems: Vec<Problem>,
    /// Why asking failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// What is wrong.
#[derive(Serialize, JsonSchema)]
pub struct Found {
    /// Files in which something is wrong, or of which nothing is known for sure.
    files: Vec<InFile>,
    /// How many files have nothing of what was asked for.
    right: usize,
    /// Whether all of it is about the texts as they are, and no file was left out for which there is a server.
    complete: bool,
    /// What was left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Command<OpenSpace> for Diagnostics {
    const META: Meta = Meta::new("code.diagnostics", "Code: Diagnostics", Access::Read);
    type Output = Found;

    fn summary(&self) -> String {
        match &self.path {
            Some(path) => format!("what is wrong in {path}"),
            None => "what is wrong".into(),
        }
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_wait(self.wait_s)
    }

    async fn run(self, cx: Cx) -> Result<Found> {
        let asking = Asking::new(&cx, wait(self.wait_s));
        let mut looking = Looking::default();
        match self.path {
            Some(path) => {
                let path = cx.state.path(&path)?;
                looking.at(&asking, path).await?;
            }
            None => looking.at_what_is_known(&asking).await?,
        }
        let least = self.severity.unwrap_or(Badness::Warning);
        found(looking, &asking, least).await
    }

    fn text(found: &Found) -> Option<String> {
        let mut lines = Vec::new();
        for file in &found.files {
            let state = match file.state {
                Fresh::Fresh => "",
                Fresh::Likely => " (very likely about the text as it is)",
                Fresh::Old => " (from before other files changed)",
                Fresh::Pending => " (nothing is known about its text yet)",
            };
            let failure = file.failure.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let InFile { path, errors, warnings, .. } = file;
            lines.push(format!("{path}: {errors} error(s), {warnings} warning(s){state}{failure}"));
            lines.extend(file.problems.iter().map(|problem| format!("  {}", problem.words())));
            let shown = file.problems.len();
            let more = (errors + warnings).saturating_sub(shown);
            if more > 0 {
                lines.push(format!("  ({more} more)"));
            }
        }
        if found.right > 0 || found.files.is_empty() {
            let about = if found.complete { "" } else { ", as far as is known" };
            lines.push(format!("Nothing is wrong in {} file(s){about}.", found.right));
        }
        lines.extend(found.notes.iter().map(|note| format!("({note})")));
        Some(lines.join("\n"))
    }
}

/// What is wrong in these files, as bad as that or worse.
async fn found(looking: Looking, asking: &Asking, least: Badness) -> Result<Found> {
    let Looking { jobs, mut notes, left_out } = looking;
    let reports = reports(jobs, asking.wait).await?;
    let mut quotes = Quotes::new(&asking.state);
    let (mut files, mut right, mut shown) = (Vec::new(), 0, 0);
    let mut complete = !left_out;
    let mut unnamed = 0;
    for (at, report) in reports {
        complete &= report.freshness.is_settled() && report.failure.is_none();
        let mut items: Vec<&Diagnostic> = report.items.iter().chain(&report.beside).collect();
        items.sort_by_key(|item| (item.severity, item.range));
        let count = |severity| items.iter().filter(|item| item.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        items.retain(|item| Badness::from(item.severity) <= least);
        if items.is_empty() && report.freshness.is_settled() && report.failure.is_none() {
            right += 1;
            continue;
        }
        if files.len() >= MOST_NAMED {
            unnamed += 1;
            continue;
        }
        let unsaved = match &at {
            Where::Inside(path) => asking.state.buffers().unsaved_lines(path),
            Where::Outside(_) => Vec::new(),
        };
        if report.left_out > 0 && notes.len() < MOST_NOTES {
            notes.push(format!("{}: {} more problems are not kept", at.text(), report.left_out));
        }
        let mut problems = Vec::new();
        for item in items.into_iter().take(MOST_OF_FILE.min(MOST_OF_ALL - shown)) {
            let text = quotes.line(&at, item.range.start.line).await;
            problems.push(Problem { text, ..Problem::among(item, &unsaved) });
        }
        shown += problems.len();
        let state = report.freshness.into();
        let failure = report.failure.map(|why| shortened(&why));
        files.push(InFile { path: at.text(), state, errors, warnings, problems, failure });
    }
    if unnamed > 0 {
        notes.push(format!("{unnamed} more files have problems"));
        complete = false;
    }
    Ok(Found { files, right, complete, notes })
}

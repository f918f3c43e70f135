//! `code.diagnostics`: what is wrong with texts as they are now.
//!
//! What is told of a file says whether it is about the text as it is. A file of which nothing is known yet is named as
//! such and never called right.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use openspace_command::{Command, Error, Meta, Result};
use openspace_files::{FileError, Kind, glob::GlobQuery};
use openspace_host::{
    HostError,
    operation::{Glob, StatPath},
};
use openspace_languages::{Diagnostic, Freshness, Report, Severity, Uri, merge};
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::JoinSet;

use super::{
    asking::{Asking, awake, refused},
    commands::{MOST_WAIT, check_wait, wait},
    quoting::Quotes,
    running::Running,
    whereabouts::Where,
};
use crate::{Cx, OpenSpace, paths::explained};

/// Files of a folder that are looked at, and those that are looked for.
const MOST_FILES: usize = 50;
const MOST_FOUND: u32 = 2_000;
/// Files that an answer names.
const MOST_NAMED: usize = 100;
/// Problems of one file, and of all, that an answer shows.
const MOST_OF_FILE: usize = 20;
const MOST_OF_ALL: usize = 50;
/// Letters of the words of a problem.
const LONGEST: usize = 500;
/// Reasons that an answer gives for files of which nothing is known.
const MOST_REASONS: usize = 5;

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
    /// How bad it is.
    pub(super) severity: Badness,
    /// What it is.
    pub(super) message: String,
    /// Who says so, and its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
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
        }
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
        let Self { line, column, message, .. } = self;
        format!("{line}:{column} {severity}: {message}{source}{text}")
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
    /// Whether this is about its text as it is now.
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
        looking.found(&asking, least).await
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

/// A file that a server is asked about.
struct Job {
    at: Where,
    running: Arc<Running>,
    uri: Uri,
}

/// What is asked about, and what could not be.
#[derive(Default)]
struct Looking {
    jobs: Vec<Job>,
    notes: Vec<String>,
    /// Files that a server could have been asked about were not.
    left_out: bool,
}

impl Looking {
    async fn at(&mut self, asking: &Asking, path: RelPath) -> Result<()> {
        let place = asking.state.place();
        match place.ask(StatPath { path: path.clone() }).await {
            Ok(stat) if stat.kind == Kind::Folder => self.at_folder(asking, path).await,
            // What is not saved yet may have no file.
            Ok(_) | Err(HostError::File(FileError::NotFound { .. })) => {
                self.at_file(asking, &path).await
            }
            Err(error) => Err(explained(place, error).await),
        }
    }

    async fn at_file(&mut self, asking: &Asking, path: &RelPath) -> Result<()> {
        for running in asking.file(path).await? {
            let uri = running.uri(path);
            self.jobs.push(Job { at: Where::Inside(path.clone()), running, uri });
        }
        Ok(())
    }

    async fn at_folder(&mut self, asking: &Asking, folder: RelPath) -> Result<()> {
        let place = asking.state.place();
        let table = asking.servers.table();
        let endings = table.languages.iter().flat_map(|language| &language.extensions);
        let endings: Vec<&str> = endings.map(String::as_str).collect();
        let query = GlobQuery {
            path: (!folder.is_root()).then_some(folder),
            limit: Some(MOST_FOUND),
            ..GlobQuery::new(format!("**/*.{{{}}}", endings.join(",")))
        };
        let found = match place.ask(Glob { query }).await {
            Ok(found) => found,
            Err(error) => return Err(explained(place, error).await),
        };
        // Languages that nobody here speaks, with why; one file of each is enough to know.
        let mut unknown: BTreeMap<String, (String, usize)> = BTreeMap::new();
        let (mut looked_at, mut passed_over) = (0, found.truncated);
        for file in found.paths.iter().filter(|file| !file.bad_name) {
            let Some(language) = table.language_of(file.path.as_path()) else { continue };
            if let Some((_, count)) = unknown.get_mut(&language.id) {
                *count += 1;
                continue;
            }
            if looked_at >= MOST_FILES {
                passed_over = true;
                break;
            }
            if let Err(error) = asking.servers.of_file(&asking.state, &file.path).await {
                unknown.insert(language.id.clone(), (error.message, 0));
                continue;
            }
            looked_at += 1;
            if let Err(error) = self.at_file(asking, &file.path).await {
                self.left_out = true;
                if self.notes.len() < MOST_REASONS {
                    self.notes.push(error.message);
                }
            }
        }
        if looked_at == 0 && unknown.is_empty() {
            return Err(Error::not_found("no file in this folder has a known language"));
        }
        let named = unknown.len();
        for (why, count) in unknown.into_values().take(MOST_REASONS) {
            let more = if count > 0 { format!(", nor for {count} more") } else { String::new() };
            self.notes.push(format!("{why}{more}"));
        }
        if named > MOST_REASONS {
            self.notes.push(format!("{} more languages have no server", named - MOST_REASONS));
        }
        if passed_over {
            self.left_out = true;
            self.notes.push(format!(
                "only the {looked_at} newest files were looked at; give a smaller folder for others"
            ));
        }
        Ok(())
    }

    /// Files that are open, and files of which servers said something by themselves.
    async fn at_what_is_known(&mut self, asking: &Asking) -> Result<()> {
        let alive = asking.servers.alive();
        if alive.is_empty() {
            return Err(Error::conflict("no language server runs yet, so nothing is known")
                .hint("give `path`: a file, or a folder"));
        }
        for running in alive {
            running.tell_texts(&asking.state, &asking.servers, &[]).await?;
            let known = running.server.see(|server| {
                let open = server.documents().map(|(uri, _)| uri.clone());
                open.chain(server.files()).collect::<std::collections::BTreeSet<Uri>>()
            });
            let root = running.place.facts().root.clone();
            for uri in known {
                let at = Where::of(&uri, &root);
                self.jobs.push(Job { at, running: Arc::clone(&running), uri });
            }
        }
        Ok(())
    }

    async fn found(self, asking: &Asking, least: Badness) -> Result<Found> {
        let Self { jobs, mut notes, left_out } = self;
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
            let mut problems = Vec::new();
            for item in items.into_iter().take(MOST_OF_FILE.min(MOST_OF_ALL - shown)) {
                let text = quotes.line(&at, item.range.start.line).await;
                problems.push(Problem { text, ..Problem::of(item) });
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
}

/// What the servers say of these files, each as fresh as it can be had in this time.
async fn reports(jobs: Vec<Job>, wait: Duration) -> Result<BTreeMap<Where, Report>> {
    let mut asked = JoinSet::new();
    for Job { at, running, uri } in jobs {
        asked.spawn(async move {
            awake(&running).await;
            // A file that is not open is not asked about: what is known of it is what there is.
            let report = match running.server.diagnostics(&uri, wait).await {
                Ok(report) => report,
                Err(_) => running.server.see(|server| server.report(&uri)),
            };
            (at, running, report)
        });
    }
    let mut all: BTreeMap<Where, Vec<(Arc<Running>, Report)>> = BTreeMap::new();
    let mut failure = None;
    while let Some(told) = asked.join_next().await {
        let Ok((at, running, report)) = told else { continue };
        let state = running.server.state();
        if matches!(state, openspace_languages::State::Failed { .. }) {
            let server = running.name.clone();
            let error = openspace_languages::AskError::NotRunning { server, state };
            failure.get_or_insert_with(|| refused(&running, &error));
            continue;
        }
        all.entry(at).or_default().push((running, report));
    }
    match failure {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all
            .into_iter()
            .filter_map(|(at, reports)| {
                let of_each =
                    reports.iter().map(|(running, report)| (&*running.name, report.clone()));
                Some((at, merge::reports(of_each.collect())?))
            })
            .collect()),
    }
}

//! What linters, compilers and language servers found, for the person's list of problems.
//!
//! Each source speaks for itself and replaces only what it said before. Nothing is saved: what was
//! found before a restart may no longer be so. Nothing is looked for here.

use std::collections::{BTreeMap, HashSet};

use openspace_command::{Error, Result};
use openspace_space::{Declared, Entries, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::areas::Area;

pub mod commands;

/// What this area brings.
pub const AREA: Area =
    Area { commands: commands::COMMANDS, parts: &[Declared::of::<ProblemsPart>()], ..Area::EMPTY };

/// What each source found in each file.
pub type Problems = Entries<FileProblems>;

/// What linters and compilers found.
pub struct ProblemsPart;

impl Part for ProblemsPart {
    const NAME: &'static str = "problems";
    const SAVED: bool = false;
    type Content = Problems;
}

/// What one source found in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileProblems {
    /// Who found it.
    pub source: String,
    /// The file, relative to the root.
    pub path: String,
    /// What was found.
    pub problems: Vec<Problem>,
}

/// The key of what a source found in a file. No source has a line break in its name.
fn key(source: &str, path: &str) -> String {
    format!("{source}\n{path}")
}

/// Problems of all sources together.
pub const MAX_PROBLEMS: usize = 20_000;
/// Sources that may have problems at once.
pub const MAX_SOURCES: usize = 100;
/// Characters of a message; a longer one is cut.
pub const MAX_MESSAGE: usize = 2_000;
/// Characters of a source's name or of a code.
pub const MAX_NAME: usize = 100;

/// How bad a problem is; the worst comes first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// It does not work.
    Error,
    /// It may not work.
    Warning,
    /// Worth knowing.
    Info,
    /// Could be nicer.
    Hint,
}

/// How what is there should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProblemTag")]
pub enum Tag {
    /// Nobody uses it.
    Unnecessary,
    /// It should not be used any more.
    Deprecated,
}

/// Something found in a file. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The file, relative to the root.
    pub path: String,
    /// The line where it begins.
    pub start_line: u32,
    /// The column where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
    /// The line where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The column where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub message: String,
    /// The code or rule, such as `E0308`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How what is there should look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
}

/// Replaces what a source found, in all files or in one; how much of it there is then.
pub fn replace(
    problems: &mut Problems,
    source: &str,
    path: Option<&str>,
    found: Vec<Problem>,
) -> Result<usize> {
    let mut by_path: BTreeMap<String, Vec<Problem>> = BTreeMap::new();
    for problem in found {
        by_path.entry(problem.path.clone()).or_default().push(problem);
    }
    let replaced =
        |file: &FileProblems| file.source == source && path.is_none_or(|path| file.path == path);
    // What stays of this source in a file that is found again belongs to the new list.
    problems.retain(|_, file| !replaced(file) || by_path.contains_key(&file.path));
    for (path, mut found) in by_path {
        let key = key(source, &path);
        let stays = problems.get(key.as_str()).filter(|file| !replaced(file));
        if let Some(stays) = stays {
            found = stays.problems.iter().cloned().chain(found).collect();
        }
        let file = FileProblems { source: source.to_owned(), path, problems: found };
        if problems.get(key.as_str()) != Some(&file) {
            problems.insert(key, file);
        }
    }
    check(problems)?;
    let own = problems.values().filter(|file| file.source == source);
    Ok(own.map(|file| file.problems.len()).sum())
}

/// Replaces all that a source found in some files.
pub fn replace_files(
    problems: &mut Problems,
    source: &str,
    found: BTreeMap<String, Vec<Problem>>,
) -> Result<()> {
    for (path, found) in found {
        let key = key(source, &path);
        if found.is_empty() {
            problems.remove(key.as_str());
            continue;
        }
        let file = FileProblems { source: source.to_owned(), path, problems: found };
        if problems.get(key.as_str()) != Some(&file) {
            problems.insert(key, file);
        }
    }
    check(problems)
}

/// Whether there are no more than there can be.
fn check(problems: &Problems) -> Result<()> {
    let count: usize = problems.values().map(|file| file.problems.len()).sum();
    if count > MAX_PROBLEMS {
        return Err(Error::conflict(format!(
            "that would be {count} problems; there can be no more than {MAX_PROBLEMS}"
        ))
        .hint("report the worst ones only, or clear another source with an empty list"));
    }
    let sources: HashSet<&str> = problems.values().map(|file| file.source.as_str()).collect();
    if sources.len() > MAX_SOURCES {
        return Err(Error::conflict(format!("{MAX_SOURCES} sources have problems already"))
            .hint("clear another source with an empty list"));
    }
    Ok(())
}

//! What linters, compilers and language servers found, for the person's list of problems.
//!
//! Each source speaks for itself and replaces only what it said before. Nothing is saved: what was
//! found before a restart may no longer be so. Nothing is looked for here.

use std::collections::BTreeMap;

use openspace_command::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod commands;

/// Problems by source.
pub type Problems = BTreeMap<String, Vec<Problem>>;

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
}

/// Replaces what a source found, in all files or in one.
pub fn replace(
    problems: &mut Problems,
    source: &str,
    path: Option<&str>,
    found: Vec<Problem>,
) -> Result<()> {
    let mut all = problems.remove(source).unwrap_or_default();
    all.retain(|problem| path.is_some_and(|path| problem.path != path));
    all.extend(found);
    let others: usize = problems.values().map(Vec::len).sum();
    if others + all.len() > MAX_PROBLEMS {
        let count = others + all.len();
        return Err(Error::conflict(format!(
            "that would be {count} problems; there can be no more than {MAX_PROBLEMS}"
        ))
        .hint("report the worst ones only, or clear another source with an empty list"));
    }
    if all.is_empty() {
        return Ok(());
    }
    if problems.len() >= MAX_SOURCES {
        return Err(Error::conflict(format!("{MAX_SOURCES} sources have problems already"))
            .hint("clear another source with an empty list"));
    }
    problems.insert(source.to_owned(), all);
    Ok(())
}

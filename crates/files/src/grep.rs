//! Searching the content of files with a regular expression.
//!
//! Every file is searched once and only counted, on several threads; the files of the wanted page
//! are then read again for their lines. So the order is by path whatever the threads did, a page is
//! the same in every call while the files are, and memory is bounded by the page.
//!
//! Secret files are never opened, links are not followed, binary files are passed over, and nothing
//! here waits on a pipe. Expressions run in linear time; there are no back-references.

use std::{ffi::OsString, path::Path};

use cap_std::fs::Dir;
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::{
    Action, FileError, Files, Kind,
    walk::parallel::{Walk, shown},
};

mod expression;
mod page;
mod scan;
mod spans;
mod tally;
mod tell;

#[cfg(test)]
mod tests;

use expression::{Expression, FileSearch};
use page::Page;
use scan::Scan;
pub use spans::{FileMatches, LineMatches, Span};
use tally::Tally;
pub use tell::{MAX_TOLD, tell};

/// How many matches are returned when the query does not say.
pub const DEFAULT_LIMIT: u32 = 100;
/// How many matches are returned at most, whatever the query says.
pub const MAX_LIMIT: u32 = 10_000;
/// How many matches can be passed over.
pub const MAX_OFFSET: u32 = 1_000_000;
/// How many lines before and after a match are returned at most.
pub const MAX_CONTEXT: u32 = 100;
/// How many characters of a line, or of a match of several lines, are returned.
pub const MAX_LINE_CHARACTERS: usize = 2_000;
/// A page ends early when its text has this size.
pub const MAX_PAGE_BYTES: usize = 10 * 1024 * 1024;
/// The longest line that is searched, and the largest file when matches may span lines.
pub const MAX_SEARCH_BYTES: usize = 16 * 1024 * 1024;

/// What is returned of the matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrepMode {
    /// The matching lines.
    #[default]
    Content,
    /// The files that have a match.
    FilesWithMatches,
    /// The files that have a match, and how many each has.
    Count,
}

/// What to search for, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is one argument of the tool")]
pub struct GrepQuery {
    /// A regular expression in Rust's syntax.
    pub pattern: String,
    /// The file or folder to search; the workspace root when left out. A file named here is searched
    /// whatever its name.
    #[serde(default)]
    pub path: Option<RelPath>,
    /// Only files that match one of these globs. Without a slash it means a name at any depth, with
    /// one it starts at the workspace root; a folder stands for all in it.
    #[serde(default)]
    pub include: Vec<String>,
    /// No files that match one of these globs.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Only files of this type, by ripgrep's name for it: `rust`, `ts`, `py`, `md`.
    #[serde(default)]
    pub file_type: Option<String>,
    /// How many lines to show before each match: 0 when left out, 100 at most.
    #[serde(default)]
    pub before: u32,
    /// How many lines to show after each match: 0 when left out, 100 at most.
    #[serde(default)]
    pub after: u32,
    /// What to return.
    #[serde(default)]
    pub mode: GrepMode,
    /// Letter case does not matter.
    #[serde(default)]
    pub case_insensitive: bool,
    /// Only matches that begin and end where a word could.
    #[serde(default)]
    pub whole_word: bool,
    /// A match may span lines.
    #[serde(default)]
    pub multiline: bool,
    /// Where a match may span lines, `.` matches the end of a line too; true when left out.
    #[serde(default = "yes")]
    pub dot_matches_line_end: bool,
    /// The pattern is plain text, not an expression.
    #[serde(default)]
    pub fixed_strings: bool,
    /// Pass over what `.ignore` and `.gitignore` leave out; true when left out.
    #[serde(default = "yes")]
    pub respect_gitignore: bool,
    /// How many matches (files, in the other modes) to pass over, in the order of the results.
    #[serde(default)]
    pub offset: u32,
    /// How many matches (files, in the other modes) to return: 100 when left out, 10000 at most.
    #[serde(default)]
    pub limit: Option<u32>,
}

fn yes() -> bool {
    true
}

impl GrepQuery {
    /// All defaults.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            path: None,
            include: Vec::new(),
            exclude: Vec::new(),
            file_type: None,
            before: 0,
            after: 0,
            mode: GrepMode::Content,
            case_insensitive: false,
            whole_word: false,
            multiline: false,
            dot_matches_line_end: true,
            fixed_strings: false,
            respect_gitignore: true,
            offset: 0,
            limit: None,
        }
    }

    fn limit(&self) -> u32 {
        self.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT)
    }
}

/// A line near a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextLine {
    /// The number of the line, counting from 1.
    pub line: u64,
    /// The line without its end.
    pub text: String,
}

/// A matching line, or the lines that a match spans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrepMatch {
    /// The path relative to the workspace root.
    pub path: RelPath,
    /// The number of the first line, counting from 1.
    pub line: u64,
    /// The text without the last end of line, cut at 2000 characters with a mark.
    pub text: String,
    /// The lines before; a line that is shown with the match before is not shown again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<ContextLine>,
    /// The lines after, up to the next match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<ContextLine>,
    /// True when the name is not text: what is shown is close to it and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad_name: bool,
}

/// A file that has a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrepFile {
    /// The path relative to the workspace root.
    pub path: RelPath,
    /// How many matches it has; absent where files are searched only up to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<u64>,
    /// True when the name is not text: what is shown is close to it and cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad_name: bool,
}

/// One page of results, by path and then by line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrepPage {
    /// The matching lines.
    Matches(Vec<GrepMatch>),
    /// The files that have a match.
    Files(Vec<GrepFile>),
}

impl GrepPage {
    fn len(&self) -> usize {
        match self {
            Self::Matches(matches) => matches.len(),
            Self::Files(files) => files.len(),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grepped {
    /// The wanted page.
    #[serde(flatten)]
    pub page: GrepPage,
    /// How many matches there are, returned or not; absent where files are searched only up to the
    /// first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_matches: Option<u64>,
    /// How many files have a match, returned or not.
    pub total_files: u64,
    /// True when there is more after this page: ask again from `offset` plus what was returned.
    pub truncated: bool,
    /// How many files were searched.
    pub scanned_files: u64,
    /// How many files were passed over because they are not text.
    pub skipped_binary: u64,
    /// How many files were passed over because a rule calls them secret.
    pub skipped_secret: u64,
    /// How many files were passed over because a line of them (the whole file, where a match may
    /// span lines) is larger than 16 MiB.
    pub skipped_large: u64,
    /// How many files, folders or entries could not be read.
    pub unreadable: u64,
}

/// Why a search could not be done.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrepError {
    #[error("the pattern cannot be used: {diagnostic}")]
    BadPattern { pattern: String, diagnostic: String },
    #[error("the pattern `{pattern}` contains an end of line, which needs `multiline`")]
    NeedsMultiline { pattern: String },
    #[error("there is no file type `{name}`")]
    UnknownType { name: String },
    #[error("the offset {offset} is too large, and the limit is {limit}", limit = MAX_OFFSET)]
    OffsetTooLarge { offset: u32 },
    #[error(transparent)]
    File(#[from] FileError),
}

/// Search the content of files.
pub fn grep(
    files: &Files,
    query: &GrepQuery,
    cancel: &dyn Fn() -> bool,
) -> Result<Grepped, GrepError> {
    if query.offset > MAX_OFFSET {
        return Err(GrepError::OffsetTooLarge { offset: query.offset });
    }
    let expression = Expression::new(query)?;
    let start = query.path.clone().unwrap_or_default();
    let scan = Scan::new(files, query, &start, &expression)?;
    let (tally, source) = if files.stat(&start)?.kind == Kind::Folder {
        let (tally, folder) = count_in_folder(files, query, &start, scan, cancel)?;
        (tally, Source::Folder(folder))
    } else {
        (count_in_file(files, query, &start, &expression, cancel)?, Source::File(files))
    };
    let kept = Kept { query, start: &start, kept: tally.first_results() };
    let page = if query.mode == GrepMode::Content {
        GrepPage::Matches(kept.matches(Page::new(&expression, query), &source, cancel)?)
    } else {
        GrepPage::Files(kept.files())
    };
    Ok(Grepped {
        truncated: u64::from(query.offset) + (page.len() as u64) < tally.results(),
        page,
        total_matches: (!tally.first_only()).then_some(tally.matches),
        total_files: tally.files,
        scanned_files: tally.scanned,
        skipped_binary: tally.binary,
        skipped_secret: tally.secret,
        skipped_large: tally.large,
        unreadable: tally.unreadable,
    })
}

fn count_in_folder(
    files: &Files,
    query: &GrepQuery,
    start: &RelPath,
    mut scan: Scan<'_>,
    cancel: &dyn Fn() -> bool,
) -> Result<(Tally, Dir), FileError> {
    let walk = Walk { files, start, respect_gitignore: query.respect_gitignore, hidden: true };
    scan.guard(&walk.place()?)?;
    let walked = walk.run(&scan, cancel)?;
    let mut tally = Tally::new(query);
    for worker in walked.workers {
        tally.merge(worker.tally);
    }
    tally.unreadable += walked.unreadable;
    Ok((tally, walked.folder))
}

fn count_in_file(
    files: &Files,
    query: &GrepQuery,
    path: &RelPath,
    expression: &Expression,
    cancel: &dyn Fn() -> bool,
) -> Result<Tally, FileError> {
    let mut tally = Tally::new(query);
    let (file, metadata) = files.open_regular(path)?;
    let mut search = FileSearch::for_counting(expression);
    let counted = search.count(&file, metadata.len(), cancel, tally.first_only());
    if cancel() {
        return Err(FileError::Cancelled);
    }
    match counted {
        Err(error) if error.raw_os_error().is_some() => return Err(files.fail(path, error)),
        counted => tally.add(counted, Path::new("")),
    }
    Ok(tally)
}

/// Where the files of a page are read again.
enum Source<'a> {
    /// Beneath the folder that was searched.
    Folder(Dir),
    /// The path itself is a file.
    File(&'a Files),
}

/// The files that the page may need, by path, and how many results each has.
struct Kept<'a> {
    query: &'a GrepQuery,
    start: &'a RelPath,
    kept: Vec<(OsString, u64, u64)>,
}

impl Kept<'_> {
    /// The files from the first of the page on: the path from the start, as shown, the matches, and
    /// how many of these come before the page.
    fn beyond_offset(&self) -> impl Iterator<Item = (&Path, RelPath, u64, u64)> {
        let mut skip = u64::from(self.query.offset);
        self.kept.iter().filter_map(move |(tail, matches, results)| {
            let skipped = skip.min(*results);
            skip -= skipped;
            let tail = Path::new(tail);
            (skipped < *results).then_some((tail, shown(self.start, tail)?, *matches, skipped))
        })
    }

    fn files(&self) -> Vec<GrepFile> {
        self.beyond_offset()
            .take(self.query.limit() as usize)
            .map(|(tail, path, matches, _)| GrepFile {
                path,
                matches: (self.query.mode == GrepMode::Count).then_some(matches),
                bad_name: tail.to_str().is_none(),
            })
            .collect()
    }

    /// What cannot be read any more, since it was counted, is no match.
    fn matches(
        &self,
        mut page: Page,
        source: &Source<'_>,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Vec<GrepMatch>, FileError> {
        for (tail, path, _, skip) in self.beyond_offset() {
            if page.is_full() {
                break;
            }
            let added = match source {
                Source::Folder(folder) => page.add_beneath(folder, tail, &path, skip, cancel),
                Source::File(files) => {
                    let (file, metadata) = files.open_regular(&path)?;
                    page.add(&file, metadata.len(), (&path, false), skip, cancel)
                }
            };
            if cancel() {
                return Err(FileError::Cancelled);
            }
            if let Err(error) = added {
                tracing::debug!(%error, %path, "a file with matches cannot be read any more");
            }
        }
        Ok(page.matches)
    }
}

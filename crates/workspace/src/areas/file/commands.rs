//! `file.read`, `file.write`, `file.list`, `file.search`, and the list of all commands about files.

use openspace_command::{Access, Command, Error, ErrorKind, Meta, Result, Set};
use openspace_files::{
    LineRange, Listing, TextRead, Written,
    change::Changed,
    search::{Found, Query},
};
use openspace_host::operation::{FindFiles, ListFolder, ReadText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change_commands::{Copy, CreateFolder, Delete, ListDeleted, Move, Restore},
    save_command::Save,
};
use crate::{
    Cx, Entry,
    content::{
        reading::{self, UNSAVED},
        writing::{self, Change},
    },
    open_space::ask,
    refusal::refused,
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Read>(),
    Entry::of::<Write>(),
    Entry::of::<List>(),
    Entry::of::<Search>(),
    Entry::of::<Save>(),
    Entry::of::<CreateFolder>(),
    Entry::of::<Move>(),
    Entry::of::<Copy>(),
    Entry::of::<Delete>(),
    Entry::of::<ListDeleted>(),
    Entry::of::<Restore>(),
];

/// Entries listed when no limit is given.
const LIST_LIMIT: u32 = 1_000;
/// Entries listed at most.
const MAX_LIST: u32 = 200_000;
/// Matches given when no limit is given.
const SEARCH_LIMIT: u32 = 50;
/// Matches given at most.
const MAX_SEARCH: u32 = 1_000;

/// Text that was read.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    #[serde(flatten)]
    pub(crate) text: TextRead,
    /// True when the text has changes of the person that are not on disk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unsaved: bool,
}

/// Read a text file, whole or some of its lines.
///
/// Lines count from 1. Files above 10 MB need a range. Secret files (`.env`, keys and the like)
/// and binary files are refused. A file with unsaved changes of the person is given with them, and
/// `unsaved` says so.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Read {
    /// Path relative to the workspace root.
    path: String,
    /// First line to return, counting from 1.
    start_line: Option<u32>,
    /// Last line to return.
    end_line: Option<u32>,
}

impl Command<crate::OpenSpace> for Read {
    const META: Meta = Meta::new("file.read", "File: Read", Access::Read).set(Set::Workspace);
    type Output = Reading;

    fn summary(&self) -> String {
        format!("read {}", self.path)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Reading> {
        let range = LineRange { start_line: self.start_line, end_line: self.end_line };
        read(&cx, &self.path, range).await
    }

    fn text(output: &Reading) -> Option<String> {
        Some(describe(output))
    }
}

/// Lines of a file as they are in it.
pub(crate) async fn read(cx: &Cx, path: &str, range: LineRange) -> Result<Reading> {
    let path = cx.state.path(path)?;
    let form = ReadText { path, range, person: false };
    let read = reading::read(cx, cx.state.place(), form).await?;
    Ok(Reading { text: read.content, unsaved: read.unsaved })
}

pub(crate) fn describe(reading: &Reading) -> String {
    let Reading { text: read, unsaved } = reading;
    let mut notes = Vec::new();
    if *unsaved {
        notes.push(format!("({UNSAVED})"));
    }
    match read.total_lines {
        Some(0) => notes.push("(the file is empty)".to_owned()),
        Some(total) if read.end_line < total || read.start_line > 1 => notes.push(format!(
            "(lines {}-{} of {total}; startLine={} goes on)",
            read.start_line,
            read.end_line,
            read.end_line + 1
        )),
        Some(_) => {}
        None => notes.push(format!("(lines {}-{})", read.start_line, read.end_line)),
    }
    if read.truncated {
        notes.push("(cut: the text is larger than one answer may be)".into());
    }
    if read.lossy {
        notes.push("(some bytes are not valid text and show as �)".into());
    }
    if notes.is_empty() {
        return read.content.clone();
    }
    format!("{}\n{}", read.content.trim_end_matches('\n'), notes.join("\n"))
}

/// Write a file, whole.
///
/// Creates the file and its folders, or replaces the content. The write is atomic: other programs
/// see the old text or the new text, never a part. Mode, encoding and line endings are kept. Secret
/// and protected paths (`.git/`, `node_modules/`, `.openspace/`, `.env` and the like) are refused. A
/// file that changed since you read it is a conflict, and so is a change of lines that the person has
/// not saved; what else they have not saved is kept.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Write {
    /// Path relative to the workspace root.
    path: String,
    /// The whole new content.
    content: String,
}

impl Command<crate::OpenSpace> for Write {
    const META: Meta =
        Meta::new("file.write", "File: Write", Access::Edit).set(Set::Workspace).idempotent();
    type Output = Written;

    fn summary(&self) -> String {
        format!("write {} ({} bytes)", self.path, self.content.len())
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Written> {
        let path = cx.state.path(&self.path)?;
        let change = Change::whole(self.content);
        let made = writing::change(&cx, cx.state.place(), &path, change).await?;
        let Changed { created, bytes, hash, .. } = made.changed;
        Ok(Written { created, bytes, hash })
    }
}

/// List a folder.
///
/// Folders come first. With `recursive` the whole tree is listed without what `.gitignore` and
/// `.ignore` leave out. The answer says how many entries there are and whether the list was cut.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    /// Folder relative to the workspace root; the root when left out.
    path: Option<String>,
    /// List everything beneath it.
    #[serde(default)]
    recursive: bool,
    /// Most entries to list; 1000 when left out.
    limit: Option<u32>,
}

impl Command<crate::OpenSpace> for List {
    const META: Meta =
        Meta::new("file.list", "File: List Folder", Access::Read).set(Set::Workspace);
    type Output = Listing;

    fn summary(&self) -> String {
        format!("list {}", self.path.as_deref().unwrap_or("."))
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_limit(self.limit, MAX_LIST)
    }

    async fn run(self, cx: Cx) -> Result<Listing> {
        let path = cx.state.path(self.path.as_deref().unwrap_or("."))?;
        let limit = self.limit.unwrap_or(LIST_LIMIT) as usize;
        ask(&cx, ListFolder { path, recursive: self.recursive, limit }).await.map_err(refused)
    }
}

/// Find files by name.
///
/// The query is fuzzy: `wstore` finds `crates/workspace/src/store.rs`. Best matches come first.
/// Files that `.gitignore` or `.ignore` leave out are not searched. An empty query lists all files.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    /// Parts of the path, in order; other characters may stand between them.
    query: String,
    /// Only paths that match this glob, such as `src/**/*.rs`.
    include_pattern: Option<String>,
    /// No paths that match this glob.
    exclude_pattern: Option<String>,
    /// Folder to search; the root when left out.
    path: Option<String>,
    /// Most matches to return; 50 when left out.
    limit: Option<u32>,
}

impl Command<crate::OpenSpace> for Search {
    const META: Meta =
        Meta::new("file.search", "File: Find by Name", Access::Read).set(Set::Workspace);
    type Output = Found;

    fn summary(&self) -> String {
        format!("find files like {}", self.query)
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        check_limit(self.limit, MAX_SEARCH)
    }

    async fn run(self, cx: Cx) -> Result<Found> {
        let query = Query {
            query: self.query,
            include_pattern: self.include_pattern,
            exclude_pattern: self.exclude_pattern,
            path: Some(cx.state.path(self.path.as_deref().unwrap_or("."))?),
            limit: self.limit.or(Some(SEARCH_LIMIT)),
        };
        ask(&cx, FindFiles { query }).await.map_err(refused)
    }
}

fn check_limit(limit: Option<u32>, most: u32) -> Result<()> {
    match limit {
        Some(limit) if limit == 0 || limit > most => Err(Error::new(
            ErrorKind::InvalidArgs,
            format!("argument `limit`: must be 1 to {most}"),
        )),
        _ => Ok(()),
    }
}

//! `file.read`, `file.write`, `file.list`, `file.search`, and the list of all commands about files.

use openspace_command::{Command, Error, Meta, Result, Set};
use openspace_files::{
    LineRange, Listing, TextRead, Written,
    change::Changed,
    search::{Found, Query},
};
use openspace_host::operation::{FindFiles, ListFolder, ReadText};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change_commands::{Copy, CreateFolder, Delete, ListDeleted, Move, Restore},
    save_command::Save,
    secret_command::ReadSecret,
};
use crate::{
    Cx, Entry,
    bounds::check_bounds,
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
    Entry::of::<ReadSecret>(),
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
/// Text that one answer has at most. It is in an answer twice, as data and as text for readers, and not
/// every client reads messages of more than some hundred kilobytes.
const MAX_PAGE_BYTES: usize = 50_000;

/// Text that was read.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    #[serde(flatten)]
    pub(crate) text: TextRead,
    /// The `startLine` that goes on where this answer was cut; absent when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_line: Option<u64>,
    /// True when the text has changes of the person that are not on disk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unsaved: bool,
}

/// Read a text file, whole or some of its lines.
///
/// At most 50 KB of text; `nextLine` is the `startLine` that goes on.
///
/// Unsaved changes of the person are in the text, and `unsaved` says so.
/// Lines count from 1. Files above 10 MB need a range. Secret files (`.env`, keys and the like)
/// and binary files are refused.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Read {
    /// Path relative to the root.
    path: String,
    /// The start line.
    ///
    /// The first one to return, the first of the file when left out.
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    /// The end line.
    ///
    /// The last one to return.
    #[schemars(range(min = 1))]
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

    fn check(&self) -> Result<()> {
        check_lines(self.start_line, self.end_line)
    }

    async fn run(self, cx: Cx) -> Result<Reading> {
        let range = LineRange { start_line: self.start_line, end_line: self.end_line };
        read(&cx, &self.path, range).await
    }

    fn text(output: &Reading) -> Option<String> {
        Some(describe(output))
    }
}

/// Refuse lines that cannot be: they count from 1.
pub(crate) fn check_lines(start: Option<u32>, end: Option<u32>) -> Result<()> {
    for (name, line) in [("startLine", start), ("endLine", end)] {
        if line == Some(0) {
            return Err(Error::invalid(format!("argument `{name}`: lines count from 1")));
        }
    }
    Ok(())
}

/// Lines of a file as they are in it, as many as fit into one answer.
pub(crate) async fn read(cx: &Cx, path: &str, range: LineRange) -> Result<Reading> {
    let path = cx.state.path(path)?;
    read_as(cx, ReadText { path, range, person: false }).await
}

/// The same, in the hands of whoever is meant.
pub(super) async fn read_as(cx: &Cx, form: ReadText) -> Result<Reading> {
    let read = reading::read(cx, cx.state.place(), form).await?;
    let mut text = read.content;
    let next_line = cut(&mut text);
    Ok(Reading { text, next_line, unsaved: read.unsaved })
}

/// Cut a text to what fits into one answer, after a whole line where there is one; the line to go on at.
fn cut(text: &mut TextRead) -> Option<u64> {
    if text.content.len() <= MAX_PAGE_BYTES {
        return None;
    }
    let most = text.content.floor_char_boundary(MAX_PAGE_BYTES);
    if let Some(end) = text.content[..most].rfind('\n') {
        text.content.truncate(end + 1);
    } else {
        text.content.truncate(most);
        text.truncated = true;
    }
    // A line that alone is too long is cut, and what follows it goes on.
    let shown = text.content.lines().count().max(1) as u64;
    let last = text.start_line + shown - 1;
    let is_more = text.end_line > last;
    text.end_line = last;
    is_more.then_some(last + 1)
}

pub(crate) fn describe(reading: &Reading) -> String {
    let Reading { text: read, next_line, unsaved } = reading;
    let mut notes = Vec::new();
    if *unsaved {
        notes.push(format!("({UNSAVED})"));
    }
    match read.total_lines {
        Some(0) => notes.push("(the file is empty)".to_owned()),
        Some(total) if read.end_line < total => notes.push(format!(
            "(lines {}-{} of {total}; startLine={} goes on)",
            read.start_line,
            read.end_line,
            read.end_line + 1
        )),
        Some(total) if read.start_line > 1 => {
            notes.push(format!("(lines {}-{} of {total})", read.start_line, read.end_line));
        }
        Some(_) => {}
        None => {
            let more = next_line.map(|line| format!("; startLine={line} goes on"));
            let more = more.unwrap_or_default();
            notes.push(format!("(lines {}-{}{more})", read.start_line, read.end_line));
        }
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
/// Creates missing folders. A file that changed since you read it is a conflict.
///
/// So is a change of lines that the person has not saved; what else they have not saved is kept. The write is atomic: other programs see the old text or the
/// new text, never a part. Mode, encoding and line endings are kept. Secret and protected paths
/// (`.git/`, `node_modules/`, `.openspace/`, `.env` and the like) are refused.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Write {
    /// Path relative to the root.
    path: String,
    /// The content.
    ///
    /// All of it.
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
/// With `recursive` the whole tree, without what `.gitignore` and `.ignore` leave out.
///
/// Folders come first. The answer says how many entries there are and whether the list was cut.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    /// Folder relative to the root.
    path: Option<String>,
    /// Recursive.
    ///
    /// List everything beneath it.
    #[serde(default)]
    recursive: bool,
    /// Most entries; 1000 when left out.
    #[schemars(range(min = 1, max = MAX_LIST))]
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
        check_bounds("limit", self.limit, 1..=MAX_LIST)
    }

    async fn run(self, cx: Cx) -> Result<Listing> {
        let path = cx.state.path(self.path.as_deref().unwrap_or("."))?;
        let limit = self.limit.unwrap_or(LIST_LIMIT) as usize;
        ask(&cx, ListFolder { path, recursive: self.recursive, limit }).await.map_err(refused)
    }
}

/// Find files by name.
///
/// Fuzzy: `wstore` finds `crates/workspace/src/store.rs`.
///
/// Best matches come first. Files that `.gitignore` or `.ignore` leave out are not searched. An empty
/// query lists all files.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    /// Parts of the path, in order.
    ///
    /// Other characters may stand between them.
    query: String,
    /// Only paths that match this glob.
    ///
    /// Such as `src/**/*.rs`.
    include_pattern: Option<String>,
    /// No paths that match this glob.
    exclude_pattern: Option<String>,
    /// Folder to search.
    path: Option<String>,
    /// Most matches; 50 when left out.
    #[schemars(range(min = 1, max = MAX_SEARCH))]
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
        check_bounds("limit", self.limit, 1..=MAX_SEARCH)
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

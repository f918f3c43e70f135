//! Edits of files that a server asks for: made in all of them or in none, through the buffers, so that what the person
//! has not saved is kept or is a conflict.
//!
//! They are about the texts that the server knows. A file that has another text by now is a conflict. Nothing is moved,
//! made or deleted.

use std::collections::{BTreeMap, BTreeSet};

use openspace_buffers::agents::Wanted;
use openspace_command::{Error, ErrorKind, Result};
use openspace_languages::{Encoding, Range, Uri, byte_of};
use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    after_edit::{self, Problems},
    asking::Asking,
    running::Running,
    whereabouts::Where,
};
use crate::{
    Cx,
    content::writing::{self, Change},
};

/// Files that are changed at once.
pub(super) const MOST_FILES: usize = 100;
/// Edits of one answer.
const MOST_EDITS: usize = 20_000;
/// Lines that are named of a file.
const MOST_LINES: usize = 20;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextEdit {
    pub(super) range: Range,
    pub(super) new_text: String,
}

/// Edits by file.
#[derive(Debug, Default)]
pub(super) struct Edits {
    by_file: BTreeMap<RelPath, Vec<TextEdit>>,
}

/// A file that was changed, or would be.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CodeChange")]
pub struct ChangedFile {
    /// The file.
    path: String,
    /// In how many places.
    edits: usize,
    /// Lines that are changed, as they are numbered now, at most 20.
    lines: Vec<u32>,
    /// True when the person has unsaved changes in it, which are kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unsaved: bool,
}

impl ChangedFile {
    pub(super) fn line(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let more = if self.edits > self.lines.len() { ", …" } else { "" };
        let unsaved =
            if self.unsaved { " (with unsaved changes of the person, which are kept)" } else { "" };
        let Self { path, edits, .. } = self;
        format!("{path}: {edits} edit(s), line(s) {}{more}{unsaved}", lines.join(", "))
    }
}

impl Edits {
    /// Edits of many files, as the protocol has them.
    pub(super) fn of_workspace(edit: &Value, running: &Running) -> Result<Self> {
        let mut edits = Self::default();
        if let Value::Array(changes) = &edit["documentChanges"] {
            for change in changes {
                if let Some(kind) = change["kind"].as_str() {
                    let message = format!(
                        "{} wants to {kind} files with it, which is not done here",
                        running.name
                    );
                    return Err(Error::new(ErrorKind::Unsupported, message).hint(
                        "do it by hand: workspace_bash moves files, workspace_edit changes them",
                    ));
                }
                let uri = change["textDocument"]["uri"].as_str().unwrap_or_default();
                edits.add(&Uri::read(uri), &change["edits"], running)?;
            }
        } else if let Value::Object(changes) = &edit["changes"] {
            for (uri, change) in changes {
                edits.add(&Uri::read(uri), change, running)?;
            }
        }
        Ok(edits)
    }

    /// Edits of one file.
    pub(super) fn of_file(path: &RelPath, edits: &Value, running: &Running) -> Result<Self> {
        let mut all = Self::default();
        all.add(&running.uri(path), edits, running)?;
        Ok(all)
    }

    fn add(&mut self, uri: &Uri, edits: &Value, running: &Running) -> Result<()> {
        let Where::Inside(path) = Where::of(uri, &running.place.facts().root) else {
            let message =
                format!("{} wants to change `{uri}`, which is not in the workspace", running.name);
            return Err(Error::new(ErrorKind::Unsupported, message).hint("nothing was changed"));
        };
        let Value::Array(edits) = edits else { return Ok(()) };
        for edit in edits {
            let edit = TextEdit::deserialize(edit).map_err(|error| {
                Error::internal(format!("{} gave an edit that is none", running.name))
                    .because(error)
            })?;
            self.by_file.entry(path.clone()).or_default().push(edit);
        }
        let count: usize = self.by_file.values().map(Vec::len).sum();
        if count > MOST_EDITS || self.by_file.len() > MOST_FILES {
            let files = self.by_file.len();
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "that would be {count} edits in {files} files or more; {MOST_FILES} files are changed at most"
                ),
            ));
        }
        Ok(())
    }

    pub(super) fn by_file(&self) -> impl Iterator<Item = (&RelPath, &[TextEdit])> {
        self.by_file.iter().map(|(path, edits)| (path, edits.as_slice()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_file.is_empty()
    }

    /// The files that it is about.
    pub(super) fn files(&self) -> BTreeSet<RelPath> {
        self.by_file.keys().cloned().collect()
    }

    /// The same as [`Self::make`], with what it broke and mended. The server knows the files already.
    pub(super) async fn make_and_tell(
        self,
        cx: &Cx,
        asking: &Asking,
        running: &Running,
        dry_run: bool,
    ) -> Result<(Vec<ChangedFile>, Option<Problems>)> {
        let paths: Vec<RelPath> = self.by_file.keys().cloned().collect();
        let before = if dry_run { None } else { after_edit::before_all(cx, &paths).await };
        let files = self.make(cx, asking, running, dry_run).await?;
        let problems = match before {
            Some(before) => before.problems(&cx.state, false).await,
            None => None,
        };
        Ok((files, problems))
    }

    /// Make all of them, or none; or say what would be made.
    pub(super) async fn make(
        self,
        cx: &Cx,
        asking: &Asking,
        running: &Running,
        dry_run: bool,
    ) -> Result<Vec<ChangedFile>> {
        let mut plans = Vec::new();
        for (path, edits) in self.by_file {
            plans.push(Plan::of(asking, running, path, edits).await?);
        }
        let mut told = Vec::new();
        for plan in &plans {
            let made = plan.write(cx, &plan.new, &plan.hash, true).await?;
            told.push(ChangedFile {
                path: plan.path.to_string(),
                edits: plan.edits,
                lines: plan.lines.clone(),
                unsaved: made.unsaved,
            });
        }
        if dry_run {
            return Ok(told);
        }
        let mut done: Vec<(&Plan, String)> = Vec::new();
        for plan in &plans {
            match plan.write(cx, &plan.new, &plan.hash, false).await {
                Ok(made) => done.push((plan, made.changed.hash)),
                Err(error) => return Err(take_back(cx, &done, error).await),
            }
        }
        Ok(told)
    }
}

/// Somebody changed a file in the very moment: what was done already is undone.
async fn take_back(cx: &Cx, done: &[(&Plan, String)], error: Error) -> Error {
    let mut left = Vec::new();
    for (plan, hash) in done {
        if plan.write(cx, &plan.old, hash, false).await.is_err() {
            left.push(plan.path.to_string());
        }
    }
    let message = match left.as_slice() {
        [] => format!("{}; nothing was changed", error.message),
        left => format!(
            "{}; {} stay changed, because somebody changed them since",
            error.message,
            left.join(", ")
        ),
    };
    let mut error = error;
    error.message = message;
    error
}

/// What becomes of one file.
struct Plan {
    path: RelPath,
    old: String,
    new: String,
    /// What the file is known by.
    hash: String,
    edits: usize,
    lines: Vec<u32>,
}

impl Plan {
    async fn of(
        asking: &Asking,
        running: &Running,
        path: RelPath,
        edits: Vec<TextEdit>,
    ) -> Result<Self> {
        let uri = running.uri(&path);
        let known =
            running.server.see(|server| server.document(&uri).map(|it| it.text.to_string()));
        let Some(old) = known else {
            return Err(Error::conflict(format!("{} does not know `{path}`", running.name))
                .hint("try again"));
        };
        let current = super::texts::current(&asking.state, &path).await?;
        if current.text != old {
            return Err(Error::conflict(format!(
                "`{path}` changed while {} looked at it; nothing was changed",
                running.name
            ))
            .hint("try again"));
        }
        let (new, lines) = applied(&old, &edits).ok_or_else(|| {
            Error::internal(format!("the edits of {} for `{path}` overlap", running.name))
        })?;
        Ok(Self { path, old, new, hash: current.hash, edits: edits.len(), lines })
    }

    async fn write(&self, cx: &Cx, text: &str, hash: &str, dry_run: bool) -> Result<writing::Made> {
        let wanted = Wanted::Write(text.to_owned());
        let change = Change { wanted, expected_hash: Some(hash.to_owned()), dry_run };
        writing::change(cx, cx.state.place(), &self.path, change).await
    }
}

/// A text with edits that are all about the text before the first, and the lines that changed; nothing if two of them
/// are about the same.
fn applied(text: &str, edits: &[TextEdit]) -> Option<(String, Vec<u32>)> {
    let place = |position| byte_of(text, position, Encoding::Utf16);
    let mut pieces: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| (place(edit.range.start), place(edit.range.end), &*edit.new_text))
        .collect();
    // Several that insert at one place stay in their order.
    pieces.sort_by_key(|(start, end, _)| (*start, *end));
    let (mut new, mut at) = (String::with_capacity(text.len()), 0);
    let mut lines = BTreeSet::new();
    for (start, end, piece) in pieces {
        if start < at || end < start {
            return None;
        }
        new.push_str(&text[at..start]);
        let line = new.matches('\n').count() + 1;
        lines.insert(u32::try_from(line).unwrap_or(u32::MAX));
        new.push_str(&piece.replace("\r\n", "\n"));
        at = end;
    }
    new.push_str(&text[at..]);
    Some((new, lines.into_iter().take(MOST_LINES).collect()))
}

#[cfg(test)]
mod tests {
    use openspace_languages::Position;
    use pretty_assertions::assert_eq;

    use super::*;

    fn edit(line: u32, start: u32, end: u32, text: &str) -> TextEdit {
        let place = |character| Position { line, character };
        TextEdit {
            range: Range { start: place(start), end: place(end) },
            new_text: text.to_owned(),
        }
    }

    #[test]
    fn edits_are_about_the_text_before_the_first() {
        let edits =
            [edit(1, 0, 1, "B\r\nB"), edit(0, 2, 4, ""), edit(0, 0, 0, "x"), edit(0, 0, 0, "y")];
        let (text, lines) = applied("aé😀\nb\n", &edits).unwrap();
        assert_eq!((text.as_str(), lines), ("xyaé\nB\nB\n", vec![1, 2]));
        assert_eq!(applied("abc", &[edit(0, 0, 2, ""), edit(0, 1, 3, "")]), None);
    }
}

//! `workspace.write` and `workspace.edit`: changes that are made whole or not at all.

use std::fmt::Write as _;

use openspace_buffers::agents::Wanted;
use openspace_command::{Command, Error, Meta, Result, Set};
use openspace_files::change::{self, Changed};
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{place, recorded};
use crate::{
    Cx, OpenSpace,
    areas::code::after_edit::{self, Problems},
    content::writing::{self, Change, Made},
    places::Place,
    refusal::refused,
};

/// Write a file, whole.
///
/// Creates missing folders. A file that changed since you read it is a conflict. `workspace.edit`
/// changes a part of a file.
///
/// The write is atomic. The mode, the encoding and the line endings of an existing file are kept.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// Path, relative to the root or absolute.
    #[serde(alias = "filePath", alias = "path", alias = "file", alias = "filename")]
    file_path: String,
    /// The content.
    ///
    /// All of it.
    #[serde(alias = "text", alias = "contents")]
    content: String,
    /// The `hash` the file must have.
    ///
    /// A read and a change tell it; it is a conflict if the file has another.
    #[serde(alias = "expectedHash")]
    expected_hash: Option<String>,
    /// A dry run.
    ///
    /// Only show what would change.
    #[serde(default, alias = "dryRun")]
    dry_run: bool,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for Write {
    const META: Meta = Meta::new("workspace.write", "Workspace: Write", Access::Edit)
        .set(Set::Workspace)
        .idempotent();
    type Output = Written;

    fn summary(&self) -> String {
        format!("write {} ({} bytes)", self.file_path, self.content.len())
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    async fn run(self, cx: Cx) -> Result<Written> {
        let place = place(&cx, self.workspace_id.as_deref()).await?;
        let path = place.facts().resolve(&self.file_path).map_err(refused)?;
        let Self { content, dry_run, expected_hash, .. } = self;
        let change = Change { wanted: Wanted::Write(content), expected_hash, dry_run };
        written(&cx, &place, &path, change).await
    }

    fn text(written: &Written) -> Option<String> {
        Some(written.words())
    }
}

/// Replace pieces of a text file.
///
/// Give `old_string` as it stands in the file, without line numbers, with enough around it to be at
/// one place only, or set `replace_all`. `edits` makes all replacements or none. A file that changed
/// since you read it is a conflict.
///
/// When the text is not there to the letter, differences in blanks and the like are forgiven if only
/// one place fits, and `rules` says so. Unsaved changes of the person are part of the text and are
/// kept; only an edit of the very lines they changed is a conflict.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Path, relative to the root or absolute.
    #[serde(alias = "filePath", alias = "path", alias = "file", alias = "filename")]
    file_path: String,
    /// The text to replace.
    #[serde(alias = "oldString", alias = "oldText", alias = "old_str", alias = "old_text")]
    old_string: Option<String>,
    /// The text in its place; empty to delete.
    #[serde(alias = "newString", alias = "newText", alias = "new_str", alias = "new_text")]
    new_string: Option<String>,
    /// Replace all.
    ///
    /// Replace it everywhere.
    #[serde(default, alias = "replaceAll")]
    replace_all: bool,
    /// Several replacements, in order.
    ///
    /// In place of `old_string` and `new_string`.
    edits: Option<Vec<OneEdit>>,
    /// The `hash` the file must have.
    ///
    /// A read and a change tell it; it is a conflict if the file has another.
    #[serde(alias = "expectedHash")]
    expected_hash: Option<String>,
    /// A dry run.
    ///
    /// Only show what would change.
    #[serde(default, alias = "dryRun")]
    dry_run: bool,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

/// One replacement of several.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneEdit {
    /// The text to replace.
    #[serde(alias = "oldString", alias = "oldText", alias = "old_str", alias = "old_text")]
    old_string: String,
    /// The text in its place; empty to delete.
    #[serde(alias = "newString", alias = "newText", alias = "new_str", alias = "new_text")]
    new_string: String,
    /// Replace all.
    ///
    /// Replace it everywhere.
    #[serde(default, alias = "replaceAll")]
    replace_all: bool,
}

impl From<OneEdit> for change::Edit {
    fn from(edit: OneEdit) -> Self {
        let OneEdit { old_string, new_string, replace_all } = edit;
        Self { old_string, new_string, replace_all }
    }
}

impl Command<OpenSpace> for Edit {
    const META: Meta =
        Meta::new("workspace.edit", "Workspace: Edit", Access::Edit).set(Set::Workspace);
    type Output = Written;

    fn summary(&self) -> String {
        match &self.edits {
            Some(edits) => format!("edit {} ({} edits)", self.file_path, edits.len()),
            None => format!("edit {}", self.file_path),
        }
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn check(&self) -> Result<()> {
        match (&self.edits, &self.old_string, &self.new_string) {
            (Some(_), None, None) if self.replace_all => {
                Err(Error::invalid("argument `replace_all`: say it in each of `edits`"))
            }
            (Some(_), None, None) | (None, Some(_), Some(_)) => Ok(()),
            (Some(_), ..) => Err(Error::invalid(
                "arguments `edits` and `old_string`/`new_string`: give one or the other",
            )),
            (None, None, _) => Err(Error::invalid("argument `old_string`: is missing")
                .hint("give `old_string` and `new_string`, or `edits`")),
            (None, _, None) => Err(Error::invalid("argument `new_string`: is missing")
                .hint("give an empty `new_string` to delete the text")),
        }
    }

    async fn run(self, cx: Cx) -> Result<Written> {
        let place = place(&cx, self.workspace_id.as_deref()).await?;
        let path = place.facts().resolve(&self.file_path).map_err(refused)?;
        let edits: Vec<change::Edit> = match self.edits {
            Some(edits) => edits.into_iter().map(Into::into).collect(),
            None => vec![change::Edit {
                old_string: self.old_string.unwrap_or_default(),
                new_string: self.new_string.unwrap_or_default(),
                replace_all: self.replace_all,
            }],
        };
        let Self { dry_run, expected_hash, .. } = self;
        let change = Change { wanted: Wanted::Edit(edits), expected_hash, dry_run };
        written(&cx, &place, &path, change).await
    }

    fn text(written: &Written) -> Option<String> {
        Some(written.words())
    }
}

/// What a change did, or would do, and what came of it.
#[derive(Serialize, JsonSchema)]
pub struct Written {
    #[serde(flatten)]
    made: Made,
    /// What the change broke and mended, where a language server of the file runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    problems: Option<Problems>,
}

impl Written {
    fn words(&self) -> String {
        let problems = self.problems.as_ref().map(|problems| format!("\n{}", problems.words()));
        describe(&self.made) + &problems.unwrap_or_default()
    }
}

/// Make a change, and say what it did to what is wrong.
async fn written(cx: &Cx, place: &Place, path: &RelPath, change: Change) -> Result<Written> {
    let before = if change.dry_run { None } else { after_edit::before(cx, place, path).await };
    let made = writing::change(cx, place, path, change).await?;
    let problems = match before {
        Some(before) => before.problems(&cx.state, made.changed.created).await,
        None => None,
    };
    Ok(Written { made, problems })
}

fn describe(made: &Made) -> String {
    let Made { changed, unsaved } = made;
    let Changed { path, bytes, lines_added, lines_removed, hash, .. } = changed;
    let verb = match (changed.dry_run, changed.created, changed.rules.is_empty()) {
        (true, ..) => "Would change",
        (_, true, _) => "Created",
        (_, _, true) => "Wrote",
        (_, _, false) => "Edited",
    };
    let mut text =
        format!("{verb} {path}: +{lines_added} -{lines_removed} lines, {bytes} bytes, hash {hash}");
    if !changed.rules.is_empty() {
        let rules: Vec<String> = changed
            .rules
            .iter()
            .map(|rule| {
                serde_json::to_value(rule)
                    .ok()
                    .and_then(|word| word.as_str().map(str::to_owned))
                    .unwrap_or_default()
            })
            .collect();
        let _ = write!(
            text,
            "\n{} replacement(s), matched by: {}",
            changed.replacements,
            rules.join(", ")
        );
    }
    if *unsaved {
        text.push_str("\nThe person has unsaved changes in this file; they are kept.");
    }
    if changed.line_endings_kept {
        text.push_str("\nThe file's CRLF line endings were kept.");
    }
    if !changed.diff.is_empty() {
        text.push('\n');
        text.push_str(&changed.diff);
    }
    text
}

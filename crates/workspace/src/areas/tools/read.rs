//! `workspace.read`: a file or folder as a reader sees it.

use openspace_command::{Command, Error, Meta, Result, Set};
use openspace_files::view::{BinaryView, FolderView, ImageView, TextView, View};
use openspace_host::operation::ViewPath;
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{place_of_file, recorded};
use crate::{
    Cx, OpenSpace,
    content::reading::{self, UNSAVED},
    refusal::refused,
};

/// Read a file or list a folder.
///
/// Text comes as lines `N: text`; the numbers are not in the file. Long files come in pages; `hint`
/// says how to go on.
///
/// Unsaved changes of the person are in the text, and `unsaved` says so.
/// `offset` and `limit` count lines. A folder gives its entries, folders with a trailing `/`. Binary
/// files and images give what is known of them, never their content. The path of the full output of
/// `workspace.bash` can be read too.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Path, relative to the root or absolute.
    #[serde(alias = "filePath", alias = "path", alias = "file", alias = "filename")]
    file_path: String,
    /// First line, or entry of a folder.
    #[schemars(range(min = 1))]
    #[serde(alias = "start_line", alias = "startLine")]
    offset: Option<u64>,
    /// Most lines or entries; 2000 when left out.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// Last line to return, in place of `limit`.
    #[schemars(range(min = 1))]
    #[serde(alias = "endLine")]
    end_line: Option<u64>,
    /// Which workspace.
    ///
    /// The one of the IDE when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

/// What is at a path.
#[derive(Serialize, JsonSchema)]
pub struct Shown {
    /// The path that was given.
    file_path: String,
    /// What is there.
    #[serde(flatten)]
    view: View,
    /// True when the text has changes of the person that are not on disk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unsaved: bool,
}

impl Command<OpenSpace> for Read {
    const META: Meta =
        Meta::new("workspace.read", "Workspace: Read", Access::Read).set(Set::Workspace);
    type Output = Shown;

    fn summary(&self) -> String {
        format!("read {}", self.file_path)
    }

    fn workspace(&self) -> Option<&str> {
        Some(recorded(self.workspace_id.as_ref()))
    }

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn check(&self) -> Result<()> {
        for (name, line) in [("offset", self.offset), ("end_line", self.end_line)] {
            if line == Some(0) {
                return Err(Error::invalid(format!("argument `{name}`: lines count from 1")));
            }
        }
        if self.limit == Some(0) {
            return Err(Error::invalid("argument `limit`: must be at least 1"));
        }
        match self.end_line {
            Some(_) if self.limit.is_some() => {
                Err(Error::invalid("arguments `limit` and `end_line` say the same: give one"))
            }
            Some(end) if end < self.offset.unwrap_or(1) => {
                Err(Error::invalid("argument `end_line`: comes before `offset`"))
            }
            _ => Ok(()),
        }
    }

    async fn run(self, cx: Cx) -> Result<Shown> {
        let place = place_of_file(&cx, self.workspace_id.as_deref(), &self.file_path).await?;
        let location = place.facts().locate(&self.file_path).map_err(refused)?;
        let limit = match self.end_line {
            Some(end) => Some((end - self.offset.unwrap_or(1)).saturating_add(1)),
            None => self.limit,
        };
        let form = ViewPath { location, offset: self.offset, limit };
        let read = reading::read(&cx, &place, form).await?;
        Ok(Shown { file_path: self.file_path, view: read.content, unsaved: read.unsaved })
    }

    fn text(shown: &Shown) -> Option<String> {
        Some(match &shown.view {
            View::Text(TextView { content, hint, .. })
            | View::Folder(FolderView { content, hint, .. }) => {
                let unsaved = shown.unsaved.then_some(UNSAVED);
                let notes: Vec<&str> = hint.as_deref().into_iter().chain(unsaved).collect();
                if notes.is_empty() {
                    return Some(content.clone());
                }
                format!("{content}({})", notes.join("; "))
            }
            View::Binary(BinaryView { size, file_type, .. }) => {
                let kind = file_type.as_deref().unwrap_or("unknown type");
                format!("(binary file, {kind}, {size} bytes: its content is not shown)")
            }
            View::Image(ImageView { mime_type, width, height, size, .. }) => {
                let pixels = match (width, height) {
                    (Some(width), Some(height)) => format!(", {width}x{height} pixels"),
                    _ => String::new(),
                };
                format!("(image, {mime_type}{pixels}, {size} bytes: its content is not shown)")
            }
        })
    }
}

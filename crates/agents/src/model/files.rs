//! Files in a conversation: given, shown, changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LongText;

/// A file or a picture of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileReference {
    /// What it is called.
    pub name: Option<String>,
    /// Its media type, such as `image/png`.
    pub mime: String,
    /// Where it is.
    pub place: FilePlace,
}

/// Where a file of a message is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FilePlace {
    /// On the disk of the agent.
    Path {
        /// As the agent names it.
        path: String,
        /// Which lines are meant.
        lines: Option<Lines>,
    },
    /// In the message itself.
    Data {
        /// Its bytes.
        base64: String,
    },
    /// Elsewhere.
    Link {
        /// Its address.
        url: String,
    },
    /// It was in the message and too large to be told.
    LeftOut {
        /// How large it was.
        bytes: u64,
    },
}

/// Lines of a file, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line; missing means to the end.
    pub last: Option<u32>,
}

/// What was done to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// The file, as the agent names it.
    pub path: String,
    /// What became of it, where the agent says so.
    pub change: Option<Change>,
    /// Lines that are new, where the agent counts them.
    pub additions: Option<u64>,
    /// Lines that are gone, where the agent counts them.
    pub deletions: Option<u64>,
    /// The change itself.
    pub text: DiffText,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has other text.
    Modified,
}

/// A change as text: agents tell it in different ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "form", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum DiffText {
    /// The agent did not say.
    Untold,
    /// A unified diff.
    Patch {
        /// The diff.
        patch: LongText,
    },
    /// The text before and after, of the file or of a place in it.
    Texts {
        /// Before; missing when the file is new.
        before: Option<LongText>,
        /// After.
        after: LongText,
    },
}

//! Why a change was not made, and what to do about it.

use openspace_protocol::RelPath;
use openspace_text::edit::EditError;
use serde::{Deserialize, Serialize};

use crate::files::FileError;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The edits do not fit the text.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The file is not the one that the caller has seen; nothing is there when `found` is absent.
    #[error("`{path}` {}", if found.is_some() {
        "has changed since it was read"
    } else {
        "does not exist any more"
    })]
    Stale { path: RelPath, expected: String, found: Option<String> },
    /// The file holds bytes that are not text and that an edit could not keep as they are.
    #[error("`{path}` is not valid text at byte {offset}, and an edit could damage it")]
    NotText { path: RelPath, offset: u64 },
}

impl ChangeError {
    /// What the caller can do next, where that depends on the change alone.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File(_) => None,
            Self::Edit(error) => Some(error.hint()),
            Self::Stale { found: Some(_), .. } => {
                Some("read the file again and make the change to what it holds now".to_owned())
            }
            Self::Stale { found: None, .. } => {
                Some("leave out expected_hash and use write to create it".to_owned())
            }
            Self::NotText { .. } => Some("use a program for this change".to_owned()),
        }
    }
}

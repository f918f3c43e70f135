//! Writing exact bytes: nothing of the old file's form is kept but its mode.
//!
//! It takes turns with the other changes, so that an editor that saves and an agent that edits
//! cannot lose each other's work unseen.

use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use super::{ChangeError, Changes};
use crate::files::{Before, FileError, Files, Put, hash};

#[cfg(test)]
mod tests;

/// What must be there for bytes to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expected {
    /// Whatever is there is replaced.
    Anything,
    /// No file is there.
    Nothing,
    /// The file still has this token.
    Token(String),
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// True when there was no file before.
    pub created: bool,
    /// The size of the file now.
    pub size: u64,
    /// The token of the file now.
    pub token: String,
    /// When it was written, in milliseconds since 1970.
    pub modified: i64,
    /// Hash of the file now.
    pub hash: String,
}

impl Changes {
    /// Create a file or replace its content, byte for byte.
    pub fn save(
        &self,
        files: &Files,
        path: &RelPath,
        content: &[u8],
        expected: &Expected,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Saved, ChangeError> {
        self.alone(files, path, cancel, || {
            let before = match expected {
                Expected::Anything => Before::Anything,
                Expected::Nothing => Before::Nothing,
                Expected::Token(token) => Before::Token(token),
            };
            if let Some(Put { created, token, modified }) =
                files.write_over(path, content, before)?
            {
                let (size, hash) = (content.len() as u64, hash(content));
                return Ok(Some(Saved { created, size, token, modified, hash }));
            }
            match expected {
                Expected::Anything => Ok(None),
                Expected::Nothing => Err(FileError::Exists { path: path.clone() }.into()),
                Expected::Token(expected) => {
                    let found = match files.inspect(path) {
                        Ok(found) => Some(found.token),
                        Err(FileError::NotFound { .. }) => None,
                        Err(error) => return Err(error.into()),
                    };
                    let (path, expected) = (path.clone(), expected.clone());
                    Err(ChangeError::Stale { path, expected, found })
                }
            }
        })
    }
}

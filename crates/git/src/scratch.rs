//! Bytes for git to read, in a file of our own that goes when it is no longer needed.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::child::Session;
use super::error::GitError;

pub(super) struct Scratch(PathBuf);

impl Scratch {
    #[expect(clippy::disallowed_methods, reason = "the file is this module's own")]
    pub(super) fn holding(session: &Session<'_>, bytes: &[u8]) -> Result<Self, GitError> {
        let git = session.git;
        let scratch = Self(git.settings.scratch.join(format!("{}.text", git.marker())));
        let failed = |error| GitError::io(session.action, "a text could not be put aside", &error);
        std::fs::write(&scratch.0, bytes).map_err(failed)?;
        Ok(scratch)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The file as the input of a program.
    #[expect(clippy::disallowed_methods, reason = "the file is this module's own")]
    pub(super) fn input(&self, session: &Session<'_>) -> Result<Stdio, GitError> {
        let failed = |error| GitError::io(session.action, "a text could not be read", &error);
        Ok(std::fs::File::open(&self.0).map_err(failed)?.into())
    }
}

impl Drop for Scratch {
    #[expect(clippy::disallowed_methods, reason = "the file is this module's own")]
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::warn!(%error, "a text that was put aside for git stays");
        }
    }
}

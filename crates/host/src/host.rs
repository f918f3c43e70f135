//! `Host`: everything that touches files, programs or terminals goes through this trait.
//!
//! A host does operations: plain data in, plain data out, with items that flow while one runs.
//! That is all a caller may know of a place. Whether the work happens in this process or behind a
//! byte stream makes no difference to what is asked or answered.

use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
};

use openspace_files::{FileError, change::ChangeError, grep::GrepError, watch::WatchError};
use openspace_git::GitError;
use openspace_process::ProcessError;
use openspace_protocol::{PathError, RelPath};
use openspace_terminal::TerminalError;
use serde::{Deserialize, Serialize};

use crate::{
    conversation::{AnyConversation, Conversation},
    operation::{Operation, Reply, Request},
};

#[cfg(test)]
mod tests;

/// A future that can be named.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A place where work is done.
pub trait Host: Send + Sync + 'static {
    /// What is known of the place; it never changes.
    fn facts(&self) -> &Facts;

    /// Do one operation. Dropping the future ends the work; so does the talk's `cancel`, but then
    /// what there is to say about the end is still said.
    fn perform(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> BoxFuture<'_, Result<Reply, HostError>>;

    /// Wait until the place is gone for good, and learn why. A place in this process never is.
    fn lost(&self) -> BoxFuture<'_, String>;
}

impl dyn Host {
    /// Do one operation that needs no conversation.
    pub async fn ask<O: Operation>(&self, operation: O) -> Result<O::Output, HostError> {
        self.ask_with(operation, Conversation::default()).await
    }

    /// Do one operation and talk while it runs.
    pub async fn ask_with<O: Operation>(
        &self,
        operation: O,
        conversation: Conversation<O>,
    ) -> Result<O::Output, HostError> {
        let reply = self.perform(operation.into(), conversation.of_any()).await?;
        O::output(reply).ok_or_else(|| HostError::Protocol("it answered another question".into()))
    }
}

/// Characters of a path that an error shows.
const SHOWN_PATH: usize = 200;

/// What is known of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The workspace's root as programs in the place see it, without links.
    pub root: PathBuf,
    /// The root as it was given, which may run through links.
    pub given: PathBuf,
    /// The folder with the full output of programs that printed much.
    pub output: PathBuf,
    /// The shell that is used when none is asked for.
    pub shell: PathBuf,
    /// System and kernel, such as `Linux 6.1.0`.
    pub system: String,
    /// Which build its host is of; see [`BUILD`](crate::BUILD).
    pub build: String,
}

/// Where a path leads that a caller typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Location {
    /// Into the workspace.
    Workspace(RelPath),
    /// Into the folder with full outputs, which is for reading only.
    Output(RelPath),
}

impl Facts {
    /// Read a path as a caller typed it: relative to the root, or absolute and beneath the root.
    pub fn resolve(&self, text: &str) -> Result<RelPath, FileError> {
        let bad = |source| FileError::BadPath { text: shown(text), source };
        if text.contains('\0') {
            return Err(bad(PathError::Nul));
        }
        let typed = Path::new(text);
        if !typed.is_absolute() {
            return RelPath::parse(text).map_err(bad);
        }
        let inside = typed.strip_prefix(&self.root).or_else(|_| typed.strip_prefix(&self.given));
        match inside.map(Path::to_str) {
            Ok(Some(inside)) => RelPath::parse(inside).map_err(bad),
            _ => Err(FileError::Outside { text: shown(text) }),
        }
    }

    /// The same, for reading: full outputs can be read too.
    pub fn locate(&self, text: &str) -> Result<Location, FileError> {
        if let Ok(inside) = Path::new(text).strip_prefix(&self.output)
            && let Some(Ok(inside)) = inside.to_str().map(RelPath::parse)
        {
            return Ok(Location::Output(inside));
        }
        self.resolve(text).map(Location::Workspace)
    }
}

/// A path for an error: the beginning of one that is long, so that the reason stays in sight.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_PATH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum HostError {
    /// Something about files.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something about writing or editing a file.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// Something about searching contents.
    #[error(transparent)]
    Grep(#[from] GrepError),
    /// Something about running programs.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Something about terminals.
    #[error(transparent)]
    Terminal(#[from] TerminalError),
    /// Something about watching files.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// Something about git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// There is no terminal or run of this name.
    #[error("there is no {what} {name} here")]
    Unknown {
        /// What was meant.
        what: String,
        /// Its name.
        name: String,
    },
    /// Too many things of a kind exist.
    #[error("there are {count} {what} already")]
    TooMany {
        /// Of what.
        what: String,
        /// How many.
        count: usize,
    },
    /// The caller took the operation back.
    #[error("the call was cancelled")]
    Cancelled,
    /// The place cannot be reached at all.
    #[error("the place cannot be reached: {0}")]
    Unreachable(String),
    /// The place is gone; whether the work was done is unknown.
    #[error("the place where this ran is gone: {0}")]
    Lost(String),
    /// The place said what has no meaning there; the call is over.
    #[error("the place broke the rules: {0}")]
    Protocol(String),
    /// A fault of ours.
    #[error("the host failed: {0}")]
    Internal(String),
}

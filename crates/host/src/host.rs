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

use openspace_files::{
    FileError,
    change::ChangeError,
    grep::{FileMatches, GrepError},
    watch::WatchError,
};
use openspace_git::{Credential, CredentialRequest, GitError};
use openspace_process::{ProcessError, Stream};
use openspace_protocol::{FileChange, PathError, RelPath};
use openspace_terminal::{Chunk, TerminalError};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::operation::{Operation, Reply, Request};

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
    fn perform(&self, request: Request, talk: Talk) -> BoxFuture<'_, Result<Reply, HostError>>;

    /// Wait until the place is gone for good, and learn why. A place in this process never is.
    fn lost(&self) -> BoxFuture<'_, String>;
}

impl dyn Host {
    /// Do one operation that needs no talk.
    pub async fn ask<O: Operation>(&self, operation: O) -> Result<O::Output, HostError> {
        self.ask_with(operation, Talk::default()).await
    }

    /// Do one operation and talk while it runs.
    pub async fn ask_with<O: Operation>(
        &self,
        operation: O,
        talk: Talk,
    ) -> Result<O::Output, HostError> {
        let reply = self.perform(operation.into(), talk).await?;
        O::output(reply)
            .ok_or_else(|| HostError::Internal("the answer is to another question".into()))
    }
}

/// What flows between caller and host while an operation runs.
#[derive(Debug, Default)]
pub struct Talk {
    /// Where items go. The host waits for a slow listener and stops telling one that is gone.
    pub items: Option<mpsc::Sender<Item>>,
    /// What the caller has to say meanwhile.
    pub inputs: Option<mpsc::Receiver<Input>>,
    /// The caller wants no more of it.
    pub cancel: CancellationToken,
}

impl Talk {
    /// No items, but a way to stop.
    pub fn until(cancel: CancellationToken) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Tell an item; false when nobody listens any more, or the caller takes the call back meanwhile.
    pub(crate) async fn tell(&self, item: Item) -> bool {
        let Some(items) = &self.items else { return false };
        tokio::select! {
            sent = items.send(item) => sent.is_ok(),
            () = self.cancel.cancelled() => false,
        }
    }
}

/// What a host tells while an operation runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Item {
    /// A program printed something.
    Output {
        /// Where.
        stream: Stream,
        /// What.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// A terminal showed something.
    Terminal(Chunk),
    /// A terminal changed; how often so far.
    Changed(u64),
    /// From now on changed files are told.
    Following,
    /// A watched file changed.
    FileChanged(RelPath),
    /// Something in the tree changed.
    TreeChanged {
        /// What is known of it.
        changes: Vec<FileChange>,
        /// Anything may have changed besides.
        rescan: bool,
    },
    /// Matches in one file; a file with many is told in several pieces.
    Matches(FileMatches),
    /// Git needs a credential; the answer is an input.
    CredentialWanted(CredentialRequest),
}

/// What a caller tells while an operation runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// The credential asked for, if there is one.
    Credential(Option<Credential>),
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
    /// The version of the program that does the work.
    pub version: String,
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
    /// A fault of ours.
    #[error("the host failed: {0}")]
    Internal(String),
}

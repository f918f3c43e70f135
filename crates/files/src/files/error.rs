//! `FileError`: why a file could not be read, written, listed or found.
//!
//! Each message is one sentence that any caller may see: it names the path as the caller knows it
//! and never a place on the machine. What the system said is kept as the source, for the log.

use std::{fmt, io};

use openspace_protocol::{PathError, RelPath};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::beneath::is_escape;
use crate::rules::RulesError;

/// What a rule forbade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Showing the content.
    Read,
    /// Creating or replacing the file.
    Write,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reading",
            Self::Write => "writing",
        })
    }
}

/// Why a file operation failed.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileError {
    #[error("the workspace folder cannot be opened")]
    Root {
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
    #[error("`{text}` cannot be used as a path: {source}")]
    BadPath { text: String, source: PathError },
    #[error("`{text}` is outside the workspace")]
    Outside { text: String },
    #[error("`{path}` is or runs through a symbolic link that leads out of the workspace")]
    LeadsOut { path: RelPath },
    #[error("`{path}` runs through a symbolic link whose target does not exist")]
    DanglingLink { path: RelPath },
    #[error("`{path}` runs through symbolic links that never end")]
    LinkLoop { path: RelPath },
    #[error("{action} `{path}` is not allowed by the rule `{rule}`")]
    Forbidden { path: RelPath, action: Action, rule: String },
    #[error("`{path}` is another name of the secret file `{secret}`")]
    SecretTwin { path: RelPath, secret: RelPath },
    #[error("`{path}` holds the secret `{secret}`")]
    HoldsSecret { path: RelPath, secret: RelPath },
    #[error("`{path}` does not exist")]
    NotFound { path: RelPath },
    #[error("`{path}` exists already")]
    Exists { path: RelPath },
    #[error("the root of the workspace itself cannot be changed")]
    IsTheRoot,
    #[error("`{from}` cannot be put into itself, at `{to}`")]
    IntoItself { from: RelPath, to: RelPath },
    #[error(
        "`{path}` holds more than {limit} files and folders, or folders too deep in each other"
    )]
    TooMuch { path: RelPath, limit: u64 },
    #[error("there is nothing at `{path}` in the trash that can be restored")]
    NotInTrash { path: RelPath },
    #[error("`{path}` is a folder, not a file")]
    IsAFolder { path: RelPath },
    #[error("`{path}` is not a folder")]
    NotAFolder { path: RelPath },
    #[error("`{path}` is neither a file nor a folder")]
    NotAFile { path: RelPath },
    #[error("`{path}` is not text; it has {size} bytes")]
    Binary { path: RelPath, size: u64 },
    #[error("`{path}` has {size} bytes, and the limit is {limit}")]
    TooLarge { path: RelPath, size: u64, limit: u64 },
    #[error("`{path}` has {lines} lines")]
    LineBeyondEnd { path: RelPath, lines: u64 },
    #[error("lines count from 1 and the first cannot come after the last")]
    BadRange { start_line: Option<u32>, end_line: Option<u32> },
    #[error(transparent)]
    BadPattern(#[from] RulesError),
    #[error("`{path}` has a name that the file system does not accept")]
    BadName {
        path: RelPath,
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
    #[error("the system does not permit this access to `{path}`")]
    PermissionDenied {
        path: RelPath,
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
    #[error("`{path}` is on a file system that cannot be written")]
    ReadOnly {
        path: RelPath,
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
    #[error("there is no space left to write `{path}`")]
    NoSpace {
        path: RelPath,
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
    #[error("`{path}` is in use or kept changing during the call")]
    Busy { path: RelPath },
    #[error("`{path}` is written, but may not survive a power failure: its folder was not flushed")]
    NotDurable {
        path: RelPath,
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the system could not do this with `{path}`")]
    Io {
        path: RelPath,
        #[serde(with = "openspace_protocol::wire_error")]
        source: io::Error,
    },
}

impl FileError {
    /// Give an error of the system the name that a caller can act on.
    pub(crate) fn from_io(path: &RelPath, source: io::Error) -> Self {
        let path = path.clone();
        if is_escape(&source) {
            return Self::LeadsOut { path };
        }
        if let Some(Errno::NXIO | Errno::NODEV) = Errno::from_io_error(&source) {
            return Self::NotAFile { path };
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::IsADirectory => Self::IsAFolder { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path, source },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path, source },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { path, source }
            }
            io::ErrorKind::ResourceBusy => Self::Busy { path },
            io::ErrorKind::InvalidFilename => Self::BadName { path, source },
            _ if Errno::from_io_error(&source) == Some(Errno::LOOP) => Self::LinkLoop { path },
            _ => Self::Io { path, source },
        }
    }
}

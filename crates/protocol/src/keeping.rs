//! What is said between the one who makes a place and the keeper of its secrets, in lines of JSON.
//!
//! A keeper is the runner started with [`FLAG`] and a [`Keep`]: a process outside the place that hides
//! secret files in it and protects what must not be changed there. It reads an [`Ask`] per line from
//! its standard input and writes a [`Said`] per line to its standard output. It ends when its input
//! does.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The runner's argument that a [`Keep`] follows.
pub const FLAG: &str = "--keep";

/// The longest line in either direction, its end included. A path has at most 4096 bytes, each of
/// which takes at most six in JSON.
pub const LONGEST_LINE: usize = 32 * 1024;

/// The file and the folder beneath [`Keep::masks`] that are shown instead of secrets.
pub const MASK_FILE: &str = "file";
/// See [`MASK_FILE`].
pub const MASK_FOLDER: &str = "folder";

/// What a keeper keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Number of the open folder of the workspace, as it is outside. Without one there is nothing to
    /// keep, which is enough to find out whether a keeper can join a place at all.
    pub folder: Option<i32>,
    /// Where the workspace is inside.
    pub inside: PathBuf,
    /// Absolute paths of the workspace outside: settings of git name files in it by these too.
    pub outside: Vec<PathBuf>,
    /// Where the empty file and the empty folder are inside that are shown instead of secrets.
    pub masks: PathBuf,
    /// The person's patterns of secret names, beside the built-in ones.
    pub secret: Vec<String>,
    /// Further paths inside, absolute, that are hidden when they are there.
    pub hidden: Vec<PathBuf>,
}

/// What a keeper is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// Join the place in which this process is, hide and protect. It is answered with
    /// [`Said::Ready`].
    Join { pid: u32 },
    /// Take in all that has happened so far, hide what became secret, and then answer.
    Drain { id: u64 },
    /// Make all programs of the place stand still, and answer with [`Said::Held`] when they do, or when
    /// they cannot be made to. They go on when all who asked have asked for [`Ask::Release`], or after
    /// this many seconds.
    Hold { id: u64, at_most_seconds: u64 },
    /// Whoever asked to hold the programs with this number needs it no longer.
    Release { id: u64 },
}

/// What a keeper says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// It has joined, and all that was asked for holds except for what it has told as news.
    Ready {
        /// Folders that are watched.
        watched: u64,
    },
    /// All that had happened before this was asked is taken in.
    Drained { id: u64 },
    /// All programs of the place stand still, unless it is said why they do not; then they go on.
    Held { id: u64, refused: Option<String> },
    /// Something happened.
    News(News),
    /// It cannot go on, and ends.
    Failed { reason: String },
}

/// What a keeper tells. Paths are relative to the workspace; what is not UTF-8 in them is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum News {
    /// A secret is hidden from now on.
    Hidden { path: String, opened: Opened },
    /// Something that must not be changed inside can be.
    Unprotected { path: String, reason: String },
    /// Something that holds a credential can be read inside, because git could not work without it.
    Shown { path: String, reason: String },
    /// A repository is there that was not when the place was opened, or a link over which git comes to its
    /// settings was changed. Whoever did it decides what its configuration and hooks run.
    Repository { path: String },
    /// A file that would have replaced the configuration of a repository was taken away.
    Removed { path: String },
    /// This many folders are not watched: what becomes secret in them is hidden only when the keeper
    /// is next asked.
    Unwatched { folders: u64, reason: String },
}

/// Whether a secret was opened between its appearance and its being hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opened {
    /// Somebody opened it: it may have been read inside.
    Seen,
    /// Nobody did.
    NotSeen,
    /// It cannot be told: it was made and not renamed into its place, or its folder was not looked at
    /// so closely.
    Unknown,
}

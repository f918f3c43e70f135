//! What a place lets the runner do, told to it by whoever starts it, and what the runner answers.
//!
//! The one who starts the runner passes [`FLAG`] and a [`Confinement`] as JSON. Before anything
//! else, the runner limits itself and writes one line to its standard output: a
//! [`ConfinementReport`] as JSON, unless it was asked to be quiet. The bytes after that line belong to
//! whatever is spoken next.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The runner's argument that a [`Confinement`] follows.
pub const FLAG: &str = "--confine";

/// The runner's argument that a process follows, then a program that works on the network of its place.
pub const NETWORK_FLAG: &str = "--network-of";

/// The longest line that a [`ConfinementReport`] may take, its end included.
pub const LONGEST_REPORT: usize = 4096;

/// What may be touched. Whatever is not named here is refused. All paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// Everything beneath may be read, changed and run.
    pub writable: Vec<PathBuf>,
    /// Everything beneath may be read and run.
    pub readable: Vec<PathBuf>,
    /// Devices and folders of devices: they may be read and written, but none made or removed.
    pub devices: Vec<PathBuf>,
    /// Whether TCP may be used.
    pub network: bool,
    /// Whether a kernel that cannot confine at all is an error.
    pub required: bool,
    /// Like `writable`, for what may not be there: then nothing is granted.
    #[serde(default)]
    pub writable_if_there: Vec<PathBuf>,
    /// Not to be read or run, though it lies beneath something that is readable. Names in it can still be listed.
    #[serde(default)]
    pub unreadable: Vec<PathBuf>,
    /// Whether nothing is answered when it went well: what runs next speaks to somebody who knows nothing
    /// of this.
    #[serde(default)]
    pub quiet: bool,
}

/// What came of a [`Confinement`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConfinementReport {
    /// It holds by Landlock.
    Confined {
        /// Version of Landlock's interface that is in force.
        abi: u32,
        /// Whether all that was asked for holds. An old kernel does not know every right.
        full: bool,
    },
    /// It was not required, and the kernel cannot do it.
    Unconfined { reason: String },
    /// The runner ends without having started anything.
    Refused { reason: String },
}

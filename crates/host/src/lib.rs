//! What happens where the files are: files, searching, showing and changing them, watching, programs,
//! terminals.
//!
//! This crate touches the machine and knows nothing of commands, callers or transports, so that the
//! same code serves a workspace on this machine and, inside a runner, one in a sandbox.

pub mod change;
pub mod edit;
pub mod files;
pub mod git;
pub mod glob;
pub mod grep;
mod handle;
mod host;
pub mod link;
pub mod local;
pub mod operation;
pub mod process;
mod remote;
pub mod rules;
pub mod search;
pub mod terminal;
pub mod view;
pub mod watch;
mod wire_error;

pub use handle::{Attachment, Changes, TerminalHandle};
pub use host::{BoxFuture, Facts, Host, HostError, Input, Item, Location, Talk};
pub use local::LocalHost;
pub use remote::{RemoteHost, Served};

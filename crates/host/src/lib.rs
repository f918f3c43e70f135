//! What can be asked of the place where the files are, and who answers.
//!
//! [`Host`] and its operations are all that others may know of a place. [`LocalHost`] answers by
//! calling the crates that do the work; [`RemoteHost`] passes the question on to a runner, where
//! [`Served`] answers with a local host of its own. This crate wires: it opens no file, starts no
//! program and knows nothing of commands, callers or how a place is made.

mod build;
mod conversation;
mod handle;
mod host;
pub mod local;
pub mod operation;
mod pipe;
mod remote;
pub mod wall;

pub use build::BUILD;
pub use conversation::{AnyConversation, Conversation, Listener, Speaker, Told};
pub use handle::{Attachment, Changes, TerminalHandle};
pub use host::{BoxFuture, Facts, Host, HostError, Location};
pub use local::LocalHost;
pub use pipe::{PipeProgram, PipeReader, PipeWriter, PipedHandle};
pub use remote::{RemoteHost, Served};

//! What happens where the files are: files, file search, watching, processes, terminals.
//!
//! This crate touches the machine and knows nothing of commands, callers or transports, so that the
//! same code serves a workspace on this machine and, inside a runner, one in a sandbox.

pub mod edit;
pub mod files;
pub mod process;
pub mod rules;
pub mod search;
pub mod terminal;
pub mod watch;

//! What happens where the files are: files, searching and editing them, watching, programs,
//! terminals.
//!
//! This crate touches the machine and knows nothing of commands, callers or transports, so that the
//! same code serves a workspace on this machine and, inside a runner, one in a sandbox.

pub mod edit;
pub mod files;
pub mod glob;
pub mod grep;
pub mod process;
pub mod rules;
pub mod search;
pub mod terminal;
pub mod watch;

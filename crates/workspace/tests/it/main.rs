//! Every command through `dispatch`, in a real workspace: a real folder, database and shells.
//!
//! No edge is involved; what HTTP, MCP and the command line add is tested where they live.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panicking")]

mod bridge;
mod command;
mod editor;
mod file;
mod follow;
mod input;
mod instructions;
mod layout;
mod pane;
mod space;
mod store;
mod support;
mod terminal;
mod view;

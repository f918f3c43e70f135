//! The edges of OpenSpace (web, MCP, HTTP, command line) and the wiring to the product.
//!
//! It contains no behaviour of its own: what a command does is in `openspace-workspace`. Nothing
//! here touches a database, a PTY or a file of the workspace.

mod agents_file;
pub mod auth;
pub mod cli;
pub mod client;
pub mod conformance;
pub mod connect;
mod connections;
pub mod environment;
pub mod http;
mod language_settings;
mod languages_file;
pub mod mcp;
pub mod memory;
pub mod output;
pub mod policy_file;
mod program;
pub mod reference;
#[cfg(test)]
mod sample;
pub mod server;
pub mod state_folder;
pub mod status;
pub mod user_data;
pub mod web;

pub use program::main;

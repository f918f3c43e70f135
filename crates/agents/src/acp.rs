//! Any agent that speaks the [Agent Client Protocol](https://agentclientprotocol.com), over a pair of streams.
//!
//! The types of the protocol are its own crate's; the connection is ours (`peer`), because everything in it has a
//! bound: lines, calls that wait, requests, garbage. What the agent tells of its sessions is kept in `book`, since the
//! protocol has no way to ask for it again. Who started the agent, and where, is not known here.

mod abilities;
mod book;
mod client;
mod content;
mod conversation;
mod failure;
mod hear;
mod history;
mod line;
mod message;
mod offer;
mod options;
mod peer;
mod permission;
mod sessions;
mod time;
mod tool;
mod turn;
pub(crate) mod weight;

#[cfg(test)]
mod tests;

pub use book::{Clock, MOST_KEPT_SESSIONS};
pub use client::{About, AcpAgent, LogIn, Setup};
pub use history::{MOST_KEPT_BYTES, MOST_KEPT_MESSAGES};
pub use offer::{HttpEndpoint, McpEndpoint, Offered, ProgramEndpoint, Tools};

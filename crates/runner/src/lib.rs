//! What stands where the files are: it first limits itself, then does what it is asked.
//!
//! It knows nothing of commands, people or agents.

pub mod confine;
pub mod keep;
mod kernel;
pub mod network;

//! The conversation with a real opencode, which talks to a model that says what a script says.
//!
//! Each test has an opencode of its own with a home of its own, without any network but this machine's. It is named in
//! `OPENSPACE_OPENCODE`, which `cargo xtask test` sets.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panicking")]

mod contract;
mod faults;
mod keys;
mod prompts;
mod providers;
mod questions;
mod restart;
mod sessions;
mod support;
mod turns;

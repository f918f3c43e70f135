//! Real language servers from npm and from Python's packages: what they say is about the text as it is. `cargo xtask test` installs and names
//! them.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panicking")]

mod freshness;
mod support;

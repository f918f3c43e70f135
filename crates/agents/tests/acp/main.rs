//! Real agents over ACP, with a model that says what a script says. `cargo xtask test` installs them and names them.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panicking")]

mod opencode;
mod qwen;
mod support;

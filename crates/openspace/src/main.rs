//! `openspace`: one workspace, two pairs of hands.
//!
//! All of it is in the library: what stands here would be compiled once more after it.

use std::process::ExitCode;

fn main() -> ExitCode {
    openspace::main()
}

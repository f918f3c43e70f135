//! `openspace`: one workspace, two pairs of hands.

use std::{process::ExitCode, time::Duration};

use openspace::{cli, output};

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::complain(&format!("error: the program cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(cli::run(std::env::args_os().collect()));
    // A thread that still waits for standard input must not keep the process alive.
    runtime.shutdown_timeout(Duration::from_millis(100));
    code
}

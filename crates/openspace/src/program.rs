//! The whole program: a runtime, the command line in it, an exit code.

use std::{process::ExitCode, time::Duration};

use crate::{cli, memory, output};

/// A call is short and passes through several tasks. With a worker on every core each of them wakes
/// another core, and that takes longer than the work: half of the cores answer twice as fast.
/// Long work runs on threads of its own.
fn workers() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (cores / 2).clamp(1, 8)
}

/// Run the command line of this process.
pub fn main() -> ExitCode {
    memory::give_back_large_pieces();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = match runtime.worker_threads(workers()).enable_all().build() {
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

//! `openspace-runner [--confine JSON] [--socket PATH | --exec PROGRAM [ARGUMENT …]]`, or
//! `openspace-runner --keep JSON`, or `openspace-runner --network-of PROCESS PROGRAM [ARGUMENT …]`
//!
//! Confines itself when asked to, then serves the host over its standard streams, or over a socket
//! where the caller may come back after a break, or becomes the given program. As a keeper it stays
//! outside a place and hides secrets in it; or it runs a program that gives a place a network.

mod stream;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, ExitCode},
    sync::Arc,
};

use openspace_host::Served;
use openspace_link::{self as link, LinkError, Options};
use openspace_protocol::{confinement, keeping};
use openspace_runner::{
    confine::{self, ConfineError},
    keep::{self, KeepError},
    network::{self, NetworkError},
};

/// No program uses it by custom, so it says that the runner itself failed.
const FAILED: u8 = 125;

#[derive(Debug, thiserror::Error)]
enum RunnerError {
    #[error(transparent)]
    Confine(#[from] ConfineError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(
        "usage: openspace-runner [--confine JSON] [--socket PATH | --exec PROGRAM [ARGUMENT …]], \
         or openspace-runner --keep JSON, or openspace-runner --network-of PROCESS PROGRAM [ARGUMENT …]"
    )]
    Usage,
    #[error("cannot run {program}: {source}", program = program.display())]
    Exec { program: OsString, source: io::Error },
    #[error("cannot begin to serve: {0}")]
    Begin(#[from] io::Error),
    #[error(transparent)]
    Link(#[from] LinkError),
}

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when this fails too.
            drop(writeln!(io::stderr(), "openspace-runner: {error}"));
            ExitCode::from(FAILED)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<(), RunnerError> {
    let mut next = arguments.next();
    if next.as_ref().is_some_and(|argument| argument == keeping::FLAG) {
        let wanted = arguments.next().and_then(|argument| argument.into_string().ok());
        return Ok(keep::run(&wanted.ok_or(RunnerError::Usage)?)?);
    }
    if next.as_ref().is_some_and(|argument| argument == confinement::NETWORK_FLAG) {
        let process = arguments.next().and_then(|process| process.to_str()?.parse().ok());
        let (Some(process), Some(program)) = (process, arguments.next()) else {
            return Err(RunnerError::Usage);
        };
        return Ok(network::run(process, &program, arguments)?);
    }
    if next.as_ref().is_some_and(|argument| argument == confinement::FLAG) {
        let wanted = arguments.next().and_then(|argument| argument.into_string().ok());
        confine::begin(&wanted.ok_or(RunnerError::Usage)?)?;
        next = arguments.next();
    }
    let Some(flag) = next else { return serve(None) };
    match (flag.to_str(), arguments.next()) {
        (Some("--socket"), Some(path)) if arguments.next().is_none() => {
            serve(Some(Path::new(&path)))
        }
        (Some("--exec"), Some(program)) => Err(exec(program, arguments)),
        _ => Err(RunnerError::Usage),
    }
}

/// Serves one caller until it leaves, then ends everything that still runs.
fn serve(socket: Option<&Path>) -> Result<(), RunnerError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let served = Arc::new(Served::default());
        let outcome = if let Some(path) = socket {
            let socket = stream::Socket::bind(path)?;
            link::serve_again(socket, Arc::clone(&served), Options::default()).await
        } else {
            let stream = stream::standard()?;
            link::serve(stream, Arc::clone(&served), Options::default()).await
        };
        served.end().await;
        Ok(outcome?)
    })
}

/// Returns only what went wrong: on success the process has become another program.
#[expect(clippy::disallowed_methods, reason = "nothing is started: this process is replaced")]
fn exec(program: OsString, arguments: impl Iterator<Item = OsString>) -> RunnerError {
    let source = Command::new(&program).args(arguments).exec();
    RunnerError::Exec { program, source }
}

//! Running a program that works on the network of a place from outside, for as long as somebody wants it.
//!
//! It ends with the standard input: whoever started this is gone then, however that came. Only who has power over the user namespace that owns a network may change it, and only the kernel knows which that is:
//! the program gets both as open files.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::process::{Pid, Signal};

use crate::kernel;

#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("the network of the process {0} cannot be found: {1}")]
    NotFound(u32, #[source] io::Error),
    #[error("the process {0} has no network of its own")]
    NotItsOwn(u32),
    #[error("cannot run {program}: {source}", program = program.display())]
    Run { program: OsString, source: io::Error },
}

/// Runs the program until it or the standard input ends.
#[expect(clippy::disallowed_methods, reason = "the program is this process's own")]
pub fn run(
    pid: u32,
    program: &OsStr,
    arguments: impl Iterator<Item = OsString>,
) -> Result<(), NetworkError> {
    let (network, owner) = of(pid)?;
    let path = |file: &OwnedFd| format!("/proc/self/fd/{}", file.as_raw_fd());
    let started = Command::new(program)
        .args(arguments)
        .args(["--netns", &path(&network), "--userns", &path(&owner)])
        .stdin(Stdio::null())
        .spawn();
    let failed = |source| NetworkError::Run { program: program.to_owned(), source };
    let mut child = started.map_err(failed)?;
    let carrier = Pid::from_child(&child);
    std::thread::spawn(move || {
        // Nothing is ever said here; what cannot be read has ended too.
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        // One that has ended already is what is wanted.
        _ = rustix::process::kill_process(carrier, Signal::KILL);
    });
    child.wait().map_err(failed)?;
    Ok(())
}

/// The network of a process and who owns it, both open for who comes next.
fn of(pid: u32) -> Result<(OwnedFd, OwnedFd), NetworkError> {
    let failed = |error: io::Error| NetworkError::NotFound(pid, error);
    let open = |path: &str| {
        rustix::fs::open(path, OFlags::RDONLY, Mode::empty()).map_err(|error| failed(error.into()))
    };
    let network = open(&format!("/proc/{pid}/ns/net"))?;
    let identity =
        |file: &OwnedFd| rustix::fs::fstat(file).map(|status| (status.st_dev, status.st_ino)).ok();
    if identity(&network) == identity(&open("/proc/self/ns/net")?) {
        return Err(NetworkError::NotItsOwn(pid));
    }
    let owner = kernel::owner(network.as_fd()).map_err(failed)?;
    for file in [&network, &owner] {
        rustix::io::fcntl_setfd(file, FdFlags::empty()).map_err(|error| failed(error.into()))?;
    }
    Ok((network, owner))
}

//! The least that reads a program's terminal: a PTY and one buffer.
//!
//! What a terminal of ours does beyond this (keeping a screen, lines and views) is its price.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use rustix::{
    io::Errno,
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
};

#[cfg(test)]
mod tests;

const BUFFER: usize = 64 * 1024;

/// Runs a shell command on a PTY and reads all it prints; says how long that took.
pub(super) fn drain(line: &str, end: &str) -> Result<Duration> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let controller = openpt(flags).context("cannot open a PTY")?;
    grantpt(&controller)?;
    unlockpt(&controller)?;
    let terminal = ioctl_tiocgptpeer(&controller, flags)?;
    let mut shell = Command::new("sh");
    shell
        .args(["-c", line])
        .stdin(terminal.try_clone()?)
        .stdout(terminal.try_clone()?)
        .stderr(terminal);
    let begin = Instant::now();
    let mut child = shell.spawn().context("cannot start sh")?;
    // It holds the terminal open as long as it lives, and then there would be no end to read.
    drop(shell);
    let read = read_to_end(&mut File::from(controller), end.len() + 2);
    let elapsed = begin.elapsed();
    child.wait()?;
    let last = read?;
    ensure!(
        String::from_utf8_lossy(&last).trim_end() == end,
        "the terminal did not print `{end}` at its end"
    );
    Ok(elapsed)
}

/// Reads until every program has closed the terminal; keeps the last bytes.
fn read_to_end(controller: &mut File, keep: usize) -> Result<Vec<u8>> {
    let mut buffer = vec![0; BUFFER];
    let mut last = Vec::new();
    loop {
        match controller.read(&mut buffer) {
            Ok(0) => return Ok(last),
            Ok(length) => {
                last.extend_from_slice(&buffer[length.saturating_sub(keep)..length]);
                last.drain(..last.len().saturating_sub(keep));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // What Linux says when the other side is closed.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) => return Ok(last),
            Err(error) => return Err(error).context("cannot read from the PTY"),
        }
    }
}

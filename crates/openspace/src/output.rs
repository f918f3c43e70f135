//! The one printer. A reader that closes its end early is no error.

use std::io::{ErrorKind, Write};

/// Write text and a newline to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Write text and a newline to standard error. When that is closed there is nobody left to tell.
pub fn complain(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

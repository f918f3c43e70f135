//! The server under test: started for one run and ended with it, and no other process.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::scratch::Scratch;

#[cfg(test)]
mod tests;

const READY_WITHIN: Duration = Duration::from_secs(30);

pub(super) struct Server {
    child: Child,
    pub(super) address: Address,
}

/// What the server says about itself when it is ready.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) mcp: String,
    pub(super) token: String,
}

impl Server {
    /// Starts this program with the arguments of a server under test.
    pub(super) fn start(mut program: Command, scratch: &Scratch, log: &Path) -> Result<Self> {
        let log_file =
            File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        // The limits protect people from a runaway agent; the suite is one on purpose.
        let mut child = program
            .arg("serve")
            .arg(scratch.folder("workspace")?)
            .args(["--port", "0", "--json", "--conformance-fixtures"])
            .args(["--max-calls-per-turn", "100000", "--max-concurrent", "1000"])
            .arg("--state-dir")
            .arg(scratch.folder("state")?)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log_file)
            .spawn()
            .with_context(|| format!("cannot start {}", program.get_program().display()))?;
        let stdout = child.stdout.take();
        let unknown = Address { mcp: String::new(), token: String::new() };
        let mut server = Self { child, address: unknown };
        server.address = stdout
            .context("the server has no stdout")
            .and_then(first_line)
            .and_then(|line| Address::parse(&line))
            .with_context(|| format!("the server did not get ready:\n{}", text_of(log)))?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait()) {
            eprintln!("warning: the server {} was not stopped: {error}", self.child.id());
        }
    }
}

impl Address {
    fn parse(line: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(line)
            .with_context(|| format!("the server's first line is not JSON: {line}"))?;
        let field = |name: &str| {
            let text = value[name].as_str().map(str::to_owned);
            text.ok_or_else(|| anyhow!("the server's first line has no `{name}`: {line}"))
        };
        Ok(Self { mcp: field("mcp")?, token: field("token")? })
    }
}

/// Waits for the first line; reads on in the background, so that the server never blocks on a full
/// pipe.
fn first_line(stdout: ChildStdout) -> Result<String> {
    let (send, receive) = mpsc::sync_channel(1);
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            drop(send.try_send(line));
        }
    });
    receive.recv_timeout(READY_WITHIN).map_err(|error| match error {
        mpsc::RecvTimeoutError::Timeout => anyhow!("nothing printed in {READY_WITHIN:?}"),
        mpsc::RecvTimeoutError::Disconnected => anyhow!("it ended without printing a line"),
    })
}

fn text_of(log: &Path) -> String {
    fs::read_to_string(log).unwrap_or_else(|error| format!("(no log: {error})"))
}

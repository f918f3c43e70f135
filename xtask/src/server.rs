//! A server of our own: started for one run and ended with it, and no other process.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

#[cfg(test)]
mod tests;

const READY_WITHIN: Duration = Duration::from_secs(30);
const STOPPED_WITHIN: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

pub(crate) struct Server {
    child: Child,
    pub(crate) address: Address,
    /// From starting the process to its word that it is ready.
    pub(crate) ready_after: Duration,
}

/// What the server says about itself when it is ready.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) url: String,
    pub(crate) mcp: String,
    pub(crate) token: String,
}

impl Server {
    /// Starts a program that prints its address as its first line; what it logs goes to a file.
    pub(crate) fn start(mut program: Command, log: &Path) -> Result<Self> {
        let log_file =
            File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        let begin = Instant::now();
        let mut child = program
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log_file)
            .spawn()
            .with_context(|| format!("cannot start {}", program.get_program().display()))?;
        let stdout = child.stdout.take();
        let unknown = Address { url: String::new(), mcp: String::new(), token: String::new() };
        let mut server = Self { child, address: unknown, ready_after: Duration::ZERO };
        let line = stdout.context("the server has no stdout").and_then(first_line);
        server.ready_after = begin.elapsed();
        server.address = line
            .and_then(|line| Address::parse(&line))
            .with_context(|| format!("the server did not get ready:\n{}", text_of(log)))?;
        Ok(server)
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server to stop and waits for its end, so that it leaves its state in order.
    pub(crate) fn stop(mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)
            .context("cannot ask it to stop")?;
        let begin = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begin.elapsed() > STOPPED_WITHIN {
                bail!("the server {} did not stop in {STOPPED_WITHIN:?}", self.child.id());
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(())
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
        Ok(Self { url: field("url")?, mcp: field("mcp")?, token: field("token")? })
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

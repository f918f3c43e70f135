//! JSON-RPC over the pipes of a program: one message a line, one call at a time.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

#[cfg(test)]
mod tests;

const LONGEST_LINE: u64 = 256 * 1024 * 1024;
const BUFFER: usize = 64 * 1024;
/// Where servers put the id: at the beginning of a message or at its end.
const EDGE: usize = 64;
/// A program that was told to end by the end of its input has this long.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

pub(super) struct Pipes {
    child: Child,
    /// Taken when the program is to end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Pipes {
    /// Starts a program; what it logs goes to a file.
    pub(super) fn start(mut program: Command, log: &Path) -> Result<Self> {
        let log_file =
            File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        let mut child = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log_file)
            .spawn()
            .with_context(|| format!("cannot start {}", program.get_program().display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("the program has no stdout")?;
        Ok(Self { child, input, output: BufReader::with_capacity(BUFFER, output) })
    }

    pub(super) fn send(&mut self, message: &str) -> Result<()> {
        let input = self.input.as_mut().context("the program has no stdin")?;
        let mut line = String::with_capacity(message.len() + 1);
        line.push_str(message);
        line.push('\n');
        input.write_all(line.as_bytes()).context("the program takes no more input")
    }

    /// Sends a request and reads up to its answer.
    pub(super) fn exchange(&mut self, request: &str, id: u64) -> Result<String> {
        self.send(request)?;
        loop {
            let mut line = Vec::new();
            self.output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                bail!("the program ended without an answer");
            }
            if is_answer(&line, id) {
                return String::from_utf8(line).context("the answer is not text");
            }
        }
    }
}

/// Whether a line answers this request. Looks only at the edges of the line, because reading a
/// large answer as JSON would be measured too.
fn is_answer(line: &[u8], id: u64) -> bool {
    let line = line.trim_ascii_end();
    let head = String::from_utf8_lossy(&line[..line.len().min(EDGE)]);
    let tail = String::from_utf8_lossy(&line[line.len().saturating_sub(EDGE)..]);
    let first = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},");
    let has_outcome = head.starts_with("{\"result\":") || head.starts_with("{\"error\":");
    head.starts_with(&first) || (has_outcome && tail.ends_with(&format!("\"id\":{id}}}")))
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.input = None;
        let begin = Instant::now();
        while begin.elapsed() < ENDS_WITHIN {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(LOOK_AGAIN),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait()) {
            eprintln!("warning: the program {} was not stopped: {error}", self.child.id());
        }
    }
}

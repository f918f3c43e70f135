//! A language server without us: what it takes to answer by itself.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// The largest message that is read.
const LARGEST: usize = 16 * 1024 * 1024;

pub(super) struct Alone {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    uri: String,
    last: u64,
}

impl Alone {
    /// Starts it and greets it.
    pub(super) fn start(program: &Path, root: &Path, log: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["--lsp", "--stdio"])
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = child.stdin.take().context("the server has no stdin")?;
        let output = BufReader::new(child.stdout.take().context("the server has no stdout")?);
        let mut alone = Self { child, input, output, uri: String::new(), last: 0 };
        let root = json!({"uri": uri(root), "name": "project"});
        let hover = json!({"contentFormat": ["markdown", "plaintext"]});
        alone.ask(
            "initialize",
            &json!({
                "processId": null, "rootUri": root["uri"], "workspaceFolders": [root],
                "capabilities": {"textDocument": {"hover": hover}},
            }),
        )?;
        alone.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}))?;
        Ok(alone)
    }

    pub(super) fn open(&mut self, path: &Path, text: &str) -> Result<()> {
        self.uri = uri(path);
        let document =
            json!({"uri": self.uri, "languageId": "typescript", "version": 1, "text": text});
        let params = json!({"textDocument": document});
        self.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}))
    }

    /// How long it takes to say what is at a place; lines and columns count from 1.
    pub(super) fn hover(&mut self, line: u32, column: u32) -> Result<Duration> {
        let place = json!({"line": line - 1, "character": column - 1});
        let params = json!({"textDocument": {"uri": self.uri}, "position": place});
        let begin = Instant::now();
        let answer = self.ask("textDocument/hover", &params)?;
        let elapsed = begin.elapsed();
        if answer["contents"].is_null() {
            bail!("the server alone says nothing: {answer}");
        }
        Ok(elapsed)
    }

    pub(super) fn stop(mut self) -> Result<()> {
        self.ask("shutdown", &Value::Null)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}))?;
        self.child.wait().context("the server does not end")?;
        Ok(())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut said = self.hear()?;
            if said["method"].is_string() {
                // Its own questions are answered with nothing, so that it goes on.
                if !said["id"].is_null() {
                    self.send(&json!({"jsonrpc": "2.0", "id": said["id"], "result": null}))?;
                }
            } else if said["id"] == id {
                return Ok(said["result"].take());
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        self.input.flush().context("the server takes no input")
    }

    fn hear(&mut self) -> Result<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended without an answer");
            }
            match line.trim_end() {
                "" => break,
                header => {
                    if let Some(value) = header.strip_prefix("Content-Length: ") {
                        length = value.parse()?;
                    }
                }
            }
        }
        if length > LARGEST {
            bail!("the server says {length} bytes at once");
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body)?;
        serde_json::from_slice(&body).context("the server says what is no JSON")
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // Only where something failed is it still there.
        if let Ok(None) = self.child.try_wait() {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

/// The name of a file whose path has no sign that would have to be written otherwise.
fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

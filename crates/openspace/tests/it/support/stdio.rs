//! A plain MCP client over standard input and output.

use std::process::Stdio as Pipe;

use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout},
};

use super::{Modern, Space, in_time, mcp::result, process::send_signal, server::unasked};

/// A running `openspace mcp`; killed when dropped.
pub(crate) struct Stdio {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    last: u64,
}

impl Stdio {
    /// Start it and say nothing yet.
    pub(crate) fn start(space: &Space, arguments: &[&str]) -> Self {
        let mut command = space.program();
        command.arg("mcp").args(arguments).args(unasked(arguments));
        command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::piped());
        let mut command = tokio::process::Command::from(command);
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output).lines(), last: 0 }
    }

    /// Start it and begin a session.
    pub(crate) async fn connect(space: &Space, arguments: &[&str]) -> Self {
        let mut this = Self::start(space, arguments);
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tester", "version": "1"},
        });
        let welcome = this.result("initialize", params).await;
        assert_eq!(welcome["serverInfo"]["name"], "openspace");
        this.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        this
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    /// The next message. Every line of standard output has to be one.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = in_time("a line", self.output.next_line()).await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Send a request and do not wait for its answer; gives its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// The next notice of a method; what comes before it is passed over.
    pub(crate) async fn notice(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.expect("a notice before the end");
            if message["method"] == method {
                return message;
            }
        }
    }

    /// The whole answer, an error too. Notices that come before it are passed over.
    pub(crate) async fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer_to(id).await
    }

    /// The answer to a request that has been sent.
    pub(crate) async fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await.expect("an answer before the end");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        result(&self.answer(method, params).await)
    }

    /// The result of a request of the era without sessions.
    pub(crate) async fn modern(&mut self, method: &str, params: Value) -> Value {
        self.result(method, Modern::params(params)).await
    }

    /// The result of a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Close its standard input and see how it ends: exit code, and what it wrote to standard
    /// error.
    pub(crate) async fn close(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        self.end().await
    }

    /// Ask it to stop and see how it ends.
    pub(crate) async fn terminate(self) -> (Option<i32>, String) {
        send_signal(self.pid(), Signal::TERM);
        self.end().await
    }

    /// End it as a crash would.
    pub(crate) async fn kill(mut self) {
        in_time("the end of `openspace mcp`", self.child.kill()).await.unwrap();
    }

    /// Wait for its end.
    pub(crate) async fn end(mut self) -> (Option<i32>, String) {
        let status = in_time("the end of `openspace mcp`", self.child.wait()).await.unwrap();
        let mut error = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        in_time("standard error", stderr.read_to_string(&mut error)).await.unwrap();
        (status.code(), error)
    }
}

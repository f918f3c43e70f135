//! An MCP client that measures: the same code for our server and others, for HTTP and for pipes.
//!
//! The clock runs from sending a request to the last byte of its answer. Making the request and
//! looking at the answer are not measured, so that the client's own speed counts little.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{client::Connection, stdio::Pipes};
use crate::server::Address;

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
const JSON: &str =
    "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
const PATH: &str = "/mcp";

/// A tool, its arguments as JSON, and a text that no wrong answer contains.
#[derive(Clone)]
pub(super) struct Call {
    tool: &'static str,
    arguments: String,
    expects: String,
}

impl Call {
    pub(super) fn new(tool: &'static str, arguments: &Value, expects: &str) -> Self {
        Self { tool, arguments: arguments.to_string(), expects: expects.to_owned() }
    }

    /// A call of ours that any success satisfies.
    pub(super) fn ours(tool: &'static str, arguments: &Value) -> Self {
        Self::new(tool, arguments, "\"success\":true")
    }
}

/// One client: with a session of its own, or in the modern era with none.
pub(super) struct Client {
    wire: Wire,
    last_id: u64,
}

enum Wire {
    Session { connection: Connection, headers: String },
    Stateless { connection: Connection, meta: String },
    Pipes(Pipes),
}

impl Client {
    /// A legacy session over HTTP, ready for calls.
    pub(super) fn session(address: &Address) -> Result<Self> {
        let mut connection = Connection::open(&address.mcp, &address.token)?;
        let answer = connection.exchange("POST", PATH, JSON, &initialize())?;
        let session = answer.header("mcp-session-id").context("the server opened no session")?;
        let headers =
            format!("{JSON}MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {session}\r\n");
        let accepted = connection.exchange("POST", PATH, &headers, &initialized())?;
        ensure!(accepted.status == 202, "the server answered {} to initialized", accepted.status);
        Ok(Self { wire: Wire::Session { connection, headers }, last_id: 1 })
    }

    /// The modern era over HTTP: each request stands alone.
    pub(super) fn stateless(address: &Address) -> Result<Self> {
        let connection = Connection::open(&address.mcp, &address.token)?;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": client_info(),
        });
        let meta = format!(",\"_meta\":{meta}");
        Ok(Self { wire: Wire::Stateless { connection, meta }, last_id: 1 })
    }

    /// A program that speaks MCP on its pipes, ready for calls.
    pub(super) fn program(program: Command, log: &Path) -> Result<Self> {
        let mut pipes = Pipes::start(program, log)?;
        pipes.exchange(&initialize(), 1).context("no answer to initialize")?;
        pipes.send(&initialized())?;
        Ok(Self { wire: Wire::Pipes(pipes), last_id: 1 })
    }

    /// Calls a tool and says how long it took; a wrong answer is an error.
    pub(super) fn time(&mut self, call: &Call) -> Result<Duration> {
        let (elapsed, answer) = self.request("tools/call", Some(call))?;
        if !answer.contains(&call.expects) {
            bail!("{} was answered with {}", call.tool, beginning(&answer));
        }
        Ok(elapsed)
    }

    /// The structured answer of one of our tools.
    pub(super) fn call(&mut self, tool: &'static str, arguments: &Value) -> Result<Value> {
        let (_, answer) = self.request("tools/call", Some(&Call::ours(tool, arguments)))?;
        let message: Value = serde_json::from_str(&answer)?;
        let content = &message["result"]["structuredContent"];
        if content["success"] != true {
            bail!("{tool} was answered with {}", beginning(&answer));
        }
        Ok(content.clone())
    }

    /// Sends one request; gives the time and the answer's JSON.
    pub(super) fn request(
        &mut self,
        method: &str,
        call: Option<&Call>,
    ) -> Result<(Duration, String)> {
        self.last_id += 1;
        let id = self.last_id;
        let meta = if let Wire::Stateless { meta, .. } = &self.wire { meta.as_str() } else { "" };
        let params = match call {
            Some(Call { tool, arguments, .. }) => {
                format!("\"name\":\"{tool}\",\"arguments\":{arguments}{meta}")
            }
            None => meta.trim_start_matches(',').to_owned(),
        };
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params}}}}}"
        );
        let (connection, headers) = match &mut self.wire {
            Wire::Pipes(pipes) => {
                let begin = Instant::now();
                let answer = pipes.exchange(&body, id)?;
                return Ok((begin.elapsed(), answer));
            }
            Wire::Session { connection, headers } => (connection, headers.clone()),
            Wire::Stateless { connection, .. } => {
                let name = call.map(|call| format!("Mcp-Name: {}\r\n", call.tool));
                let name = name.unwrap_or_default();
                let version = format!("MCP-Protocol-Version: {MODERN}\r\n");
                (connection, format!("{JSON}{version}Mcp-Method: {method}\r\n{name}"))
            }
        };
        let begin = Instant::now();
        let answer = connection.exchange("POST", PATH, &headers, &body)?;
        let elapsed = begin.elapsed();
        ensure!(answer.status == 200, "{method} got {}: {}", answer.status, answer.body);
        Ok((elapsed, answer.message()?))
    }
}

fn client_info() -> Value {
    json!({"name": "bench", "version": "1"})
}

fn initialize() -> String {
    let params =
        json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client_info()});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

fn initialized() -> String {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()
}

/// Enough of an answer to see what is wrong with it.
fn beginning(answer: &str) -> String {
    answer.chars().take(500).collect()
}

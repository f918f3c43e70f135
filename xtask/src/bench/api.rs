//! Workspaces and their tools over plain HTTP, on one kept-alive connection.
//!
//! The clock runs from sending a request to the last byte of its answer, as everywhere here.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::client::Connection;
use crate::server::Address;

const PATH: &str = "/api/v1/workspaces";
const JSON: &str = "Content-Type: application/json\r\n";
/// Enough of an answer to see what is wrong with it.
const SHOWN: usize = 500;

pub(super) struct Api(Connection);

impl Api {
    pub(super) fn open(address: &Address) -> Result<Self> {
        Connection::open(&address.url, &address.token).map(Self)
    }

    /// Creates a workspace on a folder that is there; gives the time and its id.
    pub(super) fn create(&mut self, root: &Path, provider: &str) -> Result<(Duration, String)> {
        let body = json!({"root": root, "provider": provider}).to_string();
        let (elapsed, created) = self.exchange("POST", PATH, &body)?;
        let id = created["id"].as_str().context("a workspace without an id")?;
        Ok((elapsed, id.to_owned()))
    }

    pub(super) fn destroy(&mut self, id: &str) -> Result<Duration> {
        self.exchange("DELETE", &format!("{PATH}/{id}"), "").map(|(elapsed, _)| elapsed)
    }

    /// Calls a tool of a workspace; anything but success is an error.
    pub(super) fn tool(
        &mut self,
        id: &str,
        tool: &str,
        arguments: &Value,
    ) -> Result<(Duration, Value)> {
        self.exchange("POST", &format!("{PATH}/{id}/{tool}"), &arguments.to_string())
    }

    /// Calls a tool and does not wait for its answer; to drop this then takes the call back.
    pub(super) fn start_tool(&mut self, id: &str, tool: &str, arguments: &Value) -> Result<()> {
        self.0.send("POST", &format!("{PATH}/{id}/{tool}"), JSON, &arguments.to_string())
    }

    fn exchange(&mut self, method: &str, path: &str, body: &str) -> Result<(Duration, Value)> {
        let begin = Instant::now();
        let answer = self.0.exchange(method, path, JSON, body)?;
        let elapsed = begin.elapsed();
        let shown = || answer.body.chars().take(SHOWN).collect::<String>();
        let value: Value = serde_json::from_str(&answer.body)
            .with_context(|| format!("{method} {path} got {}: {}", answer.status, shown()))?;
        if value["success"] != true {
            bail!("{method} {path} got {}: {}", answer.status, shown());
        }
        Ok((elapsed, value))
    }
}

//! `openspace audit`: what was done in a space, as a table or as JSON lines.
//!
//! The running server is asked where there is one. Else the database is read as the last server
//! left it; nothing is written.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use hyper::Method;
use openspace_workspace::audit::{Logged, Offline};
use serde_json::{Map, Value, json};

use super::commands::exit_as;
use crate::{
    client::Client,
    environment::{Environment, clock},
    output::{complain, print},
    state_folder::StateFolder,
    status::exit_code,
};

/// Which records, and how they are shown.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// The workspace [default: the current folder or the nearest above it that has a log].
    #[arg(value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    folder: PathBuf,
    /// Started at this moment or later: RFC 3339, or a span such as 15m, 2h or 7d ago.
    #[arg(long, value_name = "MOMENT")]
    since: Option<String>,
    /// Started before this moment, in the same forms.
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// Name of the caller; `open*` for all that start so.
    #[arg(long, value_name = "NAME")]
    caller: Option<String>,
    /// Id of the command; `file.*` for all that start so.
    #[arg(long, value_name = "ID")]
    command: Option<String>,
    /// How it ended: ok, error, or a kind of failure such as `not_found`.
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
    /// A file or folder that was named, or a folder above what was named.
    #[arg(long, value_name = "PATH")]
    path_filter: Option<String>,
    /// The workspace that a call worked in, for commands that choose one of several.
    #[arg(long, value_name = "ID")]
    workspace_id: Option<String>,
    /// Words that occur in the summary, the error or the command.
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,
    /// Most records to show, newest first; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u64,
    /// Show all records.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Print JSON lines, one record a line.
    #[arg(long)]
    json: bool,
}

impl Audit {
    /// The arguments of the command that lists the log.
    fn arguments(&self) -> Map<String, Value> {
        let texts = [
            ("since", &self.since),
            ("until", &self.until),
            ("caller", &self.caller),
            ("command", &self.command),
            ("outcome", &self.outcome),
            ("path", &self.path_filter),
            ("workspace", &self.workspace_id),
            ("text", &self.text),
        ];
        let given = texts.iter().filter_map(|(name, text)| Some((*name, json!(text.as_ref()?))));
        let limit = (!self.all && self.limit > 0).then(|| ("limit", json!(self.limit)));
        given.chain(limit).map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Where the log is.
enum Log {
    Served(Client),
    Left(StateFolder),
}

/// The log of the folder, or of the nearest one above it that has one.
fn find(environment: &Environment, folder: &Path) -> Result<Log> {
    let mut looked_at = folder
        .canonicalize()
        .with_context(|| format!("the folder {} cannot be opened", folder.display()))?;
    loop {
        let state_folder = StateFolder::of(&environment.state, &looked_at)?;
        if state_folder.running()?.is_some() {
            return Ok(Log::Served(Client::find(environment, &looked_at)?));
        }
        if state_folder.database().exists() {
            return Ok(Log::Left(state_folder));
        }
        if !looked_at.pop() {
            bail!(
                "nothing was ever served from {} or a folder above it, so there is no log\n  hint: name the folder: `openspace audit FOLDER`",
                folder.display()
            );
        }
    }
}

/// Show the log.
pub(super) async fn show(wanted: &Audit, environment: &Environment) -> Result<ExitCode> {
    let mut table = Table { json: wanted.json, rows: 0 };
    let code = match find(environment, &wanted.folder)? {
        Log::Served(client) => served(&client, wanted, &mut table).await?,
        Log::Left(state_folder) => {
            tokio::task::block_in_place(|| left(&state_folder, wanted, &mut table))?
        }
    };
    if table.rows == 0 && code == ExitCode::SUCCESS {
        complain("No calls.");
    }
    Ok(code)
}

async fn served(client: &Client, wanted: &Audit, table: &mut Table) -> Result<ExitCode> {
    let path = format!("/api/v1/audit?{}", query(&wanted.arguments()));
    let mut answer = client.open(Method::GET, &path, "application/x-ndjson", String::new()).await?;
    let mut refusal = String::new();
    while let Some(lines) = answer.lines().await? {
        if answer.status >= 400 {
            refusal.push_str(&lines);
            continue;
        }
        let records: serde_json::Result<Vec<Logged>> =
            lines.lines().map(serde_json::from_str).collect();
        table.add(&records.context("the server's answer")?)?;
    }
    if answer.status < 400 {
        return Ok(ExitCode::SUCCESS);
    }
    let failure: Value = serde_json::from_str(&refusal).unwrap_or_default();
    let Some((kind, error)) = answer.kind.zip(failure["error"].as_str()) else {
        bail!("the server refused with status {}: {refusal}", answer.status);
    };
    complain(&format!("Error ({kind}): {error}"));
    exit_as(kind)
}

fn left(state_folder: &StateFolder, wanted: &Audit, table: &mut Table) -> Result<ExitCode> {
    let refused = |error: openspace_command::Error| {
        complain(&format!("Error ({}): {}", error.kind.word(), error.message));
        Ok(ExitCode::from(exit_code(error.kind)))
    };
    let now = clock()();
    let opened =
        Offline::open(&state_folder.database(), state_folder.root(), now, wanted.arguments());
    let mut log = match opened {
        Ok(log) => log,
        Err(error) => return refused(error),
    };
    loop {
        match log.read() {
            Ok(records) if records.is_empty() => return Ok(ExitCode::SUCCESS),
            Ok(records) => table.add(&records)?,
            Err(error) => return refused(error),
        }
    }
}

/// What is printed, some rows at a time.
struct Table {
    json: bool,
    rows: usize,
}

impl Table {
    fn add(&mut self, records: &[Logged]) -> Result<()> {
        let mut lines = Vec::with_capacity(records.len() + 1);
        if self.rows == 0 && !self.json {
            lines.push(Logged::heading());
        }
        for record in records {
            let as_json = || serde_json::to_string(record);
            lines.push(if self.json { as_json()? } else { record.line() });
        }
        self.rows += records.len();
        print(&lines.join("\n"))
    }
}

/// Arguments as the query of a URL.
fn query(arguments: &Map<String, Value>) -> String {
    let mut query = String::new();
    for (name, value) in arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = write!(query, "{}{name}=", if query.is_empty() { "" } else { "&" });
        for byte in text.bytes() {
            // Writing to a String cannot fail.
            let _ = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    write!(query, "{}", char::from(byte))
                }
                byte => write!(query, "%{byte:02X}"),
            };
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_says_what_was_typed() {
        let arguments = json!({"text": "a b&c=é", "limit": 5});
        let query = query(arguments.as_object().unwrap());
        assert_eq!(query, "text=a%20b%26c%3D%C3%A9&limit=5");
    }
}

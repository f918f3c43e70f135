//! Connects a client: prints the entry for its configuration, or merges it into the client's file.
//!
//! A file is changed only where our entry stands, and only when asked. By default no secret goes
//! into it: the client starts this program, which finds the running server by itself.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

mod client;
mod file;
mod jsonc;
#[cfg(test)]
mod tests;
mod toml;

use crate::mcp::ToolSet as Set;
pub use client::Client;
use client::{Entry, TOKEN_VARIABLE, quoted};

/// What the entry is called in every client.
const NAME: &str = "openspace";

/// What a client is connected to.
#[derive(Clone, Debug)]
pub struct Target {
    /// This program, as an absolute path.
    pub program: PathBuf,
    /// How a person calls it in their shell, see [`called`].
    pub called: String,
    /// The workspace's root.
    pub root: PathBuf,
    /// Where the server is, if one runs.
    pub url: Option<String>,
    /// Whether the server asks for a token.
    pub asks_for_token: bool,
    /// Where the instructions are, with their key, if a server runs.
    pub instructions_url: Option<String>,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// Where state is kept, if not in the usual folder.
    pub state_dir: Option<PathBuf>,
}

/// How a person calls a program in their shell: by its name where that finds it, else by its path.
pub fn called(program: &Path, variables: &[(OsString, OsString)]) -> String {
    let is_it = |found: PathBuf| matches!((found.canonicalize(), program.canonicalize()), (Ok(a), Ok(b)) if a == b);
    let search = variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
    let name = program.file_name().map(Path::new);
    let found = name.zip(search).filter(|(name, search)| {
        // A shell takes the first file of that name, whichever program it is.
        let mut files = std::env::split_paths(search).map(|folder| folder.join(name));
        files.find(|file| file.is_file()).is_some_and(is_it)
    });
    quoted(&found.map_or(program, |(name, _)| name).to_string_lossy())
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The client.
    pub client: Client,
    /// Go to the server over HTTP, with the token from the client's environment.
    pub http: bool,
    /// Load the live instructions too, with their key in the file.
    pub instructions: bool,
    /// Which tools to show; none for those that fit the client.
    pub set: Option<Set>,
    /// Change the file.
    pub write: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The client's file.
    pub file: PathBuf,
    /// What belongs into it.
    pub text: String,
    /// What was done to it, if it was to be changed.
    pub written: Option<Written>,
    /// Warnings and next steps.
    pub notes: Vec<String>,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// There was none before.
    pub created: bool,
    /// It did not say all of this before.
    pub changed: bool,
}

/// Print the entry, or merge it into the client's file.
pub fn connect(target: &Target, request: &Request) -> Result<Outcome> {
    let client = request.client;
    let entry = Entry::new(target, request)?;
    let text = merge(client, "", &entry)?;
    let file = choose(client, &target.root)?;
    let rival = rival(target, client, &entry)?;
    let mut notes = Vec::new();
    let private = entry.instructions.is_some();
    let mut is_open = false;
    let written = if request.write {
        if let Some(rival) = rival {
            bail!(rival);
        }
        let found = file::read(&file)?;
        let mode = found.as_ref().map(|found| found.mode);
        is_open = mode.is_some_and(|mode| mode & file::OTHERS != 0);
        let old = found.as_ref().map_or("", |found| found.text.as_str());
        let new = merge(client, old, &entry)
            .with_context(|| format!("{} cannot be changed", file.display()))?;
        let written = Written { created: found.is_none(), changed: found.is_none() || new != old };
        if written.changed || (private && is_open) {
            file::write(&file, &new, mode, private)?;
        }
        Some(written)
    } else {
        notes.extend(rival);
        notes.push("Add --write to put it there.".to_owned());
        None
    };

    let shown = file.display();
    if entry.needs_token {
        notes.push(format!(
            "No token is in the entry: {} takes it from {TOKEN_VARIABLE}. Start it where that is set: \
             export {TOKEN_VARIABLE}=\"$({} token)\". Without --http none is needed.",
            client.title(),
            target.called
        ));
    }
    if entry.instructions.is_some() {
        notes.push(format!("Warning: with this, {shown} holds the key to the workspace's instructions. Do not commit or share it."));
    }
    match request.write {
        true if private && is_open => notes.push(format!(
            "Others on this machine could read {shown}; now only you can (mode 600)."
        )),
        true if private => notes.push(format!("Only you can read {shown} (mode 600).")),
        false if private => {
            notes.push(
                "With --write the file gets mode 600, so that only you can read it.".to_owned(),
            );
        }
        _ => {}
    }
    match &entry.command {
        Some(command) => {
            notes.push(
                "The entry names folders of this machine; other machines need their own."
                    .to_owned(),
            );
            notes.extend(client.alternative(command));
        }
        None => notes.push("The entry works while the server runs at that address.".to_owned()),
    }
    notes.push(client.next_step(&target.root));
    Ok(Outcome { file, text, written, notes })
}

/// The text with the entry in it.
fn merge(client: Client, text: &str, entry: &Entry) -> Result<String> {
    if client == Client::Codex {
        return toml::set(text, client.group(), NAME, &entry.value);
    }
    let text = jsonc::set(text, &[client.group(), NAME], &entry.value)?;
    match &entry.instructions {
        Some(url) => {
            // The address of an earlier run differs in its port or its key.
            jsonc::set_element(&text, "instructions", url, |old| endpoint(old) == endpoint(url))
        }
        None => Ok(text),
    }
}

/// The path that an address names, if it is one over HTTP to this machine.
fn endpoint(url: &str) -> Option<&str> {
    let (authority, rest) = url.strip_prefix("http://")?.split_once('/')?;
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    ["127.0.0.1", "localhost", "[::1]"].contains(&host).then(|| rest.split('?').next()).flatten()
}

/// The client's file: one that has our entry, else one that exists, else the usual one.
fn choose(client: Client, root: &Path) -> Result<PathBuf> {
    let files = client.files(root);
    let mut chosen = (0, files.first().context("every client has a file")?);
    for path in files.iter().filter(|_| files.len() > 1) {
        if let Some(found) = file::read(path)? {
            let entry = stored(client, &found.text)
                .with_context(|| format!("{} cannot be understood", path.display()))?;
            let rank = if entry.is_some() { 2 } else { 1 };
            // Of two that have it, the later one is what the client goes by.
            if rank > chosen.0 || rank == 2 {
                chosen = (rank, path);
            }
        }
    }
    Ok(chosen.1.clone())
}

fn stored(client: Client, text: &str) -> Result<Option<Value>> {
    let path = [client.group(), NAME];
    if client == Client::Codex { toml::lookup(text, &path) } else { jsonc::lookup(text, &path) }
}

/// A warning if the client would mix an entry of the person's with ours.
fn rival(target: &Target, client: Client, entry: &Entry) -> Result<Option<String>> {
    let Some(path) = client.rival(target.home.as_deref()) else { return Ok(None) };
    let Some(found) = file::read(&path)? else { return Ok(None) };
    let other = stored(client, &found.text)
        .with_context(|| format!("{} cannot be understood", path.display()))?;
    let is_rival =
        other.is_some_and(|other| Client::is_http(&other) != Client::is_http(&entry.value));
    Ok(is_rival.then(|| {
        format!(
            "{} has an entry `{NAME}` of the other form; {} would mix both and not start\n  hint: remove it there first",
            path.display(),
            client.title()
        )
    }))
}

/// The text without the mark that some editors put before it.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Where in a text something stands, in words.
fn place(text: &str, at: usize) -> String {
    let before = without_mark(&text[..at]);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}")
}

/// The value of a key of a settings file, which may have comments.
pub(crate) fn settings_value(text: &str, key: &str) -> Result<Option<Value>> {
    jsonc::lookup(text, &[key])
}

//! Agents that can be started: what each is called, how it is installed and logged in, and what of the home it
//! needs where nothing else of it is shown.
//!
//! Ours are in `known.toml`; a person's own are entries of the same form and replace ours with the same id. An
//! entry that is wrong is named with the reason and leaves the others alone. Nothing is started or installed here.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

const OURS: &str = include_str!("known.toml");
/// The most entries that are read.
const MOST: usize = 100;

/// An agent that can be started.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KnownAgent {
    /// A short word of `a-z`, `0-9` and `-`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The program and its arguments that speak ACP on their standard streams.
    pub command: Vec<String>,
    /// Its own interface, which can do more than ACP.
    #[serde(default)]
    pub api: Option<OwnApi>,
    /// The package that brings the program, with the version that was tried.
    #[serde(default)]
    pub npm: Option<String>,
    /// How a person logs in, in words.
    #[serde(default)]
    pub login: Option<String>,
    /// The command that logs in, where it is one that a person can follow in a terminal.
    #[serde(default)]
    pub login_command: Option<String>,
    /// Variables that it gets with these values.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Variables that it gets as the person has them, if they do. They may be keys.
    #[serde(default)]
    pub pass: Vec<String>,
    /// What it needs of the home, from there on; what ends with `/` is a folder.
    #[serde(default)]
    pub home: Vec<String>,
    /// The same, for what it reads and does not change: who changes it has a say in what the agent does outside.
    #[serde(default)]
    pub home_read: Vec<String>,
    /// Files in there that are made, empty, where they are missing, because it would make them itself.
    #[serde(default)]
    pub home_made: Vec<String>,
    /// Settings in a workspace by which it runs programs, from there on; what ends with `/` is a folder.
    #[serde(default)]
    pub project: Vec<String>,
    /// How far this entry was tried.
    #[serde(default)]
    pub tried: Tried,
}

impl KnownAgent {
    /// The command that installs it.
    pub fn install(&self) -> Option<String> {
        self.npm.as_ref().map(|package| format!("npm install --global {package}"))
    }
}

/// An interface of an agent's own that this crate speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnApi {
    /// The REST interface of `opencode serve`.
    Opencode,
}

/// How far an entry was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tried {
    /// Not at all.
    #[default]
    Never,
    /// It starts and says what it can do.
    Start,
    /// A whole turn.
    Turn,
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("the list of agents is not TOML: {0}")]
    NotToml(String),
    #[error("the list of agents has `{0}`, which is not known; agents are `[[agent]]`")]
    UnknownKey(String),
    #[error("the list of agents has more than {MOST} entries")]
    TooMany,
    #[error("agent {entry}: {why}")]
    Entry {
        /// Its id, or its number when it has none.
        entry: String,
        why: String,
    },
}

/// All agents that can be started, and what is wrong with the entries that are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownAgents {
    pub agents: Vec<KnownAgent>,
    pub errors: Vec<EntryError>,
}

impl KnownAgents {
    /// Ours and a person's own, which may be an empty text.
    pub fn with(own: &str) -> Self {
        let (mut all, own) = (Self::read(OURS), Self::read(own));
        for agent in own.agents {
            match all.agents.iter_mut().find(|ours| ours.id == agent.id) {
                Some(ours) => *ours = agent,
                None => all.agents.push(agent),
            }
        }
        all.errors.extend(own.errors);
        all
    }

    /// The agent with this id.
    pub fn find(&self, id: &str) -> Option<&KnownAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    fn read(text: &str) -> Self {
        let mut known = Self::default();
        let mut document = match text.parse::<toml::Table>() {
            Ok(document) => document,
            Err(error) => {
                known.errors.push(EntryError::NotToml(error.to_string()));
                return known;
            }
        };
        let entries = match document.remove("agent") {
            Some(toml::Value::Array(entries)) => entries,
            Some(_) => {
                known.errors.push(EntryError::UnknownKey("agent".to_owned()));
                Vec::new()
            }
            None => Vec::new(),
        };
        known.errors.extend(document.into_iter().map(|(key, _)| EntryError::UnknownKey(key)));
        if entries.len() > MOST {
            known.errors.push(EntryError::TooMany);
        }
        let mut ids = HashSet::new();
        for (index, entry) in entries.into_iter().take(MOST).enumerate() {
            let id = entry.get("id").and_then(toml::Value::as_str);
            let name = id.map_or_else(|| format!("number {}", index + 1), |id| format!("`{id}`"));
            match checked(entry) {
                Ok(agent) if ids.insert(agent.id.clone()) => known.agents.push(agent),
                Ok(_) => known.errors.push(wrong(name, "there is another with this id")),
                Err(why) => known.errors.push(wrong(name, why)),
            }
        }
        known
    }
}

fn wrong(entry: String, why: impl Into<String>) -> EntryError {
    EntryError::Entry { entry, why: why.into() }
}

fn checked(entry: toml::Value) -> Result<KnownAgent, String> {
    let agent: KnownAgent = entry.try_into().map_err(|error| error.message().to_owned())?;
    if !is_id(&agent.id) {
        return Err("`id` must be a word of a-z, 0-9 and -".to_owned());
    }
    if agent.name.trim().is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if agent.command.first().is_none_or(String::is_empty) {
        return Err("`command` names no program".to_owned());
    }
    if agent.command.iter().any(|word| word.contains('\0')) {
        return Err("`command` holds a null character".to_owned());
    }
    let has_controls = |text: &String| text.chars().any(char::is_control);
    if agent.npm.iter().chain(&agent.login_command).any(has_controls) {
        return Err("`npm` and `login_command` are one line".to_owned());
    }
    for name in agent.set.keys().chain(&agent.pass) {
        if !is_variable(name) {
            return Err(format!("`{name}` is not the name of a variable"));
        }
    }
    let lists = [
        ("home", &agent.home, "home"),
        ("home_read", &agent.home_read, "home"),
        ("home_made", &agent.home_made, "home"),
        ("project", &agent.project, "workspace"),
    ];
    for (list, paths, top) in lists {
        if let Some(path) = paths.iter().find(|path| !is_beneath(path)) {
            return Err(format!("`{list}` has `{path}`, which is not a path beneath the {top}"));
        }
    }
    Ok(agent)
}

fn is_id(id: &str) -> bool {
    let inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=40).contains(&id.len())
        && id.bytes().all(inner)
        && !id.starts_with('-')
        && !id.ends_with('-')
}

fn is_variable(name: &str) -> bool {
    let letter = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    !name.is_empty()
        && name.bytes().all(letter)
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a path stays beneath the home and is not all of it.
fn is_beneath(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split('/').all(|name| !matches!(name, "" | "." | "..") && !name.contains('\0'))
}

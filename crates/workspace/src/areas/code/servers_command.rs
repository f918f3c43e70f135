//! `code.servers`: which language servers there are, how they are, and how to get those that are missing.

use openspace_command::{Command, Meta, Result, Shown};
use openspace_languages::{MIB, State, find::Choice};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    running::Running,
    servers::{CodeServers, found, is_trusted},
};
use crate::{Cx, OpenSpace};

/// Servers that are named because they are missing.
const MOST_MISSING: usize = 40;

/// Say which language servers work here, how they are, and which are missing.
///
/// With `path`: for that file.
///
/// What is missing is named with the command that installs it; nothing is ever installed by itself. `code.restart` and
/// `code.stop` restart and stop one; the person lets those of the project run with `code.trust`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Servers {
    /// Path.
    ///
    /// Of a file, relative to the root or absolute.
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
}

/// A language server.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodeServer")]
pub struct Server {
    /// Its id.
    pub(super) server: String,
    /// What people call it.
    name: String,
    /// How it is: `starting`, `loading`, `ready`, `ending`, `waiting` to be started again, `failed` or `stopped`.
    state: String,
    /// The same in a sentence, with why.
    detail: String,
    /// The folder that it works on; `.` is the root.
    root: String,
    /// Other folders that it works on, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    roots: Vec<String>,
    /// Its program.
    program: String,
    /// Where that was found: `settings`, `project` or `PATH`.
    found_in: String,
    /// Files that it was told.
    documents: usize,
    /// The number of its process, in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    /// Mebibytes of memory that it uses with all that it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mib: Option<u64>,
    /// How often it was started.
    starts: u64,
    /// The end of what it complained, if it does not run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    said: String,
}

impl Server {
    pub(super) async fn of(running: &Running) -> Self {
        let documents = running.texts.lock().await.len();
        let state = running.server.state();
        let word = match &state {
            State::Stopped => "stopped",
            State::Starting => "starting",
            State::Loading { .. } => "loading",
            State::Ready => "ready",
            State::Ending => "ending",
            State::Waiting { .. } => "waiting",
            State::Failed { .. } => "failed",
        };
        let is_down =
            matches!(state, State::Waiting { .. } | State::Failed { .. } | State::Stopped);
        Self {
            server: running.id.clone(),
            name: running.name.clone(),
            state: word.to_owned(),
            detail: match running.ended_because().filter(|_| state == State::Stopped) {
                Some(why) => format!("{state}: {why}"),
                None => state.to_string(),
            },
            root: running.root.to_string(),
            roots: running.roots().iter().skip(1).map(ToString::to_string).collect(),
            program: running.program.to_string_lossy().into_owned(),
            found_in: found(running.found_in).to_owned(),
            documents,
            pid: running.pid(),
            memory_mib: running.memory().await.map(|memory| memory / MIB),
            starts: running.server.see(openspace_languages::Server::generation),
            said: if is_down { running.said() } else { String::new() },
        }
    }

    fn line(&self) -> String {
        let said = if self.said.is_empty() {
            String::new()
        } else {
            format!("\n    {}", self.said.replace('\n', "\n    "))
        };
        let memory = self.memory_mib.map(|memory| format!(", {memory} MiB")).unwrap_or_default();
        let more = if self.roots.is_empty() {
            String::new()
        } else {
            format!(" and {} more", self.roots.len())
        };
        let Self { server, root, detail, program, found_in, documents, .. } = self;
        format!(
            "{server} in {root}{more}: {detail}; {documents} file(s){memory}; {program} ({found_in}){said}"
        )
    }
}

/// A language server that is not used.
#[derive(Serialize, JsonSchema, PartialEq, Eq)]
#[schemars(rename = "CodeServerMissing")]
pub struct Missing {
    /// Its id.
    server: String,
    /// Why it is not used.
    why: String,
    /// What a person can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_to_do: Option<String>,
}

/// Language servers.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// Those that were asked something, whether they run or not.
    servers: Vec<Server>,
    /// Those that could be used besides, for files that were asked about lately.
    missing: Vec<Missing>,
    /// Whether they run behind walls, as agents' programs do.
    confined: bool,
    /// Whether the person let programs of the project run as language servers.
    trusted: bool,
    /// Entries of the person's own list that are left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
}

impl Command<OpenSpace> for Servers {
    const META: Meta =
        Meta::new("code.servers", "Code: Language Servers", Access::Read).shown(Shown::Searchable);
    type Output = Listed;

    fn summary(&self) -> String {
        match &self.path {
            Some(path) => format!("language servers for {path}"),
            None => "language servers".into(),
        }
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    async fn run(self, cx: Cx) -> Result<Listed> {
        let servers = cx.state.service::<CodeServers>();
        let mut choices = servers.choices();
        let mut all = servers.all();
        let mut usable = Vec::new();
        if let Some(path) = &self.path {
            let path = cx.state.path(path)?;
            let choice = servers.choice(&cx.state, &path).await?;
            let for_it = |running: &std::sync::Arc<Running>| {
                choice.servers.iter().any(|found| found.server == running.id)
            };
            all.retain(for_it);
            usable = choice.servers.iter().map(|found| found.server.clone()).collect();
            choices = vec![choice];
        }
        let mut listed = Vec::new();
        for running in &all {
            listed.push(Server::of(running).await);
        }
        let mut missing = Vec::new();
        for id in usable.into_iter().filter(|id| all.iter().all(|running| running.id != *id)) {
            let why = "it was not asked anything yet".to_owned();
            missing.push(Missing { server: id, why, what_to_do: None });
        }
        for missed in choices.iter().flat_map(missing_of) {
            if missing.len() < MOST_MISSING && !missing.contains(&missed) {
                missing.push(missed);
            }
        }
        Ok(Listed {
            servers: listed,
            missing,
            confined: cx.state.workspaces().holds_servers(),
            trusted: is_trusted(&cx.state),
            errors: servers.table().errors.iter().take(20).map(ToString::to_string).collect(),
        })
    }

    fn text(listed: &Listed) -> Option<String> {
        let mut lines: Vec<String> = listed.servers.iter().map(Server::line).collect();
        if lines.is_empty() {
            lines.push("No language server was asked anything yet.".to_owned());
        }
        lines.extend(listed.missing.iter().map(|missing| {
            let what = missing.what_to_do.as_ref().map(|what| format!("; {what}"));
            format!("{}: {}{}", missing.server, missing.why, what.unwrap_or_default())
        }));
        if !listed.confined {
            let trusted =
                if listed.trusted { "" } else { ", and the person has not said that they may run" };
            lines.push(format!("(nothing confines language servers on this machine{trusted})"));
        }
        lines.extend(listed.errors.iter().map(|error| format!("({error})")));
        Some(lines.join("\n"))
    }
}

fn missing_of(choice: &Choice) -> impl Iterator<Item = Missing> {
    let untrusted = choice.untrusted.iter().map(|found| Missing {
        server: found.server.clone(),
        why: format!(
            "{} is a program of the project, and the person has not said that those may run",
            found.program.display()
        ),
        what_to_do: Some("the person allows it once with `openspace code trust`".to_owned()),
    });
    let absent = choice.absent.iter().map(|absent| Missing {
        server: absent.server.clone(),
        why: format!("`{}` is not installed", absent.program),
        what_to_do: absent.install.as_ref().map(|install| format!("`{install}` installs it")),
    });
    untrusted.chain(absent).collect::<Vec<Missing>>().into_iter()
}

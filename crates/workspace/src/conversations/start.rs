//! Starting an agent: where it runs, with what, and the wait until it can be asked.

use std::{sync::Arc, time::Duration};

use openspace_agents::{
    Agent,
    known::{KnownAgent, OwnApi},
};
use openspace_command::{Error, ErrorKind, Result};
use openspace_host::{
    HostError, PipeProgram, PipedHandle,
    operation::{FindProgram, PipedProgram},
};
use openspace_isolation::{OwnHome, Provider};
use openspace_secrets::Value as Secret;

use super::{AgentKey, AgentKeys, Confined, acp, calls::Calls, choices::Way, opencode};
use crate::{Dispatcher, places::Place, refusal::refused, workspaces::Walls};

/// Why an agent that is attached is not confined.
pub(super) const ATTACHED_WHY: &str = "it was started by somebody else, who knows where it runs";
/// Why one is not that a person wants outside.
pub(super) const OUTSIDE_WHY: &str = "you let it run on this machine as you";
/// Why one is not beside a sandbox.
pub(super) const SANDBOX_WHY: &str =
    "the workspace is in a sandbox, in which no agent has its log-in";

/// How long an agent may take until it can be asked.
pub(super) const READY_WITHIN: Duration = Duration::from_mins(1);
/// How long it may take to end when it is asked to.
const ENDS_WITHIN: Duration = Duration::from_secs(3);
/// Lines and characters that are told of what an agent complained.
const LAST_LINES: usize = 6;
const LAST_WORDS: usize = 800;

/// An agent that runs.
pub(super) struct Started {
    pub(super) agent: Arc<dyn Agent>,
    pub(super) confined: Confined,
    /// Its program, unless somebody else started it.
    pub(super) program: Option<PipeProgram>,
    /// Tells whoever talks to it that it is not there any more.
    pub(super) silence: Box<dyn Fn(&str) + Send + Sync>,
    /// What its sessions do.
    pub(super) calls: Arc<Calls>,
    /// What a person should know of it, in a sentence.
    pub(super) note: Option<String>,
    /// Opens our tools to it, and nothing once this is dropped.
    pub(super) _key: Option<AgentKey>,
}

/// What an agent is started with.
pub(super) struct Starting<'a> {
    pub(super) dispatcher: &'a Dispatcher,
    pub(super) known: &'a KnownAgent,
    pub(super) way: &'a Way,
    /// A person let it run outside.
    pub(super) outside: bool,
    pub(super) url: Option<&'a str>,
    pub(super) keys: &'a AgentKeys,
}

/// A program of an agent that runs, and what it was told.
pub(super) struct Launched {
    pub(super) handle: PipedHandle,
    pub(super) confined: Confined,
    pub(super) key: AgentKey,
}

impl Starting<'_> {
    /// Start it, and wait until it can be asked.
    pub(super) async fn start(&self) -> Result<Started> {
        match self.known.api {
            Some(OwnApi::Opencode) => opencode::start(self).await,
            None => acp::start(self).await,
        }
    }

    /// Where our tools are.
    pub(super) fn url(&self) -> Result<&str> {
        self.url.ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "this server has no address that an agent can reach")
                .hint("start it with `openspace serve`")
        })
    }

    /// A key for our tools, which is masked in all that agents see.
    pub(super) async fn key(&self) -> Result<AgentKey> {
        let id = &self.known.id;
        let key = self.keys.issue(id).ok_or_else(|| {
            Error::new(ErrorKind::Busy, "there are too many keys of agents")
                .hint("stop some agents first")
        })?;
        self.hide(&format!("key of {id}"), key.text()).await;
        Ok(key)
    }

    /// From now on no agent is shown this.
    pub(super) async fn hide(&self, called: &str, secret: &str) {
        self.dispatcher.state().secrets().learn(Secret::new(called, secret)).await;
    }

    /// Where it runs.
    async fn place(&self) -> Result<(Arc<Place>, Confined)> {
        let state = self.dispatcher.state();
        let name = &self.known.name;
        if self.way.outside || self.outside {
            return Ok((Arc::clone(state.place()), Confined::no(OUTSIDE_WHY)));
        }
        if state.workspaces().is_main_in(Provider::Sandbox) {
            let message = format!("{name} is not started beside a sandbox: {SANDBOX_WHY}");
            return Err(Error::new(ErrorKind::Unsupported, message).hint(
                "serve the folder without `--provider sandbox`, or attach an opencode with `--opencode URL`",
            ));
        }
        match state.workspaces().walls() {
            Walls::Confined(_) => {
                let own = OwnHome {
                    writable: self.known.home.clone(),
                    readable: self.known.home_read.clone(),
                    made: self.known.home_made.clone(),
                };
                let place = state.workspaces().own_place(&self.known.id, &own).await?;
                Ok((place, Confined::YES))
            }
            Walls::Missing { reason, .. } => {
                let message =
                    format!("{name} is not started, because it cannot be confined: {reason}");
                Err(Error::denied(message).hint(format!(
                    "`openspace doctor` says what is missing; to run it on this machine as you, write `[run.{}]` and `outside = true` into agents.toml",
                    self.known.id
                )))
            }
        }
    }

    /// Start its program with these words and variables instead of those that speak ACP.
    pub(super) async fn launch(
        &self,
        words: &[String],
        variables: Vec<(String, String)>,
        key: AgentKey,
    ) -> Result<Launched> {
        self.check_project()?;
        let (place, confined) = self.place().await?;
        let Some((program, arguments)) = words.split_first() else {
            return Err(Error::internal("an agent has no program"));
        };
        let found = FindProgram { program: program.clone(), folders: Vec::new() };
        if place.ask(found.clone()).await.map_err(refused)?.is_none() {
            return Err(self.missing(program, found).await);
        }
        let mut environment = self.passed();
        environment
            .extend(self.known.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        environment.extend(variables);
        let program =
            PipedProgram { environment, ..PipedProgram::new(program).with(arguments.to_vec()) };
        let host = place.host().await.map_err(refused)?;
        let handle = PipedHandle::start(host, program).await.map_err(refused)?;
        Ok(Launched { handle, confined, key })
    }

    /// Settings of the workspace may be an agent's, and this one would run what they name, with its log-in.
    fn check_project(&self) -> Result<()> {
        let root = self.dispatcher.state().root();
        let is_there = |path: &&String| root.join(path).symlink_metadata().is_ok();
        let Some(path) = self.known.project.iter().find(is_there) else { return Ok(()) };
        if self.way.project_settings {
            return Ok(());
        }
        let KnownAgent { name, id, .. } = self.known;
        let message = format!(
            "{name} is not started: the workspace has `{path}`, and {name} runs programs that such settings name"
        );
        Err(Error::denied(message).hint(format!(
            "look at it, and move it away; or, if you trust all who write in this workspace, write `[run.{id}]` and `project_settings = true` into agents.toml"
        )))
    }

    /// Variables that it gets as the person has them.
    fn passed(&self) -> Vec<(String, String)> {
        let variables = &self.dispatcher.state().workspaces().hosting().environment;
        let is_passed = |name: &str| self.known.pass.iter().any(|passed| passed == name);
        let text =
            variables.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let passed = text.filter(|(name, _)| is_passed(name));
        passed.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Why it cannot be started whose program is not found where it would run.
    async fn missing(&self, program: &str, find: FindProgram) -> Error {
        let name = &self.known.name;
        let on_machine = self.dispatcher.state().place().ask(find).await.ok().flatten();
        if let Some(path) = on_machine {
            let folder = path.parent().unwrap_or(&path).display();
            let message = format!(
                "{name} is installed as {}, which is not shown in its confined place",
                path.display()
            );
            return Error::not_found(message).hint(format!(
                "serve with `--agents-read {folder}` to show that folder to agents"
            ));
        }
        let error = Error::not_found(format!(
            "{name} is not installed: `{program}` is not among the programs of this machine"
        ));
        match self.known.install() {
            Some(install) => error.hint(format!("install it with `{install}`")),
            None => error,
        }
    }

    /// Why it is not there, with what it complained last.
    pub(super) fn ended(&self, program: &PipeProgram, what: &str) -> Error {
        let name = &self.known.name;
        let said = last_words(self.dispatcher, program);
        let message = match said.as_str() {
            "" => format!("{name} {what}, and said nothing"),
            said => format!("{name} {what}; it said: {said}"),
        };
        let error = Error::new(ErrorKind::Lost, message);
        match &self.known.login {
            Some(login) => error.hint(format!("start it by hand to see more; its log-in: {login}")),
            None => error.hint("start it by hand to see more"),
        }
    }
}

/// The end of what a program complained, without secrets and without colours.
pub(super) fn last_words(dispatcher: &Dispatcher, program: &PipeProgram) -> String {
    let said = program.stderr();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    let last = dispatcher.mask_text(last);
    let mut words = String::new();
    let mut is_escape = false;
    for letter in last.chars() {
        match letter {
            '\u{1b}' => is_escape = true,
            _ if is_escape => is_escape = !letter.is_ascii_alphabetic(),
            '\n' => words.push('\n'),
            _ if letter.is_control() => {}
            _ => words.push(letter),
        }
    }
    let superfluous = words.chars().count().saturating_sub(LAST_WORDS);
    words.chars().skip(superfluous).collect()
}

impl Started {
    /// Ask it to end, and wait until it has.
    pub(super) async fn end(&self, why: &str) -> Result<()> {
        (self.silence)(why);
        let Some(program) = &self.program else { return Ok(()) };
        program.stop(ENDS_WITHIN);
        match program.ended().await {
            Ok(_) | Err(HostError::Lost(_) | HostError::Cancelled) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }
}

/// Whether nothing was started because the program is not there.
pub(super) fn is_missing(error: &Error) -> bool {
    error.kind == ErrorKind::NotFound
}

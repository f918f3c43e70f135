//! `code.restart`, `code.stop`, `code.trust`: what becomes of language servers.

use openspace_command::{Caller, Command, Error, Intent, Meta, Result, Shown, Site};
use openspace_protocol::{Access, RelPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CodePages, CodeTrust, CodeTrustPart, commands::check_name, servers::CodeServers,
    servers_command::Server,
};
use crate::{Cx, OpenSpace, paths::is_person, workspaces::MAIN};

use openspace_languages::find::FoundIn;

/// Where a server runs that is started or ended.
fn intent(state: &OpenSpace) -> Intent {
    let site = if state.workspaces().holds_servers() { Site::Confined } else { Site::Unconfined };
    Intent { site, ..Intent::default() }
}

/// Restart a language server, such as one that failed.
///
/// It is told all texts again. What was asked of it meanwhile is lost.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restart {
    /// Its id, as `code.servers` has it.
    server: String,
    /// The folder that it works on, if several projects have one.
    root: Option<String>,
}

/// How a server is now.
#[derive(Serialize, JsonSchema)]
pub struct Now {
    /// The server.
    #[serde(flatten)]
    server: Server,
}

impl Command<OpenSpace> for Restart {
    const META: Meta = Meta::new("code.restart", "Code: Restart Language Server", Access::Execute)
        .shown(Shown::Searchable);
    type Output = Now;

    fn summary(&self) -> String {
        format!("restart the language server {}", self.server)
    }

    fn check(&self) -> Result<()> {
        check_name("server", &self.server)
    }

    fn intent(&self, state: &OpenSpace, _caller: &Caller) -> Intent {
        intent(state)
    }

    async fn run(self, cx: Cx) -> Result<Now> {
        let servers = cx.state.service::<CodeServers>();
        let running = servers.named(&self.server, root(&cx, self.root.as_deref())?.as_ref())?;
        CodeServers::check_allowed(&cx.state, &running)?;
        running.stop().await;
        running.start();
        Ok(Now { server: Server::of(&running).await })
    }
}

/// Stop a language server. It starts again when somebody asks it something.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Its id, as `code.servers` has it.
    server: String,
    /// The folder that it works on, if several projects have one.
    root: Option<String>,
}

impl Command<OpenSpace> for Stop {
    const META: Meta = Meta::new("code.stop", "Code: Stop Language Server", Access::Execute)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Now;

    fn summary(&self) -> String {
        format!("stop the language server {}", self.server)
    }

    fn check(&self) -> Result<()> {
        check_name("server", &self.server)
    }

    fn intent(&self, state: &OpenSpace, _caller: &Caller) -> Intent {
        intent(state)
    }

    async fn run(self, cx: Cx) -> Result<Now> {
        let servers = cx.state.service::<CodeServers>();
        let running = servers.named(&self.server, root(&cx, self.root.as_deref())?.as_ref())?;
        running.stop().await;
        Ok(Now { server: Server::of(&running).await })
    }
}

fn root(cx: &Cx, root: Option<&str>) -> Result<Option<RelPath>> {
    root.map(|root| cx.state.path(root)).transpose()
}

/// Let language servers that are programs of the project run, or no longer.
///
/// Only the person can, once for the workspace. Without it, those of `node_modules/.bin` or `.venv/bin` are not
/// started; and where nothing confines programs on this machine, none at all.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    /// False takes it back, and ends those that run by it; true when left out.
    allowed: Option<bool>,
}

/// What holds now.
#[derive(Serialize, JsonSchema)]
pub struct Trusted {
    /// Whether they may run.
    allowed: bool,
    /// Servers that were ended because they may no longer run.
    stopped: Vec<String>,
}

impl Command<OpenSpace> for Trust {
    const META: Meta =
        Meta::new("code.trust", "Code: Let Language Servers of the Project Run", Access::Edit)
            .shown(Shown::Searchable)
            .idempotent();
    type Output = Trusted;

    fn summary(&self) -> String {
        let any_longer = if self.allowed.unwrap_or(true) { "" } else { " no longer" };
        format!("let language servers of the project run{any_longer}")
    }

    async fn closer_intent(
        &self,
        _state: &std::sync::Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        check_person(caller).map(|()| None)
    }

    async fn run(self, cx: Cx) -> Result<Trusted> {
        check_person(&cx.caller)?;
        let allowed = self.allowed.unwrap_or(true);
        let trust = CodeTrust { allowed, at: cx.state.now(), by: cx.caller.id.clone() };
        cx.state
            .space()
            .change(|state| {
                state.part_mut::<CodeTrustPart>().insert(MAIN, trust);
                Ok(())
            })
            .await?;
        let servers = cx.state.service::<CodeServers>();
        servers.forget_choices();
        cx.state.service::<CodePages>().look_again();
        let mut stopped = Vec::new();
        for running in servers.alive() {
            if CodeServers::check_allowed(&cx.state, &running).is_err() {
                running.stop().await;
                stopped.push(running.id.clone());
            }
        }
        Ok(Trusted { allowed, stopped })
    }
}

fn check_person(caller: &Caller) -> Result<()> {
    if is_person(caller) {
        return Ok(());
    }
    Err(Error::denied("only the person lets programs of the project run as language servers")
        .hint("the person does it in the browser's palette, or at their own shell with `openspace code trust`"))
}

impl CodeServers {
    /// Whether a server may still run as it was found.
    fn check_allowed(state: &OpenSpace, running: &super::running::Running) -> Result<()> {
        let is_trusted = super::servers::is_trusted(state);
        let is_held = state.workspaces().holds_servers();
        if is_trusted || (is_held && running.found_in != FoundIn::Project) {
            return Ok(());
        }
        Err(Error::denied(format!("{} may not run: the person has not said so", running.name))
            .hint("the person allows it once with `openspace code trust`"))
    }
}

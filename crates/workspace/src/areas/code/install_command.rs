//! `code.install`: a language server is installed by the command of the table, in a terminal that the person sees.

use std::sync::Arc;

use openspace_command::{
    Caller, CallerKind, Command, Error, ErrorKind, Focus, Intent, Line, Meta, Result, Shown,
};
use openspace_protocol::{Access, TerminalId};
use openspace_terminal::{RunRequest, Wait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::{commands::check_name, servers::CodeServers};
use crate::{
    Cx, OpenSpace,
    areas::terminal::{Terminals, commands::Create},
    refusal::refused,
    walls,
};

/// How long the terminal may be quiet, and how long it is waited for in all, before the answer: installing goes on.
const QUIET_MS: u64 = 300;
const ANSWERS_WITHIN_MS: u64 = 5_000;

/// Install a missing language server, in a terminal that the person sees.
///
/// The command is the one that `code.servers` names: of one version, and nothing else. It goes on when the answer
/// comes; the terminal says how it ends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// Its id, as `code.servers` has it.
    server: String,
    /// Why, in a sentence; an agent has to say it, and the person decides by it.
    reason: Option<String>,
}

/// What is being done.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Installing {
    /// The terminal.
    terminal_id: TerminalId,
    /// What was typed there.
    command: String,
}

impl Install {
    fn line(&self, state: &OpenSpace) -> Result<String> {
        let servers = state.service::<CodeServers>();
        let Some(server) = servers.table().server(&self.server) else {
            let shown: String = self.server.chars().take(100).collect();
            return Err(Error::not_found(format!("no language server `{shown}` is known"))
                .hint("code_servers names those that are missing"));
        };
        server.install.clone().ok_or_else(|| {
            let message = format!("how {} is installed is not known", server.name);
            Error::new(ErrorKind::Unsupported, message).hint("its own documentation says it")
        })
    }

    /// An agent's own place keeps nothing for servers: it has to leave it.
    fn leaves(state: &OpenSpace, caller: &Caller) -> bool {
        caller.kind == CallerKind::Agent && !walls::is_sandbox(state)
    }
}

impl Command<OpenSpace> for Install {
    const META: Meta = Meta::new("code.install", "Code: Install Language Server", Access::Execute)
        .focus(Focus::Show)
        .shown(Shown::Searchable);
    type Output = Installing;

    fn summary(&self) -> String {
        format!("install the language server {}", self.server)
    }

    fn check(&self) -> Result<()> {
        check_name("server", &self.server)?;
        walls::check_reason(false, self.reason.as_deref())
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        // Without a command nothing is done.
        let text = self.line(state).unwrap_or_default();
        Intent {
            site: walls::site(state, caller, None, Self::leaves(state, caller)),
            line: Some(Line { text, shell: "bash".into(), is_typed: false }),
            reason: self.reason.clone(),
            each_time: true,
            ..Intent::default()
        }
    }

    async fn closer_intent(
        &self,
        state: &Arc<OpenSpace>,
        caller: &Caller,
    ) -> Result<Option<Intent>> {
        walls::check_reason(Self::leaves(state, caller), self.reason.as_deref())?;
        self.line(state).map(|_| None)
    }

    async fn run(self, cx: Cx) -> Result<Installing> {
        let command = self.line(&cx.state)?;
        let outside = Self::leaves(&cx.state, &cx.caller);
        walls::check_reason(outside, self.reason.as_deref())?;
        let state = Arc::clone(&cx.state);
        let shown = Create::titled(&format!("install {}", self.server), outside, self.reason);
        let terminal_id = shown.run(cx).await?.id();
        let Some(terminal) = state.service::<Terminals>().get(terminal_id) else {
            return Err(Error::new(ErrorKind::Lost, "the terminal was closed at once"));
        };
        let request = RunRequest {
            command: command.clone(),
            wait: Wait::Idle { quiet_ms: QUIET_MS },
            timeout_ms: ANSWERS_WITHIN_MS,
            lines: RunRequest::default_lines(),
        };
        let (told, _) = oneshot::channel();
        terminal.run(request, told).await.map_err(refused)?;
        // Whoever looks next looks for it anew.
        state.service::<CodeServers>().forget_choices();
        Ok(Installing { terminal_id, command })
    }

    fn text(installing: &Installing) -> Option<String> {
        let Installing { terminal_id, command } = installing;
        Some(format!("`{command}` runs in terminal {terminal_id}; terminal_read_output reads on"))
    }
}

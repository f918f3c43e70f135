//! `terminal.restart`: a new shell in a terminal whose shell has ended.

use std::sync::Arc;

use openspace_command::{Caller, Command, Error, Focus, Intent, Meta, Result, Shown};
use openspace_protocol::Access;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Start, TerminalRecord, TerminalState, Terminals, TerminalsPart,
    commands::{TerminalInfo, folder, info, note_early_end},
    find_terminal, typing,
};
use crate::{Cx, OpenSpace};

/// Start a new shell in a terminal whose shell has ended.
///
/// The terminal keeps its id, title, folder and pane. What it showed before is gone.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Restart {
    /// Its id or title.
    terminal_id: String,
}

impl Command<OpenSpace> for Restart {
    const META: Meta = Meta::new("terminal.restart", "Terminal: Restart", Access::Execute)
        .shown(Shown::Searchable)
        .focus(Focus::Show);
    type Output = TerminalInfo;

    fn summary(&self) -> String {
        format!("restart terminal {}", self.terminal_id)
    }

    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        typing::restart_intent(state, caller, &self.terminal_id)
    }

    async fn run(self, cx: Cx) -> Result<TerminalInfo> {
        let space = Arc::clone(cx.state.space());
        let (id, record) = {
            let state = space.state();
            let (id, record) = find_terminal(state.part::<TerminalsPart>(), &self.terminal_id)?;
            (id, record.clone())
        };
        if record.is_running() {
            return Err(
                Error::conflict(format!("terminal {id} still runs")).hint("terminal_close ends it")
            );
        }
        let folder = folder(&cx, &record.cwd).await?;
        cx.state.service::<Terminals>().close(id).await?;
        // Where it was: who restarts it neither frees it nor confines it.
        let workspaces = cx.state.workspaces();
        let place = if record.confined {
            workspaces.agents_place(None).await?
        } else {
            workspaces.place(None).await?
        };
        let start = Start { place, id, shell: record.shell.clone(), folder };
        let pid = cx.state.service::<Terminals>().start_shell(start).await?;
        let record = TerminalRecord { state: TerminalState::Running { pid }, ..record };
        space
            .change(|state| {
                state.part_mut::<TerminalsPart>().insert(id, record.clone());
                Ok(())
            })
            .await?;
        note_early_end(&cx, id).await;
        Ok(info(&cx, id, &record).await)
    }
}

//! `terminal.rename`: what everybody calls a terminal.

use openspace_command::{Caller, Command, Intent, Meta, Result, Shown};
use openspace_layout::TabKind;
use openspace_protocol::{Access, TerminalId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{commands::check_title, find_terminal, typing};
use crate::{
    Cx, OpenSpace,
    areas::{layout::LayoutPart, terminal::TerminalsPart},
    refusal::layout_refused,
};

/// A terminal's title.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenamedTerminal {
    /// The terminal.
    terminal_id: TerminalId,
    /// Its title now.
    title: String,
}

/// Give a terminal another title.
///
/// Every browser shows it on the terminal's tab, whatever title the programs in it ask for. The id
/// stays; the title is usable in its place while no other terminal has it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rename {
    /// Its id or title.
    terminal_id: String,
    /// The new title.
    title: String,
}

impl Command<OpenSpace> for Rename {
    const META: Meta = Meta::new("terminal.rename", "Terminal: Set Title", Access::View)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = RenamedTerminal;

    fn summary(&self) -> String {
        format!("rename terminal {} to {}", self.terminal_id, self.title)
    }

    fn check(&self) -> Result<()> {
        check_title(Some(&self.title))
    }

    /// What a person calls their terminal is not an agent's to change.
    fn intent(&self, state: &OpenSpace, caller: &Caller) -> Intent {
        typing::untyped(state, caller, &self.terminal_id)
    }

    async fn run(self, cx: Cx) -> Result<RenamedTerminal> {
        let Self { terminal_id, title } = self;
        cx.state
            .space()
            .change(|state| {
                let (id, _) = find_terminal(state.part::<TerminalsPart>(), &terminal_id)?;
                if let Some(record) = state.part_mut::<TerminalsPart>().get_mut(&id) {
                    record.title.clone_from(&title);
                }
                let content = id.to_string();
                if state.part::<LayoutPart>().find_tab(TabKind::Terminal, &content).is_some() {
                    let layout = state.part_mut::<LayoutPart>();
                    layout
                        .set_title(TabKind::Terminal, &content, &title)
                        .map_err(layout_refused)?;
                }
                Ok(RenamedTerminal { terminal_id: id, title: title.clone() })
            })
            .await
    }
}

//! The workspace tools: what an agent does a day's work with, the same in every workspace.
//!
//! Each tool takes a workspace, and means the one of the space when none is named. The work is the
//! host's; here are arguments and words for readers.

use std::sync::Arc;

use openspace_command::Result;

use crate::{Cx, Entry, areas::Area, places::Place, workspaces::MAIN};

pub mod bash;
pub mod change;
mod explaining;
pub mod find;
pub mod git;
pub mod read;
pub mod runs;

/// What this area brings.
pub const AREA: Area = Area { commands: COMMANDS, brought: &[runs::RUNS], ..Area::EMPTY };

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<bash::Bash>(),
    Entry::of::<read::Read>(),
    Entry::of::<change::Write>(),
    Entry::of::<change::Edit>(),
    Entry::of::<find::Glob>(),
    Entry::of::<find::Grep>(),
    Entry::of::<git::Git>(),
    Entry::of::<runs::Output>(),
    Entry::of::<runs::Kill>(),
    Entry::of::<runs::List>(),
];

/// The workspace that a tool works in, for the record.
pub(crate) fn recorded(workspace: Option<&String>) -> &str {
    workspace.map_or(MAIN, String::as_str)
}

/// The place whose files a tool works with.
pub(crate) async fn place(cx: &Cx, workspace: Option<&str>) -> Result<Arc<Place>> {
    check_reach(cx, workspace)?;
    cx.state.workspaces().place(workspace).await
}

/// The place in which a tool starts programs.
pub(crate) async fn place_of_programs(
    cx: &Cx,
    workspace: Option<&str>,
    outside: bool,
) -> Result<Arc<Place>> {
    check_reach(cx, workspace)?;
    cx.state.workspaces().place_for(&cx.caller, workspace, outside).await
}

/// The place that has a file: long outputs of programs lie where the programs ran.
async fn place_of_file(cx: &Cx, workspace: Option<&str>, path: &str) -> Result<Arc<Place>> {
    check_reach(cx, workspace)?;
    match cx.state.workspaces().keeps_output(workspace, path) {
        Some(place) => Ok(place),
        None => cx.state.workspaces().place(workspace).await,
    }
}

fn check_reach(cx: &Cx, workspace: Option<&str>) -> Result<()> {
    let workspaces = cx.state.workspaces();
    match workspace.filter(|id| *id != MAIN) {
        Some(id) => workspaces.check_reach(&cx.caller, &workspaces.record(id)?),
        None => Ok(()),
    }
}

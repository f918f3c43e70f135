//! The workspace tools: what an agent does a day's work with, the same in every workspace.
//!
//! Each tool takes a workspace, and means the one of the space when none is named. The work is the
//! host's; here are arguments, words for readers, and what was seen of each file, so that nobody
//! overwrites what they have not read.

use crate::Area;
use std::sync::Arc;

use openspace_command::Result;
use openspace_files::FileError;
use openspace_host::{HostError, operation::NearNames};

use crate::{Cx, Entry, file, places::Place, refusal::refused, workspaces::MAIN};

pub mod bash;
pub mod change;
pub mod find;
pub mod git;
pub mod read;
pub mod runs;
pub mod seen;

/// What this area brings.
pub const AREA: Area = Area { commands: COMMANDS, parts: &[], rules: &[] };

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

/// The place a tool works in.
pub(crate) async fn place(cx: &Cx, workspace: Option<&str>) -> Result<Arc<Place>> {
    let workspaces = cx.state.workspaces();
    if let Some(id) = workspace.filter(|id| *id != MAIN) {
        workspaces.check_reach(&cx.caller, &workspaces.record(id)?)?;
    }
    workspaces.place(workspace).await
}

/// Put a failure into words; when a file is not there, name the files that may have been meant.
pub(crate) async fn explain(place: &Place, error: HostError) -> openspace_command::Error {
    let HostError::File(FileError::NotFound { path }) = error else { return refused(error) };
    let near = place.ask(NearNames { path: path.clone() }).await.unwrap_or_default();
    let refusal = file::refused(FileError::NotFound { path });
    if near.is_empty() {
        return refusal.hint("workspace_glob finds files by pattern");
    }
    refusal.hint(format!("did you mean {}?", near.join(" or ")))
}

//! Where a caller's programs would run, as whoever decides about calls is told it.
//!
//! A workspace in a sandbox has walls around all its programs, and no way out. Elsewhere the programs of
//! agents have a confined place beside the workspace, which they leave only with `outside`; where there is
//! none, nothing holds them, and that is said.

use openspace_command::{Caller, Error, ErrorKind, Result, Site};
use openspace_host::wall::refusals;
use openspace_isolation::Provider;
use openspace_protocol::RelPath;

use crate::{
    Cx, OpenSpace,
    areas::terminal::TerminalRecord,
    places::Place,
    workspaces::{AgentsPlaces, MAIN},
};

mod git;

pub(crate) use self::git::{complains as git_complains, explained as explained_git};

/// Longest reason for leaving, in characters.
pub(crate) const MAX_REASON: usize = 1_000;

/// Where programs run that a caller starts in a workspace; `outside` when it asks to leave its place.
pub(crate) fn site(
    state: &OpenSpace,
    caller: &Caller,
    workspace: Option<&str>,
    outside: bool,
) -> Site {
    let workspaces = state.workspaces();
    match workspaces.record(workspace.unwrap_or(MAIN)) {
        Ok(record) => workspaces.site(caller, &record, outside),
        // Nothing runs in a workspace that is not there, which is said when it is looked for.
        Err(_) => Site::Unconfined,
    }
}

/// Where the shell of a terminal runs, for a caller that types into it.
pub(crate) fn terminal_site(state: &OpenSpace, caller: &Caller, record: &TerminalRecord) -> Site {
    match site(state, caller, None, false) {
        Site::Confined if record.confined || is_sandbox(state) => Site::Confined,
        Site::Confined => Site::Outside,
        other => other,
    }
}

/// Whether the workspace of the IDE has walls that nobody leaves.
pub(crate) fn is_sandbox(state: &OpenSpace) -> bool {
    state.workspaces().record(MAIN).is_ok_and(|record| record.provider == Provider::Sandbox)
}

/// Refuse to leave without a word why: it is what the person decides by.
pub(crate) fn check_reason(outside: bool, reason: Option<&str>) -> Result<()> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    match (outside, reason) {
        (true, None) => Err(Error::invalid("argument `reason`: is missing, and `outside` is set")
            .hint("say in a sentence why this has to run outside; the person decides by it")),
        (_, Some(reason)) if reason.chars().count() > MAX_REASON => {
            Err(Error::invalid(format!("argument `reason`: at most {MAX_REASON} characters")))
        }
        _ => Ok(()),
    }
}

/// Refuse to leave a place that nobody can leave: what was asked for would not be what is done.
pub(crate) fn check_outside(cx: &Cx, workspace: Option<&str>, outside: bool) -> Result<()> {
    let record = cx.state.workspaces().record(workspace.unwrap_or(MAIN))?;
    if outside && record.provider == Provider::Sandbox {
        let message = "argument `outside`: programs of this workspace never leave its sandbox";
        return Err(Error::new(ErrorKind::Unsupported, message)
            .hint("leave `outside` out, or ask the person to do it"));
    }
    Ok(())
}

/// What the walls of its place refused a program that failed, as far as the kernel confirms it.
pub(crate) async fn refused_in(
    cx: &Cx,
    workspace: Option<&str>,
    place: &Place,
    folder: &RelPath,
    printed: &str,
) -> Vec<String> {
    let workspaces = cx.state.workspaces();
    let Ok(beside) = workspaces.place(workspace).await else { return Vec::new() };
    if std::ptr::eq(&raw const *beside, place) {
        return Vec::new();
    }
    let home = match &workspaces.hosting().agents {
        AgentsPlaces::Confined(confining) => confining.home.as_deref(),
        AgentsPlaces::Shared => None,
    };
    let root = &place.facts().root;
    let mut refused = refusals(printed, &root.join(folder.as_str()), home, place, &*beside).await;
    // Git names its files from the root of the repository, wherever it was started.
    if git::complains(printed) && refused.as_ref().is_ok_and(Vec::is_empty) {
        refused = refusals(printed, root, home, place, &*beside).await;
    }
    match refused {
        Ok(refused) => git::told(&refused, printed),
        // The program has ended as it has; only the explanation is missing.
        Err(error) => {
            tracing::warn!(%error, "it could not be found out what a place refused");
            Vec::new()
        }
    }
}

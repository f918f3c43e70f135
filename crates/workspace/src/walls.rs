//! Where a caller's programs would run: the one place that knows which walls there are.
//!
//! A workspace in a sandbox has walls around all its programs, and no way out. Elsewhere there are none yet:
//! what an agent starts runs as the server does, and asking to leave changes nothing but the question.

use openspace_command::{Caller, Error, ErrorKind, Result, Site};
use openspace_isolation::Provider;

use crate::{Cx, OpenSpace, areas::terminal::TerminalRecord, workspaces::MAIN};

/// Longest reason for leaving, in characters.
pub(crate) const MAX_REASON: usize = 1_000;

/// Where programs run that a caller starts in a workspace; `outside` when it asks to leave its place.
pub(crate) fn site(
    state: &OpenSpace,
    _caller: &Caller,
    workspace: Option<&str>,
    outside: bool,
) -> Site {
    match state.workspaces().record(workspace.unwrap_or(MAIN)) {
        Ok(record) if record.provider == Provider::Sandbox && outside => Site::Outside,
        Ok(record) if record.provider == Provider::Sandbox => Site::Confined,
        // Nothing runs in a workspace that is not there, which is said when it is looked for.
        _ => Site::Unconfined,
    }
}

/// Where the shell of a terminal runs, for a caller that types into it.
pub(crate) fn terminal_site(state: &OpenSpace, caller: &Caller, record: &TerminalRecord) -> Site {
    site(state, caller, None, record.outside)
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

//! The chat in a real browser, with a real opencode whose model says what a script says.
//!
//! `web/bench/chat.ts` drives it and tells every time it measured, from when opencode tells something until it is on the screen.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    Setup,
    page::{answer, bytes, durations, many, number},
    report::{Figure, Report, Row, Target},
    times,
};
use crate::{
    opencode,
    tools::{FOR_PAGE, ensure_packages, npm},
};

#[cfg(test)]
mod tests;

const SHOWN_WITHIN: Duration = Duration::from_millis(50);
const OPENED_WITHIN: Duration = Duration::from_secs(1);
/// Browsers tell of tasks from here on.
const LONGEST_TASK: Duration = Duration::from_millis(50);
const MOST_OF_IDLE: u64 = 64 * 1024;

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    ensure_packages(FOR_PAGE)?;
    let mut script = npm(&["run", "--silent", "bench-chat"])?;
    script
        .current_dir(&setup.web)
        .env("OPENSPACE_BINARY", &setup.binary)
        .env("OPENSPACE_OPENCODE", opencode::installed()?)
        .env("OPENSPACE_SCRIPTED", &setup.model);
    for row in rows(&answer(script, &Value::Null)?)? {
        report.add(row);
    }
    Ok(())
}

fn rows(measured: &Value) -> Result<Vec<Row>> {
    let shown = Row::new("a piece of an agent's answer to the screen", many(&measured["deltaMs"])?);
    let history = &measured["history"];
    let what = format!("a session of {} messages to the screen", number(&history["messages"])?);
    let opened = Row::new(what, times(durations(&history["openMs"])?)?);
    let longest = durations(&history["longTasks"])?.into_iter().max().unwrap_or_default();
    let scrolled =
        Row::new("  the page's longest task while it is scrolled", Figure::Time(longest));
    let frames = times(durations(&history["frames"])?)?;
    Ok(vec![
        shown.target(Target::TimeUpTo(SHOWN_WITHIN)),
        opened.target(Target::TimeUpTo(OPENED_WITHIN)),
        scrolled.target(Target::TimeUpTo(LONGEST_TASK)),
        Row::new("  from frame to frame meanwhile", frames),
        idle(&measured["idle"])?,
    ])
}

/// What one session costs, told from many: memory is taken in pages.
fn idle(idle: &Value) -> Result<Row> {
    let sessions = number(&idle["sessions"])?;
    let (start, end) = (number(&idle["startBytes"])?, number(&idle["endBytes"])?);
    let each = end.saturating_sub(start).checked_div(sessions).context("no session was made")?;
    let what = format!("memory of the server for an idle session, of {sessions}");
    let row = Row::new(what, Figure::Bytes(each)).beside("with one", bytes(&idle["startBytes"])?);
    Ok(row.target(Target::BytesUpTo(MOST_OF_IDLE)))
}

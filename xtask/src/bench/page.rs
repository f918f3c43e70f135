//! The page in a real browser, with a real agent at work beside it.
//!
//! A script in `web/bench` drives both and tells every time it measured; what the times come to is
//! judged here, against times that a person would call immediate.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use super::{
    Setup, ours,
    report::{Figure, Report, Row, Target},
    times,
    workspace::Workspace,
};
use crate::{
    server::{Address, Server},
    tools::{FOR_PAGE, ensure_packages, npm},
};

#[cfg(test)]
mod tests;

const FILES: usize = 200;
/// Fewer say nothing about the slowest one.
const LEAST_SAMPLES: usize = 30;
const FIRST_LOAD: u64 = 2_700_000;
/// Of the processes that draw the page, after a busy hour.
const MOST_MEMORY: u64 = 400 * 1024 * 1024;
const OPENED_WITHIN: Duration = Duration::from_millis(100);
const HIGHLIGHTED_WITHIN: Duration = Duration::from_millis(50);

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    ensure_packages(FOR_PAGE)?;
    // A person's own settings and an earlier layout would be measured too.
    let state = setup.scratch.folder("state-of-page")?;
    let mut program = ours(&setup.binary, "serve", &state);
    program
        .arg(&setup.workspace.root)
        .args(["--port", "0", "--json"])
        .env("XDG_CONFIG_HOME", setup.scratch.folder("settings-of-page")?);
    let server = Server::start(program, &setup.logs.join("page.txt"))?;
    let measured = drive(&setup.web, &task(&server.address, &person_key(&state)?))?;
    server.stop()?;
    for row in rows(&measured)? {
        report.add(row);
    }
    Ok(())
}

/// What proves to a server that the person asks it for a link: in the one folder that it has made here.
fn person_key(state: &Path) -> Result<String> {
    let folder = fs::read_dir(state)?.next().context("the server has kept nothing")??.path();
    let keys: Value = serde_json::from_str(&fs::read_to_string(folder.join("keys.json"))?)?;
    Ok(keys["person"].as_str().context("the server has no key of the person")?.to_owned())
}

/// What the script is told: where the server is, and files with a word that no other file has.
fn task(address: &Address, person: &str) -> Value {
    let files = (0..FILES).map(Workspace::small);
    let files = files.map(|file| json!({"path": file.path, "word": file.word}));
    json!({
        "url": address.url,
        "mcp": address.mcp,
        "token": address.token,
        "person": person,
        "files": files.collect::<Vec<_>>(),
    })
}

/// Runs the script and reads the one line it prints.
fn drive(web: &Path, task: &Value) -> Result<Value> {
    let mut script = npm(&["run", "--silent", "bench"])?;
    script.current_dir(web);
    answer(script, task)
}

/// Gives a program its task and takes what it prints; anything but success is an error.
pub(super) fn answer(mut program: Command, task: &Value) -> Result<Value> {
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.get_program().display()))?;
    // Closed by being dropped, so that the script knows that this is all.
    let told = child.stdin.take().map(|mut input| write!(input, "{task}"));
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the script failed: {}", output.status);
    told.context("the script has no stdin")?.context("the script did not read its task")?;
    let text = String::from_utf8(output.stdout)?;
    let mut lines = text.lines();
    match (lines.next(), lines.next()) {
        (Some(line), None) => {
            serde_json::from_str(line).with_context(|| format!("the script said `{line}`"))
        }
        _ => bail!("the script said `{text}` and not one line"),
    }
}

fn rows(measured: &Value) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let load = &measured["load"];
    let what = format!("first load of the page, {} files, brotli", number(&load["files"])?);
    let row = Row::new(what, bytes(&load["brotliBytes"])?);
    rows.push(row.beside("gzip", bytes(&load["gzipBytes"])?).target(Target::BytesUpTo(FIRST_LOAD)));

    for (name, field) in [("a new", "coldMs"), ("a known", "warmMs")] {
        let taken = durations(&measured["text"][field])?;
        let what = format!("page to text in an editor, {name} browser, {} times", taken.len());
        rows.push(Row::new(what, times(taken)?));
    }
    let row = Row::new("agent's editor_open to text on the screen", many(&measured["openMs"])?);
    rows.push(row.target(Target::TimeUpTo(OPENED_WITHIN)));
    let row = Row::new(
        "agent's editor_highlight to its colour in the page",
        many(&measured["highlightMs"])?,
    );
    rows.push(row.target(Target::TimeUpTo(HIGHLIGHTED_WITHIN)));

    rows.extend(flood(&measured["flood"])?);
    rows.extend(hour(&measured["hour"])?);
    Ok(rows)
}

fn flood(flood: &Value) -> Result<Vec<Row>> {
    let what = format!("terminal of the page shows `seq 1 {}`", number(&flood["lines"])?);
    let longest = durations(&flood["longTasks"])?.into_iter().max();
    let task = match longest {
        Some(longest) => Row::new("  the page's longest task meanwhile", Figure::Time(longest)),
        // Browsers tell of no shorter ones.
        None => Row::new("  no task of the page took 50 ms", Figure::Time(Duration::ZERO)),
    };
    let frames = times(durations(&flood["frames"])?)?;
    Ok(vec![
        Row::new(what, Figure::Time(duration(&flood["ms"])?)),
        task,
        Row::new("  from frame to frame meanwhile", frames),
    ])
}

fn hour(hour: &Value) -> Result<Vec<Row>> {
    let calls = number(&hour["calls"])?;
    let mut rows = Vec::new();
    for (name, field, most) in
        [("JavaScript heap", "heapBytes", None), ("processes", "processBytes", Some(MOST_MEMORY))]
    {
        let (start, end) = (bytes(&hour["start"][field])?, bytes(&hour["end"][field])?);
        let what = format!("{name} of the page after {calls} calls of an agent");
        let row = Row::new(what, end).beside("before them", start);
        rows.push(match most {
            Some(most) => row.target(Target::BytesUpTo(most)),
            None => row,
        });
    }
    let followed = Figure::Time(duration(&hour["followedMs"])?);
    let answered = Figure::Time(duration(&hour["answeredMs"])?);
    let what = format!("  until the page has followed the {calls} calls");
    rows.push(Row::new(what, followed).beside("until they are answered", answered));
    Ok(rows)
}

/// Times that are judged by their slowest too.
pub(super) fn many(value: &Value) -> Result<Figure> {
    let taken = durations(value)?;
    ensure!(taken.len() >= LEAST_SAMPLES, "{} samples are too few", taken.len());
    times(taken)
}

pub(super) fn durations(value: &Value) -> Result<Vec<Duration>> {
    let list = value.as_array().ok_or_else(|| anyhow!("{value} is no list of times"))?;
    list.iter().map(duration).collect()
}

/// A time in milliseconds. A negative one would say that two clocks differ.
fn duration(value: &Value) -> Result<Duration> {
    let milliseconds = value.as_f64().ok_or_else(|| anyhow!("{value} is no time"))?;
    Duration::try_from_secs_f64(milliseconds / 1e3).with_context(|| format!("{value} is no time"))
}

pub(super) fn bytes(value: &Value) -> Result<Figure> {
    number(value).map(Figure::Bytes)
}

pub(super) fn number(value: &Value) -> Result<u64> {
    value.as_u64().filter(|number| *number > 0).ok_or_else(|| anyhow!("{value} is no amount"))
}

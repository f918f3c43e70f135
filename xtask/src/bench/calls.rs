//! How fast calls are answered: one caller, others' servers beside ours, many callers at once.

use std::{
    process::Command,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use super::{
    Setup,
    client::Connection,
    mcp::{Call, Client},
    report::{Figure, Report, Row, Target},
    times,
    workspace::{Sample, Workspace},
};
use crate::packages::Packages;

const WARM_UP: usize = 200;
const TIMED: usize = 5_000;
/// Enough for what is slow or only for information.
const FEW: usize = 100;
const PER_CALL: Target =
    Target::Within { p50: Duration::from_micros(500), p99: Duration::from_millis(3) };

const THEIR_PROGRAM: &str = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
const THEIRS: Packages = Packages {
    purpose: "bench",
    named_after: "@modelcontextprotocol/server-filesystem",
    manifest: include_str!("../../bench/package.json"),
    lock: include_str!("../../bench/package-lock.json"),
    programs: &[THEIR_PROGRAM],
};
/// Calls to one server before it is the other's turn: what disturbs one disturbs all.
const TURN: usize = 50;
const FASTER_THAN_THEIRS: f64 = 1.5;

const CALLERS: usize = 10;
const CALLS_OF_EACH: usize = 2_000;
const TOGETHER_PER_SECOND: f64 = 5_000.0;

const INSTRUCTIONS_WITHIN: Duration = Duration::from_millis(2);

/// The same call again and again, or a few in turn.
type Script = Vec<Call>;

fn pane_list() -> Call {
    Call::ours("pane_list", &json!({}))
}

fn file_read(sample: &Sample) -> Call {
    Call::new("file_read", &json!({"path": sample.path}), &sample.word)
}

fn editor_open(sample: &Sample) -> Call {
    Call::ours("editor_open", &json!({"path": sample.path}))
}

/// One caller over HTTP, in both eras.
pub(super) fn http(setup: &Setup, report: &mut Report) -> Result<()> {
    let scripts: [(&str, Script); 3] = [
        ("pane_list", vec![pane_list()]),
        ("file_read", vec![file_read(&Workspace::small(0))]),
        ("editor_open", [1, 2].map(|number| editor_open(&Workspace::small(number))).into()),
    ];
    for (name, script) in &scripts {
        let mut client = Client::session(&setup.server.address)?;
        let figure = times(repeat(&mut client, script, WARM_UP, TIMED)?)?;
        report.add(Row::new(format!("HTTP session, {name}"), figure).target(PER_CALL));
    }
    for (name, script) in &scripts {
        let mut client = Client::stateless(&setup.server.address)?;
        let figure = times(repeat(&mut client, script, WARM_UP, TIMED)?)?;
        report.add(Row::new(format!("HTTP stateless, {name}"), figure));
    }
    Ok(())
}

fn repeat(
    client: &mut Client,
    script: &[Call],
    warm: usize,
    timed: usize,
) -> Result<Vec<Duration>> {
    let mut calls = script.iter().cycle();
    let mut next = || client.time(calls.next().ok_or_else(|| anyhow!("no call to make"))?);
    for _ in 0..warm {
        next()?;
    }
    (0..timed).map(|_| next()).collect()
}

/// Reading a small file, beside the reference file server of the protocol's authors.
pub(super) fn stdio(setup: &Setup, report: &mut Report) -> Result<()> {
    let sample = Workspace::small(0);
    let path = setup.workspace.full_path(&sample);
    let log = |name: &str| setup.logs.join(format!("{name}.txt"));
    let mut theirs = Command::new("node");
    theirs.arg(THEIRS.installed()?.join(THEIR_PROGRAM)).arg(&setup.workspace.root);
    let alone = setup.over_stdio(&setup.scratch.folder("state-of-stdio")?);
    let joined = setup.over_stdio(&setup.state);
    let read_text_file = Call::new("read_text_file", &json!({"path": path}), &sample.word);
    let mut contenders = [
        (Client::program(theirs, &log("theirs"))?, read_text_file),
        (Client::program(alone, &log("alone"))?, file_read(&sample)),
        (Client::program(joined, &log("joined"))?, file_read(&sample)),
        (Client::session(&setup.server.address)?, file_read(&sample)),
    ];
    let [theirs, alone, joined, http] = in_turns(&mut contenders)?;
    let theirs = times(theirs)?;
    for (name, ours, ratio) in [
        ("file_read, stdio alone", alone, FASTER_THAN_THEIRS),
        ("file_read, stdio joined", joined, FASTER_THAN_THEIRS),
        ("file_read, HTTP session", http, 1.0),
    ] {
        let row = Row::new(name, times(ours)?).beside("server-filesystem", theirs);
        report.add(row.target(Target::RatioFrom(ratio)));
    }
    Ok(())
}

/// Measures several servers a few calls at a time.
fn in_turns<const N: usize>(contenders: &mut [(Client, Call); N]) -> Result<[Vec<Duration>; N]> {
    for (client, call) in contenders.iter_mut() {
        repeat(client, std::slice::from_ref(call), WARM_UP, 0)?;
    }
    let mut measured = [const { Vec::new() }; N];
    for _ in 0..TIMED / TURN {
        for ((client, call), measured) in contenders.iter_mut().zip(&mut measured) {
            measured.extend(repeat(client, std::slice::from_ref(call), 0, TURN)?);
        }
    }
    Ok(measured)
}

/// Many callers at once, each with a session and a connection of its own.
pub(super) fn together(setup: &Setup, report: &mut Report) -> Result<()> {
    for (name, script) in [
        ("pane_list", vec![pane_list()]),
        ("pane_list and file_read", vec![pane_list(), file_read(&Workspace::small(0))]),
    ] {
        let (rate, latencies) = all_at_once(setup, &script)?;
        let target = Target::PerSecondFrom(TOGETHER_PER_SECOND);
        report.add(Row::new(format!("10 callers, {name}"), rate).target(target));
        report.add(Row::new(format!("10 callers, {name}, each call"), latencies));
    }
    Ok(())
}

fn all_at_once(setup: &Setup, script: &[Call]) -> Result<(Figure, Figure)> {
    let clients: Vec<Client> = (0..CALLERS)
        .map(|_| {
            let mut client = Client::session(&setup.server.address)?;
            repeat(&mut client, script, WARM_UP, 0)?;
            Ok(client)
        })
        .collect::<Result<_>>()?;
    let gate = Barrier::new(CALLERS + 1);
    let (elapsed, latencies) = thread::scope(|scope| {
        let callers: Vec<_> = clients
            .into_iter()
            .map(|mut client| {
                let gate = &gate;
                scope.spawn(move || {
                    gate.wait();
                    repeat(&mut client, script, 0, CALLS_OF_EACH)
                })
            })
            .collect();
        gate.wait();
        let begin = Instant::now();
        let mut latencies = Vec::new();
        for caller in callers {
            latencies.extend(caller.join().map_err(|_| anyhow!("a caller panicked"))??);
        }
        Ok::<_, anyhow::Error>((begin.elapsed(), latencies))
    })?;
    let calls = u32::try_from(latencies.len())?;
    Ok((Figure::PerSecond(f64::from(calls) / elapsed.as_secs_f64()), times(latencies)?))
}

/// What an agent asks for before every turn.
pub(super) fn instructions(setup: &Setup, report: &mut Report) -> Result<()> {
    let address = &setup.server.address;
    let mut connection = Connection::open(&address.url, &address.token)?;
    let mut measured = Vec::new();
    for number in 0..WARM_UP + TIMED {
        let begin = Instant::now();
        let answer = connection.exchange("GET", "/openspace/instructions", "", "")?;
        let elapsed = begin.elapsed();
        ensure!(answer.status == 200, "instructions got {}: {}", answer.status, answer.body);
        if number >= WARM_UP {
            measured.push(elapsed);
        }
    }
    let row = Row::new("GET /openspace/instructions", times(measured)?);
    report.add(row.target(Target::TimeUpTo(INSTRUCTIONS_WITHIN)));
    Ok(())
}

/// Large answers and work on many files, for information.
pub(super) fn large(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut client = Client::session(&setup.server.address)?;
    let mut measured = Vec::new();
    let mut size = 0;
    for _ in 0..FEW {
        let (elapsed, answer) = client.request("tools/list", None)?;
        let message: Value = serde_json::from_str(&answer)?;
        if message["result"]["tools"].as_array().is_none_or(Vec::is_empty) {
            bail!("the server lists no tools");
        }
        size = answer.len();
        measured.push(elapsed);
    }
    report.add(Row::new("tools/list", times(measured)?));
    report.add(Row::new("tools/list, size", Figure::Bytes(u64::try_from(size)?)));
    let search = json!({"query": "module_299"});
    for (name, call, count) in [
        ("file_read of 5 MB", file_read(&Workspace::large()), 10),
        ("file_search in 300 files", Call::new("file_search", &search, "module_299.rs"), FEW),
    ] {
        let figure = times(repeat(&mut client, &[call], 2, count)?)?;
        report.add(Row::new(name, figure));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_holds_the_versions_that_package_json_names() {
        THEIRS.check_lock();
    }
}

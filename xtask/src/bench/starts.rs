//! How soon a server is ready, and how much memory it holds.

use std::{fs, thread, time::Duration};

use anyhow::{Context, Result};

use super::{
    Setup,
    report::{Figure, Report, Row, Target},
    serve,
    stats::Samples,
};

const STARTS: usize = 10;
const SETTLED_AFTER: Duration = Duration::from_secs(1);
const READY_WITHIN: Duration = Duration::from_millis(100);
const IDLE_MEMORY: u64 = 40 * 1024 * 1024;
const MEMORY_AFTER_ALL: u64 = 100 * 1024 * 1024;

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let state = setup.scratch.folder("state-of-starts")?;
    let log = setup.logs.join("starts.txt");
    let start = || serve(&setup.binary, &setup.workspace, &state, &log);
    // The first one makes the state that the others find.
    start()?.stop()?;
    let mut ready = Vec::new();
    for _ in 0..STARTS {
        let server = start()?;
        ready.push(server.ready_after);
        server.stop()?;
    }
    let ready = Figure::Time(Samples::of(ready)?.median());
    report.add(
        Row::new("start to ready, median of 10", ready).target(Target::TimeUpTo(READY_WITHIN)),
    );

    let server = start()?;
    thread::sleep(SETTLED_AFTER);
    let idle = Figure::Bytes(resident(server.process())?);
    server.stop()?;
    report.add(Row::new("memory of an idle server", idle).target(Target::BytesUpTo(IDLE_MEMORY)));
    Ok(())
}

/// What the server that was measured holds by now.
pub(super) fn memory(setup: &Setup, report: &mut Report) -> Result<()> {
    let resident = Figure::Bytes(resident(setup.server.process())?);
    let row = Row::new("memory after all of it", resident);
    report.add(row.target(Target::BytesUpTo(MEMORY_AFTER_ALL)));
    Ok(())
}

/// Bytes of memory that a process holds.
pub(super) fn resident(process: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))
        .with_context(|| format!("cannot look at process {process}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: u64 = kilobytes.context("a process without VmRSS")?.trim().parse()?;
    Ok(kilobytes * 1024)
}

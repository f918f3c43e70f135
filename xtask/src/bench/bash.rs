//! How much time a command takes beyond starting a shell, here, in a runner and in a sandbox.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{
    Setup,
    api::Api,
    report::{Report, Row, Target},
    times,
    turns::in_turns,
};
use crate::tools::{FOR_BENCH, ensure_packages};

const NOTHING: &str = "true";
const WARM_UP: usize = 20;
const ROUNDS: usize = 300;
const OVER_A_SHELL: Target = Target::OverBesideUpTo(Duration::from_millis(1));
const OF_LOCAL: Target = Target::TimesBesideUpTo(1.5);

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    ensure_packages(FOR_BENCH)?;
    let root = setup.scratch.folder("root-of-bash")?;
    let open = |provider: &str| -> Result<(Api, String)> {
        let mut api = Api::open(&setup.server.address)?;
        let (_, id) = api.create(&root, provider)?;
        Ok((api, id))
    };
    let (mut local, mut runner, mut sandbox) = (open("local")?, open("runner")?, open("sandbox")?);
    let [bare, by_local, by_runner, by_sandbox] = in_turns(
        WARM_UP,
        ROUNDS,
        [&mut bare, &mut || call(&mut local), &mut || call(&mut runner), &mut || {
            call(&mut sandbox)
        }],
    )?;
    for (mut api, id) in [local, runner, sandbox] {
        api.destroy(&id)?;
    }
    let (bare, by_local) = (times(bare)?, times(by_local)?);
    let row = Row::new("bash true, local", by_local).beside("bash -c true", bare);
    report.add(row.target(OVER_A_SHELL));
    for (name, figure) in [("runner", times(by_runner)?), ("sandbox", times(by_sandbox)?)] {
        let row = Row::new(format!("bash true, {name}"), figure).beside("local", by_local);
        report.add(row.target(OF_LOCAL));
    }
    Ok(())
}

fn call((api, id): &mut (Api, String)) -> Result<Duration> {
    let (elapsed, ran) = api.tool(id, "bash", &json!({"command": NOTHING}))?;
    ensure!(ran["exit_code"] == 0, "`{NOTHING}` was answered with {ran}");
    Ok(elapsed)
}

/// The same shell started from here; the server has its environment from us, so it has the size.
fn bare() -> Result<Duration> {
    let begin = Instant::now();
    let output = Command::new("bash").args(["-c", NOTHING]).stdin(Stdio::null()).output();
    let elapsed = begin.elapsed();
    ensure!(output.context("cannot start bash")?.status.success(), "`{NOTHING}` failed");
    Ok(elapsed)
}

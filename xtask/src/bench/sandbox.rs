//! How soon an isolated workspace is there, and how soon it is gone.

use std::time::Duration;

use anyhow::Result;

use super::{
    Setup,
    api::Api,
    report::{Report, Row, Target},
    times,
};
use crate::tools::{FOR_BENCH, ensure_packages};

const WARM_UP: usize = 2;
const ROUNDS: usize = 20;
const CREATED_WITHIN: Target = Target::TimeUpTo(Duration::from_millis(30));

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    ensure_packages(FOR_BENCH)?;
    let root = setup.scratch.folder("root-of-sandboxes")?;
    let mut api = Api::open(&setup.server.address)?;
    let (mut created, mut destroyed) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + ROUNDS {
        let (elapsed, id) = api.create(&root, "sandbox")?;
        let gone_after = api.destroy(&id)?;
        if round >= WARM_UP {
            created.push(elapsed);
            destroyed.push(gone_after);
        }
    }
    let row = Row::new("create a sandbox, median of 20", times(created)?);
    report.add(row.target(CREATED_WITHIN));
    report.add(Row::new("destroy a sandbox", times(destroyed)?));
    Ok(())
}

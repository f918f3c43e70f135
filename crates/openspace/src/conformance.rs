//! `openspace conformance`: the same cases on every provider, through the dispatcher of a real
//! workspace, so that a tool does the same wherever its programs run.
//!
//! Cases are data. Nothing here knows what a tool does, and nothing makes a case pass that does not.

pub mod cases;
pub mod matcher;
pub mod report;
pub mod run;

use std::{path::PathBuf, thread::available_parallelism};

use anyhow::Result;
use futures::StreamExt as _;
use openspace_isolation::Provider;

use self::{
    cases::Case,
    report::Report,
    run::{Bench, Scratch},
};

/// Cases that run at once for each core: many of them wait for a program.
const AT_ONCE_PER_CORE: usize = 3;

/// What to run.
pub struct Plan {
    /// Where.
    pub providers: Vec<Provider>,
    /// Which cases.
    pub cases: Vec<Case>,
    /// The runner program.
    pub runner: Option<PathBuf>,
    /// Where programs are looked for.
    pub path: std::ffi::OsString,
}

/// Run the cases on each provider, one provider after the other.
pub async fn run(plan: Plan) -> Result<Report> {
    let scratch = Scratch::new()?;
    let at_once = available_parallelism().map_or(1, std::num::NonZero::get) * AT_ONCE_PER_CORE;
    let mut report = Report::new(&plan.cases);
    for provider in plan.providers {
        let bench = Bench::new(provider, plan.runner.clone(), plan.path.clone(), &scratch)?;
        if let Err(reason) = bench.try_to_open().await {
            report.cannot_be_had(provider, format!("{reason:#}"));
            continue;
        }
        let ends = futures::stream::iter(plan.cases.iter().enumerate())
            .map(|(number, case)| {
                let (bench, case) = (bench.clone(), case.clone());
                tokio::spawn(async move { bench.run(number, &case).await })
            })
            .buffered(at_once)
            .collect::<Vec<_>>()
            .await;
        for (case, end) in plan.cases.iter().zip(ends) {
            report.add(provider, case, end?);
        }
    }
    Ok(report)
}

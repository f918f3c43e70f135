//! `cargo xtask test`: every check, in the order that finds the cheapest mistake first.
//!
//! Stops at the first step that fails. All steps share the dev profile and leave RUSTFLAGS alone,
//! so that nothing is built twice.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::{
    codegen, conformance,
    repository::Repository,
    runner, tidy,
    tools::{FOR_TESTS, ensure_packages, succeed},
    web,
};

#[cfg(test)]
mod tests;

struct Step {
    name: &'static str,
    run: fn(&Repository) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "packages", run: |_| ensure_packages(FOR_TESTS) },
    Step { name: "formatting", run: formatting },
    Step { name: "lints", run: lints },
    Step { name: "tidy", run: tidy::run },
    Step { name: "runner", run: |repository| runner::build(repository).map(drop) },
    // Before the tests: what is built here is what debug builds serve.
    Step { name: "web", run: |repository| web::check(&repository.root.join("web")) },
    Step { name: "tests", run: |repository| run_tests(repository, &[]) },
    Step { name: "reference", run: codegen::check },
    Step { name: "browser", run: web::browse },
    Step { name: "conformance", run: conformance::run },
];

pub(crate) fn run(repository: &Repository, filters: &[String]) -> Result<()> {
    if !filters.is_empty() {
        run_tests(repository, filters)?;
        println!("the matching tests passed; the other steps were not run");
        return Ok(());
    }
    let mut times = Vec::new();
    let outcome = STEPS.iter().try_for_each(|step| {
        eprintln!("==> {}", step.name);
        let start = Instant::now();
        let outcome = (step.run)(repository);
        times.push(start.elapsed());
        outcome.with_context(|| format!("step `{}`", step.name))
    });
    print!("{}", summary(&times, outcome.is_ok()));
    outcome?;
    println!("all steps passed");
    Ok(())
}

fn formatting(repository: &Repository) -> Result<()> {
    succeed(repository.cargo(&["fmt", "--all", "--check"]))
}

fn lints(repository: &Repository) -> Result<()> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    succeed(repository.cargo(&clippy))
}

/// Documentation examples are not tests here (`tidy` refuses them), so no run of them is needed.
fn run_tests(repository: &Repository, filters: &[String]) -> Result<()> {
    let runner = runner::build(repository)?;
    let has_nextest = repository.cargo(&["nextest", "--version"]).output();
    if has_nextest.is_ok_and(|output| output.status.success()) {
        let nextest = ["nextest", "run", "--workspace", "--locked", "--no-fail-fast"];
        return succeed(soaking(repository.cargo(&nextest), filters, &runner));
    }
    let test = ["test", "--workspace", "--locked", "--no-fail-fast", "--lib", "--bins", "--tests"];
    let mut test = repository.cargo(&test);
    test.arg("--");
    succeed(soaking(test, filters, &runner))
}

/// The whole suite soaks the server for a minute; a run of chosen tests only for a moment.
fn soaking(mut tests: Command, filters: &[String], runner: &Path) -> Command {
    // The static runner, as it is placed into sandboxes, not the one built beside the tests.
    tests.env("OPENSPACE_RUNNER", runner);
    if filters.is_empty() {
        tests.env("OPENSPACE_SOAK_SECONDS", "60");
    }
    tests.args(filters);
    tests
}

/// The table of steps; `times` holds one entry for each step that was started.
fn summary(times: &[Duration], passed: bool) -> String {
    let mut table = String::from("\nstep         result    time\n");
    for (number, step) in STEPS.iter().enumerate() {
        let failed = !passed && number + 1 == times.len();
        let (result, time) = match times.get(number) {
            None => ("not run", String::new()),
            Some(time) if failed => ("failed", seconds(*time)),
            Some(time) => ("passed", seconds(*time)),
        };
        table += format!("{:<12} {result:<9} {time}", step.name).trim_end();
        table.push('\n');
    }
    table
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

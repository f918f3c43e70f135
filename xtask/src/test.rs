//! `cargo xtask test`: every check, the cheapest first, or only chosen tests.
//!
//! A step that fails keeps no other from running but those that could only repeat its failure, so
//! that one run tells all that is wrong. All steps share the dev profile and leave RUSTFLAGS alone,
//! so that nothing is built twice.

mod cargo;
mod patience;
mod steps;

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{
    api, codegen, conformance, dependencies,
    repository::Repository,
    runner, tidy,
    tools::{FOR_TESTS, ensure_packages, succeed},
    web,
};

use cargo::{Choice, NO_RUNNER, Runner};
use steps::Step;

pub(crate) use cargo::{Crate, name_programs};

const STEPS: &[Step] = &[
    Step { name: "packages", needs: &[], run: |_| ensure_packages(FOR_TESTS) },
    Step { name: "formatting", needs: &[], run: formatting },
    Step { name: "tidy", needs: &[], run: tidy::run },
    Step { name: "dependencies", needs: &[], run: dependencies::check },
    Step { name: "lints", needs: &[], run: lints },
    Step { name: "web", needs: &[], run: |repository| web::check(&repository.root.join("web")) },
    // Apart from the checks of its sources, because a browser shows more of what is wrong with them.
    Step { name: "page", needs: &[], run: |repository| web::build(&repository.root.join("web")) },
    Step { name: "runner", needs: &[], run: |repository| runner::build(repository).map(drop) },
    Step { name: "build", needs: &[], run: |repository| repository.debug_binary().map(drop) },
    Step { name: "tests", needs: &["packages", "runner", "build"], run: all_tests },
    Step { name: "reference", needs: &["build"], run: codegen::check },
    Step { name: "browser", needs: &["packages", "page", "runner", "build"], run: web::browse },
    Step { name: "conformance", needs: &["build"], run: conformance::run },
    Step { name: "api", needs: &["packages", "runner", "build"], run: api::run },
];

/// Every check there is.
pub(crate) fn everything(repository: &Repository) -> Result<()> {
    let results = steps::run(STEPS, repository);
    print!("{}", steps::table(&results));
    let verdict = steps::verdict(&results);
    if !verdict.is_empty() {
        bail!("{verdict}");
    }
    println!("all steps passed");
    Ok(())
}

/// Only the tests of some crates, or with some words in their names.
pub(crate) fn chosen(repository: &Repository, crates: &[String], filters: &[String]) -> Result<()> {
    let crates = Crate::find(repository, crates)?;
    let choice = Choice { crates: &crates, filters };
    let runner = if choice.needs_runner(repository)? {
        Runner::Built(runner::build(repository)?)
    } else {
        Runner::NotBuilt
    };
    choice.run(repository, &runner)?;
    println!("the chosen tests passed; the other steps were not run");
    Ok(())
}

/// What the tests of these crates, or of all, are told to start.
pub(crate) fn runner_for(repository: &Repository, crates: &[Crate]) -> Result<PathBuf> {
    if crates.is_empty() || crates.iter().any(Crate::starts_a_runner) {
        runner::build(repository)
    } else {
        Ok(NO_RUNNER.into())
    }
}

fn formatting(repository: &Repository) -> Result<()> {
    succeed(repository.cargo(&["fmt", "--all", "--check"]))
}

fn lints(repository: &Repository) -> Result<()> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    succeed(repository.cargo(&clippy))
}

fn all_tests(repository: &Repository) -> Result<()> {
    let runner = Runner::Built(runner::build(repository)?);
    Choice { crates: &[], filters: &[] }.run(repository, &runner)
}

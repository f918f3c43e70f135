//! `cargo xtask coverage` and `cargo xtask mutants`: how much the tests see.
//!
//! Neither is a check and nothing fails for a number: they are for who looks for what is not tested.
//! The programs for it are installed when they are asked for, never by `cargo xtask test`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::{
    repository::Repository,
    runner,
    test::{Crate, name_programs, runner_for},
    tools::{succeed, works},
};

/// A program that cargo runs as a verb of its own.
struct Tool {
    verb: &'static str,
    package: &'static str,
}

const COVERAGE: Tool = Tool { verb: "llvm-cov", package: "cargo-llvm-cov" };
const MUTANTS: Tool = Tool { verb: "mutants", package: "cargo-mutants" };

/// The component of the toolchain that reads what an instrumented program writes.
const LLVM_TOOLS: &str = "llvm-tools";

/// Which lines the tests run, as pages in `target/coverage`.
pub(crate) fn coverage(repository: &Repository, crates: &[String]) -> Result<()> {
    let crates = Crate::find(repository, crates)?;
    ensure_llvm_tools(repository)?;
    COVERAGE.ensure(repository)?;
    let runner = runner_for(repository, &crates)?;
    let folder = repository.root.join("target/coverage");
    let mut command = repository.cargo(&[COVERAGE.verb, "--locked", "--no-fail-fast", "--html"]);
    command.arg("--output-dir").arg(&folder).args(packages(&crates));
    name_programs(&mut command, &crates)?;
    // The runner that the tests start is built apart and counts for nothing.
    succeed(command.env("OPENSPACE_RUNNER", runner))?;
    println!("{}", folder.join("html/index.html").display());
    Ok(())
}

/// Which changes of a crate none of its tests notices, in `target/mutants`.
pub(crate) fn mutants(repository: &Repository, crates: &[String]) -> Result<()> {
    let crates = Crate::find(repository, crates)?;
    MUTANTS.ensure(repository)?;
    let runner = runner_for(repository, &crates)?;
    let folder = repository.root.join("target/mutants");
    let mut command = repository.cargo(&[MUTANTS.verb, "--cargo-arg=--locked"]);
    command.arg("--output").arg(&folder).args(packages(&crates));
    name_programs(&mut command, &crates)?;
    succeed(command.env("OPENSPACE_RUNNER", runner))?;
    println!("{}", folder.join("mutants.out").display());
    Ok(())
}

impl Tool {
    fn ensure(&self, repository: &Repository) -> Result<()> {
        let version = repository.cargo(&[self.verb, "--version"]).output();
        if version.is_ok_and(|output| output.status.success()) {
            return Ok(());
        }
        eprintln!("installing {}", self.package);
        succeed(repository.cargo(&["install", "--locked", self.package]))
            .with_context(|| format!("{} is missing and cannot be installed", self.package))
    }
}

fn ensure_llvm_tools(repository: &Repository) -> Result<()> {
    if llvm_profdata(repository)?.is_file() {
        return Ok(());
    }
    if works(&["rustup", "--version"]) {
        eprintln!("installing the component {LLVM_TOOLS} of the toolchain");
        if works(&["rustup", "component", "add", LLVM_TOOLS])
            && llvm_profdata(repository)?.is_file()
        {
            return Ok(());
        }
    }
    bail!(
        "the toolchain's component {LLVM_TOOLS} is missing and could not be installed: run `rustup \
         component add {LLVM_TOOLS}` where the network allows it ({} would be there then)",
        llvm_profdata(repository)?.display()
    )
}

/// Where the component puts one of its programs.
fn llvm_profdata(repository: &Repository) -> Result<PathBuf> {
    let target = runner::host_target(repository)?;
    let output = std::process::Command::new("rustc")
        .args(["--print", "sysroot"])
        .current_dir(&repository.root)
        .output()
        .context("cannot start rustc")?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    Ok(sysroot.join("lib/rustlib").join(target).join("bin/llvm-profdata"))
}

fn packages(crates: &[Crate]) -> Vec<&str> {
    if crates.is_empty() {
        return vec!["--workspace"];
    }
    crates.iter().flat_map(|chosen| ["--package", chosen.0.as_str()]).collect()
}

//! `cargo xtask conformance`: the official MCP conformance suite against the real server.
//!
//! The suite wants tools of its own to call, which the product does not have: the example `mcp_suite`
//! is the product's server with these beside its own. It runs with its token required, on a folder
//! made for this run. The suite's reports and the server's log stay in `target/conformance` to be read after a failure.

mod suite;

use std::{fs, process::Command};

use anyhow::{Context, Result, bail};

use crate::{repository::Repository, scratch::Scratch, server::Server};

use suite::Suite;

/// An example of the package `openspace`, so that it shares every library with the tests.
const SERVER: &str = "mcp_suite";
/// The frozen sets of requirements, one for each era of the protocol the server speaks.
const REQUIREMENTS: [&str; 2] = ["2025-11-25", "2026-07-28"];

pub(crate) fn run(repository: &Repository) -> Result<()> {
    let suite = Suite::installed()?;
    let binary = repository.debug_example(SERVER)?;
    let reports = repository.root.join("target/conformance");
    if reports.exists() {
        fs::remove_dir_all(&reports)?;
    }
    fs::create_dir_all(&reports).with_context(|| format!("cannot create {}", reports.display()))?;

    // Declared before the server, so that the server is gone when its folders are removed.
    let scratch = Scratch::new("conformance")?;
    let mut program = Command::new(&binary);
    program.arg(scratch.folder("workspace")?).arg(scratch.folder("state")?);
    let server = Server::start(program, &reports.join("server.txt"))?;
    let mut failed = Vec::new();
    for requirements in REQUIREMENTS {
        let outcome = suite.run(&server, requirements, &reports)?;
        for line in &outcome.totals {
            println!("{requirements}: {line}");
        }
        if let Some(failure) = outcome.failure {
            eprintln!("{}", outcome.log);
            failed.push(format!("{requirements}: {failure}"));
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("not conformant; reports are in {}\n{}", reports.display(), failed.join("\n"))
}

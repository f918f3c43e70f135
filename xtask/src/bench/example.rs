//! Parts of the product that no call shows by themselves: programs beside a crate (`examples`) that measure them.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Builds and runs one and gives what it printed.
pub(super) fn run(web: &Path, package: &str, name: &str) -> Result<Value> {
    let root = web.parent().context("the page lies in no folder")?;
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["run", "--release", "--quiet", "--locked", "-p", package, "--example", name])
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    serde_json::from_slice(&output.stdout).with_context(|| format!("what {name} printed"))
}

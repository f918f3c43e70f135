//! The `rg` program on the same tree, told to look at exactly what ours looks at.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// Hidden files too; `.gitignore` files of the tree itself and no other rules.
const AS_OURS: &[&str] = &[
    "--no-config",
    "--no-messages",
    "--hidden",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-dot",
];

/// Runs it to its end and reads what it prints; gives the time and the number of lines.
pub(super) fn run(tree: &Path, arguments: &[&str]) -> Result<(Duration, u64)> {
    let mut command = Command::new("rg");
    command.args(AS_OURS).args(arguments).arg("./").current_dir(tree).stdin(Stdio::null());
    let begin = Instant::now();
    let output = command.output().context("cannot start rg")?;
    let elapsed = begin.elapsed();
    if !output.status.success() {
        bail!("rg {} failed: {}", arguments.join(" "), output.status);
    }
    let lines = output.stdout.split_inclusive(|byte| *byte == b'\n').count();
    Ok((elapsed, u64::try_from(lines)?))
}

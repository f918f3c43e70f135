//! Programs from Python's packages, kept in the user's cache: a virtual environment of their own, each package at the
//! version and with the hash that `requirements.txt` names.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

use anyhow::{Context, Result, bail};

use crate::{packages::cache, tools::succeed};

const REQUIREMENTS: &str = include_str!("requirements.txt");
/// Written last; holds the requirements that were installed.
const MARKER: &str = "installed";
const NAMED_AFTER: &str = "schemathesis==";

/// The installed tool.
pub(super) struct Tool(PathBuf);

impl Tool {
    /// The scripts name the folder that they were installed in, which has moved since: so Python is
    /// started, with the script.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(self.0.join("bin/python"));
        command.arg(self.0.join("bin/schemathesis"));
        command
    }
}

/// Install it into the cache, unless it is there completely.
pub(super) fn installed() -> Result<Tool> {
    let version = REQUIREMENTS.lines().find_map(|line| line.strip_prefix(NAMED_AFTER));
    let version = version.and_then(|rest| rest.split_whitespace().next());
    let version = version.context("requirements.txt does not name schemathesis")?;
    let folder = cache()?.join("openspace").join(format!("api-{version}"));
    if !is_complete(&folder) {
        install(&folder)?;
    }
    Ok(Tool(folder))
}

fn is_complete(folder: &Path) -> bool {
    fs::read_to_string(folder.join(MARKER)).is_ok_and(|installed| installed == REQUIREMENTS)
        && folder.join("bin/schemathesis").is_file()
}

/// Installs beside the final place and moves it there when complete, so that an interrupted or a second
/// installation at the same time never leaves a broken cache.
fn install(folder: &Path) -> Result<()> {
    eprintln!("installing what api needs into {}", folder.display());
    let staging = folder.with_added_extension(format!("new-{}", process::id()));
    fs::create_dir_all(&staging).with_context(|| format!("cannot create {}", staging.display()))?;
    let outcome = fill(&staging).and_then(|()| replace(folder, &staging));
    if staging.exists() {
        fs::remove_dir_all(&staging)?;
    }
    outcome
}

fn fill(staging: &Path) -> Result<()> {
    succeed(Command::new("python3").args(["-m", "venv"]).arg(staging))?;
    let list = staging.join("requirements.txt");
    fs::write(&list, REQUIREMENTS)?;
    succeed(
        Command::new(staging.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(["--only-binary", ":all:", "--require-hashes", "--requirement"])
            .arg(&list),
    )?;
    fs::write(staging.join(MARKER), REQUIREMENTS)?;
    if is_complete(staging) { Ok(()) } else { bail!("pip installed schemathesis incompletely") }
}

fn replace(folder: &Path, staging: &Path) -> Result<()> {
    if folder.exists() && !is_complete(folder) {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove the broken {}", folder.display()))?;
    }
    let moved = fs::rename(staging, folder);
    // Another run may have been faster; its copy is as good.
    if moved.is_err() && is_complete(folder) {
        return Ok(());
    }
    moved.with_context(|| format!("cannot create {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_its_version_and_a_hash() {
        let logical = REQUIREMENTS.replace("\\\n", " ");
        let wrong: Vec<&str> = logical
            .lines()
            .filter(|line| !(line.contains("==") && line.contains("--hash=sha256:")))
            .collect();
        assert_eq!(wrong, Vec::<&str>::new());
        assert!(logical.contains(NAMED_AFTER));
    }
}

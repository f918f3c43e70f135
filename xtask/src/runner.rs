//! Building `openspace-runner`: one static program, small enough to be placed anywhere.
//!
//! It is built for an explicit target, because only then do flags for the program leave build
//! scripts and macros alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::repository::Repository;

/// The profile for small programs, in the root manifest.
const PROFILE: &str = "small";
const PROGRAM: &str = "openspace-runner";

/// Builds the runner, says how large it is, and where it lies.
pub(crate) fn build(repository: &Repository) -> Result<PathBuf> {
    build_as(repository, PROFILE)
}

/// The same with another profile, which may be larger.
pub(crate) fn build_as(repository: &Repository, profile: &str) -> Result<PathBuf> {
    let target = host_target(repository)?;
    let flags = format!("target.{target}.rustflags=[\"-C\", \"target-feature=+crt-static\"]");
    let what =
        ["--package", PROGRAM, "--profile", profile, "--target", &target, "--config", &flags];
    let program = repository.build(PROGRAM, &what)?;
    let size = fs::metadata(&program)?.len();
    eprintln!("{PROGRAM}: {}.{} MB, static", size / 1_000_000, size / 100_000 % 10);
    Ok(program)
}

/// Puts the runner beside a program, where that program looks for it.
pub(crate) fn place_beside(built: &Path, program: &Path) -> Result<()> {
    let folder = program.parent().context("a program lies in a folder")?;
    let placed = folder.join(PROGRAM);
    // By a rename, because the old one may be running.
    let draft = placed.with_extension("new");
    fs::copy(built, &draft).with_context(|| format!("cannot write {}", draft.display()))?;
    fs::rename(&draft, &placed).with_context(|| format!("cannot write {}", placed.display()))
}

/// The target that programs of this machine are built for.
pub(crate) fn host_target(repository: &Repository) -> Result<String> {
    let output = repository.cargo(&["-vV"]).output().context("cargo cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(target) => Ok(target.to_owned()),
        None => bail!("cargo does not say what it builds for"),
    }
}

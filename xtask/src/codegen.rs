//! `cargo xtask codegen`: keeps `docs/reference` equal to what the program says about itself.
//!
//! Writes no word of the reference: `openspace reference` does. Files the program no longer makes
//! are removed, so that the folder is exactly its answer.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{repository::Repository, scratch::Scratch, tools::succeed};

#[cfg(test)]
mod tests;

const FOLDER: &str = "docs/reference";

/// Brings `docs/reference` up to date.
pub(crate) fn write(repository: &Repository) -> Result<()> {
    let generated = generate(repository)?;
    let folder = repository.root.join(FOLDER);
    let changed = differences(generated.path(), &folder)?;
    for difference in &changed {
        difference.settle(generated.path(), &folder)?;
        println!("{}", difference.tell());
    }
    println!("{FOLDER} is up to date, {} files changed", changed.len());
    Ok(())
}

/// Fails when `docs/reference` is not what the program would write.
pub(crate) fn check(repository: &Repository) -> Result<()> {
    let generated = generate(repository)?;
    let stale = differences(generated.path(), &repository.root.join(FOLDER))?;
    if stale.is_empty() {
        return Ok(());
    }
    let list: Vec<String> =
        stale.iter().map(|difference| format!("  {}", difference.tell())).collect();
    bail!("{FOLDER} is out of date; run `cargo xtask codegen`\n{}", list.join("\n"))
}

fn generate(repository: &Repository) -> Result<Scratch> {
    let binary = repository.debug_binary()?;
    let scratch = Scratch::new("reference")?;
    succeed(Command::new(binary).arg("reference").arg("--out").arg(scratch.path()))?;
    if contents(scratch.path())?.is_empty() {
        bail!("`openspace reference` wrote nothing");
    }
    Ok(scratch)
}

/// How a file in the repository differs from the generated one.
#[derive(Debug, PartialEq, Eq)]
enum Difference {
    Missing(PathBuf),
    Changed(PathBuf),
    Stale(PathBuf),
}

impl Difference {
    fn tell(&self) -> String {
        match self {
            Self::Missing(path) => format!("missing  {FOLDER}/{}", path.display()),
            Self::Changed(path) => format!("changed  {FOLDER}/{}", path.display()),
            Self::Stale(path) => format!("stale    {FOLDER}/{}", path.display()),
        }
    }

    fn settle(&self, generated: &Path, folder: &Path) -> Result<()> {
        match self {
            Self::Missing(path) | Self::Changed(path) => {
                let target = folder.join(path);
                if let Some(parent) = target.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::copy(generated.join(path), &target)
                    .map(drop)
                    .with_context(|| format!("cannot write {}", target.display()))
            }
            Self::Stale(path) => fs::remove_file(folder.join(path))
                .with_context(|| format!("cannot remove {}", path.display())),
        }
    }
}

fn differences(generated: &Path, folder: &Path) -> Result<Vec<Difference>> {
    let wanted = contents(generated)?;
    let mut present = contents(folder)?;
    let mut found = Vec::new();
    for (path, bytes) in wanted {
        match present.remove(&path) {
            None => found.push(Difference::Missing(path)),
            Some(before) if before != bytes => found.push(Difference::Changed(path)),
            Some(_) => {}
        }
    }
    found.extend(present.into_keys().map(Difference::Stale));
    Ok(found)
}

/// Every file below a folder with its bytes; a folder that does not exist has none.
fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut open = if folder.exists() { vec![folder.to_owned()] } else { Vec::new() };
    while let Some(current) = open.pop() {
        for entry in
            fs::read_dir(&current).with_context(|| format!("cannot list {}", current.display()))?
        {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let bytes =
                    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                files.insert(path.strip_prefix(folder)?.to_owned(), bytes);
            }
        }
    }
    Ok(files)
}

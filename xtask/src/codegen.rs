//! `cargo xtask codegen`: keeps what is generated equal to what the program says about itself.
//!
//! Writes no word of it: `openspace reference` does. In a folder that is generated as a whole, files
//! the program no longer makes are removed, so that the folder is exactly its answer.

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

/// A folder of the repository with generated files.
struct Target {
    folder: &'static str,
    /// Nothing else may be in it.
    whole: bool,
}

const REFERENCE: Target = Target { folder: "docs/reference", whole: true };
const TYPES: Target = Target { folder: "web/src/protocol", whole: false };
const TYPES_FILE: &str = "generated.ts";

/// Brings what is generated up to date.
pub(crate) fn write(repository: &Repository) -> Result<()> {
    let generated = generate(repository)?;
    for target in [REFERENCE, TYPES] {
        let (made, folder) = (generated.path().join(target.folder), target.place(repository));
        let changed = target.differences(&made, &folder)?;
        for difference in &changed {
            difference.settle(&made, &folder)?;
            println!("{}", difference.tell(target.folder));
        }
        println!("{} is up to date, {} files changed", target.folder, changed.len());
    }
    Ok(())
}

/// Fails when a generated file is not what the program would write.
pub(crate) fn check(repository: &Repository) -> Result<()> {
    let generated = generate(repository)?;
    let mut stale = Vec::new();
    for target in [REFERENCE, TYPES] {
        let made = generated.path().join(target.folder);
        let found = target.differences(&made, &target.place(repository))?;
        stale.extend(found.iter().map(|found| format!("  {}", found.tell(target.folder))));
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("generated files are out of date; run `cargo xtask codegen`\n{}", stale.join("\n"))
}

/// Everything that is generated, in the folders of the targets beneath another one.
fn generate(repository: &Repository) -> Result<Scratch> {
    let binary = repository.debug_binary()?;
    let scratch = Scratch::new("reference")?;
    let [reference, types] = [REFERENCE, TYPES].map(|target| scratch.folder(target.folder));
    let (reference, types) = (reference?, types?);
    let mut command = Command::new(binary);
    command.arg("reference").arg("--out").arg(&reference);
    succeed(command.arg("--types").arg(types.join(TYPES_FILE)))?;
    for folder in [reference, types] {
        if contents(&folder)?.is_empty() {
            bail!("`openspace reference` wrote nothing into {}", folder.display());
        }
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
    fn tell(&self, folder: &str) -> String {
        match self {
            Self::Missing(path) => format!("missing  {folder}/{}", path.display()),
            Self::Changed(path) => format!("changed  {folder}/{}", path.display()),
            Self::Stale(path) => format!("stale    {folder}/{}", path.display()),
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

impl Target {
    fn place(&self, repository: &Repository) -> PathBuf {
        repository.root.join(self.folder)
    }

    fn differences(&self, generated: &Path, folder: &Path) -> Result<Vec<Difference>> {
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
        if self.whole {
            found.extend(present.into_keys().map(Difference::Stale));
        }
        Ok(found)
    }
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

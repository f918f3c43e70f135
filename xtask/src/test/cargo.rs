//! Running Rust tests: which ones, and whether they start the runner.
//!
//! Documentation examples are not tests here (`tidy` refuses them), so no run of them is needed.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{gemini, languages, opencode, qwen, repository::Repository, tools::succeed};

#[cfg(test)]
mod tests;

/// Tests that start the static runner, by crate and the beginning of their names. The tests of the
/// runner itself are not here: they use the program that cargo builds beside them.
const START_A_RUNNER: &[(&str, &[&str])] = &[
    (
        "openspace",
        &[
            "clients::",
            "confined::",
            "conformance::",
            "git_credentials::",
            "hosting::",
            "opencode::",
            "tools_cli::",
            "tools_mcp::",
            "workspace_processes::",
            "workspaces::",
            "bounds::the_server_may_open_more_files",
        ],
    ),
    (
        "openspace-workspace",
        &[
            "command::every_command_runs",
            "masking::in_a_sandbox",
            "masking::the_secrets_of_a_sandbox",
            "places::",
            "tree::a_place_that_was_lost",
        ],
    ),
];

/// Crates whose tests start real agents, which are named to them in `OPENSPACE_OPENCODE`, `OPENSPACE_QWEN` and
/// `OPENSPACE_GEMINI`.
const START_AGENTS: &[&str] = &["openspace", "openspace-agents"];

/// Crates whose tests start language servers, whose folders are named to them in `OPENSPACE_LANGUAGE_SERVERS`.
const START_LANGUAGE_SERVERS: &[&str] =
    &["openspace", "openspace-languages", "openspace-workspace"];

/// Stands in `OPENSPACE_RUNNER` when no runner was built: a test that needs one after all fails with
/// these words, instead of passing with a runner that some earlier build left.
pub(super) const NO_RUNNER: &str = "/not-built/name-this-test-in-xtask/src/test/cargo.rs";

/// A package of this workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Crate(pub(crate) String);

impl Crate {
    /// The packages with these names, or in folders of these names.
    pub(crate) fn find(repository: &Repository, names: &[String]) -> Result<Vec<Self>> {
        let mut metadata = repository.cargo(&["metadata", "--no-deps", "--format-version", "1"]);
        let output = metadata.output().context("cannot start cargo")?;
        if !output.status.success() {
            bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        names.iter().map(|name| Self::named(&metadata, name)).collect()
    }

    /// Whether one of its tests does.
    pub(super) fn starts_a_runner(&self) -> bool {
        !prefixes(self).is_empty()
    }

    fn named(metadata: &Value, name: &str) -> Result<Self> {
        let packages =
            metadata["packages"].as_array().context("cargo metadata names no package")?;
        let known = || packages.iter().filter_map(|package| package["name"].as_str());
        let folder = format!("/{name}/Cargo.toml");
        let named = known().find(|known| *known == name);
        let in_folder = || {
            let in_folder = |package: &&Value| {
                package["manifest_path"].as_str().is_some_and(|path| path.ends_with(&folder))
            };
            packages.iter().find(in_folder).and_then(|package| package["name"].as_str())
        };
        let Some(name) = named.or_else(in_folder) else {
            let known: Vec<&str> = known().collect();
            bail!("there is no crate `{name}`; there are {}", known.join(", "));
        };
        Ok(Self(name.to_owned()))
    }
}

/// The runner that tests are told to use.
pub(super) enum Runner {
    Built(PathBuf),
    NotBuilt,
}

/// Which tests; all of them when nothing is named.
pub(super) struct Choice<'a> {
    pub(super) crates: &'a [Crate],
    pub(super) filters: &'a [String],
}

impl Choice<'_> {
    /// Builds the chosen tests and asks them for their names.
    pub(super) fn needs_runner(&self, repository: &Repository) -> Result<bool> {
        if !self.crates.is_empty() && !self.crates.iter().any(Crate::starts_a_runner) {
            return Ok(false);
        }
        let mut list = if has_nextest(repository) {
            let mut list = repository.cargo(&["nextest", "list", "--locked"]);
            list.args(["--message-format", "oneline"]).args(self.packages()).args(self.filters);
            list
        } else {
            let mut list = repository.cargo(&["test", "--locked", "--lib", "--bins", "--tests"]);
            list.args(self.packages()).args(["--", "--list", "--format", "terse"]);
            list.args(self.filters);
            list
        };
        let output = list.stderr(Stdio::inherit()).output();
        let output = output.context("cannot start cargo")?;
        if !output.status.success() {
            bail!("the tests cannot be listed: {}", output.status);
        }
        Ok(self.names_one_with_runner(&String::from_utf8_lossy(&output.stdout)))
    }

    /// Lines of nextest are `openspace::it hosting::a_fact`, those of cargo `hosting::a_fact: test`.
    fn names_one_with_runner(&self, list: &str) -> bool {
        let of_crate = |name: &str| {
            self.crates.is_empty() || self.crates.iter().any(|chosen| chosen.0 == name)
        };
        let starts: Vec<&str> = START_A_RUNNER
            .iter()
            .filter(|(name, _)| of_crate(name))
            .flat_map(|(_, starts)| starts.iter().copied())
            .collect();
        let mut names = list.lines().filter_map(|line| {
            line.strip_suffix(": test").or_else(|| line.split_whitespace().nth(1))
        });
        names.any(|name| starts.iter().any(|start| name.starts_with(start)))
    }

    pub(super) fn run(&self, repository: &Repository, runner: &Runner) -> Result<()> {
        let mut tests = if has_nextest(repository) {
            let mut tests = repository.cargo(&["nextest", "run", "--locked", "--no-fail-fast"]);
            tests.args(self.packages());
            tests
        } else {
            let mut tests = repository.cargo(&["test", "--locked", "--no-fail-fast"]);
            tests.args(["--lib", "--bins", "--tests"]).args(self.packages()).arg("--");
            tests
        };
        name_programs(&mut tests, self.crates)?;
        succeed(self.told(tests, runner))
    }

    fn packages(&self) -> Vec<&str> {
        if self.crates.is_empty() {
            return vec!["--workspace"];
        }
        self.crates.iter().flat_map(|chosen| ["--package", chosen.0.as_str()]).collect()
    }

    /// The static runner, as it is placed into sandboxes, not the one built beside the tests. The
    /// whole suite soaks the server for a minute; a run of chosen tests only for a moment.
    fn told(&self, mut tests: Command, runner: &Runner) -> Command {
        match runner {
            Runner::Built(runner) => tests.env("OPENSPACE_RUNNER", runner),
            Runner::NotBuilt => tests.env("OPENSPACE_RUNNER", NO_RUNNER),
        };
        if self.crates.is_empty() && self.filters.is_empty() {
            tests.env("OPENSPACE_SOAK_SECONDS", "60");
        }
        tests.args(self.filters);
        tests
    }
}

/// Names real agents and language servers to the tests of these crates, or of all, if one of them starts some.
pub(crate) fn name_programs(tests: &mut Command, crates: &[Crate]) -> Result<()> {
    let one_of = |those: &[&str]| {
        crates.is_empty() || crates.iter().any(|chosen| those.contains(&chosen.0.as_str()))
    };
    if one_of(START_AGENTS) {
        tests.env("OPENSPACE_OPENCODE", opencode::installed()?);
        tests.env("OPENSPACE_QWEN", qwen::installed()?);
        tests.env("OPENSPACE_GEMINI", gemini::installed()?);
    }
    if one_of(START_LANGUAGE_SERVERS) {
        tests.env("OPENSPACE_LANGUAGE_SERVERS", env::join_paths(languages::installed()?)?);
    }
    Ok(())
}

fn prefixes(chosen: &Crate) -> &'static [&'static str] {
    let found = START_A_RUNNER.iter().find(|(name, _)| *name == chosen.0);
    found.map_or(&[], |(_, starts)| starts)
}

fn has_nextest(repository: &Repository) -> bool {
    let version = repository.cargo(&["nextest", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

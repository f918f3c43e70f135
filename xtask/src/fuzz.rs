//! `cargo xtask fuzz`: the tests that try hostile inputs, for longer and with new ones.
//!
//! The inputs are made by `crates/fuzz`, what must hold stands in the tests. Here is only which tests
//! belong together under one name, and how they are told what to do.

use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::{repository::Repository, tools::succeed};

#[cfg(test)]
mod tests;

const SECONDS: &str = "OPENSPACE_FUZZ_SECONDS";
const INPUT: &str = "OPENSPACE_FUZZ_INPUT";

/// What is tried, and where its tests are.
struct Target {
    name: &'static str,
    package: &'static str,
    module: &'static str,
}

const TARGETS: &[Target] = &[
    Target { name: "link", package: "openspace-link", module: "tests::fuzz::" },
    Target { name: "filter", package: "openspace-terminal", module: "filter::tests::" },
    Target { name: "emulator", package: "openspace-terminal", module: "model::tests::fuzz::" },
    Target { name: "edit", package: "openspace-text", module: "edit::tests::fuzz::" },
    Target { name: "merge", package: "openspace-text", module: "merge::tests::fuzz::" },
    Target { name: "offsets", package: "openspace-text", module: "offsets::tests::fuzz::" },
    Target { name: "secrets", package: "openspace-secrets", module: "masker::tests::fuzz::" },
    Target { name: "jsonc", package: "openspace", module: "connect::jsonc::tests::fuzz::" },
    Target { name: "judge", package: "openspace-judge", module: "tests::fuzz::" },
    Target { name: "policy", package: "openspace-policy", module: "tests::fuzz::" },
    Target { name: "acp", package: "openspace-agents", module: "acp::tests::fuzz::" },
    Target { name: "frames", package: "openspace-languages", module: "frame::tests::" },
    Target {
        name: "languages",
        package: "openspace-languages",
        module: "server::tests::hostile::",
    },
    Target {
        name: "interceptor",
        package: "openspace-agents",
        module: "interceptor::tests::fuzz::",
    },
];

/// What to try.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Try {
    /// New inputs, for so many seconds in each test.
    Seconds(u64),
    /// One input, in hexadecimal.
    Input(String),
}

pub(crate) fn run(repository: &Repository, name: &str, what: &Try) -> Result<()> {
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!("there is no target `{name}`; there are {}", names.join(", "));
    };
    let (variable, value) = match what {
        Try::Seconds(seconds) => (SECONDS, seconds.to_string()),
        Try::Input(input) => (INPUT, input.clone()),
    };
    let test = ["test", "--locked", "--lib", "--package", target.package, "--"];
    let mut list = repository.cargo(&test);
    let list = list.args(["--list", "--format", "terse"]).stderr(Stdio::inherit()).output();
    let list = list.context("cannot start cargo")?;
    if !list.status.success() {
        bail!("the tests cannot be listed: {}", list.status);
    }
    let tests = names(&String::from_utf8_lossy(&list.stdout), target.module);
    if tests.is_empty() {
        bail!("{} has no test in {}", target.package, target.module);
    }
    for name in tests {
        eprintln!("==> {name}");
        let mut command = repository.cargo(&test);
        command.args(["--quiet", "--exact", "--nocapture", &name]).env(variable, &value);
        succeed(command).with_context(|| {
            format!("{name} does not hold; try the bytes above again with --input HEX")
        })?;
    }
    Ok(())
}

/// The tests of a module in cargo's list, of which the lines are `module::a_fact: test`.
fn names(list: &str, module: &str) -> Vec<String> {
    let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
    names.filter(|name| name.starts_with(module)).map(str::to_owned).collect()
}

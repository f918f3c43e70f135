//! npm packages: their licences, where they come from, and what is known against them.
//!
//! Lock files here name no registry, so that a mirror serves as well; what is installed is decided by
//! the hash of its content.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Findings, rules::Rules, spdx};
use crate::{repository::Repository, tools::npm};

#[cfg(test)]
mod tests;

const LOCKS: &[&str] = &[
    "web/package-lock.json",
    "xtask/conformance/package-lock.json",
    "xtask/opencode/package-lock.json",
    "xtask/gemini/package-lock.json",
    "xtask/qwen/package-lock.json",
    "xtask/languages/package-lock.json",
    "xtask/bench/package-lock.json",
];
const REGISTRY: &str = "https://registry.npmjs.org/";

/// Licences that packages may have beside those of `deny.toml`.
const ALSO_ALLOWED: &[&str] = &["BSD-2-Clause", "BlueOak-1.0.0"];

/// What stands for the licence of a package that names none.
const NO_LICENCE: &str = "";

struct Exception {
    /// The package, or the beginning of the names of several.
    package: &'static str,
    licence: &'static str,
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception {
        package: "axe-core",
        licence: "MPL-2.0",
        reason: "looks at the page in tests and is in no release",
    },
    Exception {
        package: "lightningcss",
        licence: "MPL-2.0",
        reason: "a tool of the build, in no release",
    },
    Exception {
        package: "jschardet",
        licence: "LGPL-2.1+",
        reason: "the workbench loads it as a module of its own and unchanged; its licence comes along",
    },
    Exception {
        package: "@modelcontextprotocol/server-filesystem",
        licence: "SEE LICENSE IN LICENSE",
        reason: "measured beside ours, installed by who measures and in no release",
    },
    Exception {
        package: "opencode-linux-x64",
        licence: NO_LICENCE,
        reason: "the program of `opencode-ai`, which is MIT; started in tests and in no release",
    },
    Exception {
        package: "@qwen-code/qwen-code",
        licence: NO_LICENCE,
        reason: "its LICENSE is Apache-2.0; started in tests and in no release",
    },
];

pub(super) fn check(repository: &Repository, rules: &Rules, findings: &mut Findings) -> Result<()> {
    let mut used = vec![false; EXCEPTIONS.len()];
    for path in LOCKS {
        let text = std::fs::read_to_string(repository.root.join(path));
        let lock = serde_json::from_str(&text.with_context(|| format!("cannot read {path}"))?);
        judge(path, &lock?, rules, &mut used, findings);
    }
    for (exception, _) in EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used) {
        findings.errors.push(format!(
            "the exception for {} ({}) is not needed",
            exception.package, exception.reason
        ));
    }
    advisories(repository, findings)
}

fn judge(path: &str, lock: &Value, rules: &Rules, used: &mut [bool], findings: &mut Findings) {
    let mut without_hash = Vec::new();
    for (place, package) in lock["packages"].as_object().into_iter().flatten() {
        // The first is the thing itself.
        let Some((_, name)) = place.rsplit_once("node_modules/") else { continue };
        let mut tell = |what: String| findings.errors.push(format!("{path}: {name} {what}"));
        let source = package["resolved"].as_str();
        if let Some(other) = source.filter(|source| !source.starts_with(REGISTRY)) {
            tell(format!("comes from {other}"));
        }
        if !package["integrity"].as_str().is_some_and(|hash| hash.starts_with("sha512-")) {
            // npm writes none for what it did not install: tools of the build for other machines.
            if package["optional"] == true && package["dev"] == true {
                without_hash.push(name);
            } else {
                tell("has no hash".to_owned());
            }
        }
        let licence = package["license"].as_str().unwrap_or(NO_LICENCE);
        let excepted = EXCEPTIONS.iter().position(|exception| {
            exception.licence == licence && name.starts_with(exception.package)
        });
        if let Some(exception) = excepted {
            used[exception] = true;
            continue;
        }
        if licence == NO_LICENCE {
            tell("names no licence".to_owned());
            continue;
        }
        let mut allow =
            |licence: &str| rules.allowed.contains(licence) || ALSO_ALLOWED.contains(&licence);
        match spdx::is_met(licence, &mut allow) {
            Ok(true) => {}
            Ok(false) => tell(format!("has the licence {licence}")),
            Err(error) => tell(error.to_string()),
        }
    }
    if !without_hash.is_empty() {
        let names = without_hash.join(", ");
        findings.notes.push(format!("{path}: no hash, for other machines: {names}"));
    }
}

/// Asks the registry what is known against the packages that are in the page.
fn advisories(repository: &Repository, findings: &mut Findings) -> Result<()> {
    let audit = ["audit", "--package-lock-only", "--omit=dev", "--json"];
    let mut audit = npm(&audit)?;
    audit.args(["--fetch-retries=0", "--fetch-timeout=20000"]);
    let output = audit.current_dir(repository.root.join("web")).output();
    let answer = serde_json::from_slice(&output.context("cannot start npm")?.stdout);
    tell_advisories(&answer.unwrap_or_default(), findings);
    Ok(())
}

fn tell_advisories(answer: &Value, findings: &mut Findings) {
    let Some(found) = answer["vulnerabilities"].as_object() else {
        let why = answer["message"].as_str().unwrap_or("the registry did not answer");
        findings.notes.push(format!("advisories for npm packages were not checked: {why}"));
        return;
    };
    for (name, found) in found {
        let severity = found["severity"].as_str().unwrap_or("unknown");
        let line = format!("{name}: an advisory of severity {severity}; see `npm audit` in web/");
        match severity {
            "high" | "critical" => findings.errors.push(line),
            _ => findings.notes.push(line),
        }
    }
}

//! Crates: their licences, where they come from, how they are asked for.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Findings, rules::Rules, spdx};
use crate::repository::Repository;

#[cfg(test)]
mod tests;

/// The one place that crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(repository: &Repository, rules: &Rules, findings: &mut Findings) -> Result<()> {
    let mut metadata = repository.cargo(&["metadata", "--locked", "--all-features"]);
    metadata.args(["--format-version", "1"]);
    for target in &rules.targets {
        metadata.args(["--filter-platform", target]);
    }
    let output = metadata.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("cargo metadata names no package")?;
    judge(packages, rules, findings);
    let lock = std::fs::read_to_string(repository.root.join("Cargo.lock"))?;
    checksums(&toml::from_str(&lock).context("Cargo.lock is not TOML")?, findings);
    Ok(())
}

fn judge(packages: &[Value], rules: &Rules, findings: &mut Findings) {
    let mut used = BTreeSet::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let (name, version) = (text("name"), text("version"));
        versions.entry(name).or_default().push(version);
        if rules.banned.iter().any(|banned| banned == name) {
            findings.errors.push(format!("{name} {version} is banned"));
        }
        match package["source"].as_str() {
            None | Some(REGISTRY) => {}
            Some(other) => findings.errors.push(format!("{name} {version} comes from {other}")),
        }
        let mut allow = |licence: &str| {
            let is_allowed = rules.allow(name, licence);
            if is_allowed {
                used.insert(licence.to_owned());
            }
            is_allowed
        };
        match package["license"].as_str().map(|text| (text, spdx::is_met(text, &mut allow))) {
            Some((_, Ok(true))) => {}
            Some((text, Ok(false))) => {
                findings.errors.push(format!("{name} {version} has the licence {text}"));
            }
            Some((_, Err(error))) => findings.errors.push(format!("{name} {version}: {error}")),
            None => findings.errors.push(format!("{name} {version} names no licence")),
        }
        wildcards(package, findings);
    }
    for (name, _) in &rules.exceptions {
        if !versions.contains_key(name.as_str()) {
            findings.errors.push(format!("deny.toml has an exception for {name}, which is gone"));
        }
    }
    for licence in rules.allowed.difference(&used) {
        findings.notes.push(format!("no crate has the allowed licence {licence}"));
    }
    let several: Vec<String> = versions
        .iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| format!("{name} {}", versions.join(" and ")))
        .collect();
    if !several.is_empty() {
        findings.notes.push(format!("in several versions: {}", several.join(", ")));
    }
}

/// Only crates of this workspace are judged: what others ask for is theirs.
fn wildcards(package: &Value, findings: &mut Findings) {
    if !package["source"].is_null() {
        return;
    }
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        if dependency["req"] == "*" && !dependency["path"].is_string() {
            let names = [&package["name"], &dependency["name"]].map(|name| name.as_str());
            let [user, used] = names.map(Option::unwrap_or_default);
            findings.errors.push(format!("{user} asks for any version of {used}"));
        }
    }
}

/// What is downloaded is what was looked at.
fn checksums(lock: &Value, findings: &mut Findings) {
    for package in lock["package"].as_array().into_iter().flatten() {
        if package["source"].is_string() && !package["checksum"].is_string() {
            let name = package["name"].as_str().unwrap_or_default();
            findings.errors.push(format!("{name} has no checksum in Cargo.lock"));
        }
    }
}

//! `deny.toml` as far as it is held here. A setting that nobody holds is an error: it would promise
//! something.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// Every setting that is understood, by table.
const KNOWN: &[(&str, &[&str])] = &[
    ("graph", &["targets", "all-features"]),
    // Held by `cargo deny check advisories`, with the network.
    ("advisories", &["yanked", "unmaintained", "unsound", "ignore"]),
    (
        "licenses",
        &["confidence-threshold", "include-dev", "unused-allowed-license", "allow", "exceptions"],
    ),
    ("bans", &["multiple-versions", "wildcards", "allow-wildcard-paths", "deny"]),
    ("sources", &["unknown-registry", "unknown-git", "allow-git"]),
];

/// Settings that are held in one way only.
const FIXED: &[(&str, &str, &str)] = &[
    ("graph", "all-features", "true"),
    ("licenses", "include-dev", "true"),
    ("licenses", "unused-allowed-license", "\"warn\""),
    ("bans", "multiple-versions", "\"warn\""),
    ("bans", "wildcards", "\"deny\""),
    ("bans", "allow-wildcard-paths", "true"),
    ("sources", "unknown-registry", "\"deny\""),
    ("sources", "unknown-git", "\"deny\""),
    ("sources", "allow-git", "[]"),
];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// What the graph is resolved for.
    pub(super) targets: Vec<String>,
    /// Licences that everybody may have.
    pub(super) allowed: BTreeSet<String>,
    /// Crates, and the licence that each may have beside them.
    pub(super) exceptions: Vec<(String, String)>,
    /// Crates that may not be used.
    pub(super) banned: Vec<String>,
}

impl Rules {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let file: Value = toml::from_str(text).context("deny.toml is not TOML")?;
        for (table, settings) in file.as_object().into_iter().flatten() {
            let known = KNOWN.iter().find(|(name, _)| name == table).map(|(_, known)| *known);
            let settings = settings.as_object().into_iter().flatten();
            for (setting, _) in settings {
                if !known.is_some_and(|known| known.contains(&setting.as_str())) {
                    bail!("deny.toml: nobody holds `{table}.{setting}`");
                }
            }
        }
        for (table, setting, held) in FIXED {
            let found = file[table][setting].to_string();
            if found != *held {
                bail!("deny.toml: `{table}.{setting}` is {found}, but only {held} can be held");
            }
        }
        let exceptions = list(&file, "licenses", "exceptions")?.iter().map(|one| {
            let licence = one["allow"][0].as_str().filter(|_| one["allow"][1].is_null());
            Some((one["crate"].as_str()?.to_owned(), licence?.to_owned()))
        });
        Ok(Self {
            targets: words(&file, "graph", "targets")?,
            allowed: words(&file, "licenses", "allow")?.into_iter().collect(),
            exceptions: exceptions
                .collect::<Option<_>>()
                .context("deny.toml: an exception is `{ crate = NAME, allow = [ONE] }`")?,
            banned: match file["bans"].get("deny") {
                Some(_) => words(&file, "bans", "deny")?,
                None => Vec::new(),
            },
        })
    }

    /// Whether a package may have a licence.
    pub(super) fn allow(&self, package: &str, licence: &str) -> bool {
        self.allowed.contains(licence)
            || self.exceptions.iter().any(|(name, excepted)| name == package && excepted == licence)
    }
}

fn list<'a>(file: &'a Value, table: &str, setting: &str) -> Result<&'a Vec<Value>> {
    let found = file[table][setting].as_array();
    found.with_context(|| format!("deny.toml: `{table}.{setting}` is not a list"))
}

fn words(file: &Value, table: &str, setting: &str) -> Result<Vec<String>> {
    let words = list(file, table, setting)?.iter().map(|word| word.as_str().map(str::to_owned));
    let words = words.collect::<Option<_>>();
    words.with_context(|| format!("deny.toml: `{table}.{setting}` holds more than words"))
}

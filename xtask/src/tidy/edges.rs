//! Which crate may use which: the table that keeps the layers apart, compared with cargo's view.
//!
//! A dependency that is not in the table is an error, and so is a row that nothing uses.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Report;
use crate::repository::Repository;

#[cfg(test)]
mod tests;

/// A crate and all it may depend on. Development dependencies on crates from outside are free,
/// except for those in `HOMES`.
pub(super) struct Row {
    name: &'static str,
    inside: &'static [&'static str],
    outside: &'static [&'static str],
}

pub(super) const CRATES: &[Row] = &[
    Row { name: "openspace-protocol", inside: &[], outside: &["schemars", "serde", "serde_json"] },
    Row {
        name: "openspace-command",
        inside: &["openspace-protocol", "openspace-secrets"],
        outside: &[
            "futures",
            "schemars",
            "serde",
            "serde_json",
            "serde_path_to_error",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
        ],
    },
    Row {
        name: "openspace-secrets",
        inside: &["openspace-fuzz"],
        outside: &["aho-corasick", "base64", "regex", "serde_json"],
    },
    Row { name: "openspace-fuzz", inside: &[], outside: &[] },
    Row {
        name: "openspace-judge",
        inside: &["openspace-fuzz"],
        outside: &["schemars", "serde", "thiserror", "tree-sitter", "tree-sitter-bash"],
    },
    Row {
        name: "openspace-policy",
        inside: &["openspace-fuzz", "openspace-judge", "openspace-protocol"],
        outside: &["schemars", "serde", "thiserror", "toml", "toml_edit"],
    },
    Row {
        name: "openspace-link",
        inside: &["openspace-fuzz"],
        outside: &["rustix", "thiserror", "tokio", "tokio-util", "tracing"],
    },
    Row {
        name: "openspace-text",
        inside: &["openspace-fuzz"],
        outside: &["schemars", "serde", "similar", "thiserror"],
    },
    Row {
        name: "openspace-files",
        inside: &["openspace-protocol", "openspace-text"],
        outside: &[
            "cap-std",
            "globset",
            "grep-matcher",
            "grep-regex",
            "grep-searcher",
            "ignore",
            "memchr",
            "notify",
            "nucleo-matcher",
            "regex-syntax",
            "rustix",
            "schemars",
            "serde",
            "serde_bytes",
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
            "xxhash-rust",
        ],
    },
    Row {
        name: "openspace-process",
        inside: &["openspace-protocol"],
        outside: &[
            "rustix",
            "schemars",
            "serde",
            "sha2",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
        ],
    },
    Row {
        name: "openspace-terminal",
        inside: &["openspace-fuzz", "openspace-process", "openspace-protocol"],
        outside: &[
            "pty-process",
            "regex",
            "rustix",
            "schemars",
            "serde",
            "serde_bytes",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
            "vt100",
        ],
    },
    Row {
        name: "openspace-git",
        inside: &["openspace-files", "openspace-process", "openspace-protocol"],
        outside: &[
            "rustix",
            "schemars",
            "serde",
            "serde_bytes",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
        ],
    },
    Row {
        name: "openspace-host",
        inside: &[
            "openspace-files",
            "openspace-git",
            "openspace-link",
            "openspace-process",
            "openspace-protocol",
            "openspace-terminal",
            "openspace-text",
        ],
        outside: &[
            "rmp-serde",
            "rustix",
            "serde",
            "serde_bytes",
            "thiserror",
            "tokio",
            "tokio-util",
            "tracing",
            "xxhash-rust",
        ],
    },
    Row {
        name: "openspace-runner",
        inside: &[
            "openspace-files",
            "openspace-git",
            "openspace-host",
            "openspace-isolation",
            "openspace-link",
            "openspace-process",
            "openspace-protocol",
            "openspace-terminal",
        ],
        outside: &["landlock", "libc", "rustix", "serde_json", "thiserror", "tokio"],
    },
    Row {
        name: "openspace-isolation",
        inside: &["openspace-protocol"],
        outside: &["rustix", "schemars", "serde", "serde_json", "thiserror", "tokio", "tracing"],
    },
    Row {
        name: "openspace-agents",
        inside: &["openspace-fuzz", "openspace-scripted", "openspace-secrets"],
        outside: &[
            "agent-client-protocol-schema",
            "base64",
            "http-body-util",
            "hyper",
            "hyper-util",
            "schemars",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-util",
            "toml",
            "tracing",
        ],
    },
    Row {
        name: "openspace-languages",
        inside: &["openspace-fuzz", "openspace-text"],
        outside: &["globset", "serde", "serde_json", "thiserror", "tokio", "toml"],
    },
    Row {
        name: "openspace-scripted",
        inside: &[],
        outside: &[
            "http-body-util",
            "hyper",
            "hyper-util",
            "serde",
            "serde_json",
            "tokio",
            "tokio-util",
        ],
    },
    Row {
        name: "openspace-layout",
        inside: &["openspace-protocol"],
        outside: &["schemars", "serde", "thiserror"],
    },
    Row {
        name: "openspace-space",
        inside: &["openspace-command", "openspace-protocol"],
        outside: &[
            "imbl",
            "rusqlite",
            "schemars",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tracing",
        ],
    },
    Row {
        name: "openspace-buffers",
        inside: &[
            "openspace-command",
            "openspace-files",
            "openspace-git",
            "openspace-host",
            "openspace-protocol",
            "openspace-space",
            "openspace-text",
        ],
        outside: &["schemars", "serde", "serde_json", "similar", "tokio", "tokio-util", "tracing"],
    },
    Row {
        name: "openspace-workspace",
        inside: &[
            "openspace-agents",
            "openspace-buffers",
            "openspace-command",
            "openspace-files",
            "openspace-git",
            "openspace-host",
            "openspace-isolation",
            "openspace-judge",
            "openspace-layout",
            "openspace-policy",
            "openspace-process",
            "openspace-protocol",
            "openspace-secrets",
            "openspace-space",
            "openspace-terminal",
            "openspace-text",
        ],
        outside: &[
            "base64",
            "jsonschema",
            "regex",
            "schemars",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
            "tokio",
            "tokio-util",
            "toml",
            "toml_edit",
            "tracing",
        ],
    },
    Row {
        name: "openspace",
        inside: &[
            "openspace-agents",
            "openspace-buffers",
            "openspace-command",
            "openspace-files",
            "openspace-fuzz",
            "openspace-git",
            "openspace-host",
            "openspace-isolation",
            "openspace-policy",
            "openspace-process",
            "openspace-protocol",
            "openspace-scripted",
            "openspace-secrets",
            "openspace-space",
            "openspace-terminal",
            "openspace-workspace",
        ],
        outside: &[
            "anyhow",
            "axum",
            "clap",
            "clap_complete",
            "clap_mangen",
            "flate2",
            "futures",
            "http-body-util",
            "hyper",
            "hyper-util",
            "qrcode",
            "regex",
            "rmcp",
            "rustix",
            "schemars",
            "serde",
            "serde_json",
            "tokio",
            "tokio-util",
            "toml_edit",
            "tower",
            "tracing",
            "tracing-subscriber",
        ],
    },
    Row { name: "xtask", inside: &[], outside: &["anyhow", "rustix", "serde_json", "toml"] },
];

/// Crates from outside that carry a layer: each may be named by these crates only, also in tests.
pub(super) const HOMES: &[(&str, &[&str])] = &[
    ("agent-client-protocol-schema", &["openspace-agents"]),
    ("axum", &["openspace"]),
    ("cap-std", &["openspace-files"]),
    ("clap", &["openspace"]),
    ("hyper", &["openspace", "openspace-agents", "openspace-scripted"]),
    ("grep-regex", &["openspace-files"]),
    ("grep-searcher", &["openspace-files"]),
    ("ignore", &["openspace-files"]),
    ("notify", &["openspace-files"]),
    ("pty-process", &["openspace-terminal"]),
    ("rmcp", &["openspace"]),
    ("rusqlite", &["openspace-space"]),
    ("tree-sitter", &["openspace-judge"]),
    ("tree-sitter-bash", &["openspace-judge"]),
    ("vt100", &["openspace-terminal"]),
];

/// A crate of this workspace as cargo sees it.
pub(super) struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    is_inside: bool,
    is_for_tests: bool,
}

pub(super) fn packages(repository: &Repository) -> Result<Vec<Package>> {
    let output = repository.cargo(&["metadata", "--no-deps", "--format-version", "1"]).output()?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    parse(&serde_json::from_slice(&output.stdout)?).context("cargo metadata has an unknown form")
}

fn parse(metadata: &Value) -> Option<Vec<Package>> {
    let packages = metadata["packages"].as_array()?;
    packages.iter().map(package).collect()
}

fn package(value: &Value) -> Option<Package> {
    let dependencies = value["dependencies"].as_array()?;
    let dependencies = dependencies.iter().map(|value| {
        Some(Dependency {
            name: value["name"].as_str()?.to_owned(),
            is_inside: value["path"].is_string(),
            is_for_tests: value["kind"] == "dev",
        })
    });
    Some(Package {
        name: value["name"].as_str()?.to_owned(),
        dependencies: dependencies.collect::<Option<_>>()?,
    })
}

pub(super) fn check(
    packages: &[Package],
    rows: &[Row],
    homes: &[(&str, &[&str])],
    report: &mut Report,
) {
    for package in packages {
        match rows.iter().find(|row| row.name == package.name) {
            Some(row) => compare(package, row, report),
            None => {
                report.error(format!("`{}` has no row in tidy's table of crates", package.name));
            }
        }
        for dependency in &package.dependencies {
            let home = homes.iter().find(|(name, _)| *name == dependency.name);
            let is_elsewhere = |homes: &[&str]| !homes.contains(&package.name.as_str());
            if let Some((name, homes)) = home.filter(|(_, homes)| is_elsewhere(homes)) {
                let homes = homes.join("`, `");
                report.error(format!("`{name}` belongs to `{homes}`, not to `{}`", package.name));
            }
        }
    }
    for row in rows {
        if !packages.iter().any(|package| package.name == row.name) {
            report.error(format!("tidy's table of crates names `{}`, which is gone", row.name));
        }
    }
}

fn compare(package: &Package, row: &Row, report: &mut Report) {
    let used = |wanted: fn(&Dependency) -> bool| -> BTreeSet<&str> {
        let kept = package.dependencies.iter().filter(|dependency| wanted(dependency));
        kept.map(|dependency| dependency.name.as_str()).collect()
    };
    let inside = used(|dependency| dependency.is_inside);
    let outside = used(|dependency| !dependency.is_inside && !dependency.is_for_tests);
    for (used, allowed) in [(inside, row.inside), (outside, row.outside)] {
        let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
        for name in used.difference(&allowed) {
            report.error(format!(
                "`{}` may not depend on `{name}`; a new edge needs a page in docs/decisions and \
                 a row in tidy's table",
                row.name
            ));
        }
        for name in allowed.difference(&used) {
            report.error(format!(
                "tidy's table lets `{}` depend on `{name}`, which it does not",
                row.name
            ));
        }
    }
}

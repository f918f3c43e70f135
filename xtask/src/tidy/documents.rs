//! Documents and manifests that must be there and say the truth about the tree.

use std::{collections::BTreeSet, path::Path};

use super::{Report, tree::Tree};

#[cfg(test)]
mod tests;

const LONGEST_AGENTS: usize = 60;

pub(super) fn check(tree: &Tree, report: &mut Report) {
    match tree.text("ARCHITECTURE.md") {
        Some(text) => crate_table(tree, text, report),
        None => report.error("ARCHITECTURE.md is missing"),
    }
    match tree.text("AGENTS.md").map(|text| text.lines().count()) {
        Some(lines) if lines > LONGEST_AGENTS => report.error(format!(
            "AGENTS.md: {lines} lines, at most {LONGEST_AGENTS}: agents read it at every start"
        )),
        Some(_) => {}
        None => report.error("AGENTS.md is missing"),
    }
    for file in tree.files.iter().filter(|file| speaks_of_the_code(&file.path)) {
        named_files(tree, &file.path, &file.text, report);
    }
    if tree.text("LICENSE").is_none() {
        report.error("LICENSE is missing");
    }
    for folder in tree.crates() {
        let manifest = format!("{folder}/Cargo.toml");
        if !tree.text(&manifest).is_some_and(inherits_lints) {
            report.error(format!("{manifest}: `[lints] workspace = true` is missing"));
        }
    }
}

/// Decisions speak of the tree as it was; the others of the tree as it is.
fn speaks_of_the_code(path: &str) -> bool {
    let root = ["ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "docs/glossary.md"];
    root.contains(&path) || path.starts_with("docs/concepts/")
}

/// Files in backticks may leave out the first folders, but there must be one of that name.
fn named_files(tree: &Tree, document: &str, text: &str, report: &mut Report) {
    for line in text.lines() {
        for name in line.split('`').skip(1).step_by(2).filter(|name| is_source(name)) {
            let ending = format!("/{name}");
            if !tree.files.iter().any(|file| file.path == name || file.path.ends_with(&ending)) {
                report.error(format!("{document}: `{name}` is not there"));
            }
        }
    }
}

fn is_source(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    name.contains('/')
        && name.chars().all(plain)
        && Path::new(name).extension().is_some_and(|kind| kind == "rs" || kind == "ts")
}

/// Rows look like ``| `crates/host` | … |``.
fn crate_table(tree: &Tree, text: &str, report: &mut Report) {
    let exist: BTreeSet<&str> = tree.crates().into_iter().collect();
    let rows: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("| `"))
        .filter_map(|row| row.split('`').next())
        .map(|name| name.trim_end_matches('/'))
        .filter(|name| *name == "xtask" || name.starts_with("crates/"))
        .collect();
    for name in exist.difference(&rows) {
        report.error(format!("ARCHITECTURE.md: the table of crates lacks `{name}`"));
    }
    for name in rows.difference(&exist) {
        report.error(format!("ARCHITECTURE.md: the table of crates names `{name}`, which is gone"));
    }
}

fn inherits_lints(manifest: &str) -> bool {
    let mut section = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line;
        }
        section == "[lints]" && line.split_whitespace().eq(["workspace", "=", "true"])
    })
}

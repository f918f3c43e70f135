//! Documents and manifests that must be there and say the truth about the tree.

use std::collections::BTreeSet;

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

//! The features of the page: folders that know core and never each other, and the one file that
//! reaches into the workbench's insides.

use std::collections::BTreeSet;

use super::{EDITOR, WORKBENCH, is_of_package};
use crate::tidy::{
    Report,
    tree::{File, Tree},
};

/// The folder that every feature may import.
const CORE: &str = "core";
/// The file of a feature by which the page is put together.
const REGISTER: &str = "register";
/// The only file beside the features.
const START: &str = "web/src/workbench/start.ts";
/// What a feature and core may import besides.
const SHARED: [&str; 3] = ["web/src/protocol/", "web/src/panels/", "web/src/strings/"];
/// The file that reaches into the workbench, and the one that compares it with what is there.
const UPSTREAM: &str = "web/src/workbench/core/upstream.ts";
const CHECKS: &str = "web/src/workbench/core/upstream-checks.ts";
/// The list of what of its insides is loaded late.
const LATE: &str = "web/src/workbench/core/upstream-late.ts";
/// How code looks behind a type.
const CAST: &str = "as unknown as";

/// Every feature can be registered, and nothing lies beside the features but the list of them.
pub(super) fn form(tree: &Tree, report: &mut Report) {
    let mut features = BTreeSet::new();
    for file in tree.files.iter().filter(|file| file.path.starts_with(WORKBENCH)) {
        match feature(&file.path) {
            Some(name) if name != CORE => drop(features.insert(name)),
            None if file.path != START => {
                report.error(format!("{}: belongs into the folder of a feature", file.path));
            }
            _ => {}
        }
    }
    for name in features {
        let register = format!("{WORKBENCH}{name}/{REGISTER}.ts");
        if tree.text(&register).is_none() {
            report.error(format!("{register}: is missing; a feature is registered by it"));
        }
    }
}

/// Why a file of the workbench's folder may not import this; `target` is where a relative name
/// leads.
pub(super) fn refusal(file: &File, name: &str, target: &str) -> Option<&'static str> {
    if !file.path.starts_with(WORKBENCH) {
        return None;
    }
    if ![UPSTREAM, LATE].contains(&file.path.as_str()) && is_inside(name) {
        return Some("only web/src/workbench/core/upstream.ts reaches into the workbench");
    }
    if target.is_empty() || SHARED.iter().any(|shared| target.starts_with(shared)) {
        return None;
    }
    let is_start = target.trim_end_matches('/') == START.trim_end_matches(".ts");
    let Some(other) = feature(target).filter(|_| !is_start) else {
        return Some("no feature needs what lies there");
    };
    match feature(&file.path) {
        Some(own) if own == other => None,
        _ if other == CORE => None,
        Some(CORE) => Some("core knows no feature"),
        Some(_) => Some("a feature knows no other feature"),
        None if target == format!("{WORKBENCH}{other}/{REGISTER}/") => None,
        None => Some("of a feature only its register"),
    }
}

/// Casts that look behind the workbench's types.
pub(super) fn casts(file: &File, code: &str, report: &mut Report) {
    if !file.path.starts_with(WORKBENCH) || [UPSTREAM, CHECKS].contains(&file.path.as_str()) {
        return;
    }
    for (line, text) in (1..).zip(code.lines()) {
        if text.contains(CAST) {
            let path = &file.path;
            report.error(format!("{path}:{line}: `{CAST}`: only {UPSTREAM} looks behind a type"));
        }
    }
}

/// The feature in `web/src/workbench/<feature>/…`.
fn feature(path: &str) -> Option<&str> {
    path.strip_prefix(WORKBENCH)?.split_once('/').map(|(name, _)| name)
}

/// Whether this is a module of VS Code that the package holds and does not offer.
fn is_inside(name: &str) -> bool {
    EDITOR.iter().any(|package| is_of_package(name, package))
        && (name.contains("/vscode/") || name.starts_with("vscode/vs/"))
}

//! The form of source files: their length, their opening line, their names, their examples.

use super::{
    Report,
    tree::{File, Tree},
};

#[cfg(test)]
mod tests;

const LONG: usize = 500;
const TOO_LONG: usize = 800;
/// Languages of code in documentation that rustdoc does not run as a test.
const NOT_RUN: &[&str] = &["text", "ignore", "json", "sh", "toml"];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    for file in &tree.files {
        if file.is_rust() {
            length(file, report);
            opening(file, report);
            name(file, report);
            examples(file, report);
        }
    }
}

pub(super) fn length(file: &File, report: &mut Report) {
    let (path, lines) = (&file.path, file.text.lines().count());
    if lines > TOO_LONG {
        report.error(format!("{path}: {lines} lines, at most {TOO_LONG} are allowed"));
    } else if lines > LONG {
        report.warn(format!("{path}: {lines} lines, aim under {LONG}"));
    }
}

fn opening(file: &File, report: &mut Report) {
    if !file.text.starts_with("//!") {
        report.error(format!("{}:1: opens without `//!` saying what it is for", file.path));
    }
}

fn name(file: &File, report: &mut Report) {
    if file.path.ends_with("/mod.rs") {
        report.error(format!("{}: a module is `name.rs` beside `name/`", file.path));
    }
}

/// Examples that run as tests are slow to link, one program each; tests do it better.
fn examples(file: &File, report: &mut Report) {
    let mut is_inside = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        let line = line.trim_start();
        let documentation = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(documentation) = documentation else {
            is_inside = false;
            continue;
        };
        let Some(language) = documentation.trim_start().strip_prefix("```") else { continue };
        if !is_inside && !NOT_RUN.contains(&language.trim()) {
            report.error(format!(
                "{}:{number}: code in documentation must be marked as one of {}",
                file.path,
                NOT_RUN.join(", ")
            ));
        }
        is_inside = !is_inside;
    }
}

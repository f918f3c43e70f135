//! The form rules, each on a file that keeps and one that breaks it.

use super::*;

fn report_of(path: &str, text: &str) -> Report {
    let mut report = Report::default();
    check(&Tree::of(&[(path, text)]), &mut report);
    report
}

fn lines(number: usize) -> String {
    format!("//! Long.\n{}", "\n".repeat(number - 1))
}

#[test]
fn length_is_warned_of_above_500_and_refused_above_800() {
    assert_eq!(report_of("crates/a/src/lib.rs", &lines(500)), Report::default());
    assert_eq!(
        report_of("crates/a/src/lib.rs", &lines(501)).warnings,
        ["crates/a/src/lib.rs: 501 lines, aim under 500"]
    );
    assert_eq!(report_of("crates/a/src/lib.rs", &lines(800)).errors, [""; 0]);
    assert_eq!(
        report_of("crates/a/src/lib.rs", &lines(801)).errors,
        ["crates/a/src/lib.rs: 801 lines, at most 800 are allowed"]
    );
}

#[test]
fn every_rust_file_opens_with_its_purpose() {
    assert_eq!(
        report_of("crates/a/src/a/tests.rs", "use super::*;\n").errors,
        ["crates/a/src/a/tests.rs:1: opens without `//!` saying what it is for"]
    );
}

#[test]
fn modules_are_not_called_mod() {
    assert_eq!(
        report_of("crates/a/src/b/mod.rs", "//! B.\n").errors,
        ["crates/a/src/b/mod.rs: a module is `name.rs` beside `name/`"]
    );
}

#[test]
fn examples_must_not_run() {
    let marked = "//! A.\n//! ```text\n//! x\n//! ```\n\n/// ```json\n/// {}\n/// ```\nfn a() {}\n";
    assert_eq!(report_of("a.rs", marked), Report::default());
    let running = "//! A.\n\n/// ```\n/// a();\n/// ```\nfn a() {}\n/// ```rust\n/// ```\n";
    assert_eq!(
        report_of("a.rs", running).errors,
        [
            "a.rs:3: code in documentation must be marked as one of text, ignore, json, sh, toml",
            "a.rs:7: code in documentation must be marked as one of text, ignore, json, sh, toml",
        ]
    );
}

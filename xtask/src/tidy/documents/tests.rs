//! What is missing, and what is no longer true.

use super::*;

const MANIFEST: &str = "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n";
const ARCHITECTURE: &str = "| crate | what |\n|---|---|\n| `crates/a` | A |\n| `xtask/` | X |\n";

fn errors_of(files: &[(&str, &str)]) -> Vec<String> {
    let mut report = Report::default();
    check(&Tree::of(files), &mut report);
    report.errors
}

#[test]
fn a_tree_with_true_documents_is_tidy() {
    let files = [
        ("AGENTS.md", "Read ARCHITECTURE.md.\n"),
        ("ARCHITECTURE.md", ARCHITECTURE),
        ("LICENSE", "Apache"),
        ("Cargo.toml", "[workspace]\n"),
        ("crates/a/Cargo.toml", MANIFEST),
        ("xtask/Cargo.toml", MANIFEST),
    ];
    assert_eq!(errors_of(&files), [""; 0]);
}

#[test]
fn missing_documents_are_named() {
    assert_eq!(
        errors_of(&[]),
        ["ARCHITECTURE.md is missing", "AGENTS.md is missing", "LICENSE is missing"]
    );
}

#[test]
fn the_table_of_crates_is_complete_and_current() {
    let files = [
        ("AGENTS.md", ""),
        ("ARCHITECTURE.md", ARCHITECTURE),
        ("LICENSE", ""),
        ("crates/b/Cargo.toml", MANIFEST),
        ("xtask/Cargo.toml", MANIFEST),
    ];
    assert_eq!(
        errors_of(&files),
        [
            "ARCHITECTURE.md: the table of crates lacks `crates/b`",
            "ARCHITECTURE.md: the table of crates names `crates/a`, which is gone",
        ]
    );
}

#[test]
fn long_instructions_and_crates_without_the_lints_are_refused() {
    let agents = "line\n".repeat(61);
    let files = [
        ("AGENTS.md", agents.as_str()),
        ("ARCHITECTURE.md", "| `crates/a` | A |\n"),
        ("LICENSE", ""),
        ("crates/a/Cargo.toml", "[lints.rust]\nworkspace = true\n"),
    ];
    assert_eq!(
        errors_of(&files),
        [
            "AGENTS.md: 61 lines, at most 60: agents read it at every start",
            "crates/a/Cargo.toml: `[lints] workspace = true` is missing",
        ]
    );
}

#[test]
fn documents_name_no_file_that_is_gone() {
    let named = "See `a/src/lib.rs`, `src/gone.rs` and `web/src/<feature>/x.ts`; run `a.rs`.\n";
    let files = [
        ("AGENTS.md", ""),
        ("ARCHITECTURE.md", "| `crates/a` | A |\n"),
        ("LICENSE", ""),
        ("crates/a/Cargo.toml", MANIFEST),
        ("crates/a/src/lib.rs", ""),
        ("docs/concepts/a.md", named),
        ("docs/decisions/0001-a.md", named),
    ];
    assert_eq!(errors_of(&files), ["docs/concepts/a.md: `src/gone.rs` is not there"]);
}

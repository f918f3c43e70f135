//! Paths as callers type them.

use openspace_protocol::RelPath;
use proptest::prelude::*;

use super::*;

mod errors;

fn facts() -> Facts {
    Facts {
        root: "/real/root".into(),
        given: "/alias".into(),
        output: "/private/output".into(),
        shell: "/bin/sh".into(),
        system: "Linux".into(),
        build: "1".into(),
    }
}

fn rel(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

#[test]
fn paths_are_resolved_from_either_spelling_of_the_root() {
    for text in ["src/a.rs", "./src//a.rs", "/alias/src/a.rs", "/real/root//src/./a.rs"] {
        assert_eq!(facts().resolve(text).unwrap(), rel("src/a.rs"));
    }
    assert_eq!(facts().resolve("/alias").unwrap(), RelPath::root());
}

#[test]
fn texts_that_leave_the_root_are_refused_with_distinct_errors() {
    for (text, message) in [
        ("a/../b", "`a/../b` cannot be used as a path: the path contains `..`"),
        (
            "/real/root/../outside",
            "`/real/root/../outside` cannot be used as a path: the path contains `..`",
        ),
        ("/etc/passwd", "`/etc/passwd` is outside the workspace"),
        ("/real/root-twin/x", "`/real/root-twin/x` is outside the workspace"),
        ("/private/output/x", "`/private/output/x` is outside the workspace"),
        ("a\0b", "`a\0b` cannot be used as a path: the path contains a NUL character"),
        (
            "/real/root/a\0",
            "`/real/root/a\0` cannot be used as a path: the path contains a NUL character",
        ),
    ] {
        assert_eq!(facts().resolve(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn full_outputs_can_be_located_and_nothing_around_them() {
    let located = |text: &str| facts().locate(text).map_err(|error| error.to_string());
    assert_eq!(located("/private/output/run-1"), Ok(Location::Output(rel("run-1"))));
    assert_eq!(located("src/a.rs"), Ok(Location::Workspace(rel("src/a.rs"))));
    assert_eq!(
        located("/private/output/../token"),
        Err("`/private/output/../token` is outside the workspace".to_owned())
    );
}

#[test]
fn what_resolves_lies_beneath_the_root() {
    proptest!(|(tail in "[a./~\\\\\0-]{0,30}", absolute: bool)| {
        let text = if absolute { format!("/real/root{tail}") } else { tail };
        if let Ok(path) = facts().resolve(&text) {
            let real = facts().root.join(path.as_path());
            prop_assert!(path.as_str().split('/').all(|word| word != ".." && !word.contains('\0')));
            prop_assert_eq!(facts().resolve(&real.display().to_string()).unwrap(), path);
        }
    });
}

#[test]
fn a_long_path_does_not_hide_the_reason() {
    let refused = facts().resolve(&"a/".repeat(5_000)).unwrap_err().to_string();
    let shown = "a/".repeat(100);
    assert_eq!(
        refused,
        format!("`{shown}…` cannot be used as a path: the path is longer than 4096 bytes")
    );
}

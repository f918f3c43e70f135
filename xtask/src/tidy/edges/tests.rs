//! The rules of the table, on small made-up workspaces.

use serde_json::json;

use super::*;

const ROWS: &[Row] = &[
    Row { name: "low", inside: &[], outside: &["serde"] },
    Row { name: "high", inside: &["low"], outside: &[] },
];
const HOMES_HERE: &[(&str, &[&str])] = &[("axum", &["high"])];

/// Checks a workspace of `low` and `high`, given what each names.
fn check_workspace(low: &Value, high: &Value) -> Vec<String> {
    let metadata = json!({ "packages": [
        { "name": "low", "dependencies": low },
        { "name": "high", "dependencies": high },
    ] });
    let mut report = Report::default();
    check(&parse(&metadata).unwrap(), ROWS, HOMES_HERE, &mut report);
    report.errors
}

fn serde() -> Value {
    json!({ "name": "serde", "kind": null })
}

fn low() -> Value {
    json!({ "name": "low", "kind": null, "path": "/src/low" })
}

#[test]
fn a_workspace_like_the_table_is_tidy() {
    let tempfile = json!({ "name": "tempfile", "kind": "dev" });
    assert_eq!(check_workspace(&json!([serde(), tempfile]), &json!([low()])), [""; 0]);
}

#[test]
fn an_edge_that_is_not_in_the_table_is_an_error_also_in_tests() {
    let high = json!({ "name": "high", "kind": "dev", "path": "/src/high" });
    assert_eq!(
        check_workspace(&json!([serde(), high]), &json!([low()])),
        ["`low` may not depend on `high`; a new edge needs a page in docs/decisions and a row in \
          tidy's table"]
    );
}

#[test]
fn rows_that_nothing_uses_are_errors() {
    assert_eq!(
        check_workspace(&json!([]), &json!([])),
        [
            "tidy's table lets `low` depend on `serde`, which it does not",
            "tidy's table lets `high` depend on `low`, which it does not",
        ]
    );
}

#[test]
fn a_crate_with_a_home_is_refused_elsewhere_also_in_tests() {
    let axum = json!({ "name": "axum", "kind": "dev" });
    assert_eq!(
        check_workspace(&json!([serde(), axum]), &json!([low(), axum])),
        ["`axum` belongs to `high`, not to `low`"]
    );
}

#[test]
fn table_and_workspace_name_the_same_crates() {
    let metadata = json!({ "packages": [
        { "name": "low", "dependencies": [serde()] },
        { "name": "new", "dependencies": [] },
    ] });
    let mut report = Report::default();
    check(&parse(&metadata).unwrap(), ROWS, &[], &mut report);
    assert_eq!(
        report.errors,
        [
            "`new` has no row in tidy's table of crates",
            "tidy's table of crates names `high`, which is gone",
        ]
    );
}

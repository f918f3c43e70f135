//! The built-in cases are whole, and wrong ones are refused.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;

use super::{Made, built_in, read_all};

/// Names of requirements and their scenarios: each must be a case.
const SCENARIOS: &str = include_str!("../../../conformance/scenarios.json");

#[test]
fn every_scenario_is_a_case() {
    let scenarios: BTreeSet<String> = serde_json::from_str(SCENARIOS).unwrap();
    let cases: BTreeSet<String> = built_in().unwrap().into_iter().map(|case| case.name).collect();
    let missing: Vec<&String> = scenarios.difference(&cases).collect();
    assert_eq!((scenarios.len(), missing), (32, Vec::new()));
}

#[test]
fn there_are_several_hundred_cases_and_each_names_a_requirement() {
    let cases = built_in().unwrap();
    assert!(cases.len() >= 300, "{}", cases.len());
    let known: BTreeSet<String> = (1..=10).map(|number| format!("W{number}")).collect();
    let used: BTreeSet<String> = cases.into_iter().map(|case| case.spec).collect();
    assert_eq!(used, known);
}

#[test]
fn what_is_not_understood_is_an_error_that_names_the_case() {
    for (case, error) in [
        (r#"{"name": "a", "spec": "W1", "cal": {}}"#, "unknown field `cal`"),
        (r#"{"name": "a", "spec": "W1"}"#, "give `call` and `expect`, or `calls`"),
        (
            r#"{"name": "a", "spec": "W1", "call": {"tool": "bash", "args": {}}, "expect": {"$x": 1}}"#,
            "there is no matcher `$x`",
        ),
        (
            r#"{"name": "a", "spec": "W1", "files": {"f": {"hex": "0"}}, "call": {"tool": "bash", "args": {}}, "expect": {}}"#,
            "`hex` is not made of pairs of hexadecimal digits",
        ),
        (
            r#"{"name": "a", "spec": "W1", "files": {"f": {"fifo": true, "text": ""}}, "call": {"tool": "bash", "args": {}}, "expect": {}}"#,
            "a link, a pipe or a folder is nothing else",
        ),
    ] {
        let refused = read_all([("area", format!("[{case}]").as_str())]).unwrap_err();
        let refused = format!("{refused:#}");
        assert!(refused.starts_with("the case `a` of `area`: "), "{refused}");
        assert!(refused.contains(error), "{refused}");
    }
}

#[test]
fn a_name_cannot_stand_twice() {
    let case =
        r#"[{"name": "a", "spec": "W1", "call": {"tool": "bash", "args": {}}, "expect": {}}]"#;
    let refused = read_all([("one", case), ("two", case)]).unwrap_err();
    assert_eq!(refused.to_string(), "two cases are called `a`");
}

#[test]
fn a_file_can_be_made_in_several_ways() {
    let bytes = |made: &str| serde_json::from_str::<Made>(made).unwrap().bytes().unwrap();
    assert_eq!(bytes(r#"{"hex": "00 fFa1"}"#), [0x00, 0xff, 0xa1]);
    assert_eq!(bytes(r#"{"text": "a\n", "repeat": 2, "crlf": true}"#), b"a\r\na\r\n");
    assert_eq!(bytes(r#"{"lines": 2}"#), b"line 1\nline 2\n");
}

//! The table at the end.

use openspace_isolation::Provider;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Failure, Mismatch, Report};
use crate::conformance::cases::{Case, read_all};

fn cases() -> Vec<Case> {
    let case = |name: &str| {
        json!([{"name": name, "spec": "W1", "call": {"tool": "bash", "args": {}}, "expect": {}}])
            .to_string()
    };
    read_all([("bash", case("one").as_str()), ("read", case("two").as_str())]).unwrap()
}

fn failure() -> Failure {
    let mismatch = Mismatch { at: "/stdout".into(), expected: "1".into(), found: "2".into() };
    Failure { place: "call 1 (bash)".into(), mismatch }
}

#[test]
fn a_failure_is_told_with_what_was_expected_and_found() {
    let cases = cases();
    let mut report = Report::new(&cases);
    report.add(Provider::Local, &cases[0], Ok(Vec::new()));
    report.add(Provider::Local, &cases[1], Ok(vec![failure()]));
    report.cannot_be_had(Provider::Sandbox, "no namespaces".into());
    let text = "\
area               local     sandbox
bash                 1/1         0/0
read                 0/1         0/0
all                  1/2         0/0

sandbox cannot be had: no namespaces

FAILED on local: two (read, W1)
  call 1 (bash) at /stdout
    expected  1
    found     2

1 of 2 passed";
    assert_eq!(report.to_text(), text);
    let value = json!({
        "passed": false,
        "providers": [
            {
                "passed": 1, "failed": 1, "total": 2, "provider": "local", "missing": null,
                "areas": {
                    "bash": {"passed": 1, "failed": 0, "total": 1},
                    "read": {"passed": 0, "failed": 1, "total": 1},
                },
            },
            {
                "passed": 0, "failed": 0, "total": 0, "provider": "sandbox",
                "missing": "no namespaces",
                "areas": {
                    "bash": {"passed": 0, "failed": 0, "total": 0},
                    "read": {"passed": 0, "failed": 0, "total": 0},
                },
            },
        ],
        "failures": [{
            "provider": "local", "area": "read", "name": "two", "spec": "W1",
            "differences": [{
                "place": "call 1 (bash)", "at": "/stdout", "expected": "1", "found": "2",
            }],
        }],
    });
    assert_eq!(report.to_value(), value);
}

#[test]
fn nothing_passes_unless_every_case_ran_and_passed() {
    let cases = cases();
    let passed = |fill: &dyn Fn(&mut Report)| {
        let mut report = Report::new(&cases);
        fill(&mut report);
        report.all_passed()
    };
    assert!(passed(&|report| report.add(Provider::Local, &cases[0], Ok(Vec::new()))));
    assert!(!passed(&|_| {}));
    assert!(!passed(&|report| report.cannot_be_had(Provider::Local, "x".into())));
    assert!(!passed(&|report| {
        report.add(Provider::Local, &cases[0], Ok(Vec::new()));
        report.add(Provider::Runner, &cases[0], Err(anyhow::anyhow!("it broke")));
    }));
}

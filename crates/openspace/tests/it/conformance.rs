//! The tools do the same on every provider: the cases that come with the program, run by it.

use std::{path::PathBuf, time::Duration};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Space, write};

/// All cases of one provider, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_mins(10);

/// The runner that was built for the tests, else the one beside the program.
#[expect(clippy::disallowed_methods, reason = "the one thing a test is told by its surroundings")]
fn runner() -> PathBuf {
    let given = std::env::var_os("OPENSPACE_RUNNER").map(PathBuf::from);
    given.unwrap_or_else(|| {
        PathBuf::from(env!("CARGO_BIN_EXE_openspace")).with_file_name("openspace-runner")
    })
}

/// The exit code and the report of a run.
async fn conformance(space: &Space, arguments: &[&str]) -> (Option<i32>, Value) {
    let mut command = space.program();
    command.args(["conformance", "--json"]).args(arguments).arg("--runner").arg(runner());
    let mut command = tokio::process::Command::from(command);
    let running = command.kill_on_drop(true).output();
    let output = tokio::time::timeout(PATIENCE, running).await.expect("it ends in time").unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}"));
    (output.status.code(), report)
}

async fn every_case_passes_on(provider: &str) {
    let (code, report) = conformance(&Space::new(), &["--provider", provider]).await;
    assert_eq!(report["failures"], json!([]));
    let column = &report["providers"][0];
    let total = column["total"].as_u64().unwrap();
    assert!(total >= 300, "{total}");
    assert_eq!(
        (code, &column["provider"], &column["passed"], &column["failed"], &column["missing"]),
        (Some(0), &json!(provider), &json!(total), &json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn every_case_passes_in_the_servers_own_process() {
    every_case_passes_on("local").await;
}

#[tokio::test]
async fn every_case_passes_in_a_runner() {
    every_case_passes_on("runner").await;
}

#[tokio::test]
async fn every_case_passes_in_a_sandbox() {
    every_case_passes_on("sandbox").await;
}

#[tokio::test]
async fn a_wrong_expectation_fails() {
    let space = Space::new();
    let file = space.folder().join("cases.json");
    let case = |name: &str, expected: &str| {
        let call = json!({"tool": "bash", "args": {"command": "echo hello"}});
        json!({"name": name, "spec": "W1", "call": call, "expect": {"stdout": expected}})
    };
    let cases = json!([case("right", "hello\n"), case("wrong", "goodbye\n")]);
    write(&file, cases.to_string());
    let arguments = ["--provider", "local", "--cases", file.to_str().unwrap()];
    let (code, report) = conformance(&space, &arguments).await;
    let failure = json!([{
        "provider": "local", "area": "given", "name": "wrong", "spec": "W1",
        "differences": [{
            "place": "call 1 (bash)", "at": "/stdout",
            "expected": "\"goodbye\\n\"", "found": "\"hello\\n\"",
        }],
    }]);
    assert_eq!((code, &report["failures"]), (Some(1), &failure));
}

#[tokio::test]
async fn a_provider_that_cannot_be_had_fails() {
    let space = Space::new();
    let mut command = space.program();
    command.args(["conformance", "--provider", "runner", "--filter", "exit code 42"]);
    command.args(["--runner", "no-such-runner"]);
    let finished = crate::support::finish(command).await;
    assert_eq!(finished.code, Some(1));
    assert!(finished.out.contains("\nrunner cannot be had: "), "{}", finished.out);
    assert!(finished.out.ends_with("\n0 of 0 passed\n"), "{}", finished.out);
}

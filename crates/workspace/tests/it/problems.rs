//! `editor.report_problems` and `editor.diagnostics`.

use openspace_workspace::areas::problems::ProblemsPart;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, with};

fn problem(path: &str, line: u32) -> Value {
    json!({"path": path, "startLine": line, "severity": "warning", "message": "unused"})
}

#[tokio::test]
async fn a_report_replaces_what_the_same_source_said_before() {
    let bench = Bench::open(&[("a.rs", ""), ("src/b.rs", "")]).await;
    let mut view = bench.attach();
    let exact = json!({"path": bench.place("a.rs"), "startLine": 3, "startColumn": 1, "endLine": 3,
        "endColumn": 9, "severity": "error", "message": "mismatched types", "code": "E0308"});
    let problems = json!([problem("./src/b.rs", 7), exact]);
    let report = json!({"source": "rustc", "problems": problems});
    assert_eq!(
        bench.ok("editor.report_problems", report).await,
        json!({"total": 2, "shortened": 0})
    );
    let exact = with(exact, json!({"path": "a.rs"}));
    let told = json!({
        "rustc\na.rs": {"source": "rustc", "path": "a.rs", "problems": [exact]},
        "rustc\nsrc/b.rs": {"source": "rustc", "path": "src/b.rs", "problems": [problem("src/b.rs", 7)]},
    });
    assert_eq!(view.changed("problems").await, told);

    let lint = json!({"source": "lint", "problems": [problem("src/b.rs", 1)]});
    bench.ok("editor.report_problems", lint).await;
    let by = |source: &str, problem: Value| with(json!({"source": source}), problem);
    let all = json!({"problems": [by("rustc", exact.clone()), by("lint", problem("src/b.rs", 1)),
        by("rustc", problem("src/b.rs", 7))], "total": 3, "errors": 1, "warnings": 2});
    assert_eq!(bench.ok("editor.diagnostics", json!({})).await, all);
    let only = json!({"problems": [by("rustc", exact.clone())], "total": 1, "errors": 1,
        "warnings": 0});
    assert_eq!(bench.ok("editor.diagnostics", json!({"severity": "error"})).await, only);
    assert_eq!(bench.ok("editor.diagnostics", json!({"path": "a.rs"})).await, only);
    let folder = bench.ok("editor.diagnostics", json!({"path": "src"})).await;
    assert_eq!(folder["total"], json!(2));

    let of_one = json!({"source": "rustc", "path": "src/b.rs", "problems": [
        {"startLine": 8, "message": "gone"}]});
    assert_eq!(bench.ok("editor.report_problems", of_one).await["total"], json!(2));
    let clear = json!({"source": "rustc", "problems": []});
    assert_eq!(bench.ok("editor.report_problems", clear).await["total"], json!(0));
    assert_eq!(
        json!(bench.state().part::<ProblemsPart>()),
        json!({"lint\nsrc/b.rs": {"source": "lint", "path": "src/b.rs", "problems": [problem("src/b.rs", 1)]}})
    );
    let none = json!({"problems": [], "total": 0, "errors": 0, "warnings": 0});
    assert_eq!(bench.ok("editor.diagnostics", json!({"path": "a.rs"})).await, none);
}

#[tokio::test]
async fn a_file_that_does_not_exist_is_named_with_those_that_do() {
    let bench = Bench::open(&[("src/main.rs", "")]).await;
    let failure = bench.failure("editor.diagnostics", json!({"path": "src/mian.rs"})).await;
    assert_eq!(failure["kind"], json!("not_found"));
    assert_eq!(failure["hint"], json!("did you mean src/main.rs?"));
    let report = json!({"source": "lint", "problems": [problem("src/mian.rs", 1)]});
    bench.ok("editor.report_problems", report).await;
    let found = bench.ok("editor.diagnostics", json!({"path": "src/mian.rs"})).await;
    assert_eq!(found["total"], json!(1), "what was reported of it is known");
}

#[tokio::test]
async fn a_report_is_refused_whole_and_names_what_is_wrong() {
    let bench = Bench::open(&[("a.rs", "")]).await;
    let long = "x".repeat(101);
    for (report, message) in [
        (json!({"source": "", "problems": []}), "argument `source`: 1 to 100 printable characters"),
        (
            json!({"source": long, "problems": []}),
            "argument `source`: 1 to 100 printable characters",
        ),
        (
            json!({"source": "l", "problems": [problem("a.rs", 1), problem("a.rs", 0)]}),
            "argument `problems[1]`: lines and columns count from 1",
        ),
        (
            json!({"source": "l", "problems": [{"startLine": 1, "message": "m"}]}),
            "argument `problems[0]`: give a `path`",
        ),
        (
            json!({"source": "l", "path": "a.rs", "problems": [problem("b.rs", 1)]}),
            "argument `problems[0]`: `b.rs` is not the file that the report is about",
        ),
    ] {
        bench.fails("editor.report_problems", report, "invalid_args", message).await;
    }
    let outside = json!({"source": "l", "problems": [problem("/etc/passwd", 1)]});
    let failure = bench.failure("editor.report_problems", outside).await;
    assert!(
        failure["error"].as_str().unwrap().starts_with("argument `problems[0]`: "),
        "{failure}"
    );
    assert_eq!(json!(bench.state().part::<ProblemsPart>()), json!({}));
}

#[tokio::test]
async fn there_is_a_bound() {
    let bench = Bench::open(&[]).await;
    let many: Vec<Value> = (1..=20_000).map(|line| problem("a.rs", line)).collect();
    bench.ok("editor.report_problems", json!({"source": "a", "problems": many})).await;
    let one = json!({"source": "b", "problems": [problem("a.rs", 1)]});
    let message = "that would be 20001 problems; there can be no more than 20000";
    bench.fails("editor.report_problems", one, "conflict", message).await;
    let listed = bench.ok("editor.diagnostics", json!({})).await;
    let count = listed["problems"].as_array().unwrap().len();
    assert_eq!((&listed["total"], count), (&json!(20_000), 1_000));
    let long = json!({"path": "a.rs", "startLine": 1, "message": "é".repeat(2_001)});
    let noted =
        bench.ok("editor.report_problems", json!({"source": "a", "problems": [long]})).await;
    assert_eq!(noted, json!({"total": 1, "shortened": 1}));
    let kept =
        bench.state().part::<ProblemsPart>().values().next().unwrap().problems[0].message.clone();
    assert_eq!((kept.chars().count(), kept.ends_with("é…")), (2_000, true));
}

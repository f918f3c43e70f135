//! `workspace.glob` and `workspace.grep`.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Bench, steady};

async fn tree() -> Bench {
    Bench::open(&[
        (".gitignore", "ignored/\n"),
        (".env", "NOTE=1\n"),
        ("ignored/c.rs", "// NOTE ignored\n"),
        ("src/a.rs", "fn main() {\n    // NOTE one\n    run();\n}\n"),
        ("src/b.ts", "// note two\nconst a = 1; // NOTE three\n"),
        ("bin.dat", "NOTE\0\x01"),
    ])
    .await
}

/// The paths of a page, sorted, because files of a test are of one age.
fn paths(answer: &Value) -> Vec<String> {
    let mut paths: Vec<String> = answer["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["path"].as_str().unwrap().to_owned())
        .collect();
    paths.sort_unstable();
    paths
}

#[tokio::test]
async fn files_are_found_by_pattern() {
    let bench = tree().await;
    let found = bench.ok("workspace.glob", json!({"pattern": "**/*.rs"})).await;
    let expected = json!({
        "paths": [{"path": "src/a.rs", "modified": 0, "size": 41}], "total": 1,
        "truncated": false, "scanned": 5, "unreadable": 0,
    });
    assert_eq!(steady(found), expected);
    let cases: [(Value, &[&str]); 9] = [
        (json!({"pattern": "*.ts"}), &["src/b.ts"]),
        (json!({"query": "*", "path": "src"}), &["src/a.rs", "src/b.ts"]),
        (json!({"glob": "*", "folder": "src"}), &["src/a.rs", "src/b.ts"]),
        (json!({"pattern": "*", "directory": "./src/"}), &["src/a.rs", "src/b.ts"]),
        (json!({"pattern": "*.rs", "respect_gitignore": false}), &["ignored/c.rs", "src/a.rs"]),
        (json!({"pattern": "*.rs", "respectGitignore": false}), &["ignored/c.rs", "src/a.rs"]),
        (json!({"pattern": "*", "hidden": false}), &["bin.dat", "src/a.rs", "src/b.ts"]),
        (json!({"pattern": "*.{rs,ts}", "workspaceId": "main"}), &["src/a.rs", "src/b.ts"]),
        (json!({"pattern": "*.none"}), &[]),
    ];
    for (args, expected) in cases {
        assert_eq!(paths(&bench.ok("workspace.glob", args.clone()).await), expected, "{args}");
    }
    for limit in ["limit", "head_limit"] {
        let few =
            bench.ok("workspace.glob", json!({"pattern": "*", "path": "src", limit: 1})).await;
        let facts = (paths(&few).len(), &few["total"], &few["truncated"]);
        assert_eq!(facts, (1, &json!(2), &json!(true)));
    }
}

#[tokio::test]
async fn the_newest_file_comes_first() {
    let bench = Bench::open(&[]).await;
    let touch = "for n in 1 3 2; do touch -d @1000$n f$n; done";
    bench.ok("workspace.bash", json!({"command": touch})).await;
    assert_eq!(bench.text("workspace.glob", json!({"pattern": "f*"})).await, "f3\nf2\nf1");
    let text = bench.text("workspace.glob", json!({"pattern": "f*", "limit": 1})).await;
    let more = "(1 of 3 files, the newest; a narrower pattern or a larger limit shows more)";
    assert_eq!(text, format!("f3\n{more}"));
    let none = bench.text("workspace.glob", json!({"pattern": "*.rs"})).await;
    assert_eq!(none, "No files match (3 looked at).");
}

#[tokio::test]
async fn contents_are_found_with_their_lines() {
    let bench = tree().await;
    let found = bench.ok("workspace.grep", json!({"pattern": "NOTE"})).await;
    let expected = json!({
        "matches": [
            {"path": "src/a.rs", "line": 2, "text": "    // NOTE one"},
            {"path": "src/b.ts", "line": 2, "text": "const a = 1; // NOTE three"},
        ],
        "total_matches": 2, "total_files": 2, "truncated": false, "scanned_files": 3,
        "skipped_binary": 1, "skipped_secret": 1, "skipped_large": 0, "unreadable": 0,
    });
    assert_eq!(found, expected);
    let text = "src/a.rs:\n  2:     // NOTE one\nsrc/b.ts:\n  2: const a = 1; // NOTE three\n(not \
                searched: 1 secret, 1 binary files)";
    assert_eq!(bench.text("workspace.grep", json!({"pattern": "NOTE"})).await, text);
    let args = json!({"pattern": "NOTE", "path": "src/a.rs", "context": 1});
    let text = "src/a.rs:\n  1- fn main() {\n  2:     // NOTE one\n  3-     run();";
    assert_eq!(bench.text("workspace.grep", args).await, text);
    let none = bench.text("workspace.grep", json!({"pattern": "zzz", "path": "src"})).await;
    assert_eq!(none, "No matches (2 files searched).");
    let few = bench.text("workspace.grep", json!({"pattern": "NOTE", "path": "src", "limit": 1}));
    let more = "(1 results of 2 in 2 files; a larger offset or limit shows more)";
    assert_eq!(few.await, format!("src/a.rs:\n  2:     // NOTE one\n{more}"));
}

#[tokio::test]
async fn a_search_can_be_narrowed_in_every_way_models_know() {
    let bench = tree().await;
    let (a, b1, b2) = ("src/a.rs:2", "src/b.ts:1", "src/b.ts:2");
    let cases: [(Value, &[&str]); 22] = [
        (json!({"query": "NOTE"}), &[a, b2]),
        (json!({"regex": "N.TE"}), &[a, b2]),
        (json!({"pattern": "NOTE", "folder": "src"}), &[a, b2]),
        (json!({"pattern": "NOTE", "directory": "src"}), &[a, b2]),
        (json!({"pattern": "NOTE", "include": "*.ts"}), &[b2]),
        (json!({"pattern": "NOTE", "glob": "*.ts"}), &[b2]),
        (json!({"pattern": "NOTE", "include_pattern": "*.ts"}), &[b2]),
        (json!({"pattern": "NOTE", "type": "rust"}), &[a]),
        (json!({"pattern": "NOTE", "file_type": "rust"}), &[a]),
        (json!({"pattern": "NOTE", "fileType": "rust"}), &[a]),
        (json!({"pattern": "NOTE", "case_insensitive": true}), &[a, b1, b2]),
        (json!({"pattern": "NOTE", "-i": true, "-n": true}), &[a, b1, b2]),
        (json!({"pattern": "NOTE", "ignore_case": true}), &[a, b1, b2]),
        (json!({"pattern": "NOTE", "caseInsensitive": true}), &[a, b1, b2]),
        (json!({"pattern": "N.TE", "fixed_strings": true}), &[]),
        (json!({"pattern": "run()", "literal": true}), &["src/a.rs:3"]),
        (json!({"pattern": "run()", "-F": true}), &["src/a.rs:3"]),
        (json!({"pattern": "NOTE", "offset": 1}), &[b2]),
        (json!({"pattern": "NOTE", "head_limit": 1}), &[a]),
        (json!({"pattern": "NOTE", "max_results": 1, "workspaceId": "main"}), &[a]),
        (json!({"pattern": "main.*run", "multiline": true}), &["src/a.rs:1"]),
        (json!({"pattern": "NOTE", "respectGitignore": false}), &["ignored/c.rs:1", a, b2]),
    ];
    for (args, expected) in cases {
        let found = bench.ok("workspace.grep", args.clone()).await;
        let place = |hit: &Value| format!("{}:{}", hit["path"].as_str().unwrap(), hit["line"]);
        let places: Vec<String> = found["matches"].as_array().unwrap().iter().map(place).collect();
        assert_eq!(places, expected, "{args}");
    }
    for (before, after) in [("-B", "-A"), ("before", "after"), ("-C", "-C"), ("context", "context")]
    {
        let args = json!({"pattern": "NOTE", "path": "src/a.rs", before: 1, after: 1});
        let found = bench.ok("workspace.grep", args).await;
        let line = |line: u64, text: &str| json!([{"line": line, "text": text}]);
        let hit = &found["matches"][0];
        assert_eq!(hit["before"], line(1, "fn main() {"));
        assert_eq!(hit["after"], line(3, "    run();"));
    }
}

#[tokio::test]
async fn a_search_can_answer_with_files_or_counts() {
    let bench = tree().await;
    for mode in ["output_mode", "mode", "outputMode"] {
        let args = json!({"pattern": "note", "-i": true, mode: "files_with_matches"});
        let found = bench.ok("workspace.grep", args).await;
        assert_eq!(found["files"], json!([{"path": "src/a.rs"}, {"path": "src/b.ts"}]));
    }
    let args = json!({"pattern": "note", "-i": true, "output_mode": "count", "path": "src"});
    let found = bench.ok("workspace.grep", args.clone()).await;
    let counts = json!([{"path": "src/a.rs", "matches": 1}, {"path": "src/b.ts", "matches": 2}]);
    assert_eq!(found["files"], counts);
    assert_eq!(bench.text("workspace.grep", args).await, "src/a.rs: 1\nsrc/b.ts: 2");
    let args = json!({"pattern": "note", "-i": true, "mode": "files_with_matches", "path": "src"});
    assert_eq!(bench.text("workspace.grep", args).await, "src/a.rs\nsrc/b.ts");
}

#[tokio::test]
async fn what_cannot_be_searched_is_refused() {
    let bench = tree().await;
    let cases = [
        (
            "workspace.glob",
            json!({"pattern": "*", "limit": 0}),
            "invalid_args",
            "argument `limit`: must be 1 to 10000",
        ),
        (
            "workspace.glob",
            json!({"pattern": "*", "path": "gone"}),
            "not_found",
            "`gone` does not exist",
        ),
        (
            "workspace.glob",
            json!({"pattern": "*", "path": "/etc"}),
            "denied",
            "`/etc` is outside the workspace",
        ),
        (
            "workspace.glob",
            json!({"pattern": "*", "workspace": "w9"}),
            "not_found",
            "there is no workspace `w9`",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "limit": 10_001}),
            "invalid_args",
            "argument `limit`: must be 1 to 10000",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "before": 101}),
            "invalid_args",
            "argument `before`: must be 0 to 100",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "after": 101}),
            "invalid_args",
            "argument `after`: must be 0 to 100",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "context": 101}),
            "invalid_args",
            "argument `context`: must be 0 to 100",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "type": "klingon"}),
            "invalid_args",
            "there is no file type `klingon`",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "path": "gone"}),
            "not_found",
            "`gone` does not exist",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "path": ".env"}),
            "denied",
            "reading `.env` is not allowed by the rule `.env`",
        ),
    ];
    for (command, args, kind, message) in cases {
        bench.fails(command, args, kind, message).await;
    }
    let hints = [
        ("workspace.glob", json!({"pattern": "a[", }), "patterns are globs such as `src/**/*.rs`"),
        (
            "workspace.grep",
            json!({"pattern": "a("}),
            "the syntax is that of Rust's regex crate; fixed_strings searches plain text",
        ),
        ("workspace.grep", json!({"pattern": "a\n"}), "set multiline"),
        (
            "workspace.grep",
            json!({"pattern": "x", "type": "klingon"}),
            "types are ripgrep's, such as rust, ts, py; or use include",
        ),
        (
            "workspace.grep",
            json!({"pattern": "x", "offset": 4_000_000_000_u32}),
            "narrow the search with path or include",
        ),
        ("workspace.glob", json!({"pattern": "*", "path": "scr"}), "did you mean src?"),
    ];
    for (command, args, hint) in hints {
        let failure = bench.failure(command, args).await;
        assert_eq!(failure["hint"], hint, "{failure}");
    }
}

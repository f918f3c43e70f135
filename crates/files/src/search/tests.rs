//! Finding files by name: what matches, what comes first, what is counted.

use std::fs;

use super::*;
use crate::files::tests::{Stage, rel};

fn stage(files: &[&str]) -> Stage {
    let stage = Stage::new();
    for file in files {
        stage.put(file, "");
    }
    stage
}

fn query(text: &str) -> Query {
    Query { query: text.to_owned(), ..Query::default() }
}

fn paths(stage: &Stage, query: &Query) -> Vec<String> {
    let found = search(&stage.files, query, &|| false).unwrap();
    found.matches.into_iter().map(|hit| hit.path.into()).collect()
}

#[test]
fn letters_match_in_order_and_the_best_come_first() {
    let stage = stage(&["src/files/reader.rs", "src/rules.rs", "docs/overview.md", "src/files.rs"]);
    assert_eq!(paths(&stage, &query("files.rs"))[0], "src/files.rs");
    assert_eq!(paths(&stage, &query("SFREAD")), ["src/files/reader.rs"]);
    assert_eq!(paths(&stage, &query("rules src")), ["src/rules.rs"]);
    assert_eq!(paths(&stage, &query("zzz")), Vec::<String>::new());
    assert_eq!(paths(&stage, &query("!rules")), Vec::<String>::new());
}

#[test]
fn equal_scores_go_by_length_then_name() {
    let stage = stage(&["b/x.rs", "a/x.rs", "c/x.rs"]);
    let found = search(&stage.files, &query("x.rs"), &|| false).unwrap();
    let shown: Vec<_> = found.matches.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(shown, ["a/x.rs", "b/x.rs", "c/x.rs"]);
    assert!(found.matches.iter().all(|hit| hit.score == found.matches[0].score && hit.score > 0));
}

#[test]
fn an_empty_query_lists_all_files_by_name() {
    let stage = stage(&["zz", "a/long/name", "b", ".hidden", "ignored/x", ".git/config"]);
    stage.put(".gitignore", "ignored");
    fs::create_dir(stage.path("empty")).unwrap();
    let found = search(&stage.files, &Query::default(), &|| false).unwrap();
    let hit = |path: &str| Hit { path: rel(path), score: 0, bad_name: false };
    assert_eq!(
        found,
        Found {
            matches: [".gitignore", ".hidden", "a/long/name", "b", "zz"].map(hit).to_vec(),
            total: 5,
            truncated: false,
            scanned: 5,
            unreadable: 0,
        }
    );
}

#[test]
fn only_the_limit_is_returned_and_all_are_counted() {
    let files: Vec<_> = (0..120).map(|number| format!("file-{number:03}")).collect();
    let stage = stage(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let found = search(&stage.files, &query("file"), &|| false).unwrap();
    assert_eq!(
        (found.matches.len(), found.total, found.truncated, found.scanned),
        (50, 120, true, 120)
    );
    let found =
        search(&stage.files, &Query { limit: Some(2), ..query("file") }, &|| false).unwrap();
    let shown: Vec<_> = found.matches.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!((shown, found.total, found.truncated), (vec!["file-000", "file-001"], 120, true));
}

#[test]
fn globs_and_the_folder_narrow_the_search() {
    let stage =
        stage(&["a.ts", "web/b.ts", "web/c.js", "web/gen/d.ts", "src/e.rs", "other/web/f.ts"]);
    let narrowed = |include: Option<&str>, exclude: Option<&str>, path: Option<&str>| {
        let query = Query {
            include_pattern: include.map(str::to_owned),
            exclude_pattern: exclude.map(str::to_owned),
            path: path.map(rel),
            ..Query::default()
        };
        paths(&stage, &query)
    };
    assert_eq!(narrowed(Some("*.rs"), None, None), ["src/e.rs"]);
    assert_eq!(narrowed(Some("**/*.{rs,js}"), None, None), ["src/e.rs", "web/c.js"]);
    assert_eq!(narrowed(Some("web/*.ts"), None, None), ["web/b.ts"]);
    assert_eq!(narrowed(Some("/web"), Some("gen/"), None), ["web/b.ts", "web/c.js"]);
    assert_eq!(narrowed(None, Some("web"), None), ["a.ts", "src/e.rs"]);
    assert_eq!(narrowed(Some("*.ts"), None, Some("web")), ["web/b.ts", "web/gen/d.ts"]);
}

#[test]
fn bad_arguments_are_named() {
    let stage = stage(&["file"]);
    let error = |query: Query| search(&stage.files, &query, &|| false).unwrap_err().to_string();
    assert_eq!(
        error(Query { include_pattern: Some("{a".to_owned()), ..Query::default() }),
        "the pattern `{a` cannot be used: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
    );
    assert_eq!(
        error(Query { path: Some(rel("missing")), ..Query::default() }),
        "`missing` does not exist"
    );
    assert_eq!(
        error(Query { path: Some(rel("file")), ..Query::default() }),
        "`file` is not a folder"
    );
}

#[test]
fn a_search_does_not_leave_the_root() {
    let stage = stage(&["sub/inside.txt"]);
    stage.put_outside("secret.txt", "");
    stage.link("../outside", "door");
    stage.link("../outside/secret.txt", "secret-link.txt");
    stage.link("sub", "alias");
    stage.link("sub/inside.txt", "inside-link.txt");
    assert_eq!(paths(&stage, &query("txt")), ["sub/inside.txt", "inside-link.txt"]);
    let through = Query { path: Some(rel("door")), ..query("secret") };
    let error = search(&stage.files, &through, &|| false).unwrap_err();
    assert!(matches!(error, FileError::LeadsOut { .. }));
    let cancelled = search(&stage.files, &query("txt"), &|| true).unwrap_err();
    assert!(matches!(cancelled, FileError::Cancelled));
}

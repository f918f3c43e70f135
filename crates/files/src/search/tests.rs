//! Finding files by name: what matches, what comes first, what is counted.

use std::fs;

use super::*;
use crate::files::tests::{Place, rel};

fn place(files: &[&str]) -> Place {
    let place = Place::new();
    for file in files {
        place.put(file, "");
    }
    place
}

fn query(text: &str) -> Query {
    Query { query: text.to_owned(), ..Query::default() }
}

fn paths(place: &Place, query: &Query) -> Vec<String> {
    let found = search(&place.files, query, &|| false).unwrap();
    found.matches.into_iter().map(|hit| hit.path.into()).collect()
}

#[test]
fn letters_match_in_order_and_the_best_come_first() {
    let place = place(&["src/files/reader.rs", "src/rules.rs", "docs/overview.md", "src/files.rs"]);
    assert_eq!(paths(&place, &query("files.rs"))[0], "src/files.rs");
    assert_eq!(paths(&place, &query("SFREAD")), ["src/files/reader.rs"]);
    assert_eq!(paths(&place, &query("rules src")), ["src/rules.rs"]);
    assert_eq!(paths(&place, &query("zzz")), Vec::<String>::new());
    assert_eq!(paths(&place, &query("!rules")), Vec::<String>::new());
}

#[test]
fn equal_scores_go_by_length_then_name() {
    let place = place(&["b/x.rs", "a/x.rs", "c/x.rs"]);
    let found = search(&place.files, &query("x.rs"), &|| false).unwrap();
    let shown: Vec<_> = found.matches.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(shown, ["a/x.rs", "b/x.rs", "c/x.rs"]);
    assert!(found.matches.iter().all(|hit| hit.score == found.matches[0].score && hit.score > 0));
}

#[test]
fn an_empty_query_lists_all_files_by_name() {
    let place = place(&["zz", "a/long/name", "b", ".hidden", "ignored/x", ".git/config"]);
    place.put(".gitignore", "ignored");
    fs::create_dir(place.path("empty")).unwrap();
    let found = search(&place.files, &Query::default(), &|| false).unwrap();
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
    let place = place(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let found = search(&place.files, &query("file"), &|| false).unwrap();
    assert_eq!(
        (found.matches.len(), found.total, found.truncated, found.scanned),
        (50, 120, true, 120)
    );
    let found =
        search(&place.files, &Query { limit: Some(2), ..query("file") }, &|| false).unwrap();
    let shown: Vec<_> = found.matches.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!((shown, found.total, found.truncated), (vec!["file-000", "file-001"], 120, true));
}

#[test]
fn globs_and_the_folder_narrow_the_search() {
    let place =
        place(&["a.ts", "web/b.ts", "web/c.js", "web/gen/d.ts", "src/e.rs", "other/web/f.ts"]);
    let narrowed = |include: Option<&str>, exclude: Option<&str>, path: Option<&str>| {
        let query = Query {
            include_pattern: include.map(str::to_owned),
            exclude_pattern: exclude.map(str::to_owned),
            path: path.map(rel),
            ..Query::default()
        };
        paths(&place, &query)
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
    let place = place(&["file"]);
    let error = |query: Query| search(&place.files, &query, &|| false).unwrap_err().to_string();
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
    let place = place(&["sub/inside.txt"]);
    place.put_outside("secret.txt", "");
    place.link("../outside", "door");
    place.link("../outside/secret.txt", "secret-link.txt");
    place.link("sub", "alias");
    place.link("sub/inside.txt", "inside-link.txt");
    assert_eq!(paths(&place, &query("txt")), ["sub/inside.txt", "inside-link.txt"]);
    let through = Query { path: Some(rel("door")), ..query("secret") };
    let error = search(&place.files, &through, &|| false).unwrap_err();
    assert!(matches!(error, FileError::LeadsOut { .. }));
    let cancelled = search(&place.files, &query("txt"), &|| true).unwrap_err();
    assert!(matches!(cancelled, FileError::Cancelled));
}

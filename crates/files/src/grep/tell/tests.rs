//! What is told, and when a search ends.

use std::sync::Mutex;

use super::*;
use crate::files::tests::{Stage, rel};

/// What was told, by path, as `path:line:number of matches`, and the answer.
fn told(stage: &Stage, query: &GrepQuery) -> (Vec<String>, Grepped) {
    let told = Mutex::new(Vec::new());
    let listener = |found: FileMatches| {
        let mut told = told.lock().unwrap();
        for line in found.matches {
            told.push(format!("{}:{}:{}", found.path, line.line, line.ranges.len()));
        }
        true
    };
    let grepped = tell(&stage.files, query, &listener, &|| false).unwrap();
    let mut told = told.into_inner().unwrap();
    told.sort();
    (told, grepped)
}

fn query(pattern: &str) -> GrepQuery {
    GrepQuery { limit: Some(1_000), ..GrepQuery::new(pattern) }
}

fn stage() -> Stage {
    let stage = Stage::new();
    stage.put(".gitignore", "target\n");
    stage.put("target/x", "hit\n");
    stage.put(".env", "hit\n");
    stage.put("src/a.rs", "hit hit\nno\nhit\n");
    stage.put("src/b.txt", "hit\n");
    stage.put("lib/c.rs", "hit\n");
    stage.put("binary", "hit\0");
    stage
}

#[test]
fn every_match_is_told_once_and_secrets_never() {
    let (told, found) = told(&stage(), &query("hit"));
    assert_eq!(told, ["lib/c.rs:1:1", "src/a.rs:1:2", "src/a.rs:3:1", "src/b.txt:1:1"]);
    let expected = Grepped {
        page: GrepPage::Matches(Vec::new()),
        total_matches: Some(5),
        total_files: 3,
        truncated: false,
        scanned_files: 4,
        skipped_binary: 1,
        skipped_secret: 1,
        skipped_large: 0,
        unreadable: 0,
    };
    assert_eq!(found, expected);
}

#[test]
fn globs_and_ignore_files_narrow_a_search() {
    let stage = stage();
    let with = |include: &[&str], exclude: &[&str], respect_gitignore: bool| {
        let own = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let (include, exclude) = (own(include), own(exclude));
        let query = GrepQuery { include, exclude, respect_gitignore, ..query("hit") };
        told(&stage, &query).0
    };
    assert_eq!(with(&["lib", "*.txt"], &[], true), ["lib/c.rs:1:1", "src/b.txt:1:1"]);
    assert_eq!(with(&[], &["**/src/**"], true), ["lib/c.rs:1:1"]);
    assert_eq!(with(&["src"], &["*.rs"], true), ["src/b.txt:1:1"]);
    assert_eq!(with(&[], &["src", "lib"], false), ["target/x:1:1"]);
    let one = GrepQuery { path: Some(rel("src/a.rs")), ..query("hit") };
    assert_eq!(told(&stage, &one).0, ["src/a.rs:1:2", "src/a.rs:3:1"]);
}

#[test]
fn no_more_is_told_than_was_asked_for() {
    let stage = stage();
    let (told, found) = told(&stage, &GrepQuery { limit: Some(2), ..query("hit") });
    let count = |line: &String| line.rsplit(':').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(told.iter().map(count).sum::<u64>(), 2);
    assert_eq!((found.total_matches, found.truncated), (Some(2), true));
    let all = GrepQuery { limit: Some(5), ..query("hit") };
    let (_, found) = self::told(&stage, &all);
    assert_eq!((found.total_matches, found.truncated), (Some(5), false));
}

#[test]
fn a_file_with_many_matches_is_told_in_pieces() {
    let stage = Stage::new();
    stage.put("many", format!("{}\n", "hit ".repeat(50)).repeat(1_000));
    let pieces = Mutex::new(Vec::new());
    let listener = |found: FileMatches| {
        pieces.lock().unwrap().push(found.matches.len());
        true
    };
    let query = GrepQuery { limit: Some(MAX_TOLD), ..query("hit") };
    let found = tell(&stage.files, &query, &listener, &|| false).unwrap();
    let pieces = pieces.into_inner().unwrap();
    assert_eq!((found.total_files, found.total_matches), (1, Some(50_000)));
    assert!(pieces.len() > 10 && pieces.iter().sum::<usize>() == 1_000, "{pieces:?}");
}

#[test]
fn a_search_ends_when_nobody_listens_or_it_is_taken_back() {
    let stage = stage();
    let ended = tell(&stage.files, &query("hit"), &|_| false, &|| false);
    assert!(matches!(ended, Err(GrepError::File(FileError::Cancelled))), "{ended:?}");
    let ended = tell(&stage.files, &query("hit"), &|_| true, &|| true);
    assert!(matches!(ended, Err(GrepError::File(FileError::Cancelled))), "{ended:?}");
}

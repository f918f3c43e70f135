//! Finding files by pattern: what matches, what comes first, what is passed over.

use std::{
    fs::{self, File},
    time::{Duration, UNIX_EPOCH},
};

use super::*;
use crate::files::tests::{Stage, rel};

/// A workspace whose files are as many seconds old as they come late in the list.
fn stage(files: &[&str]) -> Stage {
    let stage = Stage::new();
    for (seconds, file) in (0..).zip(files.iter().rev()) {
        put(&stage, file, seconds);
    }
    stage
}

fn put(stage: &Stage, file: &str, seconds: u64) {
    stage.put(file, "12345");
    let opened = File::options().write(true).open(stage.path(file)).unwrap();
    opened.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

fn globbed(stage: &Stage, query: &GlobQuery) -> Globbed {
    glob(&stage.files, query, &|| false).unwrap()
}

#[track_caller]
fn check(stage: &Stage, query: &GlobQuery, expected: &[&str]) {
    let found = globbed(stage, query);
    let shown: Vec<_> = found.paths.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(shown, expected, "{query:?}");
    assert_eq!((found.total, found.truncated), (expected.len() as u64, false));
}

#[test]
fn the_newest_come_first_and_equally_old_ones_by_path() {
    let stage = Stage::new();
    for (file, seconds) in [("old", 1), ("b/same", 2), ("b-same", 2), ("a/same", 2), ("new", 3)] {
        put(&stage, file, seconds);
    }
    let hit = |path, seconds: i64| GlobHit {
        path: rel(path),
        modified: seconds * 1000,
        size: 5,
        bad_name: false,
    };
    assert_eq!(
        globbed(&stage, &GlobQuery::new("**")),
        Globbed {
            paths: vec![
                hit("new", 3),
                hit("a/same", 2),
                hit("b-same", 2),
                hit("b/same", 2),
                hit("old", 1)
            ],
            total: 5,
            truncated: false,
            scanned: 5,
            unreadable: 0,
        }
    );
}

#[test]
fn patterns_mean_a_name_at_any_depth_or_a_path_from_the_folder() {
    let stage = stage(&["a.ts", "src/b.ts", "src/deep/er/c.ts", "src/d.js", "tests/src/e.ts"]);
    let from =
        |pattern: &str, path: &str| GlobQuery { path: Some(rel(path)), ..GlobQuery::new(pattern) };
    check(
        &stage,
        &GlobQuery::new("*.ts"),
        &["a.ts", "src/b.ts", "src/deep/er/c.ts", "tests/src/e.ts"],
    );
    check(&stage, &GlobQuery::new("/*.ts"), &["a.ts"]);
    check(&stage, &GlobQuery::new("src/*.ts"), &["src/b.ts"]);
    check(&stage, &GlobQuery::new("src/**/*.ts"), &["src/b.ts", "src/deep/er/c.ts"]);
    check(&stage, &GlobQuery::new("*.{js,md}"), &["src/d.js"]);
    check(&stage, &from("deep/**", "src"), &["src/deep/er/c.ts"]);
    check(&stage, &from("*.ts", "tests"), &["tests/src/e.ts"]);
    check(&stage, &from("src/*.ts", "src"), &[]);
}

#[test]
fn finding_nothing_is_no_error() {
    let stage = stage(&["a"]);
    let nothing = Globbed { paths: vec![], total: 0, truncated: false, scanned: 1, unreadable: 0 };
    assert_eq!(globbed(&stage, &GlobQuery::new("*.none")), nothing);
}

#[test]
fn bad_arguments_are_named() {
    let stage = stage(&["file"]);
    let error = |query: GlobQuery| glob(&stage.files, &query, &|| false).unwrap_err().to_string();
    assert_eq!(
        error(GlobQuery::new("src/{a")),
        "the pattern `src/{a` cannot be used: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
    );
    assert_eq!(
        error(GlobQuery::new("../*")),
        "the pattern `../*` cannot be used: it contains `..`"
    );
    for (path, expected) in
        [("missing", "`missing` does not exist"), ("file", "`file` is not a folder")]
    {
        assert_eq!(error(GlobQuery { path: Some(rel(path)), ..GlobQuery::new("*") }), expected);
    }
}

#[test]
fn only_the_newest_are_returned_and_all_are_counted() {
    let names: Vec<_> = (0..150).map(|number| format!("{}/{number:03}", number % 7)).collect();
    let stage = stage(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let found = globbed(&stage, &GlobQuery::new("**"));
    let shown: Vec<_> = found.paths.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(shown, names[..100]);
    assert_eq!((found.total, found.truncated, found.scanned), (150, true, 150));
    let found = globbed(&stage, &GlobQuery { limit: Some(0), ..GlobQuery::new("*") });
    assert_eq!((found.paths, found.total, found.truncated), (vec![], 150, true));
}

#[test]
fn ignored_and_hidden_files_are_found_when_asked_for() {
    let stage = stage(&["target/x", ".github/x", "x", ".git/x", "sub/.x/x"]);
    stage.put(".gitignore", "target\n");
    let query = GlobQuery::new("x");
    check(&stage, &query, &[".github/x", "x", "sub/.x/x"]);
    let all = GlobQuery { respect_gitignore: false, ..query.clone() };
    check(&stage, &all, &["target/x", ".github/x", "x", "sub/.x/x"]);
    check(&stage, &GlobQuery { hidden: false, ..query }, &["x"]);
}

#[test]
fn what_an_ignore_file_says_counts_more_than_what_git_ignores() {
    let stage = stage(&["target/x", "vendor/x", "sub/x", "sub/fixtures/x"]);
    stage.put(".gitignore", "target\n");
    stage.put(".ignore", "!target\nvendor\n");
    stage.put("sub/.ignore", "fixtures\n");
    let query = GlobQuery::new("x");
    check(&stage, &query, &["target/x", "sub/x"]);
    let start = GlobQuery { path: Some(rel("sub")), ..query.clone() };
    check(&stage, &start, &["sub/x"]);
    let all = GlobQuery { respect_gitignore: false, ..query };
    check(&stage, &all, &["target/x", "vendor/x", "sub/x", "sub/fixtures/x"]);
}

#[test]
fn links_lead_neither_in_circles_nor_out() {
    let stage = stage(&["sub/file"]);
    stage.put_outside("file", "");
    stage.link("..", "sub/up");
    stage.link("loop", "loop");
    stage.link("../outside", "door");
    stage.link("../outside/file", "outside-file");
    stage.link("missing", "dangling");
    stage.link("sub/file", "alias-file");
    check(&stage, &GlobQuery::new("**"), &["alias-file", "sub/file"]);
    let through = GlobQuery { path: Some(rel("door")), ..GlobQuery::new("*") };
    assert!(matches!(glob(&stage.files, &through, &|| false), Err(FileError::LeadsOut { .. })));
}

#[test]
fn a_name_that_is_not_text_is_marked() {
    let stage = Stage::new();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"bad\xff");
    fs::create_dir(stage.files.root().join(name)).unwrap();
    File::create_new(stage.files.root().join(name).join("file")).unwrap();
    let found = globbed(&stage, &GlobQuery::new("**"));
    let shown: Vec<_> = found.paths.iter().map(|hit| (hit.path.as_str(), hit.bad_name)).collect();
    assert_eq!(shown, [("bad\u{fffd}/file", true)]);
}

#[test]
fn a_cancelled_search_is_an_error() {
    let stage = stage(&["file"]);
    let cancelled = glob(&stage.files, &GlobQuery::new("*"), &|| true);
    assert!(matches!(cancelled, Err(FileError::Cancelled)));
}

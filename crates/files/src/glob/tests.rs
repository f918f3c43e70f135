//! Finding files by pattern: what matches, what comes first, what is passed over.

use std::{
    fs::{self, File},
    time::{Duration, UNIX_EPOCH},
};

use super::*;
use crate::files::tests::{Place, rel};

/// A workspace whose files are as many seconds old as they come late in the list.
fn place(files: &[&str]) -> Place {
    let place = Place::new();
    for (seconds, file) in (0..).zip(files.iter().rev()) {
        put(&place, file, seconds);
    }
    place
}

fn put(place: &Place, file: &str, seconds: u64) {
    place.put(file, "12345");
    let opened = File::options().write(true).open(place.path(file)).unwrap();
    opened.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

fn globbed(place: &Place, query: &GlobQuery) -> Globbed {
    glob(&place.files, query, &|| false).unwrap()
}

#[track_caller]
fn check(place: &Place, query: &GlobQuery, expected: &[&str]) {
    let found = globbed(place, query);
    let shown: Vec<_> = found.paths.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(shown, expected, "{query:?}");
    assert_eq!((found.total, found.truncated), (expected.len() as u64, false));
}

#[test]
fn the_newest_come_first_and_equally_old_ones_by_path() {
    let place = Place::new();
    for (file, seconds) in [("old", 1), ("b/same", 2), ("b-same", 2), ("a/same", 2), ("new", 3)] {
        put(&place, file, seconds);
    }
    let hit = |path, seconds: i64| GlobHit {
        path: rel(path),
        modified: seconds * 1000,
        size: 5,
        bad_name: false,
    };
    assert_eq!(
        globbed(&place, &GlobQuery::new("**")),
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
    let place = place(&["a.ts", "src/b.ts", "src/deep/er/c.ts", "src/d.js", "tests/src/e.ts"]);
    let from =
        |pattern: &str, path: &str| GlobQuery { path: Some(rel(path)), ..GlobQuery::new(pattern) };
    check(
        &place,
        &GlobQuery::new("*.ts"),
        &["a.ts", "src/b.ts", "src/deep/er/c.ts", "tests/src/e.ts"],
    );
    check(&place, &GlobQuery::new("/*.ts"), &["a.ts"]);
    check(&place, &GlobQuery::new("src/*.ts"), &["src/b.ts"]);
    check(&place, &GlobQuery::new("src/**/*.ts"), &["src/b.ts", "src/deep/er/c.ts"]);
    check(&place, &GlobQuery::new("*.{js,md}"), &["src/d.js"]);
    check(&place, &from("deep/**", "src"), &["src/deep/er/c.ts"]);
    check(&place, &from("*.ts", "tests"), &["tests/src/e.ts"]);
    check(&place, &from("src/*.ts", "src"), &[]);
}

#[test]
fn finding_nothing_is_no_error() {
    let place = place(&["a"]);
    let nothing = Globbed { paths: vec![], total: 0, truncated: false, scanned: 1, unreadable: 0 };
    assert_eq!(globbed(&place, &GlobQuery::new("*.none")), nothing);
}

#[test]
fn bad_arguments_are_named() {
    let place = place(&["file"]);
    let error = |query: GlobQuery| glob(&place.files, &query, &|| false).unwrap_err().to_string();
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
    let place = place(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let found = globbed(&place, &GlobQuery::new("**"));
    let shown: Vec<_> = found.paths.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(shown, names[..100]);
    assert_eq!((found.total, found.truncated, found.scanned), (150, true, 150));
    let found = globbed(&place, &GlobQuery { limit: Some(0), ..GlobQuery::new("*") });
    assert_eq!((found.paths, found.total, found.truncated), (vec![], 150, true));
}

#[test]
fn ignored_and_hidden_files_are_found_when_asked_for() {
    let place = place(&["target/x", ".github/x", "x", ".git/x", "sub/.x/x"]);
    place.put(".gitignore", "target\n");
    let query = GlobQuery::new("x");
    check(&place, &query, &[".github/x", "x", "sub/.x/x"]);
    let all = GlobQuery { respect_gitignore: false, ..query.clone() };
    check(&place, &all, &["target/x", ".github/x", "x", "sub/.x/x"]);
    check(&place, &GlobQuery { hidden: false, ..query }, &["x"]);
}

#[test]
fn what_an_ignore_file_says_counts_more_than_what_git_ignores() {
    let place = place(&["target/x", "vendor/x", "sub/x", "sub/fixtures/x"]);
    place.put(".gitignore", "target\n");
    place.put(".ignore", "!target\nvendor\n");
    place.put("sub/.ignore", "fixtures\n");
    let query = GlobQuery::new("x");
    check(&place, &query, &["target/x", "sub/x"]);
    let start = GlobQuery { path: Some(rel("sub")), ..query.clone() };
    check(&place, &start, &["sub/x"]);
    let all = GlobQuery { respect_gitignore: false, ..query };
    check(&place, &all, &["target/x", "vendor/x", "sub/x", "sub/fixtures/x"]);
}

#[test]
fn links_lead_neither_in_circles_nor_out() {
    let place = place(&["sub/file"]);
    place.put_outside("file", "");
    place.link("..", "sub/up");
    place.link("loop", "loop");
    place.link("../outside", "door");
    place.link("../outside/file", "outside-file");
    place.link("missing", "dangling");
    place.link("sub/file", "alias-file");
    check(&place, &GlobQuery::new("**"), &["alias-file", "sub/file"]);
    let through = GlobQuery { path: Some(rel("door")), ..GlobQuery::new("*") };
    assert!(matches!(glob(&place.files, &through, &|| false), Err(FileError::LeadsOut { .. })));
}

#[test]
fn a_name_that_is_not_text_is_marked() {
    let place = Place::new();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"bad\xff");
    fs::create_dir(place.files.root().join(name)).unwrap();
    File::create_new(place.files.root().join(name).join("file")).unwrap();
    let found = globbed(&place, &GlobQuery::new("**"));
    let shown: Vec<_> = found.paths.iter().map(|hit| (hit.path.as_str(), hit.bad_name)).collect();
    assert_eq!(shown, [("bad\u{fffd}/file", true)]);
}

#[test]
fn a_cancelled_search_is_an_error() {
    let place = place(&["file"]);
    let cancelled = glob(&place.files, &GlobQuery::new("*"), &|| true);
    assert!(matches!(cancelled, Err(FileError::Cancelled)));
}

//! What a listing holds, in which order, and where it stops.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};

use super::{
    super::tests::{Stage, rel},
    *,
};

fn paths(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.path.as_str()).collect()
}

fn list(stage: &Stage, path: &str, recursive: bool, limit: usize) -> Listing {
    stage.files.list(&rel(path), recursive, limit, &|| false).unwrap()
}

#[test]
fn folders_come_first_then_names() {
    let stage = Stage::new();
    for file in ["b.txt", "a.txt", "z/x", "z/y/deep", "c/x", ".git/config", "ignored"] {
        stage.put(file, "12");
    }
    stage.put(".gitignore", "ignored");
    stage.link("a.txt", "link");
    let listing = list(&stage, "", false, 100);
    assert_eq!(
        paths(&listing),
        [".git", "c", "z", ".gitignore", "a.txt", "b.txt", "ignored", "link"]
    );
    assert_eq!((listing.total, listing.truncated, listing.unreadable), (8, false, 0));
    let kinds: Vec<_> = listing.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!((kinds[0], kinds[4], kinds[7]), (Kind::Folder, Kind::File, Kind::Symlink));
    assert_eq!(paths(&list(&stage, "z", false, 100)), ["z/y", "z/x"]);
    assert_eq!(
        paths(&list(&stage, "", true, 100)),
        ["c", "c/x", "z", "z/y", "z/y/deep", "z/x", ".gitignore", "a.txt", "b.txt", "link"]
    );
}

#[test]
fn an_entry_tells_name_kind_size_and_time() {
    let stage = Stage::new();
    stage.put("sub/file", "12345");
    let modified = fs::metadata(stage.path("sub/file")).unwrap().modified().unwrap();
    let expected = Entry {
        path: rel("sub/file"),
        name: "file".to_owned(),
        kind: Kind::File,
        size: 5,
        modified: milliseconds(modified),
        bad_name: false,
    };
    assert_eq!(list(&stage, "sub", false, 10).entries, std::slice::from_ref(&expected));
    assert_eq!(list(&stage, "sub", true, 10).entries, [expected]);
}

#[test]
fn beyond_the_limit_the_first_are_shown_and_all_are_counted() {
    let stage = Stage::new();
    for number in 0..30 {
        stage.put(&format!("file-{number:02}"), "");
    }
    for recursive in [false, true] {
        let listing = list(&stage, "", recursive, 2);
        assert_eq!(
            (paths(&listing), listing.total, listing.truncated),
            (vec!["file-00", "file-01"], 30, true)
        );
        assert!(!list(&stage, "", recursive, 30).truncated);
    }
}

#[test]
fn names_that_are_not_text_are_flagged() {
    let stage = Stage::new();
    stage.put("sub/good", "");
    fs::create_dir(stage.path("sub").join(OsStr::from_bytes(b"b\xffd"))).unwrap();
    for recursive in [false, true] {
        let shown: Vec<_> = list(&stage, "sub", recursive, 10)
            .entries
            .into_iter()
            .map(|entry| (String::from(entry.path), entry.name, entry.bad_name))
            .collect();
        let expected = [("sub/b\u{fffd}d", "b\u{fffd}d", true), ("sub/good", "good", false)];
        assert_eq!(
            shown,
            expected.map(|(path, name, bad)| (path.to_owned(), name.to_owned(), bad))
        );
    }
}

#[test]
fn what_cannot_be_listed_is_an_error() {
    let stage = Stage::new();
    stage.put("file", "");
    stage.link("../outside", "out");
    for recursive in [false, true] {
        let error = |path: &str| {
            stage.files.list(&rel(path), recursive, 10, &|| false).unwrap_err().to_string()
        };
        assert_eq!(error("missing"), "`missing` does not exist");
        assert_eq!(error("file"), "`file` is not a folder");
        assert_eq!(
            error("out"),
            "`out` is or runs through a symbolic link that leads out of the workspace"
        );
        let cancelled = stage.files.list(&rel(""), recursive, 10, &|| true);
        assert!(matches!(cancelled, Err(FileError::Cancelled)));
    }
}

#[test]
fn a_crowded_folder_is_listed() {
    let stage = Stage::new();
    fs::create_dir(stage.path("many")).unwrap();
    for number in 0..10_000 {
        stage.put(&format!("many/{number:05}"), "");
    }
    let listing = list(&stage, "many", false, 3);
    assert_eq!(paths(&listing), ["many/00000", "many/00001", "many/00002"]);
    assert_eq!((listing.total, listing.truncated), (10_000, true));
    let listing = list(&stage, "", true, 10_001);
    assert_eq!((listing.entries.len(), listing.total, listing.truncated), (10_001, 10_001, false));
}

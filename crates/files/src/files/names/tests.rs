//! Which names are told, and as what.

use std::os::unix::ffi::OsStrExt as _;

use super::*;
use crate::files::tests::{Stage, rel};

fn entry(name: &str, kind: Kind, link: bool) -> NameEntry {
    NameEntry { name: name.to_owned(), kind, link }
}

#[test]
fn every_name_is_told_with_what_links_lead_to() {
    let stage = Stage::new();
    for path in [".env", ".git/config", "node_modules/x", "b.txt"] {
        stage.put(path, "");
    }
    stage.put(".gitignore", "node_modules\n");
    stage.link("b.txt", "file");
    stage.link("node_modules", "folder");
    stage.link("/etc", "out");
    stage.link("nothing", "dangling");
    std::fs::create_dir(stage.path("x").with_file_name(std::ffi::OsStr::from_bytes(b"\xff")))
        .unwrap();
    let names = stage.files.names(&rel(""), 100, &|| false).unwrap();
    let expected = [
        entry(".env", Kind::File, false),
        entry(".git", Kind::Folder, false),
        entry(".gitignore", Kind::File, false),
        entry("b.txt", Kind::File, false),
        entry("dangling", Kind::Other, true),
        entry("file", Kind::File, true),
        entry("folder", Kind::Folder, true),
        entry("node_modules", Kind::Folder, false),
        entry("out", Kind::Other, true),
        entry("\u{fffd}", Kind::Other, false),
    ];
    assert_eq!(names, Names { entries: expected.into(), truncated: false });
}

#[test]
fn a_folder_with_more_names_than_wanted_gives_the_first_by_name() {
    let stage = Stage::new();
    // File systems give names by hash or by age, so neither age nor name may help.
    for number in (0..200).rev().map(|number| number * 7 % 200) {
        stage.put(&format!("{number:03}"), "");
    }
    stage.link("001", "000-link");
    let first = |limit| {
        let names = stage.files.names(&rel(""), limit, &|| false).unwrap();
        let told: Vec<_> = names.entries.into_iter().map(|entry| entry.name).collect();
        (told, names.truncated)
    };
    assert_eq!(first(0), (vec![], true));
    let expected = ["000", "000-link", "001", "002"].map(str::to_owned).to_vec();
    assert_eq!(first(4), (expected, true));
    let (all, truncated) = first(201);
    assert_eq!((all.len(), all.is_sorted(), truncated), (201, true, false));
    assert_eq!(first(200), (all[..200].to_vec(), true));
    let refused = stage.files.names(&rel("000"), 3, &|| false).unwrap_err();
    assert_eq!(refused.to_string(), "`000` is not a folder");
}

#[test]
fn reading_names_stops_when_asked() {
    let stage = Stage::new();
    stage.put("a", "");
    let stopped = stage.files.names(&rel(""), 3, &|| true).unwrap_err();
    assert!(matches!(stopped, FileError::Cancelled));
}

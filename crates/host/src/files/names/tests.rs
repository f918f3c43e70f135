//! Which names are told, and as what.

use std::os::unix::ffi::OsStrExt as _;

use super::*;
use crate::files::tests::{Place, rel};

fn entry(name: &str, kind: Kind, link: bool) -> NameEntry {
    NameEntry { name: name.to_owned(), kind, link }
}

#[test]
fn every_name_is_told_with_what_links_lead_to() {
    let place = Place::new();
    for path in [".env", ".git/config", "node_modules/x", "b.txt"] {
        place.put(path, "");
    }
    place.put(".gitignore", "node_modules\n");
    place.link("b.txt", "file");
    place.link("node_modules", "folder");
    place.link("/etc", "out");
    place.link("nothing", "dangling");
    std::fs::create_dir(place.path("x").with_file_name(std::ffi::OsStr::from_bytes(b"\xff")))
        .unwrap();
    let names = place.files.names(&rel(""), 100, &|| false).unwrap();
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
fn a_folder_with_more_names_than_wanted_is_cut() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.put(name, "");
    }
    let count = |limit| {
        let names = place.files.names(&rel(""), limit, &|| false).unwrap();
        (names.entries.len(), names.truncated)
    };
    assert_eq!((count(2), count(3)), ((2, true), (3, false)));
    let refused = place.files.names(&rel("a"), 3, &|| false).unwrap_err();
    assert_eq!(refused.to_string(), "`a` is not a folder");
}

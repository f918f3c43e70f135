//! What is told of files, folders and links, and when a token changes.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::files::tests::{Stage, rel};

fn told(stage: &Stage, path: &str) -> (Kind, u64, bool, bool) {
    let found = stage.files.inspect(&rel(path)).unwrap();
    (found.kind, found.size, found.readonly, found.link)
}

#[test]
fn a_link_is_what_it_leads_to_and_known_as_a_link() {
    let stage = Stage::new();
    stage.put("src/a.txt", "12345");
    stage.link("src/a.txt", "file");
    stage.link("src", "folder");
    stage.link("missing", "dangling");
    stage.link("/etc/passwd", "out");
    assert_eq!(told(&stage, "src/a.txt"), (Kind::File, 5, false, false));
    assert_eq!(told(&stage, "file"), (Kind::File, 5, false, true));
    assert_eq!(told(&stage, "folder").0, Kind::Folder);
    assert_eq!(told(&stage, "dangling"), (Kind::Other, 7, false, true));
    assert_eq!(told(&stage, "out"), (Kind::Other, 11, false, true));
    assert_eq!(told(&stage, "").0, Kind::Folder);
    let place = |path: &str| stage.files.inspect(&rel(path)).unwrap().place;
    assert_eq!(
        ["", "src/a.txt", "file", "folder/a.txt", "dangling"].map(place),
        [None, None, Some("src/a.txt".into()), Some("src/a.txt".into()), None]
    );
    let beyond = stage.files.inspect(&rel("out/x")).unwrap_err().to_string();
    assert!(beyond.contains("leads out of the workspace"), "{beyond}");
    let missing = stage.files.inspect(&rel("nothing")).unwrap_err();
    assert_eq!(missing.to_string(), "`nothing` does not exist");
}

#[test]
fn what_may_not_be_written_is_readonly() {
    let stage = Stage::new();
    for path in ["closed", "a/.env", ".git/config", "b"] {
        stage.put(path, "");
    }
    stage.link("a/.env", "innocent");
    let mode = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(stage.path("closed"), mode).unwrap();
    let readonly = |files: &Files| {
        ["closed", "a/.env", "innocent", ".git/config", "b"]
            .map(|path| files.inspect(&rel(path)).unwrap().readonly)
    };
    assert_eq!(readonly(&stage.files), [true, true, true, true, false]);
    assert_eq!(readonly(&stage.files.for_a_person()), [true, false, false, true, false]);
}

#[test]
fn a_token_changes_with_the_file_and_not_with_its_name() {
    let stage = Stage::new();
    stage.put("a", "one");
    let token = |path: &str| stage.files.inspect(&rel(path)).unwrap().token;
    let first = token("a");
    assert_eq!(token("a"), first);
    stage.files.relocate(&rel("a"), &rel("b"), false, 0, &|| false).unwrap();
    assert_eq!(token("b"), first);
    stage.files.write(&rel("b"), b"one").unwrap();
    assert_ne!(token("b"), first);
}

//! What moves where, and what stays.

use std::path::Path;

use super::*;
use crate::{
    files::tests::{Stage, rel},
    rules::Rules,
};

fn relocate(files: &Files, from: &str, to: &str, overwrite: bool) -> Result<Moved, String> {
    files.relocate(&rel(from), &rel(to), overwrite, 1, &|| false).map_err(|e| e.to_string())
}

fn moved(kind: Kind) -> Moved {
    Moved { kind, replaced: None }
}

#[test]
fn files_folders_and_links_move_whole() {
    let stage = Stage::new();
    stage.put("src/deep/a.txt", "a");
    stage.link("src/deep/a.txt", "link");
    assert_eq!(relocate(&stage.files, "link", "links/new", false), Ok(moved(Kind::Symlink)));
    assert_eq!(relocate(&stage.files, "src/deep/a.txt", "b.txt", false), Ok(moved(Kind::File)));
    assert_eq!(relocate(&stage.files, "src", "lib/src", false), Ok(moved(Kind::Folder)));
    let expected =
        ["outside", "root", "root/b.txt", "root/lib", "root/lib/src", "root/lib/src/deep"];
    let expected = expected.into_iter().chain(["root/links", "root/links/new"]);
    assert_eq!(stage.everything(), expected.collect::<Vec<_>>());
    assert_eq!(std::fs::read_link(stage.path("links/new")).unwrap(), Path::new("src/deep/a.txt"));
}

#[test]
fn nothing_is_replaced_unless_that_is_wanted_and_then_it_is_in_the_trash() {
    let stage = Stage::new();
    stage.put("a", "new");
    stage.put("b", "old");
    stage.put("folder/x", "old");
    stage.put("other/y", "new");
    let taken = |path: &str| Err(format!("`{path}` exists already"));
    assert_eq!(relocate(&stage.files, "a", "b", false), taken("b"));
    assert_eq!(relocate(&stage.files, "other", "folder", false), taken("folder"));
    assert_eq!(relocate(&stage.files, "a", "folder", false), taken("folder"));
    let replaced = relocate(&stage.files, "a", "b", true).unwrap().replaced.unwrap();
    assert_eq!(
        (stage.content("b"), stage.content(replaced.as_str())),
        ("new".into(), "old".into())
    );
    let replaced = relocate(&stage.files, "other", "folder", true).unwrap().replaced.unwrap();
    assert_eq!(stage.content("folder/y"), "new");
    assert_eq!(stage.content(&format!("{replaced}/x")), "old");
    assert!(!stage.path("folder/x").exists());
}

#[test]
fn nothing_is_moved_into_itself() {
    let stage = Stage::new();
    stage.put("a/b/x", "");
    stage.link("a/b", "door");
    let before = stage.everything();
    for to in ["a", "a/c", "a/b/c/d", "door/c"] {
        let refusal = format!("`a` cannot be put into itself, at `{to}`");
        assert_eq!(relocate(&stage.files, "a", to, true), Err(refusal));
    }
    let root = "the root of the workspace itself cannot be changed";
    assert_eq!(relocate(&stage.files, "", "a/c", true), Err(root.to_owned()));
    assert_eq!(relocate(&stage.files, "a", "", true), Err(root.to_owned()));
    assert_eq!(stage.everything(), before);
}

#[test]
fn nothing_leaves_the_root_or_comes_from_outside() {
    let stage = Stage::new();
    stage.put("a", "");
    stage.put_outside("x", "");
    stage.link("../outside", "out");
    let before = stage.everything();
    for (from, to) in [("a", "out/a"), ("a", "out/b/c"), ("out/x", "x")] {
        let refusal = relocate(&stage.files, from, to, true).unwrap_err();
        assert!(refusal.contains("leads out of the workspace"), "{refusal}");
    }
    assert_eq!(stage.everything(), before);
    assert_eq!(relocate(&stage.files, "out", "gate", false), Ok(moved(Kind::Symlink)));
}

#[test]
fn secrets_and_protected_files_stay_where_they_are_but_for_a_person() {
    let stage = Stage::new();
    for path in [".env", "a", "node_modules/x", "app/.env"] {
        stage.put(path, "");
    }
    stage.link("node_modules", "modules");
    for (from, to) in [
        (".env", "env.txt"),
        ("a", ".env.local"),
        ("a", "node_modules/a"),
        ("modules/x", "x"),
        ("a", "modules/a"),
        (".openspace/trash", "b"),
    ] {
        let refusal = relocate(&stage.files, from, to, true).unwrap_err();
        assert!(refusal.contains("is not allowed by the rule"), "{from} {to}: {refusal}");
    }
    // Its name keeps it secret wherever it goes.
    assert_eq!(relocate(&stage.files, "app", "program", false), Ok(moved(Kind::Folder)));
    let person = stage.files.for_a_person();
    assert_eq!(relocate(&person, ".env", "env.txt", false), Ok(moved(Kind::File)));
    assert!(relocate(&person, "node_modules/x", "x", false).is_err());
}

#[test]
fn a_folder_does_not_lose_the_name_that_makes_what_is_in_it_secret() {
    let stage = Stage::new();
    for path in ["home/.docker/config.json", "home/.aws/config", "draft/config.json"] {
        stage.put(path, "");
    }
    for (from, to, refusal) in [
        ("home/.docker", "shown", "reading `home/.docker/config.json` is not allowed"),
        ("draft", ".docker", "writing `.docker/config.json` is not allowed"),
    ] {
        let found = relocate(&stage.files, from, to, false).unwrap_err();
        assert!(found.starts_with(refusal), "{found}");
    }
    assert_eq!(relocate(&stage.files, "home/.aws", "aws", false), Ok(moved(Kind::Folder)));
    assert_eq!(relocate(&stage.files, "home", "person", false), Ok(moved(Kind::Folder)));
}

#[test]
fn rules_about_places_hold_for_what_is_in_a_moved_folder() {
    let stage = Stage::new();
    for path in ["config/deep/key.txt", "ci-draft/deploy.sh", "locked/schema.sql"] {
        stage.put(path, "");
    }
    let patterns = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let rules =
        Rules::new(&patterns(&["config/deep/*.txt"]), &patterns(&["ci/deploy.sh", "locked/*.sql"]));
    let files = Files::open(&stage.path(""), rules.unwrap()).unwrap();
    for (from, to, refusal) in [
        ("config", "public", "reading `config/deep/key.txt` is not allowed"),
        ("ci-draft", "ci", "writing `ci/deploy.sh` is not allowed"),
        ("locked", "open", "writing `locked/schema.sql` is not allowed"),
    ] {
        let found = relocate(&files, from, to, false).unwrap_err();
        assert!(found.starts_with(refusal), "{found}");
    }
    assert_eq!(relocate(&files.for_a_person(), "config", "public", false), Ok(moved(Kind::Folder)));
}

//! What is copied, and that a copy is whole or not there.

use super::*;
use crate::{
    files::tests::{Stage, rel},
    rules::Rules,
};

fn copy(files: &Files, from: &str, to: &str, overwrite: bool) -> Result<Copied, String> {
    files.copy(&rel(from), &rel(to), overwrite, 1, &|| false).map_err(|error| error.to_string())
}

fn copied(entries: u64, bytes: u64) -> Copied {
    Copied { entries, bytes, replaced: None }
}

#[test]
fn a_folder_is_copied_with_links_as_links_and_modes_kept() {
    let stage = Stage::new();
    stage.put("src/run.sh", "echo");
    stage.put("src/deep/a.bin", [0, 159, 146, 150]);
    stage.link("../../outside", "src/link");
    std::fs::set_permissions(stage.path("src/run.sh"), std::fs::Permissions::from_mode(0o754))
        .unwrap();
    assert_eq!(copy(&stage.files, "src", "new/copy", false), Ok(copied(5, 8)));
    assert_eq!(
        std::fs::read_link(stage.path("new/copy/link")).unwrap(),
        Path::new("../../outside")
    );
    let mode = std::fs::metadata(stage.path("new/copy/run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o754);
    let read = stage.files.read_bytes(&rel("new/copy/deep/a.bin"), &|| false).unwrap();
    assert_eq!(read.content, [0, 159, 146, 150]);
    assert_eq!(stage.content("src/run.sh"), "echo");
    assert_eq!(copy(&stage.files, "src/link", "link", false), Ok(copied(1, 0)));
}

#[test]
fn a_copy_replaces_only_what_it_is_told_to() {
    let stage = Stage::new();
    stage.put("a", "new");
    stage.put("b", "old");
    assert_eq!(copy(&stage.files, "a", "b", false), Err("`b` exists already".to_owned()));
    let replaced = copy(&stage.files, "a", "b", true).unwrap().replaced.unwrap();
    assert_eq!(
        (stage.content("b"), stage.content(replaced.as_str())),
        ("new".into(), "old".into())
    );
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    let stage = Stage::new();
    stage.put("a/b/x", "");
    stage.put("z/y", "");
    rustix::fs::mkfifoat(rustix::fs::CWD, stage.path("a/pipe"), 0o600.into()).unwrap();
    stage.link("../outside", "out");
    let before = stage.everything();
    let refusals = [
        ("a", "new/c", "`a/pipe` is neither a file nor a folder"),
        ("a", "a/b/c", "`a` cannot be put into itself, at `a/b/c`"),
        ("missing", "new/c", "`missing` does not exist"),
        (
            "z",
            "out/z",
            "`out/z` is or runs through a symbolic link that leads out of the workspace",
        ),
    ];
    for (from, to, refusal) in refusals {
        assert_eq!(copy(&stage.files, from, to, true), Err(refusal.to_owned()));
    }
    let cancelled = stage.files.copy(&rel("z"), &rel("new"), false, 1, &|| true);
    assert!(matches!(cancelled, Err(FileError::Cancelled)), "{cancelled:?}");
    assert_eq!(stage.everything(), before);
}

#[test]
fn too_many_files_are_not_copied() {
    let stage = Stage::new();
    std::fs::create_dir(stage.path("many")).unwrap();
    for number in 0..MAX_ENTRIES {
        std::fs::create_dir(stage.path(&format!("many/{number}"))).unwrap();
    }
    let refusal =
        "`many` holds more than 10000 files and folders, or folders too deep in each other";
    assert_eq!(copy(&stage.files, "many", "more", false), Err(refusal.to_owned()));
    assert!(!stage.path("more").exists());
}

#[test]
fn no_copy_makes_a_secret_readable() {
    let stage = Stage::new();
    for path in [".env", "config/key.txt", "app/.env"] {
        stage.put(path, "KEY");
    }
    stage.link("config", "settings");
    let rules = Rules::new(&["config/key.txt".to_owned()], &[]).unwrap();
    let files = Files::open(&stage.path(""), rules).unwrap();
    for (from, to) in [
        (".env", "env.txt"),
        ("config", "public"),
        ("settings/key.txt", "b"),
        ("app", "program"),
        ("app", "lib/site-packages/app"),
    ] {
        let refusal = copy(&files, from, to, false).unwrap_err();
        assert!(refusal.starts_with("reading `") && refusal.contains("not allowed"), "{refusal}");
    }
    assert!(!stage.path("program").exists());
    assert_eq!(copy(&files.for_a_person(), "app", "program", false), Ok(copied(2, 3)));
    assert_eq!(copy(&files.for_a_person(), ".env", "env.txt", false), Ok(copied(1, 3)));
}

//! Folders that are made, and those that are not.

use crate::files::tests::{Stage, rel};

fn make(stage: &Stage, path: &str) -> Result<bool, String> {
    stage.files.make_folder(&rel(path)).map_err(|error| error.to_string())
}

#[test]
fn a_folder_is_made_with_those_above_it() {
    let stage = Stage::new();
    assert_eq!(make(&stage, "a/b/c"), Ok(true));
    assert_eq!(make(&stage, "a/b/c"), Ok(false));
    assert!(stage.path("a/b/c").is_dir());
    stage.put("file", "");
    assert_eq!(make(&stage, "file"), Err("`file` exists already".to_owned()));
    assert_eq!(make(&stage, "file/x"), Err("`file` is not a folder".to_owned()));
    let root = "the root of the workspace itself cannot be changed";
    assert_eq!(make(&stage, ""), Err(root.to_owned()));
}

#[test]
fn no_folder_is_made_outside_or_where_it_is_not_allowed() {
    let stage = Stage::new();
    stage.link("../outside", "out");
    stage.put("node_modules/x", "");
    stage.link("node_modules", "modules");
    let before = stage.everything();
    for path in ["out/a", "out/a/b", "node_modules/a", "modules/a/b", ".git", "new/.git/hooks"] {
        assert!(make(&stage, path).is_err(), "{path}");
    }
    assert_eq!(stage.everything(), before);
    assert!(stage.files.for_a_person().make_folder(&rel(".git/hooks")).is_err());
}

//! Folders that are made, and those that are not.

use crate::files::tests::{Place, rel};

fn make(place: &Place, path: &str) -> Result<bool, String> {
    place.files.make_folder(&rel(path)).map_err(|error| error.to_string())
}

#[test]
fn a_folder_is_made_with_those_above_it() {
    let place = Place::new();
    assert_eq!(make(&place, "a/b/c"), Ok(true));
    assert_eq!(make(&place, "a/b/c"), Ok(false));
    assert!(place.path("a/b/c").is_dir());
    place.put("file", "");
    assert_eq!(make(&place, "file"), Err("`file` exists already".to_owned()));
    assert_eq!(make(&place, "file/x"), Err("`file` is not a folder".to_owned()));
    let root = "the root of the workspace itself cannot be changed";
    assert_eq!(make(&place, ""), Err(root.to_owned()));
}

#[test]
fn no_folder_is_made_outside_or_where_it_is_not_allowed() {
    let place = Place::new();
    place.link("../outside", "out");
    place.put("node_modules/x", "");
    place.link("node_modules", "modules");
    let before = place.everything();
    for path in ["out/a", "out/a/b", "node_modules/a", "modules/a/b", ".git", "new/.git/hooks"] {
        assert!(make(&place, path).is_err(), "{path}");
    }
    assert_eq!(place.everything(), before);
    assert!(place.files.for_a_person().make_folder(&rel(".git/hooks")).is_err());
}

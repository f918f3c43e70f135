//! Handles stay beneath the root whatever the names on the way are.

use super::{
    super::tests::{Stage, rel},
    *,
};

#[test]
fn a_removed_file_is_known_by_the_name_it_had() {
    let stage = Stage::new();
    stage.put(".env", "hidden");
    stage.put("kept (deleted)", "");
    let beneath = stage.files.beneath();
    let removed = beneath.open_place(Path::new(".env")).unwrap();
    let kept = beneath.open_place(Path::new("kept (deleted)")).unwrap();
    beneath.open_folder(Path::new(".")).unwrap().remove_file(".env").unwrap();
    assert_eq!(beneath.location(&removed, Path::new(".env")).unwrap(), Path::new(".env"));
    assert_eq!(
        beneath.location(&kept, Path::new("kept (deleted)")).unwrap(),
        Path::new("kept (deleted)")
    );
}

#[test]
fn without_proc_the_name_must_still_lead_to_the_same_file() {
    let stage = Stage::new();
    stage.put("a/real", "1");
    stage.link("a/real", "link");
    let beneath = stage.files.beneath();
    let handle = beneath.open_place(Path::new("link")).unwrap();
    assert_eq!(beneath.location_by_name(&handle, Path::new("link")).unwrap(), Path::new("a/real"));
    let root = beneath.open_folder(Path::new(".")).unwrap();
    assert_eq!(beneath.location_by_name(&root, Path::new(".")).unwrap(), Path::new(""));
    stage.files.write(&rel("a/real"), b"another file").unwrap();
    let error = beneath.location_by_name(&handle, Path::new("link")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
}

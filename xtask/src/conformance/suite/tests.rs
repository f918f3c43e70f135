//! The cache's rules and the reading of the suite's output; the suite itself is not run here.

use super::*;
use crate::scratch::Scratch;

fn place_suite(folder: &Path, marker: &str) {
    for file in [NODE, "node_modules/.bin/conformance"] {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "").unwrap();
    }
    fs::write(folder.join(MARKER), marker).unwrap();
}

#[test]
fn a_cache_is_complete_only_with_this_lock_file_and_every_program() {
    let scratch = Scratch::new("suite-test").unwrap();
    let folder = scratch.path();
    assert!(!is_complete(folder));
    place_suite(folder, "an older lock file");
    assert!(!is_complete(folder));
    place_suite(folder, LOCK);
    assert!(is_complete(folder));
    fs::remove_file(folder.join(NODE)).unwrap();
    assert!(!is_complete(folder));
}

#[test]
fn a_broken_cache_is_replaced_and_a_complete_one_is_kept() {
    let scratch = Scratch::new("suite-test").unwrap();
    let folder = scratch.folder("cache").unwrap();
    fs::write(folder.join("half"), "").unwrap();
    let staging = scratch.folder("staging").unwrap();
    place_suite(&staging, LOCK);
    replace(&folder, &staging).unwrap();
    assert!(is_complete(&folder) && !folder.join("half").exists() && !staging.exists());

    let later = scratch.folder("later").unwrap();
    replace(&folder, &later).unwrap();
    assert!(is_complete(&folder) && later.exists());
}

#[test]
fn the_lock_file_holds_the_versions_that_package_json_names() {
    let lock: Value = serde_json::from_str(LOCK).unwrap();
    let package: Value = serde_json::from_str(PACKAGE).unwrap();
    assert_eq!(lock["packages"][""]["dependencies"], package["dependencies"]);
    let locked = &lock["packages"][format!("node_modules/{SUITE}")]["version"];
    assert_eq!(*locked, *version().unwrap());
}

#[test]
fn totals_are_the_lines_that_count() {
    let log = "ok ping: 2 passed\n\nTotal: 83 passed, 0 failed\n\nNot scored for X: 3 run.\n  a\n";
    assert_eq!(totals(log), ["Total: 83 passed, 0 failed", "Not scored for X: 3 run."]);
}

#[test]
fn a_command_is_ended_at_its_limit() {
    let ended = finish(Command::new("sleep").arg("600"), Duration::ZERO).unwrap();
    assert_eq!(ended, None);
    let done = finish(&mut Command::new("true"), Duration::from_mins(1)).unwrap();
    assert!(done.is_some_and(|status| status.success()));
}

//! The cache's rules; npm itself is not run here.

use super::*;
use crate::scratch::Scratch;

const PACKAGES: Packages = Packages {
    purpose: "test",
    named_after: "suite",
    manifest: r#"{"dependencies":{"suite":"1.2.3"}}"#,
    lock: "the lock file",
    programs: &["bin/node", "bin/suite"],
};

fn place(folder: &Path, marker: &str) {
    for file in PACKAGES.programs {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "").unwrap();
    }
    fs::write(folder.join(MARKER), marker).unwrap();
}

#[test]
fn a_cache_is_complete_only_with_this_lock_file_and_every_program() {
    let scratch = Scratch::new("packages-test").unwrap();
    let folder = scratch.path();
    assert!(!PACKAGES.is_complete(folder));
    place(folder, "an older lock file");
    assert!(!PACKAGES.is_complete(folder));
    place(folder, PACKAGES.lock);
    assert!(PACKAGES.is_complete(folder));
    fs::remove_file(folder.join("bin/node")).unwrap();
    assert!(!PACKAGES.is_complete(folder));
}

#[test]
fn a_broken_cache_is_replaced_and_a_complete_one_is_kept() {
    let scratch = Scratch::new("packages-test").unwrap();
    let folder = scratch.folder("cache").unwrap();
    fs::write(folder.join("half"), "").unwrap();
    let staging = scratch.folder("staging").unwrap();
    place(&staging, PACKAGES.lock);
    PACKAGES.replace(&folder, &staging).unwrap();
    assert!(PACKAGES.is_complete(&folder) && !folder.join("half").exists() && !staging.exists());

    let later = scratch.folder("later").unwrap();
    PACKAGES.replace(&folder, &later).unwrap();
    assert!(PACKAGES.is_complete(&folder) && later.exists());
}

#[test]
fn the_folder_is_named_after_the_version_in_the_manifest() {
    assert_eq!(PACKAGES.version().unwrap(), "1.2.3");
    let other = Packages { named_after: "other", ..PACKAGES };
    assert_eq!(other.version().unwrap_err().to_string(), "package.json does not name other");
}

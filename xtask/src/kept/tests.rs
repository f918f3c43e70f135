//! The cache's rules; nothing is installed here.

use super::*;
use crate::scratch::Scratch;

const KEPT: Kept<'_> = Kept {
    purpose: "test",
    version: "1.2.3",
    list: "the lock file",
    programs: &["bin/node", "bin/suite"],
};

fn place(folder: &Path, marker: &str) {
    for file in KEPT.programs {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "").unwrap();
    }
    fs::write(folder.join(MARKER), marker).unwrap();
}

#[test]
fn a_cache_is_complete_only_with_this_lock_file_and_every_program() {
    let scratch = Scratch::new("kept-test").unwrap();
    let folder = scratch.path();
    assert!(!KEPT.is_complete(folder));
    place(folder, "an older lock file");
    assert!(!KEPT.is_complete(folder));
    place(folder, KEPT.list);
    assert!(KEPT.is_complete(folder));
    fs::remove_file(folder.join("bin/node")).unwrap();
    assert!(!KEPT.is_complete(folder));
}

#[test]
fn a_broken_cache_is_replaced_and_a_complete_one_is_kept() {
    let scratch = Scratch::new("kept-test").unwrap();
    let folder = scratch.folder("cache").unwrap();
    fs::write(folder.join("half"), "").unwrap();
    let staging = scratch.folder("staging").unwrap();
    place(&staging, KEPT.list);
    KEPT.replace(&folder, &staging).unwrap();
    assert!(KEPT.is_complete(&folder) && !folder.join("half").exists() && !staging.exists());

    let later = scratch.folder("later").unwrap();
    KEPT.replace(&folder, &later).unwrap();
    assert!(KEPT.is_complete(&folder) && later.exists());
}

//! What a tree has, and that it is made once.

use super::*;
use crate::scratch::Scratch;

#[test]
fn a_package_has_sources_images_and_what_is_left_out() {
    let scratch = Scratch::new("tree").unwrap();
    let mut maker =
        Maker { root: scratch.path().to_owned(), random: Random::new(1), made: RARE_EVERY - 1 };
    maker.make(1, 3).unwrap();
    let files = paths(scratch.path());
    let count = |part: &str| files.iter().filter(|path| path.contains(part)).count();
    let counts = ["/src/", "/assets/", "/generated/", "node_modules/", ".gitignore"].map(count);
    assert_eq!(counts, [FILES_IN_PACKAGE, IMAGES_IN_PACKAGE, GENERATED_IN_PACKAGE, 3, 2]);
    let rare =
        files.iter().filter(|path| path.contains("/src/") && has_rare_word(scratch.path(), path));
    assert_eq!(rare.count(), 1);
}

#[test]
fn a_finished_tree_is_not_made_again() {
    let scratch = Scratch::new("tree").unwrap();
    fs::write(scratch.path().join("tree.complete"), VERSION).unwrap();
    let tree = Tree::ready(scratch.path()).unwrap();
    assert_eq!((tree.root.exists(), tree.root), (false, scratch.path().join("tree")));
}

fn has_rare_word(root: &Path, path: &str) -> bool {
    fs::read_to_string(root.join(path)).unwrap().contains(RARE_WORD)
}

/// All files, relative to the root.
fn paths(root: &Path) -> Vec<String> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path().strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    files
}

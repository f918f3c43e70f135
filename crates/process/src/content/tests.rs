//! What is told of files, folders and pipes.

#![expect(clippy::disallowed_methods, reason = "tests make the files that are looked into")]

use std::os::unix::fs::symlink;

use super::*;

fn content(path: &Path) -> Content {
    Content::of(path, &|| false)
}

#[test]
fn a_file_is_known_by_what_is_in_it_also_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (file, link) = (root.join("x.sh"), root.join("link"));
    std::fs::write(&file, "").unwrap();
    symlink("x.sh", &link).unwrap();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let expected = Content::File { real: file.clone(), digest: empty.into() };
    assert_eq!((content(&file), content(&link)), (expected.clone(), expected.clone()));
    std::fs::write(&file, "id").unwrap();
    let changed = content(&link);
    assert!(matches!(&changed, Content::File { digest, .. } if digest != empty), "{changed:?}");
}

#[test]
fn what_is_no_file_is_told_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let pipe = root.join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
    std::fs::write(root.join("file"), "x").unwrap();
    assert_eq!(content(&root.join("none")), Content::Missing);
    assert_eq!(content(&root.join("file/none")), Content::Missing);
    assert_eq!(content(&root), Content::Folder { real: root.clone() });
    assert_eq!(content(&pipe), Content::Unknown);
    let stopped = Content::of(&root.join("file"), &|| true);
    assert_eq!(stopped, Content::Unknown);
}

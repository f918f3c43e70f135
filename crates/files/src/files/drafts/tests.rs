//! What is half made is found again and removed; nothing else is.

use openspace_protocol::RelPath;

use super::super::tests::Stage;
use crate::{Files, rules::Rules};

const NAME: &str = ".openspace-0123456789abcdef.tmp";
const OTHER: &str = ".openspace-fedcba9876543210.tmp";

struct Notes {
    stage: Stage,
    folder: tempfile::TempDir,
}

impl Notes {
    fn new() -> Self {
        Self { stage: Stage::new(), folder: tempfile::tempdir().unwrap() }
    }

    fn files(&self) -> Files {
        let files = Files::open(&self.stage.path(""), Rules::new(&[], &[]).unwrap()).unwrap();
        files.noting(self.folder.path()).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "what a dead program left is made by hand")]
    fn leave(&self, note: &str, place: &str) {
        std::fs::write(self.folder.path().join(note), place).unwrap();
    }

    fn left(&self) -> usize {
        std::fs::read_dir(self.folder.path()).unwrap().count()
    }
}

#[test]
fn what_an_earlier_program_noted_and_left_is_removed_and_nothing_else() {
    let notes = Notes::new();
    let stage = &notes.stage;
    stage.put(&format!("a/{NAME}"), "half");
    stage.put(NAME, "kept");
    stage.put("a/kept.txt", "kept");
    stage.put(&format!("a/{OTHER}"), "somebody else's");
    notes.leave(NAME, "a");
    notes.leave("notes.txt", "a");
    notes.files().sweep().unwrap();
    assert!(!stage.path(&format!("a/{NAME}")).exists());
    for kept in [NAME, "a/kept.txt", &format!("a/{OTHER}")] {
        assert!(stage.path(kept).is_file(), "{kept}");
    }
    assert_eq!(notes.left(), 1, "only what is no note of ours stays");
}

#[test]
fn a_half_made_copy_of_a_folder_goes_and_what_its_links_lead_to_stays() {
    let notes = Notes::new();
    let stage = &notes.stage;
    stage.put("kept/precious.txt", "kept");
    stage.put(&format!("{NAME}/one.txt"), "half");
    std::os::unix::fs::symlink("../kept", stage.path(&format!("{NAME}/link"))).unwrap();
    std::os::unix::fs::symlink("kept", stage.path(OTHER)).unwrap();
    notes.leave(NAME, "");
    notes.leave(OTHER, "");
    notes.files().sweep().unwrap();
    assert!(!stage.path(NAME).exists());
    assert!(stage.path("kept/precious.txt").is_file());
    assert!(stage.path(OTHER).is_symlink(), "a link is never ours");
}

#[test]
fn a_note_that_leads_out_of_the_workspace_removes_nothing() {
    let notes = Notes::new();
    let outside = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a file outside is made by hand")]
    std::fs::write(outside.path().join(NAME), "kept").unwrap();
    std::os::unix::fs::symlink(outside.path(), notes.stage.path("out")).unwrap();
    for place in ["out", "..", outside.path().to_str().unwrap()] {
        notes.leave(NAME, place);
        notes.files().sweep().unwrap();
        assert!(outside.path().join(NAME).is_file(), "{place}");
    }
}

#[test]
fn a_write_leaves_neither_note_nor_temporary_file() {
    let notes = Notes::new();
    let files = notes.files();
    for content in ["one", "two"] {
        files.write(&RelPath::parse("a/b.txt").unwrap(), content.as_bytes()).unwrap();
    }
    assert!(files.write(&RelPath::parse("a").unwrap(), b"a folder").is_err());
    let names = std::fs::read_dir(notes.stage.path("a")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!((names, notes.left()), (vec!["b.txt".into()], 0));
}

//! What is told of a path after several things happened to it.

use openspace_protocol::RelPath;

use super::*;

/// Notes are `path before now`, each of the two `+` or `-`; told are `path kind`.
fn check(notes: &[&str], told: &[&str]) {
    let mut batch = Batch::default();
    for note in notes {
        let mut words = note.split(' ');
        let path = PathBuf::from(words.next().unwrap());
        let (before, now) = (words.next() == Some("+"), words.next() == Some("+"));
        batch.note(path, before, now);
    }
    let (changes, rescan) = batch.take().unwrap_or_default();
    let shown = |change: &FileChange| {
        format!("{} {}", change.path, format!("{:?}", change.change).to_lowercase())
    };
    assert_eq!((changes.iter().map(shown).collect::<Vec<_>>(), rescan), {
        (told.iter().map(|told| (*told).to_owned()).collect(), false)
    });
    assert!(batch.is_empty());
}

#[test]
fn only_what_became_of_a_path_is_told() {
    check(&["a - +", "b + +", "c + -"], &["a created", "b changed", "c deleted"]);
    check(&["a - +", "a + +", "a + +"], &["a created"]);
    check(&["a + -", "a - +"], &["a changed"]);
    check(&["a - +", "a + -"], &[]);
}

#[test]
fn what_goes_with_a_folder_is_not_told_one_by_one() {
    check(&["a/b/c + -", "a/x + -", "a + -", "ab + -"], &["a deleted", "ab deleted"]);
    let mut batch = Batch::default();
    batch.note("a/new".into(), false, true);
    batch.gone_beneath(Path::new("a"));
    assert_eq!(batch.take(), None);
}

#[test]
fn more_than_a_batch_holds_is_told_as_anything() {
    let mut batch = Batch::default();
    for number in 0..MAX_CHANGES {
        batch.note(number.to_string().into(), false, true);
    }
    assert_eq!(batch.take().map(|(changes, rescan)| (changes.len(), rescan)), Some((1000, false)));
    for number in 0..=MAX_CHANGES {
        batch.note(number.to_string().into(), false, true);
    }
    assert_eq!(batch.take(), Some((Vec::new(), true)));
    batch.note("a".into(), true, true);
    let path = RelPath::parse("a").unwrap();
    let changed = FileChange { path, change: ChangeKind::Changed };
    assert_eq!(batch.take(), Some((vec![changed], false)));
}

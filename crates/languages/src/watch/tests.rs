//! What is told of files.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn file(name: &str) -> Uri {
    Uri::read(&format!("file:///p/{name}"))
}

const NOW: Moment = Moment::from_secs(1);

#[test]
fn a_server_hears_of_the_kinds_that_it_named() {
    let mut watchers = Watchers::default();
    assert!(watchers.is_empty());
    watchers.register(
        "1",
        &json!({"watchers": [{"globPattern": "**/*.rs"}, {"globPattern": "**/*.lock", "kind": 3}]}),
    );
    let wants = |name: &str, change| watchers.wants(&file(name), change);
    assert!(wants("a.rs", FileChange::Deleted) && wants("a.lock", FileChange::Changed));
    assert!(!wants("a.lock", FileChange::Deleted) && !wants("a.md", FileChange::Changed));
    assert_eq!(watchers.patterns(), ["**/*.rs", "**/*.lock"]);
    watchers.unregister("1");
    assert!(watchers.is_empty() && !watchers.wants(&file("a.rs"), FileChange::Changed));
}

#[test]
fn with_more_patterns_than_are_kept_it_hears_of_everything() {
    let mut watchers = Watchers::default();
    let many: Vec<Value> =
        (0..=MOST_PATTERNS).map(|it| json!({"globPattern": format!("{it}")})).collect();
    watchers.register("1", &json!({"watchers": many}));
    assert!(watchers.patterns().is_empty() && watchers.wants(&file("x"), FileChange::Created));
}

#[test]
fn changes_are_gathered_into_what_is_true_at_the_end() {
    use FileChange::{Changed, Created, Deleted};
    let cases: &[(&[FileChange], Option<FileChange>)] = &[
        (&[Created], Some(Created)),
        (&[Created, Changed], Some(Created)),
        (&[Created, Deleted], None),
        (&[Deleted, Created], Some(Changed)),
        (&[Changed, Deleted], Some(Deleted)),
        (&[Changed, Changed], Some(Changed)),
        (&[Created, Deleted, Created], Some(Created)),
    ];
    for (changes, expected) in cases {
        let mut gathered = Gathered::default();
        for change in *changes {
            gathered.note(file("a"), *change, NOW);
        }
        assert_eq!(gathered.due(), Some(NOW + GATHERED_FOR));
        let told: Vec<FileChange> = gathered.take(&[]).into_iter().map(|it| it.change).collect();
        assert_eq!(told, Vec::from_iter(*expected), "{changes:?}");
        assert_eq!(gathered.due(), None);
    }
}

#[test]
fn too_many_changes_are_told_as_the_roots() {
    let mut gathered = Gathered::default();
    for number in 0..=MOST_CHANGES * 2 {
        gathered.note(file(&number.to_string()), FileChange::Changed, NOW);
        assert!(gathered.changes.len() <= MOST_CHANGES);
    }
    let told = serde_json::to_value(gathered.take(&[Uri::read("file:///p")])).unwrap();
    assert_eq!(told, json!([{"uri": "file:///p", "type": 2}]));
    assert_eq!(gathered.take(&[Uri::read("file:///p")]), []);
}

#[test]
fn changes_that_nobody_can_name_are_told_as_the_roots() {
    let mut gathered = Gathered::default();
    gathered.note(file("a"), FileChange::Changed, NOW);
    gathered.note_all(NOW + GATHERED_FOR);
    assert_eq!(gathered.due(), Some(NOW + GATHERED_FOR));
    let told = serde_json::to_value(gathered.take(&[Uri::read("file:///p")])).unwrap();
    assert_eq!(told, json!([{"uri": "file:///p", "type": 2}]));
}

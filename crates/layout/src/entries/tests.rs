//! Entries and what is told of changes: whatever is done, they say the same as the layout.

use std::collections::BTreeMap;

use openspace_protocol::{
    Patch,
    part::{Content, Visit},
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use super::*;
use crate::{
    Named, OpenTab, Side,
    tests::properties::{Change, any_change},
};

#[derive(Default)]
struct Told(Patch);

impl Visit<LayoutEntry> for Told {
    fn put(&mut self, key: &str, entry: &LayoutEntry) {
        assert_eq!(self.0.put.insert(key.into(), json!(entry)), None, "{key} is told twice");
    }

    fn removed(&mut self, key: &str) {
        assert!(self.0.removed.insert(key.into()), "{key} is told twice");
    }
}

fn whole(layout: &Layout) -> BTreeMap<String, Value> {
    let mut told = Told::default();
    layout.tell(&mut told);
    told.0.put
}

fn since(before: &Layout, layout: &Layout) -> Patch {
    let mut told = Told::default();
    layout.tell_since(before, &mut told);
    told.0
}

fn read(entries: BTreeMap<String, Value>) -> Result<Layout, String> {
    let entries = entries
        .into_iter()
        .map(|(key, value)| Ok((key, serde_json::from_value(value).map_err(|e| e.to_string())?)))
        .collect::<Result<_, String>>()?;
    Layout::from_entries(entries)
}

proptest! {
    #[test]
    fn a_view_that_applies_every_patch_has_the_layout(changes in vec(any_change(), 1..60)) {
        let (mut layout, mut named) = (Layout::default(), Named::default());
        let mut view = whole(&layout);
        for change in &changes {
            let change: &Change = change;
            let before = layout.clone();
            // A refused change changes nothing, so that it is told as nothing.
            let done = change.apply(&mut layout, &mut named);
            let patch = since(&before, &layout);
            prop_assert!(done.is_ok() || patch.is_empty());
            prop_assert!(patch.removed.iter().all(|key| !patch.put.contains_key(key)));
            for (key, entry) in &patch.put {
                prop_assert_ne!(view.get(key), Some(entry), "{} did not change", key);
            }
            patch.apply(&mut view);
            prop_assert_eq!(&view, &whole(&layout));
        }
        prop_assert_eq!(read(view), Ok(layout));
    }
}

#[test]
fn opening_a_file_among_many_is_told_as_that_file() {
    let mut layout = Layout::default();
    for index in 0..199 {
        layout.open(OpenTab::new(TabKind::Editor, format!("src/file-{index}.rs"))).unwrap();
    }
    let before = layout.clone();
    layout.open(OpenTab::new(TabKind::Editor, "src/new.rs")).unwrap();
    let expected = json!({"put": {
        "editor:src/new.rs": {
            "is": "tab", "pane": "p1", "after": "editor:src/file-198.rs", "type": "editor",
            "contentId": "src/new.rs", "title": "new.rs", "dirty": false, "missing": false,
        },
        "p1": {"is": "pane", "activeTab": "editor:src/new.rs", "pinned": false},
    }});
    assert_eq!(json!(since(&before, &layout)), expected);

    let before = layout.clone();
    layout.close_tab(None, "src/file-7.rs").unwrap();
    let expected = json!({
        "put": {"editor:src/file-8.rs": {
            "is": "tab", "pane": "p1", "after": "editor:src/file-6.rs", "type": "editor",
            "contentId": "src/file-8.rs", "title": "file-8.rs", "dirty": false, "missing": false,
        }},
        "removed": ["editor:src/file-7.rs"],
    });
    assert_eq!(json!(since(&before, &layout)), expected);
}

#[test]
fn a_split_is_named_after_the_pane_its_second_child_begins_with() {
    let mut layout = Layout::default();
    let second = layout.split(PaneId(1), Side::Right).unwrap();
    layout.split(second, Side::Below).unwrap();
    let entries = whole(&layout);
    assert_eq!(
        json!({"s2": entries["s2"], "s3": entries["s3"], "root": entries["window"]["main"]}),
        json!({
            "s2": {"is": "split", "split": "vertical", "fractions": [0.5, 0.5], "children": ["p1", "s3"]},
            "s3": {"is": "split", "split": "horizontal", "fractions": [0.5, 0.5], "children": ["p2", "p3"]},
            "root": {"root": "s2", "active": "p3"},
        })
    );
}

#[test]
fn entries_that_make_no_layout_are_refused_with_what_is_wrong() {
    let mut layout = Layout::default();
    layout.open(OpenTab::new(TabKind::Editor, "a.rs")).unwrap();
    layout.split(PaneId(1), Side::Right).unwrap();
    let check = |key: &str, entry: Option<Value>, expected: &str| {
        let mut entries = whole(&layout);
        match entry {
            Some(entry) => drop(entries.insert(key.into(), entry)),
            None => drop(entries.remove(key)),
        }
        assert_eq!(read(entries), Err(expected.into()), "{key}");
    };
    let pane = json!({"is": "pane", "activeTab": null, "pinned": false});
    check("p9", Some(pane), "the entry `p9` belongs nowhere");
    check("p2", None, "there is no entry `p2`, or it occurs twice");
    check("editor:a.rs", None, "the pane p1 has no such active tab");
    check("window", None, "the entry `s2` belongs nowhere");
    let circle = json!({"is": "split", "split": "vertical", "fractions": [0.5, 0.5], "children": ["p1", "s2"]});
    check("s2", Some(circle), "there is no entry `s2`, or it occurs twice");
}

#[test]
fn a_layout_that_was_saved_in_one_piece_is_read() {
    let mut layout = Layout::default();
    layout.open(OpenTab::new(TabKind::Editor, "a.rs")).unwrap();
    let entry = json!({"is": "whole", "layout": layout});
    assert_eq!(read(BTreeMap::from([("whole".into(), entry)])), Ok(layout));
}

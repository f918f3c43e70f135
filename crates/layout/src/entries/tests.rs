//! Entries and what is told of changes: whatever is done, they say the same as the layout.

use std::collections::{BTreeMap, BTreeSet};

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

fn salvaged(entries: BTreeMap<String, Value>) -> (Layout, Vec<(String, String)>) {
    let entries = entries.into_iter();
    Layout::salvage(
        entries.map(|(key, value)| (key, serde_json::from_value(value).unwrap())).collect(),
    )
}

fn tabs_of(entries: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let tabs = entries.values().filter(|entry| entry["is"] == "tab");
    tabs.map(|tab| format!("{}:{}", tab["type"], tab["contentId"])).collect()
}

proptest! {
    #[test]
    fn whatever_entries_are_lost_the_tabs_of_the_others_are_shown(
        changes in vec(any_change(), 1..60),
        lost in vec(any::<proptest::sample::Index>(), 1..6),
    ) {
        let (mut layout, mut named) = (Layout::default(), Named::default());
        for change in &changes {
            drop(Change::apply(change, &mut layout, &mut named));
        }
        let mut entries = whole(&layout);
        for index in lost {
            if !entries.is_empty() {
                let key = index.get(&entries.keys().cloned().collect::<Vec<_>>()).clone();
                entries.remove(&key);
            }
        }
        let (salvaged, unused) = salvaged(entries.clone());
        prop_assert_eq!(salvaged.validate(), Ok(()));
        prop_assert_eq!(tabs_of(&whole(&salvaged)), tabs_of(&entries));
        // Panes that became one have a file once.
        let unused: BTreeSet<&String> = unused.iter().map(|(key, _)| key).filter(|key| key.contains(':')).collect();
        let left = whole(&salvaged);
        prop_assert!(unused.iter().all(|key| !left.contains_key(*key)));
        let shown = left.keys().chain(unused.into_iter()).filter(|key| key.contains(':')).count();
        prop_assert_eq!(shown, entries.keys().filter(|key| key.contains(':')).count());
    }
}

#[test]
fn a_tab_that_is_lost_takes_nothing_else_with_it() {
    let mut layout = Layout::default();
    for path in ["a", "b", "c", "d"] {
        layout.open(OpenTab::new(TabKind::Editor, path)).unwrap();
    }
    let second = layout.split(PaneId(1), Side::Right).unwrap();
    layout.open(OpenTab { target: Some(second), ..OpenTab::new(TabKind::Editor, "e") }).unwrap();
    layout.bring_to_front(None, "b").unwrap();
    let mut entries = whole(&layout);
    entries.remove("editor:b");
    let mut expected = layout;
    expected.close_tab(None, "b").unwrap();
    expected.bring_to_front(None, "a").unwrap();
    assert_eq!(salvaged(entries), (expected, Vec::new()));
}

#[test]
fn without_the_window_everything_that_was_open_is_in_one_pane() {
    let mut layout = Layout::default();
    layout.open(OpenTab::new(TabKind::Editor, "a")).unwrap();
    layout.open(OpenTab::new(TabKind::Terminal, "t1")).unwrap();
    let mut entries = whole(&layout);
    entries.remove("window");
    let (salvaged, unused) = salvaged(entries);
    let pane = &salvaged.panes()[0];
    let tabs: Vec<&str> = pane.tabs.iter().map(|tab| tab.content_id.as_str()).collect();
    assert_eq!((pane.id, tabs, salvaged.next_pane), (PaneId(3), vec!["a", "t1"], 4));
    let unused: Vec<(&str, &str)> =
        unused.iter().map(|(key, why)| (key.as_str(), why.as_str())).collect();
    assert_eq!(unused, [("p1", "it belongs nowhere"), ("p2", "it belongs nowhere")]);
}

#[test]
fn numbers_that_no_pane_can_have_are_survived() {
    let mut layout = Layout::default();
    layout.open(OpenTab::new(TabKind::Editor, "a")).unwrap();
    for number in [u64::MAX, crate::MAX_PANE_NUMBER] {
        let mut entries = whole(&layout);
        entries.get_mut("window").unwrap()["nextPane"] = json!(number);
        entries.remove("p1");
        let (salvaged, _) = salvaged(entries);
        assert_eq!(salvaged.validate(), Ok(()));
    }
}

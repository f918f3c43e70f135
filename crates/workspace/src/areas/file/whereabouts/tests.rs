//! What follows a file.

use std::collections::BTreeMap;

use openspace_layout::{OpenTab, TabKind};
use openspace_space::State;

use super::*;
use crate::areas::{
    editor::{EditorsPart, OpenEditor},
    layout::LayoutPart,
};

fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

fn state(paths: &[&str]) -> State {
    let mut state = State::empty(&crate::parts());
    for path in paths {
        let layout = state.part_mut::<LayoutPart>();
        layout.open(OpenTab::new(TabKind::Editor, *path)).unwrap();
        state.part_mut::<EditorsPart>().insert(*path, OpenEditor::default());
        let highlight = Highlight {
            path: (*path).to_owned(),
            ranges: Vec::new(),
            color: "red".to_owned(),
            note: None,
            by: "tester".to_owned(),
        };
        state.part_mut::<HighlightsPart>().insert(format!("on {path}"), highlight);
    }
    state
}

/// Tabs and whether they are missing, open files, highlights by id.
type Known = (Vec<(String, bool)>, Vec<String>, BTreeMap<String, String>);

fn known(state: &State) -> Known {
    let tabs =
        state.part::<LayoutPart>().tabs().map(|(_, tab)| (tab.content_id.clone(), tab.missing));
    let highlights =
        state.part::<HighlightsPart>().iter().map(|(id, one)| (id.to_string(), one.path.clone()));
    (
        tabs.collect(),
        state.part::<EditorsPart>().keys().map(ToString::to_string).collect(),
        highlights.collect(),
    )
}

fn owned(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(id, path)| ((*id).to_owned(), (*path).to_owned())).collect()
}

#[test]
fn everything_known_of_a_folder_follows_it() {
    let mut state = state(&["src/a", "srcs"]);
    moved(&mut state, &rel("src"), &rel("lib/src")).unwrap();
    let tabs = vec![("lib/src/a".to_owned(), false), ("srcs".to_owned(), false)];
    let editors = vec!["lib/src/a".to_owned(), "srcs".to_owned()];
    let highlights = owned(&[("on src/a", "lib/src/a"), ("on srcs", "srcs")]);
    assert_eq!(known(&state), (tabs, editors, highlights));
}

#[test]
fn tabs_of_deleted_files_wait_for_them() {
    let mut state = state(&["src/a", "b"]);
    deleted(&mut state, &rel("src")).unwrap();
    let tabs = |missing| vec![("src/a".to_owned(), missing), ("b".to_owned(), false)];
    let editors = vec!["b".to_owned(), "src/a".to_owned()];
    let highlights = owned(&[("on b", "b")]);
    assert_eq!(known(&state), (tabs(true), editors.clone(), highlights.clone()));
    restored(&mut state, &rel("src")).unwrap();
    assert_eq!(known(&state), (tabs(false), editors, highlights));
}

#[test]
fn parts_that_know_nothing_of_a_file_stay_the_same() {
    let mut state = state(&["a"]);
    let before = state.clone();
    moved(&mut state, &rel("x"), &rel("y")).unwrap();
    deleted(&mut state, &rel("x")).unwrap();
    assert!(state.shares::<HighlightsPart>(&before));
    assert!(state.shares::<EditorsPart>(&before));
    assert_eq!(state, before);
}

//! Which tabs follow a move.

use super::*;
use crate::OpenTab;

fn open(layout: &mut Layout, kind: TabKind, content_id: &str) {
    layout.open(OpenTab::new(kind, content_id)).unwrap();
}

fn tabs(layout: &Layout) -> Vec<(String, String, bool)> {
    let told =
        |(_, tab): (_, &crate::Tab)| (tab.content_id.clone(), tab.title.clone(), tab.missing);
    layout.tabs().map(told).collect()
}

fn tab(content_id: &str, title: &str, missing: bool) -> (String, String, bool) {
    (content_id.to_owned(), title.to_owned(), missing)
}

#[test]
fn a_path_is_after_a_move_what_it_was_before() {
    for (path, expected) in
        [("a", Some("b/c")), ("a/x/y", Some("b/c/x/y")), ("ab", None), ("b/a", None), ("", None)]
    {
        assert_eq!(path_after_move(path, "a", "b/c").as_deref(), expected, "{path}");
    }
}

#[test]
fn tabs_of_files_follow_with_their_titles_and_others_stay() {
    let mut layout = Layout::default();
    for path in ["src/a.rs", "src/own.rs", "src.rs"] {
        open(&mut layout, TabKind::Editor, path);
    }
    open(&mut layout, TabKind::Whiteboard, "src/plan");
    open(&mut layout, TabKind::Terminal, "src");
    layout.set_title(TabKind::Editor, "src/own.rs", "mine").unwrap();
    layout.mark_missing(TabKind::Editor, "src/a.rs", true).unwrap();
    layout.follow_move("src", "lib/new").unwrap();
    let expected = [
        tab("lib/new/a.rs", "a.rs", false),
        tab("lib/new/own.rs", "mine", false),
        tab("src.rs", "src.rs", false),
        tab("lib/new/plan", "plan", false),
        tab("src", "src", false),
    ];
    assert_eq!(tabs(&layout), expected);
    layout.follow_move("src.rs", "main.rs").unwrap();
    assert_eq!(tabs(&layout)[2], tab("main.rs", "main.rs", false));
}

#[test]
fn content_has_one_tab_after_a_move_onto_it() {
    let mut layout = Layout::default();
    open(&mut layout, TabKind::Editor, "a");
    open(&mut layout, TabKind::Editor, "b");
    layout.mark_missing(TabKind::Editor, "b", true).unwrap();
    layout.follow_move("a", "b").unwrap();
    assert_eq!(tabs(&layout), [tab("b", "b", false)]);
}

#[test]
fn all_tabs_beneath_a_path_are_marked() {
    let mut layout = Layout::default();
    for path in ["src/a", "src", "other"] {
        open(&mut layout, TabKind::Editor, path);
    }
    layout.mark_missing_beneath("src", true).unwrap();
    let expected = [tab("src/a", "a", true), tab("src", "src", true), tab("other", "other", false)];
    assert_eq!(tabs(&layout), expected);
    layout.mark_missing_beneath("src/a", false).unwrap();
    assert_eq!(tabs(&layout)[..2], [tab("src/a", "a", false), tab("src", "src", true)]);
}

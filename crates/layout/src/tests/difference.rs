//! What came and went, and what is taken away.

use pretty_assertions::assert_eq;

use super::*;

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

#[test]
fn cleanup_spares_pinned_panes_and_unsaved_changes() {
    let mut layout = layout([editor("a"), editor("dirty"), beside("pinned"), beside("b")]);
    layout.pin(PaneId(2)).unwrap();
    layout.set_dirty(TabKind::Editor, "dirty", true).unwrap();
    let left = ["a", "dirty", "pinned", "b", "long gone"].map(|id| format!("editor:{id}"));
    let closed = layout.cleanup(&left).unwrap();
    let tabs = ["a", "b"].map(|id| TabKey::new(TabKind::Editor, id)).to_vec();
    assert_eq!(closed, Closed { tabs, panes: vec![PaneId(3)] });
    check(&layout, "[p1: dirty* | p2: pinned*!]");
}

#[test]
fn cleanup_takes_one_of_several_tabs_of_a_file() {
    let mut layout = layout([editor("a"), beside("a")]);
    layout.cleanup(&names(["editor#1:a"])).unwrap();
    check(&layout, "p1: a*!");
}

#[test]
fn what_came_and_went_is_told_tab_by_tab_and_pane_by_pane() {
    let before = layout([editor("a"), editor("b"), terminal("t1")]);
    let mut now = before.clone();
    assert_eq!(now.difference(&before), Difference::default());
    now.open(beside("a")).unwrap();
    now.close_tab(Some(TabKind::Terminal), "t1").unwrap();
    now.pin(PaneId(3)).unwrap();
    assert_eq!(
        now.difference(&before),
        Difference {
            opened: names(["editor#1:a"]),
            closed: names(["terminal:t1"]),
            made: vec![PaneId(3)],
            gone: vec![PaneId(2)],
            pinned: vec![PaneId(3)],
            unpinned: Vec::new(),
        }
    );
    assert_eq!((now.is_pinned(PaneId(3)), now.is_pinned(PaneId(1))), (true, false));
    assert_eq!(now.named_tab("editor#1:a").unwrap().0, PaneId(3));
    let back = before.difference(&now);
    assert_eq!((back.opened, back.unpinned), (names(["terminal:t1"]), vec![PaneId(3)]));
}

#[test]
fn a_tab_that_moved_neither_came_nor_went() {
    let before = layout([editor("a"), editor("b"), beside("c")]);
    let mut now = before.clone();
    now.move_tab(None, "b", PaneId(2), None).unwrap();
    assert_eq!(now.difference(&before), Difference::default());
    let empty = now.split(PaneId(1), Side::Below).unwrap();
    assert_eq!(now.difference(&before).made, [empty]);
    assert!(now.is_empty_pane(empty) && !now.is_empty_pane(PaneId(1)));
}

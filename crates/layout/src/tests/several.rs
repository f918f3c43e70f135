//! A file in several panes.

use pretty_assertions::assert_eq;

use super::{
    propose::{merge, proposal},
    *,
};

fn again(path: &str) -> OpenTab {
    OpenTab { new_pane: true, ..editor(path) }
}

#[test]
fn a_new_pane_shows_a_file_that_is_open_elsewhere_once_more() {
    let mut layout = layout([editor("a"), editor("b")]);
    layout.set_dirty(TabKind::Editor, "a", true).unwrap();
    let opened = layout.open(again("a")).unwrap();
    assert_eq!(opened, Opened { pane: PaneId(2), created_pane: true, already_open: true });
    check(&layout, "[p1: a b* | p2: a*!]");
    let target = Some(PaneId(1));
    layout.open(OpenTab { target, split: Some(Split::Horizontal), ..editor("a") }).unwrap();
    check(&layout, "[[p1: a b* - p3: a*!] | p2: a*]");
    let tabs: Vec<(PaneId, u32, bool)> = layout
        .tabs()
        .filter(|(_, tab)| tab.content_id == "a")
        .map(|(pane, tab)| (pane, tab.nth, tab.dirty))
        .collect();
    assert_eq!(tabs, [(PaneId(1), 0, true), (PaneId(3), 2, true), (PaneId(2), 1, true)]);
}

#[test]
fn of_several_the_one_of_the_active_pane_is_meant_then_one_in_front() {
    let mut layout = layout([editor("a"), editor("b"), again("a"), again("c")]);
    check(&layout, "[p1: a b* | p2: a* | p3: c*!]");
    assert_eq!(layout.open(editor("a")).unwrap().pane, PaneId(2));
    layout.focus_pane(PaneId(1)).unwrap();
    assert_eq!(layout.open(editor("a")).unwrap().pane, PaneId(1));
    check(&layout, "[p1: a* b! | p2: a* | p3: c*]");
    let moved = layout.move_tab(None, "a", PaneId(2), None).unwrap();
    assert_eq!(moved, Moved { from: PaneId(2), to: PaneId(2), closed_pane: false });
    layout.move_tab(None, "a", PaneId(3), None).unwrap();
    check(&layout, "[p1: a* b | p3: c a*!]");
}

#[test]
fn closing_in_one_pane_leaves_the_others() {
    let mut layout = layout([editor("a"), editor("b"), again("a"), again("a")]);
    let closed = layout.close_tab_in(PaneId(2), None, "a").unwrap();
    let key = TabKey::new(TabKind::Editor, "a");
    assert_eq!(closed, Closed { tabs: vec![key.clone()], panes: vec![PaneId(2)] });
    check(&layout, "[p1: a b* | p3: a*!]");
    check_refused(
        &mut layout,
        |layout| layout.close_tab_in(PaneId(3), None, "b"),
        "no tab shows `b`; open are: editor `a`",
    );
    let closed = layout.close_tab(None, "a").unwrap();
    assert_eq!(closed, Closed { tabs: vec![key], panes: vec![PaneId(3)] });
    check(&layout, "p1: b*!");
}

#[test]
fn all_tabs_of_a_file_follow_it() {
    let mut layout = layout([editor("a"), again("a")]);
    layout.mark_missing(TabKind::Editor, "a", true).unwrap();
    layout.follow_move("a", "b").unwrap();
    check(&layout, "[p1: b* | p2: b*!]");
    assert!(layout.tabs().all(|(_, tab)| !tab.missing && tab.title == "b"));
}

#[test]
fn a_person_who_shows_a_file_twice_has_both_and_keeps_what_others_show() {
    let known = layout([editor("a"), editor("b")]);
    let split = |layout: &mut Layout| assert!(layout.open(again("a")).unwrap().created_pane);
    let nothing = |_: &mut Layout| {};
    assert_eq!(picture(&merge(&known, split, nothing)), "[p1: a b* | p2: a*!]");
    assert_eq!(picture(&merge(&known, nothing, split)), "[p1: a b*! | p2: a*]");
    // Each of them wanted one more.
    assert_eq!(picture(&merge(&known, split, split)), "[p1: a b* | p2: a* | p3: a*!]");
}

#[test]
fn a_close_of_one_view_is_told_from_a_close_of_the_other() {
    let known = layout([editor("a"), again("a"), editor("b")]);
    let close = |pane: u64| {
        move |layout: &mut Layout| drop(layout.close_tab_in(PaneId(pane), None, "a").unwrap())
    };
    assert_eq!(picture(&known), "[p1: a* | p2: a b*!]");
    assert_eq!(picture(&merge(&known, close(2), |_| {})), "[p1: a* | p2: b*!]");
    assert_eq!(picture(&merge(&known, |_| {}, close(2))), "[p1: a* | p2: b*!]");
    assert_eq!(picture(&merge(&known, close(1), |_| {})), "p2: a b*!");
    // A page of before says no panes.
    let mut page = known.clone();
    close(2)(&mut page);
    let mut told = proposal(&known, &page);
    told.known_tabs.iter_mut().for_each(|tab| tab.pane_id = None);
    let mut server = known.clone();
    server.propose(&told).unwrap();
    assert_eq!(picture(&server), "[p1: a* | p2: b*!]");
}

#[test]
fn a_saved_layout_brings_both_back() {
    let mut layout = layout([editor("a"), again("a")]);
    let mut named = Named::default();
    named.save("both", &layout).unwrap();
    layout.close_tab(None, "a").unwrap();
    named.apply("both", &mut layout, |kind, _| presence(kind, true)).unwrap();
    check(&layout, "[p1: a* | p2: a*!]");
}

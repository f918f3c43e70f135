//! The layout by example; `properties` has what holds for any sequence of changes.

mod difference;
mod named;
pub(crate) mod properties;
mod proposals;
mod propose;
mod several;
mod sizes;

use serde_json::json;

use super::*;

pub(super) fn editor(path: &str) -> OpenTab {
    OpenTab::new(TabKind::Editor, path)
}

pub(super) fn terminal(id: &str) -> OpenTab {
    OpenTab::new(TabKind::Terminal, id)
}

pub(super) fn chat(id: &str) -> OpenTab {
    OpenTab::new(TabKind::Chat, id)
}

/// Whether content is there, as it is for files and terminals.
pub(super) fn presence(kind: TabKind, there: bool) -> Presence {
    match kind {
        _ if !there => Presence::Gone,
        TabKind::Terminal => Presence::Alive,
        _ => Presence::There,
    }
}

/// A layout in which the requests were made one after the other.
pub(super) fn layout(requests: impl IntoIterator<Item = OpenTab>) -> Layout {
    let mut layout = Layout::default();
    for request in requests {
        layout.open(request).unwrap();
    }
    layout.validate().unwrap();
    layout
}

/// Opens a file in a new pane to the right.
pub(super) fn beside(path: &str) -> OpenTab {
    OpenTab { split: Some(Split::Vertical), ..editor(path) }
}

/// Opens a file in a new pane below.
pub(super) fn below(path: &str) -> OpenTab {
    OpenTab { split: Some(Split::Horizontal), ..editor(path) }
}

/// The areas, splits and tabs in one line: `|` is side by side, `-` one above the other, `*` marks
/// the tab in front and `!` the active pane.
pub(super) fn picture(layout: &Layout) -> String {
    fn draw(layout: &Layout, node: &NodeView) -> String {
        match node {
            NodeView::Pane { id } => {
                let pane = layout.panes().into_iter().find(|pane| pane.id == *id).unwrap();
                let tab = |(index, tab): (usize, &Arc<Tab>)| {
                    let front = if pane.active_tab == Some(index) { "*" } else { "" };
                    format!(" {}{front}", tab.content_id)
                };
                let tabs: String = pane.tabs.iter().enumerate().map(tab).collect();
                format!("{id}:{tabs}{}", if pane.active { "!" } else { "" })
            }
            NodeView::Split { split, children, .. } => {
                let children: Vec<String> =
                    children.iter().map(|child| draw(layout, child)).collect();
                let divider = if *split == Split::Vertical { " | " } else { " - " };
                format!("[{}]", children.join(divider))
            }
        }
    }
    let tree = layout.tree();
    let dock = |name: &str, dock: Option<DockView>| {
        dock.map(|dock| format!("; {name} {}", draw(layout, &dock.root))).unwrap_or_default()
    };
    draw(layout, &tree.main) + &dock("bottom", tree.bottom) + &dock("right", tree.right)
}

/// Checks what a change leads to, that the result is valid and survives JSON.
#[track_caller]
pub(super) fn check(layout: &Layout, expected: &str) {
    assert_eq!(picture(layout), expected);
    layout.validate().unwrap();
    let json = serde_json::to_string(layout).unwrap();
    assert_eq!(serde_json::from_str::<Layout>(&json).unwrap(), *layout);
}

/// Checks that a change is refused with this message and changes nothing.
#[track_caller]
pub(super) fn check_refused<T: fmt::Debug>(
    layout: &mut Layout,
    change: impl FnOnce(&mut Layout) -> Result<T, LayoutError>,
    message: &str,
) {
    let before = layout.clone();
    assert_eq!(change(layout).unwrap_err().to_string(), message);
    assert_eq!(*layout, before);
}

#[test]
fn a_new_layout_is_one_empty_pane() {
    check(&Layout::default(), "p1:!");
}

#[test]
fn each_kind_opens_where_it_is_at_home() {
    let mut layout = layout([editor("a.rs"), terminal("t1"), chat("c1")]);
    check(&layout, "p1: a.rs*; bottom p2: t1*; right p3: c1*!");
    let opened = layout.open(OpenTab::new(TabKind::Whiteboard, "b.whiteboard.json")).unwrap();
    assert_eq!(opened, Opened { pane: PaneId(1), created_pane: false, already_open: false });
    layout.open(terminal("t2")).unwrap();
    check(&layout, "p1: a.rs b.whiteboard.json*; bottom p2: t1 t2*!; right p3: c1*");
}

#[test]
fn a_vertical_split_opens_to_the_right_and_a_horizontal_one_below() {
    let layout = layout([editor("a.rs"), beside("b.rs"), below("c.rs")]);
    check(&layout, "[p1: a.rs* | [p2: b.rs* - p3: c.rs*!]]");
}

#[test]
fn a_new_pane_is_made_in_the_area_of_its_kind() {
    let new = |request| OpenTab { new_pane: true, ..request };
    let layout = layout([new(terminal("t1")), new(terminal("t2")), chat("c1"), new(chat("c2"))]);
    check(&layout, "p1:; bottom [p2: t1* | p3: t2*]; right [p4: c1* - p5: c2*!]");
}

#[test]
fn a_pane_that_is_spared_gets_nothing_while_there_is_another_one() {
    let mut layout = layout([editor("a.rs"), beside("b.rs"), beside("c.rs"), terminal("t1")]);
    let opened = |layout: &mut Layout, path: &str, spared: &[u64]| {
        let spared = spared.iter().copied().map(PaneId).collect();
        layout.open(OpenTab { spared, ..editor(path) }).unwrap().pane
    };
    assert_eq!(opened(&mut layout, "d.rs", &[3]), PaneId(2), "nothing comes after p3");
    assert_eq!(opened(&mut layout, "e.rs", &[2]), PaneId(3));
    assert_eq!(opened(&mut layout, "f.rs", &[2, 3]), PaneId(1));
    assert_eq!(opened(&mut layout, "g.rs", &[1, 2, 3]), PaneId(1), "all are spared, so none is");
    assert_eq!(opened(&mut layout, "b.rs", &[2]), PaneId(2), "it is there already");
}

#[test]
fn a_target_decides_where_a_terminal_goes() {
    let target = Some(PaneId(1));
    let mut layout = layout([editor("a.rs"), OpenTab { target, ..terminal("t1") }]);
    check(&layout, "p1: a.rs t1*!");
    layout.open(OpenTab { target, split: Some(Split::Horizontal), ..terminal("t2") }).unwrap();
    check(&layout, "[p1: a.rs t1* - p2: t2*!]");
}

#[test]
fn opening_what_is_open_only_activates_it() {
    let mut layout = layout([editor("a.rs"), editor("b.rs"), beside("c.rs"), terminal("t1")]);
    let opened = layout.open(editor("a.rs")).unwrap();
    assert_eq!(opened, Opened { pane: PaneId(1), created_pane: false, already_open: true });
    check(&layout, "[p1: a.rs* b.rs! | p2: c.rs*]; bottom p3: t1*");
    let opened = layout.open(OpenTab { new_pane: true, ..terminal("t1") }).unwrap();
    assert_eq!(opened, Opened { pane: PaneId(3), created_pane: false, already_open: true });
    check(&layout, "[p1: a.rs* b.rs | p2: c.rs*]; bottom p3: t1*!");
}

#[test]
fn opening_what_is_open_in_a_named_pane_moves_it_there() {
    let mut layout = layout([editor("a.rs"), editor("b.rs"), beside("c.rs")]);
    let opened = layout.open(OpenTab { target: Some(PaneId(2)), ..editor("a.rs") }).unwrap();
    assert_eq!(opened, Opened { pane: PaneId(2), created_pane: false, already_open: true });
    check(&layout, "[p1: b.rs* | p2: c.rs a.rs*!]");
    let terminal = layout.open(OpenTab { target: Some(PaneId(2)), ..terminal("t1") }).unwrap();
    assert_eq!(terminal, Opened { pane: PaneId(2), created_pane: false, already_open: false });
    let below = OpenTab { target: Some(PaneId(1)), kind: TabKind::Terminal, ..below("t1") };
    let opened = layout.open(below).unwrap();
    assert_eq!(opened, Opened { pane: PaneId(3), created_pane: true, already_open: true });
    check(&layout, "[[p1: b.rs* - p3: t1*!] | p2: c.rs a.rs*]");
}

#[test]
fn the_same_content_as_two_kinds_is_two_tabs() {
    let deck = OpenTab::new(TabKind::Presentation, "x.deck.md");
    let mut layout = layout([editor("x.deck.md"), deck]);
    check(&layout, "p1: x.deck.md x.deck.md*!");
    check_refused(
        &mut layout,
        |layout| layout.close_tab(None, "x.deck.md"),
        "`x.deck.md` is open as editor, presentation; say which",
    );
    layout.close_tab(Some(TabKind::Presentation), "x.deck.md").unwrap();
    assert_eq!(layout.find_tab(TabKind::Editor, "x.deck.md"), Some(PaneId(1)));
    assert_eq!(layout.find_tab(TabKind::Presentation, "x.deck.md"), None);
}

#[test]
fn an_unknown_pane_is_refused_with_the_ones_there_are() {
    let mut layout = layout([editor("a.rs"), beside("b.rs"), terminal("t1")]);
    let gone = PaneId(9);
    let message = "there is no pane p9; the panes are p1, p2, p3";
    check_refused(&mut layout, |l| l.close_pane(gone), message);
    check_refused(&mut layout, |l| l.focus_pane(gone), message);
    check_refused(&mut layout, |l| l.split(gone, Side::Left), message);
    check_refused(&mut layout, |l| l.resize(gone, Some(50.0), None), message);
    check_refused(&mut layout, |l| l.set_fractions(PaneId(1), gone, &[1.0, 1.0]), message);
    check_refused(&mut layout, |l| l.move_tab(None, "a.rs", gone, None), message);
    check_refused(&mut layout, |l| l.move_pane(PaneId(1), gone, Side::Left), message);
    check_refused(&mut layout, |l| l.pin(gone), message);
    for request in [editor("a.rs"), editor("new.rs"), beside("new.rs")] {
        let request = OpenTab { target: Some(gone), ..request };
        check_refused(&mut layout, |l| l.open(request), message);
    }
}

#[test]
fn an_unknown_tab_is_refused_with_the_open_ones() {
    let mut layout = layout([editor("a.rs"), terminal("t1")]);
    let message = "no tab shows `b.rs`; open are: editor `a.rs`, terminal `t1`";
    check_refused(&mut layout, |l| l.close_tab(None, "b.rs"), message);
    check_refused(&mut layout, |l| l.focus_tab(None, "b.rs"), message);
    check_refused(&mut layout, |l| l.move_tab(None, "b.rs", PaneId(1), None), message);
    let message = "no tab shows editor `t1`; open are: editor `a.rs`, terminal `t1`";
    check_refused(&mut layout, |l| l.set_dirty(TabKind::Editor, "t1", true), message);
}

#[test]
fn closing_the_last_tab_closes_the_pane() {
    let mut layout = layout([editor("a.rs"), beside("b.rs"), terminal("t1")]);
    let closed = layout.close_tab(None, "b.rs").unwrap();
    let tabs = vec![TabKey::new(TabKind::Editor, "b.rs")];
    assert_eq!(closed, Closed { tabs, panes: vec![PaneId(2)] });
    check(&layout, "p1: a.rs*; bottom p3: t1*!");
    layout.close_tab(None, "t1").unwrap();
    check(&layout, "p1: a.rs*!");
}

#[test]
fn a_pinned_pane_outlives_its_tabs_but_not_an_explicit_close() {
    let mut layout = layout([editor("a.rs"), beside("b.rs")]);
    layout.pin(PaneId(2)).unwrap();
    layout.close_tab(None, "b.rs").unwrap();
    check(&layout, "[p1: a.rs* | p2:!]");
    layout.close_pane(PaneId(2)).unwrap();
    check(&layout, "p1: a.rs*!");
}

#[test]
fn the_last_main_pane_keeps_its_id_and_loses_its_tabs() {
    let mut layout = layout([editor("a.rs"), editor("b.rs"), terminal("t1")]);
    let closed = layout.close_pane(PaneId(1)).unwrap();
    let tabs = vec![TabKey::new(TabKind::Editor, "a.rs"), TabKey::new(TabKind::Editor, "b.rs")];
    assert_eq!(closed, Closed { tabs, panes: Vec::new() });
    check(&layout, "p1:; bottom p2: t1*!");
    let message = "p1 is the last pane of the main area, which always keeps one";
    check_refused(&mut layout, |l| l.close_pane(PaneId(1)), message);
    check_refused(&mut layout, |l| l.move_pane(PaneId(1), PaneId(2), Side::Left), message);
}

#[test]
fn closing_flattens_splits_in_the_same_direction() {
    let mut layout = layout([editor("a"), beside("b"), below("c"), beside("d")]);
    check(&layout, "[p1: a* | [p2: b* - [p3: c* | p4: d*!]]]");
    layout.close_pane(PaneId(2)).unwrap();
    check(&layout, "[p1: a* | p3: c* | p4: d*!]");
    let NodeView::Split { fractions, .. } = layout.tree().main else { panic!("not a split") };
    assert_eq!(fractions, [0.5, 0.25, 0.25]);
    layout.close_pane(PaneId(1)).unwrap();
    layout.close_pane(PaneId(4)).unwrap();
    check(&layout, "p3: c*!");
}

#[test]
fn the_pane_before_a_closed_one_becomes_active() {
    let mut layout = layout([editor("a"), beside("b"), beside("c")]);
    layout.close_pane(PaneId(3)).unwrap();
    check(&layout, "[p1: a* | p2: b*!]");
    layout.focus_pane(PaneId(1)).unwrap();
    layout.close_pane(PaneId(1)).unwrap();
    check(&layout, "p2: b*!");
}

#[test]
fn closing_a_tab_brings_a_neighbour_to_the_front() {
    let mut layout = layout([editor("z"), editor("a"), editor("b"), editor("c")]);
    layout.focus_tab(None, "b").unwrap();
    layout.close_tab(None, "z").unwrap();
    check(&layout, "p1: a b* c!");
    layout.close_tab(None, "b").unwrap();
    check(&layout, "p1: a c*!");
    layout.close_tab(None, "a").unwrap();
    check(&layout, "p1: c*!");
    layout.close_tab(None, "c").unwrap();
    check(&layout, "p1:!");
}

#[test]
fn a_pane_can_be_split_on_every_side() {
    let mut layout = layout([editor("a")]);
    for side in [Side::Left, Side::Right] {
        layout.split(PaneId(1), side).unwrap();
    }
    check(&layout, "[p2: | p1: a* | p3:!]");
    for side in [Side::Above, Side::Below] {
        layout.split(PaneId(1), side).unwrap();
    }
    check(&layout, "[p2: | [p4: - p1: a* - p5:!] | p3:]");
}

#[test]
fn a_tab_moves_within_and_between_panes() {
    let mut layout = layout([editor("a"), editor("b"), editor("c"), beside("d")]);
    let moved = layout.move_tab(None, "c", PaneId(1), Some(0)).unwrap();
    assert_eq!(moved, Moved { from: PaneId(1), to: PaneId(1), closed_pane: false });
    check(&layout, "[p1: c* a b! | p2: d*]");
    layout.move_tab(None, "a", PaneId(1), None).unwrap();
    check(&layout, "[p1: c a* b! | p2: d*]");
    let moved = layout.move_tab(None, "d", PaneId(1), Some(1)).unwrap();
    assert_eq!(moved, Moved { from: PaneId(2), to: PaneId(1), closed_pane: true });
    check(&layout, "p1: c d* a b!");
    let message = "the place of the tab in p1 can be 0 to 3, not 4";
    check_refused(&mut layout, |l| l.move_tab(None, "d", PaneId(1), Some(4)), message);
}

#[test]
fn a_pane_moves_with_its_tabs_and_its_id() {
    let mut layout = layout([editor("a"), beside("b"), terminal("t1")]);
    layout.move_pane(PaneId(3), PaneId(1), Side::Left).unwrap();
    check(&layout, "[p3: t1*! | p1: a* | p2: b*]");
    layout.move_pane(PaneId(1), PaneId(2), Side::Below).unwrap();
    check(&layout, "[p3: t1* | [p2: b* - p1: a*!]]");
    let message = "two different panes are needed, not p1 twice";
    check_refused(&mut layout, |l| l.move_pane(PaneId(1), PaneId(1), Side::Left), message);
}

#[test]
fn a_tab_shows_what_it_is_told() {
    let mut layout = layout([editor("src/deep/main.rs")]);
    layout.set_dirty(TabKind::Editor, "src/deep/main.rs", true).unwrap();
    layout.mark_missing(TabKind::Editor, "src/deep/main.rs", true).unwrap();
    let json = json!({
        "id": "p1",
        "area": "main",
        "tabs": [{
            "type": "editor",
            "contentId": "src/deep/main.rs",
            "title": "main.rs",
            "dirty": true,
            "missing": true,
        }],
        "activeTab": 0,
        "active": true,
        "pinned": false,
        "geometry": { "x": 0.0, "y": 0.0, "width": 100.0, "height": 100.0 },
    });
    assert_eq!(serde_json::to_value(layout.panes()).unwrap(), json!([json]));
    let title = Some("entry".into());
    layout.open(OpenTab { title, ..editor("src/deep/main.rs") }).unwrap();
    let tab = layout.tab(None, "src/deep/main.rs").unwrap().1;
    assert_eq!((tab.title.as_str(), tab.dirty, tab.missing), ("entry", true, false));
    layout.set_title(TabKind::Editor, "src/deep/main.rs", "other").unwrap();
    assert_eq!(layout.tab(None, "src/deep/main.rs").unwrap().1.title, "other");
}

#[test]
fn every_bound_is_an_error() {
    let mut layout = layout((0..MAX_TABS).map(|n| editor(&format!("{n}"))));
    let message = "there can be no more than 200 tabs in a pane";
    check_refused(&mut layout, |l| l.open(editor("one more")), message);
    for side in [Side::Left, Side::Below].iter().cycle().take(MAX_DEPTH) {
        layout.split(layout.active_pane(), *side).unwrap();
    }
    let deepest = layout.active_pane();
    let message = "there can be no more than 16 splits inside each other";
    check_refused(&mut layout, |l| l.split(deepest, Side::Left), message);
    while layout.pane_ids().len() < MAX_PANES {
        layout.split(PaneId(1), Side::Right).unwrap();
    }
    let message = "there can be no more than 600 panes";
    check_refused(&mut layout, |l| l.split(PaneId(1), Side::Right), message);
    layout.validate().unwrap();
    let message = "the length of a content id can be 1 to 4096, not 0";
    check_refused(&mut layout, |l| l.open(editor("")), message);
    let title = Some("x".repeat(MAX_TITLE + 1));
    let message = "the length of a title can be 1 to 256, not 257";
    check_refused(&mut layout, |l| l.open(OpenTab { title, ..editor("a") }), message);
}

#[test]
fn a_layout_made_by_hand_is_checked() {
    let pane =
        |id: &str| json!({ "pane": { "id": id, "tabs": [], "activeTab": null, "pinned": false }});
    let split = |direction: &str, fractions: serde_json::Value, children: serde_json::Value| json!({ "split": { "split": direction, "fractions": fractions, "children": children }});
    let layout = |root: serde_json::Value| {
        let dock = json!({ "fraction": 0.3, "grid": null });
        let main = json!({ "root": root, "active": "p1" });
        let json = json!({
            "main": main, "bottom": dock, "right": dock, "activeArea": "main", "nextPane": 4,
        });
        serde_json::from_value::<Layout>(json).map_err(|error| error.to_string())
    };
    let check_invalid = |root, message: &str| assert_eq!(layout(root).unwrap_err(), message);

    let thirds = json!([0.333_333, 0.333_333, 0.333_334]);
    let three = layout(split("vertical", thirds, json!([pane("p1"), pane("p2"), pane("p3")])));
    check(&three.unwrap(), "[p1:! | p2: | p3:]");
    check_invalid(pane("p2"), "the active pane p1 is not in its area");
    check_invalid(
        split("vertical", json!([1.0]), json!([pane("p1")])),
        "a split has fewer than two children",
    );
    check_invalid(
        split("vertical", json!([0.5, 0.4]), json!([pane("p1"), pane("p2")])),
        "the fractions of a split are positive and add up to 1, not 0.9",
    );
    check_invalid(
        split("vertical", json!([0.99, 0.01]), json!([pane("p1"), pane("p2")])),
        "the fraction 0.01 of a split is below its minimum 0.05",
    );
    check_invalid(
        split("vertical", json!([0.5, 0.5]), json!([pane("p1"), pane("p1")])),
        "the pane p1 occurs twice",
    );
    check_invalid(
        split("vertical", json!([0.5, 0.5]), json!([pane("p1"), pane("p4")])),
        "the pane p4 was never given out",
    );
    let inner = split("vertical", json!([0.5, 0.5]), json!([pane("p2"), pane("p3")]));
    check_invalid(
        split("vertical", json!([0.5, 0.5]), json!([pane("p1"), inner])),
        "a split has a child that divides in the same direction",
    );
}

#[test]
fn a_saved_layout_that_contradicts_itself_is_refused() {
    let saved = serde_json::to_value(layout([editor("a"), editor("b")])).unwrap();
    let check_invalid = |place: &str, value: serde_json::Value, message: &str| {
        let mut json = saved.clone();
        *json.pointer_mut(place).unwrap() = value;
        let error = serde_json::from_value::<Layout>(json).unwrap_err();
        assert_eq!(error.to_string(), message);
    };
    let pane = "/main/root/pane";
    check_invalid(&format!("{pane}/tabs/1/contentId"), json!("a"), "editor `a` is open twice");
    check_invalid(&format!("{pane}/activeTab"), json!(2), "the pane p1 has no such active tab");
    check_invalid(&format!("{pane}/activeTab"), json!(null), "the pane p1 has no such active tab");
    check_invalid(
        &format!("{pane}/tabs/1/title"),
        json!(""),
        "the length of a title can be 1 to 256, not 0",
    );
    check_invalid("/activeArea", json!("right"), "the active area has no pane");
    check_invalid("/bottom/fraction", json!(0.01), "an area cannot have 0.01 of the window");
    check_invalid("/nextPane", json!(1), "the pane p1 was never given out");
    check_invalid(
        "/nextPane",
        json!(u64::MAX),
        "the next pane's number 18446744073709551615 is too large",
    );
}

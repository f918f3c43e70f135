//! What holds after any sequence of changes, sensible or not.

use std::collections::{BTreeSet, HashSet};

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::Value;

use super::*;
use crate::geometry::Rectangle;

/// A change with arguments that may or may not make sense.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Open(OpenTab),
    ClosePane(PaneId),
    CloseTab(Option<TabKind>, String),
    CloseTabIn(PaneId, Option<TabKind>, String),
    FollowMove(String, String),
    Cleanup(Vec<String>),
    FocusPane(PaneId),
    FocusTab(Option<TabKind>, String),
    MoveTab(Option<TabKind>, String, PaneId, Option<usize>),
    MovePane(PaneId, PaneId, Side),
    Split(PaneId, Side),
    Resize(PaneId, Option<f64>, Option<f64>),
    Drag(PaneId, PaneId, Vec<f64>),
    Pin(PaneId, bool),
    Mark(TabKind, String, bool),
    Rename(TabKind, String, String),
    SaveNamed,
    ApplyNamed(String),
}

impl Change {
    pub(crate) fn apply(&self, layout: &mut Layout, named: &mut Named) -> Result<(), LayoutError> {
        match self.clone() {
            Self::Open(request) => layout.open(request).map(drop),
            Self::ClosePane(pane) => layout.close_pane(pane).map(drop),
            Self::CloseTab(kind, id) => layout.close_tab(kind, &id).map(drop),
            Self::CloseTabIn(pane, kind, id) => layout.close_tab_in(pane, kind, &id).map(drop),
            Self::FollowMove(from, to) => layout.follow_move(&from, &to),
            Self::Cleanup(names) => layout.cleanup(&names).map(drop),
            Self::FocusPane(pane) => layout.focus_pane(pane),
            Self::FocusTab(kind, id) => layout.focus_tab(kind, &id).map(drop),
            Self::MoveTab(kind, id, to, index) => layout.move_tab(kind, &id, to, index).map(drop),
            Self::MovePane(pane, beside, side) => layout.move_pane(pane, beside, side),
            Self::Split(pane, side) => layout.split(pane, side).map(drop),
            Self::Resize(pane, width, height) => layout.resize(pane, width, height),
            Self::Drag(first, second, sizes) => {
                layout.set_fractions(first, second, &sizes).map(drop)
            }
            Self::Pin(pane, true) => layout.pin(pane),
            Self::Pin(pane, false) => layout.unpin(pane),
            Self::Mark(kind, id, on) => {
                layout.set_dirty(kind, &id, on)?;
                layout.mark_missing(kind, &id, !on)
            }
            Self::Rename(kind, id, title) => layout.set_title(kind, &id, &title),
            Self::SaveNamed => named.save("saved", layout).map(drop),
            Self::ApplyNamed(gone) => {
                named.apply("saved", layout, |kind, id| presence(kind, id != gone)).map(drop)
            }
        }
    }
}

pub(super) fn any_pane() -> impl Strategy<Value = PaneId> {
    prop_oneof![9 => 1..25_u64, 1 => Just(0), 1 => any::<u64>()].prop_map(PaneId)
}

pub(super) fn any_kind() -> impl Strategy<Value = TabKind> {
    use TabKind::{Chat, Editor, Presentation, Terminal, Whiteboard};
    select(vec![Editor, Editor, Editor, Terminal, Presentation, Whiteboard, Chat])
}

pub(super) fn any_content() -> impl Strategy<Value = String> {
    prop_oneof![20 => "[a-h]", 1 => ".{0,8}"]
}

fn any_side() -> impl Strategy<Value = Side> {
    select(vec![Side::Left, Side::Right, Side::Above, Side::Below])
}

pub(super) fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![9 => 0.0..110.0_f64, 1 => any::<f64>()]
}

fn any_request() -> impl Strategy<Value = OpenTab> {
    let split = option::of(select(vec![Split::Horizontal, Split::Vertical]));
    let title = option::weighted(0.2, ".{0,5}");
    let area = option::weighted(0.2, select(Area::ALL.to_vec()));
    let target = option::weighted(0.4, any_pane());
    let spared = vec(any_pane(), 0..3);
    (any_kind(), any_content(), title, area, target, any::<bool>(), split, spared).prop_map(
        |(kind, content_id, title, area, target, new_pane, split, spared)| OpenTab {
            kind,
            content_id,
            title,
            area,
            target,
            new_pane,
            split,
            spared,
        },
    )
}

pub(crate) fn any_change() -> impl Strategy<Value = Change> {
    let kind = || option::of(any_kind());
    let name = (any_kind(), any_content()).prop_map(|(kind, id)| format!("{kind}:{id}"));
    prop_oneof![
        8 => any_request().prop_map(Change::Open),
        2 => any_pane().prop_map(Change::ClosePane),
        2 => (kind(), any_content()).prop_map(|(k, id)| Change::CloseTab(k, id)),
        2 => (any_pane(), kind(), any_content())
            .prop_map(|(pane, k, id)| Change::CloseTabIn(pane, k, id)),
        1 => ("[a-h]", "[a-h]").prop_map(|(from, to)| Change::FollowMove(from, to)),
        1 => vec(name, 0..4).prop_map(Change::Cleanup),
        1 => any_pane().prop_map(Change::FocusPane),
        1 => (kind(), any_content()).prop_map(|(k, id)| Change::FocusTab(k, id)),
        3 => (kind(), any_content(), any_pane(), option::of(0..5_usize))
            .prop_map(|(k, id, to, index)| Change::MoveTab(k, id, to, index)),
        3 => (any_pane(), any_pane(), any_side()).prop_map(|(a, b, s)| Change::MovePane(a, b, s)),
        5 => (any_pane(), any_side()).prop_map(|(pane, side)| Change::Split(pane, side)),
        4 => (any_pane(), option::of(any_size()), option::of(any_size()))
            .prop_map(|(pane, w, h)| Change::Resize(pane, w, h)),
        3 => (any_pane(), any_pane(), vec(any_size(), 2..4))
            .prop_map(|(a, b, sizes)| Change::Drag(a, b, sizes)),
        1 => (any_pane(), any::<bool>()).prop_map(|(pane, on)| Change::Pin(pane, on)),
        1 => (any_kind(), any_content(), any::<bool>()).prop_map(|(k, id, on)| Change::Mark(k, id, on)),
        1 => (any_kind(), any_content(), ".{0,3}").prop_map(|(k, id, t)| Change::Rename(k, id, t)),
        1 => Just(Change::SaveNamed),
        1 => any_content().prop_map(Change::ApplyNamed),
    ]
}

fn check_fractions(node: &NodeView, parent: Option<Split>) {
    let NodeView::Split { split, fractions, children } = node else { return };
    assert!(children.len() >= 2, "a split of {}", children.len());
    assert_eq!(children.len(), fractions.len());
    assert_ne!(parent, Some(*split), "a split inside one in the same direction");
    let sum: f64 = fractions.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the fractions add up to {sum}");
    let least = (0.5 / f64::from(u32::try_from(children.len()).unwrap())).min(0.05) - 1e-9;
    assert!(fractions.iter().all(|fraction| *fraction >= least), "{fractions:?} below {least}");
    for child in children {
        check_fractions(child, Some(*split));
    }
}

fn check_tiling(layout: &Layout) {
    let places: Vec<Rectangle> = layout.rectangles().into_iter().map(|(_, place)| place).collect();
    let area = |r: &Rectangle| r.extent(Split::Vertical) * r.extent(Split::Horizontal);
    let sum: f64 = places.iter().map(area).sum();
    assert!((sum - 1.0).abs() < 1e-9, "the panes cover {sum} of the window");
    for (index, one) in places.iter().enumerate() {
        assert!(one.left < one.right && one.top < one.bottom, "{one:?} is empty");
        for other in &places[index + 1..] {
            let apart = one.right <= other.left
                || other.right <= one.left
                || one.bottom <= other.top
                || other.bottom <= one.top;
            assert!(apart, "{one:?} overlaps {other:?}");
        }
    }
}

pub(super) fn check_everything(layout: &Layout) {
    layout.validate().unwrap();
    let tree = layout.tree();
    check_fractions(&tree.main, None);
    for dock in [&tree.bottom, &tree.right].into_iter().flatten() {
        assert!((0.05..=0.95).contains(&dock.fraction), "an area has {}", dock.fraction);
        check_fractions(&dock.root, None);
    }
    check_tiling(layout);
    let (mut places, mut singles) = (HashSet::new(), HashSet::new());
    for (pane, tab) in layout.tabs() {
        assert!(places.insert((pane, tab.key())), "{} is twice in {pane}", tab.key());
        let is_new = singles.insert((tab.key(), tab.nth));
        assert!(is_new && (tab.nth == 0 || tab.kind.shows_a_file()), "{} is open twice", tab.key());
        let (one, other) = layout.tab(Some(tab.kind), &tab.content_id).unwrap();
        assert_eq!((tab.dirty, tab.missing), (other.dirty, other.missing), "in {pane} and {one}");
    }
    let active: Vec<PaneId> =
        layout.panes().into_iter().filter(|pane| pane.active).map(|pane| pane.id).collect();
    assert_eq!(active, [layout.active_pane()]);
    let json = serde_json::to_string(layout).unwrap();
    assert_eq!(serde_json::from_str::<Layout>(&json).unwrap(), *layout);
}

/// Every place in a JSON value, as a pointer.
fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.into());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| pointers(field, &format!("{here}/{name}"), all));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| pointers(item, &format!("{here}/{index}"), all));
        }
        _ => {}
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..30_u64).prop_map(Value::from),
        (0.0..1.2_f64).prop_map(Value::from),
        any_pane().prop_map(|pane| Value::from(pane.to_string())),
        select(vec!["main", "bottom", "right", "vertical", "horizontal", "editor", "a", ""])
            .prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ]
}

/// A damage: replace the value at a place, copy it from another place, or remove it.
fn any_damage() -> impl Strategy<Value = (prop::sample::Index, prop::sample::Index, u8, Value)> {
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u8, any_json())
}

pub(super) fn layout_after(changes: &[Change]) -> Layout {
    let (mut layout, mut named) = (Layout::default(), Named::default());
    for change in changes {
        // Refused changes are part of the sequence.
        drop(change.apply(&mut layout, &mut named));
    }
    layout
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_changes_breaks_the_layout(changes in vec(any_change(), 1..60)) {
        let (mut layout, mut named) = (Layout::default(), Named::default());
        let mut known: BTreeSet<PaneId> = layout.pane_ids().into_iter().collect();
        for change in &changes {
            let before = layout.clone();
            let result = change.apply(&mut layout, &mut named);
            if result.is_err() {
                prop_assert_eq!(&layout, &before, "{:?} failed and changed something", change);
            }
            check_everything(&layout);
            let ids: BTreeSet<PaneId> = layout.pane_ids().into_iter().collect();
            let earlier: BTreeSet<PaneId> = before.pane_ids().into_iter().collect();
            for new in ids.difference(&earlier) {
                let restored = matches!(change, Change::ApplyNamed(_)) && known.contains(new);
                prop_assert!(restored || known.last() < Some(new), "{new} was given out again");
            }
            known.extend(ids);
        }
    }

    #[test]
    fn a_resize_that_succeeds_is_exact(
        changes in vec(any_change(), 1..40),
        pane in any::<prop::sample::Index>(),
        width in option::of(5.0..95.0_f64),
        height in option::of(5.0..95.0_f64),
    ) {
        let mut layout = layout_after(&changes);
        let pane = *pane.get(&layout.pane_ids());
        match layout.resize(pane, width, height) {
            Ok(()) => {
                let places = layout.rectangles();
                let place = places.iter().find(|(id, _)| *id == pane).unwrap().1;
                for (split, asked) in [(Split::Vertical, width), (Split::Horizontal, height)] {
                    let got = place.extent(split) * 100.0;
                    if let Some(asked) = asked {
                        prop_assert!((got - asked).abs() < 0.01, "asked {asked}, got {got}");
                    }
                }
            }
            Err(LayoutError::OutOfRange { asked, min, max, .. }) => {
                prop_assert!(min <= max && !(min..=max).contains(&asked));
            }
            Err(LayoutError::NothingToResize { .. } | LayoutError::NoDimension) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn damaged_json_is_refused_or_valid(
        changes in vec(any_change(), 1..30),
        damages in vec(any_damage(), 1..4),
    ) {
        let mut json = serde_json::to_value(layout_after(&changes)).unwrap();
        for (place, other, kind, value) in damages {
            let mut places = Vec::new();
            pointers(&json, "", &mut places);
            let replacement = match kind {
                0 => value,
                1 => json.pointer(other.get(&places).as_str()).unwrap().clone(),
                _ => Value::Null,
            };
            let place = place.get(&places);
            let parent = place.rsplit_once('/').filter(|_| kind == 2);
            match parent.map(|(parent, name)| (json.pointer_mut(parent), name)) {
                Some((Some(Value::Object(fields)), name)) => drop(fields.remove(name)),
                Some((Some(Value::Array(items)), name)) => drop(items.remove(name.parse().unwrap())),
                _ => *json.pointer_mut(place).unwrap() = replacement,
            }
        }
        if let Ok(layout) = serde_json::from_value::<Layout>(json) {
            check_everything(&layout);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn five_hundred_panes_come_and_go(
        sides in vec((any_side(), any::<prop::sample::Index>()), 500),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut layout = Layout::default();
        for (number, (side, beside)) in sides.iter().enumerate() {
            let ids = layout.pane_ids();
            if layout.split(*beside.get(&ids), *side).is_err() {
                layout.split(ids[0], Side::Left).or_else(|_| layout.split(ids[0], Side::Above)).unwrap();
            }
            layout.open(OpenTab { target: Some(layout.active_pane()), ..editor(&number.to_string()) })
                .unwrap();
        }
        prop_assert_eq!(layout.pane_ids().len(), 501);
        check_everything(&layout);
        let keep = *keep.get(&layout.pane_ids());
        for pane in layout.pane_ids() {
            if pane != keep {
                layout.close_pane(pane).unwrap();
            }
        }
        check_everything(&layout);
        prop_assert_eq!(layout.tree().main, NodeView::Pane { id: keep });
        prop_assert_eq!(layout.next_pane, 502);
    }
}

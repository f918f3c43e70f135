//! What holds for any proposal, made from any earlier layout, whatever happened meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::Value;

use super::{
    properties::{
        Change, any_change, any_content, any_kind, any_pane, any_size, check_everything,
        layout_after,
    },
    propose::{current, proposal},
    *,
};
use crate::propose::{
    ActivePane, ProposedArea, ProposedNode, ProposedPane, ProposedSplit, ProposedTab,
};

fn after(mut layout: Layout, changes: &[Change]) -> Layout {
    let mut named = Named::default();
    for change in changes {
        // Refused changes are part of the sequence.
        drop(change.apply(&mut layout, &mut named));
    }
    layout
}

/// What pages can do, and a proposal can say.
fn can_be_proposed(change: &Change) -> bool {
    !matches!(
        change,
        Change::Pin(..)
            | Change::Mark(..)
            | Change::Rename(..)
            | Change::FollowMove(..)
            | Change::ApplyNamed(_)
    )
}

fn keys(layout: &Layout) -> BTreeSet<TabKey> {
    layout.tabs().map(|(_, tab)| tab.key()).collect()
}

fn count(layout: &Layout, key: &TabKey) -> usize {
    layout.panes_showing(key.kind, &key.content_id).len()
}

fn ids(layout: &Layout) -> BTreeSet<PaneId> {
    layout.pane_ids().into_iter().collect()
}

/// Puts numbers in the place of ids.
fn renumber(value: &mut Value, numbers: &BTreeMap<String, usize>) {
    match value {
        Value::String(text) => {
            if let Some(number) = numbers.get(text) {
                *value = json!(number);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renumber(item, numbers)),
        Value::Object(map) => map.values_mut().for_each(|item| renumber(item, numbers)),
        _ => {}
    }
}

/// The trees with panes numbered in reading order.
fn shape(layout: &Layout) -> Value {
    let numbers: BTreeMap<String, usize> =
        layout.pane_ids().iter().enumerate().map(|(n, id)| (id.to_string(), n)).collect();
    let mut tree = json!(layout.tree());
    renumber(&mut tree, &numbers);
    let tabs: Vec<_> = layout
        .panes()
        .iter()
        .map(|pane| (pane.tabs.iter().map(|tab| tab.key()).collect::<Vec<_>>(), pane.active_tab))
        .collect();
    json!([tree, tabs])
}

fn any_node() -> impl Strategy<Value = ProposedNode> {
    let tab = (any_kind(), any_content()).prop_map(|(kind, content_id)| ProposedTab {
        kind,
        content_id,
        title: None,
    });
    let pane = (option::of(any_pane()), vec(tab, 0..3), option::of(0..3_usize));
    let pane = pane.prop_map(|(id, tabs, active_tab)| {
        let active_tab = active_tab.filter(|index| *index < tabs.len() + 1);
        ProposedNode::Pane(ProposedPane { id, tabs, active_tab })
    });
    pane.prop_recursive(20, 40, 3, |node| {
        let sides = select(vec![Split::Horizontal, Split::Vertical]);
        let parts = vec((any_size(), node), 0..4);
        (sides, parts).prop_map(|(split, parts)| {
            let (fractions, children) = parts.into_iter().unzip();
            ProposedNode::Split(ProposedSplit { split, fractions, children })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_proposal_loses_nothing_of_others_and_everything_the_person_closed(
        before in vec(any_change(), 0..30),
        by_person in vec(any_change(), 0..8),
        by_others in vec(any_change(), 0..8),
    ) {
        let known = layout_after(&before);
        let page = after(known.clone(), &by_person);
        let server = after(known.clone(), &by_others);
        let proposal = proposal(&known, &page);
        let mut merged = server.clone();
        let proposed = merged.propose(&proposal).unwrap();
        check_everything(&merged);

        let (old, has, had) = (keys(&known), keys(&page), keys(&server));
        // What others show once more stays, also where the person closed all that they had of it.
        let more = |key: &TabKey| count(&server, key) > count(&known, key);
        let expected: BTreeSet<TabKey> = has.iter()
            .filter(|key| had.contains(*key) || !old.contains(*key))
            .chain(had.iter().filter(|key| !old.contains(*key) || more(key)))
            .cloned()
            .collect();
        prop_assert_eq!(&keys(&merged), &expected);
        let opened: BTreeSet<TabKey> = proposed.opened.iter().cloned().collect();
        prop_assert_eq!(&opened, &expected.difference(&had).cloned().collect::<BTreeSet<_>>());
        let closed: BTreeSet<TabKey> = proposed.closed.iter().cloned().collect();
        prop_assert_eq!(&closed, &had.difference(&expected).cloned().collect::<BTreeSet<_>>());

        for id in ids(&merged) {
            let is_new = id.0 >= server.next_pane;
            prop_assert!(is_new || known.contains(id) || server.contains(id), "{id} was used again");
            prop_assert!(page.contains(id) || !known.contains(id), "{id} was closed");
        }
        for (_, pane) in server.leaves().filter(|(_, pane)| !known.contains(pane.id)) {
            let is_left = pane.tabs.iter().any(|tab| {
                !has.contains(&tab.key()) && !old.contains(&tab.key())
            });
            if is_left || pane.pinned || pane.tabs.is_empty() {
                prop_assert!(merged.contains(pane.id), "{} is lost", pane.id);
            }
        }

        prop_assert_eq!(proposed.pane_ids.len(), proposal.panes().len());
        for (id, (_, pane)) in proposed.pane_ids.iter().zip(proposal.panes()) {
            let proposed: Vec<TabKey> = pane.tabs.iter()
                .map(|tab| TabKey::new(tab.kind, &*tab.content_id))
                .collect();
            // Of a file that others closed in one of its panes, one that the person has goes.
            let fewer = |key: &TabKey| count(&server, key) < count(&known, key);
            let sure = |key: &&TabKey| expected.contains(*key) && !fewer(key);
            let Some(id) = id else {
                prop_assert!(!proposed.iter().any(|key| sure(&key)));
                continue;
            };
            let result = merged.pane(*id).unwrap();
            let kept: Vec<TabKey> =
                result.tabs.iter().map(|tab| tab.key()).filter(|key| proposed.contains(key)).collect();
            let wanted: Vec<TabKey> = proposed.iter()
                .filter(|key| sure(key) || kept.contains(key))
                .cloned()
                .collect();
            prop_assert_eq!(&kept, &wanted, "the person's order of {}", id);
            if let Some(front) = pane.active_tab.map(|index| &pane.tabs[index])
                && sure(&&TabKey::new(front.kind, &*front.content_id))
            {
                let active = &result.tabs[result.active_tab.unwrap()];
                prop_assert!(active.is(front.kind, &front.content_id));
            }
        }

        let agreed = merged.clone();
        prop_assert_eq!(merged.propose(&current(&agreed)).unwrap().closed, []);
        prop_assert_eq!(&merged, &agreed, "what was agreed on is not changed by proposing it");
        if proposal.panes().iter().all(|(_, pane)| pane.id.is_some()) {
            merged.propose(&proposal).unwrap();
            prop_assert_eq!(&merged, &agreed, "a proposal that is sent twice counts once");
        }
    }

    #[test]
    fn without_others_the_window_becomes_what_the_person_has(
        before in vec(any_change(), 0..30),
        by_person in vec(any_change().prop_filter("not said by a proposal", can_be_proposed), 0..10),
    ) {
        let known = layout_after(&before);
        let page = after(known.clone(), &by_person);
        // An empty pane that had tabs goes, also where the page still has it.
        prop_assume!(page.leaves().all(|(_, pane)| {
            let had_tabs = known.pane(pane.id).is_ok_and(|pane| !pane.tabs.is_empty());
            !pane.tabs.is_empty() || pane.pinned || !had_tabs
        }));
        let mut merged = known.clone();
        merged.propose(&proposal(&known, &page)).unwrap();
        prop_assert_eq!(shape(&merged), shape(&page));
        prop_assert_eq!(merged.active_area, page.active_area);
    }

    #[test]
    fn a_senseless_proposal_is_refused_or_makes_a_valid_layout(
        before in vec(any_change(), 0..20),
        roots in (any_node(), option::of(any_node()), option::of(any_node())),
        known_panes in vec(any_pane(), 0..6),
        known_tabs in vec((any_kind(), any_content(), option::of(any_pane())), 0..6),
        fractions in (option::of(-0.2..1.2_f64), option::of(any::<f64>())),
        active in option::of(prop_oneof![
            any_pane().prop_map(ActivePane::Id),
            (0..6_usize).prop_map(ActivePane::Index),
        ]),
    ) {
        let mut layout = layout_after(&before);
        let earlier = layout.clone();
        let (main, bottom, right) = roots;
        let area = |root| ProposedArea { root };
        let proposal = Proposal {
            view_id: None,
            known_panes,
            known_tabs: known_tabs
                .into_iter()
                .map(|(kind, id, pane_id)| KnownTab { pane_id, ..TabKey::new(kind, id).into() })
                .collect(),
            main: area(main),
            bottom: bottom.map(area),
            right: right.map(area),
            bottom_fraction: fractions.0,
            right_fraction: fractions.1,
            active_pane: active,
        };
        if layout.propose(&proposal).is_ok() {
            check_everything(&layout);
        } else {
            prop_assert_eq!(layout, earlier);
        }
    }
}

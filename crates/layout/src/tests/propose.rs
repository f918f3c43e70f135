//! Proposals by example.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    propose::{ActivePane, ProposedArea, ProposedNode, ProposedPane, ProposedSplit, ProposedTab},
    tree::{Grid, Node},
};

fn node(known: &Layout, node: &Node) -> ProposedNode {
    match node {
        Node::Pane(pane) => ProposedNode::Pane(ProposedPane {
            id: known.contains(pane.id).then_some(pane.id),
            tabs: pane
                .tabs
                .iter()
                .map(|tab| ProposedTab {
                    kind: tab.kind,
                    content_id: tab.content_id.clone(),
                    title: Some(tab.title.clone()),
                })
                .collect(),
            active_tab: pane.active_tab,
        }),
        Node::Split(branch) => ProposedNode::Split(ProposedSplit {
            split: branch.split,
            fractions: branch.shares.fractions(),
            children: branch.children.iter().map(|child| self::node(known, child)).collect(),
        }),
    }
}

/// What a page proposes that knew one layout and has made another of it.
pub(super) fn proposal(known: &Layout, page: &Layout) -> Proposal {
    let area = |grid: &Grid| ProposedArea { root: node(known, &grid.root) };
    let fraction = |dock: &Dock| shares::fraction(dock.share);
    let index = page.pane_ids().iter().position(|id| *id == page.active_pane());
    Proposal {
        view_id: None,
        known_panes: known.pane_ids(),
        known_tabs: known
            .tabs()
            .map(|(pane, tab)| KnownTab { pane_id: Some(pane), ..tab.key().into() })
            .collect(),
        main: area(&page.main),
        bottom: page.bottom.grid.as_ref().map(area),
        right: page.right.grid.as_ref().map(area),
        bottom_fraction: Some(fraction(&page.bottom)),
        right_fraction: Some(fraction(&page.right)),
        active_pane: index.map(ActivePane::Index),
    }
}

/// What a page proposes that has exactly this.
pub(super) fn current(layout: &Layout) -> Proposal {
    proposal(layout, layout)
}

/// Let a person and others change a layout at the same time, and give what comes of it.
pub(super) fn merge(
    known: &Layout,
    by_person: impl Fn(&mut Layout),
    by_others: impl Fn(&mut Layout),
) -> Layout {
    let (mut page, mut server) = (known.clone(), known.clone());
    by_person(&mut page);
    by_others(&mut server);
    server.propose(&proposal(known, &page)).unwrap();
    server.validate().unwrap();
    server
}

fn open(layout: &mut Layout, request: OpenTab) {
    layout.open(request).unwrap();
}

fn close(layout: &mut Layout, path: &str) {
    layout.close_tab(None, path).unwrap();
}

fn into(pane: u64, path: &str) -> OpenTab {
    OpenTab { target: Some(PaneId(pane)), ..editor(path) }
}

#[test]
fn proposing_what_is_there_changes_nothing() {
    let mut layout = layout([editor("a"), beside("b"), below("c"), terminal("t1"), chat("x")]);
    layout.resize(PaneId(1), Some(30.0), None).unwrap();
    layout.pin(PaneId(2)).unwrap();
    let before = layout.clone();
    let ids = layout.pane_ids().into_iter().map(Some).collect();
    let proposed = layout.propose(&current(&before)).unwrap();
    assert_eq!(proposed, Proposed { pane_ids: ids, ..Proposed::default() });
    assert_eq!(layout, before);
}

#[test]
fn what_others_opened_stays_where_they_opened_it() {
    let known = layout([editor("a"), editor("b")]);
    let merged = merge(
        &known,
        |page| close(page, "a"),
        |server| {
            open(server, editor("c"));
            open(server, beside("d"));
            open(server, terminal("t1"));
        },
    );
    assert_eq!(picture(&merged), "[p1: b* c! | p2: d*]; bottom p3: t1*");
}

#[test]
fn a_tab_whose_pane_the_person_closed_goes_to_the_nearest() {
    let known = layout([editor("a"), beside("b"), beside("c")]);
    let merged = merge(
        &known,
        |page| drop(page.close_pane(PaneId(2)).unwrap()),
        |server| open(server, into(2, "new")),
    );
    assert_eq!(picture(&merged), "[p1: a* new | p3: c*!]");
}

#[test]
fn a_new_pane_of_others_takes_half_of_the_one_it_follows() {
    let known = layout([editor("a"), beside("b")]);
    let merged = merge(
        &known,
        |page| drop(page.set_fractions(PaneId(1), PaneId(2), &[3.0, 1.0]).unwrap()),
        |server| open(server, OpenTab { split: Some(Split::Vertical), ..into(1, "c") }),
    );
    let NodeView::Split { fractions, .. } = merged.tree().main else { panic!("{merged:?}") };
    assert_eq!(fractions, [0.375, 0.375, 0.25]);
    assert_eq!(picture(&merged), "[p1: a* | p3: c* | p2: b*!]");
}

#[test]
fn what_others_closed_is_not_opened_again() {
    let known = layout([editor("a"), editor("b"), beside("c")]);
    let merged = merge(
        &known,
        |page| open(page, editor("d")),
        |server| {
            close(server, "c");
            close(server, "b");
        },
    );
    assert_eq!(
        picture(&merged),
        "[p1: a* | p2: d*!]",
        "the pane is the person's again, with its id"
    );
}

#[test]
fn a_close_of_the_person_wins_over_pins_and_moves() {
    let known = layout([editor("a"), beside("b")]);
    let merged = merge(
        &known,
        |page| drop(page.close_pane(PaneId(2)).unwrap()),
        |server| {
            server.pin(PaneId(2)).unwrap();
            server.move_tab(None, "b", PaneId(1), Some(0)).unwrap();
        },
    );
    assert_eq!(picture(&merged), "p1: a*!");
}

#[test]
fn the_place_that_the_person_gives_a_tab_wins() {
    let known = layout([editor("a"), editor("b"), beside("c")]);
    let merged = merge(
        &known,
        |page| assert!(page.move_tab(None, "a", PaneId(2), Some(0)).is_ok()),
        |server| {
            let aside = server.split(PaneId(1), Side::Below).unwrap();
            server.move_tab(None, "b", aside, None).unwrap();
            server.move_tab(None, "a", PaneId(1), None).unwrap();
        },
    );
    assert_eq!(picture(&merged), "[p1: b* | p2: a* c!]");
}

#[test]
fn an_empty_pane_that_the_person_made_stays() {
    let known = layout([editor("a")]);
    let mut page = known.clone();
    page.split(PaneId(1), Side::Below).unwrap();
    let mut server = known.clone();
    let proposed = server.propose(&proposal(&known, &page)).unwrap();
    assert_eq!(proposed.pane_ids, [Some(PaneId(1)), Some(PaneId(2))]);
    assert_eq!(picture(&server), "[p1: a* - p2:!]");
    let agreed = server.clone();
    server.propose(&current(&agreed)).unwrap();
    assert_eq!(server, agreed);
}

#[test]
fn nested_splits_of_one_direction_become_one() {
    let pane = |id: Option<u64>, path: &str| {
        let tab = ProposedTab { kind: TabKind::Editor, content_id: path.into(), title: None };
        ProposedNode::Pane(ProposedPane {
            id: id.map(PaneId),
            tabs: vec![tab],
            active_tab: Some(0),
        })
    };
    let split = |fractions: &[f64], children| {
        let (split, fractions) = (Split::Vertical, fractions.to_vec());
        ProposedNode::Split(ProposedSplit { split, fractions, children })
    };
    let inner = split(&[1.0, 1.0], vec![pane(None, "b"), pane(None, "c")]);
    let only = split(&[7.0], vec![inner]);
    let root = split(&[100.0, 300.0], vec![pane(Some(1), "a"), only]);
    let mut layout = Layout::default();
    let proposal = Proposal { main: ProposedArea { root }, ..current(&layout) };
    layout.propose(&proposal).unwrap();
    let NodeView::Split { fractions, .. } = layout.tree().main else { panic!("{layout:?}") };
    assert_eq!(fractions, [0.25, 0.375, 0.375]);
}

fn root(proposal: &mut Proposal) -> &mut ProposedSplit {
    let ProposedNode::Split(split) = &mut proposal.main.root else { panic!("no split") };
    split
}

fn pane(proposal: &mut Proposal, index: usize) -> &mut ProposedPane {
    let ProposedNode::Pane(pane) = &mut root(proposal).children[index] else { panic!("no pane") };
    pane
}

#[test]
fn a_proposal_that_does_not_fit_is_refused_with_the_reason() {
    let mut layout = layout([editor("a"), beside("b")]);
    let before = layout.clone();
    let mut refuses = |expected: &str, change: &dyn Fn(&mut Proposal)| {
        let mut proposal = current(&before);
        change(&mut proposal);
        assert_eq!(layout.propose(&proposal).unwrap_err().to_string(), expected);
        assert_eq!(layout, before);
    };
    refuses("the pane p1 is there twice", &|it| pane(it, 1).id = Some(PaneId(1)));
    refuses("there is no pane p9; the panes are p1, p2", &|it| pane(it, 1).id = Some(PaneId(9)));
    refuses("there is no pane p9; the panes are p1, p2", &|it| {
        it.known_panes.push(PaneId(9));
        pane(it, 1).id = Some(PaneId(9));
    });
    refuses("editor `a` is there twice", &|it| {
        let again = pane(it, 0).tabs[0].clone();
        pane(it, 0).tabs.push(again);
    });
    refuses("terminal `t1` is there twice", &|it| {
        for index in [0, 1] {
            let tab = &mut pane(it, index).tabs[0];
            (tab.kind, tab.content_id) = (TabKind::Terminal, "t1".into());
        }
    });
    refuses("`activeTab` of p1 counts from 0, and 4 is beyond the 1 there are", &|it| {
        pane(it, 0).active_tab = Some(4);
    });
    refuses("`activeTab` of a new pane counts from 0, and 0 is beyond the 0 there are", &|it| {
        *pane(it, 1) = ProposedPane { id: None, tabs: vec![], active_tab: Some(0) };
    });
    refuses("a split has no children; it needs at least one", &|it| root(it).children.clear());
    refuses("`rightFraction` must be more than 0 and less than 1, not 0", &|it| {
        it.right_fraction = Some(0.0);
    });
    refuses("`fractions`: 2 needed, not 1", &|it| root(it).fractions.truncate(1));
    refuses("each of `fractions` must be more than 0 and less than 1000000000000, not -1", &|it| {
        root(it).fractions[0] = -1.0;
    });
    refuses("`bottomFraction` must be more than 0 and less than 1, not 1", &|it| {
        it.bottom_fraction = Some(1.0);
    });
    refuses("`activePane` counts from 0, and 2 is beyond the 2 there are", &|it| {
        it.active_pane = Some(ActivePane::Index(2));
    });
    refuses("there can be no more than 600 panes", &|it| {
        let pane = ProposedNode::Pane(ProposedPane { id: None, tabs: vec![], active_tab: None });
        root(it).children.extend(vec![pane; 599]);
        root(it).fractions.extend(vec![0.5; 599]);
    });
    refuses("there can be no more than 16 splits inside each other", &|it| {
        for depth in 0..16 {
            let pane = ProposedPane { id: None, tabs: vec![], active_tab: None };
            let split = [Split::Horizontal, Split::Vertical][depth % 2];
            let children = vec![it.main.root.clone(), ProposedNode::Pane(pane)];
            let fractions = vec![0.5, 0.5];
            it.main.root = ProposedNode::Split(ProposedSplit { split, fractions, children });
        }
    });
}

//! The tree of one area: splits with shares, panes as leaves.
//!
//! It keeps its own shape: a split has at least two children, never a child split in its own
//! direction, and shares that add up. It knows nothing of other areas, of the counter of ids or of
//! which tab may go where.

use std::sync::Arc;

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Side, Split, Tab, TabKind,
    shares::{Shares, fraction},
};

/// A leaf: a stack of tabs of which one is in front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pane {
    /// Never used for another pane.
    pub(super) id: PaneId,
    /// From left to right.
    pub(super) tabs: Vec<Arc<Tab>>,
    /// The place of the tab in front, from 0. None exactly when there are no tabs.
    pub(super) active_tab: Option<usize>,
    /// It is not tidied away.
    pub(super) pinned: bool,
}

impl Pane {
    pub(super) fn empty(id: PaneId) -> Self {
        Self { id, tabs: Vec::new(), active_tab: None, pinned: false }
    }

    /// Where the tab with this content is.
    pub(super) fn place_of(&self, kind: TabKind, content_id: &str) -> Option<usize> {
        self.tabs.iter().position(|tab| tab.is(kind, content_id))
    }

    /// Puts a tab in the given place and in front.
    pub(super) fn insert_tab(&mut self, index: usize, tab: Arc<Tab>) {
        self.tabs.insert(index, tab);
        self.active_tab = Some(index);
    }

    /// Takes a tab out. If it was in front, the one that moves into its place follows, else the last.
    pub(super) fn remove_tab(&mut self, index: usize) -> Arc<Tab> {
        let tab = self.tabs.remove(index);
        self.active_tab = match (self.active_tab, self.tabs.len()) {
            (_, 0) | (None, _) => None,
            (Some(active), _) if active > index => Some(active - 1),
            (Some(active), count) => Some(active.min(count - 1)),
        };
        tab
    }
}

/// A pane, or a split of several nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Node {
    /// A leaf. Shared until changed, so that a copy of the layout costs no copy of its tabs.
    Pane(Arc<Pane>),
    /// Several nodes with dividers between them.
    Split(Branch),
}

/// A split and what it divides, from left to right or from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Branch {
    /// How its dividers run.
    pub(super) split: Split,
    /// The part of each child; together 1.
    #[serde(rename = "fractions")]
    pub(super) shares: Shares,
    /// What it divides; never a split in the same direction.
    pub(super) children: Vec<Node>,
}

impl Node {
    /// The panes in reading order.
    pub(super) fn panes(&self) -> Vec<&Pane> {
        let mut panes = Vec::new();
        self.collect(&mut |pane| panes.push(&**pane));
        panes
    }

    /// The same as they are shared between copies of a layout.
    pub(super) fn shared_panes(&self) -> Vec<&Arc<Pane>> {
        let mut panes = Vec::new();
        self.collect(&mut |pane| panes.push(pane));
        panes
    }

    fn collect<'a>(&'a self, take: &mut impl FnMut(&'a Arc<Pane>)) {
        match self {
            Self::Pane(pane) => take(pane),
            Self::Split(branch) => branch.children.iter().for_each(|node| node.collect(take)),
        }
    }

    /// The pane it begins with.
    pub(super) fn first_pane(&self) -> PaneId {
        let mut node = self;
        loop {
            match node {
                Self::Pane(pane) => return pane.id,
                // A split has at least two children.
                Self::Split(branch) => node = &branch.children[0],
            }
        }
    }

    pub(super) fn pane_mut(&mut self, id: PaneId) -> Option<&mut Pane> {
        match self {
            Self::Pane(pane) => (pane.id == id).then(|| Arc::make_mut(pane)),
            Self::Split(branch) => branch.children.iter_mut().find_map(|node| node.pane_mut(id)),
        }
    }

    pub(super) fn for_each_tab(&mut self, change: &mut impl FnMut(&mut Tab)) {
        match self {
            Self::Pane(pane) => {
                let tabs = &mut Arc::make_mut(pane).tabs;
                for tab in tabs {
                    change(Arc::make_mut(tab));
                }
            }
            Self::Split(branch) => {
                branch.children.iter_mut().for_each(|node| node.for_each_tab(change));
            }
        }
    }

    /// Which child to take at each split to reach a pane.
    pub(super) fn path_to(&self, id: PaneId) -> Option<Vec<usize>> {
        let mut path = Vec::new();
        self.find_path(id, &mut path).then_some(path)
    }

    fn find_path(&self, id: PaneId, path: &mut Vec<usize>) -> bool {
        match self {
            Self::Pane(pane) => pane.id == id,
            Self::Split(branch) => branch.children.iter().enumerate().any(|(index, node)| {
                path.push(index);
                let found = node.find_path(id, path);
                if !found {
                    path.pop();
                }
                found
            }),
        }
    }

    /// The split at the end of a path, or None where the path ends at a pane or leads nowhere.
    pub(super) fn branch_mut(&mut self, path: &[usize]) -> Option<&mut Branch> {
        let Self::Split(branch) = self else { return None };
        match path.split_first() {
            None => Some(branch),
            Some((index, rest)) => branch.children.get_mut(*index)?.branch_mut(rest),
        }
    }

    /// The deepest split in the given direction on the way to a pane: how many steps lead to it, and
    /// how much of the root's extent it has.
    pub(super) fn nearest_split(&self, path: &[usize], split: Split) -> Option<(usize, f64)> {
        let (mut node, mut extent, mut nearest) = (self, 1.0, None);
        for (depth, index) in path.iter().enumerate() {
            let Self::Split(branch) = node else { break };
            if branch.split == split {
                nearest = Some((depth, extent));
                extent *= fraction(branch.shares.get(*index));
            }
            node = &branch.children[*index];
        }
        nearest
    }

    /// How many splits lie around the pane that would be put beside the pane at `path`.
    pub(super) fn depth_beside(&self, path: &[usize], split: Split) -> usize {
        let mut node = self;
        let mut parent = None;
        for index in path {
            let Self::Split(branch) = node else { break };
            parent = Some(branch.split);
            node = &branch.children[*index];
        }
        if parent == Some(split) { path.len() } else { path.len() + 1 }
    }

    /// The direction of the split that separates two panes; none where one of them is not here.
    pub(super) fn split_between(&self, one: PaneId, other: PaneId) -> Option<Split> {
        let Self::Split(branch) = self else { return None };
        let holder = |id| branch.children.iter().position(|child| child.path_to(id).is_some());
        match (holder(one)?, holder(other)?) {
            (same, index) if same == index => branch.children[same].split_between(one, other),
            _ => Some(branch.split),
        }
    }

    /// How many splits lie inside each other.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Pane(_) => 0,
            Self::Split(branch) => {
                1 + branch.children.iter().map(Self::depth).max().unwrap_or_default()
            }
        }
    }

    /// Puts a pane beside the pane at `path`, with half of its room.
    pub(super) fn insert_beside(&mut self, path: &[usize], side: Side, pane: Pane) {
        match self {
            Self::Split(branch) => match path {
                [index] if branch.split == side.split() => {
                    let at = if side.is_after() { index + 1 } else { *index };
                    branch.shares.insert_half(at, *index);
                    branch.children.insert(at, Self::Pane(Arc::new(pane)));
                }
                [index, rest @ ..] => branch.children[*index].insert_beside(rest, side, pane),
                [] => {}
            },
            Self::Pane(present) => {
                let (present, pane) = (Self::Pane(Arc::clone(present)), Self::Pane(Arc::new(pane)));
                let children =
                    if side.is_after() { vec![present, pane] } else { vec![pane, present] };
                *self =
                    Self::Split(Branch { split: side.split(), shares: Shares::halves(), children });
            }
        }
    }

    /// Takes a pane out; its neighbours share its room. None if this node is that pane itself, which
    /// only the owner of the node can remove, or if the pane is not here.
    pub(super) fn remove(&mut self, id: PaneId) -> Option<Pane> {
        let Self::Split(branch) = self else { return None };
        let removed = branch.remove(id);
        if branch.children.len() == 1
            && let Some(only) = branch.children.pop()
        {
            *self = only;
        }
        removed
    }
}

impl Branch {
    fn remove(&mut self, id: PaneId) -> Option<Pane> {
        for index in 0..self.children.len() {
            let leaf = matches!(&self.children[index], Node::Pane(pane) if pane.id == id);
            if leaf && let Node::Pane(pane) = self.children.remove(index) {
                self.shares.remove(index);
                return Some(Arc::unwrap_or_clone(pane));
            }
            if let Some(pane) = self.children[index].remove(id) {
                self.absorb(index);
                return Some(pane);
            }
        }
        None
    }

    /// Takes over the children of a child that now divides in the same direction.
    pub(super) fn absorb(&mut self, index: usize) {
        let same = matches!(&self.children[index], Node::Split(inner) if inner.split == self.split);
        if same && let Node::Split(inner) = self.children.remove(index) {
            self.shares.splice(index, &inner.shares);
            self.children.splice(index..index, inner.children);
        }
    }
}

/// The tree of an area that has panes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Grid {
    /// What is in it.
    pub(super) root: Node,
    /// The pane that was last active here; new tabs of the area go to it.
    pub(super) active: PaneId,
}

impl Grid {
    pub(super) fn of(pane: Pane) -> Self {
        Self { active: pane.id, root: Node::Pane(Arc::new(pane)) }
    }

    pub(super) fn is_single(&self) -> bool {
        matches!(self.root, Node::Pane(_))
    }

    /// Takes out one of several panes; the one before it becomes active in its place.
    pub(super) fn remove(&mut self, id: PaneId) -> Option<Pane> {
        let order: Vec<PaneId> = self.root.panes().iter().map(|pane| pane.id).collect();
        let removed = self.root.remove(id)?;
        if self.active == id {
            let place = order.iter().position(|other| *other == id).unwrap_or(0);
            let heir = if place == 0 { 1 } else { place - 1 };
            self.active = order[heir];
        }
        Some(removed)
    }
}

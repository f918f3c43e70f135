//! What came and went between two layouts, tab by tab and pane by pane, and how what somebody left
//! behind is taken away again.
//!
//! Who opened what is not known here: whoever wants to know compares the layout before and after what
//! somebody did.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use openspace_protocol::PaneId;

use super::{Closed, Layout, LayoutError, Tab, tree::Pane};

/// What came and went between two layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Tabs that are open and were not, by name.
    pub opened: Vec<String>,
    /// Tabs that were open and are not.
    pub closed: Vec<String>,
    /// Panes that are new.
    pub made: Vec<PaneId>,
    /// Panes that are no more.
    pub gone: Vec<PaneId>,
    /// Panes that are pinned and were not, or were not there.
    pub pinned: Vec<PaneId>,
    /// Panes that were pinned and are not, or are no more.
    pub unpinned: Vec<PaneId>,
}

impl Tab {
    /// What tells it apart from every other tab, such as `editor:src/main.rs`, or `editor#1:src/main.rs`
    /// for one more tab of that file. It is the same wherever the tab is.
    pub fn name(&self) -> String {
        match self.nth {
            0 => format!("{}:{}", self.kind, self.content_id),
            nth => format!("{}#{nth}:{}", self.kind, self.content_id),
        }
    }
}

type Panes<'a> = BTreeMap<PaneId, &'a Arc<Pane>>;

/// The panes that another layout does not have just so.
fn changed<'a>(panes: &Panes<'a>, others: &Panes<'_>) -> Panes<'a> {
    let is_same = |(id, pane): &(&PaneId, &&Arc<Pane>)| {
        others.get(*id).is_some_and(|other| Arc::ptr_eq(other, pane))
    };
    panes.iter().filter(|pane| !is_same(pane)).map(|(id, pane)| (*id, *pane)).collect()
}

fn names(panes: &Panes<'_>) -> BTreeSet<String> {
    panes.values().flat_map(|pane| pane.tabs.iter().map(|tab| tab.name())).collect()
}

fn pinned(panes: &Panes<'_>) -> BTreeSet<PaneId> {
    panes.values().filter(|pane| pane.pinned).map(|pane| pane.id).collect()
}

impl Layout {
    /// What came and went since an earlier layout. Panes that did not change cost next to nothing.
    pub fn difference(&self, earlier: &Self) -> Difference {
        let (old, new) = (earlier.shared_panes(), self.shared_panes());
        let (before, now) = (changed(&old, &new), changed(&new, &old));
        let only = |these: BTreeSet<String>, those: &BTreeSet<String>| {
            these.difference(those).cloned().collect()
        };
        let pinned_before = pinned(&before);
        let pinned_now = pinned(&now);
        Difference {
            opened: only(names(&now), &names(&before)),
            closed: only(names(&before), &names(&now)),
            made: now.keys().filter(|id| !old.contains_key(id)).copied().collect(),
            gone: before.keys().filter(|id| !new.contains_key(id)).copied().collect(),
            pinned: pinned_now.difference(&pinned_before).copied().collect(),
            unpinned: pinned_before.difference(&pinned_now).copied().collect(),
        }
    }

    fn shared_panes(&self) -> Panes<'_> {
        let grids = super::Area::ALL.into_iter().filter_map(|area| self.grid(area));
        grids.flat_map(|grid| grid.root.shared_panes()).map(|pane| (pane.id, pane)).collect()
    }

    /// The tab of a name, and its pane.
    pub fn named_tab(&self, name: &str) -> Option<(PaneId, &Tab)> {
        self.tabs().find(|(_, tab)| tab.name() == name)
    }

    /// Whether there is such a pane and it is pinned.
    pub fn is_pinned(&self, pane: PaneId) -> bool {
        self.pane(pane).is_ok_and(|pane| pane.pinned)
    }

    /// Whether there is such a pane and it has no tab.
    pub fn is_empty_pane(&self, pane: PaneId) -> bool {
        self.pane(pane).is_ok_and(|pane| pane.tabs.is_empty())
    }

    /// Closes what somebody leaves behind: tabs that are still open, have nothing unsaved, and are
    /// not in a pinned pane, by name. The rest stays, without an error.
    pub fn cleanup(&mut self, names: &[String]) -> Result<Closed, LayoutError> {
        self.attempt(|layout| {
            let mut closed = Closed::default();
            for name in names {
                let Some((pane, tab)) = layout.named_tab(name) else { continue };
                if tab.dirty || layout.is_pinned(pane) {
                    continue;
                }
                let key = tab.key();
                let mut one = layout.close_tab_in(pane, Some(key.kind), &key.content_id)?;
                closed.tabs.append(&mut one.tabs);
                closed.panes.append(&mut one.panes);
            }
            Ok(closed)
        })
    }
}

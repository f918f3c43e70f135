//! Putting a proposal and the present layout together, step by step.

use std::{collections::HashSet, sync::Arc};

use openspace_protocol::PaneId;

use super::{ActivePane, Proposal, Proposed, ProposedPane, check_depth, views::Views};
use crate::{
    Area, Layout, LayoutError, MAX_PANES, MAX_TABS, Side, Split, Tab, TabKey,
    tree::{Grid, Pane},
};

/// A tab whose pane is gone, and where that pane was.
struct Homeless {
    area: Area,
    pane: PaneId,
    tab: Arc<Tab>,
}

/// What is being put together.
pub(super) struct Merge<'a> {
    present: &'a Layout,
    proposal: &'a Proposal,
    known_panes: HashSet<PaneId>,
    proposed_panes: HashSet<PaneId>,
    views: Views,
    homeless: Vec<Homeless>,
    /// The layout as it will be; it has the present trees until they are replaced.
    next: Layout,
}

impl<'a> Merge<'a> {
    pub(super) fn new(present: &'a Layout, proposal: &'a Proposal) -> Result<Self, LayoutError> {
        let panes = proposal.panes();
        let known_panes: HashSet<PaneId> = proposal.known_panes.iter().copied().collect();
        let proposed_panes: HashSet<PaneId> =
            panes.iter().filter_map(|(_, pane)| pane.id).collect();
        for id in &proposed_panes {
            // A pane that was known and is gone was closed by somebody else.
            let was_given_out = known_panes.contains(id) && (1..present.next_pane).contains(&id.0);
            if !present.contains(*id) && !was_given_out {
                return Err(present.unknown_pane(*id));
            }
        }
        let mut next = present.clone();
        next.set_dock_fractions(proposal);
        Ok(Self {
            present,
            proposal,
            known_panes,
            proposed_panes,
            views: Views::settle(present, proposal),
            homeless: Vec::new(),
            next,
        })
    }

    pub(super) fn finish(mut self) -> Result<(Layout, Proposed), LayoutError> {
        let mut staying = Vec::new();
        for (place, (area, proposed)) in self.proposal.panes().into_iter().enumerate() {
            staying.push((area, self.content(place, proposed)?));
        }
        let strangers = self.strangers();
        self.keep_one_in_main(&mut staying, &strangers)?;
        let pane_ids =
            staying.iter().map(|(_, pane)| pane.as_ref().map(|pane| pane.id)).collect::<Vec<_>>();

        let mut staying = staying.into_iter().map(|(_, pane)| pane);
        let mut strangers = strangers.into_iter().peekable();
        for area in Area::ALL {
            let proposed = self.proposal.area(area).map(|area| area.root.build(&mut staying));
            let mut grid = None;
            if let Some(root) = proposed.transpose()?.flatten() {
                check_depth(&root)?;
                let first = root.panes().first().map(|pane| pane.id);
                grid = first.map(|active| Grid { root, active });
            }
            if grid.is_none() {
                grid = strangers.next_if(|(of, _)| *of == area).map(|(_, pane)| Grid::of(pane));
            }
            self.next.set_grid(area, grid);
            while let Some((_, pane)) = strangers.next_if(|(of, _)| *of == area) {
                self.place_stranger(area, pane)?;
            }
            self.keep_active(area);
        }
        if self.next.leaves().count() > MAX_PANES {
            return Err(LayoutError::TooMany { what: "panes", limit: MAX_PANES });
        }
        self.house_the_homeless()?;
        self.focus(&pane_ids)?;

        let left: HashSet<TabKey> = self.next.tabs().map(|(_, tab)| tab.key()).collect();
        let closed = self.present.tabs().map(|(_, tab)| tab.key());
        let mut told = left;
        let closed = closed.filter(|key| told.insert(key.clone())).collect();
        Ok((self.next, Proposed { opened: self.views.opened, closed, pane_ids }))
    }

    /// What a proposed pane has in the end; nothing if it does not stay.
    fn content(
        &mut self,
        place: usize,
        proposed: &ProposedPane,
    ) -> Result<Option<Pane>, LayoutError> {
        let earlier = proposed.id.and_then(|id| self.present.pane(id).ok());
        let mut tabs: Vec<Arc<Tab>> = Vec::new();
        let mut front = None;
        for (index, wanted) in proposed.tabs.iter().enumerate() {
            let Some(tab) = self.views.tab(place, wanted.key()).map(Arc::clone) else { continue };
            // The tab in front, or the one that takes its place if somebody closed it.
            let leads = proposed.active_tab.is_some_and(|active| index >= active);
            if leads && front.is_none() {
                front = Some(tabs.len());
            }
            tabs.push(tab);
        }
        if proposed.active_tab.is_some() && !tabs.is_empty() {
            front = front.or(Some(tabs.len() - 1));
        }
        let front = front.map(|index| tabs[index].key());
        self.add_strange_tabs(earlier, &mut tabs);

        let was_in_front = earlier.and_then(|pane| Some(pane.tabs[pane.active_tab?].key()));
        let place = |key: &TabKey| tabs.iter().position(|tab| tab.is(key.kind, &key.content_id));
        let active_tab = front.as_ref().and_then(place);
        let active_tab = active_tab.or_else(|| was_in_front.as_ref().and_then(place));
        let active_tab = active_tab.or((!tabs.is_empty()).then_some(0));

        let pinned = earlier.is_some_and(|pane| pane.pinned);
        let made_empty = proposed.id.is_none() && proposed.tabs.is_empty();
        let was_empty = earlier.is_some_and(|pane| pane.tabs.is_empty());
        if tabs.is_empty() && !pinned && !made_empty && !was_empty {
            return Ok(None);
        }
        let id = self.id_of(proposed)?;
        Ok(Some(Pane { id, tabs, active_tab, pinned }))
    }

    fn id_of(&mut self, proposed: &ProposedPane) -> Result<PaneId, LayoutError> {
        proposed.id.map_or_else(|| self.next.new_id(), Ok)
    }

    /// Each tab that the page did not know stays behind the one it was behind.
    fn add_strange_tabs(&mut self, earlier: Option<&Pane>, tabs: &mut Vec<Arc<Tab>>) {
        let Some(earlier) = earlier else { return };
        let mut behind: Vec<TabKey> = Vec::new();
        for tab in &earlier.tabs {
            if self.views.is_strange(earlier.id, tab) {
                if tabs.len() >= MAX_TABS {
                    let area = self.present.locate(earlier.id).map_or(Area::Main, |found| found.0);
                    self.homeless.push(Homeless { area, pane: earlier.id, tab: Arc::clone(tab) });
                    continue;
                }
                let last = behind
                    .iter()
                    .rev()
                    .find_map(|key| tabs.iter().position(|tab| tab.is(key.kind, &key.content_id)));
                tabs.insert(last.map_or(0, |index| index + 1), Arc::clone(tab));
            }
            behind.push(tab.key());
        }
    }

    /// The panes that the page did not know, with what is left in them, in reading order. Tabs that
    /// it did not know of panes that were closed are noted as homeless.
    fn strangers(&mut self) -> Vec<(Area, Pane)> {
        let mut strangers = Vec::new();
        for (area, pane) in self.present.leaves() {
            if self.proposed_panes.contains(&pane.id) {
                continue;
            }
            if self.known_panes.contains(&pane.id) {
                let is_strange = |tab: &&Arc<Tab>| self.views.is_strange(pane.id, tab);
                let strange = pane.tabs.iter().filter(is_strange).cloned();
                let strange: Vec<Homeless> =
                    strange.map(|tab| Homeless { area, pane: pane.id, tab }).collect();
                self.homeless.extend(strange);
                continue;
            }
            let mut left = pane.clone();
            for index in (0..pane.tabs.len()).rev() {
                if !self.views.is_strange(pane.id, &pane.tabs[index]) {
                    left.remove_tab(index);
                }
            }
            if !left.tabs.is_empty() || pane.tabs.is_empty() || pane.pinned {
                strangers.push((area, left));
            }
        }
        strangers
    }

    /// The main area always has a pane.
    fn keep_one_in_main(
        &mut self,
        staying: &mut [(Area, Option<Pane>)],
        strangers: &[(Area, Pane)],
    ) -> Result<(), LayoutError> {
        let in_main = |area: Area| area == Area::Main;
        let any_stays = staying.iter().any(|(area, pane)| in_main(*area) && pane.is_some());
        if any_stays || strangers.iter().any(|(area, _)| in_main(*area)) {
            return Ok(());
        }
        let proposed = self.proposal.panes();
        let active = |pane: &ProposedPane| pane.id == Some(self.present.main.active);
        let index = proposed.iter().position(|(area, pane)| in_main(*area) && active(pane));
        let index = index.unwrap_or(0);
        if let Some((Area::Main, pane)) = proposed.get(index).copied() {
            staying[index].1 = Some(Pane::empty(self.id_of(pane)?));
        }
        Ok(())
    }

    /// Puts a pane that the page did not know beside the one it followed, into half of its room.
    fn place_stranger(&mut self, area: Area, pane: Pane) -> Result<(), LayoutError> {
        let Some(grid) = self.next.grid(area) else {
            self.next.set_grid(area, Some(Grid::of(pane)));
            return Ok(());
        };
        let here: Vec<PaneId> = grid.root.panes().iter().map(|pane| pane.id).collect();
        let order = self.present_order(area);
        let at = order.iter().position(|id| *id == pane.id).unwrap_or(0);
        let (before, after) = (&order[..at], &order[(at + 1).min(order.len())..]);
        let previous = before.iter().rev().find(|id| here.contains(id)).copied();
        let following = after.iter().find(|id| here.contains(id)).copied();
        let (neighbour, is_after) = match (previous, following) {
            (Some(previous), _) => (Some(previous), true),
            (None, Some(following)) => (Some(following), false),
            (None, None) => (here.last().copied(), true),
        };
        let Some(neighbour) = neighbour else { return Ok(()) };
        let usual = if area == Area::Right { Split::Horizontal } else { Split::Vertical };
        let present = self.present.grid(area);
        let split = present.and_then(|grid| grid.root.split_between(neighbour, pane.id));
        let split = split.unwrap_or(usual);
        let sides = |split| match (split, is_after) {
            (Split::Vertical, true) => Side::Right,
            (Split::Vertical, false) => Side::Left,
            (Split::Horizontal, true) => Side::Below,
            (Split::Horizontal, false) => Side::Above,
        };
        let other = if split == Split::Vertical { Split::Horizontal } else { Split::Vertical };
        // Where splits cannot be nested deeper, the neighbour's own split has room for one more.
        let placed = self.next.place_beside(neighbour, sides(split), pane.clone());
        placed.or_else(|_| self.next.place_beside(neighbour, sides(other), pane))
    }

    fn present_order(&self, area: Area) -> Vec<PaneId> {
        let leaves = self.present.leaves().filter(|(of, _)| *of == area);
        leaves.map(|(_, pane)| pane.id).collect()
    }

    /// The pane that was active in an area stays it; else the one before it.
    fn keep_active(&mut self, area: Area) {
        let Some(was_active) = self.present.grid(area).map(|grid| grid.active) else { return };
        let order = self.present_order(area);
        let at = order.iter().position(|id| *id == was_active).unwrap_or(0);
        if let Some(grid) = self.next.grid_mut(area) {
            let heirs = order.iter().take(at + 1).rev();
            let heir = heirs.copied().find(|id| grid.root.path_to(*id).is_some());
            grid.active = heir.unwrap_or(grid.active);
        }
    }

    /// Brings tabs whose pane was closed to the nearest pane that has room.
    fn house_the_homeless(&mut self) -> Result<(), LayoutError> {
        let order = self.present.pane_ids();
        let place = |id: PaneId| order.iter().position(|other| *other == id);
        for Homeless { area, pane, tab } in std::mem::take(&mut self.homeless) {
            let home = place(pane);
            let distance = |(of, leaf): &(Area, &Pane)| {
                let apart = place(leaf.id).zip(home).map(|(one, other)| one.abs_diff(other));
                (*of != area, apart.unwrap_or(usize::MAX), place(leaf.id) > home)
            };
            let with_room = self.next.leaves().filter(|(_, leaf)| leaf.tabs.len() < MAX_TABS);
            let Some(nearest) = with_room.min_by_key(distance).map(|(_, leaf)| leaf.id) else {
                return Err(LayoutError::TooMany { what: "tabs in a pane", limit: MAX_TABS });
            };
            let leaf = self.next.pane_mut(nearest)?;
            if leaf.place_of(tab.kind, &tab.content_id).is_some() {
                // A file is not twice in one pane.
                continue;
            }
            leaf.tabs.push(tab);
            leaf.active_tab = leaf.active_tab.or(Some(0));
        }
        Ok(())
    }

    fn focus(&mut self, pane_ids: &[Option<PaneId>]) -> Result<(), LayoutError> {
        if self.next.grid(self.next.active_area).is_none() {
            self.next.active_area = Area::Main;
        }
        let wanted = match self.proposal.active_pane {
            None => None,
            Some(ActivePane::Id(id)) => {
                let is_known = self.known_panes.contains(&id) || self.present.contains(id);
                if !is_known {
                    return Err(self.present.unknown_pane(id));
                }
                Some(id)
            }
            Some(ActivePane::Index(asked)) => *pane_ids.get(asked).ok_or_else(|| {
                let what = "`activePane`".to_owned();
                LayoutError::NoSuchPlace { what, asked, count: pane_ids.len() }
            })?,
        };
        match wanted.filter(|id| self.next.contains(*id)) {
            Some(id) => self.next.focus_pane(id),
            // It did not stay; the one that was active before does as well.
            None => Ok(()),
        }
    }
}

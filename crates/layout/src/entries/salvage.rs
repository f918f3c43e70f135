//! What can still be shown of a layout when entries of it were lost.
//!
//! A tab whose entry is there is shown, if need be elsewhere than before; what cannot be used is named.
//! The result is a valid layout whatever the entries say, and no pane's id is given out again.

use std::collections::{BTreeMap, HashSet};

use super::{
    Arc, Area, AreaEntry, Branch, Dock, Grid, Layout, LayoutEntry, Node, Pane, PaneEntry, PaneId,
    Shares, SplitEntry, Tab, TabEntry, TabKey, WindowEntry,
};
use crate::{
    MAX_PANE_NUMBER, MAX_TABS,
    change::{check_content_id, check_title},
};

/// Keys of entries that cannot be used, and why.
type Lost = Vec<(String, String)>;

#[derive(Default)]
struct Salvage {
    window: Option<WindowEntry>,
    splits: BTreeMap<String, SplitEntry>,
    panes: BTreeMap<String, PaneEntry>,
    tabs: BTreeMap<PaneId, Vec<(String, TabEntry)>>,
    seen: HashSet<(TabKey, u32)>,
    lost: Lost,
}

pub(super) fn salvage(entries: BTreeMap<String, LayoutEntry>) -> (Layout, Lost) {
    let keys: Vec<String> = entries.keys().cloned().collect();
    let mut salvage = Salvage::default();
    for (key, entry) in entries {
        salvage.sort_out(key, entry);
    }
    let first_free = salvage.first_free_pane();
    let layout = salvage.layout(first_free);
    match layout.validate() {
        Ok(()) => (layout, salvage.lost),
        Err(why) => {
            let lost = keys.into_iter().map(|key| (key, why.clone())).collect();
            (empty(first_free), lost)
        }
    }
}

/// A layout with nothing in it but a pane of its own.
fn empty(pane: u64) -> Layout {
    let main = Grid::of(Pane::empty(PaneId(pane)));
    Layout { main, next_pane: pane + 1, ..Layout::default() }
}

impl Salvage {
    fn sort_out(&mut self, key: String, entry: LayoutEntry) {
        match entry {
            LayoutEntry::Window(window) => self.window = Some(window),
            LayoutEntry::Whole { .. } => self.lost.push((key, "it belongs nowhere".into())),
            LayoutEntry::Split(split) => drop(self.splits.insert(key, split)),
            LayoutEntry::Pane(pane) => drop(self.panes.insert(key, pane)),
            LayoutEntry::Tab(tab) => {
                let texts =
                    check_content_id(&tab.content_id).and_then(|()| check_title(&tab.title));
                let content = TabKey::new(tab.kind, tab.content_id.clone());
                let is_single = tab.nth == 0 || tab.kind.shows_a_file();
                let mut here = self.tabs.get(&tab.pane).into_iter().flatten();
                let is_here = here.any(|(_, other)| other.shows(&content));
                match texts {
                    Ok(()) if is_single && !is_here && self.seen.insert((content, tab.nth)) => {
                        self.tabs.entry(tab.pane).or_default().push((key, tab));
                    }
                    Ok(()) => self.lost.push((key, "it is open twice".into())),
                    Err(error) => self.lost.push((key, error.to_string())),
                }
            }
        }
    }

    fn first_free_pane(&self) -> u64 {
        let panes = self.panes.keys().filter_map(|key| PaneId::try_from(key.clone()).ok());
        let after = panes.chain(self.tabs.keys().copied()).map(|pane| pane.0.saturating_add(1));
        let next = self.window.iter().map(|window| window.next_pane);
        // A number that no pane can have is not one that was given out.
        after.chain(next).filter(|next| *next < MAX_PANE_NUMBER).max().unwrap_or(1).max(1)
    }

    fn layout(&mut self, first_free: u64) -> Layout {
        let mut layout = empty(first_free);
        if let Some(window) = self.window.take() {
            let WindowEntry { main, bottom, right, bottom_fraction, right_fraction, .. } = window;
            if let Some(main) = self.grid(&main) {
                layout.main = main;
                layout.next_pane = first_free;
            }
            let bottom = bottom.and_then(|area| self.grid(&area));
            let right = right.and_then(|area| self.grid(&area));
            layout.bottom = Dock { share: bottom_fraction, grid: bottom };
            layout.right = Dock { share: right_fraction, grid: right };
            let is_there = layout.grid(window.active_area).is_some();
            layout.active_area = if is_there { window.active_area } else { Area::Main };
        }
        self.take_in_the_rest(&mut layout);
        layout
    }

    /// Tabs of panes that are nowhere go where there is always a pane.
    fn take_in_the_rest(&mut self, layout: &mut Layout) {
        let first = layout.main.root.first_pane();
        let rest = std::mem::take(&mut self.tabs).into_values().flatten();
        if let Some(pane) = layout.main.root.pane_mut(first) {
            for (key, tab) in rest {
                if pane.place_of(tab.kind, &tab.content_id).is_some() {
                    self.lost.push((key, "it is open in the pane where it would go".into()));
                } else if pane.tabs.len() < MAX_TABS {
                    pane.insert_tab(pane.tabs.len(), Arc::new(tab.tab()));
                } else {
                    self.lost.push((key, "there is no room for it".into()));
                }
            }
            pane.active_tab = pane.active_tab.or((!pane.tabs.is_empty()).then_some(0));
        }
        let panes = std::mem::take(&mut self.panes).into_keys();
        let splits = std::mem::take(&mut self.splits).into_keys();
        self.lost.extend(panes.chain(splits).map(|key| (key, "it belongs nowhere".into())));
    }

    fn grid(&mut self, area: &AreaEntry) -> Option<Grid> {
        let root = self.node(&area.root)?;
        let is_there = root.path_to(area.active).is_some();
        let active = if is_there { area.active } else { root.first_pane() };
        Some(Grid { root, active })
    }

    /// What is left of the node under a key. Each entry is taken once, so no circle goes on for ever.
    fn node(&mut self, key: &str) -> Option<Node> {
        if let Some(SplitEntry { split, fractions, children }) = self.splits.remove(key) {
            let wanted = children.len();
            let mut left: Vec<Node> = Vec::new();
            for child in &children {
                match self.node(child) {
                    // Its other children are gone, and it divides as this one does.
                    Some(Node::Split(inner)) if inner.split == split => left.extend(inner.children),
                    Some(node) => left.push(node),
                    None => {}
                }
            }
            if left.len() < 2 {
                return left.pop();
            }
            let fits = left.len() == wanted && fractions.len() == wanted && fractions.are_valid();
            let shares = if fits { fractions } else { Shares::equal(left.len()) };
            return Some(Node::Split(Branch { split, shares, children: left }));
        }
        let id = PaneId::try_from(key.to_owned()).ok()?;
        let entry = self.panes.remove(key);
        let tabs = self.tabs.remove(&id);
        (entry.is_some() || tabs.is_some()).then(|| {
            let pane = self.pane(id, entry, tabs.unwrap_or_default());
            Node::Pane(Arc::new(pane))
        })
    }

    fn pane(
        &mut self,
        id: PaneId,
        entry: Option<PaneEntry>,
        tabs: Vec<(String, TabEntry)>,
    ) -> Pane {
        let pinned = entry.as_ref().is_some_and(|entry| entry.pinned);
        let mut pane = Pane { pinned, ..Pane::empty(id) };
        let mut tabs = in_order(tabs);
        let too_many = tabs.split_off(tabs.len().min(MAX_TABS));
        let full = |tab: Tab| (tab.name(), "there is no room for it".into());
        self.lost.extend(too_many.into_iter().map(full));
        let front = entry.and_then(|entry| entry.active_tab);
        let front = tabs.iter().position(|tab| Some(tab.name()) == front);
        pane.active_tab = front.or((!tabs.is_empty()).then_some(0));
        pane.tabs = tabs.into_iter().map(Arc::new).collect();
        pane
    }
}

/// Tabs one after the other; one whose neighbour to the left is gone begins a new row.
fn in_order(tabs: Vec<(String, TabEntry)>) -> Vec<Tab> {
    let keys: HashSet<String> = tabs.iter().map(|(key, _)| key.clone()).collect();
    let (firsts, others): (Vec<_>, Vec<_>) = tabs
        .into_iter()
        .partition(|(_, tab)| tab.after.as_ref().is_none_or(|after| !keys.contains(after)));
    let mut behind: BTreeMap<String, Vec<(String, TabEntry)>> = BTreeMap::new();
    for (key, tab) in others {
        behind.entry(tab.after.clone().unwrap_or_default()).or_default().push((key, tab));
    }
    let mut ordered = Vec::new();
    // The one that was the first stays it.
    let (first, rest): (Vec<_>, Vec<_>) =
        firsts.into_iter().partition(|(_, tab)| tab.after.is_none());
    for start in first.into_iter().chain(rest) {
        let mut next = vec![start];
        while let Some((key, tab)) = next.pop() {
            next.extend(behind.remove(&key).into_iter().flatten());
            ordered.push(tab.tab());
        }
    }
    // What is left stands in a circle.
    ordered.extend(behind.into_values().flatten().map(|(_, tab)| tab.tab()));
    ordered
}

//! The layout as entries under keys: what is told, kept and saved of it, as small as each change.
//!
//! The window is one entry, each split, pane and tab another. A tab says which one it stands after,
//! so that opening one among many changes two entries and not a list. Keys come from what is there:
//! a pane's id, a tab's content (and which of the tabs with it), and for a split the pane that its second child begins with, which no
//! other split's does. Nothing is stored for the sake of telling.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use openspace_protocol::{
    PaneId,
    part::{Content, Visit},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Area, Dock, Layout, Split, Tab, TabKey, TabKind, is_first,
    shares::{Shares, as_fraction},
    tree::{Branch, Grid, Node, Pane},
};

mod salvage;
#[cfg(test)]
mod tests;

/// The key of the one entry that is the window.
const WINDOW: &str = "window";

/// An entry of the layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum LayoutEntry {
    /// The window, under `window`.
    Window(WindowEntry),
    /// A split, under a key such as `s3`.
    Split(SplitEntry),
    /// A pane, under its id.
    Pane(PaneEntry),
    /// A tab, under its kind and content, such as `editor:src/main.rs`; one more tab of a file has its
    /// number, as in `editor#1:src/main.rs`.
    Tab(TabEntry),
    /// The whole layout in one, as it was saved before there were entries. Never told.
    #[serde(skip_serializing)]
    #[schemars(skip)]
    Whole {
        /// The layout.
        layout: Box<Layout>,
    },
}

/// The areas of the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowEntry {
    /// The middle; always has a pane.
    main: AreaEntry,
    /// Beneath the middle, if there is anything.
    bottom: Option<AreaEntry>,
    /// Beside both, over the full height, if there is anything.
    right: Option<AreaEntry>,
    /// The bottom's part of the window's height, also while it is empty.
    #[serde(with = "as_fraction")]
    #[schemars(with = "f64")]
    bottom_fraction: u32,
    /// The right's part of the window's width, also while it is empty.
    #[serde(with = "as_fraction")]
    #[schemars(with = "f64")]
    right_fraction: u32,
    /// Where the active pane is.
    active_area: Area,
    /// The number of the next new pane.
    next_pane: u64,
}

/// An area that has panes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AreaEntry {
    /// The key of the pane or split that fills it.
    root: String,
    /// The pane that was last active in it.
    active: PaneId,
}

/// A split and what it divides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SplitEntry {
    /// How its dividers run.
    split: Split,
    /// The part of each child; together 1.
    fractions: Shares,
    /// The keys of the panes and splits in it, from left to right or from top to bottom.
    children: Vec<String>,
}

/// A pane without its tabs, which are entries of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaneEntry {
    /// The key of the tab in front; none exactly when there are no tabs.
    active_tab: Option<String>,
    /// It is not tidied away.
    pinned: bool,
}

/// A tab and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TabEntry {
    /// The pane it is in.
    pane: PaneId,
    /// The key of the tab to its left; none for the first.
    after: Option<String>,
    /// What it shows.
    #[serde(rename = "type")]
    kind: TabKind,
    /// Which one of those.
    content_id: String,
    /// What is written on it.
    title: String,
    /// There are changes that were not saved.
    dirty: bool,
    /// The content is gone; the tab keeps its place.
    missing: bool,
    /// Which of the tabs with this content it is; left out for the first.
    #[serde(default, skip_serializing_if = "is_first")]
    nth: u32,
}

impl TabEntry {
    fn of(pane: PaneId, after: Option<&Tab>, tab: &Tab) -> LayoutEntry {
        let Tab { kind, content_id, title, dirty, missing, nth } = tab.clone();
        let after = after.map(Tab::name);
        LayoutEntry::Tab(Self { pane, after, kind, content_id, title, dirty, missing, nth })
    }

    fn shows(&self, key: &TabKey) -> bool {
        self.kind == key.kind && self.content_id == key.content_id
    }

    fn tab(self) -> Tab {
        let Self { kind, content_id, title, dirty, missing, nth, .. } = self;
        Tab { kind, content_id, title, dirty, missing, nth }
    }
}

/// The key of a node. The second child of a split begins with a pane that begins the second child
/// of no other split: further out the same pane stands in a first child, further in as well.
fn node_key(node: &Node) -> String {
    match node {
        Node::Pane(pane) => pane.id.to_string(),
        Node::Split(branch) => split_key(branch),
    }
}

fn split_key(branch: &Branch) -> String {
    // A split has at least two children; `validate` holds that.
    let second = branch.children.get(1).or(branch.children.first());
    format!("s{}", second.map_or(0, |node| node.first_pane().0))
}

/// Where everything of a layout is, for a look at two of them side by side.
#[derive(Default)]
struct Index<'a> {
    splits: BTreeMap<String, &'a Branch>,
    panes: BTreeMap<PaneId, &'a Arc<Pane>>,
}

impl<'a> Index<'a> {
    fn of(layout: &'a Layout) -> Self {
        let mut index = Self::default();
        for grid in Area::ALL.into_iter().filter_map(|area| layout.grid(area)) {
            index.add(&grid.root);
        }
        index
    }

    fn add(&mut self, node: &'a Node) {
        match node {
            Node::Pane(pane) => {
                self.panes.insert(pane.id, pane);
            }
            Node::Split(branch) => {
                self.splits.insert(split_key(branch), branch);
                branch.children.iter().for_each(|child| self.add(child));
            }
        }
    }
}

/// What is gathered while two layouts are compared. A tab that left one pane may be in another.
#[derive(Default)]
struct Difference {
    put: BTreeMap<String, LayoutEntry>,
    gone: BTreeSet<String>,
}

impl Difference {
    fn pane(&mut self, before: Option<&Pane>, now: &Pane) {
        let entry = pane_entry(now);
        if before.map(pane_entry).as_ref() != Some(&entry) {
            self.put.insert(now.id.to_string(), entry);
        }
        let (old, new) = (before.map_or(&[][..], |pane| &pane.tabs), now.tabs.as_slice());
        let same = |(one, other): &(&Arc<Tab>, &Arc<Tab>)| Arc::ptr_eq(one, other) || one == other;
        let head = old.iter().zip(new).take_while(same).count();
        let most = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
        // The first of those that stayed behind the changed ones may stand after another now.
        let follower = usize::from(tail > 0);
        let earlier: HashMap<String, LayoutEntry> =
            told(now.id, old, head..old.len() - tail + follower).collect();
        let later: HashMap<String, LayoutEntry> =
            told(now.id, new, head..new.len() - tail + follower).collect();
        self.gone.extend(earlier.keys().filter(|key| !later.contains_key(*key)).cloned());
        self.put.extend(later.into_iter().filter(|(key, entry)| earlier.get(key) != Some(entry)));
    }
}

/// The entries of some of a pane's tabs.
fn told(
    pane: PaneId,
    tabs: &[Arc<Tab>],
    range: Range<usize>,
) -> impl Iterator<Item = (String, LayoutEntry)> {
    range.map(move |index| {
        let after = index.checked_sub(1).map(|before| &*tabs[before]);
        (tabs[index].name(), TabEntry::of(pane, after, &tabs[index]))
    })
}

fn pane_entry(pane: &Pane) -> LayoutEntry {
    let active_tab = pane.active_tab.and_then(|index| pane.tabs.get(index));
    let active_tab = active_tab.map(|tab| tab.name());
    LayoutEntry::Pane(PaneEntry { active_tab, pinned: pane.pinned })
}

fn split_entry(branch: &Branch) -> LayoutEntry {
    LayoutEntry::Split(SplitEntry {
        split: branch.split,
        fractions: branch.shares.clone(),
        children: branch.children.iter().map(node_key).collect(),
    })
}

impl Layout {
    fn window_entry(&self) -> LayoutEntry {
        let area = |grid: &Grid| AreaEntry { root: node_key(&grid.root), active: grid.active };
        LayoutEntry::Window(WindowEntry {
            main: area(&self.main),
            bottom: self.bottom.grid.as_ref().map(area),
            right: self.right.grid.as_ref().map(area),
            bottom_fraction: self.bottom.share,
            right_fraction: self.right.share,
            active_area: self.active_area,
            next_pane: self.next_pane,
        })
    }
}

/// Tabs that came or went between two layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TabsSince {
    /// Those that were not open before.
    pub opened: Vec<TabKey>,
    /// Those that are open no more.
    pub closed: Vec<TabKey>,
}

impl Layout {
    /// What was opened and closed since an earlier layout. Panes that did not change cost nothing.
    pub fn tabs_since(&self, earlier: &Self) -> TabsSince {
        let (old, new) = (Index::of(earlier), Index::of(self));
        let changed = |panes: &BTreeMap<PaneId, &Arc<Pane>>,
                       others: &BTreeMap<PaneId, &Arc<Pane>>| {
            let is_same = |id, pane| others.get(id).is_some_and(|other| Arc::ptr_eq(other, pane));
            let changed = panes.iter().filter(|(id, pane)| !is_same(*id, **pane));
            let keys = changed.flat_map(|(_, pane)| pane.tabs.iter().map(|tab| tab.key()));
            keys.collect::<HashSet<TabKey>>()
        };
        let (before, now) = (changed(&old.panes, &new.panes), changed(&new.panes, &old.panes));
        // A pane that did not change may have another tab of the same file.
        let only_in = |keys: &HashSet<TabKey>, others: &HashSet<TabKey>, other: &Self| {
            let keys = keys.difference(others).cloned();
            keys.filter(|key| other.find_tab(key.kind, &key.content_id).is_none()).collect()
        };
        TabsSince { opened: only_in(&now, &before, earlier), closed: only_in(&before, &now, self) }
    }
}

impl Content for Layout {
    type Entry = LayoutEntry;

    fn tell(&self, to: &mut dyn Visit<LayoutEntry>) {
        to.put(WINDOW, &self.window_entry());
        let index = Index::of(self);
        for (key, branch) in &index.splits {
            to.put(key, &split_entry(branch));
        }
        for pane in index.panes.values() {
            to.put(&pane.id.to_string(), &pane_entry(pane));
            let mut after = None;
            for tab in &pane.tabs {
                to.put(&tab.name(), &TabEntry::of(pane.id, after, tab));
                after = Some(&**tab);
            }
        }
    }

    fn tell_since(&self, before: &Self, to: &mut dyn Visit<LayoutEntry>) {
        let window = self.window_entry();
        if window != before.window_entry() {
            to.put(WINDOW, &window);
        }
        let (old, new) = (Index::of(before), Index::of(self));
        for (key, branch) in &new.splits {
            let entry = split_entry(branch);
            if old.splits.get(key).map(|branch| split_entry(branch)).as_ref() != Some(&entry) {
                to.put(key, &entry);
            }
        }
        let mut difference = Difference::default();
        for (id, pane) in &new.panes {
            let earlier = old.panes.get(id);
            if earlier.is_none_or(|earlier| !Arc::ptr_eq(earlier, pane)) {
                difference.pane(earlier.map(|pane| &***pane), pane);
            }
        }
        for (id, pane) in old.panes.iter().filter(|(id, _)| !new.panes.contains_key(id)) {
            difference.gone.insert(id.to_string());
            difference.gone.extend(pane.tabs.iter().map(|tab| tab.name()));
        }
        for key in old.splits.keys().filter(|key| !new.splits.contains_key(*key)) {
            to.removed(key);
        }
        for key in difference.gone.iter().filter(|key| !difference.put.contains_key(*key)) {
            to.removed(key);
        }
        for (key, entry) in &difference.put {
            to.put(key, entry);
        }
    }

    fn from_entries(entries: BTreeMap<String, LayoutEntry>) -> Result<Self, String> {
        Parts::of(entries)?.layout()
    }

    fn salvage(entries: BTreeMap<String, LayoutEntry>) -> (Self, Vec<(String, String)>) {
        match Self::from_entries(entries.clone()) {
            Ok(layout) => (layout, Vec::new()),
            Err(_) => salvage::salvage(entries),
        }
    }
}

/// The entries, sorted out; each is taken once.
#[derive(Default)]
struct Parts {
    window: Option<WindowEntry>,
    whole: Option<Layout>,
    splits: BTreeMap<String, SplitEntry>,
    panes: BTreeMap<String, PaneEntry>,
    /// By pane and by the tab that they stand after.
    tabs: BTreeMap<(PaneId, Option<String>), TabEntry>,
}

impl Parts {
    fn of(entries: BTreeMap<String, LayoutEntry>) -> Result<Self, String> {
        let mut parts = Self::default();
        for (key, entry) in entries {
            match entry {
                LayoutEntry::Window(window) => parts.window = Some(window),
                LayoutEntry::Whole { layout } => parts.whole = Some(*layout),
                LayoutEntry::Split(split) => {
                    parts.splits.insert(key, split);
                }
                LayoutEntry::Pane(pane) => {
                    parts.panes.insert(key, pane);
                }
                LayoutEntry::Tab(tab) => {
                    if parts.tabs.insert((tab.pane, tab.after.clone()), tab).is_some() {
                        return Err(format!("the tab `{key}` stands where another one does"));
                    }
                }
            }
        }
        Ok(parts)
    }

    fn layout(mut self) -> Result<Layout, String> {
        let layout = match (self.window.take(), self.whole.take()) {
            (Some(window), _) => self.window(window)?,
            (None, Some(whole)) => whole,
            (None, None) => Layout::default(),
        };
        let left = self.splits.keys().chain(self.panes.keys()).cloned();
        let tabs = self.tabs.into_values().map(|tab| tab.tab().name());
        if let Some(key) = left.chain(tabs).next() {
            return Err(format!("the entry `{key}` belongs nowhere"));
        }
        layout.validate()?;
        Ok(layout)
    }

    fn window(&mut self, window: WindowEntry) -> Result<Layout, String> {
        Ok(Layout {
            main: self.grid(&window.main)?,
            bottom: Dock {
                share: window.bottom_fraction,
                grid: window.bottom.map(|area| self.grid(&area)).transpose()?,
            },
            right: Dock {
                share: window.right_fraction,
                grid: window.right.map(|area| self.grid(&area)).transpose()?,
            },
            active_area: window.active_area,
            next_pane: window.next_pane,
        })
    }

    fn grid(&mut self, area: &AreaEntry) -> Result<Grid, String> {
        Ok(Grid { root: self.node(&area.root)?, active: area.active })
    }

    /// Takes the node under a key with all that is in it. What is taken is not there a second time,
    /// so that no circle goes on for ever.
    fn node(&mut self, key: &str) -> Result<Node, String> {
        if let Some(pane) = self.panes.remove(key) {
            return self.pane(key, &pane).map(|pane| Node::Pane(Arc::new(pane)));
        }
        let Some(SplitEntry { split, fractions, children }) = self.splits.remove(key) else {
            return Err(format!("there is no entry `{key}`, or it occurs twice"));
        };
        let children: Result<Vec<Node>, String> =
            children.iter().map(|child| self.node(child)).collect();
        Ok(Node::Split(Branch { split, shares: fractions, children: children? }))
    }

    fn pane(&mut self, key: &str, entry: &PaneEntry) -> Result<Pane, String> {
        let id: PaneId = String::from(key).try_into()?;
        let mut pane = Pane { pinned: entry.pinned, ..Pane::empty(id) };
        let mut after = None;
        while let Some(tab) = self.tabs.remove(&(id, after.take())) {
            let tab = tab.tab();
            let key = tab.name();
            if entry.active_tab.as_ref() == Some(&key) {
                pane.active_tab = Some(pane.tabs.len());
            }
            pane.tabs.push(Arc::new(tab));
            after = Some(key);
        }
        if entry.active_tab.is_some() && pane.active_tab.is_none() {
            return Err(format!("the pane {id} has no such active tab"));
        }
        Ok(pane)
    }
}

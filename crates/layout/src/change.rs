//! Closing, moving and marking of tabs and panes; opening is beside it.
//!
//! Sizes change only as a consequence here: a new pane takes half of its neighbour, a closed one
//! leaves its room to the others.
//!
//! A pane that loses its last tab goes away, unless it is pinned or the last one of the main area.
//! A pane that was made empty by [`Layout::split`] stays until it is closed or has had a tab.
//!
//! What is said of content (that it is gone, has unsaved text, is called otherwise) holds for all its
//! tabs.

use std::sync::Arc;

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Area, Layout, LayoutError, MAX_CONTENT_ID, MAX_DEPTH, MAX_PANE_NUMBER, MAX_PANES, MAX_TABS,
    MAX_TITLE, Side, Tab, TabKey, TabKind, number,
    tree::{Grid, Pane},
};

/// What a close took away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    /// The tabs that are no longer open.
    pub tabs: Vec<TabKey>,
    /// The panes that no longer exist.
    pub panes: Vec<PaneId>,
}

/// Where a tab went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The pane it was in.
    pub from: PaneId,
    /// The pane it is in.
    pub to: PaneId,
    /// The pane it left no longer exists, because this was its last tab.
    pub closed_pane: bool,
}

impl Layout {
    /// Makes an empty pane beside another, with half of its room, and makes it active.
    pub fn split(&mut self, pane: PaneId, side: Side) -> Result<PaneId, LayoutError> {
        self.locate(pane)?;
        self.attempt(|layout| {
            let new = layout.new_pane()?;
            let id = new.id;
            layout.place_beside(pane, side, new)?;
            layout.focus_pane(id)?;
            Ok(id)
        })
    }

    /// Closes a pane and its tabs, pinned or not.
    ///
    /// The last pane of the main area only loses its tabs and keeps its id; if it has none, that is
    /// an error.
    pub fn close_pane(&mut self, pane: PaneId) -> Result<Closed, LayoutError> {
        let (area, grid, _) = self.locate(pane)?;
        let last = area == Area::Main && grid.is_single();
        let content = self.pane_mut(pane)?;
        if last && content.tabs.is_empty() {
            return Err(LayoutError::LastPane(pane));
        }
        content.active_tab = None;
        let tabs = std::mem::take(&mut content.tabs).iter().map(|tab| tab.key()).collect();
        let mut panes = Vec::new();
        if !last {
            self.remove_pane(pane)?;
            panes.push(pane);
        }
        Ok(Closed { tabs, panes })
    }

    /// Closes content in every pane that has it. Without a kind, it must be open as one kind only.
    pub fn close_tab(
        &mut self,
        kind: Option<TabKind>,
        content_id: &str,
    ) -> Result<Closed, LayoutError> {
        let key = self.tab(kind, content_id)?.1.key();
        self.attempt(|layout| {
            let mut panes = Vec::new();
            for pane in layout.panes_showing(key.kind, content_id) {
                layout.take_tab(pane, key.kind, content_id)?;
                if layout.discard_if_empty(pane)? {
                    panes.push(pane);
                }
            }
            Ok(Closed { tabs: vec![key], panes })
        })
    }

    /// Closes the tab that a pane has of some content; other panes keep theirs.
    pub fn close_tab_in(
        &mut self,
        pane: PaneId,
        kind: Option<TabKind>,
        content_id: &str,
    ) -> Result<Closed, LayoutError> {
        let here = &self.pane(pane)?.tabs;
        let wanted = |tab: &Tab| tab.content_id == content_id && kind.is_none_or(|k| k == tab.kind);
        let found: Vec<TabKey> =
            here.iter().filter(|tab| wanted(tab)).map(|tab| tab.key()).collect();
        let key = match found.as_slice() {
            [one] => one.clone(),
            [] => {
                let open = here.iter().map(|tab| tab.key()).collect();
                return Err(LayoutError::UnknownTab { kind, content_id: content_id.into(), open });
            }
            several => {
                let kinds = several.iter().map(|key| key.kind).collect();
                return Err(LayoutError::AmbiguousTab { content_id: content_id.into(), kinds });
            }
        };
        self.take_tab(pane, key.kind, content_id)?;
        let panes = if self.discard_if_empty(pane)? { vec![pane] } else { Vec::new() };
        Ok(Closed { tabs: vec![key], panes })
    }

    /// Makes a pane the active one.
    pub fn focus_pane(&mut self, pane: PaneId) -> Result<(), LayoutError> {
        let (area, ..) = self.locate(pane)?;
        if let Some(grid) = self.grid_mut(area) {
            grid.active = pane;
        }
        self.active_area = area;
        Ok(())
    }

    /// Brings a tab to the front of its pane and makes the pane the active one.
    pub fn focus_tab(
        &mut self,
        kind: Option<TabKind>,
        content_id: &str,
    ) -> Result<PaneId, LayoutError> {
        let pane = self.bring_to_front(kind, content_id)?;
        self.focus_pane(pane)?;
        Ok(pane)
    }

    /// Brings a tab to the front of its pane. The active pane stays the active one.
    pub fn bring_to_front(
        &mut self,
        kind: Option<TabKind>,
        content_id: &str,
    ) -> Result<PaneId, LayoutError> {
        let (pane, tab) = self.tab(kind, content_id)?;
        let kind = tab.kind;
        self.put_in_front(pane, kind, content_id)?;
        Ok(pane)
    }

    fn put_in_front(
        &mut self,
        pane: PaneId,
        kind: TabKind,
        content_id: &str,
    ) -> Result<(), LayoutError> {
        let content = self.pane_mut(pane)?;
        content.active_tab = content.place_of(kind, content_id).or(content.active_tab);
        Ok(())
    }

    /// Moves a tab to a place in a pane and makes both active. Content that the pane has already
    /// stays in the other panes that have it.
    ///
    /// Without an index it goes to the end of another pane, or stays in its place in its own.
    pub fn move_tab(
        &mut self,
        kind: Option<TabKind>,
        content_id: &str,
        to: PaneId,
        index: Option<usize>,
    ) -> Result<Moved, LayoutError> {
        self.locate(to)?;
        let (found, tab) = self.tab(kind, content_id)?;
        let kind = tab.kind;
        let is_there = self.pane(to)?.place_of(kind, content_id).is_some();
        let from = if is_there { to } else { found };
        self.attempt(|layout| {
            let closed_pane = layout.relocate(from, kind, content_id, to, index)?;
            Ok(Moved { from, to, closed_pane })
        })
    }

    /// Moves a pane with its tabs beside another one, into half of its room, and makes it active.
    pub fn move_pane(
        &mut self,
        pane: PaneId,
        beside: PaneId,
        side: Side,
    ) -> Result<(), LayoutError> {
        let (area, grid, _) = self.locate(pane)?;
        self.locate(beside)?;
        if pane == beside {
            return Err(LayoutError::SamePane(pane));
        }
        if area == Area::Main && grid.is_single() {
            return Err(LayoutError::LastPane(pane));
        }
        self.attempt(|layout| {
            let content = layout.remove_pane(pane)?;
            layout.place_beside(beside, side, content)?;
            layout.focus_pane(pane)
        })
    }

    /// Keeps a pane from being tidied away.
    pub fn pin(&mut self, pane: PaneId) -> Result<(), LayoutError> {
        self.pane_mut(pane)?.pinned = true;
        Ok(())
    }

    /// Lets a pane be tidied away again.
    pub fn unpin(&mut self, pane: PaneId) -> Result<(), LayoutError> {
        self.pane_mut(pane)?.pinned = false;
        Ok(())
    }

    /// Writes something else on a tab.
    pub fn set_title(
        &mut self,
        kind: TabKind,
        content_id: &str,
        title: &str,
    ) -> Result<(), LayoutError> {
        check_title(title)?;
        self.change_tabs(kind, content_id, |tab| tab.title = title.into())
    }

    /// Says whether a tab has changes that were not saved.
    pub fn set_dirty(
        &mut self,
        kind: TabKind,
        content_id: &str,
        dirty: bool,
    ) -> Result<(), LayoutError> {
        self.change_tabs(kind, content_id, |tab| tab.dirty = dirty)
    }

    /// Says whether a tab's content is gone.
    pub fn mark_missing(
        &mut self,
        kind: TabKind,
        content_id: &str,
        missing: bool,
    ) -> Result<(), LayoutError> {
        self.change_tabs(kind, content_id, |tab| tab.missing = missing)
    }

    /// Makes a change of several steps all or nothing.
    pub(super) fn attempt<T>(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<T, LayoutError>,
    ) -> Result<T, LayoutError> {
        let mut changed = self.clone();
        let result = change(&mut changed)?;
        *self = changed;
        Ok(result)
    }

    fn new_pane(&mut self) -> Result<Pane, LayoutError> {
        if self.leaves().count() >= MAX_PANES {
            return Err(LayoutError::TooMany { what: "panes", limit: MAX_PANES });
        }
        self.new_id().map(Pane::empty)
    }

    /// An id that no pane has ever had.
    pub(super) fn new_id(&mut self) -> Result<PaneId, LayoutError> {
        if self.next_pane >= MAX_PANE_NUMBER {
            let limit = usize::try_from(MAX_PANE_NUMBER).unwrap_or(usize::MAX);
            return Err(LayoutError::TooMany { what: "panes over time", limit });
        }
        let id = PaneId(self.next_pane);
        self.next_pane += 1;
        Ok(id)
    }

    /// Gives an empty area its first pane.
    pub(super) fn fill(&mut self, area: Area) -> Result<PaneId, LayoutError> {
        let pane = self.new_pane()?;
        let id = pane.id;
        match area {
            Area::Main => self.main = Grid::of(pane),
            Area::Bottom => self.bottom.grid = Some(Grid::of(pane)),
            Area::Right => self.right.grid = Some(Grid::of(pane)),
        }
        Ok(id)
    }

    pub(super) fn place_beside(
        &mut self,
        neighbour: PaneId,
        side: Side,
        pane: Pane,
    ) -> Result<(), LayoutError> {
        let (area, grid, path) = self.locate(neighbour)?;
        if grid.root.depth_beside(&path, side.split()) > MAX_DEPTH {
            return Err(LayoutError::TooMany {
                what: "splits inside each other",
                limit: MAX_DEPTH,
            });
        }
        if let Some(grid) = self.grid_mut(area) {
            grid.root.insert_beside(&path, side, pane);
        }
        Ok(())
    }

    /// Takes a pane out of its tree. The caller keeps the main area from becoming empty.
    fn remove_pane(&mut self, id: PaneId) -> Result<Pane, LayoutError> {
        let (area, grid, _) = self.locate(id)?;
        let removed = if grid.is_single() {
            let pane = self.pane(id)?.clone();
            match area {
                Area::Main => return Err(LayoutError::LastPane(id)),
                Area::Bottom => self.bottom.grid = None,
                Area::Right => self.right.grid = None,
            }
            Some(pane)
        } else {
            self.grid_mut(area).and_then(|grid| grid.remove(id))
        };
        if self.grid(self.active_area).is_none() {
            self.active_area = Area::Main;
        }
        removed.ok_or_else(|| self.unknown_pane(id))
    }

    /// Whether the pane went away because it has no tabs and nothing keeps it.
    fn discard_if_empty(&mut self, id: PaneId) -> Result<bool, LayoutError> {
        let (area, grid, _) = self.locate(id)?;
        let last = area == Area::Main && grid.is_single();
        let pane = self.pane(id)?;
        let discard = pane.tabs.is_empty() && !pane.pinned && !last;
        if discard {
            self.remove_pane(id)?;
        }
        Ok(discard)
    }

    pub(super) fn insert_tab(
        &mut self,
        pane: PaneId,
        index: usize,
        tab: Arc<Tab>,
    ) -> Result<(), LayoutError> {
        let pane = self.pane_mut(pane)?;
        if pane.tabs.len() >= MAX_TABS {
            return Err(LayoutError::TooMany { what: "tabs in a pane", limit: MAX_TABS });
        }
        if index > pane.tabs.len() {
            return Err(LayoutError::OutOfRange {
                what: format!("the place of the tab in {}", pane.id),
                asked: number(index),
                min: 0.0,
                max: number(pane.tabs.len()),
            });
        }
        pane.insert_tab(index, tab);
        Ok(())
    }

    fn take_tab(
        &mut self,
        pane: PaneId,
        kind: TabKind,
        content_id: &str,
    ) -> Result<Arc<Tab>, LayoutError> {
        let content = self.pane_mut(pane)?;
        match content.place_of(kind, content_id) {
            Some(index) => Ok(content.remove_tab(index)),
            None => Err(self.unknown_tab(Some(kind), content_id)),
        }
    }

    /// Brings a tab to a pane and to the front there; says whether the pane it left went away.
    pub(super) fn relocate(
        &mut self,
        from: PaneId,
        kind: TabKind,
        content_id: &str,
        to: PaneId,
        index: Option<usize>,
    ) -> Result<bool, LayoutError> {
        let mut closed_pane = false;
        if from != to || index.is_some() {
            let tab = self.take_tab(from, kind, content_id)?;
            let index = index.unwrap_or(self.pane(to)?.tabs.len());
            self.insert_tab(to, index, tab)?;
            closed_pane = self.discard_if_empty(from)?;
        }
        self.put_in_front(to, kind, content_id)?;
        self.focus_pane(to)?;
        Ok(closed_pane)
    }

    /// Changes every tab with some content.
    pub(super) fn change_tabs(
        &mut self,
        kind: TabKind,
        content_id: &str,
        change: impl Fn(&mut Tab),
    ) -> Result<(), LayoutError> {
        let panes = self.panes_showing(kind, content_id);
        if panes.is_empty() {
            return Err(self.unknown_tab(Some(kind), content_id));
        }
        for pane in panes {
            let tabs = &mut self.pane_mut(pane)?.tabs;
            tabs.iter_mut()
                .filter(|tab| tab.is(kind, content_id))
                .for_each(|tab| change(Arc::make_mut(tab)));
        }
        Ok(())
    }
}

pub(super) fn default_title(content_id: &str) -> String {
    let last = content_id.rsplit('/').find(|part| !part.is_empty()).unwrap_or(content_id);
    last.chars().take(MAX_TITLE).collect()
}

pub(super) fn check_content_id(content_id: &str) -> Result<(), LayoutError> {
    check_length("the length of a content id", content_id.len(), MAX_CONTENT_ID)
}

pub(super) fn check_title(title: &str) -> Result<(), LayoutError> {
    check_length("the length of a title", title.chars().count(), MAX_TITLE)
}

fn check_length(what: &str, length: usize, most: usize) -> Result<(), LayoutError> {
    if (1..=most).contains(&length) {
        return Ok(());
    }
    let (asked, max) = (number(length), number(most));
    Err(LayoutError::OutOfRange { what: what.into(), asked, min: 1.0, max })
}

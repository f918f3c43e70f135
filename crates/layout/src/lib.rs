//! Where things are shown: areas of split panes with tabs, as everybody agreed they should be.
//!
//! This is intent, in fractions of a window without pixels. What a browser made of it (minimum sizes
//! clamp, a window can be small) is reported elsewhere. The window here is the part of the screen
//! that holds `main`, `bottom` beneath it and `right` along the full height beside both; side bars
//! are not part of it.
//!
//! The model does no IO and knows no content: whether a file exists or a terminal runs is told to it.
//! It never falls back to another pane than the one named, never uses a pane id twice, never shows
//! the same content twice in one pane, and a refused change leaves it as it was. A file may be in
//! several panes; what runs, such as a terminal, has one tab.

mod change;
mod difference;
mod elsewhere;
mod entries;
mod error;
mod geometry;
mod named;
mod open;
pub mod propose;
mod shares;
mod size;
mod tree;
mod validate;

#[cfg(test)]
mod tests;

use std::fmt;
#[cfg(test)]
use std::sync::Arc;

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    change::{Closed, Moved},
    difference::Difference,
    elsewhere::path_after_move,
    entries::{AreaEntry, LayoutEntry, PaneEntry, SplitEntry, TabEntry, TabsSince, WindowEntry},
    error::LayoutError,
    geometry::{DockView, Geometry, Listed, NodeView, PaneInfo, TreeView},
    named::{Applied, Named, Presence},
    open::{OpenTab, Opened},
    propose::{KnownTab, Proposal, Proposed},
};
use self::{
    shares::{WHOLE, as_fraction},
    tree::{Grid, Pane},
};

/// The most panes of a layout.
pub const MAX_PANES: usize = 600;
/// The most tabs of one pane.
pub const MAX_TABS: usize = 200;
/// The most splits inside each other; a saved layout must stay readable by JSON parsers.
pub const MAX_DEPTH: usize = 16;
/// The most bytes of a content id.
pub const MAX_CONTENT_ID: usize = 4096;
/// The most characters of a title.
pub const MAX_TITLE: usize = 256;
/// The largest pane number: the largest integer every JSON reader keeps exactly.
const MAX_PANE_NUMBER: u64 = (1 << 53) - 1;

/// What a tab shows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum TabKind {
    /// A file; the content id is its path.
    Editor,
    /// A terminal; the content id is its id.
    Terminal,
    /// A deck; the content id is its path.
    Presentation,
    /// A board; the content id is its path.
    Whiteboard,
    /// A conversation; the content id is its id.
    Chat,
}

impl TabKind {
    /// Where tabs of this kind open when nothing else is asked.
    pub const fn home(self) -> Area {
        match self {
            Self::Terminal => Area::Bottom,
            Self::Chat => Area::Right,
            Self::Editor | Self::Presentation | Self::Whiteboard => Area::Main,
        }
    }
}

impl fmt::Display for TabKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Editor => "editor",
            Self::Terminal => "terminal",
            Self::Presentation => "presentation",
            Self::Whiteboard => "whiteboard",
            Self::Chat => "chat",
        })
    }
}

/// A part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Area {
    /// The middle; always has a pane.
    Main,
    /// Beneath the middle; may be empty.
    Bottom,
    /// Beside both, over the full height; may be empty.
    Right,
}

impl Area {
    /// In reading order.
    pub const ALL: [Self; 3] = [Self::Main, Self::Bottom, Self::Right];
}

/// How a split runs, named after its divider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Split {
    /// A horizontal divider: one above the other. A new pane goes below.
    Horizontal,
    /// A vertical divider: side by side. A new pane goes to the right.
    Vertical,
}

/// A side of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// Side by side, before the pane.
    Left,
    /// Side by side, after the pane.
    Right,
    /// One above the other, before the pane.
    Above,
    /// One above the other, after the pane.
    Below,
}

impl Side {
    const fn split(self) -> Split {
        match self {
            Self::Left | Self::Right => Split::Vertical,
            Self::Above | Self::Below => Split::Horizontal,
        }
    }

    const fn is_after(self) -> bool {
        matches!(self, Self::Right | Self::Below)
    }
}

impl From<Split> for Side {
    fn from(split: Split) -> Self {
        match split {
            Split::Horizontal => Self::Below,
            Split::Vertical => Self::Right,
        }
    }
}

/// What makes a tab the same tab, wherever it is.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct TabKey {
    /// What it shows.
    #[serde(rename = "type")]
    pub kind: TabKind,
    /// Which one of those.
    pub content_id: String,
}

impl TabKey {
    /// The key of some content.
    pub fn new(kind: TabKind, content_id: impl Into<String>) -> Self {
        Self { kind, content_id: content_id.into() }
    }
}

impl fmt::Display for TabKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.content_id)
    }
}

/// A tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tab {
    /// What it shows.
    #[serde(rename = "type")]
    pub kind: TabKind,
    /// Which one of those.
    pub content_id: String,
    /// What is written on it.
    pub title: String,
    /// There are changes that were not saved.
    pub dirty: bool,
    /// The content is gone; the tab keeps its place.
    pub missing: bool,
    /// Which of the tabs with this content it is; left out for the first.
    #[serde(default, skip_serializing_if = "is_first")]
    pub nth: u32,
}

/// Whether a tab is the first one with its content.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_first(nth: &u32) -> bool {
    *nth == 0
}

/// The first number that none of the tabs with some content has.
fn free_number(taken: &[u32]) -> u32 {
    (0..=u32::MAX).find(|nth| !taken.contains(nth)).unwrap_or_default()
}

impl Tab {
    /// What makes it this tab.
    pub fn key(&self) -> TabKey {
        TabKey::new(self.kind, self.content_id.clone())
    }

    fn is(&self, kind: TabKind, content_id: &str) -> bool {
        self.kind == kind && self.content_id == content_id
    }
}

/// An area that may be empty; it keeps its size while it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Dock {
    /// Its part of the window's height (bottom) or width (right), up to 1.
    #[serde(rename = "fraction", with = "as_fraction")]
    #[schemars(with = "f64")]
    share: u32,
    /// Its panes; none while it is empty.
    grid: Option<Grid>,
}

/// The layout of a space. The default is one empty pane, `p1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "validate::Unchecked")]
pub struct Layout {
    /// The middle; always has a pane.
    main: Grid,
    /// Beneath the middle.
    bottom: Dock,
    /// Beside both, over the full height.
    right: Dock,
    /// Where the active pane is.
    active_area: Area,
    /// The number of the next new pane. Only grows, so that no id comes to mean another pane.
    next_pane: u64,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            main: Grid::of(Pane::empty(PaneId(1))),
            bottom: Dock { share: WHOLE / 10 * 3, grid: None },
            right: Dock { share: WHOLE / 4, grid: None },
            active_area: Area::Main,
            next_pane: 2,
        }
    }
}

impl Layout {
    /// The panes' ids: main, bottom, right, each in reading order.
    pub fn pane_ids(&self) -> Vec<PaneId> {
        self.leaves().map(|(_, pane)| pane.id).collect()
    }

    /// Whether there is such a pane now.
    pub fn contains(&self, pane: PaneId) -> bool {
        self.leaves().any(|(_, leaf)| leaf.id == pane)
    }

    /// The active pane.
    pub fn active_pane(&self) -> PaneId {
        self.grid(self.active_area).unwrap_or(&self.main).active
    }

    /// The tab in front in a pane.
    pub fn front_of(&self, pane: PaneId) -> Option<&Tab> {
        let (_, leaf) = self.leaves().find(|(_, leaf)| leaf.id == pane)?;
        leaf.tabs.get(leaf.active_tab?).map(|tab| &**tab)
    }

    /// Every tab with its pane, in reading order.
    pub fn tabs(&self) -> impl Iterator<Item = (PaneId, &Tab)> {
        self.leaves().flat_map(|(_, pane)| pane.tabs.iter().map(|tab| (pane.id, &**tab)))
    }

    /// The pane that has this content. Of several the active one, else the first that has it in
    /// front, else the first.
    pub fn find_tab(&self, kind: TabKind, content_id: &str) -> Option<PaneId> {
        let active = self.active_pane();
        let ranked = self.leaves().filter_map(|(_, pane)| {
            let index = pane.place_of(kind, content_id)?;
            Some((pane.id != active, pane.active_tab != Some(index), pane.id))
        });
        ranked.min_by_key(|(is_other, is_behind, _)| (*is_other, *is_behind)).map(|found| found.2)
    }

    /// Every pane that has this content, in reading order.
    pub fn panes_showing(&self, kind: TabKind, content_id: &str) -> Vec<PaneId> {
        let panes = self.leaves().filter(|(_, pane)| pane.place_of(kind, content_id).is_some());
        panes.map(|(_, pane)| pane.id).collect()
    }

    /// A number for one more tab with this content.
    fn free_nth(&self, kind: TabKind, content_id: &str) -> u32 {
        let same = self.tabs().filter(|(_, tab)| tab.is(kind, content_id));
        free_number(&same.map(|(_, tab)| tab.nth).collect::<Vec<_>>())
    }

    /// The tab with this content, of several the one that [`Layout::find_tab`] finds. Without a kind,
    /// the content must be open as one kind only.
    pub fn tab(
        &self,
        kind: Option<TabKind>,
        content_id: &str,
    ) -> Result<(PaneId, &Tab), LayoutError> {
        let wanted = |tab: &Tab| tab.content_id == content_id && kind.is_none_or(|k| k == tab.kind);
        let found: Vec<(PaneId, &Tab)> = self.tabs().filter(|(_, tab)| wanted(tab)).collect();
        let mut kinds: Vec<TabKind> = Vec::new();
        for (_, tab) in &found {
            if !kinds.contains(&tab.kind) {
                kinds.push(tab.kind);
            }
        }
        if kinds.len() > 1 {
            return Err(LayoutError::AmbiguousTab { content_id: content_id.into(), kinds });
        }
        let pane = kinds.first().and_then(|kind| self.find_tab(*kind, content_id));
        let one = found.into_iter().find(|(of, _)| Some(*of) == pane);
        one.ok_or_else(|| self.unknown_tab(kind, content_id))
    }

    fn leaves(&self) -> impl Iterator<Item = (Area, &Pane)> {
        Area::ALL.into_iter().flat_map(|area| {
            let panes = self.grid(area).map(|grid| grid.root.panes()).unwrap_or_default();
            panes.into_iter().map(move |pane| (area, pane))
        })
    }

    fn grid(&self, area: Area) -> Option<&Grid> {
        match area {
            Area::Main => Some(&self.main),
            Area::Bottom => self.bottom.grid.as_ref(),
            Area::Right => self.right.grid.as_ref(),
        }
    }

    fn grid_mut(&mut self, area: Area) -> Option<&mut Grid> {
        match area {
            Area::Main => Some(&mut self.main),
            Area::Bottom => self.bottom.grid.as_mut(),
            Area::Right => self.right.grid.as_mut(),
        }
    }

    /// The area of a pane, its tree, and the way to it there.
    fn locate(&self, id: PaneId) -> Result<(Area, &Grid, Vec<usize>), LayoutError> {
        Area::ALL
            .into_iter()
            .find_map(|area| {
                let grid = self.grid(area)?;
                Some((area, grid, grid.root.path_to(id)?))
            })
            .ok_or_else(|| self.unknown_pane(id))
    }

    fn pane(&self, id: PaneId) -> Result<&Pane, LayoutError> {
        let found = self.leaves().find(|(_, pane)| pane.id == id);
        found.map(|(_, pane)| pane).ok_or_else(|| self.unknown_pane(id))
    }

    fn pane_mut(&mut self, id: PaneId) -> Result<&mut Pane, LayoutError> {
        let valid = self.pane_ids();
        let Self { main, bottom, right, .. } = self;
        let grids = [Some(main), bottom.grid.as_mut(), right.grid.as_mut()];
        let found = grids.into_iter().flatten().find_map(|grid| grid.root.pane_mut(id));
        found.ok_or(LayoutError::UnknownPane { id, valid })
    }

    fn unknown_tab(&self, kind: Option<TabKind>, content_id: &str) -> LayoutError {
        let open = self.tabs().map(|(_, tab)| tab.key()).collect();
        LayoutError::UnknownTab { kind, content_id: content_id.into(), open }
    }

    fn unknown_pane(&self, id: PaneId) -> LayoutError {
        LayoutError::UnknownPane { id, valid: self.pane_ids() }
    }
}

/// A count as a number for an error.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

//! What the layout looks like from outside: places in percent of the window, and the split tree.
//!
//! These are views for callers. They are computed from the tree each time and never read back.

use std::sync::Arc;

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Area, Dock, Layout, Split, Tab,
    shares::{WHOLE, fraction},
    tree::Node,
};

/// A place in percent of the window, with two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Geometry {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Some of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listed {
    /// The place of the first one that is listed, counting from 0.
    pub first: usize,
    /// How many there are in all.
    pub total: usize,
}

/// A pane as callers see it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaneInfo {
    /// Its id, never used for another pane.
    pub id: PaneId,
    /// The part of the window it is in.
    pub area: Area,
    /// Its tabs from left to right; where there are many, those around the one in front.
    pub tabs: Vec<Arc<Tab>>,
    /// Which tab is in front, counting from 0 among all of them; none if there are no tabs.
    pub active_tab: Option<usize>,
    /// Which of its tabs are listed, where not all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
    /// It is the active pane.
    pub active: bool,
    /// It is not tidied away.
    pub pinned: bool,
    /// Where it is meant to be; a browser may have had to deviate.
    pub geometry: Geometry,
}

/// The split trees of the window.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeView {
    /// The middle.
    pub main: NodeView,
    /// Beneath the middle, if there is anything.
    pub bottom: Option<DockView>,
    /// Beside both, if there is anything.
    pub right: Option<DockView>,
    /// The active pane.
    pub active: PaneId,
}

/// An area beside the main one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DockView {
    /// Its part of the window's height (bottom) or width (right), up to 1.
    pub fraction: f64,
    /// What is in it.
    pub root: NodeView,
}

/// A node of a split tree.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum NodeView {
    /// A pane.
    Pane {
        /// Its id.
        id: PaneId,
    },
    /// Several nodes with dividers between them.
    Split {
        /// How the dividers run: `vertical` dividers have their children side by side.
        split: Split,
        /// The part of each child; together 1.
        fractions: Vec<f64>,
        /// From left to right or from top to bottom; never a split with the same direction.
        children: Vec<Self>,
    },
}

/// A part of the window, which is the unit square, between exact edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rectangle {
    const WINDOW: Self = Self { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };

    /// The part between two shares, counted from the left or from the top. Neighbours get the very
    /// same number for the edge they have in common.
    fn between(self, split: Split, from: u32, to: u32) -> Self {
        let Self { left, top, right, bottom } = self;
        let edge = |low: f64, high: f64, at: u32| {
            if at == WHOLE { high } else { low + (high - low) * fraction(at) }
        };
        match split {
            Split::Vertical => {
                Self { left: edge(left, right, from), right: edge(left, right, to), ..self }
            }
            Split::Horizontal => {
                Self { top: edge(top, bottom, from), bottom: edge(top, bottom, to), ..self }
            }
        }
    }

    /// How much of the window's width (`Vertical`) or height it has.
    pub(super) fn extent(self, split: Split) -> f64 {
        match split {
            Split::Vertical => self.right - self.left,
            Split::Horizontal => self.bottom - self.top,
        }
    }
}

impl From<Rectangle> for Geometry {
    fn from(rectangle: Rectangle) -> Self {
        Self {
            x: percent(rectangle.left),
            y: percent(rectangle.top),
            width: percent(rectangle.extent(Split::Vertical)),
            height: percent(rectangle.extent(Split::Horizontal)),
        }
    }
}

/// A fraction in percent with two decimals.
pub(super) fn percent(fraction: f64) -> f64 {
    (fraction * 10_000.0).round() / 100.0
}

impl Layout {
    /// Every pane with its tabs and its place: main, bottom, right, each in reading order.
    pub fn panes(&self) -> Vec<PaneInfo> {
        self.panes_with(usize::MAX)
    }

    /// The same with at most so many tabs of each: those around the one in front.
    pub fn panes_with(&self, most: usize) -> Vec<PaneInfo> {
        let active = self.active_pane();
        let rectangles = self.rectangles();
        self.leaves()
            .zip(rectangles)
            .map(|((area, pane), (_, rectangle))| {
                let total = pane.tabs.len();
                let count = total.min(most);
                let middle = pane.active_tab.unwrap_or(0);
                let first = middle.saturating_sub(count / 2).min(total - count);
                PaneInfo {
                    id: pane.id,
                    area,
                    tabs: pane.tabs.iter().skip(first).take(count).cloned().collect(),
                    active_tab: pane.active_tab,
                    listed: (count < total).then_some(Listed { first, total }),
                    active: pane.id == active,
                    pinned: pane.pinned,
                    geometry: rectangle.into(),
                }
            })
            .collect()
    }

    /// How many panes and how many tabs there are.
    pub fn counts(&self) -> (usize, usize) {
        self.leaves().fold((0, 0), |(panes, tabs), (_, pane)| (panes + 1, tabs + pane.tabs.len()))
    }

    /// The splits with their fractions.
    pub fn tree(&self) -> TreeView {
        let dock = |dock: &Dock| {
            let grid = dock.grid.as_ref()?;
            Some(DockView { fraction: fraction(dock.share), root: grid.root.view() })
        };
        TreeView {
            main: self.main.root.view(),
            bottom: dock(&self.bottom),
            right: dock(&self.right),
            active: self.active_pane(),
        }
    }

    /// The exact place of every pane, in the order of [`Layout::panes`].
    pub(super) fn rectangles(&self) -> Vec<(PaneId, Rectangle)> {
        let mut places = Vec::new();
        for area in Area::ALL {
            if let Some(grid) = self.grid(area) {
                grid.root.place(self.rectangle(area), &mut places);
            }
        }
        places
    }

    /// The place of an area; an empty one has none.
    pub(super) fn rectangle(&self, area: Area) -> Rectangle {
        let taken = |dock: &Dock| if dock.grid.is_some() { dock.share } else { 0 };
        let beside = WHOLE - taken(&self.right);
        let above = WHOLE - taken(&self.bottom);
        let left_part = Rectangle::WINDOW.between(Split::Vertical, 0, beside);
        match area {
            Area::Main => left_part.between(Split::Horizontal, 0, above),
            Area::Bottom => left_part.between(Split::Horizontal, above, WHOLE),
            Area::Right => Rectangle::WINDOW.between(Split::Vertical, beside, WHOLE),
        }
    }
}

impl Node {
    fn view(&self) -> NodeView {
        match self {
            Self::Pane(pane) => NodeView::Pane { id: pane.id },
            Self::Split(branch) => NodeView::Split {
                split: branch.split,
                fractions: branch.shares.fractions(),
                children: branch.children.iter().map(Self::view).collect(),
            },
        }
    }

    fn place(&self, rectangle: Rectangle, places: &mut Vec<(PaneId, Rectangle)>) {
        match self {
            Self::Pane(pane) => places.push((pane.id, rectangle)),
            Self::Split(branch) => {
                let mut from = 0;
                for (child, share) in branch.children.iter().zip(branch.shares.iter()) {
                    let to = from + share;
                    child.place(rectangle.between(branch.split, from, to), places);
                    from = to;
                }
            }
        }
    }
}

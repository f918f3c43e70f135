//! The window as a person has it, put together with what others did meanwhile.
//!
//! A proposal is the whole window and what its page knew when it was made. Shape, sizes, order and
//! the tabs in front are the person's. What the page did not know stays; what it knew and no longer
//! has is closed, pinned or not; what others closed meanwhile is not opened again. A tab that the
//! page did not know is what the person opened.
//!
//! It does no IO: whether content exists is settled before. A proposal that does not make a valid
//! layout is refused whole.

use std::{collections::HashSet, sync::Arc};

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Area, Layout, LayoutError, MAX_DEPTH, MAX_PANES, MAX_TABS, Split, TabKey, TabKind,
    change::{check_content_id, check_title},
    shares::{WHOLE, minimum, share},
    size::divide_into,
    tree::{Branch, Grid, Node},
};

mod merge;
mod views;

use self::merge::Merge;

/// Propose the window as a person has it.
///
/// The whole window, and what its page knew of the server's when it was made. What others opened
/// meanwhile stays, what they closed stays closed; the rest becomes what the person has.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Proposal {
    /// The browser whose window it is, for the record.
    pub view_id: Option<String>,
    /// The panes that the page knew from the server.
    pub known_panes: Vec<PaneId>,
    /// The tabs that the page knew from the server, each with its pane.
    pub known_tabs: Vec<KnownTab>,
    /// The middle.
    pub main: ProposedArea,
    /// Beneath the middle; nothing when it has no panes.
    pub bottom: Option<ProposedArea>,
    /// Beside both; nothing when it has no panes.
    pub right: Option<ProposedArea>,
    /// The bottom's part of the height, more than 0 and less than 1; as it was when left out.
    pub bottom_fraction: Option<f64>,
    /// The right's part of the width, more than 0 and less than 1; as it was when left out.
    pub right_fraction: Option<f64>,
    /// The active pane; as it was when left out.
    pub active_pane: Option<ActivePane>,
}

/// A tab that a page knew.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownTab {
    /// What it shows.
    #[serde(rename = "type")]
    pub kind: TabKind,
    /// Which one of those.
    pub content_id: String,
    /// The pane it was in; wherever it is when left out.
    pub pane_id: Option<PaneId>,
}

impl KnownTab {
    /// The content.
    pub fn key(&self) -> TabKey {
        TabKey::new(self.kind, self.content_id.clone())
    }
}

impl From<TabKey> for KnownTab {
    /// Known, wherever it is.
    fn from(TabKey { kind, content_id }: TabKey) -> Self {
        Self { kind, content_id, pane_id: None }
    }
}

/// A pane by its id, or by its place in the proposal for one that has no id yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ActivePane {
    /// Its id.
    Id(PaneId),
    /// Its place among the panes of the proposal: main, bottom, right, each in reading order.
    Index(usize),
}

/// A part of the proposed window.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedArea {
    /// What is in it.
    pub root: ProposedNode,
}

/// A pane, or a split of several nodes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProposedNode {
    /// A pane.
    Pane(ProposedPane),
    /// Several nodes with dividers between them.
    Split(ProposedSplit),
}

/// A pane of the proposed window.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedPane {
    /// Its id; null for a new one.
    pub id: Option<PaneId>,
    /// Its tabs from left to right.
    pub tabs: Vec<ProposedTab>,
    /// Which tab is in front, counting from 0. Null leaves that as it was, or to the first.
    pub active_tab: Option<usize>,
}

/// A tab of the proposed window.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedTab {
    /// What it shows.
    #[serde(rename = "type")]
    pub kind: TabKind,
    /// Which one of those.
    pub content_id: String,
    /// What is written on it, if it is new.
    pub title: Option<String>,
}

impl ProposedTab {
    fn key(&self) -> TabKey {
        TabKey::new(self.kind, self.content_id.clone())
    }
}

/// A split of the proposed window.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedSplit {
    /// How the dividers run: `vertical` dividers have their children side by side.
    pub split: Split,
    /// The part of each child. Only their proportion counts.
    pub fractions: Vec<f64>,
    /// From left to right or from top to bottom.
    pub children: Vec<ProposedNode>,
}

/// What came of a proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposed {
    /// The tabs that the person opened.
    pub opened: Vec<TabKey>,
    /// The tabs that the person closed.
    pub closed: Vec<TabKey>,
    /// The id of each pane of the proposal, in reading order; null for one that did not stay.
    pub pane_ids: Vec<Option<PaneId>>,
}

impl Proposal {
    fn area(&self, area: Area) -> Option<&ProposedArea> {
        match area {
            Area::Main => Some(&self.main),
            Area::Bottom => self.bottom.as_ref(),
            Area::Right => self.right.as_ref(),
        }
    }

    /// The panes: main, bottom, right, each in reading order.
    pub fn panes(&self) -> Vec<(Area, &ProposedPane)> {
        let mut panes = Vec::new();
        for area in Area::ALL {
            if let Some(proposed) = self.area(area) {
                proposed.root.collect(area, &mut panes);
            }
        }
        panes
    }

    /// The tabs, in reading order.
    pub fn tabs(&self) -> impl Iterator<Item = &ProposedTab> {
        self.panes().into_iter().flat_map(|(_, pane)| &pane.tabs)
    }

    /// The tabs, to spell their content the one way before they are proposed.
    pub fn tabs_mut(&mut self) -> Vec<&mut ProposedTab> {
        let mut tabs = Vec::new();
        let areas = [Some(&mut self.main), self.bottom.as_mut(), self.right.as_mut()];
        for area in areas.into_iter().flatten() {
            area.root.collect_tabs_mut(&mut tabs);
        }
        tabs
    }

    /// The tabs that the person opened, as far as can be told: those that the page has not from the
    /// server.
    pub fn opened(&self) -> impl Iterator<Item = TabKey> {
        let mut known: HashSet<TabKey> = self.known_tabs.iter().map(KnownTab::key).collect();
        self.tabs().map(ProposedTab::key).filter(move |key| known.insert(key.clone()))
    }

    /// The tabs that the person closed: those that the page had from the server.
    pub fn closed(&self) -> impl Iterator<Item = TabKey> {
        let mut present: HashSet<TabKey> = self.tabs().map(ProposedTab::key).collect();
        self.known_tabs.iter().map(KnownTab::key).filter(move |key| present.insert(key.clone()))
    }

    /// Refuses what makes no sense by itself.
    fn check(&self) -> Result<(), LayoutError> {
        let panes = self.panes();
        if panes.len() > MAX_PANES {
            return Err(LayoutError::TooMany { what: "panes", limit: MAX_PANES });
        }
        let (mut ids, mut keys) = (HashSet::new(), HashSet::new());
        for (_, pane) in panes {
            if let Some(id) = pane.id
                && !ids.insert(id)
            {
                return Err(LayoutError::Twice { what: format!("the pane {id}") });
            }
            if pane.tabs.len() > MAX_TABS {
                return Err(LayoutError::TooMany { what: "tabs in a pane", limit: MAX_TABS });
            }
            if let Some(index) = pane.active_tab
                && index >= pane.tabs.len()
            {
                let what = match pane.id {
                    Some(id) => format!("`activeTab` of {id}"),
                    None => "`activeTab` of a new pane".to_owned(),
                };
                let count = pane.tabs.len();
                return Err(LayoutError::NoSuchPlace { what, asked: index, count });
            }
            // A file may be in another pane too.
            keys.retain(|(kind, _): &(TabKind, &str)| !kind.shows_a_file());
            for tab in &pane.tabs {
                check_content_id(&tab.content_id)?;
                tab.title.as_deref().map_or(Ok(()), check_title)?;
                if !keys.insert((tab.kind, tab.content_id.as_str())) {
                    return Err(LayoutError::Twice { what: tab.key().to_string() });
                }
            }
        }
        for (what, fraction) in
            [("`bottomFraction`", self.bottom_fraction), ("`rightFraction`", self.right_fraction)]
        {
            if let Some(asked) = fraction
                && !(asked > 0.0 && asked < 1.0)
            {
                return Err(LayoutError::NotBetween { what, asked, above: 0.0, below: 1.0 });
            }
        }
        Ok(())
    }
}

impl ProposedNode {
    fn collect<'a>(&'a self, area: Area, panes: &mut Vec<(Area, &'a ProposedPane)>) {
        match self {
            Self::Pane(pane) => panes.push((area, pane)),
            Self::Split(split) => split.children.iter().for_each(|node| node.collect(area, panes)),
        }
    }

    fn collect_tabs_mut<'a>(&'a mut self, tabs: &mut Vec<&'a mut ProposedTab>) {
        match self {
            Self::Pane(pane) => tabs.extend(&mut pane.tabs),
            Self::Split(split) => {
                split.children.iter_mut().for_each(|node| node.collect_tabs_mut(tabs));
            }
        }
    }

    /// The tree of the panes that stay, taken in reading order; nothing if none of them does.
    fn build(
        &self,
        staying: &mut impl Iterator<Item = Option<super::tree::Pane>>,
    ) -> Result<Option<Node>, LayoutError> {
        let proposed = match self {
            Self::Pane(_) => {
                return Ok(staying.next().flatten().map(|pane| Node::Pane(Arc::new(pane))));
            }
            Self::Split(proposed) => proposed,
        };
        if proposed.children.is_empty() {
            return Err(LayoutError::EmptySplit);
        }
        let mut shares = divide_into(proposed.children.len(), &proposed.fractions)?;
        let mut children = Vec::new();
        for child in &proposed.children {
            match child.build(staying)? {
                Some(child) => children.push(child),
                None if shares.len() > 1 => shares.remove(children.len()),
                None => return Ok(None),
            }
        }
        if children.len() < 2 {
            return Ok(children.pop());
        }
        let mut branch = Branch { split: proposed.split, shares, children };
        for index in (0..branch.children.len()).rev() {
            branch.absorb(index);
        }
        Ok(Some(Node::Split(branch)))
    }
}

impl Layout {
    /// Makes the window what a person has made of it, without losing what others did meanwhile.
    ///
    /// Content of new tabs must exist; a tab of `known_tabs` that is not open is not opened.
    pub fn propose(&mut self, proposal: &Proposal) -> Result<Proposed, LayoutError> {
        proposal.check()?;
        self.attempt(|layout| {
            let merge = Merge::new(layout, proposal)?;
            let (merged, proposed) = merge.finish()?;
            *layout = merged;
            Ok(proposed)
        })
    }

    fn set_dock_fractions(&mut self, proposal: &Proposal) {
        let bottom = (&mut self.bottom, proposal.bottom_fraction);
        for (dock, fraction) in [bottom, (&mut self.right, proposal.right_fraction)] {
            if let Some(fraction) = fraction {
                dock.share = share(fraction).clamp(minimum(2), WHOLE - minimum(2));
            }
        }
    }

    fn set_grid(&mut self, area: Area, grid: Option<Grid>) {
        match area {
            Area::Main => self.main = grid.unwrap_or_else(|| self.main.clone()),
            Area::Bottom => self.bottom.grid = grid,
            Area::Right => self.right.grid = grid,
        }
    }
}

fn check_depth(node: &Node) -> Result<(), LayoutError> {
    if node.depth() > MAX_DEPTH {
        return Err(LayoutError::TooMany { what: "splits inside each other", limit: MAX_DEPTH });
    }
    Ok(())
}

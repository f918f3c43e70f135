//! What makes a layout valid, and the gate for layouts that come from a file or from a caller.

use std::collections::HashSet;

use openspace_protocol::PaneId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Area, Dock, Layout, MAX_DEPTH, MAX_PANE_NUMBER, MAX_PANES, MAX_TABS, Split, TabKind,
    change::{check_content_id, check_title},
    shares::{WHOLE, fraction, minimum},
    tree::{Grid, Node, Pane},
};

/// A layout as it was read, before anybody looked at it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Layout", description = "The layout of a space.")]
pub(super) struct Unchecked {
    /// The middle; always has a pane.
    main: Grid,
    /// Beneath the middle.
    bottom: Dock,
    /// Beside both, over the full height.
    right: Dock,
    /// Where the active pane is.
    active_area: Area,
    /// The number of the next new pane.
    next_pane: u64,
}

impl TryFrom<Unchecked> for Layout {
    type Error = String;

    fn try_from(read: Unchecked) -> Result<Self, String> {
        let Unchecked { main, bottom, right, active_area, next_pane } = read;
        let layout = Self { main, bottom, right, active_area, next_pane };
        layout.validate()?;
        Ok(layout)
    }
}

impl Layout {
    /// Checks everything the operations rely on; says what is wrong first.
    pub fn validate(&self) -> Result<(), String> {
        for dock in [&self.bottom, &self.right] {
            let least = minimum(2);
            if !(least..=WHOLE - least).contains(&dock.share) {
                return Err(format!("an area cannot have {} of the window", fraction(dock.share)));
            }
        }
        for area in Area::ALL {
            if let Some(grid) = self.grid(area) {
                validate_shape(&grid.root, None, 0)?;
                if grid.root.path_to(grid.active).is_none() {
                    return Err(format!("the active pane {} is not in its area", grid.active));
                }
            }
        }
        if self.grid(self.active_area).is_none() {
            return Err("the active area has no pane".into());
        }
        self.validate_content()
    }

    fn validate_content(&self) -> Result<(), String> {
        if self.next_pane > MAX_PANE_NUMBER {
            return Err(format!("the next pane's number {} is too large", self.next_pane));
        }
        let count = self.leaves().count();
        if count > MAX_PANES {
            return Err(format!("{count} panes are more than {MAX_PANES}"));
        }
        let mut ids: HashSet<PaneId> = HashSet::new();
        let mut tabs: HashSet<(TabKind, &str, u32)> = HashSet::new();
        for (_, pane) in self.leaves() {
            let id = pane.id;
            if !ids.insert(id) {
                return Err(format!("the pane {id} occurs twice"));
            }
            if !(1..self.next_pane).contains(&id.0) {
                return Err(format!("the pane {id} was never given out"));
            }
            validate_tabs(pane)?;
            let mut here: HashSet<(TabKind, &str)> = HashSet::new();
            for tab in &pane.tabs {
                let is_single = tab.nth == 0 || tab.kind.shows_a_file();
                let is_new_here = here.insert((tab.kind, &tab.content_id));
                if !is_single || !is_new_here || !tabs.insert((tab.kind, &tab.content_id, tab.nth))
                {
                    return Err(format!("{} is open twice", tab.key()));
                }
            }
        }
        Ok(())
    }
}

fn validate_shape(node: &Node, parent: Option<Split>, depth: usize) -> Result<(), String> {
    let Node::Split(branch) = node else { return Ok(()) };
    if depth >= MAX_DEPTH {
        return Err(format!("splits are nested more than {MAX_DEPTH} deep"));
    }
    if parent == Some(branch.split) {
        return Err("a split has a child that divides in the same direction".into());
    }
    if branch.children.len() < 2 {
        return Err("a split has fewer than two children".into());
    }
    if branch.children.len() != branch.shares.len() || !branch.shares.are_valid() {
        return Err("a split's fractions do not fit its children".into());
    }
    branch
        .children
        .iter()
        .try_for_each(|child| validate_shape(child, Some(branch.split), depth + 1))
}

fn validate_tabs(pane: &Pane) -> Result<(), String> {
    let id = pane.id;
    if pane.tabs.len() > MAX_TABS {
        return Err(format!("the pane {id} has more than {MAX_TABS} tabs"));
    }
    let consistent = match pane.active_tab {
        None => pane.tabs.is_empty(),
        Some(index) => index < pane.tabs.len(),
    };
    if !consistent {
        return Err(format!("the pane {id} has no such active tab"));
    }
    for tab in &pane.tabs {
        let texts = check_content_id(&tab.content_id).and_then(|()| check_title(&tab.title));
        texts.map_err(|error| error.to_string())?;
    }
    Ok(())
}

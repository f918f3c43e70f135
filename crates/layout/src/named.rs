//! Layouts kept under a name, to come back to.
//!
//! Applying one brings its panes back with their ids: ids are never given out twice, so a saved id
//! can only mean that same pane. Tabs whose content is gone stay as placeholders. Open tabs that the
//! saved layout does not have are closed, except where that would lose something: unsaved changes
//! and live terminals stay, at the end of the pane or at least of the area they were in. Whether a
//! tab is dirty is taken from the present, since a saved layout knows nothing of it.

use std::{collections::BTreeMap, sync::Arc};

use openspace_protocol::{
    PaneId,
    part::{Content, Visit},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Area, Layout, LayoutError, MAX_TABS, Side, Tab, TabKey, TabKind};

/// The most layouts kept.
const MAX_NAMED: usize = 100;
/// The most characters of a name.
const MAX_NAME: usize = 64;

/// The layouts kept under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "BTreeMap<String, Layout>")]
pub struct Named(BTreeMap<String, Arc<Layout>>);

/// What applying a layout did to tabs, beyond arranging them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// Tabs that are now placeholders, because their content is gone.
    pub missing: Vec<TabKey>,
    /// Tabs the layout does not have that stayed, so that nothing is lost.
    pub kept: Vec<TabKey>,
    /// Tabs the layout does not have that were closed.
    pub closed: Vec<TabKey>,
}

impl Named {
    /// Keeps a layout under a name; true if it replaced another.
    pub fn save(&mut self, name: &str, layout: &Layout) -> Result<bool, LayoutError> {
        check_name(name)?;
        if !self.0.contains_key(name) && self.0.len() >= MAX_NAMED {
            return Err(LayoutError::TooMany { what: "saved layouts", limit: MAX_NAMED });
        }
        Ok(self.0.insert(name.into(), Arc::new(layout.clone())).is_some())
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The layout under a name.
    pub fn get(&self, name: &str) -> Result<&Layout, LayoutError> {
        self.0.get(name).map(|layout| &**layout).ok_or_else(|| self.unknown(name))
    }

    /// Forgets a layout.
    pub fn delete(&mut self, name: &str) -> Result<(), LayoutError> {
        let removed = self.0.remove(name);
        removed.map(drop).ok_or_else(|| self.unknown(name))
    }

    /// Arranges `current` like the layout under a name. `presence` says whether content is there.
    pub fn apply(
        &self,
        name: &str,
        current: &mut Layout,
        presence: impl Fn(TabKind, &str) -> Presence,
    ) -> Result<Applied, LayoutError> {
        let mut next = self.get(name)?.clone();
        next.next_pane = next.next_pane.max(current.next_pane);
        let mut applied = Applied::default();
        next.adopt_present_state(current, &presence, &mut applied);
        for (area, pane) in current.leaves() {
            for tab in &pane.tabs {
                if next.find_tab(tab.kind, &tab.content_id).is_some() {
                    continue;
                }
                let alive = presence(tab.kind, &tab.content_id) == Presence::Alive;
                if tab.dirty || alive {
                    next.keep(area, pane.id, Arc::clone(tab))?;
                    applied.kept.push(tab.key());
                } else {
                    applied.closed.push(tab.key());
                }
            }
        }
        *current = next;
        Ok(applied)
    }

    fn unknown(&self, name: &str) -> LayoutError {
        let valid = self.0.keys().cloned().collect();
        LayoutError::UnknownLayout { name: name.into(), valid }
    }
}

/// Whether the content of a tab is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is not.
    Gone,
    /// It is, as a file is.
    There,
    /// It is and does something by itself: its tab stays whatever layout is applied.
    Alive,
}

impl Layout {
    fn adopt_present_state(
        &mut self,
        current: &Self,
        presence: impl Fn(TabKind, &str) -> Presence,
        applied: &mut Applied,
    ) {
        let Self { main, bottom, right, .. } = self;
        let grids = [Some(main), bottom.grid.as_mut(), right.grid.as_mut()];
        for grid in grids.into_iter().flatten() {
            grid.root.for_each_tab(&mut |tab: &mut Tab| {
                let open = current.tab(Some(tab.kind), &tab.content_id).map(|(_, open)| open);
                tab.dirty = open.as_ref().is_ok_and(|open| open.dirty);
                if let Ok(open) = open {
                    tab.title.clone_from(&open.title);
                }
                tab.missing = presence(tab.kind, &tab.content_id) == Presence::Gone;
                if tab.missing {
                    applied.missing.push(tab.key());
                }
            });
        }
    }

    /// Puts a tab behind the others of the pane it was in, or of one of its area that has room.
    fn keep(&mut self, area: Area, pane: PaneId, tab: Arc<Tab>) -> Result<(), LayoutError> {
        let same_pane = self.leaves().filter(|(_, leaf)| leaf.id == pane);
        let same_area = self.leaves().filter(|(leaf_area, _)| *leaf_area == area);
        let place = same_pane.chain(same_area).find(|(_, leaf)| leaf.tabs.len() < MAX_TABS);
        let place = match (place, self.grid(area)) {
            (Some((_, leaf)), _) => leaf.id,
            (None, None) => self.fill(area)?,
            (None, Some(grid)) => {
                let (present, beside) = (self.active_pane(), grid.active);
                let made = self.split(beside, Side::Right)?;
                self.focus_pane(present)?;
                made
            }
        };
        let leaf = self.pane(place)?;
        let (end, in_front) = (leaf.tabs.len(), leaf.active_tab);
        self.insert_tab(place, end, tab)?;
        if in_front.is_some() {
            self.pane_mut(place)?.active_tab = in_front;
        }
        Ok(())
    }
}

impl TryFrom<BTreeMap<String, Layout>> for Named {
    type Error = String;

    fn try_from(layouts: BTreeMap<String, Layout>) -> Result<Self, String> {
        if layouts.len() > MAX_NAMED {
            return Err(format!("there can be no more than {MAX_NAMED} saved layouts"));
        }
        layouts.keys().try_for_each(|name| check_name(name)).map_err(|error| error.to_string())?;
        Ok(Self(layouts.into_iter().map(|(name, layout)| (name, Arc::new(layout))).collect()))
    }
}

impl Content for Named {
    type Entry = Layout;

    fn tell(&self, to: &mut dyn Visit<Layout>) {
        self.0.iter().for_each(|(name, layout)| to.put(name, layout));
    }

    fn tell_since(&self, before: &Self, to: &mut dyn Visit<Layout>) {
        let same = |name: &String, layout: &Arc<Layout>| {
            before
                .0
                .get(name)
                .is_some_and(|earlier| Arc::ptr_eq(earlier, layout) || earlier == layout)
        };
        for (name, layout) in self.0.iter().filter(|(name, layout)| !same(name, layout)) {
            to.put(name, layout);
        }
        for name in before.0.keys().filter(|name| !self.0.contains_key(*name)) {
            to.removed(name);
        }
    }

    fn from_entries(entries: BTreeMap<String, Layout>) -> Result<Self, String> {
        entries.try_into()
    }
}

fn check_name(name: &str) -> Result<(), LayoutError> {
    let count = name.chars().count();
    let printable = !name.chars().any(char::is_control) && name.trim() == name;
    if printable && (1..=MAX_NAME).contains(&count) {
        Ok(())
    } else {
        Err(LayoutError::BadName { limit: MAX_NAME })
    }
}

//! Which tabs of each content a proposal leads to, where a file can be in several panes.
//!
//! A tab has no name of its own in a proposal: it is content in a pane. So what others did to content
//! meanwhile is told from where it was known to be and where it is. A tab that left one pane for
//! another was moved, and the person's place for it wins; more of them than were known were opened by
//! others and stay; fewer were closed by others and are not opened again. Something that both opened is
//! one tab.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use openspace_protocol::PaneId;

use super::{Proposal, ProposedTab};
use crate::{Layout, Tab, TabKey, change::default_title, free_number};

/// What stays.
#[derive(Default)]
pub(super) struct Views {
    /// The tabs that the person has, by the place of their pane in the proposal.
    places: HashMap<(usize, TabKey), Arc<Tab>>,
    /// Those that the page did not know, where they are.
    strange: HashSet<(PaneId, TabKey)>,
    /// What was not open before.
    pub(super) opened: Vec<TabKey>,
}

/// A tab of the proposal.
#[derive(Clone, Copy)]
struct Asked<'a> {
    place: usize,
    pane: Option<PaneId>,
    tab: &'a ProposedTab,
}

/// Where one content is, was known to be, and is to be.
#[derive(Default)]
struct Content<'a> {
    present: Vec<(PaneId, &'a Arc<Tab>)>,
    known: HashSet<PaneId>,
    /// The page knew it, and did not say where.
    is_known: bool,
    asked: Vec<Asked<'a>>,
}

impl Views {
    pub(super) fn settle(present: &Layout, proposal: &Proposal) -> Self {
        let mut contents: HashMap<TabKey, Content<'_>> = HashMap::new();
        for (_, pane) in present.leaves() {
            for tab in &pane.tabs {
                contents.entry(tab.key()).or_default().present.push((pane.id, tab));
            }
        }
        for known in &proposal.known_tabs {
            let content = contents.entry(known.key()).or_default();
            match known.pane_id {
                Some(pane) => drop(content.known.insert(pane)),
                None => content.is_known = true,
            }
        }
        let mut order = Vec::new();
        for (place, (_, pane)) in proposal.panes().into_iter().enumerate() {
            for tab in &pane.tabs {
                let content = contents.entry(tab.key()).or_default();
                if content.asked.is_empty() {
                    order.push(tab.key());
                }
                content.asked.push(Asked { place, pane: pane.id, tab });
            }
        }
        let mut views = Self::default();
        for (key, content) in &mut contents {
            if content.is_known {
                content.known.extend(content.present.iter().map(|(pane, _)| *pane));
            }
            let strange = content.strange().into_iter().map(|pane| (pane, key.clone()));
            views.strange.extend(strange);
        }
        for key in order {
            let Some(content) = contents.get(&key) else { continue };
            let staying = content.staying();
            if content.present.is_empty() && !staying.is_empty() {
                views.opened.push(key.clone());
            }
            let strange = &views.strange;
            let tabs = content.tabs(&staying, |pane| strange.contains(&(pane, key.clone())));
            let places = staying.iter().map(|asked| (asked.place, key.clone()));
            views.places.extend(places.zip(tabs));
        }
        views
    }

    /// The tab that a pane of the proposal has of some content, if it stays there.
    pub(super) fn tab(&self, place: usize, key: TabKey) -> Option<&Arc<Tab>> {
        self.places.get(&(place, key))
    }

    /// Whether the page did not know a tab that stays.
    pub(super) fn is_strange(&self, pane: PaneId, tab: &Tab) -> bool {
        self.strange.contains(&(pane, tab.key()))
    }
}

impl<'a> Content<'a> {
    fn is_in(&self, pane: PaneId) -> bool {
        self.present.iter().any(|(present, _)| *present == pane)
    }

    fn known_count(&self) -> usize {
        self.known.len().max(usize::from(self.is_known))
    }

    /// The panes in which others have opened it.
    fn strange(&self) -> Vec<PaneId> {
        let same = usize::from(self.known_count() == 0 && !self.asked.is_empty());
        let count = self.present.len().saturating_sub(self.known_count() + same);
        let asked = |pane| self.asked.iter().any(|asked| asked.pane == Some(pane));
        let panes = self.present.iter().map(|(pane, _)| *pane);
        panes.rev().filter(|pane| !self.known.contains(pane) && !asked(*pane)).take(count).collect()
    }

    /// What of the proposal stays. While others have it open at all, so has the person.
    fn staying(&self) -> Vec<Asked<'a>> {
        let (known, present) = (self.known_count(), self.present.len());
        if known > 0 && present == 0 {
            return Vec::new();
        }
        let closed = known.saturating_sub(present).min(self.asked.len().saturating_sub(1));
        let mut order: Vec<usize> = (0..self.asked.len()).collect();
        order.sort_by_key(|index| {
            let is_in = |pane: &PaneId| self.is_in(*pane);
            let pane = self.asked[*index].pane.filter(|pane| !is_in(pane));
            let is_gone = pane.is_some_and(|pane| self.known.contains(&pane));
            let is_elsewhere = !self.asked[*index].pane.as_ref().is_some_and(is_in);
            (!is_gone, !is_elsewhere, Reverse(*index))
        });
        let closed: HashSet<usize> = order.into_iter().take(closed).collect();
        let staying = self.asked.iter().enumerate().filter(|(index, _)| !closed.contains(index));
        staying.map(|(_, asked)| *asked).collect()
    }

    /// A tab for each place: the one that is there, else one that is to leave its pane, else a new one.
    fn tabs(&self, staying: &[Asked<'a>], is_strange: impl Fn(PaneId) -> bool) -> Vec<Arc<Tab>> {
        let is_taken = |pane: PaneId| staying.iter().any(|asked| asked.pane == Some(pane));
        let mut spare = self
            .present
            .iter()
            .filter(|(pane, _)| !is_taken(*pane) && !is_strange(*pane))
            .map(|(_, tab)| Arc::clone(tab));
        let mut taken: Vec<u32> = self.present.iter().map(|(_, tab)| tab.nth).collect();
        let mut tabs = Vec::new();
        for Asked { pane, tab: wanted, .. } in staying {
            let here = self.present.iter().find(|(present, _)| Some(*present) == *pane);
            let tab = here.map(|(_, tab)| Arc::clone(tab)).or_else(|| spare.next());
            tabs.push(tab.unwrap_or_else(|| {
                let nth = free_number(&taken);
                taken.push(nth);
                let tab = match self.present.first() {
                    Some((_, same)) => Tab { nth, ..Tab::clone(same) },
                    None => Tab { nth, ..new_tab(wanted) },
                };
                Arc::new(tab)
            }));
        }
        tabs
    }
}

fn new_tab(wanted: &ProposedTab) -> Tab {
    let title = wanted.title.clone().unwrap_or_else(|| default_title(&wanted.content_id));
    let (kind, content_id) = (wanted.kind, wanted.content_id.clone());
    Tab { kind, content_id, title, dirty: false, missing: false, nth: 0 }
}

//! What of the window goes with the agent that brought it: its pins, its tabs, and panes that are empty
//! then.
//!
//! What an agent pinned does not keep its own things; what somebody else pinned does.

use openspace_command::Result;
use openspace_layout::{Difference, Layout, TabKind};
use openspace_protocol::PaneId;
use openspace_space::State;

use super::LayoutPart;
use crate::{
    OpenSpace,
    agents::brought::{self, Bringing, CameAndWent, Stays, TAB, TERMINAL},
    refusal::layout_refused,
};

const PIN: &str = "pin";

/// In the order in which they end.
pub(super) const BROUGHT: &[Bringing] = &[
    Bringing {
        kind: PIN,
        between: |before, now| between(before, now, |one| (ids(&one.pinned), ids(&one.unpinned))),
        stays: |_, _, _| None,
        end: |state, id| Box::pin(unpin(state, id)),
        stop: None,
    },
    Bringing {
        kind: TAB,
        between: |before, now| between(before, now, |one| (one.opened, one.closed)),
        stays: tab_stays,
        end: |state, name| Box::pin(close_tab(state, name)),
        stop: None,
    },
    Bringing {
        kind: "pane",
        between: |before, now| between(before, now, |one| (ids(&one.made), ids(&one.gone))),
        stays: |state, id, agent| {
            let pane = id.parse().ok()?;
            is_pinned_by_others(state, pane, agent).then_some(Stays::Pinned)
        },
        end: |state, id| Box::pin(close_pane(state, id)),
        stop: None,
    },
];

fn ids(panes: &[PaneId]) -> Vec<String> {
    panes.iter().map(ToString::to_string).collect()
}

fn between(
    before: &State,
    now: &State,
    of: impl FnOnce(Difference) -> (Vec<String>, Vec<String>),
) -> CameAndWent {
    if now.shares::<LayoutPart>(before) {
        return CameAndWent::default();
    }
    let (came, went) = of(now.part::<LayoutPart>().difference(before.part::<LayoutPart>()));
    CameAndWent { came, went }
}

/// Whether a pane is pinned, and not by this agent.
pub(crate) fn is_pinned_by_others(state: &State, pane: PaneId, agent: &str) -> bool {
    let is_pinned = state.part::<LayoutPart>().is_pinned(pane);
    is_pinned && !brought::is_of(state, PIN, &pane.to_string(), agent)
}

/// The names of the tabs that show a file.
pub(crate) fn tabs_of_file(state: &State, path: &str) -> Vec<String> {
    let tabs = state.part::<LayoutPart>().tabs();
    let of_file = tabs.filter(|(_, tab)| tab.kind == TabKind::Editor && tab.content_id == path);
    of_file.map(|(_, tab)| tab.name()).collect()
}

fn tab_stays(state: &State, name: &str, agent: &str) -> Option<Stays> {
    let (pane, tab) = state.part::<LayoutPart>().named_tab(name)?;
    if tab.dirty {
        return Some(Stays::Unsaved);
    }
    if is_pinned_by_others(state, pane, agent) {
        return Some(Stays::Pinned);
    }
    // What stays is not hidden.
    let shows_terminal = tab.kind == TabKind::Terminal;
    shows_terminal.then(|| brought::stays_of(state, TERMINAL, &tab.content_id)).flatten()
}

/// Change the layout, and say why something stays after all.
async fn change(
    state: &OpenSpace,
    change: impl FnOnce(&mut Layout) -> Result<Option<Stays>>,
) -> Result<Option<Stays>> {
    state.space().change(|state| change(state.part_mut::<LayoutPart>())).await
}

async fn unpin(state: &OpenSpace, id: &str) -> Result<Option<Stays>> {
    change(state, |layout| match id.parse() {
        Ok(pane) if layout.is_pinned(pane) => {
            layout.unpin(pane).map(|()| None).map_err(layout_refused)
        }
        _ => Ok(None),
    })
    .await
}

async fn close_tab(state: &OpenSpace, name: &str) -> Result<Option<Stays>> {
    change(state, |layout| {
        layout.cleanup(&[name.to_owned()]).map_err(layout_refused)?;
        Ok(layout.named_tab(name).is_some().then_some(Stays::InUse))
    })
    .await
}

async fn close_pane(state: &OpenSpace, id: &str) -> Result<Option<Stays>> {
    change(state, |layout| {
        let Some(pane) = id.parse().ok().filter(|pane| layout.contains(*pane)) else {
            return Ok(None);
        };
        let is_last = layout.pane_ids().len() == 1;
        if is_last || !layout.is_empty_pane(pane) {
            return Ok(Some(Stays::InUse));
        }
        match layout.close_pane(pane) {
            Ok(_) => Ok(None),
            // The main area always keeps one.
            Err(openspace_layout::LayoutError::LastPane(_)) => Ok(Some(Stays::InUse)),
            Err(error) => Err(layout_refused(error)),
        }
    })
    .await
}

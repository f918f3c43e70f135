//! Terminals go with the agent that brought them, unless somebody else typed into them or pinned the pane
//! that shows them.

use openspace_command::Result;
use openspace_layout::TabKind;
use openspace_protocol::TerminalId;
use openspace_space::State;

use super::{Terminals, TerminalsPart};
use crate::{
    OpenSpace,
    agents::brought::{Bringing, CameAndWent, Stays, TERMINAL},
    areas::layout::{LayoutPart, is_pinned_by_others},
    refusal::layout_refused,
};

pub(super) const TERMINALS: Bringing = Bringing {
    kind: TERMINAL,
    between,
    stays: |state, id, agent| {
        let shown = state.part::<LayoutPart>().find_tab(TabKind::Terminal, id)?;
        is_pinned_by_others(state, shown, agent).then_some(Stays::Pinned)
    },
    end: |state, id| {
        Box::pin(async move {
            match id.parse() {
                Ok(id) => close(state, id).await.map(|()| None),
                Err(_) => Ok(None),
            }
        })
    },
    stop: Some(|state, id| {
        Box::pin(async move {
            match id.parse() {
                Ok(id) => state.service::<Terminals>().end_programs(id).await,
                Err(_) => Ok(()),
            }
        })
    }),
};

fn between(before: &State, now: &State) -> CameAndWent {
    if now.shares::<TerminalsPart>(before) {
        return CameAndWent::default();
    }
    let (before, now) = (before.part::<TerminalsPart>(), now.part::<TerminalsPart>());
    let others = now.keys_since(before).into_iter();
    let (there, gone): (Vec<_>, Vec<_>) = others.partition(|id| now.contains_key(id));
    let came = there.into_iter().filter(|id| !before.contains_key(id));
    CameAndWent {
        came: came.map(|id| id.to_string()).collect(),
        went: gone.into_iter().map(|id| id.to_string()).collect(),
    }
}

/// End everything in a terminal, and take it and its tab away.
pub(super) async fn close(state: &OpenSpace, id: TerminalId) -> Result<()> {
    state.service::<Terminals>().close(id).await?;
    state
        .space()
        .change(|state| {
            state.part_mut::<TerminalsPart>().remove(&id);
            let layout = state.part_mut::<LayoutPart>();
            if layout.find_tab(TabKind::Terminal, &id.to_string()).is_some() {
                layout
                    .close_tab(Some(TabKind::Terminal), &id.to_string())
                    .map_err(layout_refused)?;
            }
            Ok(())
        })
        .await
}

//! `pane.move_beside` and `pane.divide`: moving whole panes and dividers.

use std::sync::Arc;

use openspace_command::{Access, Command, Meta, Result, Set, Shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Side, TreeView, commands::pane};
use crate::{Cx, Workspace};

/// How the window is split now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arranged {
    /// The splits with their fractions.
    tree: TreeView,
}

/// Move a pane with its tabs beside another one, into half of its room.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoveBeside {
    /// The pane to move.
    pane_id: String,
    /// The pane that makes room for it.
    beside_pane_id: String,
    /// On which side of that pane.
    side: Side,
}

impl Command<Workspace> for MoveBeside {
    const META: Meta = Meta::new("pane.move_beside", "Pane: Move Beside Another", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Arranged;

    fn summary(&self) -> String {
        format!("move {} beside {}", self.pane_id, self.beside_pane_id)
    }

    async fn run(self, cx: Cx) -> Result<Arranged> {
        cx.state
            .space()
            .change(|state| {
                let layout = Arc::make_mut(&mut state.layout);
                let moved = pane(layout, &self.pane_id)?;
                let beside = pane(layout, &self.beside_pane_id)?;
                layout.move_pane(moved, beside, self.side)?;
                Ok(Arranged { tree: layout.tree() })
            })
            .await
    }
}

/// Divide the room of the split that separates two panes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Divide {
    /// A pane on one side of a divider of the split.
    first_pane_id: String,
    /// A pane on the other side.
    second_pane_id: String,
    /// One positive number for each part of the split, in reading order. Only their proportion
    /// counts. Between two areas of the window these are two numbers.
    fractions: Vec<f64>,
}

impl Command<Workspace> for Divide {
    const META: Meta = Meta::new("pane.divide", "Pane: Divide Room", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Arranged;

    fn summary(&self) -> String {
        format!("divide the room of {} and {}", self.first_pane_id, self.second_pane_id)
    }

    async fn run(self, cx: Cx) -> Result<Arranged> {
        cx.state
            .space()
            .change(|state| {
                let layout = Arc::make_mut(&mut state.layout);
                let first = pane(layout, &self.first_pane_id)?;
                let second = pane(layout, &self.second_pane_id)?;
                layout.set_fractions(first, second, &self.fractions)?;
                Ok(Arranged { tree: layout.tree() })
            })
            .await
    }
}

//! `pane.resize`, `pane.split`, `pane.move`, `pane.move_beside`, `pane.divide`: how large panes are, and
//! where they and their tabs are.

use openspace_command::{Command, Error, Focus, Meta, Result, Set, Shown};
use openspace_layout::{Moved, PaneInfo, Side, TabKind, TreeView};
use openspace_protocol::{Access, PaneId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commands::{kinds, pane};
use crate::{Cx, OpenSpace, agents::brought, areas::layout::LayoutPart, refusal::layout_refused};

/// A pane after a change.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resized {
    /// The pane, with its new share of the window.
    pane: PaneInfo,
}

/// Resize a pane, in percent of the window.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resize {
    /// The pane.
    ///
    /// The one to resize.
    pane_id: String,
    /// The width.
    ///
    /// In percent of the window.
    width: Option<f64>,
    /// The height.
    ///
    /// In percent of the window.
    height: Option<f64>,
}

impl Command<OpenSpace> for Resize {
    const META: Meta =
        Meta::new("pane.resize", "Pane: Resize", Access::View).set(Set::Ide).idempotent();
    type Output = Resized;

    fn summary(&self) -> String {
        format!("resize {}", self.pane_id)
    }

    async fn run(self, cx: Cx) -> Result<Resized> {
        cx.state
            .space()
            .change(|state| {
                let layout = state.part_mut::<LayoutPart>();
                let id = pane(layout, &self.pane_id)?;
                layout.resize(id, self.width, self.height).map_err(layout_refused)?;
                let pane = layout.panes().into_iter().find(|info| info.id == id);
                pane.map(|pane| Resized { pane })
                    .ok_or_else(|| Error::internal("the resized pane is gone"))
            })
            .await
    }
}

/// A pane's id.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewPane {
    /// The pane.
    pane_id: PaneId,
}

/// Split a pane: an empty pane appears beside it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SplitPane {
    /// The pane to split; the active one when left out.
    pane_id: Option<String>,
    /// On which side the new pane appears.
    side: Side,
}

impl Command<OpenSpace> for SplitPane {
    const META: Meta = Meta::new("pane.split", "Pane: Split", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .focus(Focus::Show);
    type Output = NewPane;

    fn summary(&self) -> String {
        format!("split {}", self.pane_id.as_deref().unwrap_or("the active pane"))
    }

    async fn run(self, cx: Cx) -> Result<NewPane> {
        cx.state
            .space()
            .change(brought::by(&cx, |state| {
                let layout = state.part_mut::<LayoutPart>();
                let id = match &self.pane_id {
                    Some(id) => pane(layout, id)?,
                    None => layout.active_pane(),
                };
                Ok(NewPane { pane_id: layout.split(id, self.side).map_err(layout_refused)? })
            }))
            .await
    }
}

/// Move a tab to another pane.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Move {
    /// The content whose tab to move.
    content_id: String,
    /// Its kind, when the id alone does not say.
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    r#type: Option<TabKind>,
    /// The pane to move it to.
    target_pane_id: String,
}

impl Command<OpenSpace> for Move {
    const META: Meta = Meta::new("pane.move", "Pane: Move Tab", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Moved;

    fn summary(&self) -> String {
        format!("move {} to {}", self.content_id, self.target_pane_id)
    }

    async fn run(self, cx: Cx) -> Result<Moved> {
        cx.state
            .space()
            .change(|state| {
                let layout = state.part_mut::<LayoutPart>();
                let target = pane(layout, &self.target_pane_id)?;
                layout.move_tab(self.r#type, &self.content_id, target, None).map_err(layout_refused)
            })
            .await
    }
}

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

impl Command<OpenSpace> for MoveBeside {
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
                let layout = state.part_mut::<LayoutPart>();
                let moved = pane(layout, &self.pane_id)?;
                let beside = pane(layout, &self.beside_pane_id)?;
                layout.move_pane(moved, beside, self.side).map_err(layout_refused)?;
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

impl Command<OpenSpace> for Divide {
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
                let layout = state.part_mut::<LayoutPart>();
                let first = pane(layout, &self.first_pane_id)?;
                let second = pane(layout, &self.second_pane_id)?;
                layout.set_fractions(first, second, &self.fractions).map_err(layout_refused)?;
                Ok(Arranged { tree: layout.tree() })
            })
            .await
    }
}

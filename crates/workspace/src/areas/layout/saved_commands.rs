//! `layout.*`: layouts saved under a name.

use std::collections::BTreeSet;

use openspace_command::{Command, Focus, Meta, Result, Set, Shown};
use openspace_host::operation::StatPath;
use openspace_layout::{Applied, Layout, Presence, TabKind};
use openspace_protocol::Access;
use openspace_space::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Cx, OpenSpace,
    agents::brought,
    areas::{
        editor::is_unsaved,
        layout::{LayoutPart, LayoutsPart},
        tabs::{known, names_a_file},
    },
    open_space::ask,
    refusal::layout_refused,
};

/// The saved layouts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// Names of the saved layouts, in order.
    layouts: Vec<String>,
}

fn names(state: &State) -> Names {
    Names { layouts: state.part::<LayoutsPart>().names().map(str::to_owned).collect() }
}

/// Have what was under a name before there again.
fn put_back(state: &mut State, name: &str, before: Option<&Layout>) -> Result<()> {
    let layouts = state.part_mut::<LayoutsPart>();
    if let Some(layout) = before {
        return layouts.save(name, layout).map(drop).map_err(layout_refused);
    }
    // Somebody else may have deleted it already.
    drop(layouts.delete(name));
    Ok(())
}

/// Save the layout under a name.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Save {
    /// The name; a layout saved under it before is replaced.
    name: String,
}

impl Command<OpenSpace> for Save {
    const META: Meta = Meta::new("layout.save", "Layout: Save", Access::Edit)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Names;

    fn summary(&self) -> String {
        format!("save layout {}", self.name)
    }

    async fn run(self, cx: Cx) -> Result<Names> {
        let space = cx.state.space();
        let before = space.state().part::<LayoutsPart>().get(&self.name).ok().cloned();
        space
            .change_for_good(
                |state| {
                    let layout = state.part::<LayoutPart>().clone();
                    let layouts = state.part_mut::<LayoutsPart>();
                    layouts.save(&self.name, &layout).map_err(layout_refused)?;
                    Ok(names(state))
                },
                |state| put_back(state, &self.name, before.as_ref()),
            )
            .await
    }
}

/// Bring back a saved layout.
///
/// Files that are gone leave a placeholder. Running terminals and unsaved files that the saved
/// layout does not know stay open.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Apply {
    /// The layout's name.
    name: String,
}

impl Command<OpenSpace> for Apply {
    const META: Meta = Meta::new("layout.apply", "Layout: Apply", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .focus(Focus::Show)
        .idempotent();
    type Output = Applied;

    fn summary(&self) -> String {
        format!("apply layout {}", self.name)
    }

    async fn run(self, cx: Cx) -> Result<Applied> {
        let saved = cx
            .state
            .space()
            .state()
            .part::<LayoutsPart>()
            .get(&self.name)
            .map_err(layout_refused)?
            .clone();
        let paths: Vec<String> = saved
            .tabs()
            .filter(|(_, tab)| names_a_file(tab.kind))
            .map(|(_, tab)| tab.content_id.clone())
            .collect();
        let mut present = BTreeSet::new();
        for path in paths {
            let Ok(wanted) = cx.state.path(&path) else { continue };
            if ask(&cx, StatPath { path: wanted }).await.is_ok() {
                present.insert(path);
            }
        }
        cx.state
            .space()
            .change(brought::by(&cx, |state| {
                let before = state.clone();
                let presence = |kind: TabKind, id: &str| match known(&before, kind, id) {
                    // Unsaved text stays in sight, whatever the layout knew.
                    None if is_unsaved(&before, kind, id) => Presence::Alive,
                    Some(known) if known.alive => Presence::Alive,
                    Some(_) => Presence::There,
                    None if present.contains(id) && names_a_file(kind) => Presence::There,
                    None => Presence::Gone,
                };
                let layouts = state.part::<LayoutsPart>().clone();
                let layout = state.part_mut::<LayoutPart>();
                layouts.apply(&self.name, layout, presence).map_err(layout_refused)
            }))
            .await
    }
}

/// List the saved layouts.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Saved {}

impl Command<OpenSpace> for Saved {
    const META: Meta = Meta::new("layout.list", "Layout: List", Access::Read)
        .set(Set::Ide)
        .shown(Shown::Searchable);
    type Output = Names;

    fn summary(&self) -> String {
        "list layouts".into()
    }

    async fn run(self, cx: Cx) -> Result<Names> {
        Ok(names(&cx.state.space().state()))
    }
}

/// Delete a saved layout.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delete {
    /// The layout's name.
    name: String,
}

impl Command<OpenSpace> for Delete {
    const META: Meta = Meta::new("layout.delete", "Layout: Delete", Access::Destroy)
        .set(Set::Ide)
        .shown(Shown::Searchable);
    type Output = Names;

    fn summary(&self) -> String {
        format!("delete layout {}", self.name)
    }

    async fn run(self, cx: Cx) -> Result<Names> {
        let space = cx.state.space();
        let before = space.state().part::<LayoutsPart>().get(&self.name).ok().cloned();
        space
            .change_for_good(
                |state| {
                    state.part_mut::<LayoutsPart>().delete(&self.name).map_err(layout_refused)?;
                    Ok(names(state))
                },
                |state| put_back(state, &self.name, before.as_ref()),
            )
            .await
    }
}

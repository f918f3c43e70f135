//! `layout.*`: layouts saved under a name.

use std::{collections::BTreeSet, sync::Arc};

use openspace_command::{Access, Command, Focus, Meta, Result, Set, Shown};
use openspace_host::operation::StatPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Applied, TabKind};
use crate::{Cx, Workspace, space::State, terminal::TerminalRecord, workspace::ask};

/// The saved layouts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// Names of the saved layouts, in order.
    layouts: Vec<String>,
}

fn names(state: &State) -> Names {
    Names { layouts: state.layouts.names().map(str::to_owned).collect() }
}

/// Save the layout under a name.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Save {
    /// The name; a layout saved under it before is replaced.
    name: String,
}

impl Command<Workspace> for Save {
    const META: Meta = Meta::new("layout.save", "Layout: Save", Access::Edit)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Names;

    fn summary(&self) -> String {
        format!("save layout {}", self.name)
    }

    async fn run(self, cx: Cx) -> Result<Names> {
        cx.state
            .space()
            .change(|state| {
                Arc::make_mut(&mut state.layouts).save(&self.name, &state.layout)?;
                Ok(names(state))
            })
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

impl Command<Workspace> for Apply {
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
        let saved = cx.state.space().state().layouts.get(&self.name)?.clone();
        let paths: Vec<String> = saved
            .tabs()
            .filter(|(_, tab)| tab.kind != TabKind::Terminal)
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
            .change(|state| {
                let terminals = Arc::clone(&state.terminals);
                let exists = |kind: TabKind, id: &str| match kind {
                    TabKind::Terminal => id
                        .parse()
                        .is_ok_and(|id| terminals.get(&id).is_some_and(TerminalRecord::is_running)),
                    _ => present.contains(id),
                };
                let layouts = Arc::clone(&state.layouts);
                let layout = Arc::make_mut(&mut state.layout);
                Ok(layouts.apply(&self.name, layout, exists)?)
            })
            .await
    }
}

/// List the saved layouts.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Saved {}

impl Command<Workspace> for Saved {
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

impl Command<Workspace> for Delete {
    const META: Meta = Meta::new("layout.delete", "Layout: Delete", Access::Destroy)
        .set(Set::Ide)
        .shown(Shown::Searchable);
    type Output = Names;

    fn summary(&self) -> String {
        format!("delete layout {}", self.name)
    }

    async fn run(self, cx: Cx) -> Result<Names> {
        cx.state
            .space()
            .change(|state| {
                Arc::make_mut(&mut state.layouts).delete(&self.name)?;
                Ok(names(state))
            })
            .await
    }
}

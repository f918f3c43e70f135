//! `pane.*`: what is shown and what of it is active. The list of the area's commands, `layout.*`
//! included.

use std::{collections::BTreeMap, sync::Arc};

use openspace_command::{Command, Error, Focus, Meta, Result, Set, Shown};
use openspace_layout::{Closed, Layout, OpenTab, PaneInfo, Proposal, Split, TabKind, TreeView};
use openspace_protocol::{Access, PaneId};
use openspace_space::State;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{
    arrange_commands::{Divide, Move, MoveBeside, Resize, SplitPane},
    saved_commands::{Apply, Delete, Save, Saved},
};
use crate::{
    Cx, Entry, OpenSpace,
    agents::brought,
    areas::{
        editor::keep_unsaved_open,
        layout::LayoutPart,
        tabs::{Content, content_of, declared_kinds},
        view::{View, ViewsPart},
    },
    paths::existing_file,
    refusal::layout_refused,
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Open>(),
    Entry::of::<Close>(),
    Entry::of::<FocusPane>(),
    Entry::of::<List>(),
    Entry::of::<Resize>(),
    Entry::of::<SplitPane>(),
    Entry::of::<Move>(),
    Entry::of::<MoveBeside>(),
    Entry::of::<Divide>(),
    Entry::of::<Pin>(),
    Entry::of::<Save>(),
    Entry::of::<Apply>(),
    Entry::of::<Saved>(),
    Entry::of::<Delete>(),
    Entry::of::<Proposal>(),
];

/// The pane a caller means; never another one.
pub(crate) fn pane(layout: &Layout, text: &str) -> Result<PaneId> {
    let id = text.parse().ok().filter(|id| layout.contains(*id));
    id.ok_or_else(|| {
        let valid: Vec<String> = layout.pane_ids().iter().map(ToString::to_string).collect();
        let shown: String = text.chars().take(100).collect();
        Error::not_found(format!("there is no pane `{shown}`; the panes are {}", valid.join(", ")))
            .hint("pane_list shows what is open where")
    })
}

/// The kinds of tabs that there are, for those who choose one.
pub(super) fn kinds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": declared_kinds()})
}

/// Where something was opened.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedPane {
    /// The pane that shows it.
    pub pane_id: PaneId,
    /// Whether the pane is new.
    pub created_pane: bool,
    /// Whether it was open before.
    pub already_open: bool,
    /// How many browsers show it now; 0 means that nobody is looking yet.
    pub viewers: usize,
}

/// Open a file or terminal in a pane.
///
/// What is open already comes to the front; a new pane shows a file once more.
///
/// Without a target, terminals open in the bottom area and everything else in the main area. Works
/// with no browser attached.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Open {
    /// What kind of content.
    #[schemars(schema_with = "kinds")]
    r#type: TabKind,
    /// A path relative to the root, or a terminal's id.
    content_id: String,
    /// Title of the tab.
    ///
    /// A fitting one when left out.
    title: Option<String>,
    /// Open it in this pane.
    target_pane_id: Option<String>,
    /// Open it in a new pane.
    ///
    /// It appears beside the target, or beside the active pane.
    #[serde(default)]
    new_pane: bool,
    /// `vertical`: to the right, `horizontal`: below.
    ///
    /// The target or the active pane is split for it.
    split_direction: Option<Split>,
}

impl Command<OpenSpace> for Open {
    const META: Meta =
        Meta::new("pane.open", "Pane: Open", Access::View).set(Set::Ide).focus(Focus::Show);
    type Output = OpenedPane;

    fn summary(&self) -> String {
        format!("open {} {}", self.r#type, self.content_id)
    }

    async fn run(self, cx: Cx) -> Result<OpenedPane> {
        let (content_id, title) = content(&cx, self.r#type, &self.content_id).await?;
        cx.state
            .space()
            .change(brought::by(&cx, |state| {
                let target = self.target_pane_id.as_deref();
                let target =
                    target.map(|text| pane(state.part::<LayoutPart>(), text)).transpose()?;
                let request = OpenTab {
                    title: self.title.clone().or(title),
                    target,
                    new_pane: self.new_pane,
                    split: self.split_direction,
                    ..OpenTab::new(self.r#type, content_id)
                };
                open_tab(state, request)
            }))
            .await
    }
}

/// Open a tab in the layout and say where.
pub(crate) fn open_tab(state: &mut State, request: OpenTab) -> Result<OpenedPane> {
    let opened = state.part_mut::<LayoutPart>().open(request).map_err(layout_refused)?;
    Ok(OpenedPane {
        pane_id: opened.pane,
        created_pane: opened.created_pane,
        already_open: opened.already_open,
        viewers: state.part::<ViewsPart>().len(),
    })
}

/// Check that the content exists, and spell its id the one way.
async fn content(cx: &Cx, kind: TabKind, id: &str) -> Result<(String, Option<String>)> {
    match content_of(kind)? {
        Content::File => Ok((existing_file(cx, id).await?.into(), None)),
        Content::Known(find) => {
            let known = find(&cx.state.space().state(), id)?;
            Ok((known.id, Some(known.title)))
        }
    }
}

/// Close a pane with all its tabs, or one tab.
///
/// A terminal goes on without its tab.
///
/// Give a pane's id, or the content of tabs, which closes them in every pane; both for the tab of
/// that pane alone. `terminal.close` ends a terminal. A file with unsaved changes stays open in one
/// pane, and so does the pane that has its tab. The main area always keeps one pane.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Close {
    /// The pane.
    ///
    /// The one to close.
    pane_id: Option<String>,
    /// The content whose tab to close.
    content_id: Option<String>,
    /// Its kind, when the id alone does not say.
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    r#type: Option<TabKind>,
}

impl Command<OpenSpace> for Close {
    const META: Meta = Meta::new("pane.close", "Pane: Close", Access::View).set(Set::Ide);
    type Output = Closed;

    fn summary(&self) -> String {
        match (&self.pane_id, &self.content_id) {
            (Some(pane), Some(content)) => format!("close {content} in {pane}"),
            (pane, content) => format!("close {}", name_of(pane.as_ref(), content.as_ref())),
        }
    }

    fn check(&self) -> Result<()> {
        match (&self.pane_id, &self.content_id) {
            (None, None) => Err(Error::invalid("give `paneId`, `contentId` or both")),
            _ => Ok(()),
        }
    }

    async fn run(self, cx: Cx) -> Result<Closed> {
        cx.state
            .space()
            .change(|state| {
                let before = state.part::<LayoutPart>().clone();
                let layout = state.part_mut::<LayoutPart>();
                let closed = match (&self.pane_id, &self.content_id) {
                    (Some(id), None) => {
                        let id = pane(layout, id)?;
                        layout.close_pane(id).map_err(layout_refused)?
                    }
                    (Some(id), Some(content)) => {
                        let id = pane(layout, id)?;
                        layout.close_tab_in(id, self.r#type, content).map_err(layout_refused)?
                    }
                    (None, content) => layout
                        .close_tab(self.r#type, content.as_deref().unwrap_or_default())
                        .map_err(layout_refused)?,
                };
                keep_unsaved_open(state, &before)?;
                Ok(closed)
            })
            .await
    }
}

fn check_one(pane: Option<&String>, content: Option<&String>) -> Result<()> {
    match (pane, content) {
        (Some(_), Some(_)) => Err(Error::invalid("give `paneId` or `contentId`, not both")),
        (None, None) => Err(Error::invalid("give `paneId` or `contentId`")),
        _ => Ok(()),
    }
}

fn name_of(pane: Option<&String>, content: Option<&String>) -> String {
    pane.or(content).cloned().unwrap_or_default()
}

/// What is active now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Focused {
    /// The active pane.
    pane_id: PaneId,
}

/// Make a pane or a tab the active one.
///
/// The next thing opens there; the keyboard stays.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FocusPane {
    /// The pane.
    ///
    /// The one to make active.
    pane_id: Option<String>,
    /// The content whose tab to show.
    content_id: Option<String>,
    /// Its kind, when the id alone does not say.
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    r#type: Option<TabKind>,
}

impl Command<OpenSpace> for FocusPane {
    const META: Meta = Meta::new("pane.focus", "Pane: Focus", Access::View)
        .set(Set::Ide)
        .focus(Focus::Request)
        .idempotent();
    type Output = Focused;

    fn summary(&self) -> String {
        format!("focus {}", name_of(self.pane_id.as_ref(), self.content_id.as_ref()))
    }

    fn check(&self) -> Result<()> {
        check_one(self.pane_id.as_ref(), self.content_id.as_ref())
    }

    async fn run(self, cx: Cx) -> Result<Focused> {
        cx.state
            .space()
            .change(|state| {
                let layout = state.part_mut::<LayoutPart>();
                match (&self.pane_id, &self.content_id) {
                    (Some(id), _) => {
                        let id = pane(layout, id)?;
                        layout.focus_pane(id).map_err(layout_refused)?;
                    }
                    (None, content) => {
                        layout
                            .focus_tab(self.r#type, content.as_deref().unwrap_or_default())
                            .map_err(layout_refused)?;
                    }
                }
                Ok(Focused { pane_id: layout.active_pane() })
            })
            .await
    }
}

/// The panes as intended and as seen.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Panes {
    /// The panes, in reading order, with their share of the window in percent.
    panes: Vec<PaneInfo>,
    /// How many panes there are, where not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pane_count: Option<usize>,
    /// How they are split; left out where not all panes are listed.
    tree: Option<TreeView>,
    /// The space's revision.
    revision: u64,
    /// What each attached browser makes of it, in pixels; empty when nobody is looking.
    observed: BTreeMap<Arc<str>, View>,
}

/// Panes that are listed when not all are asked for.
const LISTED_PANES: usize = 8;
/// As many tabs are always listed.
const FEW_TABS: usize = 40;
/// Where there are more and not all are asked for, about so many are listed.
const LISTED_TABS: usize = 12;

/// List the panes, their tabs and their sizes.
///
/// A long list is cut unless `all` is set.
///
/// Listed then are the first 8 panes and the active one, and about 12 tabs, those around the one in front
/// of each pane.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct List {
    /// List everything.
    #[serde(default)]
    all: bool,
}

impl Command<OpenSpace> for List {
    const META: Meta = Meta::new("pane.list", "Pane: List", Access::Read).set(Set::Ide);
    type Output = Panes;

    fn summary(&self) -> String {
        "list panes".into()
    }

    async fn run(self, cx: Cx) -> Result<Panes> {
        let state = cx.state.space().state();
        let layout = state.part::<LayoutPart>();
        let (count, tabs) = layout.counts();
        let is_cut = !self.all && count > LISTED_PANES;
        let each = if self.all || tabs <= FEW_TABS {
            usize::MAX
        } else {
            (LISTED_TABS / count.clamp(1, LISTED_PANES)).max(1)
        };
        let mut panes = layout.panes_with(each);
        if is_cut {
            let mut place = 0..;
            panes.retain(|pane| pane.active || place.next().is_some_and(|at| at < LISTED_PANES));
        }
        Ok(Panes {
            panes,
            pane_count: is_cut.then_some(count),
            tree: (!is_cut).then(|| layout.tree()),
            revision: cx.state.space().events().revision(),
            observed: state
                .part::<ViewsPart>()
                .iter()
                .map(|(id, view)| (Arc::clone(id), view.clone()))
                .collect(),
        })
    }
}

/// Whether a pane is pinned.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pinned {
    /// The pane.
    pane_id: PaneId,
    /// Whether it is pinned now.
    pinned: bool,
}

/// Pin a pane, so that it stays when a session's panes are cleaned up; or unpin it.
///
/// What an agent pins stays until that agent goes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pin {
    /// The pane.
    pane_id: String,
    /// False to unpin; true when left out.
    pinned: Option<bool>,
}

impl Command<OpenSpace> for Pin {
    const META: Meta = Meta::new("pane.pin", "Pane: Pin", Access::View)
        .set(Set::Ide)
        .shown(Shown::Searchable)
        .idempotent();
    type Output = Pinned;

    fn summary(&self) -> String {
        format!("{} {}", if self.pinned == Some(false) { "unpin" } else { "pin" }, self.pane_id)
    }

    async fn run(self, cx: Cx) -> Result<Pinned> {
        let pinned = self.pinned.unwrap_or(true);
        cx.state
            .space()
            .change(brought::by(&cx, |state| {
                let layout = state.part_mut::<LayoutPart>();
                let pane_id = pane(layout, &self.pane_id)?;
                if pinned {
                    layout.pin(pane_id).map_err(layout_refused)?;
                } else {
                    layout.unpin(pane_id).map_err(layout_refused)?;
                }
                Ok(Pinned { pane_id, pinned })
            }))
            .await
    }
}

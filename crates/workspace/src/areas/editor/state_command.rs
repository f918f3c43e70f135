//! `editor.state`: which files are open, as intended and as browsers show them.

use std::collections::HashMap;

use openspace_buffers::highlights::HighlightsPart;
use openspace_command::{Command, Meta, Result, Set};
use openspace_layout::TabKind;
use openspace_protocol::{Access, PaneId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Range;
use crate::{
    Cx, OpenSpace,
    areas::{
        editor::EditorsPart,
        layout::LayoutPart,
        view::{ObservedEditor, ViewsPart},
    },
};

/// An open file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorState {
    /// The file.
    path: String,
    /// The pane that shows it.
    pane_id: PaneId,
    /// Whether it is in front in its pane.
    active: bool,
    /// Whether it has changes that are not saved.
    dirty: bool,
    /// Whether the file is gone.
    missing: bool,
    /// The range last asked to be shown.
    revealed: Option<Range>,
    /// Ids of the highlights in it.
    highlights: Vec<String>,
    /// Cursor, selection and visible lines in each attached browser.
    observed: Vec<Observed>,
}

/// What one browser shows of a file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The browser.
    view: String,
    /// What it shows.
    #[serde(flatten)]
    editor: ObservedEditor,
}

/// Open files.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Editors {
    /// Open files, in the order of the panes.
    editors: Vec<EditorState>,
    /// How many files are open, where not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    editor_count: Option<usize>,
    /// The file in front in the active pane.
    active_path: Option<String>,
    /// How many browsers are attached.
    viewers: usize,
}

/// As many files are always listed.
const FEW_EDITORS: usize = 30;
/// Where more are open and not all are asked for, so many are listed beside those in front.
const LISTED_EDITORS: usize = 12;
/// Highlights, and browsers, that are told of each file when not all is asked for.
const TOLD_OF_EACH: usize = 8;

/// Say which files are open, and what of them is in view.
///
/// A long list is cut unless `all` is set.
///
/// Listed then are the files in front of their panes, those with unsaved changes, and the first others: about
/// 12. Of each file, 8 highlights and 8 browsers are told then.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct State {
    /// List everything.
    #[serde(default)]
    all: bool,
}

impl Command<OpenSpace> for State {
    const META: Meta = Meta::new("editor.state", "Editor: State", Access::Read).set(Set::Ide);
    type Output = Editors;

    fn summary(&self) -> String {
        "editor state".into()
    }

    async fn run(self, cx: Cx) -> Result<Editors> {
        let state = cx.state.space().state();
        let layout = state.part::<LayoutPart>();
        let count = layout.tabs().filter(|(_, tab)| tab.kind == TabKind::Editor).count();
        let is_cut = !self.all && count > FEW_EDITORS;
        let told = if self.all { usize::MAX } else { TOLD_OF_EACH };
        // What a person is at comes before what happens to be open.
        let (mut of_importance, mut others) = (LISTED_EDITORS, LISTED_EDITORS);
        let mut is_listed = |in_front: bool, dirty: bool| {
            let room = if dirty { &mut of_importance } else { &mut others };
            let listed = !is_cut || in_front || *room > 0;
            *room = room.saturating_sub(usize::from(!in_front));
            listed
        };
        let mut highlights: HashMap<&str, Vec<String>> = HashMap::new();
        for (id, highlight) in state.part::<HighlightsPart>().iter() {
            highlights.entry(&highlight.path).or_default().push(id.to_string());
        }
        let mut active_path = None;
        let mut editors = Vec::new();
        for pane in layout.panes() {
            for (index, tab) in pane.tabs.iter().enumerate() {
                if tab.kind != TabKind::Editor {
                    continue;
                }
                let path = tab.content_id.clone();
                let in_front = pane.active_tab == Some(index);
                if pane.active && in_front {
                    active_path = Some(path.clone());
                }
                if !is_listed(in_front, tab.dirty) {
                    continue;
                }
                let observed = state.part::<ViewsPart>().iter().flat_map(|(view, report)| {
                    let shown = report.editors.iter().filter(|editor| editor.path == path);
                    shown.map(|editor| Observed { view: view.to_string(), editor: editor.clone() })
                });
                editors.push(EditorState {
                    pane_id: pane.id,
                    active: in_front,
                    dirty: tab.dirty,
                    missing: tab.missing,
                    revealed: state
                        .part::<EditorsPart>()
                        .get(path.as_str())
                        .and_then(|editor| editor.reveal),
                    highlights: highlights
                        .get(path.as_str())
                        .map(|ids| ids.iter().take(told).cloned().collect())
                        .unwrap_or_default(),
                    observed: observed.take(told).collect(),
                    path,
                });
            }
        }
        Ok(Editors {
            editors,
            editor_count: is_cut.then_some(count),
            active_path,
            viewers: state.part::<ViewsPart>().len(),
        })
    }
}

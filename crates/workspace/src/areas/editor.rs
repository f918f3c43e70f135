//! Open files and highlighted lines.
//!
//! Which files are open is the layout's to say; here is what is known about them. Highlights stay
//! with the text they mark: when the file changes on disk, they move along (see
//! [`follow`](openspace_buffers::follow)).

use openspace_buffers::{BuffersPart, highlights::HighlightsPart};
use openspace_command::{Error, Result};
use openspace_layout::{Layout, TabKey, TabKind};

pub use openspace_protocol::{Range, RevealMode};
use openspace_space::{Counter, Declared, Entries, Part, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    OpenSpace,
    agents::brought::{Bringing, CameAndWent, Stays},
    areas::{
        Area,
        layout::LayoutPart,
        tabs::{Content, ShownTab},
    },
    refusal::layout_refused,
};

pub mod commands;
pub mod highlight_commands;
pub mod state_command;

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[
        Declared::of::<EditorsPart>(),
        Declared::of::<HighlightsPart>(),
        Declared::of::<HighlightCounter>(),
        Declared::of::<BuffersPart>(),
    ],
    rules: &[keep_tabs_true],
    tabs: &[ShownTab { kind: TabKind::Editor, content: Content::File }],
    brought: &[Bringing {
        kind: "highlight",
        between: highlights_between,
        stays: |_, _, _| None,
        end: |state, id| Box::pin(clear_highlight(state, id)),
        stop: None,
    }],
    ..Area::EMPTY
};

/// What is known about open files, by path.
pub struct EditorsPart;

impl Part for EditorsPart {
    const NAME: &'static str = "editors";
    type Content = Entries<OpenEditor>;
}

/// The last highlight's number.
pub struct HighlightCounter;

impl Part for HighlightCounter {
    const NAME: &'static str = "highlight-counter";
    const PUBLISHED: bool = false;
    type Content = Counter;
}

/// Highlights that may exist at once.
pub const MAX_HIGHLIGHTS: usize = 500;
/// Ranges one highlight may have.
pub const MAX_RANGES: usize = 100;
/// Characters a note may have.
pub const MAX_NOTE: usize = 2_000;

/// What is known about an open file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct OpenEditor {
    /// The range last asked to be shown. Views are told of a new one as it is asked for; this is for
    /// those who look later.
    pub reveal: Option<Range>,
}

/// Highlights that came and went.
fn highlights_between(before: &State, now: &State) -> CameAndWent {
    if now.shares::<HighlightsPart>(before) {
        return CameAndWent::default();
    }
    let (before, now) = (before.part::<HighlightsPart>(), now.part::<HighlightsPart>());
    let others = now.keys_since(before).into_iter();
    let (now_there, gone): (Vec<_>, Vec<_>) = others.partition(|id| now.contains_key(&**id));
    // One that another one replaced is still who it was.
    let came = now_there.into_iter().filter(|id| !before.contains_key(&**id));
    CameAndWent {
        came: came.map(|id| id.to_string()).collect(),
        went: gone.into_iter().map(|id| id.to_string()).collect(),
    }
}

async fn clear_highlight(state: &OpenSpace, id: &str) -> Result<Option<Stays>> {
    let cleared = state.space().change(|state| {
        state.part_mut::<HighlightsPart>().remove(id);
        Ok(None)
    });
    let cleared = cleared.await;
    state.follower().forget_unused();
    cleared
}

/// What is known of a file goes with its tab, and a tab says whether its file has unsaved text.
pub(crate) fn keep_tabs_true(before: &State, now: &mut State) -> Result<()> {
    if now.shares::<LayoutPart>(before) && now.shares::<BuffersPart>(before) {
        return Ok(());
    }
    let tabs = now.part::<LayoutPart>().tabs_since(before.part::<LayoutPart>());
    let editor = |key: TabKey| (key.kind == TabKind::Editor).then_some(key.content_id);
    for path in tabs.closed.into_iter().filter_map(editor) {
        if now.part::<EditorsPart>().contains_key(path.as_str()) {
            now.part_mut::<EditorsPart>().remove(path.as_str());
        }
    }
    let opened = tabs.opened.into_iter().filter_map(editor);
    let unsaved = now.part::<BuffersPart>().keys_since(before.part::<BuffersPart>());
    let paths: Vec<String> = opened.chain(unsaved.iter().map(ToString::to_string)).collect();
    mark_unsaved(now, paths)
}

/// Whether a tab shows a file that has unsaved text.
pub(crate) fn is_unsaved(state: &State, kind: TabKind, path: &str) -> bool {
    kind == TabKind::Editor && state.part::<BuffersPart>().contains_key(path)
}

/// Refuse what closed tabs with unsaved text: nobody but the person says what becomes of that, and their
/// page asks them. To be called at the end of a change, with the layout as it was before.
pub(crate) fn keep_unsaved_open(state: &State, before: &Layout) -> Result<()> {
    let unsaved = state.part::<BuffersPart>();
    let closed = state.part::<LayoutPart>().tabs_since(before).closed.into_iter();
    let lost: Vec<String> = closed
        .filter(|key| key.kind == TabKind::Editor && unsaved.contains_key(key.content_id.as_str()))
        .map(|key| format!("`{}`", key.content_id))
        .collect();
    if lost.is_empty() {
        return Ok(());
    }
    let has = if lost.len() == 1 { "has" } else { "have" };
    Err(Error::conflict(format!("{} {has} unsaved changes; nothing was closed", lost.join(", ")))
        .hint("ask the person to save, or to close it in their browser, which asks what to do with the text"))
}

/// Make every tab and everything known of files true, whatever an earlier run has saved.
pub(crate) fn make_tabs_true(state: &mut State) -> Result<()> {
    let tabs = state.part::<LayoutPart>().tabs().filter(|(_, tab)| tab.kind == TabKind::Editor);
    let open: Vec<String> = tabs.map(|(_, tab)| tab.content_id.clone()).collect();
    let layout: Layout = state.part::<LayoutPart>().clone();
    let is_open = |path: &str| layout.find_tab(TabKind::Editor, path).is_some();
    state.part_mut::<EditorsPart>().retain(|path, _| is_open(path));
    mark_unsaved(state, open)
}

fn mark_unsaved(state: &mut State, paths: Vec<String>) -> Result<()> {
    for path in paths {
        let dirty = state.part::<BuffersPart>().contains_key(path.as_str());
        let tab = state.part::<LayoutPart>().tab(Some(TabKind::Editor), &path);
        if tab.is_ok_and(|(_, tab)| tab.dirty != dirty) {
            let layout = state.part_mut::<LayoutPart>();
            layout.set_dirty(TabKind::Editor, &path, dirty).map_err(layout_refused)?;
        }
    }
    Ok(())
}

/// Refuse a range that is none; `name` is the argument.
pub fn check_range(range: Range, name: &str) -> Result<()> {
    let Range { start_line, end_line, start_column, end_column } = range;
    if start_line == 0 || end_line == 0 || start_column == Some(0) || end_column == Some(0) {
        return Err(Error::invalid(format!("{name}: lines and columns count from 1")));
    }
    if end_line < start_line {
        return Err(Error::invalid(format!(
            "{name}: it ends in line {end_line}, before its start in line {start_line}"
        )));
    }
    if let (Some(start), Some(end)) = (start_column, end_column)
        && start_line == end_line
        && end < start
    {
        return Err(Error::invalid(format!(
            "{name}: it ends in column {end}, before its start in column {start}"
        )));
    }
    Ok(())
}

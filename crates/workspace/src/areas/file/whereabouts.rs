//! What the space knows by path when a file or folder goes somewhere else: tabs, open files,
//! highlights.
//!
//! Everything that the space keeps by path is set right here and nowhere else. Files on the disk are
//! not touched.

use std::{collections::BTreeSet, sync::Arc};

use openspace_buffers::highlights::{Highlight, HighlightsPart};
use openspace_command::Result;
use openspace_layout::path_after_move;
use openspace_protocol::RelPath;
use openspace_space::{State, Updated};

use crate::{
    Cx,
    agents::brought,
    areas::{editor::EditorsPart, layout::LayoutPart},
    refusal::layout_refused,
};

#[cfg(test)]
mod tests;

/// A file or folder has moved: what is known of it, and of all beneath it, follows.
pub fn moved(state: &mut State, from: &RelPath, to: &RelPath) -> Result<()> {
    let (from, to) = (from.as_str(), to.as_str());
    let after = |path: &str| path_after_move(path, from, to);
    let names = |state: &State| -> Vec<String> {
        let tabs = state.part::<LayoutPart>().tabs();
        tabs.filter(|(_, tab)| after(&tab.content_id).is_some())
            .map(|(_, tab)| tab.name())
            .collect()
    };
    let moved_tabs = names(state);
    state.part_mut::<LayoutPart>().follow_move(from, to).map_err(layout_refused)?;
    for name in moved_tabs {
        if let Some((kind, path)) = name.split_once(':')
            && let Some(path) = after(path)
        {
            brought::rename(state, brought::TAB, &name, &format!("{kind}:{path}"));
        }
    }
    let editors = state.part::<EditorsPart>();
    let moved = editors.iter().filter_map(|(path, editor)| {
        after(path).map(|after| (Arc::clone(path), after, editor.clone()))
    });
    for (path, after, editor) in moved.collect::<Vec<_>>() {
        let editors = state.part_mut::<EditorsPart>();
        editors.remove(&*path);
        editors.insert(after, editor);
    }
    if state.part::<HighlightsPart>().values().any(|highlight| after(&highlight.path).is_some()) {
        state.part_mut::<HighlightsPart>().update(|_, highlight| match after(&highlight.path) {
            Some(path) => Updated::Other(Highlight { path, ..highlight.clone() }),
            None => Updated::Same,
        });
    }
    Ok(())
}

/// A file or folder is gone: tabs of it, and of all beneath it, keep their places as missing;
/// highlights go.
pub fn deleted(state: &mut State, path: &RelPath) -> Result<()> {
    let path = path.as_str();
    state.part_mut::<LayoutPart>().mark_missing_beneath(path, true).map_err(layout_refused)?;
    let is_gone = |other: &str| path_after_move(other, path, "").is_some();
    if state.part::<HighlightsPart>().values().any(|highlight| is_gone(&highlight.path)) {
        state.part_mut::<HighlightsPart>().retain(|_, highlight| !is_gone(&highlight.path));
    }
    Ok(())
}

/// A file or folder is there again: tabs of it, and of all beneath it, are no longer missing.
pub fn restored(state: &mut State, path: &RelPath) -> Result<()> {
    state
        .part_mut::<LayoutPart>()
        .mark_missing_beneath(path.as_str(), false)
        .map_err(layout_refused)?;
    Ok(())
}

/// Follow highlighted files at their new places and no longer at the old ones.
pub(super) async fn follow_highlights(cx: &Cx, to: Option<&RelPath>) {
    let follower = cx.state.follower();
    if let Some(to) = to {
        let state = cx.state.space().state();
        let beneath = |path: &&str| path_after_move(path, to.as_str(), "").is_some();
        let paths =
            state.part::<HighlightsPart>().values().map(|highlight| highlight.path.as_str());
        let paths: BTreeSet<String> = paths.filter(beneath).map(str::to_owned).collect();
        // The move is done all the same; where one cannot be followed, the highlights stay.
        follower.track_all(paths).await;
    }
    follower.forget_unused();
}

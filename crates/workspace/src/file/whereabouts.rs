//! What the space knows by path when a file or folder goes somewhere else: tabs, open files,
//! highlights.
//!
//! Everything that the space keeps by path is set right here and nowhere else. Files on the disk are
//! not touched.

use std::{collections::BTreeSet, sync::Arc};

use openspace_command::Result;
use openspace_protocol::RelPath;

use crate::{Cx, layout::path_after_move, space::State};

#[cfg(test)]
mod tests;

/// A file or folder has moved: what is known of it, and of all beneath it, follows.
pub fn moved(state: &mut State, from: &RelPath, to: &RelPath) -> Result<()> {
    let (from, to) = (from.as_str(), to.as_str());
    let after = |path: &str| path_after_move(path, from, to);
    Arc::make_mut(&mut state.layout).follow_move(from, to)?;
    if state.editors.keys().any(|path| after(path).is_some()) {
        let editors = Arc::make_mut(&mut state.editors);
        *editors = std::mem::take(editors)
            .into_iter()
            .map(|(path, editor)| (after(&path).unwrap_or(path), editor))
            .collect();
    }
    if state.highlights.values().any(|highlight| after(&highlight.path).is_some()) {
        for highlight in Arc::make_mut(&mut state.highlights).values_mut() {
            if let Some(path) = after(&highlight.path) {
                highlight.path = path;
            }
        }
    }
    Ok(())
}

/// A file or folder is gone: tabs of it, and of all beneath it, keep their places as missing;
/// highlights go.
pub fn deleted(state: &mut State, path: &RelPath) -> Result<()> {
    let path = path.as_str();
    Arc::make_mut(&mut state.layout).mark_missing_beneath(path, true)?;
    let is_gone = |other: &str| path_after_move(other, path, "").is_some();
    if state.highlights.values().any(|highlight| is_gone(&highlight.path)) {
        Arc::make_mut(&mut state.highlights).retain(|_, highlight| !is_gone(&highlight.path));
    }
    Ok(())
}

/// A file or folder is there again: tabs of it, and of all beneath it, are no longer missing.
pub fn restored(state: &mut State, path: &RelPath) -> Result<()> {
    Arc::make_mut(&mut state.layout).mark_missing_beneath(path.as_str(), false)?;
    Ok(())
}

/// Follow highlighted files at their new places and no longer at the old ones.
pub(super) async fn follow_highlights(cx: &Cx, to: Option<&RelPath>) {
    let follower = cx.state.follower();
    if let Some(to) = to {
        let state = cx.state.space().state();
        let beneath = |path: &&str| path_after_move(path, to.as_str(), "").is_some();
        let paths = state.highlights.values().map(|highlight| highlight.path.as_str());
        let paths: BTreeSet<&str> = paths.filter(beneath).collect();
        for path in paths {
            // The move is done all the same; the highlights stay where they are.
            if let Err(error) = follower.track(path).await {
                tracing::warn!(path, %error, "a highlighted file cannot be followed");
            }
        }
    }
    follower.forget_unused().await;
}

//! What tabs show: each kind is declared by the area that knows its content.
//!
//! The layout only arranges tabs. Whether content exists, how its id is spelled and whether it lives
//! by itself is asked here, so that a new kind needs no change where panes are opened or restored.

use openspace_command::{Error, ErrorKind, Result};
use openspace_layout::{TabKey, TabKind};
use openspace_space::State;

use super::{AREAS, layout::LayoutPart};
use crate::refusal::layout_refused;

/// A kind of tab and what it shows.
pub struct ShownTab {
    /// The kind.
    pub kind: TabKind,
    /// What the content id names.
    pub content: Content,
}

/// What a content id names.
#[derive(Clone, Copy)]
pub enum Content {
    /// A file of the workspace, by its path.
    File,
    /// Something that the space knows, found as a caller names it.
    Known(fn(&State, &str) -> Result<Known>),
}

/// Content that the space knows.
pub struct Known {
    /// Its id, spelled the one way.
    pub id: String,
    /// What a tab of it is called.
    pub title: String,
    /// Whether it runs by itself: such a tab stays when another layout is applied.
    pub alive: bool,
}

/// Every kind of tab that some area shows.
pub(crate) fn declared_kinds() -> Vec<TabKind> {
    AREAS.iter().flat_map(|area| area.tabs).map(|tab| tab.kind).collect()
}

/// What tabs of a kind show.
pub(crate) fn content_of(kind: TabKind) -> Result<Content> {
    let mut declared = AREAS.iter().flat_map(|area| area.tabs);
    declared.find(|tab| tab.kind == kind).map(|tab| tab.content).ok_or_else(|| {
        let kinds: Vec<String> = declared_kinds().iter().map(ToString::to_string).collect();
        Error::new(ErrorKind::Unsupported, format!("this space has no tabs of the kind `{kind}`"))
            .hint(format!("kinds of tabs: {}", kinds.join(", ")))
    })
}

/// Content of a kind by its exact id, if the space knows it.
pub(crate) fn known(state: &State, kind: TabKind, id: &str) -> Option<Known> {
    match content_of(kind) {
        Ok(Content::Known(find)) => find(state, id).ok().filter(|known| known.id == id),
        Ok(Content::File) | Err(_) => None,
    }
}

/// Make every tab of something that the space knows say whether that is still so, whatever an earlier
/// run has saved.
pub(crate) fn mark_what_is_gone(state: &mut State) -> Result<()> {
    let tabs = state.part::<LayoutPart>().tabs().filter(|(_, tab)| !names_a_file(tab.kind));
    let keys: Vec<TabKey> = tabs.map(|(_, tab)| tab.key()).collect();
    for TabKey { kind, content_id } in keys {
        let gone = known(state, kind, &content_id).is_none();
        let layout = state.part_mut::<LayoutPart>();
        layout.mark_missing(kind, &content_id, gone).map_err(layout_refused)?;
    }
    Ok(())
}

/// Whether the content ids of a kind are paths of files.
pub(crate) fn names_a_file(kind: TabKind) -> bool {
    matches!(content_of(kind), Ok(Content::File))
}

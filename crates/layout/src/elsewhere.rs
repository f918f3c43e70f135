//! Tabs of files that are somewhere else now, or gone.
//!
//! A tab whose content is a path follows it; a tab of another kind has no path and is left alone.

use std::collections::HashSet;

use super::{Layout, LayoutError, TabKey, TabKind, change::default_title};

#[cfg(test)]
mod tests;

impl TabKind {
    /// Whether the content id is a path. A file can be shown in several panes, anything else once.
    pub(super) const fn shows_a_file(self) -> bool {
        match self {
            Self::Editor | Self::Presentation | Self::Whiteboard => true,
            Self::Terminal | Self::Chat => false,
        }
    }
}

/// Where a path is after something that it is, or is beneath, has moved.
pub fn path_after_move(path: &str, from: &str, to: &str) -> Option<String> {
    let rest = path.strip_prefix(from)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
}

impl Layout {
    /// Let the tabs of what has moved, and of all beneath it, follow. Where the new path has a tab
    /// already, that one stays and the other closes.
    pub fn follow_move(&mut self, from: &str, to: &str) -> Result<(), LayoutError> {
        self.attempt(|layout| {
            for TabKey { kind, content_id } in layout.tabs_beneath(from) {
                let Some(after) = path_after_move(&content_id, from, to) else { continue };
                if layout.find_tab(kind, &after).is_some() {
                    layout.close_tab(Some(kind), &content_id)?;
                    layout.mark_missing(kind, &after, false)?;
                    continue;
                }
                layout.change_tabs(kind, &content_id, |tab| {
                    if tab.title == default_title(&content_id) {
                        tab.title = default_title(&after);
                    }
                    tab.content_id.clone_from(&after);
                    tab.missing = false;
                })?;
            }
            Ok(())
        })
    }

    /// Say of the tabs of a path, and of all beneath it, whether their content is gone.
    pub fn mark_missing_beneath(&mut self, path: &str, missing: bool) -> Result<(), LayoutError> {
        for TabKey { kind, content_id } in self.tabs_beneath(path) {
            self.mark_missing(kind, &content_id, missing)?;
        }
        Ok(())
    }

    fn tabs_beneath(&self, path: &str) -> Vec<TabKey> {
        let mut seen = HashSet::new();
        self.tabs()
            .filter(|(_, tab)| tab.kind.shows_a_file())
            .filter(|(_, tab)| path_after_move(&tab.content_id, path, "").is_some())
            .map(|(_, tab)| tab.key())
            .filter(|key| seen.insert(key.clone()))
            .collect()
    }
}

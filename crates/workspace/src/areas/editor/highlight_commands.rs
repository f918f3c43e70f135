//! `editor.highlight` and `editor.clear_highlight`.

use openspace_buffers::highlights::{Highlight, HighlightsPart};
use openspace_command::{Command, Error, Focus, Meta, Result, Set};
use openspace_layout::TabKind;
use openspace_protocol::Access;
use openspace_space::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_HIGHLIGHTS, MAX_NOTE, MAX_RANGES, Range, check_range, commands::checked_file};
use crate::{
    Cx, OpenSpace,
    agents::brought,
    areas::{editor::HighlightCounter, layout::LayoutPart, view::ViewsPart},
};

/// The colour when none is asked for.
pub(super) const DEFAULT_COLOR: &str = "yellow";
const COLORS: &[&str] = &["yellow", "green", "blue", "red", "purple", "orange"];

/// An id for a highlight that was not given one.
pub(super) fn new_highlight_id(state: &mut State) -> Result<String> {
    if state.part::<HighlightsPart>().len() >= MAX_HIGHLIGHTS {
        return Err(too_many());
    }

    loop {
        let id = format!("h{}", state.part_mut::<HighlightCounter>().advance());
        // A caller may have chosen this very word for one of its own.
        if !state.part::<HighlightsPart>().contains_key(id.as_str()) {
            return Ok(id);
        }
    }
}

fn too_many() -> Error {
    Error::conflict(format!("there are {MAX_HIGHLIGHTS} highlights already"))
        .hint("clear some with editor_clear_highlight")
}

/// A highlight.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Highlighted {
    /// Its id, for clearing or replacing it.
    highlight_id: String,
    /// The file.
    path: String,
    /// The ranges.
    ranges: Vec<Range>,
    /// Whether the file is open in a pane; a highlight in a closed file shows when it is opened.
    open: bool,
    /// How many browsers are attached.
    viewers: usize,
}

/// Highlight lines of a file, with a note on why.
///
/// They follow the text until cleared; the same id replaces the old one.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutHighlight {
    /// Path relative to the root.
    path: String,
    /// Ranges to mark.
    #[schemars(length(min = 1, max = MAX_RANGES))]
    ranges: Vec<Range>,
    /// Id to give it.
    ///
    /// A new one when left out.
    highlight_id: Option<String>,
    /// `yellow`, `green`, `blue`, `red`, `purple`, `orange` or `#rrggbb`.
    ///
    /// Yellow when left out.
    color: Option<String>,
    /// Why these lines matter.
    ///
    /// Shown beside them.
    note: Option<String>,
}

impl Command<OpenSpace> for PutHighlight {
    const META: Meta = Meta::new("editor.highlight", "Editor: Highlight", Access::View)
        .set(Set::Ide)
        .focus(Focus::Show)
        .idempotent();
    type Output = Highlighted;

    fn summary(&self) -> String {
        let lines: Vec<String> = self
            .ranges
            .iter()
            .take(5)
            .map(|range| format!("{}-{}", range.start_line, range.end_line))
            .collect();
        format!("highlight {} lines {}", self.path, lines.join(", "))
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn check(&self) -> Result<()> {
        if self.ranges.is_empty() || self.ranges.len() > MAX_RANGES {
            return Err(Error::invalid(format!("argument `ranges`: give 1 to {MAX_RANGES}")));
        }
        for (index, range) in self.ranges.iter().enumerate() {
            check_range(*range, &format!("argument `ranges[{index}]`"))?;
        }
        if self.note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE) {
            return Err(Error::invalid(format!("argument `note`: at most {MAX_NOTE} characters")));
        }
        if let Some(id) = &self.highlight_id
            && (id.is_empty() || id.chars().count() > 100 || id.chars().any(char::is_control))
        {
            return Err(Error::invalid("argument `highlightId`: 1 to 100 printable characters"));
        }
        check_color(self.color.as_deref())
    }

    async fn run(self, cx: Cx) -> Result<Highlighted> {
        let last = self.ranges.iter().max_by_key(|range| range.end_line).copied();
        let (path, _) = checked_file(&cx, &self.path, last).await?;
        cx.state.follower().catch_up(&path).await?;
        let highlight = Highlight {
            path: path.clone(),
            ranges: self.ranges,
            color: self.color.unwrap_or_else(|| DEFAULT_COLOR.into()),
            note: self.note,
            by: cx.caller.id.clone(),
        };
        let highlighted = cx
            .state
            .space()
            .change(brought::by(&cx, |state| {
                let highlight_id = match self.highlight_id {
                    Some(id) if state.part::<HighlightsPart>().contains_key(id.as_str()) => id,
                    Some(_) if state.part::<HighlightsPart>().len() >= MAX_HIGHLIGHTS => {
                        return Err(too_many());
                    }
                    Some(id) => id,
                    None => new_highlight_id(state)?,
                };
                let highlights = state.part_mut::<HighlightsPart>();
                highlights.insert(highlight_id.clone(), highlight.clone());
                Ok(Highlighted {
                    highlight_id,
                    path: path.clone(),
                    ranges: highlight.ranges,
                    open: state.part::<LayoutPart>().find_tab(TabKind::Editor, &path).is_some(),
                    viewers: state.part::<ViewsPart>().len(),
                })
            }))
            .await?;
        cx.state.follower().track(&path).await?;
        Ok(highlighted)
    }
}

fn check_color(color: Option<&str>) -> Result<()> {
    let is_hex = |text: &str| {
        text.strip_prefix('#').is_some_and(|digits| {
            digits.len() == 6 && digits.chars().all(|digit| digit.is_ascii_hexdigit())
        })
    };
    match color {
        Some(color) if !COLORS.contains(&color) && !is_hex(color) => Err(Error::invalid(format!(
            "argument `color`: must be one of {} or #rrggbb",
            COLORS.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// Highlights that were cleared.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleared {
    /// Their ids.
    cleared: Vec<String>,
}

/// Clear highlights: one by its id, all of a file, or all of them.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClearHighlight {
    /// The highlight.
    ///
    /// The one to clear.
    highlight_id: Option<String>,
    /// Clear all highlights of this file.
    path: Option<String>,
}

impl Command<OpenSpace> for ClearHighlight {
    const META: Meta =
        Meta::new("editor.clear_highlight", "Editor: Clear Highlights", Access::View)
            .set(Set::Ide)
            .idempotent()
            .keys(&["escape"]);
    type Output = Cleared;

    fn summary(&self) -> String {
        match (&self.highlight_id, &self.path) {
            (Some(id), _) => format!("clear highlight {id}"),
            (None, Some(path)) => format!("clear highlights of {path}"),
            (None, None) => "clear all highlights".into(),
        }
    }

    fn paths(&self) -> Vec<String> {
        self.path.iter().cloned().collect()
    }

    fn check(&self) -> Result<()> {
        match (&self.highlight_id, &self.path) {
            (Some(_), Some(_)) => Err(Error::invalid("give `highlightId` or `path`, not both")),
            _ => Ok(()),
        }
    }

    async fn run(self, cx: Cx) -> Result<Cleared> {
        let path = self.path.as_deref().map(|path| cx.state.path(path)).transpose()?;
        let cleared = cx
            .state
            .space()
            .change(|state| {
                if let Some(id) = &self.highlight_id
                    && !state.part::<HighlightsPart>().contains_key(id.as_str())
                {
                    let ids: Vec<&str> =
                        state.part::<HighlightsPart>().keys().map(|id| &**id).collect();
                    let ids = if ids.is_empty() { "there are none".into() } else { ids.join(", ") };
                    return Err(Error::not_found(format!("there is no highlight `{id}`"))
                        .hint(format!("highlights: {ids}")));
                }
                let goes = |id: &str, highlight: &Highlight| match (&self.highlight_id, &path) {
                    (Some(wanted), _) => id == wanted,
                    (None, Some(path)) => highlight.path == path.as_str(),
                    (None, None) => true,
                };
                let highlights = state.part_mut::<HighlightsPart>();
                let cleared = highlights.iter().filter(|(id, highlight)| goes(id, highlight));
                let cleared: Vec<String> = cleared.map(|(id, _)| id.to_string()).collect();
                for id in &cleared {
                    highlights.remove(id.as_str());
                }
                Ok(Cleared { cleared })
            })
            .await?;
        cx.state.follower().forget_unused();
        Ok(cleared)
    }
}

//! What attached browsers report of themselves: pixels, cursors, what is in sight.
//!
//! Observed, not intended: minimum sizes clamp and windows differ. Nothing here is saved, and a
//! browser that goes takes its report with it.

use openspace_command::{Error, Result};
use openspace_protocol::PaneId;
use openspace_space::{Declared, Entries, Part, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::areas::Area;

pub mod commands;

/// What this area brings.
pub const AREA: Area =
    Area { commands: commands::COMMANDS, parts: &[Declared::of::<ViewsPart>()], ..Area::EMPTY };

/// Reports by view; gone with them.
pub struct ViewsPart;

impl Part for ViewsPart {
    const NAME: &'static str = "views";
    const SAVED: bool = false;
    type Content = Entries<View>;
}

/// Browsers that may be attached at once.
pub const MAX_VIEWS: usize = 64;

/// Panes and editors that one report may have of each.
pub const MAX_SEEN: usize = 1_000;
/// No screen is larger than so many pixels, and nothing shown lies further outside of one.
pub const MAX_PIXELS: f64 = 1_000_000.0;
/// Characters of a path, an id or a selection.
const MAX_WORD: usize = 4_096;

/// One browser's report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct View {
    /// Panes as they really are.
    pub panes: Vec<ObservedPane>,
    /// Editors as they really are.
    pub editors: Vec<ObservedEditor>,
    /// The pane that the person types in: nothing that others open is put there while another pane has room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typed_in: Option<PaneId>,
}

/// A pane in pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservedPane {
    /// Which pane.
    pub pane_id: String,
    /// Left edge in pixels.
    #[schemars(range(min = -MAX_PIXELS, max = MAX_PIXELS))]
    pub x: f64,
    /// Top edge in pixels.
    #[schemars(range(min = -MAX_PIXELS, max = MAX_PIXELS))]
    pub y: f64,
    /// Width in pixels.
    #[schemars(range(min = 0.0, max = MAX_PIXELS))]
    pub width: f64,
    /// Height in pixels.
    #[schemars(range(min = 0.0, max = MAX_PIXELS))]
    pub height: f64,
    /// Whether any of it is in sight.
    pub visible: bool,
}

/// An editor as its browser shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservedEditor {
    /// Which file.
    pub path: String,
    /// The cursor's line, counting from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// The cursor's column, counting from 1.
    #[schemars(range(min = 1))]
    pub column: u32,
    /// First line in sight.
    #[schemars(range(min = 1))]
    pub first_visible_line: u32,
    /// Last line in sight.
    #[schemars(range(min = 1))]
    pub last_visible_line: u32,
    /// Selected text's range, as `startLine:startColumn-endLine:endColumn`.
    pub selection: Option<String>,
}

/// The panes that people type in.
pub(crate) fn typed_in(state: &State) -> Vec<PaneId> {
    state.part::<ViewsPart>().values().filter_map(|view| view.typed_in).collect()
}

fn is_word(word: &str) -> bool {
    (1..=MAX_WORD).contains(&word.len())
}

impl View {
    /// Refuse what no browser can see: agents are told it as what a person looks at.
    fn check(&self) -> Result<()> {
        if self.panes.len() > MAX_SEEN || self.editors.len() > MAX_SEEN {
            return Err(Error::invalid("argument `view`: at most 1000 panes and 1000 editors"));
        }
        let wrong = |list: &str, index: usize, name: &str, why: &str| {
            Err(Error::invalid(format!("argument `view.{list}[{index}].{name}`: {why}")))
        };
        for (index, pane) in self.panes.iter().enumerate() {
            let wrong = |name, why: &str| wrong("panes", index, name, why);
            if pane.pane_id.parse::<PaneId>().is_err() {
                return wrong("paneId", "is not the id of a pane, such as `p1`");
            }
            let edges = [("x", pane.x), ("y", pane.y)].map(|it| (it, -MAX_PIXELS));
            let sizes = [("width", pane.width), ("height", pane.height)].map(|it| (it, 0.0));
            for ((name, pixels), least) in edges.into_iter().chain(sizes) {
                if !(least..=MAX_PIXELS).contains(&pixels) {
                    return wrong(name, &format!("must be {least} to {MAX_PIXELS} pixels"));
                }
            }
        }
        for (index, editor) in self.editors.iter().enumerate() {
            let wrong = |name, why: &str| wrong("editors", index, name, why);
            let words = [("path", Some(&editor.path)), ("selection", editor.selection.as_ref())];
            for (name, word) in words {
                if word.is_some_and(|word| !is_word(word)) {
                    return wrong(name, &format!("must be 1 to {MAX_WORD} bytes"));
                }
            }
            for (name, number) in [
                ("line", editor.line),
                ("column", editor.column),
                ("firstVisibleLine", editor.first_visible_line),
                ("lastVisibleLine", editor.last_visible_line),
            ] {
                if number == 0 {
                    return wrong(name, "lines and columns count from 1");
                }
            }
            if editor.last_visible_line < editor.first_visible_line {
                return wrong("lastVisibleLine", "comes before `firstVisibleLine`");
            }
        }
        Ok(())
    }
}

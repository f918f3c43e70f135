//! What attached browsers report of themselves: pixels, cursors, what is in sight.
//!
//! Observed, not intended: minimum sizes clamp and windows differ. Nothing here is saved, and a
//! browser that goes takes its report with it.

use openspace_space::{Declared, Entries, Part};
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

/// One browser's report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct View {
    /// Panes as they really are.
    pub panes: Vec<ObservedPane>,
    /// Editors as they really are.
    pub editors: Vec<ObservedEditor>,
}

/// A pane in pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservedPane {
    /// Which pane.
    pub pane_id: String,
    /// Left edge in pixels.
    pub x: f64,
    /// Top edge in pixels.
    pub y: f64,
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
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
    pub line: u32,
    /// The cursor's column, counting from 1.
    pub column: u32,
    /// First line in sight.
    pub first_visible_line: u32,
    /// Last line in sight.
    pub last_visible_line: u32,
    /// Selected text's range, as `startLine:startColumn-endLine:endColumn`.
    pub selection: Option<String>,
}

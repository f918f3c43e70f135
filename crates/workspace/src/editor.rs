//! Open files and highlighted lines.
//!
//! Which files are open is the layout's to say; here is what is known about them. Highlights stay
//! with the text they mark: when the file changes on disk, they move along (see [`follow`]).

use std::collections::BTreeMap;

use openspace_command::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod commands;
pub mod follow;
pub mod highlight_commands;
pub mod state_command;

/// Open files by path.
pub type OpenEditors = BTreeMap<String, OpenEditor>;
/// Highlights by id.
pub type Highlights = BTreeMap<String, Highlight>;

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
    /// The range last asked to be shown.
    pub reveal: Option<Range>,
    /// How a browser should react to the last request to show it.
    pub mode: Option<RevealMode>,
    /// Counts requests to show something here, so that a view knows a new one from an old one.
    pub reveals: u64,
}

/// How a person is led to what an agent shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RevealMode {
    /// Show it at once. The keyboard stays where it is.
    AutoFocus,
    /// Offer it; the person decides.
    SuggestOnly,
    /// Open it without asking for attention.
    Disabled,
}

/// A range of text. Lines and columns count from 1; columns left out mean whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Range {
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Column in the first line where the range starts.
    pub start_column: Option<u32>,
    /// Column in the last line where the range ends.
    pub end_column: Option<u32>,
}

impl Range {
    /// Refuse a range that is none; `name` is the argument.
    pub fn check(&self, name: &str) -> Result<()> {
        let Self { start_line, end_line, start_column, end_column } = *self;
        if start_line == 0 || start_column == Some(0) || end_column == Some(0) {
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
}

/// Lines that somebody points at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Highlight {
    /// The file.
    pub path: String,
    /// The ranges now; they move with the text.
    pub ranges: Vec<Range>,
    /// A colour's name, or `#rrggbb`.
    pub color: String,
    /// Why these lines matter.
    pub note: Option<String>,
    /// Who points.
    pub by: String,
}

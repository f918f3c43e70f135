//! Open files and highlighted lines.
//!
//! Which files are open is the layout's to say; here is what is known about them. Highlights stay
//! with the text they mark: when the file changes on disk, they move along (see [`follow`]).

use std::collections::BTreeMap;

use openspace_command::{Error, Result};
pub use openspace_protocol::{Range, RevealMode};
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
    /// The range last asked to be shown. Views are told of a new one as it is asked for; this is for
    /// those who look later.
    pub reveal: Option<Range>,
}

/// Refuse a range that is none; `name` is the argument.
pub fn check_range(range: Range, name: &str) -> Result<()> {
    let Range { start_line, end_line, start_column, end_column } = range;
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

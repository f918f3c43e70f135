//! What somebody wants another to see: a file, or a range in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Caller, PaneId, RelPath};

/// A wish to bring a file to a person's eyes. Never where the keyboard goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RevealTarget {
    /// The file.
    pub path: RelPath,
    /// The pane to show it in, where it is open in several.
    #[serde(default)]
    pub pane: Option<PaneId>,
    /// Where in it; the whole file when there is none.
    pub range: Option<Range>,
    /// How a browser should react; as the person set it when there is none.
    pub mode: Option<RevealMode>,
    /// Who wants it.
    pub by: Caller,
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

/// Without columns, whole lines.
///
/// Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Range {
    /// First line.
    #[schemars(range(min = 1))]
    pub start_line: u32,
    /// Last line.
    #[schemars(range(min = 1))]
    pub end_line: u32,
    /// Column where it starts.
    #[schemars(range(min = 1))]
    pub start_column: Option<u32>,
    /// Column where it ends.
    #[schemars(range(min = 1))]
    pub end_column: Option<u32>,
}

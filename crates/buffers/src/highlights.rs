//! What a highlight is: lines that somebody points at, kept in the space.

use openspace_protocol::Range;
use openspace_space::{Entries, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Highlighted lines, by id.
pub struct HighlightsPart;

impl Part for HighlightsPart {
    const NAME: &'static str = "highlights";
    type Content = Entries<Highlight>;
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

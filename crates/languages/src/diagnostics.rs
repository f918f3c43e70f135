//! What a server found wrong, by file, and whether that is about the text as it is now.
//!
//! An answer about an older text looks like any other. So each set is kept with the version that it is about, and one
//! of which that is not known counts for nothing unless it was told well after a barrier: a question that was sent
//! behind the change and was answered. There is no state "clean": there is a fresh set, which may be empty, or there
//! is none.

mod book;
mod difference;
mod wire;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use self::book::{Book, Text, Way};
pub use self::difference::{Difference, difference};
pub(crate) use self::wire::{Published, Pulled};
use crate::position::Range;

/// Diagnostics of one file that are kept; the rest is counted.
pub(crate) const MOST_IN_FILE: usize = 1000;
/// Files with diagnostics that are kept of one server.
pub(crate) const MOST_FILES: usize = 5000;
/// How long after the answer to a barrier a set without a version counts. Measured: sooner, a set in fifteen was about
/// the text before.
pub(crate) const AFTER_BARRIER: Duration = Duration::from_millis(100);

/// Something that is wrong with a text, or could be better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Where.
    pub range: Range,
    /// How bad.
    #[serde(default = "Severity::unsaid")]
    pub severity: Severity,
    /// The number or word that the server has for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Value>,
    /// Which tool says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// In words.
    pub message: String,
    /// What else the server said of it: tags, related places, data for its own actions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Severity {
    /// It does not work.
    Error,
    /// It may not do what was meant.
    Warning,
    /// Good to know.
    Information,
    /// It could be nicer.
    Hint,
}

impl Severity {
    /// Without a word it is for the client to say: the worst, so that nothing is overlooked.
    fn unsaid() -> Self {
        Self::Error
    }
}

impl TryFrom<u8> for Severity {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1 => Ok(Self::Error),
            2 => Ok(Self::Warning),
            3 => Ok(Self::Information),
            4 => Ok(Self::Hint),
            other => Err(format!("{other} is no severity")),
        }
    }
}

impl From<Severity> for u8 {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Information => 3,
            Severity::Hint => 4,
        }
    }
}

/// Whether what is known is about the text as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// It is.
    Fresh,
    /// It very likely is: the server does not say, but it said it late enough.
    Likely,
    /// It is about this text, and about others as they were before they changed.
    Old,
    /// Nothing is known about this text yet. What is told is about an older one.
    Pending,
}

impl Freshness {
    /// Whether one can go by it.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Fresh | Self::Likely)
    }
}

/// What a server says of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Whether it is about the text as it is.
    pub freshness: Freshness,
    /// The version of that text, if the document is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// What is wrong, in the order of the text.
    pub items: Vec<Diagnostic>,
    /// What the server tells unasked beside what it is asked for, such as of a build of what was last saved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Diagnostic>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: usize,
    /// Why asking failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "how serde asks")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests;

//! Why an edit is refused, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{MAX_EDITS, MAX_PLACES, MAX_TEXT_BYTES, Nearest, Rule};

/// Which edit of a call is meant. It says nothing of a call with a single edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Which {
    /// Its place in the list, counted from 0.
    pub index: usize,
    /// How many edits the list has.
    pub of: usize,
}

impl fmt::Display for Which {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            1 => Ok(()),
            of => write!(out, " (edit {} of {of})", self.index + 1),
        }
    }
}

/// Why no edit was applied.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditError {
    /// The list of edits is empty.
    #[error("No edits given")]
    NoEdits,
    /// The list of edits is too long.
    #[error("{count} edits given; {MAX_EDITS} are allowed in one call")]
    TooMany { count: usize },
    /// The text is nowhere, by no rule.
    #[error("old_string not found in content{edit}")]
    NotFound { edit: Which, nearest: Option<Nearest> },
    /// The text is at several places; the lines of the first few are named.
    #[error("Found multiple matches for old_string{edit}")]
    Several { edit: Which, rule: Rule, count: usize, lines: Vec<u64> },
    /// The edit would leave the text as it is.
    #[error("No changes to apply: new_string is what is there already{edit}")]
    Identical { edit: Which },
    /// There is nothing to look for.
    #[error("old_string is empty{edit}")]
    EmptyOld { edit: Which },
    /// A loose rule found one place, far larger than the text that was given.
    #[error(
        "old_string has {given} lines, but the only place like it has {lines}, from line {line}{edit}"
    )]
    Disproportionate { edit: Which, rule: Rule, line: u64, lines: usize, given: usize },
    /// All places are to be replaced, and they are too many.
    #[error("old_string is at {count} places; {MAX_PLACES} can be replaced at once{edit}")]
    TooManyPlaces { edit: Which, count: usize },
    /// The text would grow too large.
    #[error("The edit would make a text of more than {} MB{edit}", MAX_TEXT_BYTES / (1024 * 1024))]
    TooLarge { edit: Which },
}

impl EditError {
    /// What the caller can do next.
    pub fn hint(&self) -> String {
        match self {
            Self::NoEdits => "give at least one edit".to_owned(),
            Self::TooMany { .. } => "split the edits over several calls".to_owned(),
            Self::NotFound { nearest: None, .. } => {
                "read the file again; the text must match it, blanks and indentation too".to_owned()
            }
            Self::NotFound { nearest: Some(Nearest { line, text }), .. } => {
                format!("the most similar text is on line {line}:\n{text}")
            }
            Self::Several { rule, count, lines, .. } => {
                let named: Vec<String> = lines.iter().map(u64::to_string).collect();
                let more = if *count > lines.len() { " and more" } else { "" };
                let all = match rule {
                    Rule::Exact | Rule::LineTrimmed => ", or set replace_all",
                    _ => "",
                };
                format!(
                    "{count} places match, on lines {}{more}: give more lines around the place \
                     meant{all}",
                    named.join(", ")
                )
            }
            Self::Identical { .. } => "give a new text that differs".to_owned(),
            Self::EmptyOld { .. } => {
                "give the text to replace; use write to set the whole file".to_owned()
            }
            Self::Disproportionate { .. } => {
                "read these lines again and give the text as it stands there".to_owned()
            }
            Self::TooManyPlaces { .. } | Self::TooLarge { .. } => {
                "use write, or a program, for a change of this size".to_owned()
            }
        }
    }
}

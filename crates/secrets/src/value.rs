//! A value that must not be seen, with what it is called.

use std::fmt;

/// Longest name of a value, in characters.
const MAX_CALLED: usize = 72;

/// A secret, and what a reader is told in its place.
#[derive(Clone, PartialEq, Eq)]
pub struct Value {
    text: String,
    called: String,
}

impl Value {
    /// A secret with a name that says where it comes from, such as `API_KEY of .env`. What is odd in a name
    /// is replaced: names come from files, and readers are shown them.
    pub fn new(called: &str, text: impl Into<String>) -> Self {
        let tame = |letter: char| match letter {
            letter if letter.is_ascii_alphanumeric() => letter,
            ' ' | '-' | '.' | '/' | '_' => letter,
            _ => '_',
        };
        let called: String = called.chars().map(tame).take(MAX_CALLED).collect();
        Self { text: text.into(), called: called.trim().to_owned() }
    }

    /// The secret itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it is called.
    pub fn called(&self) -> &str {
        &self.called
    }
}

/// Says the name and never the secret: values are in structs that are printed.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value").field("called", &self.called).finish_non_exhaustive()
    }
}

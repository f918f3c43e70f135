//! `RelPath`: a path beneath the workspace root, in the one spelling everybody uses.
//!
//! A `RelPath` is only words. It promises that no word is `..`, that there is no NUL and no
//! leading slash; it does not promise that the file exists or that no symlink leads out. The host
//! checks that when it opens the path.

use std::{borrow::Borrow, fmt, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a text is not a path beneath the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathError {
    /// The text has a `..` in it.
    Parent,
    /// The text starts at the root of the machine.
    Absolute,
    /// The text holds a NUL character.
    Nul,
    /// The text is longer than any file system allows.
    TooLong,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parent => "the path contains `..`",
            Self::Absolute => "the path is absolute",
            Self::Nul => "the path contains a NUL character",
            Self::TooLong => "the path is longer than 4096 bytes",
        })
    }
}

impl std::error::Error for PathError {}

/// What the names of texts begin with that have no file yet.
const UNTITLED: &str = "untitled:";

/// A path relative to the workspace root, with `/` between words; empty for the root itself.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct RelPath(String);

impl RelPath {
    /// The longest path accepted, in bytes: Linux's own limit.
    pub const MAX_BYTES: usize = 4096;

    /// The root itself.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Read a relative path as a person or an agent writes it: `./src//lib.rs` is `src/lib.rs`.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(PathError::TooLong);
        }
        if text.starts_with('/') {
            return Err(PathError::Absolute);
        }
        let mut words = Vec::new();
        for word in text.split('/') {
            match word {
                "" | "." => {}
                ".." => return Err(PathError::Parent),
                word => words.push(word),
            }
        }
        Ok(Self(words.join("/")))
    }

    /// The path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path to hand to a directory handle: `.` for the root.
    pub fn as_path(&self) -> &Path {
        Path::new(if self.0.is_empty() { "." } else { &self.0 })
    }

    /// True for the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it names a text that has no file yet, such as `untitled:Untitled-1`. Such a name is
    /// never looked for on a disk.
    pub fn is_untitled(&self) -> bool {
        let name = self.0.strip_prefix(UNTITLED);
        name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
    }

    /// The last word, or `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.0.rsplit('/').next().filter(|word| !word.is_empty())
    }

    /// The folder that holds this path, or `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(Self(self.0.rsplit_once('/').map_or_else(String::new, |(head, _)| head.to_owned())))
    }

    /// This path with another beneath it.
    #[must_use]
    pub fn join(&self, tail: &Self) -> Self {
        match (self.is_root(), tail.is_root()) {
            (true, _) => tail.clone(),
            (_, true) => self.clone(),
            _ => Self(format!("{}/{}", self.0, tail.0)),
        }
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl TryFrom<String> for RelPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        Self::parse(&text)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> Self {
        path.0
    }
}

impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_spelling_for_each_path() {
        for text in ["src/lib.rs", "./src/lib.rs", "src//lib.rs", "src/./lib.rs", "src/lib.rs/"] {
            assert_eq!(RelPath::parse(text).unwrap().as_str(), "src/lib.rs");
        }
        assert_eq!(RelPath::parse(".").unwrap(), RelPath::root());
    }

    #[test]
    fn what_could_leave_the_root_is_refused() {
        assert_eq!(RelPath::parse("a/../b"), Err(PathError::Parent));
        assert_eq!(RelPath::parse("/etc/passwd"), Err(PathError::Absolute));
        assert_eq!(RelPath::parse("a\0b"), Err(PathError::Nul));
        assert_eq!(RelPath::parse(&"a/".repeat(3000)), Err(PathError::TooLong));
    }

    #[test]
    fn parents_end_at_the_root() {
        let path = RelPath::parse("a/b").unwrap();
        assert_eq!(path.parent(), Some(RelPath::parse("a").unwrap()));
        assert_eq!(path.parent().unwrap().parent(), Some(RelPath::root()));
        assert_eq!(RelPath::root().parent(), None);
    }

    proptest! {
        #[test]
        fn no_accepted_path_has_a_word_that_climbs(text in "[a./]{0,40}") {
            if let Ok(path) = RelPath::parse(&text) {
                prop_assert!(path.as_str().split('/').all(|word| word != ".." && word != "."));
                prop_assert!(!path.as_str().starts_with('/'));
                prop_assert_eq!(RelPath::parse(path.as_str()), Ok(path));
            }
        }
    }
}

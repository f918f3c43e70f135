//! Patterns of paths as servers write them: `*` stays in one folder, `**` does not, `{a,b}` is either.
//!
//! A pattern is about whole paths. One that cannot be read takes everything: to be told of too many files costs time,
//! to be told of too few makes a server wrong.

use std::path::PathBuf;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use crate::uri::Uri;

/// The longest pattern that is read.
const LONGEST: usize = 2048;

/// A pattern, perhaps beneath a folder.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    base: Option<PathBuf>,
    text: Option<String>,
    glob: Option<GlobMatcher>,
}

impl Pattern {
    /// A text, or a text with the folder that it is beneath.
    pub(crate) fn read(said: &Value) -> Self {
        let (base, text) = match said {
            Value::Object(relative) => {
                let base = relative.get("baseUri").map(|base| base.get("uri").unwrap_or(base));
                let base = base.and_then(Value::as_str).and_then(|uri| Uri::read(uri).path());
                (base, relative.get("pattern").and_then(Value::as_str))
            }
            said => (None, said.as_str()),
        };
        let text = text.filter(|text| text.len() <= LONGEST).map(str::to_owned);
        let glob = text.as_deref().and_then(|text| matcher(text, base.is_some()));
        Self { base, text, glob }
    }

    pub(crate) fn takes(&self, uri: &Uri) -> bool {
        let Some(path) = uri.path() else { return false };
        let path = match &self.base {
            Some(base) => match path.strip_prefix(base) {
                Ok(beneath) => beneath.to_owned(),
                Err(_) => return false,
            },
            None => path,
        };
        self.glob.as_ref().is_none_or(|glob| glob.is_match(&path))
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("**")
    }
}

fn matcher(text: &str, is_beneath: bool) -> Option<GlobMatcher> {
    // Without a folder it is about the end of a path, unless it says from where.
    let text = match text {
        text if is_beneath || text.starts_with('/') || text.starts_with("**") => text.to_owned(),
        text => format!("**/{text}"),
    };
    let mut builder = GlobBuilder::new(&text);
    let glob = builder.literal_separator(true).empty_alternates(true).build().ok()?;
    Some(glob.compile_matcher())
}

#[cfg(test)]
mod tests;

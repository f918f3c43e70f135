//! Which of a remote's references are kept under which names.

use crate::error::GitError;

/// One line of a remote's `fetch` setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refspec {
    source: String,
    /// Empty for references that are not fetched.
    target: String,
}

impl Refspec {
    pub(super) fn usual(remote: &str) -> Self {
        Self { source: "refs/heads/*".to_owned(), target: format!("refs/remotes/{remote}/*") }
    }

    pub(super) fn parse(text: &str) -> Result<Self, GitError> {
        let bad = || GitError::BadUrl {
            url: text.to_owned(),
            reason: "only settings like `+refs/heads/*:refs/remotes/NAME/*` are served".to_owned(),
        };
        let is_good = |name: &str, folder: &str| {
            name.starts_with(folder)
                && name.matches('*').count() <= 1
                && !name.chars().any(|letter| letter.is_whitespace() || letter.is_control())
                && !name.contains("..")
        };
        if let Some(source) = text.strip_prefix('^') {
            let good = is_good(source, "refs/");
            let refspec = Self { source: source.to_owned(), target: String::new() };
            return if good { Ok(refspec) } else { Err(bad()) };
        }
        let plain = text.strip_prefix('+').unwrap_or(text);
        let (source, target) = plain.split_once(':').ok_or_else(bad)?;
        let remote_or_tag = is_good(target, "refs/remotes/") || is_good(target, "refs/tags/");
        if !is_good(source, "refs/")
            || !remote_or_tag
            || source.contains('*') != target.contains('*')
        {
            return Err(bad());
        }
        Ok(Self { source: source.to_owned(), target: target.to_owned() })
    }

    /// For the relay, which keeps everything in a place of its own.
    pub(super) fn for_relay(&self, place: &str) -> String {
        match self.target.strip_prefix("refs/") {
            Some(target) => format!("+{}:{place}{target}", self.source),
            None => format!("^{}", self.source),
        }
    }

    /// The name under which a remote's reference is kept here.
    pub(super) fn target_of(&self, name: &str) -> Option<String> {
        let middle = middle(&self.source, name)?;
        (!self.target.is_empty()).then(|| self.target.replacen('*', middle, 1))
    }

    /// Whether names like this one are kept by it.
    pub(super) fn keeps(&self, name: &str) -> bool {
        !self.target.is_empty() && middle(&self.target, name).is_some()
    }
}

/// What stands for the star, or nothing at all for a pattern without one.
fn middle<'name>(pattern: &str, name: &'name str) -> Option<&'name str> {
    match pattern.split_once('*') {
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == name).then_some(""),
    }
}

#[cfg(test)]
mod tests;

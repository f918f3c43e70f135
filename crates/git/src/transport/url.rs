//! Addresses of remotes: only ways that are known to be safe, never with a password.

use std::path::Path;

use crate::error::{GitError, mask};

/// An address that git may be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// For git.
    pub(super) text: String,
    /// For a reader.
    pub(super) shown: String,
    /// Present for a remote that may ask for a credential.
    pub(super) web: Option<Web>,
    host: Option<String>,
}

/// What a credential is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Web {
    pub(super) protocol: String,
    /// With the port, as it stands in the address.
    pub(super) host: String,
}

impl Url {
    /// `top` is what a relative path is relative to.
    pub(super) fn parse(text: &str, top: &Path) -> Result<Self, GitError> {
        let bad = |reason: &str| GitError::BadUrl { url: mask(text), reason: reason.to_owned() };
        if text.is_empty() || text.len() > 4096 || text.chars().any(char::is_control) {
            return Err(bad("it is empty, too long or has control characters"));
        }
        if text.starts_with('-') {
            return Err(bad("it starts with `-`"));
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            return Self::with_scheme(text, scheme, rest);
        }
        let before_slash = text.split('/').next().unwrap_or_default();
        if before_slash.contains("::") {
            return Err(bad("it names a program that would speak to the remote"));
        }
        if let Some((who, _)) = before_slash.split_once(':') {
            let host = who.rsplit('@').next().unwrap_or_default();
            if host.is_empty() || host.starts_with('-') {
                return Err(bad("its host cannot be used"));
            }
            let shown = text.to_owned();
            return Ok(Self {
                text: text.to_owned(),
                shown,
                web: None,
                host: Some(host.to_owned()),
            });
        }
        let path = top.join(text);
        let path = path.to_str().ok_or_else(|| bad("it is not UTF-8"))?.to_owned();
        Ok(Self { shown: path.clone(), text: path, web: None, host: None })
    }

    fn with_scheme(text: &str, scheme: &str, rest: &str) -> Result<Self, GitError> {
        let bad = |reason: &str| GitError::BadUrl { url: mask(text), reason: reason.to_owned() };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let is_web = ["http", "https"].contains(&scheme);
        if !is_web && !["ssh", "file"].contains(&scheme) {
            return Err(bad("only http, https, ssh and file are served"));
        }
        if user.contains(':') {
            return Err(GitError::CredentialInUrl);
        }
        if scheme != "file" && (host.is_empty() || host.starts_with('-') || host.contains('%')) {
            return Err(bad("its host cannot be used"));
        }
        // A token may stand where a name is meant.
        let shown = if is_web { format!("{scheme}://{host}{path}") } else { text.to_owned() };
        let web = is_web.then(|| Web { protocol: scheme.to_owned(), host: host.to_owned() });
        Ok(Self { text: text.to_owned(), shown, web, host: Some(host.to_owned()) })
    }

    pub(super) fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }
}

#[cfg(test)]
mod tests;

//! Other names of secret files. A hard link has no place it came from, so its name says nothing; the file
//! itself does.
//!
//! A file with one name costs nothing. For another one the secret files of the workspace are looked for, once
//! for whoever holds the [`Twins`]: nothing is remembered longer, because links come and go.

use std::{collections::HashMap, fs::Metadata, os::unix::fs::MetadataExt as _, sync::OnceLock};

use cap_std::fs::MetadataExt as _;
use openspace_protocol::RelPath;

use super::{FileError, Files};
use crate::secrets;

#[cfg(test)]
mod tests;

/// What tells a file from all others: the device it is on and its number there.
type Identity = (u64, u64);

/// The secret files that have more than one name, looked for when the first such file is met.
pub(crate) struct Twins<'a> {
    files: &'a Files,
    /// None when they could not be looked for.
    secret: OnceLock<Option<HashMap<Identity, RelPath>>>,
}

impl<'a> Twins<'a> {
    pub(crate) fn new(files: &'a Files) -> Self {
        Self { files, secret: OnceLock::new() }
    }

    /// Whether a file is a secret one by another name. What cannot be judged is.
    pub(crate) fn have(&self, metadata: &Metadata, cancel: &dyn Fn() -> bool) -> bool {
        if metadata.nlink() == 1 || !self.files.rules.hide_something() {
            return false;
        }
        let look = || match self.files.secrets_with_names(cancel) {
            Ok(found) => Some(found),
            Err(error) => {
                tracing::debug!(%error, "the names of secret files are not known");
                None
            }
        };
        let secret = self.secret.get_or_init(look).as_ref();
        secret.is_none_or(|secret| secret.contains_key(&(metadata.dev(), metadata.ino())))
    }
}

impl Files {
    /// Refuse a file that is a secret one by another name.
    pub(crate) fn guard_twin(
        &self,
        path: &RelPath,
        metadata: &Metadata,
        cancel: &dyn Fn() -> bool,
    ) -> Result<(), FileError> {
        if metadata.nlink() == 1 || !self.rules.hide_something() {
            return Ok(());
        }
        match self.secrets_with_names(cancel)?.remove(&(metadata.dev(), metadata.ino())) {
            Some(secret) => Err(FileError::SecretTwin { path: path.clone(), secret }),
            None => Ok(()),
        }
    }

    /// Whether a path is another name of a secret file; not, when nothing can be read there.
    pub fn is_twin(&self, path: &RelPath) -> bool {
        let Ok(found) = self.beneath.metadata(path.as_path()) else { return false };
        found.is_file()
            && found.nlink() > 1
            && self.rules.hide_something()
            && self
                .secrets_with_names(&|| false)
                .map_or(true, |secret| secret.contains_key(&(found.dev(), found.ino())))
    }

    fn secrets_with_names(
        &self,
        cancel: &dyn Fn() -> bool,
    ) -> Result<HashMap<Identity, RelPath>, FileError> {
        let mut paths = secrets::find(self, cancel)?;
        // The last one of a file is kept: the one nearest to the root.
        paths.sort_by_cached_key(|path| std::cmp::Reverse(path.as_path().components().count()));
        let found = paths.into_iter().filter_map(|path| {
            let found = self.beneath.symlink_metadata(path.as_path()).ok()?;
            (found.is_file() && found.nlink() > 1).then(|| ((found.dev(), found.ino()), path))
        });
        Ok(found.collect())
    }
}

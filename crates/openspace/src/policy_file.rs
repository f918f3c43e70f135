//! The person's own policy file, beside the settings: outside of every workspace, and written whole.
//!
//! A file that is a link, as with dotfiles kept elsewhere, stays one: what it leads to is replaced.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use openspace_workspace::permission::PolicyFile;

use crate::state_folder;

/// Its name in the person's folder.
const NAME: &str = "policy.toml";

/// The file.
#[derive(Clone, Debug)]
pub struct UserPolicy(PathBuf);

impl UserPolicy {
    /// The file in the person's folder; it may not be there.
    pub fn of(config: &Path) -> Self {
        Self(config.join(NAME))
    }
}

impl PolicyFile for UserPolicy {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn read(&self) -> io::Result<Option<String>> {
        read(&self.0)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        write(&self.0, text)
    }
}

/// Replace a file of the person's whole. One that is a link stays one.
pub(crate) fn write(file: &Path, text: &str) -> io::Result<()> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if let Some(folder) = file.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    state_folder::write(&file, text).map_err(|error| io::Error::other(format!("{error:#}")))
}

/// The text of a policy file; `None` when there is no such file.
pub fn read(file: &Path) -> io::Result<Option<String>> {
    #[expect(clippy::disallowed_methods, reason = "a policy is no file of the workspace's work")]
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_made_and_a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = UserPolicy::of(&folder.path().join("config"));
        assert_eq!(file.read().unwrap(), None);
        file.write("# one\n").unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("# one\n"));
        let elsewhere = folder.path().join("config/kept.toml");
        file.write("# two\n").unwrap();
        std::fs::hard_link(&file.0, &elsewhere).unwrap();
        let linked = UserPolicy(folder.path().join("linked.toml"));
        std::os::unix::fs::symlink(&elsewhere, &linked.0).unwrap();
        linked.write("# three\n").unwrap();
        assert!(linked.0.is_symlink());
        assert_eq!(read(&elsewhere).unwrap().as_deref(), Some("# three\n"));
    }
}

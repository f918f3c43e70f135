//! Folders that are made for workspaces, and go with them.

use std::{io, os::unix::fs::DirBuilderExt as _, path::Path};

/// Makes a new, empty folder for this user only. One that is there already is an error.
pub fn create(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    }
    std::fs::DirBuilder::new().mode(0o700).create(folder)
}

/// Removes a folder with everything in it; links are removed, never followed. One that is gone
/// already is as good as removed.
pub fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the files of a test lie in no workspace")]
    fn a_folder_is_new_and_goes_with_all_that_is_in_it() {
        let place = tempfile::tempdir().unwrap();
        let kept = place.path().join("kept");
        std::fs::write(&kept, "x").unwrap();
        let folder = place.path().join("workspaces/w1");
        create(&folder).unwrap();
        assert_eq!(create(&folder).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        std::fs::create_dir(folder.join("sub")).unwrap();
        std::os::unix::fs::symlink(&kept, folder.join("sub/link")).unwrap();
        remove(&folder).unwrap();
        remove(&folder).unwrap();
        assert!(!folder.exists());
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x");
    }
}

//! Git's own files in a repository that others can change: whether they are files at all.
//!
//! Git keeps files and folders there and follows whatever it finds. A link makes it read or write elsewhere, a pipe
//! makes it wait for ever. A program that runs in that moment can still put one there after this look; what git
//! then writes is held by the wall it stands behind.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use super::child::{Session, relative};
use super::error::GitError;

/// Folders that are not looked into: there git finds files by what is in them, or nobody else can write.
const APART: [&str; 5] = ["hooks", "lfs", "modules", "objects", "worktrees"];

/// How deep folders of references may lie.
const DEEPEST: usize = 64;

impl Session<'_> {
    /// Refuses a repository in which a link or a pipe stands where git would follow it or wait.
    pub(super) fn check_own_files(&self) -> Result<(), GitError> {
        self.check_folder(&self.git_dir, 0)
    }

    fn check_folder(&self, folder: &Path, depth: usize) -> Result<(), GitError> {
        let failed = |error: io::Error| {
            GitError::io(self.action, "the repository cannot be looked at", &error)
        };
        let entries = match std::fs::read_dir(folder) {
            // What is gone by now misleads nobody.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            if kind.is_dir() {
                let is_apart = depth == 0 && APART.iter().any(|name| entry.file_name() == *name);
                if !is_apart && depth < DEEPEST {
                    self.check_folder(&path, depth + 1)?;
                }
            } else if kind.is_symlink() || kind.is_fifo() {
                let path = relative(&self.git.settings.root, &path.to_string_lossy());
                return Err(GitError::Misleading { path });
            }
        }
        Ok(())
    }
}

/// The beginning of one of git's own files, if it is a file.
pub(super) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

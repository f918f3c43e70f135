//! Git's own files in a repository that others can change: whether they are files at all.
//!
//! Git keeps files and folders there and follows whatever it finds. A link makes it read or write elsewhere, which
//! counts where git can do more than who put it there; a pipe makes it wait for ever, whoever runs it. Who could put one
//! there after this look stands still while git changes something; while it only looks, it shows what it is led to.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use super::child::{Session, relative};
use super::error::GitError;

/// Folders that are not looked into: those of other programs and other repositories, or in which nobody else can
/// write.
const APART: [&str; 4] = ["hooks", "lfs", "modules", "worktrees"];

/// A link here shows another project's objects as this one's, which only counts where git sees more than others.
const OBJECTS: &str = "objects";

/// How deep folders of references may lie.
const DEEPEST: usize = 64;

impl Session<'_> {
    /// Refuses a repository in which a pipe stands where git would wait, or a link where it must not follow.
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
                let is_named = |name: &&str| entry.file_name() == **name;
                let is_apart =
                    APART.iter().any(is_named) || !self.is_behind() && is_named(&OBJECTS);
                if !(is_apart && depth == 0) && depth < DEEPEST {
                    self.check_folder(&path, depth + 1)?;
                }
            } else if kind.is_fifo() || kind.is_symlink() && self.is_behind() {
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

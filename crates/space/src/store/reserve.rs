//! Room on the disk that is held for the moment in which there is none.
//!
//! The log that is written ahead can fill a disk by itself. What it holds has to be moved into the tables
//! before it can be cut, and tables that grow need room first: without some that is held back, nobody but
//! a person could get the store out of that.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// More than the tables grow by between two cuts of the log.
const BYTES: usize = 512 * 1024;
const BLOCK: usize = 4096;

pub(super) struct Reserve(PathBuf);

impl Reserve {
    /// The room beside a database.
    pub(super) fn beside(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-reserve");
        Self(path.into())
    }

    /// Hold the room, unless it is held.
    pub(super) fn hold(&self) {
        let is_held = self.0.metadata().is_ok_and(|found| found.len() == BYTES as u64);
        if is_held {
            return;
        }
        if let Err(error) = self.fill() {
            tracing::debug!(%error, "no room is held for the store");
            self.release();
        }
    }

    /// A file system that packs its files must find nothing to pack.
    fn fill(&self) -> io::Result<()> {
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&self.0)?;
        let (mut block, mut word) = ([0; BLOCK], 0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..BYTES / BLOCK {
            for piece in block.chunks_exact_mut(8) {
                word ^= word << 13;
                word ^= word >> 7;
                word ^= word << 17;
                piece.copy_from_slice(&word.to_le_bytes());
            }
            file.write_all(&block)?;
        }
        Ok(())
    }

    /// Give the room away.
    pub(super) fn release(&self) {
        #[expect(clippy::disallowed_methods, reason = "the store's own file")]
        let removed = std::fs::remove_file(&self.0);
        if let Err(error) = removed
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "the room that is held for the store cannot be given away");
        }
    }
}

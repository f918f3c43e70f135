//! What is in files that a program would be made of, told by a digest: whoever said yes to a script said it to the
//! script as it was.
//!
//! Links are followed, as they are when something is run. Nothing of the content is kept or told.

use std::{
    io::{self, Read as _},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FileType, Mode, OFlags, fstat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

#[cfg(test)]
mod tests;

/// The most files that are looked into at once.
pub const MOST_FILES: usize = 64;
/// The largest file that is looked into.
const LARGEST: u64 = 256 * 1024 * 1024;
/// So much is read at a time.
const PIECE: usize = 64 * 1024;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Nothing.
    Missing,
    /// A folder.
    Folder {
        /// Where it really is.
        real: PathBuf,
    },
    /// A file.
    File {
        /// Where it really is.
        real: PathBuf,
        /// The SHA-256 of its bytes, in hexadecimal.
        digest: String,
    },
    /// Something that cannot be told by its content: it may not be read, is too large, or is no file.
    Unknown,
}

impl Content {
    /// Looks into a file. Blocks, and gives up when it is told to stop.
    pub fn of(path: &Path, is_over: &dyn Fn() -> bool) -> Self {
        look(path, is_over).unwrap_or_else(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Unknown,
        })
    }
}

fn look(path: &Path, is_over: &dyn Fn() -> bool) -> io::Result<Content> {
    let real = path.canonicalize()?;
    // A pipe without a writer must not hold anybody up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened: OwnedFd = rustix::fs::open(path, flags, Mode::empty())?;
    let stat = fstat(&opened)?;
    let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => return Ok(Content::Folder { real }),
        FileType::RegularFile if size <= LARGEST => {}
        _ => return Ok(Content::Unknown),
    }
    // It may grow while it is read.
    let mut file = std::fs::File::from(opened).take(LARGEST + 1);
    let (mut hash, mut piece, mut total) = (Sha256::new(), vec![0; PIECE], 0);
    loop {
        if is_over() {
            return Err(Errno::CANCELED.into());
        }
        match file.read(&mut piece)? {
            0 => break,
            count => {
                total += count as u64;
                hash.update(&piece[..count]);
            }
        }
    }
    if total > LARGEST {
        return Ok(Content::Unknown);
    }
    let digest = hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut text, format_args!("{byte:02x}"));
        text
    });
    Ok(Content::File { real, digest })
}

//! Reading a file as it is, byte for byte, up to a size that fits into one answer.

use std::io::Read as _;

use cap_std::fs::Metadata;
use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use super::{FileError, Files, MAX_WRITE_BYTES, inspect::token};

#[cfg(test)]
mod tests;

/// The largest file that is read; what is read can also be written.
pub const MAX_BYTES: u64 = MAX_WRITE_BYTES;
const PIECE_BYTES: u64 = 1024 * 1024;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesRead {
    /// All of it.
    #[serde(with = "serde_bytes")]
    pub content: Vec<u8>,
    /// The token that the file had before it was read: a change during the reading makes the next
    /// write with this token a conflict.
    pub token: String,
}

impl Files {
    /// Read a whole file.
    pub fn read_bytes(
        &self,
        path: &RelPath,
        cancel: &dyn Fn() -> bool,
    ) -> Result<BytesRead, FileError> {
        let (content, metadata) = self.read_whole(path, MAX_BYTES, cancel)?;
        Ok(BytesRead { content, token: token(&Metadata::from_just_metadata(metadata)) })
    }

    /// All of a file that is no larger than the limit, and what was known of it before.
    pub(crate) fn read_whole(
        &self,
        path: &RelPath,
        limit: u64,
        cancel: &dyn Fn() -> bool,
    ) -> Result<(Vec<u8>, std::fs::Metadata), FileError> {
        let (mut file, metadata) = self.open_regular(path)?;
        let too_large = |size| FileError::TooLarge { path: path.clone(), size, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        // One byte more, so that the end is seen without room for another piece.
        let mut content = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
        loop {
            if cancel() {
                return Err(FileError::Cancelled);
            }
            let piece = (&mut file).take(PIECE_BYTES).read_to_end(&mut content);
            if piece.map_err(|error| FileError::from_io(path, error))? == 0 {
                return Ok((content, metadata));
            }
            if content.len() as u64 > limit {
                return Err(too_large(content.len() as u64));
            }
        }
    }
}

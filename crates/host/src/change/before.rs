//! What a file held before a change.

use std::io::Read as _;

use openspace_protocol::RelPath;

use super::MAX_EDIT_BYTES;
use crate::files::{Before, FileError, Files};

const PIECE_BYTES: u64 = 1024 * 1024;

pub(super) enum Old {
    Missing,
    Content(Vec<u8>),
    /// Something that cannot be known, and why: it is too large, or closed to reading.
    Unknown(FileError),
}

impl Old {
    pub(super) fn read(
        files: &Files,
        path: &RelPath,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Self, FileError> {
        match content(files, path, cancel) {
            Ok(content) => Ok(Self::Content(content)),
            Err(FileError::NotFound { .. }) => Ok(Self::Missing),
            Err(error @ (FileError::TooLarge { .. } | FileError::PermissionDenied { .. })) => {
                Ok(Self::Unknown(error))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Content(content) => Some(content),
            Self::Missing | Self::Unknown(_) => None,
        }
    }

    /// What must still be there when it is replaced.
    pub(super) fn must_be_there(&self) -> Before<'_> {
        match self {
            Self::Missing => Before::Nothing,
            Self::Content(content) => Before::Content(content),
            Self::Unknown(_) => Before::Anything,
        }
    }
}

fn content(files: &Files, path: &RelPath, cancel: &dyn Fn() -> bool) -> Result<Vec<u8>, FileError> {
    let (mut file, metadata) = files.open_regular(path)?;
    let limit = usize::try_from(MAX_EDIT_BYTES).unwrap_or(usize::MAX);
    let too_large = |size| FileError::TooLarge { path: path.clone(), size, limit: MAX_EDIT_BYTES };
    if metadata.len() > MAX_EDIT_BYTES {
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
            return Ok(content);
        }
        if content.len() > limit {
            return Err(too_large(content.len() as u64));
        }
    }
}

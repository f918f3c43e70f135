//! What a file held before a change.

use openspace_protocol::RelPath;

use super::MAX_EDIT_BYTES;
use crate::files::{Before, FileError, Files};

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
        match files.read_whole(path, MAX_EDIT_BYTES, cancel) {
            Ok((content, _)) => Ok(Self::Content(content)),
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

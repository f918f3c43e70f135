//! Failures of file work in words for a caller.

use openspace_command::{Error, ErrorKind};
use openspace_files::FileError;

pub(super) fn refused(error: FileError) -> Error {
    let message = error.to_string();
    let (kind, hint) = match &error {
        FileError::BadPath { .. } => (
            ErrorKind::InvalidArgs,
            Some("give a path relative to the workspace root, without `..`"),
        ),
        FileError::Outside { .. } | FileError::LeadsOut { .. } => {
            (ErrorKind::Denied, Some("only paths beneath the workspace root can be used"))
        }
        FileError::Forbidden { .. } => (
            ErrorKind::Denied,
            Some(
                "this path is secret or protected; the person can do it, and `file_read_secret` with a reason asks them for a secret",
            ),
        ),
        FileError::SecretTwin { .. } => (
            ErrorKind::Denied,
            Some(
                "`file_read_secret` with a reason asks the person for the secret, by its own name",
            ),
        ),
        FileError::HoldsSecret { .. } => (
            ErrorKind::Denied,
            Some("delete what is beside the secret; the folder with it is the person's to delete"),
        ),
        FileError::NotFound { .. } | FileError::DanglingLink { .. } => {
            (ErrorKind::NotFound, Some("workspace_glob finds files by pattern"))
        }
        FileError::Exists { .. } => (
            ErrorKind::Conflict,
            Some("choose another name; a move or a copy replaces what is there with overwrite"),
        ),
        FileError::IsTheRoot => (ErrorKind::InvalidArgs, Some("name something in the workspace")),
        FileError::IntoItself { .. } => (ErrorKind::InvalidArgs, Some("choose another place")),
        FileError::TooMuch { .. } => {
            (ErrorKind::Unsupported, Some("take smaller folders, or use a terminal"))
        }
        FileError::NotInTrash { .. } => (
            ErrorKind::NotFound,
            Some("give the path that file_delete told; only the newest 200 deletions are kept"),
        ),
        FileError::IsAFolder { .. } => (ErrorKind::InvalidArgs, Some("file_list shows a folder")),
        FileError::NotAFolder { .. } => (ErrorKind::InvalidArgs, Some("file_read shows a file")),
        FileError::NotAFile { .. } | FileError::Binary { .. } => (
            ErrorKind::Unsupported,
            Some("only text can be read; use a terminal to look at other files"),
        ),
        FileError::TooLarge { .. } => (
            ErrorKind::Unsupported,
            Some(
                "a part of it can be read with startLine and endLine; to write more, use a terminal",
            ),
        ),
        FileError::LineBeyondEnd { .. } => {
            (ErrorKind::InvalidArgs, Some("ask for a line that the file has"))
        }
        FileError::BadPattern(_) => {
            (ErrorKind::InvalidArgs, Some("patterns are globs such as `src/**/*.rs`"))
        }
        FileError::BadRange { .. } | FileError::BadName { .. } => (ErrorKind::InvalidArgs, None),
        FileError::PermissionDenied { .. } | FileError::ReadOnly { .. } => {
            (ErrorKind::Denied, Some("the permissions of the file or folder do not allow it"))
        }
        FileError::LinkLoop { .. } => (ErrorKind::Conflict, None),
        FileError::NoSpace { .. } => (ErrorKind::Conflict, Some("free some disk space first")),
        FileError::Busy { .. } => (ErrorKind::Conflict, Some("try again")),
        FileError::Cancelled => (ErrorKind::Cancelled, None),
        FileError::Root { .. } | FileError::NotDurable { .. } | FileError::Io { .. } => {
            (ErrorKind::Internal, None)
        }
    };
    super::with(kind, message, hint.map(str::to_owned)).because(error)
}

//! What callers name by path: the file that is there, or those that may have been meant.
//!
//! Every area uses this; it knows nothing of panes, editors or tools.

use openspace_command::{Caller, CallerKind, Error, Result};
use openspace_files::{FileError, change::ChangeError};
use openspace_host::{
    HostError,
    operation::{MayRead, NearNames},
};
use openspace_protocol::RelPath;

use crate::{Cx, places::Place, refusal::refused};

/// Whether a caller may see and change secret files: they are the person's own, and an agent or a
/// script is not the person.
pub(crate) fn is_person(caller: &Caller) -> bool {
    caller.kind == CallerKind::Person
}

/// Put a failure into words; when a file is not there, name the files that may have been meant.
pub(crate) async fn explained(place: &Place, error: HostError) -> Error {
    let near = match &error {
        HostError::File(FileError::NotFound { path })
        | HostError::Change(ChangeError::File(FileError::NotFound { path })) => {
            // Without an answer the refusal stands by itself.
            place.ask(NearNames { path: path.clone() }).await.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let refusal = refused(error);
    if near.is_empty() {
        return refusal;
    }
    refusal.hint(format!("did you mean {}?", near.join(" or ")))
}

/// The same, for somebody who wanted to show a file.
pub(crate) async fn not_shown(place: &Place, error: HostError) -> Error {
    match error {
        HostError::File(FileError::IsAFolder { path } | FileError::NotAFile { path }) => {
            Error::invalid(format!("`{path}` is not a file"))
                .hint("file_list shows what is in a folder")
        }
        other => explained(place, other).await,
    }
}

/// A path that names a file which may be shown. What a person opens is shown to people; nothing of it
/// goes into an answer, so their secrets may be among it.
pub(crate) async fn existing_file(cx: &Cx, path: &str) -> Result<RelPath> {
    let path = cx.state.path(path)?;
    if path.is_untitled() && cx.state.buffers().is_unsaved(&path) {
        return Ok(path);
    }
    let place = cx.state.place();
    match place.ask(MayRead { path: path.clone(), person: is_person(&cx.caller) }).await {
        Ok(()) => Ok(path),
        Err(error) => Err(not_shown(place, error).await),
    }
}

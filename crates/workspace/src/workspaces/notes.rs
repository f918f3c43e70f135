//! What the server remembers of a workspace beside the space: small files in the workspace's private folder, where
//! no agent reaches. A note that cannot be read is an error: it says what must be kept from agents.

use std::{
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};

use openspace_command::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};

/// What was noted; nothing when nobody has.
#[expect(clippy::disallowed_methods, reason = "the server's own file, not one of a workspace")]
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let read = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read,
    };
    let read = read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
    read.map(Some).map_err(|error| {
        Error::internal("what is known of the workspace cannot be read")
            .because(error)
            .hint(format!("look at {}", path.display()))
    })
}

/// Note something in place of what was noted.
#[expect(clippy::disallowed_methods, reason = "the server's own file, not one of a workspace")]
pub(super) fn write(path: &Path, noted: &impl Serialize) -> Result<()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let new = path.with_extension("new");
    // Whoever runs in a sandbox needs no private folder, so there may be none yet.
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let bytes = folder.and_then(|()| Ok(serde_json::to_vec(noted)?));
    let written = bytes
        .and_then(|bytes| std::fs::write(&new, bytes))
        .and_then(|()| std::fs::rename(&new, path));
    written.map_err(|error| {
        Error::internal("what is known of the workspace cannot be kept").because(error)
    })
}

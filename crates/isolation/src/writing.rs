//! A wall around writing alone, for programs of the person's that work on data which agents can change.
//!
//! It is no place: what runs behind it sees, reads and reaches what the person does, so that hooks,
//! keys and settings work as they do elsewhere; only what opens this server is not read, for a hook may run a
//! file that an agent wrote. It keeps crafted data from leading a program to write
//! where no agent could. On a kernel without Landlock there is no such wall.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use openspace_protocol::confinement::{Confinement, FLAG};

use crate::IsolationError;
use crate::confined::CACHES;

/// Where programs put what nobody misses, besides where the environment says.
const TEMPORARY: [&str; 2] = ["/var/tmp", "/dev/shm"];

/// Tools that hooks run keep more there than agents' tools may touch.
const CACHE: &str = ".cache";

/// Words to put before a program, which then changes nothing but what lies beneath these folders, what
/// tools keep in the home, and temporary files, and reads nothing that is `hidden`, but beneath these folders.
pub fn writing_only(
    runner: &Path,
    beneath: &[PathBuf],
    home: Option<&Path>,
    hidden: &[PathBuf],
) -> Result<Vec<OsString>, IsolationError> {
    let in_home = home
        .into_iter()
        .flat_map(|home| std::iter::once(&CACHE).chain(CACHES).map(|name| home.join(name)));
    let confinement = Confinement {
        readable: vec!["/".into()],
        devices: vec!["/dev".into()],
        network: true,
        writable_if_there: beneath
            .iter()
            .cloned()
            .chain([std::env::temp_dir()])
            .chain(TEMPORARY.map(PathBuf::from))
            .chain(in_home)
            .collect(),
        unreadable: hidden.to_vec(),
        quiet: true,
        ..Confinement::default()
    };
    let failed = |error: serde_json::Error| IsolationError::System {
        doing: "describe what may be written".to_owned(),
        source: error.into(),
    };
    let argument = serde_json::to_string(&confinement).map_err(failed)?;
    Ok(vec![runner.into(), FLAG.into(), argument.into(), "--exec".into()])
}

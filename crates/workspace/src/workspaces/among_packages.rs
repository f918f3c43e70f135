//! Secrets that were moved into a folder of packages.
//!
//! In such a folder (`node_modules`) names that look like secrets mostly are none, so a place that is opened does not
//! look there. A secret that came there while a place was open is known to its keeper, and here it is remembered
//! for the places that are opened later.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use openspace_command::{Error, Result};
use openspace_files::rules::Masking;

use super::notes;

/// The file in which they are kept.
const NOTE: &str = "hidden.json";

/// Secrets that are remembered at most.
const MOST: usize = 10_000;

/// The secrets of one workspace that lie in folders of packages, relative to its root.
pub(super) struct AmongPackages {
    note: PathBuf,
    known: Mutex<BTreeSet<String>>,
}

impl AmongPackages {
    /// What is remembered in a workspace's private folder.
    pub(super) fn read(private: &Path) -> Result<Self> {
        let note = private.join(NOTE);
        let known = notes::read(&note)?.unwrap_or_default();
        Ok(Self { note, known: Mutex::new(known) })
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<String> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// A secret is hidden now; it is remembered if a place that is opened later would not find it.
    pub(super) fn hid(&self, path: &str) -> Result<()> {
        let is_among_packages = path.split('/').any(Masking::is_of_packages);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_among_packages || known.contains(path) {
            return Ok(());
        }
        if known.len() >= MOST {
            return Err(Error::internal(format!("more than {MOST} secrets lie among packages")));
        }
        known.insert(path.to_owned());
        notes::write(&self.note, &*known)
    }
}

#[cfg(test)]
mod tests {
    use super::AmongPackages;

    #[test]
    fn what_would_not_be_found_again_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = AmongPackages::read(folder.path()).unwrap();
        for path in
            [".env", "node_modules/kept/.env", "a/node_modules/.env", "node_modules.bak/.env"]
        {
            secrets.hid(path).unwrap();
        }
        let again = AmongPackages::read(folder.path()).unwrap();
        assert_eq!(again.all(), ["a/node_modules/.env", "node_modules/kept/.env"]);
    }
}

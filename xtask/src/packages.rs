//! npm packages that a verb uses, kept in the user's cache.
//!
//! Which versions are installed is decided by lock files in this repository, nowhere else.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, anyhow};
use serde_json::Value;

use crate::{
    kept::Kept,
    tools::{npm, succeed},
};

#[cfg(test)]
mod tests;

pub(crate) struct Packages {
    /// What they are for, in the name of their folder.
    pub(crate) purpose: &'static str,
    /// The package whose version is in the name of their folder.
    pub(crate) named_after: &'static str,
    pub(crate) manifest: &'static str,
    pub(crate) lock: &'static str,
    /// Files without which the installation is not complete.
    pub(crate) programs: &'static [&'static str],
}

impl Packages {
    /// The folder in the cache, installed now if it is not there completely.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let kept = Kept {
            purpose: self.purpose,
            version: &self.version()?,
            list: self.lock,
            programs: self.programs,
        };
        kept.installed(|staging| self.fill(staging))
    }

    fn version(&self) -> Result<String> {
        let manifest: Value = serde_json::from_str(self.manifest)?;
        let version = manifest["dependencies"][self.named_after].as_str();
        version
            .map(str::to_owned)
            .ok_or_else(|| anyhow!("package.json does not name {}", self.named_after))
    }

    fn fill(&self, staging: &Path) -> Result<()> {
        fs::write(staging.join("package.json"), self.manifest)?;
        fs::write(staging.join("package-lock.json"), self.lock)?;
        // No package here needs its scripts. The machine's Node may be older than a package wants,
        // but npm needs no more.
        let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        succeed(npm(&quiet)?.current_dir(staging))
    }

    /// Panics unless manifest and lock file agree and no registry is named in the lock file.
    #[cfg(test)]
    pub(crate) fn check_lock(&self) {
        let lock: Value = serde_json::from_str(self.lock).unwrap();
        let manifest: Value = serde_json::from_str(self.manifest).unwrap();
        assert_eq!(lock["packages"][""]["dependencies"], manifest["dependencies"]);
        let locked = &lock["packages"][format!("node_modules/{}", self.named_after)]["version"];
        assert_eq!(*locked, *self.version().unwrap());
        assert!(!self.lock.contains("\"resolved\""));
    }
}

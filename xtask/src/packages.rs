//! npm packages that a verb uses, kept in the user's cache.
//!
//! Which versions are installed is decided by lock files in this repository, nowhere else.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::tools::{npm, succeed};

#[cfg(test)]
mod tests;

/// Written last; holds the lock file that was installed.
const MARKER: &str = "installed";

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
        let name = format!("{}-{}", self.purpose, self.version()?);
        let folder = cache()?.join("openspace").join(name);
        if !self.is_complete(&folder) {
            self.install(&folder)?;
        }
        Ok(folder)
    }

    fn version(&self) -> Result<String> {
        let manifest: Value = serde_json::from_str(self.manifest)?;
        let version = manifest["dependencies"][self.named_after].as_str();
        version
            .map(str::to_owned)
            .ok_or_else(|| anyhow!("package.json does not name {}", self.named_after))
    }

    fn is_complete(&self, folder: &Path) -> bool {
        fs::read_to_string(folder.join(MARKER)).is_ok_and(|installed| installed == self.lock)
            && self.programs.iter().all(|program| folder.join(program).is_file())
    }

    /// Installs beside the final place and moves it there when complete, so that an interrupted or
    /// a second installation at the same time never leaves a broken cache.
    fn install(&self, folder: &Path) -> Result<()> {
        eprintln!("installing what {} needs into {}", self.purpose, folder.display());
        let staging = folder.with_added_extension(format!("new-{}", process::id()));
        fs::create_dir_all(&staging)
            .with_context(|| format!("cannot create {}", staging.display()))?;
        let outcome = self.fill(&staging).and_then(|()| self.replace(folder, &staging));
        if staging.exists() {
            fs::remove_dir_all(&staging)?;
        }
        outcome
    }

    fn fill(&self, staging: &Path) -> Result<()> {
        fs::write(staging.join("package.json"), self.manifest)?;
        fs::write(staging.join("package-lock.json"), self.lock)?;
        // No package here needs its scripts. The machine's Node may be older than a package wants,
        // but npm needs no more.
        let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        succeed(npm(&quiet)?.current_dir(staging))?;
        fs::write(staging.join(MARKER), self.lock)?;
        if self.is_complete(staging) {
            Ok(())
        } else {
            bail!("npm installed {} incompletely", self.named_after)
        }
    }

    fn replace(&self, folder: &Path, staging: &Path) -> Result<()> {
        if self.is_complete(folder) {
            return Ok(());
        }
        if folder.exists() {
            fs::remove_dir_all(folder)
                .with_context(|| format!("cannot remove the broken {}", folder.display()))?;
        }
        let moved = fs::rename(staging, folder);
        // Another run may have been faster; its copy is as good.
        if moved.is_err() && self.is_complete(folder) {
            return Ok(());
        }
        moved.with_context(|| format!("cannot create {}", folder.display()))
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

/// Where a person's programs keep what can be had again.
pub(crate) fn cache() -> Result<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = || env::home_dir().map(|home| home.join(".cache"));
    named.or_else(usual).context("neither XDG_CACHE_HOME nor HOME is set")
}

//! Folders in the user's cache, of what others made and a verb needs: each is whole and as this repository names it, or it
//! is installed now.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, Result, bail};

#[cfg(test)]
mod tests;

/// Written last; holds the list of what was installed.
const MARKER: &str = "installed";

/// Such a folder.
pub(crate) struct Kept<'a> {
    /// What it is for, in its name.
    pub(crate) purpose: &'a str,
    /// Its version, in its name too.
    pub(crate) version: &'a str,
    /// The list of what is in it, with versions and hashes. With another list it is another folder.
    pub(crate) list: &'a str,
    /// Files without which it is not whole.
    pub(crate) programs: &'a [&'a str],
}

impl Kept<'_> {
    /// Where it is, filled now if it is not there whole.
    pub(crate) fn installed(&self, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let name = format!("{}-{}", self.purpose, self.version);
        let folder = cache()?.join("openspace").join(name);
        if !self.is_complete(&folder) {
            self.install(&folder, fill)?;
        }
        Ok(folder)
    }

    fn is_complete(&self, folder: &Path) -> bool {
        fs::read_to_string(folder.join(MARKER)).is_ok_and(|known| known == self.list)
            && self.programs.iter().all(|program| folder.join(program).is_file())
    }

    /// Installs beside the final place and moves it there when complete, so that an interrupted or
    /// a second installation at the same time never leaves a broken cache.
    fn install(&self, folder: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        eprintln!("installing what {} needs into {}", self.purpose, folder.display());
        let staging = folder.with_added_extension(format!("new-{}", process::id()));
        fs::create_dir_all(&staging)
            .with_context(|| format!("cannot create {}", staging.display()))?;
        let filled = fill(&staging).and_then(|()| self.complete(&staging));
        let outcome = filled.and_then(|()| self.replace(folder, &staging));
        if staging.exists() {
            fs::remove_dir_all(&staging)?;
        }
        outcome
    }

    fn complete(&self, staging: &Path) -> Result<()> {
        fs::write(staging.join(MARKER), self.list)?;
        if self.is_complete(staging) {
            Ok(())
        } else {
            bail!("what {} needs was installed incompletely", self.purpose)
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
}

/// Where a person's programs keep what can be had again.
pub(crate) fn cache() -> Result<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = || env::home_dir().map(|home| home.join(".cache"));
    named.or_else(usual).context("neither XDG_CACHE_HOME nor HOME is set")
}

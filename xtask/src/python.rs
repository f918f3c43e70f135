//! Programs from Python's packages, kept in the user's cache: a virtual environment of their own, each package at the
//! version and with the hash that a list of requirements names.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{self, Command},
};

use anyhow::{Context, Result, bail};

use crate::{packages::cache, tools::succeed};

/// Written last; holds the requirements that were installed.
const MARKER: &str = "installed";

pub(crate) struct PythonPackages {
    /// What they are for, in the name of their folder.
    pub(crate) purpose: &'static str,
    /// The package whose version is in the name of their folder.
    pub(crate) named_after: &'static str,
    pub(crate) requirements: &'static str,
    /// Programs without which the installation is not complete.
    pub(crate) programs: &'static [&'static str],
    /// Programs that lie within a package, and where: their script in `bin` names the folder that it was installed in.
    pub(crate) within: &'static [(&'static str, &'static str)],
}

impl PythonPackages {
    /// The folder in the cache, installed now if it is not there completely. What is a script in its `bin` has to be
    /// started with the `python` beside it.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let name = format!("{}-{}", self.purpose, self.version()?);
        let folder = cache()?.join("openspace").join(name);
        if !self.is_complete(&folder) {
            self.install(&folder)?;
        }
        Ok(folder)
    }

    fn version(&self) -> Result<&'static str> {
        let named = format!("{}==", self.named_after);
        let version = self.requirements.lines().find_map(|line| line.strip_prefix(&*named));
        let version = version.and_then(|rest| rest.split_whitespace().next());
        version.with_context(|| format!("the requirements do not name {}", self.named_after))
    }

    fn is_complete(&self, folder: &Path) -> bool {
        fs::read_to_string(folder.join(MARKER)).is_ok_and(|known| known == self.requirements)
            && self.programs.iter().all(|program| folder.join("bin").join(program).is_file())
    }

    /// Installs beside the final place and moves it there when complete, so that an interrupted or a second
    /// installation at the same time never leaves a broken cache.
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
        succeed(Command::new("python3").args(["-m", "venv"]).arg(staging))?;
        let list = staging.join("requirements.txt");
        fs::write(&list, self.requirements)?;
        succeed(
            Command::new(staging.join("bin/python"))
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(["--only-binary", ":all:", "--require-hashes", "--requirement"])
                .arg(&list),
        )?;
        for (program, path) in self.within {
            let link = staging.join("bin").join(program);
            fs::remove_file(&link).with_context(|| format!("there is no {}", link.display()))?;
            symlink(Path::new("..").join(packages(staging)?).join(path), &link)?;
        }
        fs::write(staging.join(MARKER), self.requirements)?;
        if self.is_complete(staging) {
            Ok(())
        } else {
            bail!("pip installed {} incompletely", self.named_after)
        }
    }

    fn replace(&self, folder: &Path, staging: &Path) -> Result<()> {
        if folder.exists() && !self.is_complete(folder) {
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

    /// Panics unless every package has its version and a hash.
    #[cfg(test)]
    pub(crate) fn check_hashes(&self) {
        let logical = self.requirements.replace("\\\n", " ");
        let wrong: Vec<&str> = logical
            .lines()
            .filter(|line| !(line.contains("==") && line.contains("--hash=sha256:")))
            .collect();
        assert_eq!(wrong, Vec::<&str>::new());
        assert!(self.version().is_ok());
    }
}

/// Where an environment keeps its packages, relative to it; the version of Python is in the name.
fn packages(environment: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(environment.join("lib"))? {
        let packages = Path::new("lib").join(entry?.file_name()).join("site-packages");
        if environment.join(&packages).is_dir() {
            return Ok(packages);
        }
    }
    bail!("{} has no packages", environment.display())
}

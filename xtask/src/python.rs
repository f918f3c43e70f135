//! Programs from Python's packages, kept in the user's cache: a virtual environment of their own, each package at the
//! version and with the hash that a list of requirements names.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{kept::Kept, tools::succeed};

pub(crate) struct PythonPackages {
    /// What they are for, in the name of their folder.
    pub(crate) purpose: &'static str,
    /// The package whose version is in the name of their folder.
    pub(crate) named_after: &'static str,
    pub(crate) requirements: &'static str,
    /// Files without which the installation is not complete.
    pub(crate) programs: &'static [&'static str],
    /// Programs that lie within a package, and where: their script in `bin` names the folder that it was installed in.
    pub(crate) within: &'static [(&'static str, &'static str)],
}

impl PythonPackages {
    /// The folder in the cache, installed now if it is not there completely. What is a script in its `bin` has to be
    /// started with the `python` beside it.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let kept = Kept {
            purpose: self.purpose,
            version: self.version()?,
            list: self.requirements,
            programs: self.programs,
        };
        kept.installed(|staging| self.fill(staging))
    }

    fn version(&self) -> Result<&'static str> {
        let named = format!("{}==", self.named_after);
        let version = self.requirements.lines().find_map(|line| line.strip_prefix(&*named));
        let version = version.and_then(|rest| rest.split_whitespace().next());
        version.with_context(|| format!("the requirements do not name {}", self.named_after))
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
        Ok(())
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

//! The opencode that tests talk to: a fixed version from npm, one file.

use std::{env, path::PathBuf};

use anyhow::{Result, bail};

use crate::packages::Packages;

const PROGRAM: &str = "node_modules/opencode-linux-x64/bin/opencode";
const PACKAGES: Packages = Packages {
    purpose: "opencode",
    named_after: "opencode-linux-x64",
    manifest: include_str!("../opencode/package.json"),
    lock: include_str!("../opencode/package-lock.json"),
    programs: &[PROGRAM],
};

/// The program in the cache, installed now if it is not there.
pub(crate) fn installed() -> Result<PathBuf> {
    let (os, machine) = (env::consts::OS, env::consts::ARCH);
    if (os, machine) != ("linux", "x86_64") {
        bail!("the opencode for tests is known for linux x86_64 only, this is {os} {machine}");
    }
    Ok(PACKAGES.installed()?.join(PROGRAM))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_file_names_the_version_of_the_manifest() {
        super::PACKAGES.check_lock();
    }
}

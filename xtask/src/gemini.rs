//! The Gemini CLI that tests connect to this program: a fixed version from npm, one script.
//!
//! The lock file leaves out its optional packages (terminals, the person's ring of keys): it works without them, and not
//! every registry has those for other machines.

use std::path::PathBuf;

use anyhow::Result;

use crate::packages::Packages;

const PROGRAM: &str = "node_modules/@google/gemini-cli/bundle/gemini.js";
const PACKAGES: Packages = Packages {
    purpose: "gemini",
    named_after: "@google/gemini-cli",
    manifest: include_str!("../gemini/package.json"),
    lock: include_str!("../gemini/package-lock.json"),
    programs: &[PROGRAM],
};

/// The script in the cache, for Node, installed now if it is not there.
pub(crate) fn installed() -> Result<PathBuf> {
    Ok(PACKAGES.installed()?.join(PROGRAM))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_file_names_the_version_of_the_manifest() {
        super::PACKAGES.check_lock();
    }
}

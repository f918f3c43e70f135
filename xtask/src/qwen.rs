//! The Qwen Code that tests talk to over ACP: a fixed version from npm, the newest that Node 20 runs.
//!
//! The lock file leaves out its optional packages (terminals, the clipboard): it works without them, and not every
//! registry has those for other machines.

use std::path::PathBuf;

use anyhow::Result;

use crate::packages::Packages;

const PROGRAM: &str = "node_modules/@qwen-code/qwen-code/cli.js";
const PACKAGES: Packages = Packages {
    purpose: "qwen",
    named_after: "@qwen-code/qwen-code",
    manifest: include_str!("../qwen/package.json"),
    lock: include_str!("../qwen/package-lock.json"),
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

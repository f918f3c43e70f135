//! The language servers that tests talk to: fixed versions from npm. One is a program that says itself when it can be
//! asked, the other a script for Node that registers it late.

use std::path::PathBuf;

use anyhow::Result;

use crate::packages::Packages;

const PACKAGES: Packages = Packages {
    purpose: "languages",
    named_after: "typescript",
    manifest: include_str!("../languages/package.json"),
    lock: include_str!("../languages/package-lock.json"),
    programs: &["node_modules/.bin/tsc", "node_modules/.bin/pyright-langserver"],
};

/// The folder in the cache, installed now if it is not there.
pub(crate) fn installed() -> Result<PathBuf> {
    PACKAGES.installed()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_file_names_the_version_of_the_manifest() {
        super::PACKAGES.check_lock();
    }
}

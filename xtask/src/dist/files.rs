//! The files of a release, where they lie below `/usr` or `/usr/local`.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use super::{Product, licences};
use crate::{repository::Repository, tools::succeed};

pub(super) const PROGRAMS: [&str; 2] = ["openspace", "openspace-runner"];
/// Documents of the repository that come along.
const DOCUMENTS: [&str; 3] = ["README.md", "LICENSE", "CHANGELOG.md"];
pub(super) const DOCUMENT_FOLDER: &str = "share/doc/openspace";
const THIRD_PARTY: &str = "THIRD-PARTY-LICENCES.txt";

/// What must be there after an installation, beside the programs.
pub(super) const EXPECTED: &[&str] = &[
    "share/man/man1/openspace.1",
    "share/bash-completion/completions/openspace",
    "share/zsh/site-functions/_openspace",
    "share/fish/vendor_completions.d/openspace.fish",
    "share/doc/openspace/README.md",
    "share/doc/openspace/LICENSE",
    "share/doc/openspace/THIRD-PARTY-LICENCES.txt",
];

/// Puts everything into a folder.
pub(super) fn stage(
    repository: &Repository,
    product: &Product,
    programs: &[&Path; 2],
    folder: &Path,
) -> Result<()> {
    let bin = folder.join("bin");
    let documents = folder.join(DOCUMENT_FOLDER);
    for made in [&bin, &documents] {
        fs::create_dir_all(made).with_context(|| format!("cannot create {}", made.display()))?;
    }
    for (program, name) in programs.iter().zip(PROGRAMS) {
        copy(program, &bin.join(name))?;
    }
    // The program writes its own man pages and completions: they cannot differ from it.
    let mut shared = Command::new(programs[0]);
    succeed(shared.arg("shared-files").arg("--out").arg(folder.join("share")))?;
    for name in DOCUMENTS {
        copy(&repository.root.join(name), &documents.join(name))?;
    }
    let text = licences::text(repository, product.has_page)?;
    fs::write(documents.join(THIRD_PARTY), text)?;
    permit(folder, &bin)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).with_context(|| format!("cannot copy {}", from.display()))
}

/// Everybody reads, programs run; whatever the mask of who builds is.
fn permit(folder: &Path, programs: &Path) -> Result<()> {
    for path in all(folder)? {
        let is_program = path.is_dir() || path.starts_with(programs);
        let mode = if is_program { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// A folder and everything in it, in order.
pub(super) fn all(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        if path.is_dir() {
            let entries = fs::read_dir(&path);
            let entries = entries.with_context(|| format!("cannot list {}", path.display()))?;
            for entry in entries {
                found.push(entry?.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

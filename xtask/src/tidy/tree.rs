//! The files of the repository as the rules see them: those git tracks, and new ones it would take.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};

/// A text file; the path is relative to the root, with slashes.
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

pub(super) struct Tree {
    pub(super) files: Vec<File>,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .context("cannot start git")?;
        if !listed.status.success() {
            bail!("git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr).trim());
        }
        let names = String::from_utf8(listed.stdout).context("a file name is not UTF-8")?;
        let mut files = Vec::new();
        for path in names.split_terminator('\0') {
            let full = root.join(path);
            // Git still lists what was deleted since the last commit, and links have no text.
            if !fs::symlink_metadata(&full).is_ok_and(|found| found.is_file()) {
                continue;
            }
            let bytes = fs::read(&full).with_context(|| format!("cannot read {path}"))?;
            let path = path.to_owned();
            files.extend(String::from_utf8(bytes).ok().map(|text| File { path, text }));
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Self { files })
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// The folders of all crates: `crates/host`, `xtask`.
    pub(super) fn crates(&self) -> Vec<&str> {
        let folders = self.files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
        folders.collect()
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file =
            |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
        Self { files: files.iter().map(file).collect() }
    }
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(super) fn is_script(&self) -> bool {
        ["ts", "tsx", "mts", "js", "mjs"].iter().any(|extension| self.has_extension(extension))
    }

    pub(super) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|own| own == extension)
    }

    pub(super) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }
}

//! The folder that is worked in: many small source files and a large text, the same in every run.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::scratch::Scratch;

const FILES: usize = 300;
const FILES_IN_FOLDER: usize = 20;
const SMALL: usize = 1_500;
const LARGE: usize = 5_000_000;

pub(super) struct Workspace {
    pub(super) root: PathBuf,
}

/// A file by its path in the workspace, and a word that no other file has.
pub(super) struct Sample {
    pub(super) path: String,
    pub(super) word: String,
}

impl Workspace {
    pub(super) fn create(scratch: &Scratch) -> Result<Self> {
        let workspace = Self { root: scratch.folder("workspace")? };
        for number in 0..FILES {
            workspace.fill(&Self::small(number), SMALL)?;
        }
        workspace.fill(&Self::large(), LARGE)?;
        Ok(workspace)
    }

    /// One of the small files.
    pub(super) fn small(number: usize) -> Sample {
        let number = number % FILES;
        let folder = number / FILES_IN_FOLDER;
        Sample {
            path: format!("source/part_{folder:02}/module_{number:03}.rs"),
            word: format!("distinct_{number:03}"),
        }
    }

    pub(super) fn large() -> Sample {
        Sample { path: "large.txt".into(), word: "distinct_large".into() }
    }

    pub(super) fn full_path(&self, sample: &Sample) -> PathBuf {
        self.root.join(&sample.path)
    }

    fn fill(&self, sample: &Sample, size: usize) -> Result<()> {
        let path = self.full_path(sample);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        let mut text = format!("//! Module {}.\n", sample.word);
        let mut line = 0;
        while text.len() < size {
            line += 1;
            writeln!(text, "pub fn step_{line}(value: u64) -> u64 {{ value * {line} + 1 }}")?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

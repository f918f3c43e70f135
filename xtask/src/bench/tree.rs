//! A tree of the size of a large product, to search in: the same in every run, made once and kept.
//!
//! It has several languages, folders in folders, hidden ones, binary files, and folders that its
//! `.gitignore` files leave out. What is left out has the searched words too, so that a search that
//! looks there is seen by what it finds.

mod text;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use self::text::{LANGUAGES, Language, Random, fill};

#[cfg(test)]
mod tests;

pub(super) use self::text::COMMON_WORD;

/// Stands in a few files only.
pub(super) const RARE_WORD: &str = "quetzalcoatl";

/// A file with a few lines.
pub(super) const SMALL_FILE: &str = "README.md";

/// To be raised when the tree would be another one.
const VERSION: &str = "1";
const PACKAGES: usize = 60;
const FILES_IN_PACKAGE: usize = 900;
const FILES_IN_FOLDER: usize = 15;
const FOLDERS_IN_PART: usize = 12;
const IMAGES_IN_PACKAGE: usize = 10;
const GENERATED_IN_PACKAGE: usize = 50;
const INSTALLED: usize = 4_000;
/// Of so many text files one has the rare word.
const RARE_EVERY: usize = 6_000;
const LONGEST: f64 = 600.0;
const IMAGE_BYTES: usize = 12_000;

pub(super) struct Tree {
    pub(super) root: PathBuf,
}

impl Tree {
    /// The tree in this folder, made anew unless an earlier run finished it.
    pub(super) fn ready(folder: &Path) -> Result<Self> {
        let (root, marker) = (folder.join("tree"), folder.join("tree.complete"));
        if fs::read_to_string(&marker).is_ok_and(|version| version == VERSION) {
            return Ok(Self { root });
        }
        eprintln!("    making a tree of {} files in {}", Self::files(), root.display());
        if root.exists() {
            fs::remove_dir_all(&root)
                .with_context(|| format!("cannot remove the old {}", root.display()))?;
        }
        let mut maker = Maker { root: root.clone(), random: Random::new(1), made: 0 };
        maker.make(PACKAGES, INSTALLED)?;
        fs::write(&marker, VERSION)?;
        Ok(Self { root })
    }

    /// Those that are not left out.
    fn files() -> usize {
        PACKAGES * (FILES_IN_PACKAGE + IMAGES_IN_PACKAGE)
    }
}

struct Maker {
    root: PathBuf,
    random: Random,
    made: usize,
}

impl Maker {
    fn make(&mut self, packages: usize, installed: usize) -> Result<()> {
        self.write(".gitignore", b"node_modules/\n/dist\n*.log\n!keep.log\n")?;
        self.write(SMALL_FILE, b"# A product\n\nRead the documents of the packages.\n")?;
        self.write(".github/workflows/test.yml", b"on: push\njobs:\n  test:\n    steps: []\n")?;
        for number in 0..packages {
            self.package(&format!("packages/part_{:02}/package_{number:02}", number / 10))?;
        }
        for number in 0..installed {
            let path = format!("node_modules/dependency_{:03}/lib/file_{number}.js", number / 20);
            self.left_out(&path)?;
        }
        self.left_out("dist/all.js")?;
        self.left_out("build.log")
    }

    fn package(&mut self, folder: &str) -> Result<()> {
        self.write(&format!("{folder}/.gitignore"), b"/generated/\n*.tmp\n")?;
        self.write(&format!("{folder}/.config/settings.json"), b"{\"strict\": true}\n")?;
        for number in 0..FILES_IN_PACKAGE {
            let language = LANGUAGES[self.random.below(LANGUAGES.len())];
            let (part, inner) =
                (number / FILES_IN_FOLDER % FOLDERS_IN_PART, number / FILES_IN_FOLDER);
            let ending = language.ending;
            let path =
                format!("{folder}/src/area_{part:02}/inner_{inner:02}/module_{number:03}.{ending}");
            self.source(&path, language)?;
        }
        for number in 0..IMAGES_IN_PACKAGE {
            let image = self.image();
            self.write(&format!("{folder}/assets/image_{number}.png"), &image)?;
        }
        for number in 0..GENERATED_IN_PACKAGE {
            self.left_out(&format!("{folder}/generated/schema_{number}.rs"))?;
        }
        Ok(())
    }

    /// Most files are short and a few are long.
    fn source(&mut self, path: &str, language: &Language) -> Result<()> {
        let lines = 10.0 + LONGEST * self.random.share().powi(3);
        let mut text = fill(language, lines, &mut self.random);
        self.made += 1;
        if self.made.is_multiple_of(RARE_EVERY) {
            text.push_str(&rare_lines());
        }
        self.write(path, text.as_bytes())
    }

    fn left_out(&mut self, path: &str) -> Result<()> {
        let text = fill(LANGUAGES[0], 40.0, &mut self.random) + &rare_lines();
        self.write(path, text.as_bytes())
    }

    /// Begins as an image does and goes on with any bytes.
    fn image(&mut self) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        while bytes.len() < IMAGE_BYTES {
            bytes.extend(self.random.next().to_le_bytes());
        }
        bytes
    }

    fn write(&self, path: &str, content: &[u8]) -> Result<()> {
        let path = self.root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn rare_lines() -> String {
    format!("// See {RARE_WORD}.\nfn {RARE_WORD}_once(value: u64) -> u64 {{ value }}\n")
}

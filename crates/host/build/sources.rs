//! The sources of what stands on both sides of a link, and their hash. Tests are no part of them.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::Xxh3;

/// The crates that define what is said over a link, how and with which meaning.
const CRATES: [&str; 9] =
    ["files", "git", "host", "link", "process", "protocol", "runner", "terminal", "text"];

/// All sources, as paths relative to the folder of the crates, in an order that is always the same.
pub(crate) fn of(crates: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for name in CRATES {
        gather(crates, &Path::new(name).join("src"), &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn gather(crates: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(crates.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if path.file_stem() == Some(OsStr::new("tests")) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            gather(crates, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// A hash of names and contents.
pub(crate) fn hash(crates: &Path, sources: &[PathBuf]) -> io::Result<String> {
    let mut hash = Xxh3::new();
    for source in sources {
        #[expect(clippy::disallowed_methods, reason = "sources are no files of a workspace")]
        let content = fs::read(crates.join(source))?;
        for part in [source.as_os_str().as_encoded_bytes(), &content] {
            // With its length, so that nothing can move from one part to the next.
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(format!("{:016x}", hash.digest()))
}

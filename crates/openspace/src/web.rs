//! The files of the web app: those inside this program, or those in a folder.
//!
//! A release holds the app that was built before it. A debug build reads the repository's
//! `web/dist` at every request, so that an app that was built anew shows after a reload. It gives
//! out nothing but files with plain names below that one folder.

use std::{
    fs::{File, Metadata},
    io::{Error, ErrorKind, Read, Result},
    path::{Path, PathBuf},
    time::SystemTime,
};

use axum::body::Bytes;
use flate2::read::GzDecoder;

/// The longest name, and the largest file, that is looked at.
const MAX_NAME: usize = 512;
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// The page itself.
const INDEX: &str = "index.html";

/// A file that release builds hold.
struct Inside {
    name: &'static str,
    plain: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
    brotli: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// Where the web app is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Web {
    /// In this program.
    Inside,
    /// In a folder.
    Folder(PathBuf),
}

/// How a file is packed on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// With brotli.
    Brotli,
    /// With gzip.
    Gzip,
    /// Not at all.
    Plain,
}

/// The name of a file of the web app, such as `assets/main-1a2b3c4d.js`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The page.
    pub fn index() -> Self {
        Self(INDEX.to_owned())
    }

    /// The name in the path of a request, as it was sent. Names need no percent signs, so that none
    /// can hide a slash or a dot; copies that are packed have no name of their own.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.strip_prefix('/')?;
        let is_plain = |word: &str| {
            !word.is_empty()
                && !word.starts_with('.')
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
        };
        let extension = Path::new(name).extension();
        let is_packed = extension.is_some_and(|extension| extension == "br" || extension == "gz");
        let is_name = name.len() <= MAX_NAME && name.split('/').all(is_plain) && !is_packed;
        is_name.then(|| Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name says which content it has, by eight letters made from it.
    pub fn is_of_one_content(&self) -> bool {
        let Some(file) = self.0.strip_prefix("assets/") else { return false };
        let file = file.strip_suffix(".map").unwrap_or(file);
        let Some((stem, _)) = file.rsplit_once('.') else { return false };
        let mark = stem.len().checked_sub(9).and_then(|at| stem.as_bytes().get(at));
        mark == Some(&b'-')
    }
}

impl Coding {
    /// The best first.
    pub const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Plain];

    /// What HTTP calls it; what is not packed has no name there.
    pub const fn token(self) -> Option<&'static str> {
        match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Plain => None,
        }
    }
}

impl Web {
    /// The web app in the folder that was named, else where this build has it.
    pub fn find(folder: Option<&Path>) -> Self {
        match folder {
            Some(folder) => Self::Folder(folder.to_owned()),
            None if cfg!(debug_assertions) => {
                Self::Folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist"))
            }
            None => Self::Inside,
        }
    }

    /// A file packed in this way; `None` when there is none such. May wait for the disk.
    pub fn read(&self, name: &Name, coding: Coding) -> Result<Option<Bytes>> {
        match self {
            Self::Inside => inside(INSIDE, name, coding),
            Self::Folder(folder) => beneath(folder, name, coding),
        }
    }

    /// When the page was built, if it is in a folder.
    pub fn built(&self) -> Option<SystemTime> {
        let Self::Folder(folder) = self else { return None };
        folder.join(INDEX).metadata().and_then(|page| page.modified()).ok()
    }
}

fn inside(table: &[Inside], name: &Name, coding: Coding) -> Result<Option<Bytes>> {
    let Ok(index) = table.binary_search_by(|file| file.name.cmp(name.as_str())) else {
        return Ok(None);
    };
    let file = &table[index];
    match coding {
        Coding::Brotli => Ok(file.brotli.map(Bytes::from_static)),
        Coding::Gzip => Ok(file.gzip.map(Bytes::from_static)),
        Coding::Plain => match (file.plain, file.gzip) {
            (Some(plain), _) => Ok(Some(Bytes::from_static(plain))),
            (None, Some(packed)) => read_all(GzDecoder::new(packed), name).map(Some),
            (None, None) => Ok(None),
        },
    }
}

fn beneath(folder: &Path, name: &Name, coding: Coding) -> Result<Option<Bytes>> {
    let plain = folder.join(name.as_str());
    let Some(original) = file(&plain)? else { return Ok(None) };
    let packed = match coding {
        Coding::Brotli => plain.with_added_extension("br"),
        Coding::Gzip => plain.with_added_extension("gz"),
        Coding::Plain => return read_file(&plain, name).map(Some),
    };
    match file(&packed)? {
        // A copy that is older was made of another build.
        Some(copy) if copy.modified()? >= original.modified()? => {
            read_file(&packed, name).map(Some)
        }
        _ => Ok(None),
    }
}

fn file(path: &Path) -> Result<Option<Metadata>> {
    match path.metadata() {
        Ok(found) => Ok(found.is_file().then_some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn read_file(path: &Path, name: &Name) -> Result<Bytes> {
    #[expect(clippy::disallowed_methods, reason = "the web app is not in the workspace")]
    read_all(File::open(path)?, name)
}

fn read_all(source: impl Read, name: &Name) -> Result<Bytes> {
    let mut content = Vec::new();
    source.take(MAX_FILE + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX_FILE {
        return Err(Error::other(format!("{} is larger than {MAX_FILE} bytes", name.as_str())));
    }
    Ok(content.into())
}

#[cfg(test)]
mod tests;

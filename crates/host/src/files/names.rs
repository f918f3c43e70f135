//! The names in a folder, as a tree of files shows them: all of them, hidden and ignored ones too.
//!
//! Nothing is looked at closer but links, of which it is told where they lead. Names are no secret,
//! so rules do not matter here.

use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};

use super::{FileError, Files, Kind};

#[cfg(test)]
mod tests;

/// One name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameEntry {
    /// The name; one that is not text is shown as near as possible, with the kind `Other`.
    pub name: String,
    /// What it is; of a link, what it leads to, and `Other` when it leads to nothing in here.
    pub kind: Kind,
    /// It is a symbolic link.
    pub link: bool,
}

/// The names in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// By name.
    pub entries: Vec<NameEntry>,
    /// True when there are more; which ones are missing is up to the file system.
    pub truncated: bool,
}

impl Files {
    /// The names in a folder, no more than the limit.
    pub fn names(
        &self,
        path: &RelPath,
        limit: usize,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Names, FileError> {
        let fail = |error| self.fail(path, error);
        let folder = self.beneath.open_folder(path.as_path()).map_err(fail)?;
        let mut names = Names { entries: Vec::new(), truncated: false };
        for (count, entry) in folder.entries().map_err(fail)?.enumerate() {
            if count.is_multiple_of(1024) && cancel() {
                return Err(FileError::Cancelled);
            }
            if count == limit {
                names.truncated = true;
                break;
            }
            let entry = entry.map_err(fail)?;
            let found = entry.file_name();
            let kind = entry.file_type().map_or(Kind::Other, Kind::from);
            let link = kind == Kind::Symlink;
            let kind = match found.to_str() {
                None => Kind::Other,
                Some(name) if link => self.leads_to(path, name),
                Some(_) => kind,
            };
            names.entries.push(NameEntry {
                name: found.to_string_lossy().into_owned(),
                kind,
                link,
            });
        }
        names.entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(names)
    }

    fn leads_to(&self, folder: &RelPath, name: &str) -> Kind {
        let found = self.beneath.metadata(&folder.as_path().join(name));
        found.map_or(Kind::Other, |metadata| metadata.file_type().into())
    }
}

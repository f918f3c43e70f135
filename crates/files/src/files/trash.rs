//! The trash: where deleted things wait in case they are wanted back.
//!
//! A deleted thing goes to `.openspace/trash/<id>/<name>`, and `<id>.json` beside it tells where it
//! was and when. The newest items are kept; older ones are removed for good. Ids begin with the time,
//! so that their order is that of the deletions. Nobody but this module reads or writes there: the
//! trash is secret, because what lies in it may have been, and protected.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io::{self, Read as _, Write as _},
};

use cap_std::fs::{Dir, OpenOptions};
use openspace_protocol::RelPath;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::{
    Action, FileError, Files, Kind,
    beneath::without_waiting,
    spot::{Spot, enter},
    write::{Made, flush, random},
};
use crate::secrets;

#[cfg(test)]
mod tests;

/// Items that are kept.
pub const MOST_ITEMS: usize = 200;
const FOLDER: &str = ".openspace";
const TRASH: &str = "trash";
/// The rest of the folder may be shared with others, so it alone is left out, and what says so: a
/// deletion makes nothing that git would call new.
const IGNORE: &str = "/trash/\n/.gitignore\n";
const MAX_NOTE: u64 = 64 * 1024;

/// What was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trashed {
    /// What it was; a link is not followed.
    pub kind: Kind,
    /// Where it is now.
    pub trashed: RelPath,
}

/// Something that can be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrashItem {
    /// Where it was.
    pub path: RelPath,
    /// What it is; a link is not followed.
    pub kind: Kind,
    /// When it was deleted, in milliseconds since 1970.
    pub deleted_at: u64,
    /// Where it is now.
    pub trashed: RelPath,
}

/// What is written beside an item.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Note {
    /// Where it was.
    path: RelPath,
    /// When it was deleted, in milliseconds since 1970.
    deleted_at: u64,
}

impl Files {
    /// Move a file or a folder to the trash. `at` is the time, in milliseconds since 1970.
    pub fn delete(&self, path: &RelPath, at: u64) -> Result<Trashed, FileError> {
        let (spot, found) = self.spot(Action::Write, path)?;
        let trashed = self.discard(path, &spot, at)?;
        Ok(Trashed { kind: found.file_type().into(), trashed })
    }

    /// Refuse what takes a secret along that is not named: who may not write a secret may not take it away either. The
    /// folders of git and of packages are not looked into.
    fn check_holds_no_secret(&self, path: &RelPath, spot: &Spot) -> Result<(), FileError> {
        let is_folder = || spot.look().is_ok_and(|found| found.is_some_and(|found| found.is_dir()));
        if !self.rules.hide_something() || !is_folder() {
            return Ok(());
        }
        let secret = secrets::find_beneath(self, path, &|| false)?.into_iter().min();
        match secret {
            Some(secret) => Err(FileError::HoldsSecret { path: path.clone(), secret }),
            None => Ok(()),
        }
    }

    /// Move what is at a spot to the trash, of which the rules have been asked.
    pub(super) fn discard(
        &self,
        path: &RelPath,
        spot: &Spot,
        at: u64,
    ) -> Result<RelPath, FileError> {
        let fail = |error| self.fail(path, error);
        self.check_holds_no_secret(path, spot)?;
        let trash = self.open_trash().map_err(|error| FileError::from_io(&trash_path(), error))?;
        let id = format!("{at:012x}-{:08x}", random() & 0xffff_ffff);
        let item = Item::new(&trash, id, &Note { path: path.clone(), deleted_at: at });
        let item = item.map_err(|error| FileError::from_io(&trash_path(), error))?;
        let place = Spot {
            folder: enter(&trash, OsStr::new(&item.id)).map_err(fail)?,
            name: spot.name.clone(),
            place: spot.place.clone(),
        };
        spot.rename_to(&place).map_err(fail)?;
        let trashed = format!("{FOLDER}/{TRASH}/{}/{}", item.id, spot.name.to_string_lossy());
        let trashed =
            RelPath::parse(&trashed).map_err(|source| FileError::BadPath { text: trashed, source });
        item.keep();
        for folder in [&place.folder, &spot.folder] {
            flush(folder).map_err(|source| FileError::NotDurable { path: path.clone(), source })?;
        }
        tidy(&trash);
        trashed
    }

    /// Remove the folder that something was in, and those above it, as far as they are empty.
    pub fn remove_empty_folders_above(&self, path: &RelPath) -> Result<(), FileError> {
        let mut at = path.as_str();
        while let Some((folder, _)) = at.rsplit_once('/') {
            at = folder;
            let parsed = RelPath::parse(folder)
                .map_err(|source| FileError::BadPath { text: folder.to_owned(), source })?;
            let (spot, _) = match self.spot(Action::Write, &parsed) {
                // Somebody else was quicker.
                Err(FileError::NotFound { .. }) => continue,
                other => other?,
            };
            match spot.folder.remove_dir(&spot.name) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // Something is in it, or it is a link.
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Bring something back from the trash to where it was; where that is.
    pub fn restore(&self, trashed: &RelPath) -> Result<RelPath, FileError> {
        let missing = || FileError::NotInTrash { path: trashed.clone() };
        let words: Vec<&str> = trashed.as_str().split('/').collect();
        let [FOLDER, TRASH, id, name] = words.as_slice() else { return Err(missing()) };
        let root = self.beneath.open_folder(std::path::Path::new(".")).map_err(|_| missing())?;
        let trash = enter(&root, OsStr::new(FOLDER))
            .and_then(|folder| enter(&folder, OsStr::new(TRASH)))
            .map_err(|_| missing())?;
        let folder = enter(&trash, OsStr::new(id)).map_err(|_| missing())?;
        let Note { path, .. } = read_note(&trash, id).map_err(|error| {
            tracing::warn!(%error, %trashed, "the note of something in the trash cannot be read");
            missing()
        })?;
        let item = Spot { folder, name: name.into(), place: trashed.as_path().to_owned() };
        if !item.look().is_ok_and(|found| found.is_some()) {
            return Err(missing());
        }
        let mut made = Made::default();
        let target = self.new_spot(&path, &mut made)?;
        item.rename_to(&target).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => {
                FileError::Exists { path: path.clone() }
            }
            _ => self.fail(&path, error),
        })?;
        made.keep();
        remove(&trash, id);
        flush(&target.folder)
            .map_err(|source| FileError::NotDurable { path: path.clone(), source })?;
        Ok(path)
    }

    /// What can be brought back, the newest first. Names only: what lies there stays secret.
    pub fn in_trash(&self) -> Result<Vec<TrashItem>, FileError> {
        let fail = |error| FileError::from_io(&trash_path(), error);
        let root = self.beneath.open_folder(std::path::Path::new(".")).map_err(fail)?;
        let trash =
            enter(&root, OsStr::new(FOLDER)).and_then(|folder| enter(&folder, OsStr::new(TRASH)));
        let trash = match trash {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(fail)?,
        };
        let ids = ids(&trash).map_err(fail)?;
        Ok(ids.iter().rev().take(MOST_ITEMS).filter_map(|id| item(&trash, id)).collect())
    }

    /// The folder of the trash, made when it is missing.
    fn open_trash(&self) -> io::Result<Dir> {
        let root = self.beneath.open_folder(std::path::Path::new("."))?;
        let folder = enter_or_make(&root, FOLDER)?;
        let trash = enter_or_make(&folder, TRASH)?;
        // An empty one may have been made for a place of agents; git sees it with the first thing in it.
        if trash.entries()?.next().is_none() {
            ignore_trash(&folder)?;
        }
        Ok(trash)
    }
}

/// Have git see nothing of the trash.
fn ignore_trash(folder: &Dir) -> io::Result<()> {
    let mut options = OpenOptions::new();
    match folder.open_with(".gitignore", options.write(true).create_new(true)) {
        Ok(mut file) => file.write_all(IGNORE.as_bytes()),
        // It is somebody's, and they know best.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn trash_path() -> RelPath {
    RelPath::parse(FOLDER).unwrap_or_default()
}

/// Open a folder; when it is missing, make it.
fn enter_or_make(holder: &Dir, name: &str) -> io::Result<Dir> {
    match enter(holder, OsStr::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    match holder.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    enter(holder, OsStr::new(name))
}

/// A place in the trash with its note, removed again unless something is put there.
struct Item<'a> {
    trash: &'a Dir,
    id: String,
    kept: bool,
}

impl<'a> Item<'a> {
    fn new(trash: &'a Dir, id: String, note: &Note) -> io::Result<Self> {
        trash.create_dir(&id)?;
        let item = Self { trash, id, kept: false };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = trash.open_with(note_name(&item.id), &options)?.into_std();
        file.write_all(&serde_json::to_vec(note)?)?;
        file.sync_all()?;
        Ok(item)
    }

    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        if !self.kept {
            remove(self.trash, &self.id);
        }
    }
}

fn note_name(id: &str) -> String {
    format!("{id}.json")
}

fn read_note(trash: &Dir, id: &str) -> io::Result<Note> {
    let options = without_waiting(OFlags::NOFOLLOW).read(true).clone();
    let file = trash.open_with(note_name(id), &options)?.into_std();
    let mut text = Vec::new();
    file.take(MAX_NOTE).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// The ids of all items, the oldest first.
fn ids(trash: &Dir) -> io::Result<BTreeSet<String>> {
    let names = trash.entries()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.map(|name| name.strip_suffix(".json").unwrap_or(&name).to_owned()).collect())
}

/// What an item is; none when it is no item that could be restored.
fn item(trash: &Dir, id: &str) -> Option<TrashItem> {
    let Note { path, deleted_at } = read_note(trash, id).ok()?;
    let name = path.as_str().rsplit('/').next()?;
    let found = enter(trash, OsStr::new(id)).and_then(|item| item.symlink_metadata(name)).ok()?;
    let trashed = RelPath::parse(&format!("{FOLDER}/{TRASH}/{id}/{name}")).ok()?;
    Some(TrashItem { kind: found.file_type().into(), deleted_at, trashed, path })
}

/// Remove what is too old. What cannot be removed now is tried again at the next deletion.
fn tidy(trash: &Dir) {
    let Ok(ids) = ids(trash) else { return };
    for id in ids.iter().rev().skip(MOST_ITEMS) {
        remove(trash, id);
    }
}

/// Remove an item for good.
fn remove(trash: &Dir, id: &str) {
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    for removed in [trash.remove_dir_all(id), trash.remove_file(note_name(id))] {
        if let Err(error) = removed
            && !gone(&error)
        {
            tracing::warn!(%error, id, "something in the trash cannot be removed");
        }
    }
}

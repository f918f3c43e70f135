//! A name in an open folder: what is moved, copied or deleted. A symbolic link is the link itself,
//! never what it leads to.
//!
//! The folder is held open, so that what happens to the path meanwhile leads nowhere else.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use cap_std::fs::{Dir, Metadata};
use openspace_protocol::RelPath;
use rustix::fs::OFlags;

use super::{
    Action, FileError, Files,
    beneath::{or_dot, spell, without_waiting},
    write::{Made, rename_to_new},
};

/// How deep folders may lie in one that is walked.
pub(super) const MAX_DEPTH: usize = 100;

pub(super) struct Spot {
    pub(super) folder: Dir,
    pub(super) name: OsString,
    /// Where it really is, relative to the root.
    pub(super) place: PathBuf,
}

impl Spot {
    /// What is there now, if anything is.
    pub(super) fn look(&self) -> io::Result<Option<Metadata>> {
        match self.folder.symlink_metadata(&self.name) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Bring what is here to another spot where nothing is.
    pub(super) fn rename_to(&self, to: &Self) -> io::Result<()> {
        rename_to_new(&self.folder, &self.name, &to.folder, &to.name)
    }
}

/// Open a folder in another one; a link to one is refused.
pub(super) fn enter(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
    let options = without_waiting(OFlags::NOFOLLOW | OFlags::DIRECTORY).read(true).clone();
    Ok(Dir::from_std_file(folder.open_with(name, &options)?.into_std()))
}

/// What an operation does with the things it takes along.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taking {
    /// They are gone from where they were.
    Away,
    /// They stay where they were.
    ACopy,
}

impl Files {
    /// The spot of something that is there, and what it is.
    pub(super) fn spot(
        &self,
        action: Action,
        path: &RelPath,
    ) -> Result<(Spot, Metadata), FileError> {
        let fail = |error| self.fail(path, error);
        let (parent, name) = parts(path)?;
        self.guard(action, path, path)?;
        let folder = self.beneath.open_folder(parent).map_err(fail)?;
        let place = self.beneath.location(&folder, parent).map_err(fail)?.join(name);
        self.guard_place(action, path, &place)?;
        let spot = Spot { folder, name: name.into(), place };
        let found = spot.look().map_err(fail)?;
        let found = found.ok_or_else(|| FileError::NotFound { path: path.clone() })?;
        Ok((spot, found))
    }

    /// The spot for something new. Folders that are missing are created; `made` notes them.
    pub(super) fn new_spot(&self, path: &RelPath, made: &mut Made) -> Result<Spot, FileError> {
        let (parent, name) = parts(path)?;
        self.guard(Action::Write, path, path)?;
        let folder = self.folder_to_write(path, parent, OsStr::new(name), made)?;
        let place = self.beneath.location(&folder, parent).map_err(|e| self.fail(path, e))?;
        Ok(Spot { folder, name: name.into(), place: place.join(name) })
    }

    /// Refuse that something beneath a folder loses or gains the shelter of a rule that speaks of
    /// places: a secret would become readable, or a protected file would be written, without being
    /// named.
    pub(super) fn check_standing(
        &self,
        from: &Path,
        to: &Path,
        taking: Taking,
    ) -> Result<(), FileError> {
        let spelled = |place: &Path| {
            spell(place).map_err(|source| FileError::BadPath {
                text: place.to_string_lossy().into_owned(),
                source,
            })
        };
        let (from, to) = (spelled(from)?, spelled(to)?);
        let refused = |path: &RelPath, action, rule: &str| {
            Err(FileError::Forbidden { path: path.clone(), action, rule: rule.to_owned() })
        };
        // A copy of a secret is one more place in which it could be read; it is not even known where that will
        // count as one, as among packages it may not.
        if let Err(rule) = self.rules.may_read(&from)
            && (taking == Taking::ACopy || self.rules.may_read(&to).is_ok())
        {
            return refused(&from, Action::Read, rule);
        }
        match (self.rules.may_write(&from), self.rules.may_write(&to)) {
            (Ok(()), Err(rule)) => refused(&to, Action::Write, rule),
            (Err(rule), Ok(())) if taking == Taking::Away => refused(&from, Action::Write, rule),
            _ => Ok(()),
        }
    }
}

/// See the way from a folder to each thing beneath it.
pub(super) fn each_beneath(
    path: &RelPath,
    spot: &Spot,
    limit: u64,
    cancel: &dyn Fn() -> bool,
    see: &mut dyn FnMut(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let too_much = || FileError::TooMuch { path: path.clone(), limit };
    let fail = |error| FileError::from_io(path, error);
    // Shared, because a folder can have more folders in it than may be open at once.
    let holder = Rc::new(spot.folder.try_clone().map_err(fail)?);
    let mut waiting = vec![(holder, PathBuf::from(&spot.name))];
    let mut seen = 0;
    while let Some((holder, way)) = waiting.pop() {
        if cancel() {
            return Err(FileError::Cancelled);
        }
        if way.components().count() > MAX_DEPTH {
            return Err(too_much());
        }
        let folder = enter(&holder, way.file_name().unwrap_or_default()).map_err(fail)?;
        let folder = Rc::new(folder);
        for entry in folder.entries().map_err(fail)? {
            let entry = entry.map_err(fail)?;
            seen += 1;
            if seen > limit {
                return Err(too_much());
            }
            let way = way.join(entry.file_name());
            see(way.strip_prefix(&spot.name).unwrap_or(&way))?;
            if entry.file_type().map_err(fail)?.is_dir() {
                waiting.push((Rc::clone(&folder), way));
            }
        }
    }
    Ok(())
}

/// The folder that holds a path and its name there.
fn parts(path: &RelPath) -> Result<(&Path, &str), FileError> {
    let (Some(name), Some(parent)) = (path.name(), path.as_path().parent()) else {
        return Err(FileError::IsTheRoot);
    };
    Ok((or_dot(parent), name))
}

//! Looking through folders of the workspace, as it is outside, for secrets and repositories.

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;

use openspace_files::rules::Masking;
use rustix::fs::{AtFlags, Dir, FileType, Stat};
use rustix::io::Errno;

use super::folders::{DEEPEST, Full, Role, join};
use super::mounts::{Identity, identity, is_gone};
use super::{KeepError, Watching};

/// The most entries that are looked at in one go.
const MOST_ENTRIES: u64 = 5_000_000;

/// What was found, as paths relative to the workspace.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files and folders.
    pub(super) secrets: Vec<OsString>,
    /// Links with the name of a secret.
    pub(super) links: Vec<OsString>,
    /// What is called `.git`.
    pub(super) repositories: Vec<OsString>,
}

/// A folder to look at.
struct Next {
    path: OsString,
    /// The folder above it, if that one is watched.
    parent: Option<i32>,
    name: OsString,
    published: bool,
    watch: bool,
    depth: usize,
}

impl Watching {
    /// Looks at the whole workspace and watches it.
    pub(super) fn look_at_all(&mut self) -> Result<Found, KeepError> {
        self.unwatched.clear();
        let (path, name) = (OsString::new(), OsString::new());
        self.look(Next { path, parent: None, name, published: false, watch: true, depth: 0 })
    }

    /// Looks at a folder that appeared, and watches it. One in which secrets counted before stays so,
    /// wherever it was moved to.
    pub(super) fn look_at(
        &mut self,
        path: OsString,
        parent: i32,
        name: &OsStr,
        counted: bool,
    ) -> Result<Found, KeepError> {
        let Some(Role::Ordinary { published }) = self.folders.role(parent) else {
            return Ok(Found::default());
        };
        let published = !counted && (published || is_of_packages(name));
        if published && !self.masking.looks_into_packages() {
            return Ok(Found::default());
        }
        let depth = path.as_bytes().split(|byte| *byte == b'/').count();
        let (parent, name) = (Some(parent), name.to_owned());
        self.look(Next { path, parent, name, published, watch: true, depth })
    }

    /// Looks for a folder that was moved to where nobody watches, into one of packages for example, and
    /// watches it there, with the folders above it. Nothing when it is not found.
    pub(super) fn look_for_moved(&mut self, moved: Identity) -> Result<Option<Found>, KeepError> {
        let mut found = None;
        self.each_entry(OsString::new(), true, &mut |path, status| {
            if identity(status) == moved {
                found = Some(path);
            }
            found.is_none()
        })?;
        let Some(path) = found else { return Ok(None) };
        let names: Vec<&[u8]> = path.as_bytes().split(|byte| *byte == b'/').collect();
        let Some((last, above)) = names.split_last() else { return Ok(None) };
        let (mut parent, mut at) = (None, OsString::new());
        for name in std::iter::once(&&b""[..]).chain(above) {
            let name = OsStr::from_bytes(name);
            at = if name.is_empty() { at } else { join(&at, name) };
            let opened = match self.open_folder(&at) {
                Ok(opened) => opened,
                Err(error) if is_gone(error) => return Ok(None),
                Err(error) => return Err(failed(&at, error)),
            };
            let watched = self.folders.watch_above(opened.as_fd(), parent, name);
            let Ok(number) = watched.map_err(|error| failed(&at, error))? else {
                self.unwatched.insert(path.clone());
                return self.look_unwatched(path).map(Some);
            };
            parent = Some(number);
        }
        let (depth, name) = (names.len(), OsStr::from_bytes(last).to_owned());
        self.look(Next { path, parent, name, published: false, watch: true, depth }).map(Some)
    }

    /// Looks at a folder that cannot be watched.
    pub(super) fn look_unwatched(&mut self, path: OsString) -> Result<Found, KeepError> {
        let depth = path.as_bytes().split(|byte| *byte == b'/').count();
        let name = OsString::new();
        self.look(Next { path, parent: None, name, published: false, watch: false, depth })
    }

    fn look(&mut self, first: Next) -> Result<Found, KeepError> {
        let mut found = Found::default();
        let mut entries = 0;
        let mut waiting = vec![first];
        while let Some(next) = waiting.pop() {
            if next.depth > DEEPEST {
                // Nothing is known of what lies deeper, so none of it is shown.
                found.secrets.push(next.path);
                continue;
            }
            let opened = match self.open_folder(&next.path) {
                Ok(opened) => opened,
                // Who may not list it now may be allowed to later.
                Err(Errno::ACCESS) => {
                    found.secrets.push(next.path);
                    continue;
                }
                Err(error) if is_gone(error) => continue,
                Err(error) => return Err(failed(&next.path, error)),
            };
            let mut number = None;
            if next.watch {
                let role = Role::Ordinary { published: next.published };
                let watched = self.folders.watch(opened.as_fd(), next.parent, &next.name, role);
                match watched {
                    Ok(Ok(watched)) => number = Some(watched),
                    Ok(Err(Full)) => {
                        self.unwatched.insert(next.path.clone());
                    }
                    Err(error) if is_gone(error) => continue,
                    Err(error) => return Err(failed(&next.path, error)),
                }
            }
            let folder = Dir::new(opened).map_err(|error| failed(&next.path, error))?;
            for entry in folder {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) if is_gone(error) => break,
                    Err(error) => return Err(failed(&next.path, error)),
                };
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                entries += 1;
                if entries > MOST_ENTRIES {
                    return Err(KeepError::TooLarge(MOST_ENTRIES));
                }
                let path = join(&next.path, name);
                let kind = match entry.file_type() {
                    FileType::Unknown => match self.status(&path) {
                        Ok(Some(status)) => FileType::from_raw_mode(status.st_mode),
                        _ => continue,
                    },
                    kind => kind,
                };
                if name.eq_ignore_ascii_case(".git") {
                    found.repositories.push(path);
                    continue;
                }
                let hides = self.hides(&path, next.published);
                match (kind, hides) {
                    (FileType::Symlink, true) => found.links.push(path),
                    (FileType::Directory, false) => {
                        let published = next.published || is_of_packages(name);
                        if !published || self.masking.looks_into_packages() {
                            waiting.push(Next {
                                path,
                                parent: number,
                                name: name.to_owned(),
                                published,
                                watch: number.is_some(),
                                depth: next.depth + 1,
                            });
                        }
                    }
                    (_, true) => found.secrets.push(path),
                    (_, false) => {}
                }
            }
        }
        Ok(found)
    }

    /// Whether this very path is secret, by its name or because a link with such a name leads there.
    pub(super) fn hides(&self, path: &OsStr, published: bool) -> bool {
        self.targets.contains(path) || self.masking.hides(&path.to_string_lossy(), published)
    }

    /// All names in the workspace of files that are secret under another name.
    pub(super) fn look_for_other_names(&self) -> Result<Vec<OsString>, KeepError> {
        let mut found = Vec::new();
        self.each_entry(OsString::new(), false, &mut |path, status| {
            let is_secret = self.secrets.contains(&identity(status));
            if is_secret {
                found.push(path);
            }
            !is_secret
        })?;
        Ok(found)
    }

    /// Remembers the files of a secret folder that have other names. Says whether there are any.
    pub(super) fn note_other_names(&mut self, folder: &OsStr) -> Result<bool, KeepError> {
        let mut linked = Vec::new();
        self.each_entry(folder.to_owned(), true, &mut |_, status| {
            let is_folder = FileType::from_raw_mode(status.st_mode) == FileType::Directory;
            if !is_folder && status.st_nlink > 1 {
                linked.push(identity(status));
            }
            true
        })?;
        let is_any = !linked.is_empty();
        self.secrets.extend(linked);
        Ok(is_any)
    }

    /// Looks at all that is in a folder, in packages too and in repositories if asked to; `act` says
    /// whether to go into a folder.
    fn each_entry(
        &self,
        folder: OsString,
        in_git: bool,
        act: &mut dyn FnMut(OsString, &Stat) -> bool,
    ) -> Result<(), KeepError> {
        let mut entries = 0;
        let mut waiting = vec![folder];
        while let Some(path) = waiting.pop() {
            let opened = match self.open_folder(&path) {
                Ok(opened) => opened,
                Err(error) if is_gone(error) || error == Errno::ACCESS => continue,
                Err(error) => return Err(failed(&path, error)),
            };
            let folder = Dir::read_from(&opened).map_err(|error| failed(&path, error))?;
            for entry in folder {
                let Ok(entry) = entry else { break };
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                let is_git = !in_git && name.eq_ignore_ascii_case(".git");
                if name == "." || name == ".." || is_git {
                    continue;
                }
                entries += 1;
                if entries > MOST_ENTRIES {
                    return Err(KeepError::TooLarge(MOST_ENTRIES));
                }
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                let Ok(status) = rustix::fs::statat(&opened, entry.file_name(), flags) else {
                    continue;
                };
                let is_folder = FileType::from_raw_mode(status.st_mode) == FileType::Directory;
                if act(join(&path, name), &status) && is_folder {
                    waiting.push(join(&path, name));
                }
            }
        }
        Ok(())
    }
}

fn is_of_packages(name: &OsStr) -> bool {
    name.to_str().is_some_and(Masking::is_of_packages)
}

fn failed(path: &OsStr, error: Errno) -> KeepError {
    KeepError::system(format!("look at the folder {}", path.display()), error)
}

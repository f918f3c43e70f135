//! Opening things beneath the root and nowhere else.
//!
//! Every open starts at a handle of the root folder and is resolved by the kernel (`openat2` on
//! Linux) or word by word, so that neither `..` nor a symlink, nor one swapped during the call, can
//! leave the root. A path of the machine is used only to guess where an absolute link inside the root
//! points; the guess is then opened from the root handle like any other path.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd},
        unix::{ffi::OsStrExt, fs::MetadataExt as _},
    },
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _},
};
use openspace_protocol::{PathError, RelPath};
use rustix::fs::OFlags;

#[cfg(test)]
mod tests;

/// What Linux adds to the name of a handle whose file has been removed.
const REMOVED: &[u8] = b" (deleted)";

/// True for the error that says "this would leave the root": it is made here or in `cap-std`, so it
/// carries no number of the system, unlike a real lack of permission.
pub(crate) fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

fn escape() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "the path led out of the root")
}

/// Options that open a file without waiting for a pipe's other end and without taking a terminal.
pub(crate) fn without_waiting(extra: OFlags) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY | extra).bits().cast_signed());
    options
}

/// The spelling of a path that may hold names which are not text.
pub(crate) fn spell(path: &Path) -> Result<RelPath, PathError> {
    RelPath::parse(&path.to_string_lossy())
}

/// `.` for the empty path, which handles of folders do not accept.
pub(crate) fn or_dot(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// The root folder as a handle.
#[derive(Debug)]
pub(crate) struct Beneath {
    dir: Dir,
    root: PathBuf,
}

impl Beneath {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let root = std::fs::canonicalize(root)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority())?;
        Ok(Self { dir, root })
    }

    /// The root as it was when it was opened, without symlinks.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn open_file(&self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        self.follow(path, |path| self.dir.open_with(path, options)).map(cap_std::fs::File::into_std)
    }

    /// Open whatever a path leads to, only to learn where that is; nothing of it is touched.
    pub(crate) fn open_place(&self, path: &Path) -> io::Result<File> {
        let mut options = without_waiting(OFlags::empty());
        // Alone: the kernel accepts no other flag beside it.
        #[cfg(target_os = "linux")]
        options.custom_flags(OFlags::PATH.bits().cast_signed());
        self.open_file(path, options.read(true))
    }

    pub(crate) fn open_folder(&self, path: &Path) -> io::Result<Dir> {
        self.follow(path, |path| self.dir.open_dir(path))
    }

    /// What a path leads to, symlinks followed.
    pub(crate) fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.follow(path, |path| self.dir.metadata(path))
    }

    /// What is at a path, a symlink in the last word not followed.
    pub(crate) fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return self.dir.metadata(path);
        };
        self.follow(or_dot(parent), |parent| self.dir.symlink_metadata(parent.join(name)))
    }

    /// Where an open handle really is, relative to the root; empty for the root itself.
    ///
    /// On Linux the kernel is asked about the handle, so nothing can be swapped in between.
    /// Elsewhere, or without `/proc`, the path it was opened as is resolved again and must still
    /// lead to the same file.
    pub(crate) fn location(&self, handle: &impl AsFd, opened_as: &Path) -> io::Result<PathBuf> {
        let names = (name_of(self.dir.as_fd()), name_of(handle.as_fd()));
        let (Ok(root), Ok(place)) = names else {
            return self.location_by_name(handle, opened_as);
        };
        let place = place.strip_prefix(&root).map_err(|_| escape())?;
        let bytes = place.as_os_str().as_bytes();
        match bytes.strip_suffix(REMOVED) {
            // A living file may bear such a name; then the name leads to that very file.
            Some(before) if !self.leads_to(place, handle)? => {
                Ok(PathBuf::from(OsStr::from_bytes(before)))
            }
            _ => Ok(place.to_owned()),
        }
    }

    fn location_by_name(&self, handle: &impl AsFd, opened_as: &Path) -> io::Result<PathBuf> {
        let place = self.follow(opened_as, |path| self.dir.canonicalize(path))?;
        if !self.leads_to(&place, handle)? {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        Ok(if place == Path::new(".") { PathBuf::new() } else { place })
    }

    fn leads_to(&self, place: &Path, handle: &impl AsFd) -> io::Result<bool> {
        let opened = File::from(handle.as_fd().try_clone_to_owned()?).metadata()?;
        match self.dir.symlink_metadata(or_dot(place)) {
            Ok(found) => Ok((found.dev(), found.ino()) == (opened.dev(), opened.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Try a path; when it seems to leave the root, try where it really leads, if that is inside.
    ///
    /// The kernel refuses every absolute link, also one that points back beneath the root.
    fn follow<T>(&self, path: &Path, open: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
        match open(path) {
            Err(error) if is_escape(&error) => {
                let guess = std::fs::canonicalize(self.root.join(path)).map_err(|_| escape())?;
                let inside = guess.strip_prefix(&self.root).map_err(|_| escape())?;
                open(or_dot(inside))
            }
            other => other,
        }
    }
}

#[cfg(target_os = "linux")]
fn name_of(handle: BorrowedFd<'_>) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

#[cfg(not(target_os = "linux"))]
fn name_of(_: BorrowedFd<'_>) -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}

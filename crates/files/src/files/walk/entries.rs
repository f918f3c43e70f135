//! The entries of an open folder, read through its handle.

use std::{
    ffi::{CStr, CString},
    io,
    os::fd::AsFd,
};

use rustix::fs::{AtFlags, FileType, statat};

use super::super::Kind;

/// A name in a folder and what it is; a link is not followed.
pub(crate) type NamedKind = (CString, Kind);

/// Memory for reading folders, used again for each one.
pub(crate) struct Entries {
    #[cfg(target_os = "linux")]
    buffer: Vec<std::mem::MaybeUninit<u8>>,
}

impl Entries {
    /// Few calls of the system even for large folders.
    #[cfg(target_os = "linux")]
    const BUFFER_BYTES: usize = 32 * 1024;

    #[cfg(target_os = "linux")]
    pub(crate) fn new() -> Self {
        Self { buffer: vec![std::mem::MaybeUninit::uninit(); Self::BUFFER_BYTES] }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new() -> Self {
        Self {}
    }

    /// Show `visit` every entry but `.` and `..`; it says whether to go on.
    #[cfg(target_os = "linux")]
    pub(crate) fn read(
        &mut self,
        folder: &impl AsFd,
        mut visit: impl FnMut(io::Result<NamedKind>) -> bool,
    ) {
        let mut entries = rustix::fs::RawDir::new(folder.as_fd(), &mut self.buffer);
        while let Some(entry) = entries.next() {
            let go_on = match entry {
                Ok(entry) if is_self_or_above(entry.file_name()) => true,
                Ok(entry) => visit(named(folder, entry.file_name(), entry.file_type())),
                Err(error) => {
                    visit(Err(error.into()));
                    false
                }
            };
            if !go_on {
                return;
            }
        }
    }

    /// Show `visit` every entry but `.` and `..`; it says whether to go on.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read(
        &mut self,
        folder: &impl AsFd,
        mut visit: impl FnMut(io::Result<NamedKind>) -> bool,
    ) {
        let mut entries = match rustix::fs::Dir::read_from(folder) {
            Ok(entries) => entries,
            Err(error) => {
                visit(Err(error.into()));
                return;
            }
        };
        while let Some(entry) = entries.read() {
            let go_on = match entry {
                Ok(entry) if is_self_or_above(entry.file_name()) => true,
                Ok(entry) => visit(named(folder, entry.file_name(), entry.file_type())),
                Err(error) => {
                    visit(Err(error.into()));
                    false
                }
            };
            if !go_on {
                return;
            }
        }
    }
}

fn is_self_or_above(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// Some file systems do not say in the entry what it is; then the entry is asked itself.
fn named(folder: &impl AsFd, name: &CStr, found: FileType) -> io::Result<NamedKind> {
    let found = match found {
        FileType::Unknown => {
            let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            FileType::from_raw_mode(stat.st_mode)
        }
        known => known,
    };
    let kind = match found {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Other,
    };
    Ok((name.to_owned(), kind))
}

//! Making a folder, with those above it that are missing.

use std::io;

use openspace_protocol::RelPath;

use super::{
    FileError, Files,
    write::{Made, flush},
};

#[cfg(test)]
mod tests;

impl Files {
    /// Make a folder; false when it is there already.
    pub fn make_folder(&self, path: &RelPath) -> Result<bool, FileError> {
        let fail = |error| self.fail(path, error);
        let mut made = Made::default();
        let spot = self.new_spot(path, &mut made)?;
        match spot.folder.create_dir(&spot.name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_folder =
                    self.beneath.metadata(path.as_path()).is_ok_and(|found| found.is_dir());
                if !is_folder {
                    return Err(FileError::Exists { path: path.clone() });
                }
                made.keep();
                return Ok(false);
            }
            Err(error) => return Err(fail(error)),
        }
        made.keep();
        match flush(&spot.folder) {
            Err(source) => Err(FileError::NotDurable { path: path.clone(), source }),
            Ok(()) => Ok(true),
        }
    }
}

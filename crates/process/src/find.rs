//! Finding a program by its name, without starting it.
//!
//! It is looked for as a shell does: folder after folder, the first that has an executable file of the
//! name. Only absolute folders count: what a name means must not depend on where a program happens to
//! run, and nothing is taken from a folder only because somebody works in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::run::ProcessError;
use crate::start::is_executable;

#[cfg(test)]
mod tests;

/// The most folders that an error names.
const SHOWN_FOLDERS: usize = 16;

/// Where programs are looked for: these folders first, which must be absolute, then those of a `PATH`
/// that are.
pub fn places(folders: &[PathBuf], path: Option<&OsStr>) -> Result<Vec<PathBuf>, ProcessError> {
    if let Some(relative) = folders.iter().find(|folder| !folder.is_absolute()) {
        return Err(ProcessError::PathRelative(relative.clone()));
    }
    let mut places: Vec<PathBuf> = Vec::new();
    let of_path = path.map(std::env::split_paths).into_iter().flatten();
    for folder in folders.iter().cloned().chain(of_path) {
        if folder.is_absolute() && !places.contains(&folder) {
            places.push(folder);
        }
    }
    Ok(places)
}

/// The path of a program: of its name in one of these places, or of what is an absolute path already.
/// Blocks.
pub fn find(program: &str, places: &[PathBuf]) -> Result<Option<PathBuf>, ProcessError> {
    let path = Path::new(program);
    if program.contains('\0') {
        return Err(ProcessError::HasNul { what: "the name of the program".to_owned() });
    }
    if path.is_absolute() {
        return Ok(is_executable(path).then(|| path.to_owned()));
    }
    // `.` and `..` are folders, whatever place they are looked for in.
    if program.is_empty() || program.contains('/') || program == "." || program == ".." {
        return Err(ProcessError::ProgramName(program.to_owned()));
    }
    Ok(places.iter().map(|folder| folder.join(program)).find(|path| is_executable(path)))
}

/// The same, where it must be there.
pub fn require(program: &str, places: &[PathBuf]) -> Result<PathBuf, ProcessError> {
    find(program, places)?.ok_or_else(|| ProcessError::ProgramMissing {
        program: program.to_owned(),
        looked: if program.starts_with('/') {
            Vec::new()
        } else {
            places.iter().map(|place| place.to_string_lossy().into_owned()).collect()
        },
    })
}

/// How a program was looked for, as the end of a sentence.
pub(crate) fn how(program: &str, looked: &[String]) -> String {
    if program.starts_with('/') {
        return "no executable file has this path".to_owned();
    }
    match looked.len() {
        0 => "there is no PATH to look for it in".to_owned(),
        count if count <= SHOWN_FOLDERS => format!("it was looked for in {}", looked.join(", ")),
        count => {
            let shown = looked[..SHOWN_FOLDERS].join(", ");
            format!("it was looked for in {shown} and {} more", count - SHOWN_FOLDERS)
        }
    }
}

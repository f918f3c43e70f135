//! Whether a program failed because of the walls of its place.
//!
//! What a program wrote names paths; it proves nothing. So the same question is asked of the kernel
//! twice, in the place and outside, and only when the place refuses what the outside would allow is it
//! said that the place refused it. Otherwise nothing is said.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The most paths that are asked about.
pub const MOST_PATHS: usize = 16;
/// How much of the end of an output is looked at.
const LONGEST_OUTPUT: usize = 8 * 1024;
/// The longest word that is taken for a path.
const LONGEST_PATH: usize = 1024;

/// What the kernel lets a program do with a path. Nothing is opened for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "four answers of the kernel, each on its own")]
pub struct Reach {
    /// Something is there.
    pub there: bool,
    /// It can be read.
    pub readable: bool,
    /// It can be written or, if nothing is there, made.
    pub writable: bool,
    /// It cannot, because it lies on something that is read-only.
    pub read_only: bool,
}

impl Reach {
    /// Asks the kernel.
    pub fn of(path: &Path) -> Self {
        let there = rustix::fs::stat(path).is_ok();
        let may = |path: &Path, what| rustix::fs::accessat(CWD, path, what, AtFlags::EACCESS);
        let written = if there {
            may(path, Access::WRITE_OK)
        } else {
            let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
            folder.map_or(Err(Errno::NOENT), |folder| may(folder, Access::WRITE_OK))
        };
        Self {
            there,
            readable: there && may(path, Access::READ_OK).is_ok(),
            writable: written.is_ok(),
            read_only: written == Err(Errno::ROFS),
        }
    }
}

/// What a program says when the kernel refused something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    ReadOnly,
    Busy,
    Denied,
    Missing,
}

/// How complaints are written, in words and as names and numbers of errors.
const COMPLAINTS: [(&str, Complaint); 12] = [
    ("read-only file system", Complaint::ReadOnly),
    ("erofs", Complaint::ReadOnly),
    ("os error 30", Complaint::ReadOnly),
    ("device or resource busy", Complaint::Busy),
    ("ebusy", Complaint::Busy),
    ("os error 16", Complaint::Busy),
    ("permission denied", Complaint::Denied),
    ("eacces", Complaint::Denied),
    ("os error 13", Complaint::Denied),
    ("no such file or directory", Complaint::Missing),
    ("enoent", Complaint::Missing),
    ("os error 2)", Complaint::Missing),
];

/// A path on a line on which a program complained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// As it was written.
    pub written: String,
    pub path: PathBuf,
    pub complaint: Complaint,
}

/// What a place refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    Reading,
    Writing,
    /// It is there outside, and not in the place.
    Finding,
}

impl Refused {
    /// A word before a path.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Finding => "finding",
        }
    }
}

/// The paths that the end of an output complains about, the last first. Relative ones are meant from
/// the folder in which the program ran.
pub fn suspects(output: &str, folder: &Path, home: Option<&Path>) -> Vec<Suspect> {
    let start = output.floor_char_boundary(output.len().saturating_sub(LONGEST_OUTPUT));
    let mut suspects: Vec<Suspect> = Vec::new();
    for line in output[start..].lines().rev() {
        let lower = line.to_ascii_lowercase();
        let found = COMPLAINTS.iter().find_map(|(words, it)| Some((lower.find(words)?, *it)));
        let Some((at, complaint)) = found else { continue };
        // Letter case is changed for ASCII only, so places in both texts are the same.
        for written in named(&line[..at], &line[at..]) {
            let path = match written.strip_prefix("~/") {
                Some(rest) => match home {
                    Some(home) => home.join(rest),
                    None => continue,
                },
                None => folder.join(written),
            };
            if suspects.iter().all(|known| known.path != path) && suspects.len() < MOST_PATHS {
                suspects.push(Suspect { written: written.to_owned(), path, complaint });
            }
        }
    }
    suspects
}

/// What a complaint is about: the path right before it, else those after it, else the last word before.
fn named<'a>(before: &'a str, after: &'a str) -> Vec<&'a str> {
    if let Some(path) = words(before).filter(|word| looks_like_path(word)).last() {
        return vec![path];
    }
    let paths: Vec<&str> = words(after).filter(|word| looks_like_path(word)).collect();
    if paths.is_empty() { words(before).last().into_iter().collect() } else { paths }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let separates = |letter: char| letter.is_whitespace() || "'\"`()[]{}<>,;=|".contains(letter);
    let words = line.split(separates).map(|word| word.trim_end_matches([':', '.']));
    words.filter(|word| !word.is_empty() && word.len() <= LONGEST_PATH && !word.contains('\0'))
}

fn looks_like_path(word: &str) -> bool {
    word.contains('/') && !word.contains("://") || word.starts_with('.') && word.len() > 1
}

/// What the place refused, if it is certain.
pub fn judge(complaint: Complaint, inside: Reach, outside: Reach) -> Option<Refused> {
    let writing = !inside.writable && outside.writable;
    match complaint {
        Complaint::ReadOnly | Complaint::Busy => {
            (writing && inside.read_only && !outside.read_only).then_some(Refused::Writing)
        }
        Complaint::Denied if inside.there && !inside.readable && outside.readable => {
            Some(Refused::Reading)
        }
        Complaint::Denied => (inside.there && writing).then_some(Refused::Writing),
        Complaint::Missing => (!inside.there && outside.there).then_some(Refused::Finding),
    }
}

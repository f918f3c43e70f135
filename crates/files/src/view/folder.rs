//! The entries of a folder, page by page.
//!
//! Only a part of the names is in memory at once: a page far into a very large folder is found by
//! going over the folder several times.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    os::unix::ffi::OsStrExt as _,
};

use cap_std::fs::Dir;
use openspace_protocol::RelPath;

use super::{FolderView, MAX_CONTENT_BYTES, Page};
use crate::files::{FileError, Files, Kind, smallest::Smallest};

/// How many names are in memory at once.
const MAX_NAMES: usize = 100_000;

/// In the order in which entries are shown: folders first, then by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    is_no_folder: bool,
    name: OsString,
    is_link: bool,
}

pub(super) fn view(
    files: &Files,
    path: &RelPath,
    page: Page,
    cancel: &dyn Fn() -> bool,
) -> Result<FolderView, FileError> {
    view_holding(files, path, page, MAX_NAMES, cancel)
}

/// The same with so many names in memory at once.
pub(super) fn view_holding(
    files: &Files,
    path: &RelPath,
    page: Page,
    held: usize,
    cancel: &dyn Fn() -> bool,
) -> Result<FolderView, FileError> {
    let fail = |error| files.fail(path, error);
    let folder = files.beneath().open_folder(path.as_path()).map_err(fail)?;
    let pass = Pass { files, path, folder: &folder, held, cancel };
    let mut after = None;
    let mut skipped = 0;
    let mut totals: Option<(u64, u64)> = None;
    let mut shown = Shown::default();
    loop {
        let missing = page.last().saturating_sub(skipped + shown.count);
        let (names, unreadable) = pass.gather(after.as_ref(), missing)?;
        let (total, unreadable) = *totals.get_or_insert((names.seen(), unreadable));
        let names = names.into_sorted();
        after = names.last().cloned();
        for found in &names {
            if skipped < page.first - 1 {
                skipped += 1;
            } else if shown.count == page.limit || !shown.push(found) {
                break;
            }
        }
        // A folder that changes meanwhile may end before as many entries as it had.
        let done = skipped + shown.count >= total.min(page.last()) || names.is_empty();
        if done || shown.full {
            return Ok(shown.finish(page, total, unreadable));
        }
    }
}

struct Pass<'a> {
    files: &'a Files,
    path: &'a RelPath,
    folder: &'a Dir,
    held: usize,
    cancel: &'a dyn Fn() -> bool,
}

impl Pass<'_> {
    /// The next entries in order, and how many could not be looked at.
    fn gather(
        &self,
        after: Option<&Found>,
        wanted: u64,
    ) -> Result<(Smallest<Found>, u64), FileError> {
        let fail = |error| self.files.fail(self.path, error);
        let limit = usize::try_from(wanted).unwrap_or(self.held).min(self.held);
        let mut names = Smallest::new(limit);
        let mut unreadable = 0;
        for (count, entry) in self.folder.entries().map_err(fail)?.enumerate() {
            if count.is_multiple_of(1024) && (self.cancel)() {
                return Err(FileError::Cancelled);
            }
            let entry = entry.map_err(fail)?;
            let Ok(kind) = entry.file_type() else {
                unreadable += 1;
                continue;
            };
            let kind = Kind::from(kind);
            let found = Found {
                is_no_folder: kind != Kind::Folder,
                name: entry.file_name(),
                is_link: kind == Kind::Symlink,
            };
            if after.is_none_or(|after| found > *after) {
                names.push(found);
            }
        }
        Ok((names, unreadable))
    }
}

#[derive(Default)]
struct Shown {
    content: String,
    count: u64,
    escaped: u64,
    /// The answer has no room for the next entry.
    full: bool,
}

impl Shown {
    fn push(&mut self, found: &Found) -> bool {
        let (name, escaped) = spell(&found.name);
        let sign = match found {
            Found { is_no_folder: false, .. } => "/",
            Found { is_link: true, .. } => "@",
            _ => "",
        };
        self.full = self.content.len() + name.len() + sign.len() + 1 > MAX_CONTENT_BYTES;
        if self.full {
            return false;
        }
        // Writing into a string cannot fail.
        _ = writeln!(self.content, "{name}{sign}");
        self.count += 1;
        self.escaped += u64::from(escaped);
        true
    }

    fn finish(self, page: Page, total: u64, unreadable: u64) -> FolderView {
        let end = page.first - 1 + self.count;
        let more = self.count > 0 && end < total;
        let hint = if total == 0 {
            Some("the folder is empty".to_owned())
        } else if self.count == 0 {
            Some(format!("offset={} is past the end: there are {total} entries", page.first))
        } else if more {
            Some(format!("entries {}-{end} of {total}; offset={} goes on", page.first, end + 1))
        } else {
            None
        };
        FolderView {
            content: self.content,
            start_entry: page.first,
            end_entry: end,
            total_entries: total,
            escaped_names: self.escaped,
            unreadable,
            truncated: more,
            hint,
        }
    }
}

/// A name on one line, and whether it had to be escaped for that.
fn spell(name: &OsStr) -> (String, bool) {
    let is_plain = |name: &str| {
        !name.contains(|letter: char| letter.is_control() || letter == '"') && !name.ends_with('@')
    };
    if let Some(name) = name.to_str().filter(|name| is_plain(name)) {
        return (name.to_owned(), false);
    }
    let mut spelled = String::from("\"");
    for chunk in name.as_bytes().utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() || letter == '"' || letter == '\\' {
                spelled.extend(letter.escape_default());
            } else {
                spelled.push(letter);
            }
        }
        for byte in chunk.invalid() {
            // Writing into a string cannot fail.
            _ = write!(spelled, "\\x{byte:02x}");
        }
    }
    spelled.push('"');
    (spelled, true)
}

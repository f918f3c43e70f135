//! Changing files, as `workspace.write` and `workspace.edit` do it: all of a change or nothing.
//!
//! A change keeps what it was not asked to change: the encoding, the byte order mark and the line
//! endings of the file, its mode, and in an edit also bytes that are not text. Changes of one file
//! follow one another, and what was read is compared once more right before it is replaced, so that
//! neither another change here nor another program's is lost unseen.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, RandomState},
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use openspace_protocol::RelPath;
use openspace_text::edit::{self, EditError, Edited, Replacement, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::{Before, Encoding, FileError, Files, LineEnding, MAX_WRITE_BYTES, Put, hash};

mod before;
mod error;
mod save;
mod text;

#[cfg(test)]
mod tests;

pub use error::ChangeError;
pub use save::{Expected, Saved};

use before::Old;
use text::Text;

/// The largest file that is edited.
pub const MAX_EDIT_BYTES: u64 = 64 * 1024 * 1024;
/// How often a change starts again because another program changed the file meanwhile.
const ATTEMPTS: usize = 8;
/// How many changes can happen at once.
const LOCKS: usize = 64;

/// A whole file to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// Path relative to the workspace root. Folders that are missing are created.
    pub path: RelPath,
    /// The whole new content.
    pub content: String,
    /// The hash that the file must have, as a read or a change told it; nothing is written when the
    /// file has another one or does not exist.
    #[serde(default)]
    pub expected_hash: Option<String>,
    /// Tell what would change and write nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// One replacement in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The text to replace, as it stands in the file, without line numbers.
    pub old_string: String,
    /// The text to put in its place.
    pub new_string: String,
    /// Replace every place where the text stands, not the only one.
    #[serde(default)]
    pub replace_all: bool,
}

/// Replacements in one file: all are made or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// Path relative to the workspace root, of a file that exists.
    pub path: RelPath,
    /// The replacements in order; each sees what the ones before it made.
    pub edits: Vec<Edit>,
    /// The hash that the file must have, as a read or a change told it; nothing is written when the
    /// file has another one or does not exist.
    #[serde(default)]
    pub expected_hash: Option<String>,
    /// Tell what would change and write nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// What a change did, or would do.
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// The path that was given.
    pub path: RelPath,
    /// True when there was no file before.
    pub created: bool,
    /// The size of the file now.
    pub bytes: u64,
    /// Hash of the file now, to be given back as `expected_hash` of the next change.
    pub hash: String,
    /// Hash of the file before; absent when there was none, or it was larger than 64 MB or could
    /// not be read.
    pub previous_hash: Option<String>,
    /// How many places an edit replaced; 0 for a write.
    pub replacements: u64,
    /// Lines that the file did not have before.
    pub lines_added: u64,
    /// Lines that the file does not have any more.
    pub lines_removed: u64,
    /// How each edit found its place, in the order of the edits; empty for a write.
    pub rules: Vec<Rule>,
    /// How the lines of the file end now.
    pub line_ending: LineEnding,
    /// True when line feeds that were given are written as the file's carriage return and line feed.
    pub line_endings_kept: bool,
    /// How the file is encoded, as it was before.
    pub encoding: Encoding,
    /// A unified diff; empty when nothing differs or the difference is too large to show.
    pub diff: String,
    /// True when the diff does not show all that differs.
    pub diff_truncated: bool,
    /// True when nothing was written.
    pub dry_run: bool,
}

/// Changes files so that changes of one file follow one another.
pub struct Changes {
    /// A file belongs to one of these by its place; sharing one only makes two files take turns.
    locks: Vec<Mutex<()>>,
    places: RandomState,
}

impl Default for Changes {
    fn default() -> Self {
        Self { locks: (0..LOCKS).map(|_| Mutex::default()).collect(), places: RandomState::new() }
    }
}

impl Changes {
    /// Create a file or replace its content.
    pub fn write(
        &self,
        files: &Files,
        request: &WriteRequest,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Changed, ChangeError> {
        let call = Call {
            files,
            path: &request.path,
            expected_hash: request.expected_hash.as_deref(),
            dry_run: request.dry_run,
            cancel,
        };
        self.alone(files, &request.path, cancel, || call.write(&request.content))
    }

    /// Replace pieces of a text file.
    pub fn edit(
        &self,
        files: &Files,
        request: &EditRequest,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Changed, ChangeError> {
        let edits: Vec<Replacement> = request
            .edits
            .iter()
            .map(|edit| Replacement {
                old: edit.old_string.clone(),
                new: edit.new_string.clone(),
                replace_all: edit.replace_all,
            })
            .collect();
        // Also of a file that does not exist: an edit creates none, and the hint names what does.
        if let Some(index) = edits.iter().position(|edit| edit.old.is_empty()) {
            let edit = edit::Which { index, of: edits.len() };
            return Err(EditError::EmptyOld { edit }.into());
        }
        let call = Call {
            files,
            path: &request.path,
            expected_hash: request.expected_hash.as_deref(),
            dry_run: request.dry_run,
            cancel,
        };
        self.alone(files, &request.path, cancel, || call.edit(&edits))
    }

    /// Try a change until nobody interferes, while no other change of the file is made here.
    fn alone<T>(
        &self,
        files: &Files,
        path: &RelPath,
        cancel: &dyn Fn() -> bool,
        attempt: impl Fn() -> Result<Option<T>, ChangeError>,
    ) -> Result<T, ChangeError> {
        let _alone = self.hold(files, &[path]);
        for _ in 0..ATTEMPTS {
            if cancel() {
                return Err(FileError::Cancelled.into());
            }
            if let Some(changed) = attempt()? {
                return Ok(changed);
            }
        }
        Err(FileError::Busy { path: path.clone() }.into())
    }

    /// Keep other changes here away from files for as long as the answer is held.
    #[must_use = "dropped, it keeps nobody away"]
    pub fn hold(&self, files: &Files, paths: &[&RelPath]) -> Vec<MutexGuard<'_, ()>> {
        let locks = paths.iter().map(|path| {
            let place = self.places.hash_one(place(files, path));
            usize::try_from(place % LOCKS as u64).unwrap_or_default()
        });
        // Each once and in one order, so that two who want the same ones do not wait for each other.
        let locks: BTreeSet<usize> = locks.collect();
        let locks = locks.into_iter().map(|lock| self.locks[lock].lock());
        locks.map(|lock| lock.unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

/// Where a path leads, as far as it exists: the same for every spelling of one file.
fn place(files: &Files, path: &RelPath) -> PathBuf {
    let mut existing = path.clone();
    loop {
        match (files.real_path(&existing), existing.parent()) {
            (Ok(place), _) => {
                let missing = path.as_str().strip_prefix(existing.as_str()).unwrap_or_default();
                return place.join(missing.trim_start_matches('/'));
            }
            (Err(_), Some(above)) => existing = above,
            (Err(_), None) => return files.root().join(path.as_path()),
        }
    }
}

/// What was asked, whatever the kind of change.
struct Call<'a> {
    files: &'a Files,
    path: &'a RelPath,
    expected_hash: Option<&'a str>,
    dry_run: bool,
    cancel: &'a dyn Fn() -> bool,
}

impl Call<'_> {
    fn write(&self, content: &str) -> Result<Option<Changed>, ChangeError> {
        self.files.may_write(self.path)?;
        let old = self.old()?;
        let text = old.bytes().and_then(Text::decode);
        let encoding = text.as_ref().map_or(Encoding::Utf8, |text| text.encoding);
        let crlf = text.as_ref().is_some_and(|text| text.line_ending() == LineEnding::Crlf);
        let content = match encoding {
            Encoding::Utf8 => content,
            _ => content.strip_prefix('\u{feff}').unwrap_or(content),
        };
        let spelled = if crlf { text::with_returns(content) } else { content.into() };
        let line_endings_kept = crlf && spelled != content;
        let bytes = text::encode(encoding, &spelled);
        let (previous_hash, hash) = match old.bytes() {
            Some(raw) => self.hashes(raw, &bytes)?,
            None => (None, hash(&bytes)),
        };

        let compared = match (&old, &text) {
            (Old::Missing, _) => Some(edit::compare(self.path.as_str(), "", &spelled)),
            (_, Some(text)) => Some(edit::compare(self.path.as_str(), &text.shown(), &spelled)),
            (_, None) => None,
        };
        let changed = Changed {
            path: self.path.clone(),
            created: matches!(old, Old::Missing),
            bytes: bytes.len() as u64,
            hash,
            previous_hash,
            replacements: 0,
            lines_added: compared.as_ref().map_or(0, |compared| compared.lines_added),
            lines_removed: compared.as_ref().map_or(0, |compared| compared.lines_removed),
            rules: Vec::new(),
            line_ending: LineEnding::of(&spelled),
            line_endings_kept,
            encoding: match encoding {
                Encoding::Utf8 if spelled.starts_with('\u{feff}') => Encoding::Utf8Bom,
                encoding => encoding,
            },
            diff_truncated: compared.as_ref().is_none_or(|compared| compared.truncated),
            diff: compared.map(|compared| compared.diff).unwrap_or_default(),
            dry_run: self.dry_run,
        };
        self.put(old.must_be_there(), &bytes, changed)
    }

    fn edit(&self, edits: &[Replacement]) -> Result<Option<Changed>, ChangeError> {
        let raw = match self.old()? {
            Old::Content(raw) => raw,
            Old::Missing => return Err(FileError::NotFound { path: self.path.clone() }.into()),
            Old::Unknown(error) => return Err(error.into()),
        };
        let (text, edited) = match self.edited(&raw, edits) {
            Ok(edited) => edited,
            // That edits do not fit says little when the file is not the one that was seen.
            Err(error) => return Err(self.hashes(&raw, b"").err().unwrap_or(error)),
        };
        let bytes = text.encode(&edited.text);
        let (previous_hash, hash) = self.hashes(&raw, &bytes)?;
        let changed = Changed {
            path: self.path.clone(),
            created: false,
            bytes: bytes.len() as u64,
            hash,
            previous_hash,
            replacements: edited.replacements,
            lines_added: edited.lines_added,
            lines_removed: edited.lines_removed,
            rules: edited.rules,
            line_ending: LineEnding::of(&edited.text),
            line_endings_kept: edits.iter().any(|edit| text::with_returns(&edit.new) != edit.new)
                && text.line_ending() == LineEnding::Crlf,
            encoding: text.encoding,
            diff_truncated: edited.diff_truncated,
            diff: text.shown_part(edited.diff),
            dry_run: self.dry_run,
        };
        self.put(Before::Content(&raw), &bytes, changed)
    }

    /// The text and what the edits make of it.
    fn edited<'a>(
        &self,
        raw: &'a [u8],
        edits: &[Replacement],
    ) -> Result<(Text<'a>, Edited), ChangeError> {
        let size = raw.len() as u64;
        let text =
            Text::decode(raw).ok_or_else(|| FileError::Binary { path: self.path.clone(), size })?;
        self.files.may_write(self.path)?;
        if let Some(offset) = text.damaged_by(edits) {
            return Err(ChangeError::NotText { path: self.path.clone(), offset });
        }
        let edited = edit::apply(self.path.as_str(), &text.text, edits)
            .map_err(|error| text.shown_error(error))?;
        Ok((text, edited))
    }

    /// What is there, if a caller who expects something can be told whether it is that.
    fn old(&self) -> Result<Old, ChangeError> {
        match (self.expected_hash, Old::read(self.files, self.path, self.cancel)?) {
            (Some(_), Old::Unknown(error)) => Err(error.into()),
            (Some(expected), Old::Missing) => Err(self.stale(expected, None)),
            (_, old) => Ok(old),
        }
    }

    /// The hashes of the old content and the new one, if the old one is what the caller expects.
    fn hashes(&self, old: &[u8], new: &[u8]) -> Result<(Option<String>, String), ChangeError> {
        let (found, hash) = (hash(old), hash(new));
        match self.expected_hash {
            Some(expected) if expected != found => Err(self.stale(expected, Some(found))),
            _ => Ok((Some(found), hash)),
        }
    }

    fn stale(&self, expected: &str, found: Option<String>) -> ChangeError {
        ChangeError::Stale { path: self.path.clone(), expected: expected.to_owned(), found }
    }

    /// Put the new content in place; `None` when the old one is no longer what was read.
    fn put(
        &self,
        before: Before<'_>,
        bytes: &[u8],
        changed: Changed,
    ) -> Result<Option<Changed>, ChangeError> {
        if self.dry_run {
            if changed.bytes > MAX_WRITE_BYTES {
                let (path, size, limit) = (changed.path, changed.bytes, MAX_WRITE_BYTES);
                return Err(FileError::TooLarge { path, size, limit }.into());
            }
            return Ok(Some(changed));
        }
        if (self.cancel)() {
            return Err(FileError::Cancelled.into());
        }
        let written = self.files.write_over(self.path, bytes, before)?;
        Ok(written.map(|Put { created, .. }| Changed { created, ..changed }))
    }
}

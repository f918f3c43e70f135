//! What is at a path, as `workspace.read` shows it: numbered lines, the entries of a folder, or what
//! is known of a file that is not text. A text in memory is shown in the same way.
//!
//! An answer is at most 50 KB, whatever is asked and however large the file is, and memory stays
//! bounded at any size and any length of line. The content of binary files and of images is never
//! shown, secret files are refused, and nothing here waits on a pipe.

use std::{
    fs::{File, Metadata},
    io,
    os::unix::fs::FileExt,
};

use openspace_protocol::RelPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::{
    Encoding, FileError, Files, Hash, Kind, LineEnding, MAX_COUNT_BYTES, SNIFF_BYTES,
};

mod folder;
mod index;
mod kind;
mod lines;
mod scan;
mod text;
mod units;

#[cfg(test)]
mod tests;

pub use index::LineIndex;
pub use text::view_text;

/// How many lines or entries are shown when the request does not say.
pub const DEFAULT_LIMIT: u64 = 2000;
/// How long a shown text may be, in bytes.
pub const MAX_CONTENT_BYTES: usize = 50 * 1024;
/// How many characters of a line are shown.
pub const MAX_LINE_CHARACTERS: usize = 2000;
/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;
/// How many bytes are read at once. Even, so that no wide character is cut.
const BLOCK_BYTES: usize = 256 * 1024;

/// What to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewRequest {
    /// Path relative to the workspace root, of a file or a folder; empty for the root itself.
    pub path: RelPath,
    /// The first line, or the first entry of a folder, counting from 1; 1 when left out.
    pub offset: Option<u64>,
    /// How many lines or entries to show; 2000 when left out.
    pub limit: Option<u64>,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum View {
    /// Lines of a text file.
    Text(TextView),
    /// Entries of a folder.
    Folder(FolderView),
    /// A file that is not text; its content is not shown.
    Binary(BinaryView),
    /// An image; its content is not shown.
    Image(ImageView),
}

/// Lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextView {
    /// The lines, each as its number, a colon, a blank, its text and a line feed. A byte order mark
    /// and carriage returns at the ends of lines are not shown; a line over 2000 characters ends in
    /// a mark that says how many are left out.
    pub content: String,
    /// The number of the first line shown.
    pub start_line: u64,
    /// The number of the last line shown; one less than the first when the file is empty.
    pub end_line: u64,
    /// How many lines the file has; absent when the file is large and was not read to its end.
    pub total_lines: Option<u64>,
    /// The size of the file in bytes.
    pub size: u64,
    /// Hash of the whole file, to be given back as `expected_hash` of a change; absent when the file
    /// is larger than 64 MB or changed while it was read.
    pub hash: Option<String>,
    /// How the file is encoded.
    pub encoding: Encoding,
    /// How its lines end; in the part that was looked at, when the number of lines is absent.
    pub line_ending: LineEnding,
    /// True when the last line of the file has an end.
    pub final_newline: bool,
    /// True when bytes that are not valid in the encoding are shown as U+FFFD.
    pub lossy: bool,
    /// True when lines follow that are not shown, or a line is shown in part.
    pub truncated: bool,
    /// What is not shown and how to go on.
    pub hint: Option<String>,
}

/// Entries of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderView {
    /// One entry per line, folders first, then by name. A folder ends in `/`, a symbolic link in
    /// `@`. A name that could be misread (control characters, bytes that are not text) stands
    /// escaped in double quotes.
    pub content: String,
    /// The number of the first entry shown, counting from 1.
    pub start_entry: u64,
    /// The number of the last entry shown; one less than the first when none is.
    pub end_entry: u64,
    /// How many entries the folder has.
    pub total_entries: u64,
    /// How many of the entries shown have a name that is escaped.
    pub escaped_names: u64,
    /// How many entries could not be looked at; they are not counted.
    pub unreadable: u64,
    /// True when entries follow that are not shown.
    pub truncated: bool,
    /// What is not shown and how to go on.
    pub hint: Option<String>,
}

/// A file that is not text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BinaryView {
    /// The size of the file in bytes.
    pub size: u64,
    /// What its first bytes say it is, such as `elf`, `zip` or `sqlite`; absent when unknown.
    pub file_type: Option<String>,
    /// Hash of the whole file; absent when it is larger than 64 MB.
    pub hash: Option<String>,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageView {
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// Its width in pixels; absent when the head of the file does not say.
    pub width: Option<u32>,
    /// Its height in pixels; absent when the head of the file does not say.
    pub height: Option<u32>,
    /// The size of the file in bytes.
    pub size: u64,
    /// Hash of the whole file; absent when it is larger than 64 MB.
    pub hash: Option<String>,
}

/// Show what is at a path.
///
/// The index remembers where the lines of large files are; one serves any number of files and roots.
pub fn view(
    files: &Files,
    lines: &LineIndex,
    request: &ViewRequest,
    cancel: &dyn Fn() -> bool,
) -> Result<View, FileError> {
    let page = Page::of(request)?;
    if files.stat(&request.path)?.kind == Kind::Folder {
        return folder::view(files, &request.path, page, cancel).map(View::Folder);
    }
    for attempt in 1..=ATTEMPTS {
        let (file, before) = files.open_regular(&request.path)?;
        let source = Source { file: &file, path: &request.path, cancel };
        let shown = look(&source, &file, &before, lines, page);
        let after = file.metadata().map_err(|error| source.fail(error))?;
        if index::Identity::of(&before) == index::Identity::of(&after) {
            return shown;
        }
        // A file that always grows, such as a log, still holds what was there at first.
        if let Ok(View::Text(text)) = shown
            && attempt == ATTEMPTS
            && after.len() > before.len()
        {
            return Ok(View::Text(TextView { hash: None, ..text }));
        }
    }
    Err(FileError::Busy { path: request.path.clone() })
}

fn look(
    source: &Source<'_>,
    file: &File,
    metadata: &Metadata,
    lines: &LineIndex,
    page: Page,
) -> Result<View, FileError> {
    let mut first = vec![0; SNIFF_BYTES];
    let filled = source.fill(&mut first, 0)?;
    first.truncate(filled);
    let size = metadata.len().max(filled as u64);
    let binary = |file_type: Option<&str>| {
        let file_type = file_type.map(str::to_owned);
        Ok(View::Binary(BinaryView { size, file_type, hash: source.hash(size)? }))
    };
    match kind::guess(&first) {
        kind::Guess::Text(encoding) => {
            match text::view(source, file, metadata, lines, encoding, page)? {
                Some(text) => Ok(View::Text(text)),
                None => binary(None),
            }
        }
        kind::Guess::Binary(file_type) => binary(file_type),
        kind::Guess::Image(image) => {
            let pixels = image.pixels(source, &first)?;
            Ok(View::Image(ImageView {
                mime_type: image.mime_type().to_owned(),
                width: pixels.map(|(width, _)| width),
                height: pixels.map(|(_, height)| height),
                size,
                hash: source.hash(size)?,
            }))
        }
    }
}

/// Which lines or entries are wanted.
#[derive(Clone, Copy)]
struct Page {
    first: u64,
    limit: u64,
}

impl Page {
    fn of(request: &ViewRequest) -> Result<Self, FileError> {
        let page = Self {
            first: request.offset.unwrap_or(1),
            limit: request.limit.unwrap_or(DEFAULT_LIMIT),
        };
        if page.first == 0 || page.limit == 0 {
            let first = u32::try_from(page.first).unwrap_or(u32::MAX);
            return Err(FileError::BadRange { start_line: Some(first), end_line: None });
        }
        Ok(page)
    }

    /// The last line or entry that is wanted.
    fn last(self) -> u64 {
        self.first.saturating_add(self.limit - 1)
    }
}

/// Where bytes can be read at any place.
trait Bytes {
    /// Read at a place; how much was read, nothing at the end alone.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize>;
}

impl Bytes for File {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, at)
    }
}

impl Bytes for &[u8] {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// An open file, or bytes in memory, and what to say when reading them fails.
struct Source<'a> {
    file: &'a dyn Bytes,
    path: &'a RelPath,
    cancel: &'a dyn Fn() -> bool,
}

impl Source<'_> {
    fn fail(&self, error: io::Error) -> FileError {
        FileError::from_io(self.path, error)
    }

    /// Read at a place until the buffer is full or the file ends; how much was read.
    fn fill(&self, buffer: &mut [u8], at: u64) -> Result<usize, FileError> {
        if (self.cancel)() {
            return Err(FileError::Cancelled);
        }
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], at + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(error)),
            }
        }
        Ok(filled)
    }

    /// The hash of the whole file, unless it is too large.
    fn hash(&self, size: u64) -> Result<Option<String>, FileError> {
        if size > MAX_COUNT_BYTES {
            return Ok(None);
        }
        let mut hash = Hash::new();
        let mut buffer = vec![0; BLOCK_BYTES];
        let mut at = 0;
        while at <= MAX_COUNT_BYTES {
            match self.fill(&mut buffer, at)? {
                0 => return Ok(Some(hash.hex())),
                count => {
                    hash.update(&buffer[..count]);
                    at += count as u64;
                }
            }
        }
        Ok(None)
    }
}

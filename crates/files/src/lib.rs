//! Files beneath one root: reading, showing, writing and editing, searching and watching them.
//!
//! Only this crate turns a path of a workspace into an open file, always by handles beneath the
//! root, and always after the rules about secret and protected paths. It knows nothing of programs,
//! terminals, commands or callers, and never learns whether it serves this process or a runner.

pub mod change;
mod files;
pub mod glob;
pub mod grep;
pub mod rules;
pub mod search;
pub mod secrets;
pub mod view;
pub mod watch;

pub use files::{
    Action, BytesRead, Copied, Encoding, Entry, FileError, Files, Inspected, Kind, LineEnding,
    LineRange, Listing, MAX_BYTES, MAX_COUNT_BYTES, MAX_ENTRIES, MAX_READ_BYTES, MAX_WRITE_BYTES,
    MOST_ITEMS, Moved, NameEntry, Names, Stat, TextRead, TrashItem, Trashed, Written, hash,
    read_text,
};

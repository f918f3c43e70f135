//! A buffer: the text of a file with what is not saved, who sees it and who was told of it.

use std::{collections::VecDeque, ops::Deref, sync::Arc};

use openspace_files::{Encoding, hash};
use openspace_protocol::RelPath;
use openspace_space::Saving;
use serde::{Serialize, Serializer};
use tokio::time::Instant;

use super::{
    Mark,
    authors::Authors,
    pages::{Outbox, ToPage},
    paths::{PathGuard, Paths},
};

/// Buffers that may exist at once.
pub const MAX_BUFFERS: usize = 200;
/// Hashes of the text that readers were given and may still name.
const MAX_HANDED_OUT: usize = 64;

/// A text that many hold and nobody changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared(Arc<String>);

impl Deref for Shared {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Shared {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// The text of a file with what is not saved.
pub struct Buffer {
    /// The text on disk as it was last agreed with: what is unsaved is the difference to it.
    pub(super) base: Shared,
    /// The hash of the disk content that is the base; none while that content is not on disk.
    pub(super) base_hash: Option<String>,
    /// What the person sees.
    pub(super) text: Shared,
    pub(super) version: u64,
    /// The disk has changed in lines that are not saved either.
    pub(super) conflicted: bool,
    /// There is no file on disk.
    pub(super) deleted: bool,
    pub(super) encoding: Encoding,
    /// Until when an edit is waited for that came too late.
    pub(super) expected_until: Option<Instant>,
    /// Whose edits the text has.
    pub(super) authors: Authors,
    /// Hashes of texts that readers got since the base last moved under them.
    handed_out: VecDeque<String>,
    pub(super) pages: Vec<Arc<Outbox>>,
}

impl Buffer {
    pub(super) fn new(base: Shared, base_hash: Option<String>, text: Shared) -> Self {
        Self {
            conflicted: base_hash.is_none(),
            base,
            base_hash,
            text,
            version: 1,
            deleted: false,
            encoding: Encoding::Utf8,
            expected_until: None,
            authors: Authors::default(),
            handed_out: VecDeque::new(),
            pages: Vec::new(),
        }
    }

    /// The same for another path: nobody is attached to it yet.
    pub(super) fn copy(&self) -> Self {
        Self {
            base: self.base.clone(),
            base_hash: self.base_hash.clone(),
            text: self.text.clone(),
            version: self.version,
            conflicted: self.conflicted,
            deleted: self.deleted,
            encoding: self.encoding,
            expected_until: None,
            authors: self.authors.clone(),
            handed_out: VecDeque::new(),
            pages: Vec::new(),
        }
    }

    /// What everybody may know of it.
    pub(super) fn mark(&self) -> Mark {
        Mark { conflicted: self.conflicted, deleted: self.deleted }
    }

    /// Tell every page that is attached, except for one, as soon as the store has it.
    pub(super) fn tell(&mut self, message: &Arc<ToPage>, kept: &Saving, except: Option<&Outbox>) {
        self.pages.retain(|page| {
            except.is_some_and(|except| except.id() == page.id())
                || page.send_when_kept(Arc::clone(message), kept.clone())
        });
    }

    pub(super) fn is_attached(&self, page: &Outbox) -> bool {
        self.pages.iter().any(|known| known.id() == page.id())
    }

    /// The hash of the text for somebody who reads it and may name it in a change from now on.
    pub(super) fn hand_out_hash(&mut self) -> String {
        let hash = hash(self.text.as_bytes());
        if !self.handed_out.contains(&hash) {
            if self.handed_out.len() >= MAX_HANDED_OUT {
                self.handed_out.pop_front();
            }
            self.handed_out.push_back(hash.clone());
        }
        hash
    }

    /// Whether a caller who names this hash knows the file, apart from what was typed since.
    pub(super) fn is_known_by(&self, expected: &str) -> bool {
        self.base_hash.as_deref() == Some(expected)
            || self.handed_out.iter().any(|hash| hash == expected)
            || hash(self.text.as_bytes()) == expected
    }

    /// The disk has another text: what readers knew is out of date.
    pub(super) fn forget_handed_out(&mut self) {
        self.handed_out.clear();
    }
}

/// The buffers, by path. Whatever changes the text, the base or the file on disk of a path holds the
/// path's guard until the disk and the buffer agree again: a page that opens or edits waits for an
/// agent's write to end, and the other way round.
pub type Texts = Paths<Option<Buffer>>;

/// The guard of a file: no buffer of it appears, changes or goes while somebody else holds it.
pub type TextGuard = PathGuard<Option<Buffer>>;

impl Texts {
    /// Look at a buffer, if there is one. Its text must not be changed here.
    pub(super) fn with<T>(&self, path: &RelPath, look: impl FnOnce(&mut Buffer) -> T) -> Option<T> {
        self.look(path, |buffer| buffer.as_mut().map(look)).flatten()
    }

    /// The text of a file with what is not saved, if there is such.
    pub(super) fn text(&self, path: &RelPath) -> Option<Shared> {
        self.with(path, |buffer| buffer.text.clone())
    }

    /// A page is gone.
    pub(super) fn forget_page(&self, page: &Outbox) {
        for path in self.paths() {
            self.with(&path, |buffer| buffer.pages.retain(|known| known.id() != page.id()));
        }
    }
}

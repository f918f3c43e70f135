//! The disk's side of buffers: what other programs write, what is saved, moved and deleted.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use openspace_command::{Error, ErrorKind, Result};
use openspace_files::{Encoding, FileError, LineRange, hash};
use openspace_host::{HostError, operation::ReadText};
use openspace_protocol::RelPath;
use openspace_text::{merge, offsets};
use tokio::task::JoinSet;

use super::{
    Buffers, Inner, MAX_TEXT, Step,
    buffer::{Buffer, Shared, TextGuard},
    lock,
    pages::{Reason, ToPage},
    work,
};

/// How long a program that writes a file in several steps is given before its work counts.
pub(super) const WRITE_TIME: Duration = Duration::from_millis(300);
/// Moves that are remembered.
const MAX_MOVES: usize = 64;
/// Who changed a text when it was another program.
const PROGRAM: &str = "another program";

/// What is on disk.
pub(super) enum Disk {
    Text(Found),
    Missing,
    /// The text is one that has no file yet, and so nothing it could differ from.
    NoFile,
    /// Not a text that can be merged.
    Unusable(Refusal),
}

/// A text on disk.
pub(super) struct Found {
    /// As it is, apart from a byte order mark.
    pub(super) raw: String,
    /// With line feeds.
    pub(super) text: Shared,
    pub(super) hash: String,
    pub(super) encoding: Encoding,
}

/// A reason that can be given more than once.
pub(super) struct Refusal {
    kind: ErrorKind,
    message: String,
}

impl Refusal {
    pub(super) fn again(&self) -> Error {
        Error::new(self.kind, self.message.clone())
    }
}

/// What to do when the disk does not go together with what is not saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IfApart {
    /// Nothing yet: it may be the middle of a write, such as an empty file, or a save that is about
    /// to be told.
    Wait,
    /// Mark it as a conflict. A file that is empty is meant to be.
    Conflict,
}

/// What became of a buffer when the disk was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absorbed {
    /// There is none, or none any more.
    NoBuffer,
    /// It is in step with the disk.
    InStep,
    /// The disk cannot be brought together with what is not saved.
    Apart,
}

impl Buffers {
    /// A file may have changed on disk: bring its buffer, if it has one, in step with it.
    pub async fn file_changed(&self, path: &RelPath) {
        if self.is_unsaved(path) {
            Arc::clone(&self.inner).look(path).await;
        }
    }

    /// A file was saved as these bytes. What was typed since stays unsaved.
    pub async fn saved(&self, path: &RelPath, bytes: &[u8]) -> Result<()> {
        if !self.is_unsaved(path) {
            return Ok(());
        }
        let guard = self.guard(path).await;
        if guard.known().is_none() {
            return Ok(());
        }
        let saved = hash(bytes);
        match self.inner.read_disk(path).await? {
            // The save is what is there: it is the person's own, so it goes with what was typed.
            Disk::Text(found) if found.hash == saved => {
                let base = Some((found.text, Some(found.hash)));
                self.inner.commit(
                    &guard,
                    Step { text: None, base, by: PROGRAM.to_owned(), edit: None },
                    None,
                );
            }
            // Saved in a form that cannot be shared: pages go on with an ordinary file.
            Disk::Unusable(_) => self.inner.close(&guard, Reason::Saved, None),
            disk => _ = self.inner.absorb(&guard, &disk, IfApart::Conflict).await?,
        }
        Ok(())
    }

    /// A file or folder has another path now. Each file moves by itself; one that cannot stays where it
    /// was, which the error names.
    pub async fn renamed(&self, from: &RelPath, to: &RelPath) -> Result<()> {
        lock(&self.inner.moved).remember(from, to);
        let mut moves = JoinSet::new();
        let mut left = Vec::new();
        for old in self.beneath(from) {
            match beneath_new(&old, from, to) {
                Ok(new) => {
                    let inner = Arc::clone(&self.inner);
                    moves.spawn(async move { inner.rename(&old, &new).await });
                }
                Err(error) => left.push(format!("`{old}` ({error})")),
            }
        }
        while let Some(moved) = moves.join_next().await {
            if let Err(error) = moved {
                left.push(error.to_string());
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        let left = left.join(", ");
        Err(Error::internal(format!("`{from}` is `{to}` now, but unsaved text could not follow"))
            .hint(format!("it is still at its old path: {left}")))
    }

    /// A file or folder was deleted on purpose.
    pub async fn deleted(&self, path: &RelPath) {
        let mut ends = JoinSet::new();
        for path in self.beneath(path) {
            let inner = Arc::clone(&self.inner);
            ends.spawn(async move {
                let guard = inner.texts.guard(&path).await;
                inner.close(&guard, Reason::Deleted, None);
            });
        }
        while ends.join_next().await.is_some() {}
    }

    /// A file or folder is gone, and nobody asked the person: what is not saved stays, as the text of
    /// files that are not there. Which these are.
    pub async fn lost(&self, path: &RelPath) -> Vec<RelPath> {
        let paths = self.beneath(path);
        let mut looks = JoinSet::new();
        for path in paths.clone() {
            let inner = Arc::clone(&self.inner);
            looks.spawn(async move { inner.look_once(&path, IfApart::Conflict).await });
        }
        while looks.join_next().await.is_some() {}
        paths
    }

    fn beneath(&self, path: &RelPath) -> Vec<RelPath> {
        let is_beneath = |other: &RelPath| {
            let tail = other.as_str().strip_prefix(path.as_str());
            tail.is_some_and(|tail| tail.is_empty() || tail.starts_with('/') || path.is_root())
        };
        self.inner.texts.paths().into_iter().filter(is_beneath).collect()
    }
}

/// Where a path is when a folder above it, or it itself, has moved.
fn beneath_new(path: &RelPath, from: &RelPath, to: &RelPath) -> Result<RelPath> {
    let tail = path.as_str().strip_prefix(from.as_str()).unwrap_or_default();
    RelPath::parse(&format!("{to}{tail}")).map_err(|error| Error::invalid(error.to_string()))
}

/// Moves that pages may not have heard of: what they type into the old path belongs to the new one.
#[derive(Default)]
pub(super) struct Moves(VecDeque<(RelPath, RelPath)>);

impl Moves {
    fn remember(&mut self, from: &RelPath, to: &RelPath) {
        self.0.retain(|(known, _)| known != from);
        if self.0.len() >= MAX_MOVES {
            self.0.pop_front();
        }
        self.0.push_back((from.clone(), to.clone()));
    }

    /// Where a path went, if it did.
    pub(super) fn went(&self, path: &RelPath) -> Option<RelPath> {
        let is_beneath = |from: &RelPath| {
            let tail = path.as_str().strip_prefix(from.as_str());
            tail.is_some_and(|tail| tail.is_empty() || tail.starts_with('/'))
        };
        let (from, to) = self.0.iter().rev().find(|(from, _)| is_beneath(from))?;
        beneath_new(path, from, to).ok()
    }
}

/// Whether a program may be about to write the file anew.
pub(super) fn is_emptied(guard: &TextGuard, disk: &Disk) -> bool {
    let had_text = guard.known().as_ref().is_some_and(|buffer| !buffer.base.is_empty());
    had_text && matches!(disk, Disk::Text(found) if found.text.is_empty())
}

impl Inner {
    /// What is on disk. An error means that it cannot be known now.
    pub(super) async fn read_disk(&self, path: &RelPath) -> Result<Disk> {
        if path.is_untitled() {
            return Ok(Disk::NoFile);
        }
        let whole = ReadText { path: path.clone(), range: LineRange::default(), person: false };
        let unusable = |kind, message: String| Ok(Disk::Unusable(Refusal { kind, message }));
        let read = match self.host.ask(whole).await {
            Ok(read) => read,
            Err(HostError::File(FileError::NotFound { .. })) => return Ok(Disk::Missing),
            Err(HostError::File(error)) => {
                let error = (self.refused)(error.into());
                return match error.kind {
                    ErrorKind::Internal | ErrorKind::Cancelled => Err(error),
                    kind => unusable(kind, error.message),
                };
            }
            Err(error) => return Err((self.refused)(error)),
        };
        match read.hash {
            Some(hash) if !read.lossy && read.content.len() <= MAX_TEXT => Ok(Disk::Text(Found {
                text: merge::with_line_feeds(&read.content).into(),
                raw: read.content,
                hash,
                encoding: read.encoding,
            })),
            _ if read.lossy => unusable(
                ErrorKind::Unsupported,
                format!("`{path}` holds bytes that are not text and that merging could damage"),
            ),
            _ => unusable(ErrorKind::Unsupported, format!("`{path}` is too large on disk")),
        }
    }

    /// Look at the disk because the file changed; once more in a while if it does not go together
    /// with what is not saved.
    pub(super) async fn look(self: &Arc<Self>, path: &RelPath) {
        if self.look_once(path, IfApart::Wait).await != Some(Absorbed::Apart) {
            return;
        }
        let (later, path) = (Arc::downgrade(self), path.clone());
        tokio::spawn(async move {
            tokio::time::sleep(WRITE_TIME).await;
            if let Some(later) = later.upgrade() {
                later.look_once(&path, IfApart::Conflict).await;
            }
        });
    }

    pub(super) async fn look_once(
        self: &Arc<Self>,
        path: &RelPath,
        if_apart: IfApart,
    ) -> Option<Absorbed> {
        let guard = self.texts.guard(path).await;
        let absorbed = match self.read_disk(path).await {
            Ok(disk) => self.absorb(&guard, &disk, if_apart).await,
            Err(error) => Err(error),
        };
        match absorbed {
            Ok(absorbed) => Some(absorbed),
            Err(error) => {
                // The next change of the file, of whatever side, looks again.
                tracing::warn!(%path, %error, "a file with unsaved text cannot be read");
                None
            }
        }
    }

    /// Bring a buffer in step with the disk.
    pub(super) async fn absorb(
        self: &Arc<Self>,
        guard: &TextGuard,
        disk: &Disk,
        if_apart: IfApart,
    ) -> Result<Absorbed> {
        let (base, text, is_agreed) = match guard.known().as_ref() {
            Some(buffer) => (
                buffer.base.clone(),
                buffer.text.clone(),
                buffer.base_hash.is_some() && !buffer.conflicted,
            ),
            None => return Ok(Absorbed::NoBuffer),
        };
        let apart = || {
            if if_apart == IfApart::Conflict {
                self.set_conflicted(guard, matches!(disk, Disk::Missing));
            }
            Ok(Absorbed::Apart)
        };
        let found = match disk {
            Disk::Text(found) => found,
            Disk::NoFile => return Ok(Absorbed::InStep),
            Disk::Missing | Disk::Unusable(_) => return apart(),
        };
        // A program that writes in place empties the file first.
        if if_apart == IfApart::Wait && found.text.is_empty() && !base.is_empty() {
            return apart();
        }
        let on_disk = found.text.clone();
        let new_base = Some((found.text.clone(), Some(found.hash.clone())));
        let step = if base == on_disk {
            if let Some(buffer) = guard.known().as_mut() {
                buffer.base_hash = Some(found.hash.clone());
                buffer.encoding = found.encoding;
            }
            if is_agreed {
                return Ok(Absorbed::InStep);
            }
            Step { text: None, base: new_base, by: PROGRAM.to_owned(), edit: None }
        } else {
            let old = text.clone();
            let merged = work(move || {
                let merged = merge::merge(&base, &on_disk, &text).ok()?;
                let edits = offsets::between(&text, &merged.text);
                Some((Shared::from(merged.text), edits))
            })
            .await?;
            let Some((merged, edits)) = merged.filter(|(text, _)| text.len() <= MAX_TEXT) else {
                return apart();
            };
            if let Some(buffer) = guard.known().as_mut() {
                buffer.forget_handed_out();
                buffer.encoding = found.encoding;
            }
            let text = (merged != old).then_some((merged, edits));
            Step { text, base: new_base, by: PROGRAM.to_owned(), edit: None }
        };
        self.commit(guard, step, None);
        let is_there = guard.known().is_some();
        Ok(if is_there { Absorbed::InStep } else { Absorbed::NoBuffer })
    }

    async fn rename(self: &Arc<Self>, from: &RelPath, to: &RelPath) {
        if from == to {
            return;
        }
        // Two guards are taken in the order of the paths, so that two moves cannot block each other.
        let (first, second) = if from < to { (from, to) } else { (to, from) };
        let first = self.texts.guard(first).await;
        let second = self.texts.guard(second).await;
        let (old, new) = if first.path() == from { (first, second) } else { (second, first) };
        let Some(moved) = old.known().as_ref().map(Buffer::copy) else { return };
        // What was unsaved in a file that was replaced on purpose goes with it.
        self.close(&new, Reason::Deleted, None);
        // The text is at its new path before it leaves the old one. There is room for it, also in a
        // server that stops: a move makes no text more than there was.
        let mark = moved.mark();
        new.put(Some(moved), usize::MAX);
        self.mark(to, Some(mark));
        let left = old.known().take();
        let (_, kept) = self.keep_together([to, from]);
        if let Some(mut left) = left {
            let (path, to) = (from.to_string(), Some(to.to_string()));
            let closed = ToPage::Closed { path, reason: Reason::Moved, to };
            left.tell(&Arc::new(closed), &kept, None);
        }
        self.mark(from, None);
        self.touched(to);
        self.touched(from);
        drop((old, new));
        self.look(to).await;
    }
}

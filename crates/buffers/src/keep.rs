//! Unsaved text in the store: read when the server starts, and handed over as it changes. Each edit is
//! there at once as a step (see [`super::steps`]); whole texts follow when some have gathered.

use std::{sync::Arc, time::Duration};

use openspace_files::Encoding;
use openspace_protocol::RelPath;
use openspace_space::{Aside, Saving};
use serde::{Deserialize, Serialize};

use super::{
    Inner, Mark,
    authors::Authors,
    buffer::{Buffer, MAX_BUFFERS, Shared},
    disk::IfApart,
    lock, start_together,
    steps::{self, Entry, Logged, Restored},
};

/// What the store calls the texts; each is under its path.
const TEXTS: &str = "buffer-text";
/// How long typing is gathered before it is written.
const GATHER: Duration = Duration::from_millis(300);
/// A text so large is written half as often, one twice as large a third as often, and so on.
const LARGE: usize = 1024 * 1024;

/// A buffer as the store has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept<T> {
    base: T,
    base_hash: Option<String>,
    text: T,
    version: u64,
    conflicted: bool,
    encoding: Encoding,
    #[serde(default)]
    authors: Authors,
}

/// Write what was typed, not more often than the disk can stand.
pub(super) async fn keep(inner: Arc<Inner>) {
    loop {
        inner.keep.notified().await;
        tokio::time::sleep(GATHER).await;
        let paths = std::mem::take(&mut *lock(&inner.unkept));
        let size: usize = paths.iter().map(|path| inner.keep_now(path).0).sum();
        inner.store.flush().settled().await;
        let pause = u32::try_from(size / LARGE).unwrap_or(u32::MAX).min(10);
        tokio::time::sleep(GATHER * pause).await;
    }
}

impl Inner {
    pub(super) fn keep_later(&self, path: &RelPath) {
        lock(&self.unkept).insert(path.clone());
        self.keep.notify_one();
    }

    /// Hand a buffer to the store, or that there is none any more; how large it is.
    pub(super) fn keep_now(&self, path: &RelPath) -> (usize, Saving) {
        self.keep_together([path])
    }

    /// The same for several files, of which the store has all or none.
    pub(super) fn keep_together<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a RelPath>,
    ) -> (usize, Saving) {
        let mut logged = lock(&self.keeping);
        let (mut size, mut entries) = (0, Vec::new());
        for path in paths {
            let Some(kept) = self.entries_of(path, &mut logged) else { continue };
            size += kept.first().and_then(|(_, _, text)| text.as_ref()).map_or(0, String::len);
            entries.extend(kept);
        }
        (size, self.store.save(entries))
    }

    /// The entry of a buffer, or that there is none any more, and of the steps that it has.
    fn entries_of(&self, path: &RelPath, logged: &mut Logged) -> Option<Vec<Entry>> {
        let kept = self.texts.with(path, |buffer| Kept {
            base: buffer.base.clone(),
            base_hash: buffer.base_hash.clone(),
            text: buffer.text.clone(),
            version: buffer.version,
            conflicted: buffer.conflicted,
            encoding: buffer.encoding,
            authors: buffer.authors.clone(),
        });
        let value = match kept.as_ref().map(serde_json::to_string) {
            Some(Ok(value)) => Some(value),
            None => None,
            Some(Err(error)) => {
                tracing::error!(%path, %error, "unsaved text cannot be kept");
                return None;
            }
        };
        // The steps up to here are in the text, and go in the same transaction.
        let steps = logged.forget(path, kept.map_or(u64::MAX, |kept| kept.version));
        let whole = std::iter::once((TEXTS, path.to_string(), value));
        Some(whole.chain(steps).collect())
    }

    /// Take up what an earlier run has kept, as it was kept.
    pub(super) async fn restore(&self) {
        let mut saved = self.store.entries().unwrap_or_else(|error| {
            tracing::error!(%error, "unsaved text of the last run cannot be read");
            std::collections::BTreeMap::new()
        });
        let texts = saved.remove(TEXTS).unwrap_or_default();
        let steps = saved.remove(steps::STEPS).unwrap_or_default();
        let Restored { mut steps, mut unreadable } = Restored::read(steps);
        for (key, value) in texts {
            let why = match (RelPath::parse(&key), serde_json::from_str::<Kept<String>>(&value)) {
                (Ok(path), Ok(kept)) => {
                    let steps = steps.remove(&path).unwrap_or_default();
                    lock(&self.keeping).remember(&path, steps.keys().copied());
                    self.restore_one(&path, kept, steps).await;
                    continue;
                }
                (Err(error), _) => error.to_string(),
                (_, Err(error)) => error.to_string(),
            };
            unreadable.push(Aside { part: TEXTS.to_owned(), key, why });
        }
        // A step whose text is gone leads nowhere.
        let mut logged = lock(&self.keeping);
        for (path, steps) in steps {
            logged.remember(&path, steps.keys().copied());
            drop(self.store.save(logged.forget(&path, u64::MAX)));
        }
        drop(logged);
        // What is typed from now on must not overwrite it.
        if let Some(space) = self.space.upgrade()
            && let Err(error) = space.put_aside(&unreadable)
        {
            tracing::error!(%error, "unsaved text that cannot be read is not put aside");
        }
    }

    async fn restore_one(&self, path: &RelPath, kept: Kept<String>, steps: steps::Steps) {
        let Kept { base, base_hash, text, version, conflicted, encoding, authors } = kept;
        let mut buffer = Buffer::new(Shared::from(base), base_hash, Shared::from(text));
        buffer.version = version;
        buffer.conflicted = conflicted;
        buffer.encoding = encoding;
        buffer.authors = authors;
        steps::apply(&mut buffer, path, steps);
        let guard = self.texts.guard(path).await;
        if guard.put(Some(buffer), MAX_BUFFERS) {
            self.mark(path, Some(Mark { conflicted, deleted: false }));
        }
    }

    /// Bring what was restored in step with the disk.
    pub(super) async fn look_at_restored(self: &Arc<Self>) {
        let looks = self.texts.paths().into_iter().map(|path| {
            self.touched(&path);
            let inner = Arc::clone(self);
            async move { _ = inner.look_once(&path, IfApart::Conflict).await }
        });
        start_together(looks, &self.stop).await;
    }
}

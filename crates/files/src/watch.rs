//! Watching single files: a path comes through the channel after the file was created, changed,
//! replaced or removed.
//!
//! The folder is watched, not the file, so that an atomic rename is seen. A folder that is missing or
//! goes away is looked for until it is there. Bursts become one message, a full channel makes nobody
//! wait, and after the last change there is always one more message. Not seen: the target of a
//! symlink, and the renaming of a folder further up.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, event::ModifyKind,
};
use openspace_protocol::RelPath;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Sender, error::TrySendError};

use crate::files::{FileError, beneath::Beneath};

pub mod tree;

#[cfg(test)]
mod tests;

/// How long changes are gathered before they are told, and a full channel is left alone.
const GATHER: Duration = Duration::from_millis(20);
/// How often a missing folder is looked for.
const MISSING: Duration = Duration::from_millis(250);

/// Why a file cannot be watched.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the system cannot watch more files")]
    TooMany {
        #[serde(with = "as_text")]
        source: notify::Error,
    },
    #[error("the system cannot watch files here")]
    System {
        #[serde(with = "as_text")]
        source: notify::Error,
    },
}

/// How an error of the library that watches travels between processes.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        error: &notify::Error,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.serialize_str(&error.to_string())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<notify::Error, D::Error> {
        String::deserialize(input).map(|text| notify::Error::generic(&text))
    }
}

impl From<notify::Error> for WatchError {
    fn from(source: notify::Error) -> Self {
        match source.kind {
            notify::ErrorKind::MaxFilesWatch => Self::TooMany { source },
            _ => Self::System { source },
        }
    }
}

/// Watches single files beneath a root.
pub struct Watcher {
    shared: Arc<Shared>,
    backend: Arc<Mutex<Backend>>,
}

/// Locked while watches change; never touched by the thread of `notify`, which answers it.
struct Backend {
    beneath: Beneath,
    notify: RecommendedWatcher,
    watched: BTreeMap<RelPath, Watched>,
    missing: BTreeSet<RelPath>,
}

struct Watched {
    count: usize,
    /// The real folder, once it is watched.
    folder: Option<PathBuf>,
}

/// What the thread of `notify` and the delivering thread have in common; locked for moments only.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    folders: HashMap<PathBuf, HashMap<OsString, BTreeSet<RelPath>>>,
    changed: BTreeSet<RelPath>,
    lost: BTreeSet<PathBuf>,
    any_missing: bool,
    stopped: bool,
}

impl Watcher {
    /// Start watching nothing yet; `events` receives the paths of watched files that changed.
    pub fn new(root: &Path, events: Sender<RelPath>) -> Result<Self, WatchError> {
        let beneath = Beneath::open(root).map_err(|source| FileError::Root { source })?;
        let shared = Arc::new(Shared::default());
        let heard = Arc::clone(&shared);
        let notify = notify::recommended_watcher(move |event| heard.hear(event))?;
        let backend =
            Backend { beneath, notify, watched: BTreeMap::new(), missing: BTreeSet::new() };
        let backend = Arc::new(Mutex::new(backend));
        let (to_deliver, to_repair) = (Arc::clone(&shared), Arc::clone(&backend));
        thread::Builder::new()
            .name("file-watch".to_owned())
            .spawn(move || to_deliver.deliver(&to_repair, &events))
            .map_err(notify::Error::io)?;
        Ok(Self { shared, backend })
    }

    /// Watch a file, which need not exist. Watched twice, it must be unwatched twice.
    pub fn watch(&self, path: &RelPath) -> Result<(), WatchError> {
        let mut backend = lock(&self.backend);
        if let Some(watched) = backend.watched.get_mut(path) {
            watched.count += 1;
            return Ok(());
        }
        let folder = backend.attach(path, &self.shared)?;
        backend.watched.insert(path.clone(), Watched { count: 1, folder });
        Ok(())
    }

    /// Take back one `watch`; false when the file was not watched.
    pub fn unwatch(&self, path: &RelPath) -> bool {
        let mut backend = lock(&self.backend);
        let Some(watched) = backend.watched.get_mut(path) else { return false };
        watched.count -= 1;
        if watched.count == 0 {
            let folder = watched.folder.take();
            backend.watched.remove(path);
            backend.missing.remove(path);
            if let Some(folder) = folder {
                backend.detach(&folder, path, &self.shared);
            }
        }
        true
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        lock(&self.shared.state).stopped = true;
        self.shared.wake.notify_all();
    }
}

impl Backend {
    /// Watch the folder of a file; `None` when it does not exist yet and is to be looked for.
    fn attach(&mut self, path: &RelPath, shared: &Shared) -> Result<Option<PathBuf>, WatchError> {
        let Some((parent, name)) = path.parent().zip(path.name()) else {
            return Err(FileError::IsAFolder { path: path.clone() }.into());
        };
        let folder = match self.beneath.open_folder(parent.as_path()) {
            Ok(handle) => self.beneath.location(&handle, parent.as_path()),
            Err(error) => Err(error),
        };
        let folder = match folder {
            Ok(folder) => self.beneath.root().join(folder),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.missing.insert(path.clone());
                lock(&shared.state).any_missing = true;
                shared.wake.notify_all();
                return Ok(None);
            }
            Err(error) => return Err(FileError::from_io(path, error).into()),
        };
        let is_new = {
            let mut state = lock(&shared.state);
            let is_new = !state.folders.contains_key(&folder);
            let files = state.folders.entry(folder.clone()).or_default();
            files.entry(name.into()).or_default().insert(path.clone());
            is_new
        };
        if is_new && let Err(error) = self.notify.watch(&folder, RecursiveMode::NonRecursive) {
            self.detach(&folder, path, shared);
            return Err(error.into());
        }
        Ok(Some(folder))
    }

    fn detach(&mut self, folder: &Path, path: &RelPath, shared: &Shared) {
        let is_last = {
            let mut state = lock(&shared.state);
            state.changed.remove(path);
            let Some(files) = state.folders.get_mut(folder) else { return };
            files.retain(|_, paths| {
                paths.remove(path);
                !paths.is_empty()
            });
            files.is_empty() && state.folders.remove(folder).is_some()
        };
        if is_last && let Err(error) = self.notify.unwatch(folder) {
            tracing::debug!(%error, "a folder was no longer watched");
        }
    }

    /// Take up the watches of folders that went away or were not there, as far as they are back.
    fn repair(&mut self, lost: &BTreeSet<PathBuf>, shared: &Shared) {
        for folder in lost {
            let here: Vec<_> = self
                .watched
                .iter_mut()
                .filter(|(_, watched)| watched.folder.as_ref() == Some(folder))
                .map(|(path, watched)| (path.clone(), watched.folder.take()))
                .collect();
            for (path, folder) in here {
                if let Some(folder) = folder {
                    self.detach(&folder, &path, shared);
                }
                // The loss itself is a change, and the detaching has dropped it.
                lock(&shared.state).changed.insert(path.clone());
                self.missing.insert(path);
            }
        }
        for path in std::mem::take(&mut self.missing) {
            match self.attach(&path, shared) {
                Ok(Some(folder)) => {
                    if let Some(watched) = self.watched.get_mut(&path) {
                        watched.folder = Some(folder);
                    }
                    lock(&shared.state).changed.insert(path);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(%error, %path, "a file cannot be watched yet");
                    self.missing.insert(path);
                }
            }
        }
        lock(&shared.state).any_missing = !self.missing.is_empty();
    }
}

impl Shared {
    /// Called on the thread of `notify`: note what changed and return at once.
    fn hear(&self, event: notify::Result<Event>) {
        let mut state = lock(&self.state);
        match event {
            Ok(event) if event.need_rescan() => state.all_changed(),
            Ok(event) => event.paths.iter().for_each(|path| state.note(path, event.kind)),
            Err(error) => {
                tracing::warn!(%error, "watching files failed for a moment");
                state.all_changed();
            }
        }
        if !state.changed.is_empty() || !state.lost.is_empty() {
            self.wake.notify_all();
        }
    }

    /// The delivering thread: ends with the watcher or when nobody listens any more.
    fn deliver(&self, backend: &Mutex<Backend>, events: &Sender<RelPath>) {
        while let Some(lost) = self.next_round() {
            lock(backend).repair(&lost, self);
            let changed = std::mem::take(&mut lock(&self.state).changed);
            for path in changed {
                match events.try_send(path) {
                    Ok(()) => {}
                    // It stays due, together with whatever else happens meanwhile.
                    Err(TrySendError::Full(path)) => _ = lock(&self.state).changed.insert(path),
                    Err(TrySendError::Closed(_)) => return,
                }
            }
        }
    }

    /// Wait until there is something to do and let a burst pass; `None` when the watcher is gone.
    fn next_round(&self) -> Option<BTreeSet<PathBuf>> {
        let quiet =
            |state: &mut State| !state.stopped && state.changed.is_empty() && state.lost.is_empty();
        let state = lock(&self.state);
        let state = if state.any_missing {
            let waited = self.wake.wait_timeout_while(state, MISSING, quiet);
            waited.unwrap_or_else(PoisonError::into_inner).0
        } else {
            let waited = self.wake.wait_while(state, |state| quiet(state) && !state.any_missing);
            waited.unwrap_or_else(PoisonError::into_inner)
        };
        let waited = self.wake.wait_timeout_while(state, GATHER, |state| !state.stopped);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        (!state.stopped).then(|| std::mem::take(&mut state.lost))
    }
}

impl State {
    fn all_changed(&mut self) {
        let all: Vec<_> =
            self.folders.values().flat_map(HashMap::values).flatten().cloned().collect();
        self.changed.extend(all);
    }

    fn note(&mut self, path: &Path, kind: EventKind) {
        // Our own reading is no change, and would come back for ever.
        if matches!(kind, EventKind::Access(_)) {
            return;
        }
        let named = path.parent().zip(path.file_name());
        if let Some((folder, name)) = named
            && let Some(paths) = self.folders.get(folder).and_then(|files| files.get::<OsStr>(name))
        {
            self.changed.extend(paths.iter().cloned());
        }
        let is_gone = matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
        if is_gone && self.folders.contains_key(path) {
            self.lost.insert(path.to_owned());
        }
    }
}

/// A panic elsewhere leaves nothing half done here, so the lock stays usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The same walk on several threads, for those who look at every file of a large tree.
//!
//! A folder is opened from the handle of the folder that holds it, word by word and never through a
//! link, so what is found at a path is really there. Files of one large folder are shared out too.
//! The number of folders that are open at a time does not depend on the tree.

use std::{
    ffi::{CStr, OsStr},
    fs::{File, Metadata},
    io,
    num::NonZero,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use cap_std::fs::Dir;
use openspace_protocol::RelPath;
use rustix::fs::{Mode, OFlags, openat};

use super::{
    super::{FileError, Files, Kind, beneath::spell},
    entries::{Entries, NamedKind},
    ignores::Ignores,
    queue::Queue,
};

#[cfg(test)]
mod tests;

/// More threads than this wait for each other.
const MAX_THREADS: usize = 8;
/// So many folders above one another are kept open; deeper ones are reached anew from the last.
const KEPT_OPEN: usize = 16;
/// How many entries are read before the files among them are looked at.
const READ_AHEAD: usize = 1024;
/// How many files are handed at once to a thread that has nothing to do.
const SHARE: usize = 32;
/// How often the caller is asked whether to stop.
const ASK_EVERY: Duration = Duration::from_millis(10);

/// Where to walk and what to pass over.
pub(crate) struct Walk<'a> {
    pub(crate) files: &'a Files,
    pub(crate) start: &'a RelPath,
    pub(crate) respect_gitignore: bool,
    pub(crate) hidden: bool,
}

/// Somebody who looks at files.
pub(crate) trait Look: Sync {
    /// What is worth knowing of a folder when its files are looked at.
    type Marks: Copy + Send + Sync;
    /// What one thread needs and collects.
    type Worker: Send;

    fn worker(&self) -> Self::Worker;
    /// Whether folders of this name are walked.
    fn enters(&self, _name: &[u8]) -> bool {
        true
    }
    /// Mark a folder, by its path from the start and the marks of the folder that holds it.
    fn enter(&self, above: Option<Self::Marks>, tail: &Path) -> Self::Marks;
    /// Look at a file or a link.
    fn look(&self, worker: &mut Self::Worker, found: &Found<'_, Self::Marks>);
}

/// A file or a link that was found.
pub(crate) struct Found<'a, M> {
    pub(crate) folder: &'a Dir,
    pub(crate) marks: M,
    pub(crate) name: &'a CStr,
    /// The path from the start of the walk.
    pub(crate) tail: &'a Path,
    pub(crate) kind: Kind,
    /// True once the caller wants no more.
    pub(crate) stopped: &'a AtomicBool,
}

/// Where a walk went.
pub(crate) struct Walked<W> {
    /// The folder it started in.
    pub(crate) folder: Dir,
    pub(crate) workers: Vec<W>,
    /// How many folders or entries could not be read.
    pub(crate) unreadable: u64,
}

impl Walk<'_> {
    /// Where the start really is, relative to the root.
    pub(crate) fn place(&self) -> Result<PathBuf, FileError> {
        self.open().map(|(_, place)| place)
    }

    fn open(&self) -> Result<(Dir, PathBuf), FileError> {
        let fail = |error| self.files.fail(self.start, error);
        let folder = self.files.beneath().open_folder(self.start.as_path()).map_err(fail)?;
        let place = self.files.beneath().location(&folder, self.start.as_path()).map_err(fail)?;
        Ok((folder, place))
    }

    /// Show every file and link beneath the start to `look`, in no order.
    pub(crate) fn run<L: Look>(
        &self,
        look: &L,
        cancel: &dyn Fn() -> bool,
    ) -> Result<Walked<L::Worker>, FileError> {
        if cancel() {
            return Err(FileError::Cancelled);
        }
        let (folder, place) = self.open()?;
        let ignores = self.respect_gitignore.then(|| Ignores::above(self.files, &place));
        let tail_at = if place.as_os_str().is_empty() { 0 } else { place.as_os_str().len() + 1 };
        // The handle is for opening things beneath it; another one is needed to read the entries.
        let listed = open_folder(&folder, Path::new("."));
        let first = Pending {
            opened: Some(listed.map_err(|error| self.files.fail(self.start, error))?),
            anchor: None,
            words: PathBuf::new(),
            place,
            depth: 0,
            marks_above: None,
            ignores,
        };
        let threads = threads();
        let queue = Queue::new(Work::Folder(first), threads);
        let crew = Crew { walk: self, look, queue: &queue, tail_at, unreadable: AtomicU64::new(0) };
        let (alive, ended) = mpsc::channel::<()>();
        let (workers, cancelled) = thread::scope(|scope| {
            let spawned: Vec<_> = (0..threads)
                .map(|_| {
                    let alive = alive.clone();
                    let crew = &crew;
                    scope.spawn(move || {
                        let worker = crew.work();
                        drop(alive);
                        worker
                    })
                })
                .collect();
            drop(alive);
            let mut cancelled = false;
            while ended.recv_timeout(ASK_EVERY) == Err(RecvTimeoutError::Timeout) {
                if !cancelled && cancel() {
                    cancelled = true;
                    queue.stop();
                }
            }
            let workers: Vec<_> = spawned
                .into_iter()
                .map(|thread| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
                .collect();
            (workers, cancelled)
        });
        if cancelled {
            return Err(FileError::Cancelled);
        }
        Ok(Walked { folder, workers, unreadable: crew.unreadable.into_inner() })
    }
}

fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS
        .get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS))
}

/// Open a folder beneath another, word by word; a link is an error.
pub(crate) fn open_folder(above: &Dir, words: &Path) -> io::Result<Dir> {
    let flags =
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut opened: Option<OwnedFd> = None;
    for word in words {
        opened = Some(match &opened {
            Some(folder) => openat(folder, word, flags, Mode::empty())?,
            None => openat(above, word, flags, Mode::empty())?,
        });
    }
    opened.map_or_else(|| above.try_clone(), |folder| Ok(Dir::from_std_file(File::from(folder))))
}

/// Open a regular file in a folder, without waiting; anything else is an error.
pub(crate) fn open_file(folder: &Dir, name: &CStr) -> io::Result<(File, Metadata)> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok((file, metadata))
}

/// A folder that is yet to be walked.
struct Pending<M> {
    /// The first folder is open already.
    opened: Option<Dir>,
    /// The nearest folder above that is still open.
    anchor: Option<Arc<Folder<M>>>,
    /// The path from the anchor.
    words: PathBuf,
    /// The path from the root.
    place: PathBuf,
    depth: usize,
    marks_above: Option<M>,
    ignores: Option<Ignores>,
}

impl<M> Pending<M> {
    fn open(&mut self) -> io::Result<Dir> {
        match (self.opened.take(), &self.anchor) {
            (Some(folder), _) => Ok(folder),
            (None, Some(anchor)) => open_folder(&anchor.handle, &self.words),
            (None, None) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A folder that is open.
struct Folder<M> {
    handle: Dir,
    place: PathBuf,
    marks: M,
    ignores: Option<Ignores>,
}

enum Work<M> {
    Folder(Pending<M>),
    Files(Arc<Folder<M>>, Vec<NamedKind>),
}

/// What all threads of one walk share.
struct Crew<'a, L: Look> {
    walk: &'a Walk<'a>,
    look: &'a L,
    queue: &'a Queue<Work<L::Marks>>,
    /// Where in a path from the root the path from the start begins.
    tail_at: usize,
    unreadable: AtomicU64,
}

/// Stops the others when a thread panics, for they would wait for it forever.
struct StopOnPanic<'a, T>(&'a Queue<T>);

impl<T> Drop for StopOnPanic<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

impl<L: Look> Crew<'_, L> {
    fn work(&self) -> L::Worker {
        let guard = StopOnPanic(self.queue);
        let mut worker = self.look.worker();
        let mut entries = Entries::new();
        let mut path = PathBuf::new();
        while let Some(work) = self.queue.next() {
            match work {
                Work::Folder(pending) => {
                    self.folder(&mut worker, &mut entries, &mut path, pending);
                }
                Work::Files(folder, names) => self.files(&mut worker, &mut path, &folder, &names),
            }
        }
        drop(guard);
        worker
    }

    fn folder(
        &self,
        worker: &mut L::Worker,
        entries: &mut Entries,
        path: &mut PathBuf,
        mut pending: Pending<L::Marks>,
    ) {
        let Ok(handle) = pending.open() else {
            self.count_unreadable();
            return;
        };
        let ignores = pending.ignores.take().map(|above| above.and_in(&handle, &pending.place));
        let marks = self.look.enter(pending.marks_above, self.tail(&pending.place));
        let place = std::mem::take(&mut pending.place);
        let folder = Arc::new(Folder { handle, place, marks, ignores });
        let mut read = Vec::new();
        entries.read(&folder.handle, |entry| {
            match entry {
                Ok(entry) => read.push(entry),
                Err(_) => self.count_unreadable(),
            }
            if read.len() >= READ_AHEAD {
                self.entries(worker, path, &folder, &pending, &mut read);
            }
            !self.queue.stopped().load(Ordering::Relaxed)
        });
        self.entries(worker, path, &folder, &pending, &mut read);
    }

    /// Pass folders on, share files out while others wait, and look at the rest here.
    fn entries(
        &self,
        worker: &mut L::Worker,
        path: &mut PathBuf,
        folder: &Arc<Folder<L::Marks>>,
        pending: &Pending<L::Marks>,
        read: &mut Vec<NamedKind>,
    ) {
        let mut folders = Vec::new();
        read.retain(|(name, kind)| {
            let wanted = self.is_wanted(path, folder, name, *kind);
            if wanted && *kind == Kind::Folder {
                if path.as_os_str().len() <= RelPath::MAX_BYTES {
                    folders.push(Work::Folder(Self::beneath(folder, pending, name, path.clone())));
                } else {
                    self.count_unreadable();
                }
            }
            wanted && matches!(kind, Kind::File | Kind::Symlink)
        });
        if !folders.is_empty() {
            self.queue.push(folders);
        }
        while !read.is_empty() {
            let share = read.split_off(read.len().saturating_sub(SHARE));
            if !read.is_empty() && self.queue.is_short() {
                self.queue.push([Work::Files(Arc::clone(folder), share)]);
            } else {
                self.files(worker, path, folder, &share);
            }
        }
    }

    fn beneath(
        folder: &Arc<Folder<L::Marks>>,
        pending: &Pending<L::Marks>,
        name: &CStr,
        place: PathBuf,
    ) -> Pending<L::Marks> {
        let name = OsStr::from_bytes(name.to_bytes());
        let depth = pending.depth + 1;
        let (anchor, words) = match &pending.anchor {
            Some(anchor) if depth > KEPT_OPEN => (Arc::clone(anchor), pending.words.join(name)),
            _ => (Arc::clone(folder), PathBuf::from(name)),
        };
        Pending {
            opened: None,
            anchor: Some(anchor),
            words,
            place,
            depth,
            marks_above: Some(folder.marks),
            ignores: folder.ignores.clone(),
        }
    }

    /// Leaves the path from the root in `path`.
    fn is_wanted(
        &self,
        path: &mut PathBuf,
        folder: &Folder<L::Marks>,
        name: &CStr,
        kind: Kind,
    ) -> bool {
        let bytes = name.to_bytes();
        if bytes == b".git" || !self.walk.hidden && bytes.starts_with(b".") {
            return false;
        }
        if kind == Kind::Folder && !self.look.enters(bytes) {
            return false;
        }
        let ignores = folder.ignores.as_ref().filter(|ignores| !ignores.is_empty());
        if ignores.is_none() && kind != Kind::Folder {
            return true;
        }
        join(path, &folder.place, bytes);
        !ignores.is_some_and(|ignores| ignores.hide(path, kind))
    }

    fn files(
        &self,
        worker: &mut L::Worker,
        path: &mut PathBuf,
        folder: &Folder<L::Marks>,
        names: &[NamedKind],
    ) {
        for (name, kind) in names {
            if self.queue.stopped().load(Ordering::Relaxed) {
                return;
            }
            join(path, &folder.place, name.to_bytes());
            let found = Found {
                folder: &folder.handle,
                marks: folder.marks,
                name,
                tail: self.tail(path),
                kind: *kind,
                stopped: self.queue.stopped(),
            };
            self.look.look(worker, &found);
        }
    }

    fn tail<'p>(&self, place: &'p Path) -> &'p Path {
        let bytes = place.as_os_str().as_bytes();
        Path::new(OsStr::from_bytes(bytes.get(self.tail_at..).unwrap_or_default()))
    }

    fn count_unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }
}

/// `folder/name`, in memory that is used again.
fn join(path: &mut PathBuf, folder: &Path, name: &[u8]) {
    let mut text = std::mem::take(path).into_os_string();
    text.clear();
    text.push(folder);
    if !text.is_empty() {
        text.push("/");
    }
    text.push(OsStr::from_bytes(name));
    *path = PathBuf::from(text);
}

/// How a path from the start of a walk is shown: from the root as the caller knows it.
pub(crate) fn shown(start: &RelPath, tail: &Path) -> Option<RelPath> {
    spell(tail)
        .ok()
        .map(|tail| start.join(&tail))
        .filter(|path| path.as_str().len() <= RelPath::MAX_BYTES)
}

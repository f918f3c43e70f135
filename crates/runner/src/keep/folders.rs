//! The folders of the workspace that are watched, and the events that come from them.
//!
//! A folder is known by the number of its watch and by its parent's, so that it keeps its place in the
//! tree when a folder above it is moved.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::mounts::{Identity, identity};

/// What is told of every folder.
const ORDINARY: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::EXCL_UNLINK);

/// The deepest folder that is looked at.
pub(super) const DEEPEST: usize = 128;

/// How much is read at once: some hundreds of events.
const BUFFER: usize = 64 * 1024;

/// What a folder is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// One of the workspace.
    Ordinary {
        /// It lies in a folder of packages.
        published: bool,
    },
    /// What a repository keeps about itself: only its configuration matters.
    Repository,
}

#[derive(Debug)]
struct Folder {
    parent: Option<i32>,
    name: OsString,
    identity: Identity,
    role: Role,
    /// Whether it is told when a file in it is opened. It costs something for every file that is, so
    /// only folders with secrets are watched so closely.
    closely: bool,
}

/// Something that happened in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A name is there that was not, or is another file now. It was renamed to this if there is a
    /// number, which the event about its old name has too.
    Appeared { folder: i32, name: OsString, renamed: Option<u32> },
    /// A name has left.
    Left { folder: i32, name: OsString, is_folder: bool, renamed: u32 },
    /// A file was opened.
    Opened { folder: i32, name: OsString },
    /// A watch is no more, because its folder is not.
    Ended { folder: i32 },
    /// There was too much to tell: all has to be looked at again.
    Missed,
}

/// What was asked for cannot be watched, because the kernel watches no more for this user.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

#[derive(Debug)]
pub(super) struct Folders {
    inotify: OwnedFd,
    known: HashMap<i32, Folder>,
}

impl Folders {
    pub(super) fn new() -> Result<Self, Errno> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        Ok(Self { inotify, known: HashMap::new() })
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Watches an open folder, or learns its new place in the tree.
    pub(super) fn watch(
        &mut self,
        opened: BorrowedFd<'_>,
        parent: Option<i32>,
        name: &OsStr,
        role: Role,
    ) -> Result<Result<i32, Full>, Errno> {
        // There is no call that takes an open folder, and a path could lead elsewhere by now.
        rustix::process::fchdir(opened)?;
        let closely = parent.is_none();
        let flags = if closely { ORDINARY | WatchFlags::OPEN } else { ORDINARY };
        // Adding takes nothing away from a folder that is watched closely already.
        match inotify::add_watch(&self.inotify, c".", flags | WatchFlags::MASK_ADD) {
            Ok(number) => {
                let was_close = self.known.get(&number).is_some_and(|folder| folder.closely);
                let closely = closely || was_close;
                let identity = identity(&rustix::fs::fstat(opened)?);
                let folder = Folder { parent, name: name.to_owned(), identity, role, closely };
                self.known.insert(number, folder);
                Ok(Ok(number))
            }
            Err(Errno::NOSPC | Errno::NOMEM) => Ok(Err(Full)),
            Err(error) => Err(error),
        }
    }

    /// The same for a folder above one that is watched; what it is to us stays, if it is known.
    pub(super) fn watch_above(
        &mut self,
        opened: BorrowedFd<'_>,
        parent: Option<i32>,
        name: &OsStr,
    ) -> Result<Result<i32, Full>, Errno> {
        rustix::process::fchdir(opened)?;
        let known = inotify::add_watch(&self.inotify, c".", ORDINARY | WatchFlags::MASK_ADD);
        match known {
            Ok(number) if self.known.contains_key(&number) => Ok(Ok(number)),
            Err(Errno::NOSPC | Errno::NOMEM) => Ok(Err(Full)),
            Ok(_) => self.watch(opened, parent, name, Role::Ordinary { published: true }),
            Err(error) => Err(error),
        }
    }

    /// From now on it is told when a file in this folder is opened. Says whether it was before.
    pub(super) fn watch_closely(
        &mut self,
        number: i32,
        opened: BorrowedFd<'_>,
    ) -> Result<bool, Errno> {
        let Some(folder) = self.known.get_mut(&number) else { return Ok(false) };
        if folder.closely {
            return Ok(true);
        }
        rustix::process::fchdir(opened)?;
        let flags = WatchFlags::OPEN | WatchFlags::MASK_ADD | WatchFlags::ONLYDIR;
        folder.closely = inotify::add_watch(&self.inotify, c".", flags)? == number;
        Ok(false)
    }

    /// Whether it is told when a file in this folder is opened.
    pub(super) fn is_close(&self, number: i32) -> bool {
        self.known.get(&number).is_some_and(|folder| folder.closely)
    }

    pub(super) fn role(&self, number: i32) -> Option<Role> {
        self.known.get(&number).map(|folder| folder.role)
    }

    /// Where a folder is, relative to the workspace; nothing when it is not known any more.
    pub(super) fn path(&self, number: i32) -> Option<OsString> {
        let mut names: Vec<&OsStr> = Vec::new();
        let mut next = Some(number);
        while let Some(number) = next {
            let folder = self.known.get(&number)?;
            // A ring of folders cannot be, but what is known may lag behind.
            if names.len() > DEEPEST {
                return None;
            }
            names.push(&folder.name);
            next = folder.parent;
        }
        // The last is the workspace itself, which has no name.
        names.pop();
        let mut path = OsString::new();
        for name in names.into_iter().rev() {
            path = join(&path, name);
        }
        Some(path)
    }

    /// Forgets a folder that left, with all beneath it. Says which it was, if built-in names of secrets
    /// counted in it.
    pub(super) fn forget(&mut self, parent: i32, name: &OsStr) -> Option<Identity> {
        let is_it = |folder: &Folder| folder.parent == Some(parent) && folder.name == name;
        let found = self.known.iter().find(|(_, folder)| is_it(folder));
        let (first, identity) = found.map(|(number, folder)| (*number, folder.identity))?;
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for (number, folder) in &self.known {
            if let Some(parent) = folder.parent {
                children.entry(parent).or_default().push(*number);
            }
        }
        let mut has_ordinary = false;
        let mut left = vec![first];
        while let Some(number) = left.pop() {
            left.extend(children.remove(&number).unwrap_or_default());
            let forgotten = self.known.remove(&number);
            has_ordinary |=
                forgotten.is_some_and(|folder| folder.role == Role::Ordinary { published: false });
            // One that is gone already needs no end.
            _ = inotify::remove_watch(&self.inotify, number);
        }
        has_ordinary.then_some(identity)
    }

    /// A watch has ended by itself.
    pub(super) fn ended(&mut self, number: i32) {
        self.known.remove(&number);
    }

    /// All that has happened so far, in its order.
    pub(super) fn read(&mut self, most: usize) -> Result<Vec<Event>, Errno> {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut events = Vec::new();
        let mut count = 0;
        // What one reading gave is taken whole, so that nothing of it is lost.
        while count < most || !reader.is_buffer_empty() {
            match reader.next() {
                Ok(event) => {
                    count += 1;
                    events.extend(told(&event));
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(events)
    }
}

impl AsFd for Folders {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

fn told(event: &inotify::Event<'_>) -> Option<Event> {
    let (folder, flags) = (event.wd(), event.events());
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(Event::Missed);
    }
    if flags.contains(ReadFlags::IGNORED) {
        return Some(Event::Ended { folder });
    }
    let name = OsStr::from_bytes(event.file_name()?.to_bytes()).to_owned();
    let is_folder = flags.contains(ReadFlags::ISDIR);
    if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
        let renamed = flags.contains(ReadFlags::MOVED_TO).then_some(event.cookie());
        return Some(Event::Appeared { folder, name, renamed });
    }
    if flags.contains(ReadFlags::MOVED_FROM) {
        return Some(Event::Left { folder, name, is_folder, renamed: event.cookie() });
    }
    (flags.contains(ReadFlags::OPEN) && !is_folder).then_some(Event::Opened { folder, name })
}

/// A name in a folder, as a path relative to the workspace.
pub(super) fn join(folder: &OsStr, name: &OsStr) -> OsString {
    if folder.is_empty() {
        return name.to_owned();
    }
    let mut path = folder.to_owned();
    path.push("/");
    path.push(name);
    path
}

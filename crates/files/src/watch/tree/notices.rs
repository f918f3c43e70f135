//! The kernel's notices about folders (inotify): how to ask for them and how to take them.
//!
//! Reading a file is no notice here, so searching a tree does not flood whoever watches it.

use std::{
    ffi::OsString,
    io,
    mem::MaybeUninit,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::ffi::OsStringExt as _,
    },
    path::Path,
    sync::Arc,
};

use cap_std::fs::Dir;
use rustix::{
    fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch},
    io::Errno,
};
use tokio::io::{Interest, unix::AsyncFd};

/// Room for a few hundred notices at a time.
const BUFFER_BYTES: usize = 32 * 1024;
/// So many notices are taken before they are worked through.
const MOST_AT_ONCE: usize = 20_000;

/// What happened to a name in a folder, or to the folder itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Appeared,
    Changed,
    Gone,
    /// The folder is not watched any more, or not where it was.
    Left,
    /// Notices were lost.
    Overflow,
}

#[derive(Debug)]
pub(super) struct Notice {
    /// The kernel's number for the folder.
    pub(super) watch: i32,
    pub(super) what: What,
    pub(super) name: Option<OsString>,
    pub(super) is_folder: bool,
}

#[derive(Clone)]
pub(super) struct Notices {
    queue: Arc<OwnedFd>,
}

impl Notices {
    pub(super) fn open() -> io::Result<Self> {
        let queue = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        Ok(Self { queue: Arc::new(queue) })
    }

    /// Ready to be read when there are notices.
    #[expect(unsafe_code, reason = "the runtime wants a promise about the descriptor")]
    pub(super) fn readiness(&self) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
        let queue = Arc::clone(&self.queue);
        // SAFETY: what is given over owns the descriptor, which stays open and the same.
        Ok(unsafe { AsyncFd::register_with_interest(queue, Interest::READABLE) }?)
    }

    /// Watch an open folder. A folder that is watched already keeps its number.
    pub(super) fn add(&self, folder: &Dir, place: &Path) -> io::Result<i32> {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVE_SELF
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::EXCL_UNLINK
            | WatchFlags::ONLYDIR;
        // By the handle, because a path may lead elsewhere by now; by the path where there is no
        // `/proc`.
        let by_handle = format!("/proc/self/fd/{}", folder.as_raw_fd());
        match add_watch(&self.queue, by_handle, flags) {
            Err(Errno::NOENT) => {
                Ok(add_watch(&self.queue, place, flags | WatchFlags::DONT_FOLLOW)?)
            }
            other => Ok(other?),
        }
    }

    pub(super) fn remove(&self, watch: i32) {
        // The kernel has forgotten the watch of a folder that is gone.
        if let Err(error) = remove_watch(&self.queue, watch) {
            tracing::debug!(%error, "a folder was no longer watched");
        }
    }

    /// Take what waits; true when there may be more.
    pub(super) fn take(&self) -> io::Result<(Vec<Notice>, bool)> {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        let mut taken = Vec::new();
        loop {
            match reader.next() {
                Ok(event) => {
                    taken.extend(
                        what(event.events()).map(|what| Notice {
                            watch: event.wd(),
                            what,
                            name: event
                                .file_name()
                                .map(|name| OsString::from_vec(name.to_bytes().into())),
                            is_folder: event.events().contains(ReadFlags::ISDIR),
                        }),
                    );
                }
                Err(Errno::WOULDBLOCK) => return Ok((taken, false)),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if taken.len() >= MOST_AT_ONCE && reader.is_buffer_empty() {
                return Ok((taken, true));
            }
        }
    }
}

fn what(flags: ReadFlags) -> Option<What> {
    let kinds = [
        (ReadFlags::QUEUE_OVERFLOW, What::Overflow),
        (ReadFlags::IGNORED | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT, What::Left),
        (ReadFlags::CREATE | ReadFlags::MOVED_TO, What::Appeared),
        (ReadFlags::DELETE | ReadFlags::MOVED_FROM, What::Gone),
        (ReadFlags::MODIFY | ReadFlags::ATTRIB, What::Changed),
    ];
    kinds.into_iter().find(|(any, _)| flags.intersects(*any)).map(|(_, what)| what)
}

//! Mounts in the place: what hides a secret, and what keeps a file from being changed or moved.
//!
//! Everything is done by open files and never by a path alone: a program inside can move folders about
//! while we look. A file is opened outside, where nothing is hidden, and inside; only when both are the
//! same file is something put on top of it.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, StatVfsMountFlags, StatxAttributes,
    StatxFlags,
};
use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, UnmountFlags};
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::thread::LinkNameSpaceType;

use openspace_protocol::keeping::{Keep, MASK_FILE, MASK_FOLDER};

use super::KeepError;
use crate::kernel;

/// How often a file is looked at again that is replaced while it is looked at.
const TRIES: usize = 16;

/// A file and nothing else: its device and its number there.
pub(super) type Identity = (u64, u64);

#[expect(clippy::unnecessary_cast, reason = "the widths differ between machines")]
pub(super) fn identity(status: &Stat) -> Identity {
    (status.st_dev as u64, status.st_ino as u64)
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It holds since now.
    Done,
    /// It held already.
    Already,
    /// There is no such file outside.
    Gone,
    /// It is a symlink, on which nothing can be put.
    Link,
}

/// The place, once it is joined.
pub(super) struct Mounts {
    /// The workspace as it is outside.
    outside: OwnedFd,
    /// The workspace as it is inside.
    inside: OwnedFd,
    file: Mask,
    folder: Mask,
    /// Where the workspace is inside, without links.
    path: PathBuf,
    /// See [`Joined`].
    own: OwnedFd,
}

struct Mask {
    opened: OwnedFd,
    identity: Identity,
}

impl Mask {
    fn open(path: &Path) -> Result<Self, KeepError> {
        let failed = |error: Errno| KeepError::system("find what hides secrets", error);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
        let identity = identity(&rustix::fs::fstat(&opened).map_err(failed)?);
        Ok(Self { opened, identity })
    }
}

/// A place that was joined.
pub(super) struct Joined {
    /// Its first process.
    first: OwnedFd,
    /// What the kernel says of this process, which no path in the place leads to.
    own: OwnedFd,
}

impl Joined {
    /// Ends the place at once: nobody may stay in it whom nobody keeps.
    pub(super) fn end(&self) {
        // One that has ended already is what is wanted.
        _ = rustix::process::pidfd_send_signal(&self.first, Signal::KILL);
    }

    /// Whether it ends within this time. All others in the place have ended when it has.
    pub(super) fn has_ended(&self, within: Duration) -> bool {
        let Ok(within) = Timespec::try_from(within) else { return false };
        let mut waiting = [PollFd::new(&self.first, PollFlags::IN)];
        rustix::event::poll(&mut waiting, Some(&within)) == Ok(1)
    }
}

/// Joins the place of a process. This process must have no other thread.
pub(super) fn join(pid: u32) -> Result<Joined, KeepError> {
    let first = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(KeepError::NoPlace(pid))?;
    let first = rustix::process::pidfd_open(first, PidfdFlags::empty())
        .map_err(|error| KeepError::system("find the place", error))?;
    let open = |path: &str| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| KeepError::system(format!("open {path}"), error))
    };
    let itself = open("/proc/self")?;
    let joined = open(&format!("/proc/{pid}/ns/mnt"))?;
    let processes = open(&format!("/proc/{pid}/ns/pid"))?;
    let own = open("/proc/self/ns/mnt")?;
    let of = |file: &OwnedFd| rustix::fs::fstat(file).map(|status| identity(&status));
    if of(&joined) == of(&own) {
        return Err(KeepError::NoPlace(pid));
    }
    let failed =
        |doing: &'static str| move |error: io::Error| KeepError::System(doing.into(), error);
    // The process has another user namespace, in which nothing can be mounted any more.
    let owner = kernel::owner(joined.as_fd()).map_err(failed("find the owner of the place"))?;
    let enter = |namespace: &OwnedFd, kind, doing: &'static str| {
        rustix::thread::move_into_link_name_space(namespace.as_fd(), Some(kind))
            .map_err(|error| failed(doing)(error.into()))
    };
    enter(&owner, LinkNameSpaceType::User, "join the users of the place")?;
    enter(&joined, LinkNameSpaceType::Mount, "join the mounts of the place")?;
    // Not this process, but its children: nobody inside sees it.
    enter(&processes, LinkNameSpaceType::ProcessID, "reach the processes of the place")?;
    Ok(Joined { first, own: itself })
}

impl Mounts {
    /// Must be called in the place.
    pub(super) fn new(outside: OwnedFd, keep: &Keep, joined: &Joined) -> Result<Self, KeepError> {
        let failed = |error: Errno| KeepError::system("open the workspace inside", error);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let inside = rustix::fs::open(&keep.inside, flags, Mode::empty()).map_err(failed)?;
        let of = |file: &OwnedFd| rustix::fs::fstat(file).map(|status| identity(&status));
        if of(&inside) != of(&outside) {
            return Err(KeepError::OtherFolder(keep.inside.clone()));
        }
        let path = keep.inside.canonicalize();
        let own = joined.own.try_clone();
        let lost = |error| KeepError::System("find the workspace inside".to_owned(), error);
        Ok(Self {
            outside,
            inside,
            path: path.map_err(lost)?,
            own: own.map_err(lost)?,
            file: Mask::open(&keep.masks.join(MASK_FILE))?,
            folder: Mask::open(&keep.masks.join(MASK_FOLDER))?,
        })
    }

    /// Puts the empty file or folder on top of a secret.
    pub(super) fn hide(&self, path: &OsStr) -> Result<Outcome, Errno> {
        let masks = [self.file.identity, self.folder.identity];
        self.on_both(path, |inside, status| {
            if masks.contains(&identity(status)) {
                return Ok(true);
            }
            let is_folder = FileType::from_raw_mode(status.st_mode) == FileType::Directory;
            let mask = if is_folder { &self.folder } else { &self.file };
            attach(&clone(mask.opened.as_fd())?, inside)?;
            Ok(false)
        })
    }

    /// Where secrets are hidden now, relative to the workspace: what hides one goes along when a folder above
    /// it is moved.
    pub(super) fn hidden(&self) -> Result<Vec<OsString>, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let listed = rustix::fs::openat(&self.own, c"mountinfo", flags, Mode::empty())?;
        let mut text = Vec::new();
        std::fs::File::from(listed).read_to_end(&mut text).map_err(|error| errno(&error))?;
        let device = self.file.identity.0;
        let all = text.split(|byte| *byte == b'\n').filter_map(|line| mounted(line, device));
        let beneath = all.filter_map(|path| Some(path.strip_prefix(&self.path).ok()?.into()));
        Ok(beneath.collect())
    }

    /// The same for what is not of the workspace, if it is there.
    pub(super) fn hide_absolute(&self, path: &Path) -> Result<(), Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match rustix::fs::open(path, flags, Mode::empty()) {
            Err(error) if is_gone(error) => return Ok(()),
            other => other?,
        };
        let mask = match FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) {
            FileType::Symlink => return Ok(()),
            FileType::Directory => &self.folder,
            _ => &self.file,
        };
        attach(&clone(mask.opened.as_fd())?, opened.as_fd())
    }

    /// Keeps a file or folder, with all that is in it, from being changed inside.
    pub(super) fn protect(&self, path: &OsStr) -> Result<Outcome, Errno> {
        self.on_both(path, |inside, _| {
            // What lies on a mount that cannot be written needs its own nevertheless: the name could
            // be moved. Whether it has one is told by its being the root of a mount.
            if is_mounted(inside)? && is_read_only(inside)? {
                return Ok(true);
            }
            let copy = clone(inside)?;
            kernel::make_read_only(copy.as_fd()).map_err(|error| errno(&error))?;
            attach(&copy, inside)?;
            Ok(false)
        })
    }

    /// Keeps a folder from being moved or removed inside; what is in it can be changed.
    pub(super) fn pin(&self, path: &OsStr) -> Result<Outcome, Errno> {
        self.on_both(path, |inside, _| {
            if is_mounted(inside)? {
                return Ok(true);
            }
            attach(&clone(inside)?, inside)?;
            Ok(false)
        })
    }

    /// Takes away what was put on top of something, so that it can be removed.
    pub(super) fn uncover(&self, name: &OsStr) {
        // What is not covered needs none of it.
        if rustix::process::fchdir(&self.inside).is_ok() {
            let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
            _ = rustix::mount::unmount(name, flags);
        }
    }

    /// Opens a path outside and inside and acts when both are one file, or when something of ours is
    /// on top of it already; `act` says whether it held before.
    fn on_both(
        &self,
        path: &OsStr,
        act: impl Fn(BorrowedFd<'_>, &Stat) -> Result<bool, Errno>,
    ) -> Result<Outcome, Errno> {
        let open = |root: &OwnedFd| {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let beneath =
                ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            rustix::fs::openat2(root, path, flags, Mode::empty(), beneath)
        };
        for _ in 0..TRIES {
            let outside = match open(&self.outside) {
                Err(error) if is_gone(error) => return Ok(Outcome::Gone),
                other => rustix::fs::fstat(other?)?,
            };
            let inside = match open(&self.inside) {
                // The name has moved on since it was looked at outside.
                Err(error) if is_gone(error) => continue,
                other => other?,
            };
            let status = rustix::fs::fstat(&inside)?;
            if FileType::from_raw_mode(status.st_mode) == FileType::Symlink {
                return Ok(Outcome::Link);
            }
            let masks = [self.file.identity, self.folder.identity];
            let is_same = identity(&status) == identity(&outside);
            if !is_same && !masks.contains(&identity(&status)) {
                continue;
            }
            match act(inside.as_fd(), &status) {
                Err(error) if is_gone(error) => {}
                Ok(true) => return Ok(Outcome::Already),
                Ok(false) => return Ok(Outcome::Done),
                Err(error) => return Err(error),
            }
        }
        Err(Errno::AGAIN)
    }
}

/// Where a mount of this device is, of a line in the kernel's list of mounts.
fn mounted(line: &[u8], device: u64) -> Option<PathBuf> {
    let mut words = line.split(|byte| *byte == b' ').skip(2);
    let (major, minor) = std::str::from_utf8(words.next()?).ok()?.split_once(':')?;
    let found = rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?);
    let escaped = words.nth(1)?;
    if found != device {
        return None;
    }
    let mut path = Vec::new();
    let mut bytes = escaped.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            path.push(byte);
            continue;
        }
        // Three digits of base eight.
        let digits = [bytes.next()?, bytes.next()?, bytes.next()?];
        path.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 8).ok()?);
    }
    Some(OsString::from_vec(path).into())
}

/// Not there, or a part of the way is no folder, or became a link: then it is not there either.
pub(super) fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::STALE)
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

fn clone(file: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    rustix::mount::open_tree(file, c"", flags)
}

fn attach(mount: &OwnedFd, target: BorrowedFd<'_>) -> Result<(), Errno> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(mount.as_fd(), c"", target, c"", flags)
}

fn is_mounted(file: BorrowedFd<'_>) -> Result<bool, Errno> {
    let status = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::empty())?;
    Ok(status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

fn is_read_only(file: BorrowedFd<'_>) -> Result<bool, Errno> {
    Ok(rustix::fs::fstatvfs(file)?.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// Opens the folder that was handed over by its number.
pub(super) fn handed_over(number: i32) -> Result<OwnedFd, KeepError> {
    let path = format!("/proc/self/fd/{number}");
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, &path, flags, Mode::empty())
        .map_err(|error| KeepError::system("open the workspace", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_says_where_something_is_mounted() {
        let line = br"36 35 0:7 /masks/file /w/a\040b/\134\012\303\244 ro,nosuid shared:1 - tmpfs tmpfs rw";
        let device = rustix::fs::makedev(0, 7);
        assert_eq!(mounted(line, device), Some(PathBuf::from("/w/a b/\\\nä")));
        assert_eq!(mounted(line, rustix::fs::makedev(7, 0)), None);
        assert_eq!((mounted(b"", device), mounted(b"1 2 0:7 / \\0", device)), (None, None));
    }
}

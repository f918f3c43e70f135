//! The system calls that no crate in use wraps: the only code of this crate that is not safe by itself.

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

/// `NS_GET_USERNS`: which user namespace owns this one.
const OWNER: libc::c_ulong = 0xb701;

/// Version 1 of the kernel's structure, which is the first.
#[repr(C)]
#[derive(Default)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// The user namespace that owns a namespace: only who has power over it may change the namespace.
#[expect(unsafe_code, reason = "there is no safe wrapper of this call")]
pub(crate) fn owner(namespace: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: the number is that of an open file for as long as it is borrowed, and the call takes no
    // pointer.
    let opened = unsafe { libc::ioctl(namespace.as_raw_fd(), OWNER) };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened this number for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

/// Makes a mount, and all that are mounted beneath it, read-only.
#[expect(unsafe_code, reason = "there is no safe wrapper of this call")]
pub(crate) fn make_read_only(mount: BorrowedFd<'_>) -> io::Result<()> {
    let attributes = MountAttributes { set: libc::MOUNT_ATTR_RDONLY, ..MountAttributes::default() };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: both pointers are to values that outlive the call: a text that ends with zero, and a
    // structure of the size that is told.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            std::ptr::from_ref(&attributes),
            size_of::<MountAttributes>(),
        )
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Leaves the keyring of the login behind, in which keys of the person may lie, for a new one without
/// any. A kernel without keyrings has none to leave.
#[expect(unsafe_code, reason = "there is no safe wrapper of this call")]
pub(crate) fn leave_keyring() -> io::Result<()> {
    /// `KEYCTL_JOIN_SESSION_KEYRING`, whose argument is the name of the new one: none.
    const JOIN: libc::c_ulong = 1;
    // SAFETY: the call takes numbers and a null pointer, which it allows.
    let done = unsafe { libc::syscall(libc::SYS_keyctl, JOIN, std::ptr::null::<libc::c_char>()) };
    if done >= 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // Containers forbid the call for all that is in them; then nobody inside can use it either.
        error if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => Ok(()),
        error => Err(error),
    }
}

/// Sends a signal to all processes that a child of this one sees, except for the first of them. The kernel
/// does so in one step: who is just being made gets it too. This process must have no other thread.
#[expect(unsafe_code, reason = "there is no safe wrapper of these calls")]
pub(crate) fn signal_all(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: there is no other thread whose locks the child could need, and the child calls nothing but
    // `kill` and `_exit`.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        // SAFETY: both calls take numbers only, and the second does not return.
        unsafe {
            let sent = libc::kill(-1, signal);
            libc::_exit(libc::c_int::from(sent != 0));
        }
    }
    let mut status = 0;
    // SAFETY: the pointer is to a number that outlives the call. The same holds below.
    while unsafe { libc::waitpid(child, &raw mut status, libc::WUNTRACED) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if libc::WIFEXITED(status) {
        // That nobody was there to get it is no failure.
        return Ok(());
    }
    if libc::WIFSTOPPED(status) {
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, &raw mut status, 0);
        }
    }
    Err(io::Error::from(io::ErrorKind::Interrupted))
}

//! How the program gives memory back.
//!
//! glibc keeps large freed pieces for later, apart for each thread, and takes more of them the
//! larger the pieces become: after a few changes of large files on different threads a server would
//! hold a hundred megabytes that nobody uses, and every program it starts would be started slower
//! for it. Other C libraries are left alone.

#[cfg(target_env = "gnu")]
use crate::output::complain;

/// Pieces of this size and more go back to the system as soon as they are freed.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 1024 * 1024;

/// Call it once, before there are other threads.
#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "no safe library offers this setting of the C library")]
pub fn give_back_large_pieces() {
    /// From `malloc.h`: to set it also ends that glibc raises it by itself.
    const MMAP_THRESHOLD: i32 = -3;
    // SAFETY: this is the declaration of `malloc.h`; the function takes two numbers and no memory
    // of ours.
    unsafe extern "C" {
        safe fn mallopt(parameter: i32, value: i32) -> i32;
    }
    if mallopt(MMAP_THRESHOLD, LARGE) == 0 {
        complain("warning: the C library does not say from which size memory is given back");
    }
}

/// Nothing to set.
#[cfg(not(target_env = "gnu"))]
pub fn give_back_large_pieces() {}

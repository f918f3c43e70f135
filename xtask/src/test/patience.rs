//! Says that a step is still at work. Without a terminal compilers, linkers and type checkers print
//! nothing for minutes on a busy machine, and nobody could tell that from a hang.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

#[cfg(test)]
mod tests;

/// Does the work and tells, again and again after this time, how long it has taken so far.
pub(super) fn telling<T>(
    every: Duration,
    tell: impl Fn(Duration) + Send,
    work: impl FnOnce() -> T,
) -> T {
    let start = Instant::now();
    let (working, worked) = mpsc::channel::<()>();
    // The closure owns the sender: it is dropped when the work ends, also by a panic.
    thread::scope(move |scope| {
        let _working = working;
        scope.spawn(move || {
            while worked.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                tell(start.elapsed());
            }
        });
        work()
    })
}

//! Whether a process is at work: how many of its threads run or wait for a disk right now.

use std::{
    fs, io, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

#[cfg(test)]
mod tests;

const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// A thread may sleep for a moment in the middle of its work; not for so many looks in a row.
const QUIET_LOOKS: u32 = 5;
const CHANGES_WITHIN: Duration = Duration::from_secs(30);

/// Threads of a process that are at work.
pub(super) fn at_work(process: u32) -> Result<usize> {
    let folder = format!("/proc/{process}/task");
    let mut count = 0;
    for thread in fs::read_dir(&folder).with_context(|| format!("cannot look into {folder}"))? {
        match fs::read_to_string(thread?.path().join("stat")) {
            Ok(stat) => count += usize::from(is_at_work(&stat)),
            // It ended since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.raw_os_error() == Some(NO_SUCH_PROCESS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(count)
}

/// What reading about a thread gives that ends in the middle of it.
const NO_SUCH_PROCESS: i32 = rustix::io::Errno::SRCH.raw_os_error();

/// The state stands after the name, which may itself contain anything.
fn is_at_work(stat: &str) -> bool {
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('R' | 'D'))
}

/// Waits until a process is at work.
pub(super) fn wait_for_work(process: u32) -> Result<()> {
    let begin = Instant::now();
    while at_work(process)? == 0 {
        if begin.elapsed() > CHANGES_WITHIN {
            bail!("process {process} did not begin to work in {CHANGES_WITHIN:?}");
        }
        thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// Waits until a process is at rest; gives the moment when it came to rest.
pub(super) fn wait_for_rest(process: u32) -> Result<Instant> {
    let begin = Instant::now();
    let (mut at_rest_since, mut looks) = (begin, 0);
    while looks < QUIET_LOOKS {
        if at_work(process)? > 0 {
            looks = 0;
        } else {
            if looks == 0 {
                at_rest_since = Instant::now();
            }
            looks += 1;
        }
        if begin.elapsed() > CHANGES_WITHIN {
            bail!("process {process} did not come to rest in {CHANGES_WITHIN:?}");
        }
        thread::sleep(LOOK_AGAIN);
    }
    Ok(at_rest_since)
}

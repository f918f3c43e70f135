//! Limits on all of a place together, by cgroups of version 1 or 2.
//!
//! A limit is set and read back before anybody is in the group. What cannot be set is an error.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::statement::HeldLimit;
use crate::{IsolationError, Limits};

#[cfg(test)]
mod tests;
mod tree;

pub(crate) use tree::Tree;

/// The folder that all groups of the product are in, beneath the server's own.
const FAMILY: &str = "openspace";

/// The kernel shares out processor time in slices of this length.
const CPU_PERIOD: u64 = 100_000;

/// How long killed processes may take to go.
const PATIENCE: Duration = Duration::from_secs(5);

/// One limit in the words of the kernel.
struct Wanted {
    limit: &'static str,
    controller: &'static str,
    value: u64,
    /// What the limit is written to, and the texts to write, by version.
    first: (&'static str, String),
    second: (&'static str, String),
    /// Written before the limit, or beside it, if the file is there.
    besides: [(&'static str, String); 2],
}

fn wanted(limits: &Limits) -> Vec<Wanted> {
    let memory = limits.memory_bytes.map(|value| Wanted {
        limit: "memory_bytes",
        controller: "memory",
        value,
        first: ("memory.limit_in_bytes", value.to_string()),
        second: ("memory.max", value.to_string()),
        // Without these, what is over the limit would go to the swap space.
        besides: [
            ("memory.memsw.limit_in_bytes", value.to_string()),
            ("memory.swap.max", "0".to_owned()),
        ],
    });
    let processes = limits.processes.map(|value| Wanted {
        limit: "processes",
        controller: "pids",
        value,
        first: ("pids.max", value.to_string()),
        second: ("pids.max", value.to_string()),
        besides: Default::default(),
    });
    let cpu = limits.cpu_percent.map(|percent| {
        let quota = u64::from(percent) * CPU_PERIOD / 100;
        Wanted {
            limit: "cpu_percent",
            controller: "cpu",
            value: u64::from(percent),
            first: ("cpu.cfs_quota_us", quota.to_string()),
            second: ("cpu.max", format!("{quota} {CPU_PERIOD}")),
            besides: [("cpu.cfs_period_us", CPU_PERIOD.to_string()), Default::default()],
        }
    });
    [memory, processes, cpu].into_iter().flatten().collect()
}

/// The groups of one place: one for each tree that holds a limit. Dropping it removes them.
#[derive(Debug)]
pub(crate) struct Groups {
    folders: Vec<PathBuf>,
    removed: AtomicBool,
}

impl Groups {
    /// Makes the groups that the limits need; none if no limit needs one.
    pub(crate) fn make(
        tree: &Tree,
        name: &str,
        limits: &Limits,
    ) -> Result<Option<(Self, Vec<HeldLimit>)>, IsolationError> {
        let wanted = wanted(limits);
        if wanted.is_empty() {
            return Ok(None);
        }
        let mut groups = Self { folders: Vec::new(), removed: AtomicBool::new(false) };
        let mut held = Vec::new();
        for limit in &wanted {
            let unavailable =
                |reason| IsolationError::LimitUnavailable { limit: limit.limit, reason };
            let place = tree.find(limit.controller).map_err(unavailable)?;
            let folder = groups.folder(&place, limit.controller, name).map_err(unavailable)?;
            held.push(set(limit, &folder, place.version()).map_err(unavailable)?);
        }
        Ok(Some((groups, held)))
    }

    fn folder(
        &mut self,
        place: &tree::Found,
        controller: &str,
        name: &str,
    ) -> Result<PathBuf, String> {
        let parent = place.parent(controller)?;
        let folder = parent.join(FAMILY).join(name);
        if !self.folders.contains(&folder) {
            tree::make(&parent, &folder)?;
            self.folders.push(folder.clone());
        }
        place.enable(&parent.join(FAMILY), controller)?;
        Ok(folder)
    }

    /// What a process writes to in order to join, opened for writing.
    pub(crate) fn joining(&self) -> Result<Vec<OwnedFd>, IsolationError> {
        let open = |folder: &PathBuf| {
            let path = folder.join("cgroup.procs");
            let opened = OpenOptions::new().write(true).open(&path);
            opened
                .map(OwnedFd::from)
                .map_err(IsolationError::system(format!("open {}", path.display())))
        };
        self.folders.iter().map(open).collect()
    }

    /// How many processes were killed because the memory limit was reached.
    pub(crate) fn killed_for_memory(&self) -> u64 {
        let files = ["memory.events", "memory.oom_control"];
        let paths = self.folders.iter().flat_map(|folder| files.map(|file| folder.join(file)));
        let counts = paths.filter_map(|path| {
            let text = read(&path).ok()?;
            let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "))?;
            count.trim().parse::<u64>().ok()
        });
        counts.sum()
    }

    /// Kills whoever is left inside, and removes the groups.
    pub(crate) fn remove(&self) -> io::Result<()> {
        if self.removed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.folders.iter().try_for_each(|folder| remove(folder))
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        if let Err(error) = self.remove() {
            tracing::warn!(%error, "the cgroup of a place stays behind");
        }
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        kill(folder)?;
        match std::fs::remove_dir(folder) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) if start.elapsed() > PATIENCE => return Err(error),
            // Killed processes take a moment to go.
            Err(_) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    if let Some(family) = folder.parent() {
        // Another place may still be in it.
        drop(std::fs::remove_dir(family));
    }
    Ok(())
}

fn kill(folder: &Path) -> io::Result<()> {
    let all_at_once = folder.join("cgroup.kill");
    if all_at_once.exists() {
        return write(&all_at_once, "1");
    }
    let members = match read(&folder.join("cgroup.procs")) {
        Ok(members) => members,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for pid in members.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)) {
        // It may have ended by itself; the folder tells when all have.
        _ = rustix::process::kill_process(pid, Signal::KILL);
    }
    Ok(())
}

/// Sets the limit and reads it back.
fn set(wanted: &Wanted, folder: &Path, version: u8) -> Result<HeldLimit, String> {
    let (file, text) = if version == 1 { &wanted.first } else { &wanted.second };
    let is_there = |file: &str| !file.is_empty() && folder.join(file).exists();
    if !is_there(file) {
        return Err(format!("{} has no {file}", folder.display()));
    }
    let put = |file: &str, text: &str| {
        write(&folder.join(file), text)
            .map_err(|error| format!("cannot write {text} to {file}: {error}"))
    };
    put(file, text)?;
    for (beside, text) in &wanted.besides {
        if is_there(beside) {
            put(beside, text)?;
        }
    }
    let back = read(&folder.join(file)).map_err(|error| format!("cannot read {file}: {error}"))?;
    let back = back.trim();
    let is_rounded_memory = wanted.controller == "memory"
        && back.parse::<u64>().is_ok_and(|held| held > 0 && held <= wanted.value);
    if back != text && !is_rounded_memory {
        return Err(format!("{file} is {back} after {text} was written to it"));
    }
    let value = if is_rounded_memory { back.parse().ok() } else { None };
    Ok(HeldLimit {
        name: wanted.limit.to_owned(),
        value: value.unwrap_or(wanted.value),
        by: format!("cgroup v{version} {file}"),
    })
}

#[expect(clippy::disallowed_methods, reason = "a cgroup is no file of a workspace")]
fn read(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path)
}

/// Never makes a file: in a cgroup the kernel has made all there are.
fn write(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}

//! The processes of this machine: who started whom, and what they have open.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

/// The namespace in which all processes of a machine are seen has the same number everywhere.
const OF_THE_MACHINE: &str = "pid:[4026531836]";

/// How often the way up is tried, on which processes may end meanwhile.
const LOOKS: usize = 8;
/// The longest way up.
const DEEPEST: usize = 1_000;

/// Whether a process has something open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Has {
    Yes,
    No,
    /// The kernel shows it to root alone.
    CannotSee,
}

/// The processes of one moment, with their parents.
pub(super) struct Processes(Vec<(u32, u32)>);

impl Processes {
    pub(super) fn now() -> io::Result<Self> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // One that has no parent any more has ended.
            if let Some(parent) = parent_of(pid) {
                all.push((pid, parent));
            }
        }
        Ok(Self(all))
    }

    pub(super) fn all(&self) -> Vec<u32> {
        self.0.iter().map(|(pid, _)| *pid).collect()
    }

    /// These processes and all that they started. In a place nobody has another parent than one of the place.
    pub(super) fn beneath(&self, roots: impl Iterator<Item = u32>) -> HashSet<u32> {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (pid, parent) in &self.0 {
            children.entry(*parent).or_default().push(*pid);
        }
        let (mut found, mut waiting) = (HashSet::new(), roots.collect::<Vec<_>>());
        while let Some(pid) = waiting.pop() {
            if found.insert(pid) {
                waiting.extend(children.get(&pid).into_iter().flatten());
            }
        }
        found
    }
}

#[expect(clippy::disallowed_methods, reason = "the kernel's own, not a file of the workspace")]
fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // A name can hold anything, brackets too.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether a process is beneath one of these as things are now, or cannot be told to be beneath none.
pub(super) fn is_beneath(pid: u32, is_one: impl Fn(u32) -> bool) -> bool {
    'looks: for _ in 0..LOOKS {
        let mut at = pid;
        for _ in 0..DEEPEST {
            if is_one(at) {
                return true;
            }
            match parent_of(at) {
                Some(0) => return false,
                Some(parent) => at = parent,
                // It has ended, and who it started has another parent by now.
                None => continue 'looks,
            }
        }
        return true;
    }
    true
}

/// Whether a process has a descriptor of this name.
pub(super) fn has(pid: u32, name: &str) -> Has {
    has_beneath(Path::new(&format!("/proc/{pid}/fd")), name)
}

/// The same, for threads that keep descriptors of their own.
pub(super) fn has_in_threads(pid: u32, name: &str) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    threads.flatten().any(|thread| has_beneath(&thread.path().join("fd"), name) == Has::Yes)
}

fn has_beneath(descriptors: &Path, name: &str) -> Has {
    let mut entries = match std::fs::read_dir(descriptors) {
        Ok(entries) => entries.flatten(),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Has::CannotSee,
        // It has ended.
        Err(_) => return Has::No,
    };
    let is_it = |target: &Path| target.as_os_str() == name;
    let found =
        entries.any(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| is_it(&target)));
    if found { Has::Yes } else { Has::No }
}

/// Whether a process of a place is one of ours, the first of its namespace or the runner. Nobody may look into the runner,
/// and neither has connections of others.
#[expect(clippy::disallowed_methods, reason = "the kernel's own, not a file of the workspace")]
pub(super) fn is_ours(pid: u32) -> bool {
    let numbers = |pid: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
        line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let (own, theirs) = (numbers("self"), numbers(&pid.to_string()));
    let is_one_deeper = !own.is_empty() && theirs.len() == own.len() + 1;
    is_one_deeper && theirs.last().is_some_and(|last| last == "1" || last == "2")
}

/// Whether there may be processes on this machine of which this one knows nothing, because it is in a container or
/// because those of others are hidden.
pub(super) fn are_some_unseen() -> bool {
    let own = std::fs::read_link("/proc/self/ns/pid");
    let is_of_machine = own.is_ok_and(|own| own.as_os_str() == OF_THE_MACHINE);
    !is_of_machine || !Path::new("/proc/1/stat").exists()
}

/// Whether a process that cannot be looked into is, or was, this user's.
#[expect(clippy::disallowed_methods, reason = "the kernel's own, not a file of the workspace")]
pub(super) fn may_be_of(pid: u32, user: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap_or_default();
    users.split_ascii_whitespace().any(|word| word.parse() == Ok(user))
}

//! Finding where on this machine a group with a given controller can be made.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{read, write};

/// For so long a group may be empty.
const YOUNG: Duration = Duration::from_mins(1);

/// Where cgroups are mounted, and where the kernel tells in which of them this process is.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) own: PathBuf,
}

/// The tree that has a controller.
pub(super) enum Found {
    /// Version 1: each controller has a tree. The folder is the server's own in it.
    First { own: PathBuf },
    /// Version 2: one tree for all.
    Second { top: PathBuf, own: PathBuf },
}

impl Tree {
    pub(super) fn find(&self, controller: &str) -> Result<Found, String> {
        let own = read(&self.own)
            .map_err(|error| format!("cannot read {}: {error}", self.own.display()))?;
        let first = self.root.join(controller);
        if first.join("cgroup.procs").exists() {
            let path =
                own_path(&own, |controllers| controllers.split(',').any(|c| c == controller));
            // In a container the path is that of the machine outside.
            let own = path.map(|path| beneath(&first, path)).filter(|path| path.is_dir());
            return Ok(Found::First { own: own.unwrap_or(first) });
        }
        let tops = [self.root.clone(), self.root.join("unified")];
        let mut known = Vec::new();
        for top in tops {
            let Ok(controllers) = read(&top.join("cgroup.controllers")) else { continue };
            if controllers.split_whitespace().any(|name| name == controller) {
                let path = own_path(&own, str::is_empty).unwrap_or("/");
                return Ok(Found::Second { own: beneath(&top, path), top });
            }
            known.push(format!("{} has {}", top.display(), controllers.trim()));
        }
        let known =
            if known.is_empty() { String::new() } else { format!(" ({})", known.join("; ")) };
        Err(format!("no cgroup at {} controls `{controller}`{known}", self.root.display()))
    }
}

/// The path in the line of `/proc/self/cgroup` whose list of controllers is wanted.
fn own_path(own: &str, wanted: impl Fn(&str) -> bool) -> Option<&str> {
    own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let controllers = parts.next()?;
        wanted(controllers).then(|| parts.next())?
    })
}

fn beneath(top: &Path, path: &str) -> PathBuf {
    top.join(path.trim_start_matches('/'))
}

impl Found {
    pub(super) fn version(&self) -> u8 {
        match self {
            Self::First { .. } => 1,
            Self::Second { .. } => 2,
        }
    }

    /// The group in which to make ours, so that limits on the server hold for its places too.
    pub(super) fn parent(&self, controller: &str) -> Result<PathBuf, String> {
        let (top, own) = match self {
            Self::First { own } => return Ok(own.clone()),
            Self::Second { top, own } => (top, own),
        };
        // Version 2 gives no controller to the children of a group that has processes itself, as
        // the server's own does. Only the top is free of that.
        let above = own.ancestors().skip(usize::from(own != top));
        let mut refusals = Vec::new();
        for candidate in above.take_while(|folder| folder.starts_with(top)) {
            match self.enable(candidate, controller).and_then(|()| writable(candidate)) {
                Ok(()) => return Ok(candidate.to_path_buf()),
                Err(reason) => refusals.push(reason),
            }
        }
        Err(refusals.join("; "))
    }

    /// Lets the children of a group have the controller.
    pub(super) fn enable(&self, group: &Path, controller: &str) -> Result<(), String> {
        if matches!(self, Self::First { .. }) {
            return Ok(());
        }
        let path = group.join("cgroup.subtree_control");
        let told = |error: io::Error| format!("{}: {error}", path.display());
        if read(&path).map_err(told)?.split_whitespace().any(|name| name == controller) {
            return Ok(());
        }
        write(&path, &format!("+{controller}")).map_err(told)
    }
}

fn writable(folder: &Path) -> Result<(), String> {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK)
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// Makes the group. One of the same name that is empty is left from a server that crashed.
pub(super) fn make(parent: &Path, folder: &Path) -> Result<(), String> {
    let told = |error: io::Error| format!("cannot make {}: {error}", folder.display());
    if !parent.is_dir() {
        return Err(format!("{} is not there", parent.display()));
    }
    let family = folder.parent().unwrap_or(parent);
    // The family may be removed by a place that ends at this moment.
    for _ in 0..16 {
        match std::fs::create_dir(family) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => sweep(family),
            Err(error) => return Err(told(error)),
        }
        match std::fs::create_dir(folder) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                std::fs::remove_dir(folder).map_err(told)?;
            }
            Err(error) => return Err(told(error)),
        }
    }
    Err(format!("{} is removed again and again", folder.display()))
}

/// Removes empty groups of servers that crashed. A young one may belong to a place that is about
/// to join it.
pub(super) fn sweep(family: &Path) {
    let Ok(entries) = std::fs::read_dir(family) else { return };
    let is_old = |entry: &std::fs::DirEntry| {
        let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
        matches!(age, Ok(Ok(age)) if age > YOUNG)
    };
    for entry in entries.flatten().filter(is_old) {
        // The kernel refuses for a group that is in use, and for a file.
        drop(std::fs::remove_dir(entry.path()));
    }
}

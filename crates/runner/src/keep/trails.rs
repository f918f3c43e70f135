//! Links over which git comes to its settings and hooks.
//!
//! Nothing can be put on a link, so what it leads to is protected, and the link is looked at whenever somebody asks.
//! Once it leads elsewhere, whoever changed it decides what git runs: the repository is told as one that appeared.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use openspace_protocol::keeping::News;
use rustix::fs::{FileType, OFlags};

use super::folders::join;
use super::{KeepError, Keeper, tell, text};

/// The most links from a name to the file.
const MOST_LINKS: usize = 16;

/// Where a link led when the place was opened, or when it was first met.
#[derive(Debug)]
pub(super) struct Link {
    target: OsString,
    /// The repository whose git follows it.
    repository: OsString,
}

/// Where a name leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To this path of the workspace, in which no part is a link. There may be nothing yet.
    To(OsString),
    /// Out of the workspace, where nobody inside changes anything.
    Out,
    /// Nowhere: there are too many links.
    Nowhere,
}

impl Keeper {
    /// Follows a path of the workspace over links and remembers each.
    pub(super) fn follow(&mut self, repository: &OsStr, path: &OsStr) -> Leads {
        let mut at = OsString::new();
        let mut waiting = names(Path::new(path));
        let mut count = 0;
        while let Some(name) = waiting.pop() {
            if name == ".." {
                let Some(above) = Path::new(&at).parent() else { return Leads::Out };
                at = OsString::from(above);
                continue;
            }
            let next = join(&at, &name);
            let Some(target) = self.target_of(&next) else {
                at = next;
                continue;
            };
            count += 1;
            if count > MOST_LINKS {
                return Leads::Nowhere;
            }
            let link = Link { target: target.clone(), repository: repository.to_owned() };
            self.watching.trails.entry(next).or_insert(link);
            let target = Path::new(&target);
            let beneath = if target.is_absolute() {
                let found = self.roots.iter().find_map(|root| target.strip_prefix(root).ok());
                let Some(beneath) = found else { return Leads::Out };
                at = OsString::new();
                beneath
            } else {
                target
            };
            waiting.extend(names(beneath));
        }
        Leads::To(at)
    }

    /// Tells of repositories to whose settings another way leads than before.
    pub(super) fn look_at_trails(&mut self) -> Result<(), KeepError> {
        let is_other =
            |path: &OsString, link: &Link| self.target_of(path).as_ref() != Some(&link.target);
        let trails = self.watching.trails.iter();
        let changed: Vec<OsString> = trails
            .filter(|(path, link)| is_other(path, link))
            .map(|(path, _)| path.clone())
            .collect();
        for path in changed {
            if let Some(link) = self.watching.trails.remove(&path) {
                tell(News::Repository { path: text(&link.repository) })?;
            }
        }
        Ok(())
    }

    /// What a link says; nothing when it is none.
    fn target_of(&self, path: &OsStr) -> Option<OsString> {
        let opened = self.watching.open(path, OFlags::PATH | OFlags::NOFOLLOW).ok()?;
        let status = rustix::fs::fstat(&opened).ok()?;
        if FileType::from_raw_mode(status.st_mode) != FileType::Symlink {
            return None;
        }
        let target = rustix::fs::readlinkat(&opened, c"", Vec::new()).ok()?;
        Some(OsStr::from_bytes(target.to_bytes()).to_owned())
    }
}

/// The names of a path, the last one first.
fn names(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    let names = parts.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    names.map(|part| part.as_os_str().to_owned()).collect()
}

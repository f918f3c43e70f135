//! Protecting what git runs: configuration and hooks, also those of submodules and linked work trees.
//!
//! Everything else in a repository stays writable, so that commits can be made. A repository that is
//! made inside is its maker's own and cannot be protected: it is told.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use openspace_protocol::keeping::News;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::configuration::{Configuration, beneath, is_elsewhere};
use super::folders::{Role, join};
use super::mounts::{Outcome, is_gone};
use super::trails::Leads;
use super::{KeepError, Keeper, tell, text};

/// What is protected in the folder of a repository. `worktrees` says where other folders find the
/// configuration of this repository.
pub(super) const CONFIGURATION: [&str; 4] = ["config", "config.worktree", "hooks", "worktrees"];

/// A file that names another folder from which configuration and hooks are taken. In the repository
/// of a main work tree it has no business.
pub(super) const REPLACEMENT: &str = "commondir";

/// The most repositories of submodules that are looked for.
const MOST_MODULES: usize = 1000;
/// How deep submodules of submodules may lie.
const DEEPEST_MODULE: usize = 16;
/// The longest configuration that is read.
const LONGEST_CONFIGURATION: u64 = 1 << 20;

/// How often a file that redirects git is taken away before the place is ended.
const MOST_REDIRECTED: usize = 3;
/// The most files that are followed from one configuration to the next.
const MOST_INCLUDED: usize = 16;

impl Keeper {
    /// Protects what is called `.git`: a folder, or a file that names one.
    pub(super) fn protect_repository(&mut self, git: &OsStr) -> Result<(), KeepError> {
        let Ok(Some(status)) = self.watching.status(git) else { return Ok(()) };
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory => {
                self.protect_folder_of_repository(git)?;
                self.protect_modules(git)
            }
            FileType::Symlink => {
                if let Leads::To(folder) = self.follow(git, git)
                    && !folder.is_empty()
                {
                    self.pin_above(&folder)?;
                    self.watching.trees.insert(folder.clone(), above(git).to_owned());
                    self.protect_folder_of_repository(&folder)?;
                    self.protect_modules(&folder)?;
                }
                self.tell_unprotected(git, "it is a symbolic link")
            }
            _ => {
                self.protect(git)?;
                self.protect_named(git)
            }
        }
    }

    /// Protects the folder that a file called `.git` names, if it is in the workspace.
    fn protect_named(&mut self, file: &OsStr) -> Result<(), KeepError> {
        let text = self.read_file(file);
        let Some(named) = text.strip_prefix("gitdir:").map(str::trim) else { return Ok(()) };
        let tree = above(file).to_owned();
        let Some(git) = beneath(&tree, named, &self.roots) else { return Ok(()) };
        self.pin_above(&git)?;
        self.watching.trees.insert(git.clone(), tree);
        self.protect_folder_of_repository(&git)?;
        self.protect_modules(&git)
    }

    /// Protects one folder of a repository: `.git` itself, or that of a submodule.
    pub(super) fn protect_folder_of_repository(&mut self, git: &OsStr) -> Result<(), KeepError> {
        self.pin(git)?;
        self.watch_repository(git)?;
        let in_git = |name: &str| join(git, OsStr::new(name));
        let configuration = self.read_configuration(git)?;
        self.make_folder(&in_git("hooks"))?;
        if configuration.has_one_for_each_tree {
            self.make_file(&in_git("config.worktree"))?;
        }
        for name in CONFIGURATION {
            self.protect_led(git, name)?;
        }
        self.protect_objects(git)?;
        let is_git = Path::new(git).file_name().is_some_and(|name| name == ".git");
        let tree = if is_git { Some(above(git)) } else { None };
        let known = self.watching.trees.get(git).map(OsString::as_os_str);
        // Where hooks of a submodule are is a matter of its work tree, which may not be known yet.
        let Some(tree) = known.or(tree).map(OsStr::to_owned) else { return Ok(()) };
        for path in &configuration.hooks {
            match beneath(&tree, path, &self.roots) {
                Some(path) => self.protect_hooks(git, &path)?,
                None if is_elsewhere(path, &self.roots) => {}
                None => {
                    self.tell_unprotected(&in_git("config"), "hooks lie in the whole workspace")?;
                }
            }
        }
        Ok(())
    }

    /// Protects what a name in a repository leads to.
    fn protect_led(&mut self, git: &OsStr, name: &str) -> Result<(), KeepError> {
        let path = join(git, OsStr::new(name));
        let is_folder = matches!(name, "hooks" | "worktrees");
        match self.follow(git, &path) {
            Leads::To(real) if real == path => self.protect(&path),
            Leads::To(_) if is_folder => self.protect_hooks(git, &path),
            Leads::To(real) if !real.is_empty() => self.occupy(&real),
            Leads::Out => Ok(()),
            _ => self.tell_unprotected(&path, "it leads to no file"),
        }
    }

    /// Which other folders have objects of the repository is said in a file that is there before anybody could
    /// make it. What is in the repository of a linked work tree has no objects of its own.
    fn protect_objects(&mut self, git: &OsStr) -> Result<(), KeepError> {
        let [objects, info, alternates] = ["objects", "objects/info", "objects/info/alternates"]
            .map(|name| join(git, name.as_ref()));
        if self.watching.open_folder(&objects).is_err() {
            return Ok(());
        }
        if self.make_folder(&info)? {
            self.made.push(info.clone());
        }
        if self.make_file(&alternates)? {
            self.made.push(alternates.clone());
        }
        self.pin(&objects)?;
        self.pin(&info)?;
        self.protect(&alternates)
    }

    /// The folder of hooks is there before anybody could make it, and nothing above it can be moved.
    fn protect_hooks(&mut self, git: &OsStr, named: &OsStr) -> Result<(), KeepError> {
        let path = match self.follow(git, named) {
            Leads::To(path) if !path.is_empty() => path,
            Leads::Out => return Ok(()),
            Leads::To(_) => {
                return self.tell_unprotected(named, "hooks lie in the whole workspace");
            }
            Leads::Nowhere => return self.tell_unprotected(named, "it leads over too many links"),
        };
        let path = path.as_os_str();
        let mut made = OsString::new();
        for name in path.as_bytes().split(|byte| *byte == b'/') {
            made = join(&made, OsStr::from_bytes(name));
            self.make_folder(&made)?;
        }
        self.pin_above(path)?;
        match self.mounts.protect(path) {
            Ok(Outcome::Gone) => self.tell_unprotected(path, "a part of its path is a link"),
            _ => self.protect(path),
        }
    }

    /// Keeps the folders above a path from being moved, so that no other can take their place.
    pub(super) fn pin_above(&mut self, path: &OsStr) -> Result<(), KeepError> {
        let above: Vec<OsString> = Path::new(path)
            .ancestors()
            .skip(1)
            .map(|folder| folder.as_os_str().to_owned())
            .filter(|folder| !folder.is_empty())
            .collect();
        above.iter().rev().try_for_each(|folder| self.pin(folder))
    }

    /// It is told when its configuration is replaced outside, which takes the protection away.
    fn watch_repository(&mut self, git: &OsStr) -> Result<(), KeepError> {
        let Ok(opened) = self.watching.open_folder(git) else { return Ok(()) };
        let root = self.watching.open_folder(OsStr::new(""));
        let root = root.map_err(|error| KeepError::system("open the workspace", error))?;
        let folders = &mut self.watching.folders;
        let role = Role::Ordinary { published: false };
        // The workspace is watched already: this asks for its number.
        let root = folders.watch(root.as_fd(), None, OsStr::new(""), role);
        let watched = match root {
            Ok(Ok(root)) => folders.watch(opened.as_fd(), Some(root), git, Role::Repository),
            other => other,
        };
        match watched {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => self.tell_unprotected(git, "it cannot be watched"),
            Err(error) => self.tell_unprotected(git, &error.to_string()),
        }
    }

    /// Repositories of submodules lie in a tree of folders, none of which may be moved away.
    fn protect_modules(&mut self, git: &OsStr) -> Result<(), KeepError> {
        let mut waiting = vec![(join(git, OsStr::new("modules")), 0)];
        let mut count = 0;
        while let Some((path, depth)) = waiting.pop() {
            let Ok(opened) = self.watching.open_folder(&path) else { continue };
            let Ok(folder) = Dir::read_from(&opened) else { continue };
            count += 1;
            if count > MOST_MODULES || depth > DEEPEST_MODULE {
                return self.tell_unprotected(&path, "there are too many submodules");
            }
            let names: Vec<OsString> = folder
                .filter_map(Result::ok)
                .map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned())
                .filter(|name| name != "." && name != "..")
                .collect();
            let has = |wanted: &str| names.iter().any(|name| name == wanted);
            if has("HEAD") && has("config") {
                self.protect_folder_of_repository(&path)?;
                waiting.push((join(&path, OsStr::new("modules")), depth + 1));
                continue;
            }
            self.pin(&path)?;
            waiting.extend(names.iter().map(|name| (join(&path, name), depth + 1)));
        }
        Ok(())
    }

    /// Makes a folder that is not there; says whether it did.
    fn make_folder(&mut self, path: &OsStr) -> Result<bool, KeepError> {
        let mode = Mode::from_raw_mode(0o755);
        self.make(path, |folder, name| rustix::fs::mkdirat(folder, name, mode))
    }

    /// Makes an empty file that is not there; says whether it did.
    fn make_file(&mut self, path: &OsStr) -> Result<bool, KeepError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        self.make(path, |folder, name| rustix::fs::openat(folder, name, flags, mode).map(drop))
    }

    /// Makes something in a folder to which no link leads: one may have been left to lead elsewhere.
    fn make(
        &mut self,
        path: &OsStr,
        how: impl Fn(BorrowedFd<'_>, &OsStr) -> Result<(), Errno>,
    ) -> Result<bool, KeepError> {
        let name = Path::new(path).file_name().unwrap_or_default();
        let folder = self.watching.open_folder(above(path));
        match folder.and_then(|folder| how(folder.as_fd(), name)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) if is_gone(error) => Ok(false),
            Err(error) => self.tell_unprotected(path, &error.to_string()).map(|()| false),
        }
    }

    /// A file that git would obey is there, and empty, before anybody inside could make it. It goes with the
    /// place, if nobody wrote anything into it.
    fn occupy(&mut self, path: &OsStr) -> Result<(), KeepError> {
        let mut made = OsString::new();
        for name in above(path).as_bytes().split(|byte| *byte == b'/').filter(|it| !it.is_empty()) {
            made = join(&made, OsStr::from_bytes(name));
            if self.make_folder(&made)? {
                self.made.push(made.clone());
            }
        }
        if self.make_file(path)? {
            self.made.push(path.to_owned());
        }
        self.pin_above(path)?;
        match self.mounts.protect(path) {
            Ok(Outcome::Gone) => {
                self.tell_unprotected(path, "git includes it, and a link leads there")
            }
            _ => self.protect(path),
        }
    }

    /// Takes away a file that would make git look for configuration elsewhere. Whoever makes it again and
    /// again waits for git to be run outside in the moment between.
    pub(super) fn remove_replacement(&mut self, path: &OsStr) -> Result<(), KeepError> {
        match rustix::fs::unlinkat(&self.watching.outside, path, AtFlags::empty()) {
            Ok(()) => {
                self.watching.redirected += 1;
                tell(News::Removed { path: text(path) })?;
            }
            Err(Errno::NOENT) => {}
            Err(error) => self.tell_unprotected(path, &error.to_string())?,
        }
        if self.watching.redirected > MOST_REDIRECTED {
            return Err(KeepError::Redirected(text(path)));
        }
        Ok(())
    }

    /// What the configuration of a repository says, and protects what it includes.
    fn read_configuration(&mut self, git: &OsStr) -> Result<Configuration, KeepError> {
        let first = join(git, OsStr::new("config"));
        let mut all = Configuration::default();
        let mut seen: Vec<OsString> = Vec::new();
        let mut waiting = vec![first.clone()];
        while let Some(named) = waiting.pop() {
            if seen.contains(&named) || seen.len() == MOST_INCLUDED {
                continue;
            }
            let path = match self.follow(git, &named) {
                Leads::To(path) if !path.is_empty() => path,
                Leads::Out => continue,
                _ => {
                    self.tell_unprotected(&named, "git includes it, and it leads to no file")?;
                    continue;
                }
            };
            if named != first {
                self.occupy(&path)?;
            }
            let read = Configuration::of(&self.read_file(&path));
            if read.has_credential && self.watching.told_shown.insert(path.clone()) {
                let reason = "it holds a credential".to_owned();
                tell(News::Shown { path: text(&path), reason })?;
            }
            let included = read.included.iter();
            let roots = &self.roots;
            // Git looks from the name, not from where it leads.
            waiting.extend(included.filter_map(|it| beneath(above(&named), it, roots)));
            all.hooks.extend(read.hooks);
            all.has_one_for_each_tree |= read.has_one_for_each_tree;
            seen.push(named);
        }
        Ok(all)
    }

    /// A short text of the workspace; what cannot be read says nothing.
    fn read_file(&self, path: &OsStr) -> String {
        let opened = self.watching.open(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK);
        let Ok(opened) = opened else { return String::new() };
        let mut bytes = Vec::new();
        drop(std::fs::File::from(opened).take(LONGEST_CONFIGURATION).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The folder in which a path is.
fn above(path: &OsStr) -> &OsStr {
    Path::new(path).parent().map_or(OsStr::new(""), Path::as_os_str)
}

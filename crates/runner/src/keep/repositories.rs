//! Protecting what git runs: configuration and hooks, also those of submodules and linked work trees.
//!
//! Everything else in a repository stays writable, so that commits can be made. A repository that is
//! made inside is its maker's own and cannot be protected: it is told.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;

use openspace_protocol::keeping::News;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::folders::{Role, join};
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

impl Keeper {
    /// Protects what is called `.git`: a folder, or a file that names one.
    pub(super) fn protect_repository(&mut self, git: &OsStr) -> Result<(), KeepError> {
        let Ok(Some(status)) = self.watching.status(git) else { return Ok(()) };
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory => {
                self.protect_folder_of_repository(git)?;
                self.protect_modules(git)
            }
            FileType::Symlink => self.tell_unprotected(git, "it is a symbolic link"),
            _ => self.protect(git),
        }
    }

    /// Protects one folder of a repository: `.git` itself, or that of a submodule.
    pub(super) fn protect_folder_of_repository(&mut self, git: &OsStr) -> Result<(), KeepError> {
        self.pin(git)?;
        self.watch_repository(git)?;
        let in_git = |name: &str| join(git, OsStr::new(name));
        let configuration = self.read_configuration(&in_git("config"));
        self.make_folder(&in_git("hooks"))?;
        if configuration.has_one_for_each_tree {
            self.make_file(&in_git("config.worktree"))?;
        }
        for name in CONFIGURATION {
            self.protect(&in_git(name))?;
        }
        let work_tree = git.as_bytes().strip_suffix(b"/.git").map(OsStr::from_bytes);
        let work_tree = if git == ".git" { Some(OsStr::new("")) } else { work_tree };
        for path in configuration.hooks {
            // Where hooks of a submodule are is a matter of its work tree, which is not known here.
            if let Some(path) = work_tree.and_then(|tree| beneath(tree, &path)) {
                self.protect(&path)?;
            }
        }
        for path in configuration.included {
            if let Some(path) = beneath(git, &path) {
                self.protect(&path)?;
            }
        }
        Ok(())
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

    fn make_folder(&mut self, path: &OsStr) -> Result<(), KeepError> {
        let mode = Mode::from_raw_mode(0o755);
        match rustix::fs::mkdirat(&self.watching.outside, path, mode) {
            Ok(()) | Err(Errno::EXIST | Errno::NOENT) => Ok(()),
            Err(error) => self.tell_unprotected(path, &error.to_string()),
        }
    }

    fn make_file(&mut self, path: &OsStr) -> Result<(), KeepError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        match rustix::fs::openat(&self.watching.outside, path, flags, mode) {
            Ok(_) | Err(Errno::EXIST | Errno::NOENT) => Ok(()),
            Err(error) => self.tell_unprotected(path, &error.to_string()),
        }
    }

    /// Takes away a file that would make git look for configuration elsewhere.
    pub(super) fn remove_replacement(&mut self, path: &OsStr) -> Result<(), KeepError> {
        match rustix::fs::unlinkat(&self.watching.outside, path, AtFlags::empty()) {
            Ok(()) => tell(News::Removed { path: text(path) }),
            Err(Errno::NOENT) => Ok(()),
            Err(error) => self.tell_unprotected(path, &error.to_string()),
        }
    }

    fn read_configuration(&self, path: &OsStr) -> Configuration {
        let opened = self.watching.open(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK);
        let Ok(opened) = opened else { return Configuration::default() };
        let mut bytes = Vec::new();
        let file = std::fs::File::from(opened);
        // What cannot be read names nothing more to protect.
        drop(file.take(LONGEST_CONFIGURATION).read_to_end(&mut bytes));
        Configuration::of(&String::from_utf8_lossy(&bytes))
    }
}

/// What a configuration of git says about further files that decide what runs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Configuration {
    hooks: Vec<String>,
    included: Vec<String>,
    has_one_for_each_tree: bool,
}

impl Configuration {
    fn of(text: &str) -> Self {
        let mut configuration = Self::default();
        let mut section = String::new();
        for line in text.lines().map(str::trim) {
            let line = match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
                Some((head, rest)) => {
                    let name = head.split([' ', '"', '\t']).next().unwrap_or_default();
                    section = name.to_ascii_lowercase();
                    rest.trim()
                }
                None => line,
            };
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let value = value.trim().trim_matches('"').to_owned();
            match (section.as_str(), key.trim().to_ascii_lowercase().as_str()) {
                ("core", "hookspath") => configuration.hooks.push(value),
                ("include" | "includeif", "path") => configuration.included.push(value),
                ("extensions", "worktreeconfig") => {
                    configuration.has_one_for_each_tree = !value.eq_ignore_ascii_case("false");
                }
                _ => {}
            }
        }
        configuration
    }
}

/// A relative path from a folder, if it stays in the workspace.
fn beneath(folder: &OsStr, path: &str) -> Option<OsString> {
    let mut names: Vec<&[u8]> =
        folder.as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect();
    if path.starts_with(['/', '~']) {
        return None;
    }
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name.as_bytes()),
        }
    }
    if names.is_empty() {
        return None;
    }
    Some(OsStr::from_bytes(&names.join(&b'/')).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_names_what_else_decides() {
        let text = "[core]\n\tbare = false\n\tHooksPath = .husky/_\n[include]\n\tpath = ../shared\n\
                    [includeIf \"onbranch:x\"] path = \"other\"\n[extensions]\n\tworktreeConfig\n";
        let expected = Configuration {
            hooks: vec![".husky/_".into()],
            included: vec!["../shared".into(), "other".into()],
            has_one_for_each_tree: true,
        };
        assert_eq!(Configuration::of(text), expected);
        let off = "[extensions]\nworktreeconfig = false\n[user]\npath = x\nhookspath = y";
        assert_eq!(Configuration::of(off), Configuration::default());
    }

    #[test]
    fn only_paths_of_the_workspace_are_followed() {
        let beneath = |folder: &str, path: &str| {
            beneath(OsStr::new(folder), path).map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(beneath("", ".husky/_"), Some(".husky/_".to_owned()));
        assert_eq!(beneath("a/.git", "../x/./y"), Some("a/x/y".to_owned()));
        assert_eq!(beneath(".git", "../../x"), None);
        assert_eq!(beneath(".git", ".."), None);
        assert_eq!((beneath("", "/etc/hooks"), beneath("", "~/hooks")), (None, None));
    }
}

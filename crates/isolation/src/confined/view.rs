//! What of the machine one confined place shows, found out by looking at the machine: the lists of
//! [`super::shown`] applied to this home.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Uid};

use super::credentials::{self, Format};
use super::shown::{CACHES, CREDENTIALS, MOVED, SETTINGS, SYSTEM, TOOLS};
use crate::bubblewrap::{OUTPUT, OWN, SHARED_MEMORY, TEMPORARY};
use crate::{Caches, ConfinedSpec, IsolationError};

/// The home where there is none to show.
const NO_HOME: &str = "/run/openspace/home";
/// Where own caches are inside.
pub(super) const OWN_CACHES: &str = "/run/openspace/caches";

/// The longest settings that are copied.
const LONGEST_SETTINGS: u64 = 256 * 1024;
/// The most files that git's settings may include.
const MOST_INCLUDED: usize = 16;

/// Folders that are somebody's home on no machine, whatever a variable says.
const NO_HOMES: [&str; 9] = ["/", "/bin", "/dev", "/etc", "/lib", "/proc", "/sys", "/tmp", "/usr"];

/// Something of the machine at its own place.
pub(super) struct Bound {
    pub(super) path: PathBuf,
    pub(super) opened: OwnedFd,
    pub(super) writable: bool,
}

/// A file of the place's own.
pub(super) struct Copied {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// What is shown beside the system and the workspace.
pub(super) struct View {
    pub(super) home: PathBuf,
    /// In the order in which they are put there.
    pub(super) bound: Vec<Bound>,
    pub(super) copied: Vec<Copied>,
    /// The folder of own caches, and the names in the home that lead into it.
    pub(super) own_caches: Option<(OwnedFd, Vec<(PathBuf, PathBuf)>)>,
    /// What would be seen and must not be.
    pub(super) hidden: Vec<PathBuf>,
}

impl View {
    /// `user` is whoever programs run as, if that is not the user of this process.
    pub(super) fn of(spec: &ConfinedSpec, user: Option<Uid>) -> Result<Self, IsolationError> {
        let home = home(spec)?;
        let mut view = Self {
            home: home.clone().unwrap_or_else(|| NO_HOME.into()),
            bound: Vec::new(),
            copied: Vec::new(),
            own_caches: None,
            hidden: Vec::new(),
        };
        if let Some(home) = home {
            view.show_home(spec, &home, user)?;
        }
        for (paths, writable) in [(&spec.place.readable, false), (&spec.writable, true)] {
            for given in paths {
                let path = given
                    .strip_prefix("~")
                    .map_or_else(|_| given.clone(), |rest| view.home.join(rest));
                let opened = view.open_named(spec, &path)?;
                view.bound.push(Bound { path, opened, writable });
            }
        }
        Ok(view)
    }

    /// Whether a path can be seen inside, as far as it is not of the workspace.
    pub(super) fn shows(&self, path: &Path) -> bool {
        let own = [TEMPORARY, "/var/tmp", SHARED_MEMORY, OUTPUT, OWN_CACHES, "/proc", "/dev"];
        let own = own.into_iter().map(Path::new).chain([self.home.as_path()]);
        own.chain(self.shown()).any(|shown| path.starts_with(shown))
    }

    /// What of the machine is shown.
    fn shown(&self) -> impl Iterator<Item = &Path> {
        let bound = self.bound.iter().map(|bound| bound.path.as_path());
        SYSTEM.iter().map(Path::new).chain(bound)
    }

    /// What inside may be changed, besides the workspace.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        let own = [TEMPORARY, "/var/tmp", SHARED_MEMORY, OUTPUT].map(PathBuf::from);
        let caches = self.own_caches.iter().map(|_| OWN_CACHES.into());
        let bound = self.bound.iter().filter(|bound| bound.writable);
        let bound = bound.map(|bound| bound.path.clone());
        own.into_iter().chain([self.home.clone()]).chain(caches).chain(bound).collect()
    }

    fn show_home(
        &mut self,
        spec: &ConfinedSpec,
        home: &Path,
        user: Option<Uid>,
    ) -> Result<(), IsolationError> {
        let locate = |name: &str| locate(spec, home, name);
        for name in TOOLS {
            let path = locate(name);
            let is_wanted = !self.is_bound(&path) && is_of_tools(&path, &[home]);
            if let Some(opened) = open(&path).filter(|_| is_wanted) {
                self.bound.push(Bound { path, opened, writable: false });
            }
        }
        match &spec.caches {
            Caches::Shared => {
                for path in CACHES.iter().map(|name| locate(name)) {
                    let is_wanted = is_of_tools(&path, &[home, &spec.place.root]);
                    let Some(opened) = open(&path).filter(|_| is_wanted) else { continue };
                    // What belongs to another user could not be changed, and tools take a cache
                    // that is read-only better than one that refuses.
                    let owner = std::fs::metadata(&path).map(|status| status.uid()).ok();
                    let writable = user.is_none_or(|user| owner == Some(user.as_raw()));
                    self.bound.push(Bound { path, opened, writable });
                }
            }
            Caches::Own(folder) => self.own_caches(folder, &locate, user)?,
        }
        for (name, format) in SETTINGS {
            self.copy(locate(name), *format);
        }
        self.copy_included(home);
        for (names, writable) in [(&spec.own.writable, true), (&spec.own.readable, false)] {
            for name in names {
                let path = locate(name.trim_end_matches('/'));
                self.show_own(spec, &path, name.ends_with('/'), writable, user)?;
            }
        }
        for path in spec.own.made.iter().map(|name| locate(name)) {
            let made = make_file(&path, user);
            made.map_err(|error| IsolationError::Readable { path, reason: error.to_string() })?;
        }
        let credentials = CREDENTIALS.iter().map(|name| locate(name));
        self.hidden.extend(credentials.filter(|path| path.exists()));
        Ok(())
    }

    /// Shows what belongs to whoever the place is for.
    fn show_own(
        &mut self,
        spec: &ConfinedSpec,
        path: &Path,
        is_folder: bool,
        writable: bool,
        user: Option<Uid>,
    ) -> Result<(), IsolationError> {
        let unusable = |reason: String| IsolationError::Readable { path: path.into(), reason };
        if is_folder && !path.exists() {
            make_private(path, user).map_err(|error| unusable(error.to_string()))?;
        }
        if !path.exists() {
            return Ok(());
        }
        // A link may lead anywhere.
        if !is_of_tools(path, &[&self.home, &spec.place.root]) {
            return Err(unusable("the whole home, or the workspace, is in it".to_owned()));
        }
        let opened = self.open_named(spec, path)?;
        self.bound.push(Bound { path: path.to_path_buf(), opened, writable });
        Ok(())
    }

    fn is_bound(&self, path: &Path) -> bool {
        self.bound.iter().any(|bound| path.starts_with(&bound.path))
    }

    fn copy(&mut self, path: PathBuf, format: Format) {
        let text = read(&path).and_then(|text| credentials::without(format, &text));
        match text {
            Some(text) => self.copied.push(Copied { path, text }),
            // What cannot be shown must not be seen in a folder that is shown either.
            None if path.exists() => self.hidden.push(path),
            None => {}
        }
    }

    /// Settings of git that are in files of their own, such as whose commits they are.
    fn copy_included(&mut self, home: &Path) {
        let texts: Vec<String> = self
            .copied
            .iter()
            .filter(|copied| {
                copied.path.ends_with(".gitconfig") || copied.path.ends_with("git/config")
            })
            .map(|copied| copied.text.clone())
            .collect();
        let included = texts.iter().flat_map(|text| included(text));
        for name in included.take(MOST_INCLUDED) {
            let path =
                name.strip_prefix("~/").map_or_else(|| home.join(name), |rest| home.join(rest));
            let plain = path.components().all(|part| part.as_os_str() != "..");
            let is_known = self.copied.iter().any(|copied| copied.path == path);
            if plain && path.starts_with(home) && !is_known && !self.is_bound(&path) {
                self.copy(path, Format::Git);
            }
        }
    }

    fn own_caches(
        &mut self,
        folder: &Path,
        locate: &dyn Fn(&str) -> PathBuf,
        user: Option<Uid>,
    ) -> Result<(), IsolationError> {
        let failed = |error| IsolationError::Caches { path: folder.to_path_buf(), source: error };
        let make = |path: &Path| {
            std::fs::create_dir_all(path)?;
            user.map_or(Ok(()), |user| std::os::unix::fs::chown(path, Some(user.as_raw()), None))
        };
        make(folder).map_err(failed)?;
        let mut links = Vec::new();
        for name in CACHES.iter().filter(|name| !name.contains("/.")) {
            let path = locate(name);
            // Nothing can be put into a folder that is read-only.
            if self.is_bound(&path) {
                continue;
            }
            let own = name.replace('/', "-");
            make(&folder.join(&own)).map_err(failed)?;
            links.push((path, Path::new(OWN_CACHES).join(own)));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(folder, flags, Mode::empty());
        let opened = opened.map_err(|error| failed(error.into()))?;
        self.own_caches = Some((opened, links));
        Ok(())
    }

    /// Something that the person wants to be shown.
    fn open_named(&self, spec: &ConfinedSpec, path: &Path) -> Result<OwnedFd, IsolationError> {
        let unusable = |reason: &str| IsolationError::Readable {
            path: path.to_path_buf(),
            reason: reason.into(),
        };
        if !path.is_absolute() || path.components().any(|part| part.as_os_str() == "..") {
            return Err(unusable("it is not a plain absolute path"));
        }
        if path.parent().is_none() {
            return Err(unusable("it is the whole machine"));
        }
        if self.home.starts_with(path) {
            return Err(unusable("the whole home is in it"));
        }
        if [OWN, "/proc", "/dev", "/sys"].iter().any(|own| path.starts_with(own)) {
            return Err(unusable("the place has its own there"));
        }
        if spec.hidden.iter().any(|hidden| path.starts_with(hidden)) {
            return Err(unusable("it must not be seen"));
        }
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty());
        opened.map_err(|error| unusable(&error.to_string()))
    }
}

/// The home to show, if there is one.
fn home(spec: &ConfinedSpec) -> Result<Option<PathBuf>, IsolationError> {
    let Some(home) = &spec.home else { return Ok(None) };
    let plain = home.is_absolute() && home.components().all(|part| part.as_os_str() != "..");
    let is_home = plain
        && home.is_dir()
        && NO_HOMES.iter().all(|no| home != Path::new(no))
        && ["/proc", "/sys", "/dev", OWN].iter().all(|own| !home.starts_with(own));
    if !is_home {
        return Ok(None);
    }
    let root = &spec.place.root;
    let real = home.canonicalize().unwrap_or_else(|_| home.clone());
    let real_root = root.canonicalize().unwrap_or_else(|_| root.clone());
    if home.starts_with(root) || real.starts_with(real_root) {
        return Err(IsolationError::Root {
            path: root.clone(),
            reason: "the whole home is in it, so nothing in the home could be kept from programs"
                .to_owned(),
        });
    }
    Ok(Some(home.clone()))
}

/// Where something of the home is on this machine.
fn locate(spec: &ConfinedSpec, home: &Path, name: &str) -> PathBuf {
    let moved = MOVED.iter().rev().find_map(|(variable, prefix)| {
        let rest = Path::new(name).strip_prefix(prefix).ok()?;
        let value = spec.place.environment.iter().find(|(name, _)| name == OsStr::new(variable));
        let folder = PathBuf::from(value.map(|(_, value)| value)?);
        let path = if rest.as_os_str().is_empty() { folder } else { folder.join(rest) };
        let plain = path.is_absolute() && path.components().all(|part| part.as_os_str() != "..");
        let own = ["/proc", "/sys", "/dev", "/run"];
        // A folder right beneath the root is never one of a tool alone.
        let is_part = path.components().count() > 2 && !own.iter().any(|own| path.starts_with(own));
        (plain && is_part).then_some(path)
    });
    moved.unwrap_or_else(|| home.join(name))
}

/// Whether a folder of tools is that alone: a variable or a link may lead to a folder in which the whole
/// home lies, or what else must stay apart.
fn is_of_tools(path: &Path, apart: &[&Path]) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    apart.iter().all(|it| {
        let whole = it.canonicalize().unwrap_or_else(|_| it.to_path_buf());
        !it.starts_with(path) && !whole.starts_with(&real)
    })
}

/// Makes a folder that only its owner sees, and those above it that are missing.
fn make_private(path: &Path, user: Option<Uid>) -> std::io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    for folder in missing {
        if let Some(user) = user {
            std::os::unix::fs::chown(folder, Some(user.as_raw()), None)?;
        }
    }
    Ok(())
}

/// Makes an empty file, if nothing is there.
fn make_file(path: &Path, user: Option<Uid>) -> std::io::Result<()> {
    match std::fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => {
            user.map_or(Ok(()), |user| std::os::unix::fs::fchown(file, Some(user.as_raw()), None))
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn open(path: &Path) -> Option<OwnedFd> {
    rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}

fn read(path: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let status = file.metadata().ok()?;
    if !status.is_file() || status.len() > LONGEST_SETTINGS {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST_SETTINGS).read_to_string(&mut text).ok()?;
    Some(text)
}

/// What settings of git include.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let mut is_include = false;
    text.lines().map(str::trim).filter_map(move |line| {
        if line.starts_with('[') {
            is_include = line.to_ascii_lowercase().starts_with("[include");
        }
        let (name, value) = line.split_once('=')?;
        let is_path = name.trim().to_ascii_lowercase().ends_with("path");
        (is_include && is_path).then(|| value.trim().trim_matches('"'))
    })
}

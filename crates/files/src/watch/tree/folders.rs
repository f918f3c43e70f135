//! The folders that are watched, and what a notice about one of them means.
//!
//! Of a watched folder the hashes of its names are kept, so that a file which takes the place of
//! another is told from a new one. Links are not followed, and of `.git` only what says which commit
//! and which index are current is looked at. Folders that come later or not at all, because the
//! system or we watch enough already, are no error: they are watched where somebody looks at them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque, hash_map::RandomState},
    ffi::{OsStr, OsString},
    hash::BuildHasher as _,
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;
use openspace_protocol::RelPath;
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

use super::{
    Shared,
    batch::Batch,
    notices::{Notice, Notices, What},
};
use crate::files::{
    Files, Kind,
    beneath::or_dot,
    walk::{
        entries::Entries,
        ignores::{Ignores, is_ignore_file},
        parallel::open_folder,
    },
};

/// Folders that are watched for the sake of the tree.
pub(super) const MAX_FOLDERS: usize = 20_000;
/// Folders that are watched because somebody looks at them.
pub(super) const MAX_LOOKED_AT: usize = 1_000;
/// Names that are kept in all; of folders beyond, a file that replaces another looks new.
const MAX_NAMES: usize = 1_000_000;
/// What changes in `.git` when another commit, index, merge or upstream is current.
const GIT_NAMES: [&str; 7] =
    ["CHERRY_PICK_HEAD", "HEAD", "MERGE_HEAD", "REVERT_HEAD", "config", "index", "packed-refs"];

/// Why a folder is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Role {
    Tree,
    LookedAt,
    Git,
    /// Branches of this `.git`.
    Heads(PathBuf),
}

struct Folder {
    path: PathBuf,
    role: Role,
    /// What is ignored in here; nothing where that is not asked.
    ignores: Ignores,
    /// `None` when there were too many.
    names: Option<HashSet<u64>>,
}

pub(super) struct Folders {
    files: Arc<Files>,
    root: Dir,
    notices: Notices,
    watched: HashMap<i32, Folder>,
    by_path: BTreeMap<PathBuf, i32>,
    looked_at: VecDeque<PathBuf>,
    names: usize,
    max_folders: usize,
    hasher: RandomState,
    entries: Entries,
    pub(super) batch: Batch,
    shared: Arc<Shared>,
    stop: CancellationToken,
}

impl Folders {
    pub(super) fn new(
        files: Arc<Files>,
        notices: Notices,
        max_folders: usize,
        shared: Arc<Shared>,
        stop: CancellationToken,
    ) -> io::Result<Self> {
        Ok(Self {
            root: files.beneath().open_folder(Path::new("."))?,
            files,
            notices,
            watched: HashMap::new(),
            by_path: BTreeMap::new(),
            looked_at: VecDeque::new(),
            names: 0,
            max_folders,
            hasher: RandomState::new(),
            entries: Entries::new(),
            batch: Batch::default(),
            shared,
            stop,
        })
    }

    /// Watch all that is there. What happens meanwhile is noted.
    pub(super) fn start(&mut self) {
        self.scan_again(Path::new(""));
    }

    /// Take what the kernel has to say; true when there may be more.
    pub(super) fn hear(&mut self) -> io::Result<bool> {
        let (notices, more) = self.notices.take()?;
        let mut stale = BTreeSet::new();
        for notice in notices {
            stale.extend(self.understand(notice));
        }
        let mut done: Option<PathBuf> = None;
        for path in stale {
            if done.as_ref().is_none_or(|above| !path.starts_with(above)) {
                self.scan_again(&path);
                done = Some(path);
            }
        }
        Ok(more)
    }

    /// Watch folders that somebody looks at; the last ones count.
    pub(super) fn look_at(&mut self, paths: Vec<RelPath>) {
        for path in paths {
            let path = PathBuf::from(path.as_str());
            if path.iter().any(|word| word == ".git") {
                continue;
            }
            self.looked_at.retain(|known| *known != path);
            self.looked_at.push_back(path.clone());
            if self.looked_at.len() > MAX_LOOKED_AT
                && let Some(oldest) = self.looked_at.pop_front()
                && let Some(watch) = self.by_path.get(&oldest)
                && self.watched.get(watch).is_some_and(|folder| folder.role == Role::LookedAt)
            {
                self.leave(*watch);
            }
            if !self.by_path.contains_key(&path) {
                self.enter_looked_at(&path);
            }
        }
    }

    /// What a notice means; a folder is given back whose ignore file is another now.
    fn understand(&mut self, notice: Notice) -> Option<PathBuf> {
        match notice.what {
            What::Overflow => {
                self.batch.rescan();
                return Some(PathBuf::new());
            }
            What::Left => {
                self.forget(notice.watch);
                return None;
            }
            What::Appeared | What::Changed | What::Gone => {}
        }
        let folder = self.watched.get_mut(&notice.watch)?;
        let name = notice.name?;
        let path = folder.path.join(&name);
        match folder.role.clone() {
            Role::Git => {
                let git = folder.path.clone();
                if GIT_NAMES.iter().any(|known| name == *known) {
                    // A repository that is just being made has its branches by now.
                    if name == "HEAD" {
                        self.enter_heads(&git);
                    }
                    self.batch.note(git, true, true);
                }
                return None;
            }
            Role::Heads(git) => {
                if notice.is_folder && notice.what == What::Appeared {
                    self.enter_heads(&git);
                }
                if !name.as_bytes().ends_with(b".lock") {
                    self.batch.note(git, true, true);
                }
                return None;
            }
            Role::Tree | Role::LookedAt => {}
        }
        if is_ours(&name) {
            return None;
        }
        let mark = self.hasher.hash_one(name.as_bytes());
        let is_known = folder.names.as_ref().is_none_or(|names| names.contains(&mark));
        if notice.what == What::Changed && !is_known && stands_for_unnamed(&name) {
            return None;
        }
        let now = notice.what != What::Gone;
        let before = match (&mut folder.names, notice.what) {
            (Some(names), What::Gone) => names.remove(&mark),
            (Some(names), _) => !names.insert(mark),
            (None, what) => what != What::Appeared,
        };
        if before != now {
            self.shared.changed();
        }
        let (role, ignores) = (folder.role.clone(), folder.ignores.clone());
        let stale = (role == Role::Tree && is_ignore_file(&name)).then(|| folder.path.clone());
        // A change of something that is not known is one of something that has gone since.
        let before = before || notice.what == What::Changed;
        self.batch.note(path.clone(), before, now);
        if notice.is_folder {
            match notice.what {
                What::Appeared => self.appeared(&path, &role, ignores),
                What::Gone => self.leave_beneath(&path),
                _ => {}
            }
        }
        stale
    }

    fn appeared(&mut self, path: &Path, role: &Role, ignores: Ignores) {
        if self.by_path.contains_key(path) {
            return;
        }
        let in_tree = *role == Role::Tree;
        if path.file_name() == Some(OsStr::new(".git")) {
            if in_tree {
                self.enter_git(path);
            }
        } else if in_tree && !ignores.hide_from_all(path, Kind::Folder) {
            self.scan(path, ignores, true);
        } else if self.looked_at.iter().any(|known| known == path) {
            self.enter_looked_at(path);
        }
    }

    /// Put the watches beneath a folder right, without telling anything.
    fn scan_again(&mut self, start: &Path) {
        self.shared.changed();
        let above = Ignores::above(&self.files, start);
        let seen = self.scan(start, above, false);
        let unseen: Vec<i32> = self.beneath(start).filter(|watch| !seen.contains(watch)).collect();
        for watch in unseen {
            let Some(folder) = self.watched.get_mut(&watch) else { continue };
            if self.looked_at.contains(&folder.path) {
                folder.role = Role::LookedAt;
            } else {
                self.leave(watch);
            }
        }
        for path in self.looked_at.clone() {
            if path.starts_with(start) && !self.by_path.contains_key(&path) {
                self.enter_looked_at(&path);
            }
        }
    }

    /// Watch a folder and all beneath it that is not ignored, the nearer folders first.
    fn scan(&mut self, start: &Path, above: Ignores, tell: bool) -> HashSet<i32> {
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([(start.to_owned(), above)]);
        while let Some((path, above)) = waiting.pop_front() {
            if self.stop.is_cancelled() {
                break;
            }
            let Some((handle, watch)) = self.open(&path) else { continue };
            let ignores = above.and_in(&handle, &path);
            let found = self.read(&handle);
            self.keep(watch, &path, Role::Tree, ignores.clone(), &found);
            seen.insert(watch);
            for (name, kind) in found {
                let inner = path.join(&name);
                if tell && !is_ours(&name) {
                    self.batch.note(inner.clone(), false, true);
                }
                if kind != Kind::Folder {
                    continue;
                }
                if name == ".git" {
                    seen.extend(self.enter_git(&inner));
                } else if !ignores.hide_from_all(&inner, kind) {
                    waiting.push_back((inner, ignores.clone()));
                }
            }
        }
        seen
    }

    fn enter_looked_at(&mut self, path: &Path) {
        if let Some((handle, watch)) = self.open(path) {
            let found = self.read(&handle);
            self.keep(watch, path, Role::LookedAt, Ignores::default(), &found);
        }
    }

    fn enter_git(&mut self, git: &Path) -> Vec<i32> {
        let Some((_, watch)) = self.open(git) else { return Vec::new() };
        self.keep(watch, git, Role::Git, Ignores::default(), &[]);
        let mut seen = self.enter_heads(git);
        seen.push(watch);
        seen
    }

    /// Branches have folders where their names have slashes.
    fn enter_heads(&mut self, git: &Path) -> Vec<i32> {
        let mut seen = Vec::new();
        let mut waiting = vec![git.join("refs/heads")];
        while let Some(path) = waiting.pop() {
            let Some((handle, watch)) = self.open(&path) else { continue };
            let found = self.read(&handle);
            self.keep(watch, &path, Role::Heads(git.to_owned()), Ignores::default(), &[]);
            seen.push(watch);
            let folders = found.into_iter().filter(|(_, kind)| *kind == Kind::Folder);
            waiting.extend(folders.map(|(name, _)| path.join(name)));
        }
        seen
    }

    /// Open and watch a folder; `None` when that cannot be, which is no error.
    fn open(&mut self, path: &Path) -> Option<(Dir, i32)> {
        let is_looked_at = self.looked_at.iter().any(|known| known == path);
        let is_full = self.watched.len() >= self.max_folders && !self.by_path.contains_key(path);
        if is_full && (!is_looked_at || self.watched.len() >= self.max_folders + MAX_LOOKED_AT) {
            self.shared.incomplete("there are too many folders");
            return None;
        }
        let handle = open_folder(&self.root, or_dot(path)).ok()?;
        match self.notices.add(&handle, &self.files.root().join(path)) {
            Ok(watch) => Some((handle, watch)),
            Err(error) => {
                if error.raw_os_error() == Some(Errno::NOSPC.raw_os_error()) {
                    self.shared.incomplete("the system watches no more");
                }
                None
            }
        }
    }

    fn read(&mut self, handle: &Dir) -> Vec<(OsString, Kind)> {
        let mut found = Vec::new();
        self.entries.read(handle, |entry| {
            if let Ok((name, kind)) = entry {
                found.push((OsStr::from_bytes(name.to_bytes()).to_owned(), kind));
            }
            true
        });
        found
    }

    fn keep(
        &mut self,
        watch: i32,
        path: &Path,
        role: Role,
        ignores: Ignores,
        found: &[(OsString, Kind)],
    ) {
        self.forget(watch);
        if let Some(other) = self.by_path.get(path).copied() {
            self.leave(other);
        }
        let names = (self.names + found.len() <= MAX_NAMES)
            .then(|| found.iter().map(|(name, _)| self.hasher.hash_one(name.as_bytes())).collect());
        self.names += names.as_ref().map_or(0, HashSet::len);
        self.by_path.insert(path.to_owned(), watch);
        self.watched.insert(watch, Folder { path: path.to_owned(), role, ignores, names });
    }

    fn beneath(&self, start: &Path) -> impl Iterator<Item = i32> {
        self.by_path
            .range(start.to_owned()..)
            .take_while(move |(path, _)| path.starts_with(start))
            .map(|(_, watch)| *watch)
    }

    fn leave_beneath(&mut self, path: &Path) {
        self.batch.gone_beneath(path);
        let watches: Vec<i32> = self.beneath(path).collect();
        for watch in watches {
            self.leave(watch);
        }
    }

    fn leave(&mut self, watch: i32) {
        self.forget(watch);
        self.notices.remove(watch);
    }

    fn forget(&mut self, watch: i32) {
        let Some(folder) = self.watched.remove(&watch) else { return };
        self.names = self.names.saturating_sub(folder.names.map_or(0, |names| names.len()));
        self.by_path.remove(&folder.path);
    }
}

/// Whether the kernel may mean a file that has no name yet: it gives a number in place of one.
fn stands_for_unnamed(name: &OsStr) -> bool {
    name.as_bytes()
        .strip_prefix(b"#")
        .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// What our own writer makes for a moment.
fn is_ours(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".openspace-") && name.ends_with(b".tmp")
}

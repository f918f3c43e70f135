//! What a person keeps for all workspaces: settings, keys, snippets, tasks, and how the page looks.
//!
//! Plain files in the person's config folder, so that they can be edited by hand and kept with
//! other dotfiles. Several servers share the folder: whoever changes something holds a lock, a file
//! is replaced whole, and a change can be tied to the content it was made for. Nothing here decides
//! what may be done in a workspace.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
    fs::{DirBuilder, File, OpenOptions, Permissions},
    io::{ErrorKind, Read as _},
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use openspace_command::{Error, ErrorKind as Kind, Result};
use openspace_files::hash;
use rustix::fs::{FlockOperation, flock};

use crate::state_folder;

pub mod ui_state;

/// The largest file.
pub const MAX_FILE: usize = 1024 * 1024;
/// How many snippet files there may be.
const MAX_SNIPPETS: usize = 200;
/// The longest name of a snippet file, without its ending.
const MAX_STEM: usize = 64;
/// The files there can be, beside snippets.
const FILES: [&str; 3] = ["keybindings.json", "settings.json", "tasks.json"];
const SNIPPETS: &str = "snippets";

/// The store.
pub struct UserData {
    folder: PathBuf,
    /// What the page remembers about the workspace of this server.
    workspace: PathBuf,
    /// The files as they were when views were last told about them.
    told: Mutex<BTreeMap<String, Stamp>>,
    /// Whoever asks for the state of the UI or changes it, in the order of asking: a page that goes tells its last
    /// state beside one that is still on its way.
    pub turns: tokio::sync::Mutex<()>,
}

/// The name of a file: one of a few, `snippets/….json` for a language, or `snippets/….code-snippets` for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

/// A file as it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its bytes.
    pub content: Vec<u8>,
    /// A word that another content does not have.
    pub tag: String,
}

/// What a file has to be for a change to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Anything, or missing.
    Anything,
    /// There, whatever it holds.
    There,
    /// Missing.
    Missing,
    /// One of these contents, by their tags.
    Tags(Vec<String>),
}

/// What a write did.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// The tag of what is there now.
    pub tag: String,
    /// Whether the file was missing before.
    pub created: bool,
}

/// Changes whenever a file is replaced or written to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Name {
    /// A name that may be used.
    pub fn parse(text: &str) -> Result<Self> {
        let stem = text.strip_prefix("snippets/").and_then(|file| {
            file.strip_suffix(".json").or_else(|| file.strip_suffix(".code-snippets"))
        });
        let is_snippet = |stem: &str| {
            (1..=MAX_STEM).contains(&stem.len())
                && !stem.starts_with('.')
                && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte))
        };
        if FILES.contains(&text) || stem.is_some_and(is_snippet) {
            return Ok(Self(text.to_owned()));
        }
        let shown: String = text.chars().take(100).collect();
        let hint = format!(
            "there can be {}, snippets/NAME.json and snippets/NAME.code-snippets",
            FILES.join(", ")
        );
        Err(Error::invalid(format!("`{shown}` is no name of user data")).hint(hint))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn is_snippet(&self) -> bool {
        self.0.starts_with(SNIPPETS)
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl UserData {
    /// The store in the person's folder; `workspace` is the file for how one workspace is shown.
    /// Nothing is created yet.
    pub fn new(folder: PathBuf, workspace: PathBuf) -> Self {
        let store = Self {
            folder,
            workspace,
            told: Mutex::default(),
            turns: tokio::sync::Mutex::default(),
        };
        // What is there at the start is no news.
        store.news();
        store
    }

    /// The names of the files that are there.
    pub fn names(&self) -> Result<Vec<String>> {
        Ok(self.stamps()?.into_keys().collect())
    }

    /// A file, if it is there. May wait for the disk, as everything here.
    pub fn read(&self, name: &Name) -> Result<Option<Stored>> {
        let Some(content) = read(&self.path(name), MAX_FILE)? else { return Ok(None) };
        let tag = hash(&content);
        Ok(Some(Stored { content, tag }))
    }

    /// Replace a file, or make it.
    pub fn write(&self, name: &Name, content: &[u8], expected: &Expected) -> Result<Written> {
        if content.len() > MAX_FILE {
            let message =
                format!("{name} would have {} bytes, more than {MAX_FILE}", content.len());
            return Err(Error::invalid(message));
        }
        let _lock = self.lock()?;
        let known = self.read(name)?;
        expected.check(name, known.as_ref())?;
        if known.is_none() && name.is_snippet() {
            let snippets = self.names()?.iter().filter(|name| name.starts_with(SNIPPETS)).count();
            if snippets >= MAX_SNIPPETS {
                let message = format!("there are {MAX_SNIPPETS} snippet files already");
                return Err(Error::invalid(message).hint("delete one first"));
            }
            private_folder(&self.folder.join(SNIPPETS))?;
        }
        let path = self.path(name);
        // Who keeps dotfiles elsewhere has links here: those stay.
        let path = path.canonicalize().unwrap_or(path);
        write(&path, content)?;
        Ok(Written { tag: hash(content), created: known.is_none() })
    }

    /// Remove a file; whether it was there.
    pub fn remove(&self, name: &Name, expected: &Expected) -> Result<bool> {
        let _lock = self.lock()?;
        let known = self.read(name)?;
        expected.check(name, known.as_ref())?;
        if known.is_none() {
            return Ok(false);
        }
        let path = self.path(name);
        #[expect(clippy::disallowed_methods, reason = "the config folder is not in the workspace")]
        std::fs::remove_file(&path).map_err(|error| fault(&path, "removed", error))?;
        Ok(true)
    }

    /// The names of files that came, went or changed since this was last asked, whoever did it.
    pub fn news(&self) -> Vec<String> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match self.stamps() {
            Ok(now) => now,
            Err(error) => {
                tracing::warn!(%error, "changes of the user's settings are not seen");
                return Vec::new();
            }
        };
        let changed = now.iter().filter(|(name, stamp)| told.get(*name) != Some(stamp));
        let gone = told.keys().filter(|name| !now.contains_key(*name));
        let news = changed.map(|(name, _)| name).chain(gone).cloned().collect();
        *told = now;
        news
    }

    fn path(&self, name: &Name) -> PathBuf {
        self.folder.join(name.as_str())
    }

    fn stamps(&self) -> Result<BTreeMap<String, Stamp>> {
        let mut names = FILES.map(str::to_owned).to_vec();
        let snippets = self.folder.join(SNIPPETS);
        match std::fs::read_dir(&snippets) {
            Ok(entries) => {
                let found = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
                let found = found.map(|file| format!("{SNIPPETS}/{file}"));
                names.extend(found.filter(|name| Name::parse(name).is_ok()).take(MAX_SNIPPETS));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(fault(&snippets, "listed", error)),
        }
        let mut stamps = BTreeMap::new();
        for name in names {
            let path = self.folder.join(&name);
            match path.metadata() {
                Ok(found) if found.is_file() => {
                    let modified = (found.mtime(), found.mtime_nsec());
                    let stamp = Stamp { inode: found.ino(), size: found.size(), modified };
                    stamps.insert(name, stamp);
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(fault(&path, "looked at", error)),
            }
        }
        Ok(stamps)
    }

    /// Changes are made one after the other, also those of other servers.
    fn lock(&self) -> Result<File> {
        private_folder(&self.folder)?;
        let path = self.folder.join(".lock");
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.map_err(|error| fault(&path, "opened", error))?;
        flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| fault(&path, "locked", error.into()))?;
        Ok(file)
    }
}

impl Expected {
    fn check(&self, name: &Name, known: Option<&Stored>) -> Result<()> {
        let holds = match self {
            Self::Anything => true,
            Self::There => known.is_some(),
            Self::Missing => known.is_none(),
            Self::Tags(tags) => known.is_some_and(|known| tags.contains(&known.tag)),
        };
        if holds {
            return Ok(());
        }
        Err(Error::conflict(format!("{name} is not what this change was made for"))
            .hint("read it again and change what is there now"))
    }
}

/// A folder for this person only.
fn private_folder(folder: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.and_then(|()| std::fs::set_permissions(folder, Permissions::from_mode(0o700)))
        .map_err(|error| fault(folder, "created", error))
}

/// A file of at most so many bytes, if it is there.
fn read(path: &Path, limit: usize) -> Result<Option<Vec<u8>>> {
    #[expect(clippy::disallowed_methods, reason = "the config folder is not in the workspace")]
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fault(path, "read", error)),
    };
    let mut content = Vec::new();
    let all = file.take(limit as u64 + 1).read_to_end(&mut content);
    all.map_err(|error| fault(path, "read", error))?;
    if content.len() > limit {
        let message = format!("{} is larger than {limit} bytes", file_name(path));
        return Err(Error::new(Kind::Unsupported, message));
    }
    Ok(Some(content))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    state_folder::write(path, content).map_err(|error| not_written(path, error))
}

/// A full disk is no fault of ours, and the person can mend it.
fn not_written(path: &Path, error: anyhow::Error) -> Error {
    let message = format!("{} cannot be written", file_name(path));
    match error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            Error::new(Kind::NotSaved, format!("{message}: its disk is full"))
                .hint("make room on that disk and try again; what was kept before is unchanged")
                .because(error)
        }
        _ => Error::internal(message).because(error),
    }
}

fn fault(path: &Path, done: &str, error: std::io::Error) -> Error {
    Error::internal(format!("{} cannot be {done}", file_name(path))).because(error)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests;

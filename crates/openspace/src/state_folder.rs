//! Where the state of one workspace lives, outside the workspace itself: nothing is written into
//! a person's project.
//!
//! A folder per root, mode 0700, holds the token, the keys, the database, a lock that the running
//! server holds, and a runtime file that says where that server is. All files are mode 0600.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{ErrorKind, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use openspace_files::hash;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The folder of one workspace's state.
#[derive(Clone, Debug)]
pub struct StateFolder {
    root: PathBuf,
    folder: PathBuf,
}

/// How to reach a running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Its address.
    pub url: String,
    /// Its process.
    pub pid: u32,
    /// The workspace's root.
    pub workspace: PathBuf,
    /// Whether it makes way for a server that is started on purpose.
    #[serde(default)]
    pub stand_in: bool,
}

/// Secrets that never change for a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// What a browser's cookie holds.
    pub cookie: String,
    /// What a page of ours has beside it.
    #[serde(default)]
    pub page: String,
    /// Opens the instructions, and nothing else, for clients that cannot send a header.
    pub instructions: String,
    /// Names this workspace; marks the processes it starts.
    pub instance: String,
    /// Proves to be the person who owns this folder, beside the token that agents hold too.
    #[serde(default)]
    pub person: String,
}

/// The lock of a running server; released when dropped or when the process dies.
#[derive(Debug)]
pub struct ServerLock(#[expect(dead_code, reason = "held, not read")] File);

impl StateFolder {
    /// The folder of a root. Nothing is created yet.
    pub fn of(state: &Path, root: &Path) -> Result<Self> {
        let root = root
            .canonicalize()
            .with_context(|| format!("the folder {} cannot be opened", root.display()))?;
        if !root.is_dir() {
            bail!(
                "{} is not a folder\n  hint: give the folder you want to work in",
                root.display()
            );
        }
        let name: String = root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
            .take(40)
            .collect();
        let folder = state.join(format!("{name}-{}", &hash(root.as_os_str().as_bytes())[..16]));
        Ok(Self { root, folder })
    }

    /// The workspace's root, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The token's file.
    pub fn token_file(&self) -> PathBuf {
        self.folder.join("token")
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.folder.join("space.db")
    }

    /// What the page remembers about how this workspace is shown.
    pub fn ui_state(&self) -> PathBuf {
        self.folder.join("ui-state.json")
    }

    /// A folder within, for this person only, created when it is missing.
    pub fn private_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| format!("the folder {} cannot be created", folder.display()))?;
        Ok(folder)
    }

    /// Create the folder, for this person only.
    pub fn create(&self) -> Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&self.folder);
        made.and_then(|()| std::fs::set_permissions(&self.folder, Permissions::from_mode(0o700)))
            .and_then(|()| self.create_database())
            .with_context(|| {
                format!(
                    "the state folder {} cannot be used\n  hint: pass --state-dir with a folder that can be written",
                    self.folder.display()
                )
            })
    }

    /// SQLite makes its other files with the mode of the first.
    fn create_database(&self) -> std::io::Result<()> {
        // Opening a pipe would wait for its other end. The store refuses what is no file.
        if self.database().metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).mode(0o600);
        file.open(self.database())?.set_permissions(Permissions::from_mode(0o600))
    }

    /// The token, made on first use.
    pub fn token(&self) -> Result<String> {
        let path = self.token_file();
        let known = self.existing_token()?.filter(|token| token.len() >= 32);
        if let Some(token) = known {
            // A copy or a restore may have opened it up.
            std::fs::set_permissions(&path, Permissions::from_mode(0o600))
                .with_context(|| format!("{} cannot be protected", path.display()))?;
            return Ok(token);
        }
        let token = random_word(32);
        write(&path, format!("{token}\n"))?;
        Ok(token)
    }

    /// The token of a folder that a server has already prepared.
    pub fn existing_token(&self) -> Result<Option<String>> {
        Ok(read(&self.token_file())?.map(|text| text.trim().to_owned()))
    }

    /// The keys, made on first use.
    pub fn keys(&self) -> Result<Keys> {
        let path = self.folder.join("keys.json");
        let known: Option<Keys> = read_json(&path)?;
        let keys = match known {
            Some(keys) if !keys.person.is_empty() && !keys.page.is_empty() => return Ok(keys),
            // Made by an older program.
            Some(keys) => Keys {
                person: Some(keys.person)
                    .filter(|key| !key.is_empty())
                    .unwrap_or_else(|| random_word(32)),
                page: Some(keys.page)
                    .filter(|key| !key.is_empty())
                    .unwrap_or_else(|| random_word(32)),
                ..keys
            },
            None => Keys {
                cookie: random_word(32),
                instructions: random_word(16),
                instance: random_word(8),
                person: random_word(32),
                page: random_word(32),
            },
        };
        write(&path, serde_json::to_string(&keys)?)?;
        Ok(keys)
    }

    /// The keys of a folder that a server has already prepared.
    pub fn keys_if_any(&self) -> Result<Option<Keys>> {
        read_json(&self.folder.join("keys.json"))
    }

    /// Take the lock of the running server, or learn where that server is.
    pub fn lock(&self) -> Result<Result<ServerLock, Option<Running>>> {
        let path = self.folder.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                // What a server that died left here is not where this one will be.
                self.withdraw();
                Ok(Ok(ServerLock(file)))
            }
            Err(error) if error == rustix::io::Errno::WOULDBLOCK => Ok(Err(self.runtime()?)),
            Err(error) => {
                Err(error).with_context(|| format!("{} cannot be locked", path.display()))
            }
        }
    }

    /// The running server, if there is one: its runtime file counts only while its lock is held.
    pub fn running(&self) -> Result<Option<Running>> {
        let path = self.folder.join("lock");
        let file = match OpenOptions::new().write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be opened", path.display()));
            }
        };
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Ok(None),
            Err(_) => self.runtime(),
        }
    }

    fn runtime(&self) -> Result<Option<Running>> {
        read_json(&self.folder.join("server.json"))
    }

    /// Say where the server is.
    pub fn announce(&self, running: &Running) -> Result<()> {
        write(&self.folder.join("server.json"), serde_json::to_string(running)?)
    }

    /// Take that back.
    pub fn withdraw(&self) {
        let path = self.folder.join("server.json");
        #[expect(clippy::disallowed_methods, reason = "the state folder is not in the workspace")]
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::debug!(%error, "the runtime file was already gone");
        }
    }
}

/// Random letters and digits with `bytes` bytes of randomness.
pub fn random_word(bytes: usize) -> String {
    let mut random = vec![0_u8; bytes];
    let mut filled = 0;
    while filled < bytes {
        match rustix::rand::getrandom(&mut random[filled..], rustix::rand::GetRandomFlags::empty())
        {
            Ok(count) => filled += count,
            Err(error) => {
                tracing::debug!(%error, "the system's randomness is not ready; trying again");
            }
        }
    }
    random.iter().fold(String::with_capacity(bytes * 2), |mut word, byte| {
        // Writing to a String cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut word, format_args!("{byte:02x}"));
        word
    })
}

fn read(path: &Path) -> Result<Option<String>> {
    #[expect(clippy::disallowed_methods, reason = "the state folder is not in the workspace")]
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// A file that cannot be understood counts as missing: it is made anew.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    Ok(read(path)?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Write a file of mode 0600 whole: a reader never sees a part.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let temporary = path.with_extension(format!("new-{}", random_word(4)));
    let write = || -> std::io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(content.as_ref())?;
        file.sync_all()?;
        #[expect(clippy::disallowed_methods, reason = "the state folder is not in the workspace")]
        std::fs::rename(&temporary, path)
    };
    write()
        .inspect_err(|_| forget(&temporary))
        .with_context(|| format!("{} cannot be written", path.display()))
}

fn forget(temporary: &Path) {
    #[expect(clippy::disallowed_methods, reason = "the state folder is not in the workspace")]
    if let Err(error) = std::fs::remove_file(temporary) {
        tracing::debug!(%error, "a file that could not be written was not there");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_folder(folder: &Path) -> StateFolder {
        let root = folder.join("my app");
        std::fs::create_dir_all(&root).unwrap();
        let state_folder = StateFolder::of(&folder.join("state"), &root).unwrap();
        state_folder.create().unwrap();
        state_folder
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn secrets_are_for_their_owner_only_and_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let state_folder = state_folder(folder.path());
        let (token, keys) = (state_folder.token().unwrap(), state_folder.keys().unwrap());
        assert_eq!(
            (state_folder.token().unwrap(), state_folder.keys().unwrap()),
            (token.clone(), keys)
        );
        assert_eq!(token.len(), 64);
        assert_eq!((mode(&state_folder.folder), mode(&state_folder.token_file())), (0o700, 0o600));
        std::fs::set_permissions(state_folder.token_file(), Permissions::from_mode(0o644)).unwrap();
        assert_eq!(
            (state_folder.token().unwrap(), mode(&state_folder.token_file())),
            (token, 0o600)
        );
    }

    #[test]
    fn keys_of_an_older_program_stay_and_get_what_they_lack() {
        let folder = tempfile::tempdir().unwrap();
        let state_folder = state_folder(folder.path());
        let old = r#"{"cookie": "c", "instructions": "i", "instance": "n"}"#;
        write(&state_folder.folder.join("keys.json"), old).unwrap();
        let keys = state_folder.keys().unwrap();
        let kept = (keys.cookie.as_str(), keys.instructions.as_str(), keys.instance.as_str());
        assert_eq!((kept, keys.person.len(), keys.page.len()), (("c", "i", "n"), 64, 64));
        assert_eq!(state_folder.keys().unwrap(), keys);
    }

    #[test]
    fn a_second_server_learns_where_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let state_folder = state_folder(folder.path());
        assert_eq!(state_folder.running().unwrap(), None);
        let lock = state_folder.lock().unwrap().unwrap();
        let running = Running {
            url: "http://127.0.0.1:3000".into(),
            pid: 1,
            workspace: state_folder.root.clone(),
            stand_in: false,
        };
        state_folder.announce(&running).unwrap();
        assert_eq!(state_folder.lock().unwrap().unwrap_err(), Some(running.clone()));
        assert_eq!(state_folder.running().unwrap(), Some(running));
        drop(lock);
        assert_eq!(
            state_folder.running().unwrap(),
            None,
            "a file left by a dead server counts for nothing"
        );
    }
}

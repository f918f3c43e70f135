//! Terminals of the space: real shells that a person and an agent share.
//!
//! The space keeps a record of each terminal; the shell itself lives in the host. A shell does not
//! outlive the server. After a restart its record says so, and `terminal.restart` starts a new
//! shell in the same place under the same id.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use openspace_command::{Error, ErrorKind, Result};
use openspace_host::terminal::{self as host, Life, Size, Spawn, TerminalError};
use openspace_protocol::TerminalId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::space::{Space, TerminalRecords};

pub mod commands;
pub mod read_command;

/// Terminals that may exist at once.
pub const MAX_TERMINALS: usize = 1_000;
/// The size of a terminal that no view has resized.
pub const DEFAULT_SIZE: Size = Size { rows: 24, cols: 80 };
/// Names of programs that count as shells.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "fish", "ksh", "nu", "pwsh"];

/// How a terminal is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TerminalState {
    /// Its shell runs.
    Running {
        /// The shell's process.
        pid: u32,
    },
    /// Its shell has ended.
    Exited {
        /// With this code,
        code: Option<i32>,
        /// or by this signal.
        signal: Option<i32>,
    },
    /// The server stopped while its shell ran; the shell was ended with it.
    EndedWithServer,
}

/// What the space knows about a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalRecord {
    /// Its title; usable in place of its id while no other terminal has it.
    pub title: String,
    /// The folder it started in, relative to the root.
    pub cwd: String,
    /// Its shell.
    pub shell: PathBuf,
    /// How it is.
    #[serde(flatten)]
    pub state: TerminalState,
    /// Who created it.
    pub created_by: String,
    /// When, in milliseconds since 1970.
    pub created_at: u64,
}

impl TerminalRecord {
    /// Whether its shell runs.
    pub fn is_running(&self) -> bool {
        matches!(self.state, TerminalState::Running { .. })
    }
}

/// The terminal a caller means: by id, or by a title that only one has. Never another one.
pub fn find_terminal<'a>(
    terminals: &'a TerminalRecords,
    name: &str,
) -> Result<(TerminalId, &'a TerminalRecord)> {
    if let Some((id, record)) =
        name.parse().ok().and_then(|id: TerminalId| terminals.get_key_value(&id))
    {
        return Ok((*id, record));
    }
    let mut titled = terminals.iter().filter(|(_, record)| record.title == name);
    match (titled.next(), titled.next()) {
        (Some((id, record)), None) => Ok((*id, record)),
        (Some(first), Some(second)) => {
            let ids: Vec<String> =
                [first, second].into_iter().chain(titled).map(|(id, _)| id.to_string()).collect();
            Err(Error::conflict(format!("several terminals have the title `{name}`"))
                .hint(format!("use an id: {}", ids.join(", "))))
        }
        (None, _) => {
            let shown: String = name.chars().take(100).collect();
            let known: Vec<String> = terminals
                .iter()
                .take(50)
                .map(|(id, record)| format!("{id} ({})", record.title))
                .collect();
            let known = if known.is_empty() { "there are none".into() } else { known.join(", ") };
            Err(Error::not_found(format!("there is no terminal `{shown}`"))
                .hint(format!("terminals: {known}; terminal_create makes one")))
        }
    }
}

/// Put a failure of a terminal into words for a caller.
pub fn refused(error: TerminalError) -> Error {
    let message = error.to_string();
    let (kind, hint) = match &error {
        TerminalError::ShellMissing(_) | TerminalError::ShellNotExecutable(_) => {
            (ErrorKind::InvalidArgs, Some("leave `shellPath` out for the default shell"))
        }
        TerminalError::FolderMissing(_) | TerminalError::PathRelative(_) => {
            (ErrorKind::InvalidArgs, Some("file_list shows the folders there are"))
        }
        TerminalError::Size { .. } => (ErrorKind::InvalidArgs, None),
        TerminalError::Ended => (
            ErrorKind::Conflict,
            Some("terminal_restart starts a new shell in it, terminal_close removes it"),
        ),
        TerminalError::WriteBlocked { .. } => (
            ErrorKind::Conflict,
            Some("wait until the program reads, or interrupt it by sending \\u0003"),
        ),
        TerminalError::FutureCursor { .. } => {
            (ErrorKind::InvalidArgs, Some("use the `cursor` of an earlier read of this terminal"))
        }
        TerminalError::Spawn { .. }
        | TerminalError::MarkerEmpty
        | TerminalError::Device(_)
        | TerminalError::StillRunning(_) => (ErrorKind::Internal, None),
    };
    let refusal = Error::new(kind, message).because(error);
    match hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

/// The running shells.
pub struct Terminals {
    instance: String,
    environment: Vec<(OsString, OsString)>,
    shell: PathBuf,
    live: Arc<Mutex<BTreeMap<TerminalId, host::Terminal>>>,
    /// Whether shells of an earlier run are ended; a new one carries the same mark and has to wait.
    cleared: Arc<watch::Sender<bool>>,
}

/// What to start.
pub struct Start {
    /// Under which id.
    pub id: TerminalId,
    /// Which shell.
    pub shell: PathBuf,
    /// In which folder, absolute.
    pub folder: PathBuf,
}

impl Terminals {
    /// No terminals yet. `instance` names the workspace and marks its processes.
    pub fn new(instance: String, environment: Vec<(OsString, OsString)>, shell: PathBuf) -> Self {
        let cleared = Arc::new(watch::Sender::new(false));
        Self { instance, environment, shell, live: Arc::default(), cleared }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TerminalId, host::Terminal>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After a restart: shells of the earlier run are ended if any is left, and records say so.
    pub fn restore(&self, space: &Space) {
        end_records(space);
        let prefix = self.marker_prefix();
        let cleared = Arc::clone(&self.cleared);
        tokio::task::spawn_blocking(move || {
            match host::process::reap_marked(&prefix) {
                Ok(0) => {}
                Ok(ended) => tracing::warn!(ended, "processes of an earlier run were ended"),
                Err(error) => {
                    tracing::error!(%error, "processes of an earlier run could not be ended");
                }
            }
            cleared.send_replace(true);
        });
    }

    fn marker_prefix(&self) -> String {
        format!("{}:", self.instance)
    }

    /// The shell to start: the one asked for if it is one, else the default.
    pub fn shell(&self, asked: Option<&str>) -> Result<PathBuf> {
        let Some(asked) = asked else {
            return Ok(self.shell.clone());
        };
        let path = Path::new(asked);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !path.is_absolute() {
            return Err(Error::invalid(format!("argument `shellPath`: `{asked}` is not absolute"))
                .hint("give the whole path, such as /bin/bash, or leave it out"));
        }
        if !SHELLS.contains(&name) {
            return Err(Error::invalid(format!("argument `shellPath`: `{name}` is not a shell"))
                .hint(format!("shells are {}", SHELLS.join(", "))));
        }
        Ok(path.to_owned())
    }

    /// Start a shell and watch it until it ends.
    pub async fn start(&self, start: Start, space: &Arc<Space>) -> Result<u32> {
        // The sender is ours, so waiting can only end with the wanted value.
        drop(self.cleared.subscribe().wait_for(|cleared| *cleared).await);
        let Start { id, shell, folder } = start;
        let spawn = Spawn {
            shell,
            args: Vec::new(),
            cwd: folder,
            base_env: self.environment.clone(),
            env: Vec::new(),
            size: DEFAULT_SIZE,
            marker: format!("{}{id}", self.marker_prefix()),
        };
        let terminal = host::Terminal::spawn(&spawn).map_err(refused)?;
        let Life::Running { pid } = terminal.status().life else {
            return Err(Error::internal("the shell ended before it started"));
        };
        self.lock().insert(id, terminal.clone());
        tokio::spawn(watch_end(id, pid, terminal, Arc::downgrade(space)));
        Ok(pid)
    }

    /// The live terminal of an id.
    pub fn get(&self, id: TerminalId) -> Option<host::Terminal> {
        self.lock().get(&id).cloned()
    }

    /// End a terminal's whole process tree and forget it.
    pub async fn close(&self, id: TerminalId) -> Result<()> {
        let Some(terminal) = self.get(id) else { return Ok(()) };
        // What cannot be ended stays known, so that it can be tried again.
        terminal.kill().await.map_err(refused)?;
        self.lock().remove(&id);
        Ok(())
    }

    /// End all of them: the server stops. The records say so before the shells can say anything.
    pub async fn kill_all(&self, space: &Space) {
        end_records(space);
        let live = std::mem::take(&mut *self.lock());
        let mut kills = tokio::task::JoinSet::new();
        for terminal in live.into_values() {
            kills.spawn(async move { terminal.kill().await });
        }
        while let Some(killed) = kills.join_next().await {
            if let Ok(Err(error)) = killed {
                tracing::error!(%error, "a terminal's processes could not be ended");
            }
        }
    }
}

/// Note that shells which run now end with the server.
fn end_records(space: &Space) {
    let noted = space.change_now(|state| {
        for record in Arc::make_mut(&mut state.terminals).values_mut() {
            if record.is_running() {
                record.state = TerminalState::EndedWithServer;
            }
        }
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!(%error, "the end of the terminals could not be noted");
    }
}

/// Write into the space how a shell ended, unless its record already speaks of another one.
async fn watch_end(id: TerminalId, pid: u32, terminal: host::Terminal, space: Weak<Space>) {
    let mut changed = terminal.changed();
    let exit = loop {
        if let Life::Exited(exit) = terminal.status().life {
            break exit;
        }
        if changed.changed().await.is_err() {
            return;
        }
    };
    let Some(space) = space.upgrade() else { return };
    let ended = space.change_now(|state| {
        if let Some(record) = Arc::make_mut(&mut state.terminals).get_mut(&id)
            && record.state == (TerminalState::Running { pid })
        {
            record.state = TerminalState::Exited { code: exit.code, signal: exit.signal };
        }
        Ok(())
    });
    if let Err(error) = ended {
        tracing::error!(%id, %error, "the end of a terminal could not be noted");
    }
}

//! Terminals of the space: real shells that a person and an agent share.
//!
//! The space keeps a record of each terminal; the shell itself lives in the host. A shell does not
//! outlive the server. After a restart its record says so, and `terminal.restart` starts a new
//! shell in the same place under the same id.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use openspace_command::{CallerKind, Error, Result};
use openspace_host::{BoxFuture, HostError, TerminalHandle, operation::OpenTerminal};
use openspace_layout::TabKind;
use openspace_protocol::{RelPath, TerminalId};
use openspace_space::{Counter, Declared, Entries, Part, Space, State, Updated};
use openspace_terminal::{Life, Size, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    OpenSpace,
    areas::{
        Area,
        tabs::{Content, Known, ShownTab},
    },
    doings::Doings,
    places::Place,
    refusal::refused,
    services::{Base, Service, Starter},
};

mod brought;
pub mod commands;
pub mod read_command;
pub mod rename_command;
pub mod restart_command;
pub mod run_commands;
mod typing;
mod whose;

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[Declared::of::<TerminalsPart>(), Declared::of::<TerminalCounter>()],
    services: &[Starter::of::<Terminals>()],
    tabs: &[ShownTab { kind: TabKind::Terminal, content: Content::Known(shown_terminal) }],
    brought: &[brought::TERMINALS],
    ..Area::EMPTY
};

/// Terminals that may exist at once.
pub const MAX_TERMINALS: usize = 1_000;
/// Those of one agent, in all of its sessions: sessions are begun at will.
pub const MAX_OF_AN_AGENT: usize = 32;
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
    /// The place where its shell ran was lost, and the shell with it.
    Lost,
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
    /// What kind of caller that was; of terminals of older servers that is not known.
    #[serde(default)]
    pub created_as: Option<CallerKind>,
    /// Whether its shell runs in the agents' confined place.
    #[serde(default)]
    pub confined: bool,
    /// When, in milliseconds since 1970.
    pub created_at: u64,
}

/// Terminals by id, running and ended.
pub type TerminalRecords = Entries<TerminalRecord, TerminalId>;

/// The terminals.
pub struct TerminalsPart;

impl Part for TerminalsPart {
    const NAME: &'static str = "terminals";
    type Content = TerminalRecords;
}

/// The last terminal's number.
pub struct TerminalCounter;

impl Part for TerminalCounter {
    const NAME: &'static str = "terminal-counter";
    const PUBLISHED: bool = false;
    type Content = Counter;
}

impl TerminalRecord {
    /// Whether an agent created it.
    pub fn is_agents(&self) -> bool {
        self.created_as == Some(CallerKind::Agent)
    }

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
        name.parse().ok().and_then(|id: TerminalId| terminals.get(&id).map(|record| (id, record)))
    {
        return Ok((id, record));
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

/// A terminal as what a tab shows.
fn shown_terminal(state: &State, name: &str) -> Result<Known> {
    let (id, record) = find_terminal(state.part::<TerminalsPart>(), name)?;
    Ok(Known { id: id.to_string(), title: record.title.clone(), alive: record.is_running() })
}

/// The folder in which the shell of a terminal was at its last prompt, if it tells; `thing` as an intent names it.
pub(crate) async fn folder_of(state: &OpenSpace, thing: &str) -> Option<PathBuf> {
    let id: TerminalId = thing.strip_prefix("terminal ")?.parse().ok()?;
    let status = state.service::<Terminals>().get(id)?.status().await.ok()?;
    status.cwd.map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// The terminals that have a shell, running or ended, in the place of the space or beside it.
pub struct Terminals {
    space: Arc<Space>,
    live: Mutex<BTreeMap<TerminalId, TerminalHandle>>,
    typed: typing::Typed,
    entered: Arc<whose::Entered>,
    doings: Arc<Doings>,
}

/// What to start.
pub struct Start {
    /// Where.
    pub place: Arc<Place>,
    /// Under which id.
    pub id: TerminalId,
    /// Which shell.
    pub shell: PathBuf,
    /// In which folder.
    pub folder: RelPath,
}

impl Service for Terminals {
    fn start(base: &Base) -> Self {
        end_records(&base.space);
        let space = Arc::clone(&base.space);
        Self {
            space,
            live: Mutex::default(),
            typed: typing::Typed::default(),
            entered: Arc::default(),
            doings: Arc::clone(&base.doings),
        }
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.kill_all())
    }
}

impl Terminals {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TerminalId, TerminalHandle>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shell to start in a place: the one asked for if it is one, else the default.
    pub fn shell(place: &Place, asked: Option<&str>) -> Result<PathBuf> {
        let Some(asked) = asked else {
            return Ok(place.facts().shell.clone());
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
    pub async fn start_shell(&self, start: Start) -> Result<u32> {
        let Start { place, id, shell, folder } = start;
        let host = place.host().await.map_err(refused)?;
        let open = OpenTerminal { id, shell: Some(shell), folder, size: DEFAULT_SIZE };
        let status = host.ask(open).await.map_err(refused)?;
        let Life::Running { pid } = status.life else {
            return Err(Error::internal("the shell ended before it started"));
        };
        let terminal = TerminalHandle::new(host, id);
        self.lock().insert(id, terminal.clone());
        let watch = Watch {
            id,
            pid,
            space: Arc::downgrade(&self.space),
            entered: Arc::clone(&self.entered),
            doings: Arc::clone(&self.doings),
        };
        tokio::spawn(watch.until_it_ends(terminal));
        Ok(pid)
    }

    /// The terminal of an id, if it has a shell.
    pub fn get(&self, id: TerminalId) -> Option<TerminalHandle> {
        self.lock().get(&id).cloned()
    }

    /// Somebody typed into a terminal.
    pub fn typed_by(&self, id: TerminalId, by: CallerKind, keys: &[u8]) {
        self.entered.typed(id, by, keys);
    }

    /// End everything in a terminal; what it shows stays, and its record says how its shell ended.
    pub async fn end_programs(&self, id: TerminalId) -> Result<()> {
        let Some(terminal) = self.get(id) else { return Ok(()) };
        match terminal.end().await {
            Ok(()) | Err(HostError::Lost(_) | HostError::Unknown { .. }) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }

    /// End a terminal's whole process tree and forget it.
    pub async fn close(&self, id: TerminalId) -> Result<()> {
        let Some(terminal) = self.get(id) else { return Ok(()) };
        match terminal.close().await {
            // Its host is gone, and everything with it.
            Ok(()) | Err(HostError::Lost(_) | HostError::Unknown { .. }) => {}
            // What cannot be ended stays known, so that it can be tried again.
            Err(error) => return Err(refused(error)),
        }
        self.lock().remove(&id);
        self.typed.forget(id);
        self.entered.forget(id);
        Ok(())
    }

    /// End all of them: the server stops. The records say so before the shells can say anything.
    async fn kill_all(&self) {
        end_records(&self.space);
        let live = std::mem::take(&mut *self.lock());
        let mut kills = tokio::task::JoinSet::new();
        for terminal in live.into_values() {
            kills.spawn(async move { terminal.close().await });
        }
        while let Some(killed) = kills.join_next().await {
            if let Ok(Err(error)) = killed {
                tracing::error!(%error, "a terminal's processes could not be ended");
            }
        }
    }
}

/// Note that shells which run now end with the server, or ended with the last one.
fn end_records(space: &Space) {
    let noted = space.change_now(|state| {
        state.part_mut::<TerminalsPart>().update(|_, record| {
            if !record.is_running() {
                return Updated::Same;
            }
            let state = TerminalState::EndedWithServer;
            Updated::Other(TerminalRecord { state, ..record.clone() })
        });
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!(%error, "the end of the terminals could not be noted");
    }
}

/// Somebody who watches a shell.
struct Watch {
    id: TerminalId,
    pid: u32,
    space: Weak<Space>,
    entered: Arc<whose::Entered>,
    doings: Arc<Doings>,
}

impl Watch {
    /// Hear of the commands that end in it, until it ends itself.
    async fn until_it_ends(self, terminal: TerminalHandle) {
        let mut changes = terminal.changed();
        let mut commands = whose::Commands::default();
        let state = loop {
            match terminal.status().await {
                Ok(Status { life: Life::Exited(exit), .. }) => {
                    break TerminalState::Exited { code: exit.code, signal: exit.signal };
                }
                Ok(status) => {
                    let ended = commands.look(self.id, &status, &self.entered);
                    if let Some((mark, Some(CallerKind::Person))) = ended {
                        let code = mark.exit_code.unwrap_or_default();
                        self.doings.failed(self.id, mark.command.as_deref(), code);
                    }
                }
                Err(HostError::Lost(_)) => break TerminalState::Lost,
                // It was closed, and its record is gone or speaks of another shell.
                Err(_) => return,
            }
            changes.next().await;
        };
        self.note_end(state);
    }

    /// Write into the space how it ended, unless its record already speaks of another one.
    fn note_end(&self, state: TerminalState) {
        let Some(space) = self.space.upgrade() else { return };
        let ended = space.change_now(|all| {
            if let Some(record) = all.part_mut::<TerminalsPart>().get_mut(&self.id)
                && record.state == (TerminalState::Running { pid: self.pid })
            {
                record.state = state;
            }
            Ok(())
        });
        if let Err(error) = ended {
            tracing::error!(id = %self.id, %error, "the end of a terminal could not be noted");
        }
    }
}

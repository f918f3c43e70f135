//! What is asked of a place: its folder, its limits, and what runs in it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::IsolationError;

/// The kind of place in which a workspace lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// In the server's own process. Nothing is isolated.
    Local,
    /// In a process of its own on this machine. A crash stays there; nothing else is isolated.
    Runner,
    /// In namespaces of its own on this machine's kernel, with only the workspace to write to.
    Sandbox,
    /// Where agents' programs run beside a workspace that is not walled: the machine as it is, with
    /// only the workspace to write to and without what is the person's own. It cannot be chosen for
    /// a workspace.
    #[serde(skip_deserializing)]
    #[schemars(skip)]
    Confined,
}

impl Provider {
    /// Those that can be chosen for a workspace.
    pub const ALL: [Self; 3] = [Self::Local, Self::Runner, Self::Sandbox];

    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Runner => "runner",
            Self::Sandbox => "sandbox",
            Self::Confined => "confined",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = IsolationError;

    fn from_str(name: &str) -> Result<Self, IsolationError> {
        let found = Self::ALL.into_iter().find(|provider| provider.name() == name);
        found.ok_or_else(|| IsolationError::ProviderUnknown(name.to_owned()))
    }
}

/// A place to make.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Absolute folder on this machine that becomes the workspace.
    pub root: PathBuf,
    /// Whether what runs inside may use this machine's network.
    pub network: bool,
    pub limits: Limits,
    /// The runner program on this machine.
    pub runner: PathBuf,
    /// Further arguments for the runner.
    pub arguments: Vec<OsString>,
    /// Environment of the runner. A sandbox puts its own `HOME`, `USER`, `LOGNAME`, `TMPDIR` and
    /// `SHELL` in it and keeps of `PATH` what can be seen inside.
    pub environment: Vec<(OsString, OsString)>,
    /// Further folders and files of this machine that a sandbox shows, read-only, at their own
    /// place: a tool chain, for example.
    pub readable: Vec<PathBuf>,
    /// Unique among the places of this machine: letters, digits, `-` and `_`.
    pub name: String,
    /// Whether a kernel without Landlock is an error. If not, the statement has a caveat.
    pub require_landlock: bool,
    /// Hide secret files of the workspace from programs inside, the built-in names and these patterns, and
    /// protect what lets code run elsewhere later. Only a walled place can; it then has a keeper. A confined
    /// place always does.
    pub secrets: Option<Vec<String>>,
    /// What else a keeper hides, whatever its name: paths relative to the folder.
    pub also_secret: Vec<PathBuf>,
}

impl Spec {
    /// No network, no limits, an empty environment, and Landlock required.
    pub fn new(
        name: impl Into<String>,
        root: impl Into<PathBuf>,
        runner: impl Into<PathBuf>,
    ) -> Self {
        Self {
            root: root.into(),
            network: false,
            limits: Limits::default(),
            runner: runner.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            readable: Vec::new(),
            name: name.into(),
            require_landlock: true,
            secrets: None,
            also_secret: Vec::new(),
        }
    }
}

/// What of the home is shown because the place is for one agent alone, from there on; what ends with `/` is a
/// folder, and made if it is missing; a file that is missing is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnHome {
    /// It can be changed.
    pub writable: Vec<String>,
    /// It cannot.
    pub readable: Vec<String>,
    /// Files that are made, empty, if they are missing.
    pub made: Vec<String>,
}

/// The agents' place over a folder: a walled place in which the machine looks as it is outside.
#[derive(Clone, Debug)]
pub struct ConfinedSpec {
    /// Folder, limits, runner, environment and the person's patterns of secret names. Of the
    /// environment only harmless variables get in; `readable` may begin with `~/`.
    pub place: Spec,
    /// The network; what the place says of it is not asked.
    pub reach: Reach,
    /// The person's home, in which the tools are. Without one, or where it cannot be one, there is an
    /// empty home.
    pub home: Option<PathBuf>,
    /// Further folders and files that may be changed; they may begin with `~/`.
    pub writable: Vec<PathBuf>,
    /// What tools keep for themselves.
    pub caches: Caches,
    /// What must never be seen, wherever it lies: the server's own folder, for example.
    pub hidden: Vec<PathBuf>,
    /// What of the home belongs to whoever this place is for.
    pub own: OwnHome,
}

impl ConfinedSpec {
    /// The machine's network, no home, shared caches.
    pub fn new(place: Spec) -> Self {
        Self {
            place,
            reach: Reach::Machine,
            home: None,
            writable: Vec::new(),
            caches: Caches::Shared,
            hidden: Vec::new(),
            own: OwnHome::default(),
        }
    }
}

/// How much network a confined place has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// None but a loopback of its own.
    None,
    /// All that this machine reaches, its own loopback included.
    Machine,
    /// What this machine reaches, without its loopback.
    Own,
}

/// Where tools in a confined place keep what they fetched and built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caches {
    /// Where the person's tools do. What is changed there, the person's tools find.
    Shared,
    /// In this folder, which is made if it is missing.
    Own(PathBuf),
}

/// Upper bounds on what a place may use. One that is asked for holds, or the place is not made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct Limits {
    /// Memory of everything inside together, files in private temporary folders included.
    #[schemars(range(min = Self::LEAST_MEMORY))]
    pub memory_bytes: Option<u64>,
    /// Processes and threads inside together. A sandbox needs two for itself.
    #[schemars(range(min = 1))]
    pub processes: Option<u64>,
    /// Processor time: 100 is one processor.
    #[schemars(range(min = 1))]
    pub cpu_percent: Option<u32>,
    /// The largest file that a program may write.
    #[schemars(range(min = 1))]
    pub file_size_bytes: Option<u64>,
    /// Files that one process may hold open.
    #[schemars(range(min = Self::LEAST_OPEN_FILES))]
    pub open_files: Option<u64>,
    /// Size of each private temporary folder of a sandbox. One gibibyte if not given.
    #[schemars(range(min = Self::LEAST_TEMPORARY))]
    pub temporary_bytes: Option<u64>,
}

impl Limits {
    /// The least memory that can be asked for.
    pub const LEAST_MEMORY: u64 = 1 << 20;
    /// Fewer are not enough to start a program.
    pub const LEAST_OPEN_FILES: u64 = 32;
    /// The smallest temporary folder.
    pub const LEAST_TEMPORARY: u64 = 4096;

    /// Size of each private temporary folder.
    pub(crate) fn temporary_size(&self) -> u64 {
        self.temporary_bytes.unwrap_or(1 << 30)
    }
}

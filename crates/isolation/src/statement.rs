//! What a place isolates and which limits hold in it, told from what was really done.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Provider;

/// What a place keeps apart from the rest of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolated {
    /// A crash inside leaves the server running.
    Crashes,
    /// Files outside the workspace are not there, or read-only.
    Files,
    /// Processes outside cannot be seen or signalled.
    Processes,
    /// Shared memory and message queues are its own.
    Ipc,
    /// No capability, and no way to gain one.
    Privileges,
    /// The network is its own: nothing of this machine's loopback is in it.
    Network,
}

/// How much network there is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Only a loopback of its own.
    None,
    /// All that this machine reaches, its own loopback included.
    Machine,
    /// What this machine reaches, without its loopback.
    Own,
}

/// A limit and what enforces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct HeldLimit {
    /// Name of the limit, as it is asked for.
    pub name: String,
    /// The value in force. It may be a little less than asked for, where the kernel rounds down.
    pub value: u64,
    /// What enforces it, such as `cgroup v2 memory.max`.
    pub by: String,
}

/// What a place isolates, by which layers, which limits hold, and what is not protected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Statement {
    pub provider: Provider,
    pub isolates: Vec<Isolated>,
    /// Whether a fault in this machine's kernel is enough to get out.
    pub kernel_shared: bool,
    pub network: Network,
    /// Where the workspace is for what runs inside.
    pub root_inside: PathBuf,
    /// Private folder for the runner's own files, such as the full output of long commands.
    pub output_inside: Option<PathBuf>,
    /// The mechanisms that are in force.
    pub layers: Vec<String>,
    pub limits: Vec<HeldLimit>,
    /// What one might expect to be protected and is not.
    pub caveats: Vec<String>,
}

impl Statement {
    /// What holds for a workspace in the server's own process.
    pub fn local(root: PathBuf) -> Self {
        Self {
            provider: Provider::Local,
            isolates: Vec::new(),
            kernel_shared: true,
            network: Network::Machine,
            root_inside: root,
            output_inside: None,
            layers: Vec::new(),
            limits: Vec::new(),
            caveats: vec![
                "programs run as the user of the server and can do what that user can".to_owned(),
            ],
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |words: Vec<String>| {
            if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
        };
        let isolates = self.isolates.iter().map(|what| format!("{what:?}").to_lowercase());
        let limits = self
            .limits
            .iter()
            .map(|limit| format!("{} {} ({})", limit.name, limit.value, limit.by));
        let kernel = if self.kernel_shared { "shared with this machine" } else { "its own" };
        let network = match self.network {
            Network::None => "none",
            Network::Machine => "that of this machine",
            Network::Own => "its own, with a way out",
        };
        writeln!(formatter, "{}: isolates {}", self.provider, list(isolates.collect()))?;
        writeln!(formatter, "kernel: {kernel}; network: {network}")?;
        writeln!(formatter, "workspace: {}", self.root_inside.display())?;
        writeln!(formatter, "layers: {}", list(self.layers.clone()))?;
        writeln!(formatter, "limits: {}", list(limits.collect()))?;
        self.caveats.iter().try_for_each(|caveat| writeln!(formatter, "but: {caveat}"))
    }
}

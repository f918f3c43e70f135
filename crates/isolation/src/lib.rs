//! Ways to get a byte stream to `openspace-runner` in some place, and what each place holds.
//!
//! | provider | isolates | does not isolate |
//! | --- | --- | --- |
//! | `local` | nothing: it is the server's own process | everything |
//! | `runner` | crashes: a process of its own, with limits if asked for | files, processes, network |
//! | `sandbox` | files, processes, IPC, privileges, network unless allowed | the kernel |
//! | `confined` | the same, but the machine's tools and paths are as they are outside | the kernel |
//!
//! The sandbox is made of namespaces (by bubblewrap) with no capabilities. In it there is a
//! read-only `/usr`, a few harmless files of `/etc`, the folder as `/workspace`, private and
//! bounded `/tmp`, `/home/agent` and `/run/openspace/output`, its own `/proc` and a minimal `/dev`.
//! The runner then takes the same rights from itself again with Landlock. Limits on all processes
//! together are cgroups, those on each are the kernel's resource limits.
//!
//! Inside there is one user, `agent` (1000). It stands for the user of the server, or, if the
//! server is root, for the owner of the folder. Files made inside belong to that user outside.
//! Files of anybody else look as if they belonged to `nobody`.
//!
//! The confined place is where agents' programs run beside a workspace that is not walled itself. The
//! system is read-only at its own paths, the home is private, with the person's tools and without the
//! person's files, and the workspace is where it is outside. A [`Keeper`] hides secrets in it, and
//! protects what in it lets code run outside later; a sandbox can have one too.
//!
//! A place is made as asked or not at all: a provider that is missing, a sandbox that the machine
//! refuses and a limit that cannot hold are errors, never a place that holds less.

mod bubblewrap;
mod cgroups;
mod confined;
mod error;
pub mod folder;
mod insiders;
mod keeper;
mod launch;
mod machine;
mod own_network;
mod runner_process;
mod sandbox;
mod spec;
mod statement;
mod writing;

pub use error::IsolationError;
pub use insiders::{Insiders, Whose};
pub use keeper::{Following, Heard, Held, Keeper, KeeperLost, Kept, NotHeld};
pub use machine::{Machine, Started};
pub use runner_process::{Ending, RunnerProcess};
pub use spec::{Caches, ConfinedSpec, Limits, OwnHome, Provider, Reach, Spec};
pub use statement::{HeldLimit, Isolated, Network, Statement};
pub use writing::writing_only;

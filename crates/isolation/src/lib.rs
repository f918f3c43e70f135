//! Ways to get a byte stream to `openspace-runner` in some place, and what each place holds.
//!
//! | provider | isolates | does not isolate |
//! | --- | --- | --- |
//! | `local` | nothing: it is the server's own process | everything |
//! | `runner` | crashes: a process of its own, with limits if asked for | files, processes, network |
//! | `sandbox` | files, processes, IPC, privileges, network unless allowed | the kernel |
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
//! A place is made as asked or not at all: a provider that is missing, a sandbox that the machine
//! refuses and a limit that cannot hold are errors, never a place that holds less.

mod cgroups;
mod error;
pub mod folder;
mod launch;
mod machine;
mod runner_process;
mod sandbox;
mod spec;
mod statement;

pub use error::IsolationError;
pub use machine::{Machine, Started};
pub use runner_process::{Ending, RunnerProcess};
pub use spec::{Limits, Provider, Spec};
pub use statement::{HeldLimit, Isolated, Network, Statement};

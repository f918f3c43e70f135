//! A network of a place's own: what this machine reaches, without its loopback.
//!
//! The place has a network namespace in which nothing is, and `pasta` outside carries what goes out of it; nothing comes
//! in, and nothing inside leads to a server on this machine's loopback. Names are asked for at an address that `pasta`
//! passes on to the machine's own name server.
//!
//! Where this machine has the old protocol of the Internet, the place has no other.
//!
//! Without `pasta`, or where the machine has no way out itself, there is no such place.

use std::{path::Path, time::Duration};

use openspace_protocol::confinement::NETWORK_FLAG;
use rustix::fs::{Gid, Uid};
use rustix::process::Resource;
use tokio::io::AsyncReadExt as _;
use tokio::process::Child;
use tokio::time::Instant;

use crate::launch::{self, Launch};
use crate::{IsolationError, RunnerProcess};

/// Where names are asked for inside. No machine has an address of this kind by itself.
pub(crate) const NAME_SERVER: &str = "169.254.53.53";

/// How long it may take until there is a way out.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether there is.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// The most of its complaint that is told.
const LONGEST_COMPLAINT: u64 = 4096;

/// Where `pasta` is looked for.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

const OPTIONS: [&str; 14] = [
    "--config-net",
    "--foreground",
    "--quiet",
    // Nothing of either side's loopback leads to the other, and nothing comes in.
    "--tcp-ns",
    "none",
    "--udp-ns",
    "none",
    "--tcp-ports",
    "none",
    "--udp-ports",
    "none",
    "--no-map-gw",
    "--dns-forward",
    NAME_SERVER,
];

/// Gives the place of a process a network; it goes with the place. The answer is the process that carries it.
pub(crate) async fn give(
    runner: &Path,
    pid: u32,
    identity: Option<(Uid, Gid)>,
    process: &RunnerProcess,
) -> Result<u32, IsolationError> {
    let mut arguments = vec![NETWORK_FLAG.into(), pid.to_string().into(), "pasta".into()];
    arguments.extend(OPTIONS.map(Into::into));
    if is_old() {
        // What listens on all addresses of the new protocol is reached by the link-local one of this machine, which
        // nothing takes away.
        arguments.push("--ipv4-only".into());
    }
    if identity.is_none() && rustix::process::geteuid().is_root() {
        // It would become somebody who has no say in the place.
        arguments.extend(["--runas", "0"].map(Into::into));
    }
    let launch = Launch {
        program: runner.to_path_buf(),
        arguments,
        environment: vec![("PATH".into(), PATH.into())],
        folder: "/".into(),
        kept: Vec::new(),
        joined: Vec::new(),
        limits: vec![(Resource::Core, 0)],
        open_files: None,
        identity,
    };
    let child = launch::start(launch).await;
    let mut child = child.map_err(IsolationError::system("start what carries the network"))?;
    let carrier = child.id().unwrap_or_default();
    let until = Instant::now() + PATIENCE;
    while !has_way_out(pid) {
        if let Ok(Some(_)) = child.try_wait() {
            return Err(IsolationError::OwnNetwork { reason: complaint(&mut child).await });
        }
        if Instant::now() >= until {
            let reason = "there is no way out of the place".to_owned();
            return Err(IsolationError::OwnNetwork { reason });
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    let ended = process.when_ended();
    // It runs as long as this is open, and ends when this process does, however.
    let held = child.stdin.take();
    tokio::spawn(async move {
        tokio::select! {
            () = ended => {
                drop(held);
                if tokio::time::timeout(PATIENCE, child.wait()).await.is_err() {
                    tracing::warn!(pid, "what carries the network of a place does not end");
                }
            }
            // The place goes on without a network, which is not less of a wall.
            _ = child.wait() => tracing::warn!(pid, "what carries the network of a place has ended"),
        }
    });
    Ok(carrier)
}

/// Whether the network of a process has a way out as this process has: over the old protocol, or, where this machine
/// has only that, over the new one.
fn has_way_out(pid: u32) -> bool {
    if is_old() { has_default(pid, "route", 1) } else { has_default(pid, "ipv6_route", 0) }
}

/// Whether this machine has a way out over the old protocol.
fn is_old() -> bool {
    has_default(std::process::id(), "route", 1)
}

/// Whether a table of the kernel has a default route, with its destination in this column.
#[expect(clippy::disallowed_methods, reason = "the kernel's own, not a file of the workspace")]
fn has_default(pid: u32, table: &str, column: usize) -> bool {
    let routes = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
    routes.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>()).any(|words| {
        let is_everywhere = |word: &&str| word.bytes().all(|digit| digit == b'0');
        words.get(column).is_some_and(is_everywhere) && !words.contains(&"lo")
    })
}

async fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(stderr) = &mut child.stderr {
        // What cannot be read is no reason.
        drop(stderr.take(LONGEST_COMPLAINT).read_to_string(&mut text).await);
    }
    let lines = text.lines().filter(|line| !line.contains("syslog"));
    let said = lines.map(str::trim).collect::<Vec<_>>().join("; ");
    if said.is_empty() { "`pasta` gave no reason".to_owned() } else { said }
}

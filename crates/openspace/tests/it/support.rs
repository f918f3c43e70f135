//! What the tests share: a running server, and plain clients for each of its edges.
//!
//! The clients are written from the protocols and use nothing of the product, so that a fault on
//! both sides cannot hide itself.

use std::{future::Future, time::Duration};

use serde_json::Value;

mod bridge;
mod git;
mod http;
mod mcp;
mod process;
mod server;
mod socket;
mod stdio;

pub(crate) use self::{
    bridge::Bridge,
    git::{GitServer, bare_repository, git},
    http::{Answer, Ask, Browser, Http, SseEvent, Streaming},
    mcp::{Mcp, Modern, Pending},
    process::{
        Seen, Space, bytes, create, descendants, ended, executable, finish, marked_processes, read,
        send_signal, still_there, write,
    },
    server::Server,
    socket::Socket,
    stdio::Stdio,
};

/// How long anything may take before a test gives up on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How often a condition is looked at.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Whether a terminal shows a line that ends so. A prompt may stand before it, because the shell
/// may print that after the keys were typed.
pub(crate) fn shows(read: &Value, end: &str) -> bool {
    let lines = read["output"].as_array().unwrap();
    lines.iter().any(|line| line.as_str().unwrap().ends_with(end))
}

/// Wait for something to be there.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    in_time(what, looking).await
}

/// Wait for something to end.
pub(crate) async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.unwrap_or_else(|_| panic!("not in time: {what}"))
}

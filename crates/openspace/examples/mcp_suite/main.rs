//! The server that the MCP conformance suite is run against: the product's own, with stand-ins
//! beside its tools. `cargo xtask conformance` starts it as `mcp_suite WORKSPACE STATE`.
//!
//! It is no part of the product. Everything but the stand-ins is the product's: gate, sessions,
//! streams, tools and resources.

mod around;
mod fixtures;

use std::{
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use anyhow::{Context, Result};
use openspace::{
    environment::Environment,
    mcp,
    output::print,
    server::{AgentsChoice, HostingOptions, PermissionChoice, ServeOptions, Server},
};
use openspace_command::Limits;
use openspace_git::{Identity, Source};
use openspace_isolation::{Limits as PlaceLimits, Provider};
use openspace_workspace::{agents::settings::AgentSettings, areas::bridge, audit};
use rmcp::task_manager::TaskManager;
use serde_json::json;

/// Tasks outlive the request that began them.
static TASKS: LazyLock<TaskManager> = LazyLock::new(TaskManager::new);

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let root = arguments.next().context("the folder to serve is missing")?;
    let state = arguments.next().context("the folder for the state is missing")?;
    let environment = Environment::read(Some(&state))?;
    let mut server = Server::start(options(root), &environment).await?;
    let (url, token) = (server.url(), server.token());
    print(&json!({"url": url, "mcp": format!("{url}/mcp"), "token": token}).to_string())?;
    let ended = server.until_stopped().await;
    server.stop().await;
    ended
}

fn options(root: PathBuf) -> ServeOptions {
    ServeOptions {
        root,
        host: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: Some(0),
        allow_hosts: Vec::new(),
        no_auth: false,
        stand_in: false,
        // The limits protect people from a runaway agent; the suite is one on purpose.
        limits: Limits { per_turn: 100_000, concurrent: 1_000, ..Limits::default() },
        max_bridge_streams: bridge::MAX_STREAMS,
        bridge_timeout: bridge::ANSWER_WITHIN,
        audit_days: audit::DAYS,
        agents: AgentSettings::default(),
        opencode: None,
        mcp: mcp::Options { router: with_fixtures, ..mcp::Options::default() },
        permission: PermissionChoice::default(),
        hosting: HostingOptions {
            provider: Provider::Local,
            network: false,
            limits: PlaceLimits::default(),
            runner: None,
            agents: AgentsChoice::SHARED,
            identity: Identity::default(),
            co_author: None,
            credentials: Source::Nobody,
        },
    }
}

fn with_fixtures(edge: &Arc<mcp::Edge>) -> axum::Router {
    edge.router_around(|connection| around::WithFixtures { connection, tasks: &TASKS })
}

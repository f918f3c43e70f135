//! What walls cost an agent: the same command in its own place and where everybody's run, with and without a
//! thousand secrets to hide, and how soon such a place is there.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, Result};
use serde_json::json;

use super::{
    Setup, example,
    mcp::{Call, Client},
    ours,
    report::{Figure, Report, Row, Target},
    times,
    turns::in_turns,
};
use crate::{
    server::Server,
    tools::{FOR_BENCH, ensure_packages},
};

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;
const OPENINGS: usize = 20;
const SECRETS: usize = 1_000;
const OF_SHARED: Target = Target::TimesBesideUpTo(1.3);
const BUILDS: usize = 5;
const OF_BUILD: Target = Target::TimesBesideUpTo(1.05);
const RULED_WITHIN: Target = Target::TimeUpTo(Duration::from_micros(100));
const OPENED_WITHIN: Target = Target::TimeUpTo(Duration::from_millis(60));

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    ensure_packages(FOR_BENCH)?;
    let nothing = setup.scratch.folder("root-without-secrets")?;
    let secrets = setup.scratch.folder("root-with-secrets")?;
    for number in 0..SECRETS {
        let folder = secrets.join(format!("service_{number:04}"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(".env"), format!("API_TOKEN=token-{number:04}-of-nobody\n"))?;
    }
    let servers = [
        Agent::of(setup, "shared", &nothing)?,
        Agent::of(setup, "confined", &nothing)?,
        Agent::of(setup, "confined", &secrets)?,
    ];
    let [mut shared, mut confined, mut hiding] = servers;
    let [by_shared, by_confined, by_hiding] = in_turns(
        WARM_UP,
        ROUNDS,
        [&mut || shared.run(), &mut || confined.run(), &mut || hiding.run()],
    )?;
    let beside = times(by_shared)?;
    for (name, figure) in [("", times(by_confined)?), (", 1,000 secrets", times(by_hiding)?)] {
        let row = Row::new(format!("bash true of an agent, confined{name}"), figure);
        report.add(row.beside("not confined", beside).target(OF_SHARED));
    }
    // The first command in a workspace opens the place; what it takes itself was measured before.
    let mut opened = Vec::new();
    for _ in 0..OPENINGS {
        opened.push(confined.open()?);
    }
    report.add(
        Row::new("first bash of an agent, place included", times(opened)?).target(OPENED_WITHIN),
    );
    build(setup, &mut shared, &mut confined, report)?;
    for agent in [shared, confined, hiding] {
        agent.server.stop()?;
    }
    let ruled = example::run(&setup.web, "openspace-policy", "ruling")?;
    let time = |name: &str| ruled[name].as_u64().map(Duration::from_nanos).context("no time");
    let ruled = Figure::Times { p50: time("p50")?, p99: time("p99")? };
    report.add(Row::new("judging a line and ruling on it", ruled).target(RULED_WITHIN));
    Ok(())
}

/// A build from nothing, where everything of it is read and written through the walls. Both work in one folder, so
/// that they find the same.
fn build(
    setup: &Setup,
    shared: &mut Agent,
    confined: &mut Agent,
    report: &mut Report,
) -> Result<()> {
    let root = setup.scratch.folder("root-without-secrets")?;
    fs::create_dir_all(root.join("src"))?;
    fs::write(root.join("src/main.rs"), "fn main() { regex::Regex::new(\"a+\").unwrap(); }\n")?;
    let manifest = "[package]\nname = \"built\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [dependencies]\nregex = \"1\"\n[workspace]\n";
    fs::write(root.join("Cargo.toml"), manifest)?;
    let line = "rm -rf target && cargo build --offline --quiet";
    let arguments = json!({"command": line, "timeout_ms": 600_000});
    let call = Call::new("workspace_bash", &arguments, "\"exit_code\":0");
    let [beside, ours] = in_turns(
        1,
        BUILDS,
        [&mut || shared.client.time(&call), &mut || confined.client.time(&call)],
    )?;
    let row = Row::new("cargo build of an agent, confined", times(ours)?);
    report.add(row.beside("not confined", times(beside)?).target(OF_BUILD));
    Ok(())
}

/// An agent with a server of its own.
struct Agent {
    client: Client,
    server: Server,
}

impl Agent {
    fn of(setup: &Setup, place: &str, root: &Path) -> Result<Self> {
        let state = setup.scratch.folder(&format!("state-{place}-{}", name(root)?))?;
        let mut program = ours(&setup.binary, "serve", &state);
        program.arg(root).args(["--port", "0", "--json", "--agents-place", place]);
        // Nobody is there to answer where nothing is confined.
        program.args(["--profile", if place == "shared" { "off" } else { "careful" }]);
        let server = Server::start(program, &setup.logs.join(format!("{place}.txt")))?;
        Ok(Self { client: Client::session(&server.address)?, server })
    }

    fn run(&mut self) -> Result<Duration> {
        self.client.time(&Call::new(
            "workspace_bash",
            &json!({"command": "true"}),
            "\"exit_code\":0",
        ))
    }

    /// How long the first command takes in a workspace that nobody has used.
    fn open(&mut self) -> Result<Duration> {
        let made = self.client.call("workspace_create", &json!({"provider": "local"}))?;
        let id = made["id"].as_str().context("a workspace without an id")?;
        let arguments = json!({"command": "true", "workspace_id": id});
        let call = Call::new("workspace_bash", &arguments, "\"exit_code\":0");
        let elapsed = self.client.time(&call)?;
        self.client.call("workspace_destroy", &json!({"workspace_id": id}))?;
        Ok(elapsed)
    }
}

fn name(root: &Path) -> Result<&str> {
    root.file_name().and_then(|name| name.to_str()).context("a folder without a name")
}

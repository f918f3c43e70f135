//! `cargo xtask bench`: how fast the real program is, beside what a user would use instead.
//!
//! Everything is measured in one run on one machine and ends in one table. It judges no change:
//! a missed target is shown, but only what cannot be measured is an error.

mod api;
mod bash;
mod calls;
mod cancel;
mod chat;
mod client;
mod confined;
mod example;
mod files;
mod languages;
mod mcp;
mod page;
mod pty;
mod report;
mod ripgrep;
mod sandbox;
mod search;
mod space;
mod starts;
mod stats;
mod stdio;
mod terminal;
mod threads;
mod tree;
mod turns;
mod workspace;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail};

use crate::{repository::Repository, run, scratch::Scratch, server::Server, web};
use report::{Figure, Report};
use stats::Samples;
use workspace::Workspace;

struct Group {
    name: &'static str,
    measure: fn(&Setup, &mut Report) -> Result<()>,
}

/// In this order, so that what the server holds in the end is the result of all of it.
const GROUPS: &[Group] = &[
    Group { name: "start", measure: starts::measure },
    Group { name: "http", measure: calls::http },
    Group { name: "stdio", measure: calls::stdio },
    Group { name: "together", measure: calls::together },
    Group { name: "instructions", measure: calls::instructions },
    Group { name: "large", measure: calls::large },
    Group { name: "space", measure: space::measure },
    Group { name: "terminal", measure: terminal::measure },
    Group { name: "grep", measure: search::grep },
    Group { name: "cancel", measure: cancel::measure },
    Group { name: "glob", measure: search::glob },
    Group { name: "bash", measure: bash::measure },
    Group { name: "sandbox", measure: sandbox::measure },
    Group { name: "confined", measure: confined::measure },
    Group { name: "files", measure: files::measure },
    Group { name: "languages", measure: languages::measure },
    Group { name: "page", measure: page::measure },
    Group { name: "chat", measure: chat::measure },
    Group { name: "memory", measure: starts::memory },
];

/// What all measurements share.
struct Setup {
    binary: PathBuf,
    web: PathBuf,
    /// The example that is a model for an agent.
    model: PathBuf,
    workspace: Workspace,
    server: Server,
    state: PathBuf,
    logs: PathBuf,
    // After the server, so that the server is gone when its folders are removed.
    scratch: Scratch,
}

pub(crate) fn run(repository: &Repository, filters: &[String], as_json: bool) -> Result<()> {
    let groups = chosen(filters)?;
    let web = repository.root.join("web");
    let binary = run::build(repository)?;
    let logs = repository.root.join("target/bench");
    fs::create_dir_all(&logs).with_context(|| format!("cannot create {}", logs.display()))?;
    let model = repository.release_example("openspace-scripted", web::SCRIPTED_MODEL)?;
    let setup = Setup::new(binary, web, model, logs)?;
    let mut report = Report::default();
    for group in groups {
        eprintln!("==> {}", group.name);
        (group.measure)(&setup, &mut report).with_context(|| format!("group `{}`", group.name))?;
    }
    println!("\n{report}");
    match report.missed() {
        0 => println!("no target was missed"),
        missed => println!("MISS: {missed} targets were missed"),
    }
    if as_json {
        let path = setup.logs.join("report.json");
        fs::write(&path, format!("{:#}\n", report.to_json()))?;
        println!("written to {}", path.display());
    }
    Ok(())
}

/// All groups, or those whose name contains one of the filters.
fn chosen(filters: &[String]) -> Result<Vec<&'static Group>> {
    let wanted = |group: &&Group| {
        filters.is_empty() || filters.iter().any(|filter| group.name.contains(filter.as_str()))
    };
    let groups: Vec<_> = GROUPS.iter().filter(wanted).collect();
    if groups.is_empty() {
        let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        bail!("nothing to measure is called like that; there are {}", names.join(", "));
    }
    Ok(groups)
}

impl Setup {
    fn new(binary: PathBuf, web: PathBuf, model: PathBuf, logs: PathBuf) -> Result<Self> {
        let scratch = Scratch::new("bench")?;
        let workspace = Workspace::create(&scratch)?;
        let state = scratch.folder("state")?;
        let server = serve(&binary, &workspace, &state, &logs.join("server.txt"))?;
        Ok(Self { binary, web, model, workspace, server, state, logs, scratch })
    }

    /// Our program as an MCP server on its pipes: it joins the server that has the same state.
    fn over_stdio(&self, state: &Path) -> Command {
        let mut program = ours(&self.binary, "mcp", state);
        program.arg("--workspace").arg(&self.workspace.root);
        program
    }
}

fn serve(binary: &Path, workspace: &Workspace, state: &Path, log: &Path) -> Result<Server> {
    let mut program = ours(binary, "serve", state);
    program.arg(&workspace.root).args(["--port", "0", "--json"]);
    Server::start(program, log)
}

/// The limits protect people from a runaway agent; this is one on purpose.
fn ours(binary: &Path, verb: &str, state: &Path) -> Command {
    let mut program = Command::new(binary);
    program
        .args([verb, "--max-calls-per-turn", "1000000000", "--max-concurrent", "1000"])
        .arg("--state-dir")
        .arg(state);
    program
}

/// The median and nearly every one of these times.
fn times(times: Vec<Duration>) -> Result<Figure> {
    let samples = Samples::of(times)?;
    Ok(Figure::Times { p50: samples.median(), p99: samples.percentile(99) })
}

//! `openspace connect`: prints what an agent's configuration needs, or puts it there.

use std::{fmt::Write as _, path::Path, process::ExitCode};

use anyhow::{Context, Result};
use clap::Args;

use super::Find;
use crate::{
    client::Client,
    connect::{Client as Agent, Request, Target, called, connect},
    environment::Environment,
    mcp::ToolSet,
    output::{complain, print},
    state_folder::StateFolder,
};

/// Which agent, and how.
#[derive(Debug, Args)]
#[command(after_long_help = explanation())]
pub(super) struct Connect {
    /// The agent: opencode, claude, codex, gemini, cursor, vscode or zed.
    #[arg(value_name = "AGENT")]
    client: String,
    /// Put the entry into the agent's own file; the rest of the file stays as it is.
    #[arg(long)]
    write: bool,
    /// Connect over HTTP to the running server instead of starting `openspace mcp`. The agent then takes the
    /// workspace's token from the variable `OPENSPACE_TOKEN`; it is in no file.
    #[arg(long)]
    http: bool,
    /// Also give the agent the address of the live instructions, where it supports that (opencode). The
    /// address holds a key: the file gets mode 600.
    #[arg(long)]
    instructions: bool,
    /// Which tools to show [default: ide, because every agent above has file tools of its own]:
    /// `ide` panes, editors, highlights, terminals; `workspace` files, programs, terminals; `all` both.
    #[arg(long, value_name = "SET")]
    set: Option<ToolSet>,
    #[command(flatten)]
    find: Find,
}

/// Where each agent's entry goes, and what to type.
fn explanation() -> String {
    let mut text = "Files, in the workspace:\n".to_owned();
    for agent in Agent::ALL {
        let files = agent.files(Path::new(""));
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let (name, title) = (agent.name(), agent.title());
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {name:<10} {title:<12} {}", files.join(" or "));
    }
    text + "\nExamples:\n  \
            openspace connect opencode            print the entry and the file for it\n  \
            openspace connect claude --write      put it there\n  \
            openspace connect codex --set all     with files and programs too\n\n\
            Other MCP clients run `openspace mcp FOLDER`, or POST to /mcp with the token that \
            `openspace token` prints."
}

pub(super) fn run(
    options: &Connect,
    environment: &Environment,
    state_dir: Option<&Path>,
) -> Result<ExitCode> {
    let names = || Agent::ALL.map(Agent::name).join(", ");
    let client = Agent::parse(&options.client).with_context(|| {
        format!("`{}` is not an agent that is known here\n  hint: use {}; other MCP clients run `openspace mcp`", options.client, names())
    })?;
    let state_folder = StateFolder::of(&environment.state, &options.find.workspace)?;
    let server = Client::find(environment, &options.find.workspace).ok();
    let key = state_folder.keys_if_any()?.map(|keys| keys.instructions);
    let program = std::env::current_exe().context("this program's own path")?;
    let target = Target {
        called: called(&program, &environment.variables),
        program,
        root: state_folder.root().to_owned(),
        url: server.as_ref().map(|server| server.url.clone()),
        asks_for_token: server.as_ref().is_some_and(|server| !server.token().is_empty()),
        instructions_url: server
            .zip(key)
            .map(|(server, key)| format!("{}/openspace/instructions?key={key}", server.url)),
        home: environment.home.clone(),
        state_dir: state_dir.map(std::path::absolute).transpose().context("the state folder")?,
    };
    let request = Request {
        client,
        http: options.http,
        instructions: options.instructions,
        set: options.set,
        write: options.write,
    };
    let outcome = connect(&target, &request)?;
    let file = outcome.file.display();
    match outcome.written {
        None => {
            complain(&format!("{}: put this into {file}\n", client.title()));
            print(&outcome.text)?;
        }
        Some(written) if written.changed => {
            let word = if written.created { "created" } else { "changed" };
            print(&format!("{}: {word} {file}", client.title()))?;
        }
        Some(_) => print(&format!("{}: {file} has it already", client.title()))?,
    }
    for note in outcome.notes {
        complain(&format!("\n{note}"));
    }
    Ok(ExitCode::SUCCESS)
}

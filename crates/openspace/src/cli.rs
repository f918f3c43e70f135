//! The command line: serving, joining, connecting, and every command as a subcommand.

use std::{
    ffi::OsString,
    io::IsTerminal as _,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use openspace_command::{Limits, one_slip_apart};
use openspace_workspace::{
    agents::settings::{AgentSettings, ConsentMode},
    areas::bridge,
    audit,
};
use serde_json::json;

use self::{connect::Connect, hosting::HostingArgs, permission::PermissionArgs};
use crate::{
    client::Client,
    environment::Environment,
    mcp::Options as McpOptions,
    output::{complain, print},
    server::{AlreadyRunning, ServeOptions, Server},
};

mod approve;
mod chat;
mod commands;
mod conformance;
mod connect;
mod doctor;
mod hosting;
mod log;
mod mcp;
mod permission;
mod secret;
mod shared_files;

/// How long a server that stands in may take to make way.
const MADE_WAY_WITHIN: Duration = Duration::from_secs(10);

/// An IDE that a person and an AI agent share.
#[derive(Debug, Parser)]
#[command(
    name = "openspace",
    version,
    override_usage = "openspace [FOLDER]\n       openspace <COMMAND>"
)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Where state is kept [default: the user's state folder].
    #[arg(long, global = true, value_name = "FOLDER", hide_short_help = true)]
    state_dir: Option<PathBuf>,
    /// What to log to standard error, such as `debug` or `openspace=trace`.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        default_value = "info",
        hide_short_help = true
    )]
    log: String,
    /// Log as JSON lines.
    #[arg(long, global = true, hide_short_help = true)]
    log_json: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve a folder: the IDE, MCP, and HTTP on one port. The same as `openspace FOLDER`.
    Serve(Box<Serve>),
    /// Speak MCP over standard input and output: join the running server, or serve alone.
    Mcp(Box<mcp::Mcp>),
    /// Show how to connect an agent, or with --write put it into the agent's own file.
    Connect(Connect),
    /// Print a new link that opens the space in a browser once.
    Link(Find),
    /// Print the token that opens every endpoint.
    Token(Find),
    /// Run any command by its id, with arguments as JSON; also those that bridges add.
    Call(CallAny),
    /// List the calls of agents that wait for your answer, or answer one.
    Approve(approve::Approve),
    /// Show what agents may do, and try a command line against the rules.
    Policy(permission::ShowPolicy),
    /// Show what was done in a space, whether it is being served or not.
    #[command(args_conflicts_with_subcommands = true)]
    Audit(log::Audit),
    /// Say whether agents' programs can be confined on this machine, and what is missing.
    Doctor(doctor::Doctor),
    /// Try the workspace tools on the providers of this machine: several hundred cases.
    Conformance(conformance::Conformance),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write man pages and completions, for packages.
    #[command(hide = true)]
    SharedFiles {
        /// The folder for them: `share` of an installation.
        #[arg(long)]
        out: PathBuf,
    },
    /// Write the generated reference.
    #[command(hide = true)]
    Reference {
        /// The folder for it.
        #[arg(long)]
        out: PathBuf,
        /// A file for the TypeScript types.
        #[arg(long)]
        types: Option<PathBuf>,
    },
}

/// Which workspace.
#[derive(Debug, Args)]
struct Find {
    /// The workspace [default: the current folder or the nearest above it that is served].
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    workspace: PathBuf,
}

#[derive(Debug, Args)]
struct LimitArgs {
    /// Calls that one caller may make in one turn.
    #[arg(long, value_name = "N", default_value_t = Limits::default().per_turn)]
    max_calls_per_turn: u32,
    /// Calls of one caller that may run at once.
    #[arg(long, value_name = "N", default_value_t = Limits::default().concurrent)]
    max_concurrent: u32,
    /// Streams that bridges may have open at once.
    #[arg(long, value_name = "N", default_value_t = bridge::MAX_STREAMS, hide_short_help = true)]
    max_bridge_streams: usize,
    /// Seconds that a bridge may take to answer.
    #[arg(long, value_name = "S", default_value_t = bridge::ANSWER_WITHIN.as_secs(), hide_short_help = true)]
    bridge_timeout: u64,
    /// Days that the record of a call is kept, 1 to 3650.
    #[arg(long, value_name = "N", default_value_t = audit::DAYS, value_parser = clap::value_parser!(u32).range(1..=3650), hide_short_help = true)]
    audit_days: u32,
    /// Seconds that an agent may be quiet before what it brought goes; 0 for ever.
    #[arg(long, value_name = "S", default_value_t = 1800, hide_short_help = true)]
    session_idle: u64,
    /// Seconds that what an agent brought stays after its session ended.
    #[arg(long, value_name = "S", default_value_t = 60, hide_short_help = true)]
    session_grace: u64,
    /// Whether a client has to be agreed to before it does more than look: `given` to all, or `ask` [default: `ask`
    /// where the server is started at a terminal, else `given`].
    #[arg(long, value_name = "HOW", value_parser = ["given", "ask"], hide_short_help = true)]
    consent: Option<String>,
    /// Names of tools: `short` (`editor_open`) or `dotted` (`openspace.editor.open`).
    #[arg(long, value_name = "FORM", default_value = "short", value_parser = ["short", "dotted"], hide_short_help = true)]
    tool_names: String,
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        Limits {
            per_turn: self.max_calls_per_turn,
            concurrent: self.max_concurrent,
            ..Limits::default()
        }
    }

    fn agents(&self) -> AgentSettings {
        AgentSettings {
            idle: (self.session_idle > 0).then(|| Duration::from_secs(self.session_idle)),
            grace: Duration::from_secs(self.session_grace),
            consent: consent(self.consent.as_deref(), std::io::stdin().is_terminal()),
        }
    }

    fn mcp(&self) -> McpOptions {
        McpOptions { dotted_names: self.tool_names == "dotted", ..McpOptions::default() }
    }
}

/// Whether clients have to be agreed to. Who starts a server at a terminal is there to be asked; nobody is where one is
/// started by a service, a script or an agent's client, which its person has set up.
fn consent(given: Option<&str>, at_a_terminal: bool) -> ConsentMode {
    match (given, at_a_terminal) {
        (Some("ask"), _) | (None, true) => ConsentMode::Ask { patience: ConsentMode::PATIENCE },
        _ => ConsentMode::Given,
    }
}

#[derive(Debug, Args)]
struct Serve {
    /// The folder to work in.
    #[arg(value_name = "FOLDER", default_value = ".")]
    path: PathBuf,
    /// The port; 0 for any free one [default: 3000 or the next free one].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// A name other than localhost under which this server is reached; may be repeated.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Let everyone on this machine in without a token. Only on loopback.
    #[arg(long)]
    no_auth: bool,
    /// When ready, print one line of JSON instead of text.
    #[arg(long)]
    json: bool,
    /// Talk to an opencode that runs already, at an address such as `http://127.0.0.1:4096`, instead of starting
    /// one. Its password, if it has one, is in `OPENSPACE_OPENCODE_PASSWORD`. It is not confined.
    #[arg(long, value_name = "URL")]
    opencode: Option<String>,
    #[command(flatten)]
    permission: PermissionArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    hosting: HostingArgs,
}

impl Serve {
    fn options(&self) -> Result<ServeOptions> {
        Ok(ServeOptions {
            root: self.path.clone(),
            host: self.host,
            port: self.port,
            allow_hosts: self.allow_host.clone(),
            no_auth: self.no_auth,
            stand_in: false,
            limits: self.limits.limits(),
            max_bridge_streams: self.limits.max_bridge_streams,
            bridge_timeout: Duration::from_secs(self.limits.bridge_timeout),
            audit_days: self.limits.audit_days,
            agents: self.limits.agents(),
            opencode: self.opencode.clone(),
            mcp: self.limits.mcp(),
            permission: self.permission.options(),
            hosting: self.hosting.options()?,
        })
    }
}

#[derive(Debug, Args)]
struct CallAny {
    /// The command's id, such as `editor.open`.
    command: String,
    /// Its arguments as a JSON object.
    #[arg(default_value = "{}")]
    arguments: String,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    find: Find,
}

/// The whole command line: the verbs above and every command.
pub fn clap() -> clap::Command {
    commands::add_to(Cli::command(), &openspace_workspace::registry())
}

/// `openspace` and `openspace FOLDER` mean `openspace serve FOLDER`.
fn with_default_verb(mut arguments: Vec<OsString>, clap: &clap::Command) -> Vec<OsString> {
    let mut index = 1;
    while let Some(word) = arguments.get(index).map(|word| word.to_string_lossy().into_owned()) {
        match word.as_str() {
            "--state-dir" | "--log" => index += 2,
            "--log-json" => index += 1,
            "-h" | "--help" | "-V" | "--version" | "help" => return arguments,
            word if word.starts_with("--state-dir=") || word.starts_with("--log=") => index += 1,
            word if clap.find_subcommand(word).is_some() => return arguments,
            _ => break,
        }
    }
    arguments.insert(index.min(arguments.len()), "serve".into());
    arguments
}

/// The verb or area that a first word was meant to be, if it is neither of these nor a folder.
fn meant(arguments: &[OsString], clap: &clap::Command) -> Option<(String, String)> {
    let position = arguments.iter().position(|word| word == "serve")?;
    let word = arguments.get(position + 1)?.to_str()?;
    let is_path = word.starts_with('-') || word.contains(['/', '.']) || Path::new(word).exists();
    let letters: Vec<char> = word.chars().take(100).collect();
    let verbs = clap.get_subcommands().filter(|verb| !verb.is_hide_set());
    let mut near = verbs
        .map(clap::Command::get_name)
        .filter(|name| !is_path && one_slip_apart(&letters, &name.chars().collect::<Vec<_>>()));
    near.next().map(|name| (word.to_owned(), name.to_owned()))
}

/// Run the program.
pub async fn run(arguments: Vec<OsString>) -> ExitCode {
    let clap = clap();
    let given = arguments.len();
    let arguments = with_default_verb(arguments, &clap);
    // Only where the verb was left out: who says `serve` means a folder.
    if let Some((word, verb)) = meant(&arguments, &clap).filter(|_| arguments.len() > given) {
        complain(&format!(
            "error: there is no command and no folder `{word}`\n  hint: did you mean `openspace {verb}`?"
        ));
        return ExitCode::from(2);
    }
    let matches = match clap.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Printing help to a closed pipe is no failure.
            drop(error.print());
            return ExitCode::from(code);
        }
    };
    let outcome = if let Some(called) = commands::called(&matches) {
        run_command(called, &matches).await
    } else {
        match Cli::from_arg_matches(&matches) {
            Ok(cli) => run_verb(cli).await,
            Err(error) => Err(error.into()),
        }
    };
    outcome.unwrap_or_else(|error| {
        complain(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

async fn run_verb(cli: Cli) -> Result<ExitCode> {
    let environment = || Environment::read(cli.state_dir.as_deref());
    match cli.verb {
        Verb::Serve(ref options) => serve(options, &cli, &environment()?).await,
        Verb::Mcp(options) => {
            start_log(&cli.log, cli.log_json)?;
            mcp::run(*options, Environment::read(cli.state_dir.as_deref())?).await
        }
        Verb::Connect(ref options) => {
            connect::run(options, &environment()?, cli.state_dir.as_deref())
        }
        Verb::Link(ref find) => print_link(find, &environment()?).await,
        Verb::Token(ref find) => {
            print(Client::find(&environment()?, &find.workspace)?.token())?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::Call(ref call) => {
            let args = serde_json::from_str(&call.arguments)
                .context("the arguments are not valid JSON")?;
            let client = Client::find(&environment()?, &call.find.workspace)?;
            commands::call(&client, &call.command, &args, call.json).await
        }
        Verb::Approve(ref wanted) => approve::run(wanted, &environment()?).await,
        Verb::Policy(ref wanted) => permission::show(wanted, &environment()?),
        Verb::Audit(ref wanted) => log::show(wanted, &environment()?).await,
        Verb::Doctor(ref wanted) => doctor::show(wanted, &environment()?).await,
        Verb::Conformance(ref wanted) => {
            start_log("error", cli.log_json)?;
            conformance::show(wanted, &environment()?).await
        }
        Verb::Completions { shell } => {
            print(shared_files::completions(shell, clap()).trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::SharedFiles { ref out } => {
            shared_files::write(out, &clap())?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::Reference { ref out, ref types } => {
            crate::reference::write(out)?;
            types.as_deref().map_or(Ok(()), crate::reference::write_types)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn run_command(mut called: commands::Called, matches: &clap::ArgMatches) -> Result<ExitCode> {
    let state = matches.get_one::<PathBuf>("state_dir");
    let environment = Environment::read(state.map(PathBuf::as_path))?;
    let mut client = Client::find(&environment, &called.workspace)?;
    if commands::is_persons_own(&called.id) {
        client = client.as_person()?;
    }
    for name in &called.secrets {
        called.args[name] = secret::read(name)?.into();
    }
    if chat::streams(&called) {
        return chat::send(&client, called).await;
    }
    commands::call(&client, &called.id, &called.args, called.json).await
}

fn start_log(filter: &str, as_json: bool) -> Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(format!("rmcp=warn,{filter}"))
        .with_context(|| format!("`{filter}` is not a log filter"))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started =
        if as_json { builder.json().try_init() } else { builder.with_ansi(false).try_init() };
    started.map_err(|error| anyhow::anyhow!("logging cannot start: {error}"))
}

async fn serve(options: &Serve, cli: &Cli, environment: &Environment) -> Result<ExitCode> {
    start_log(&cli.log, cli.log_json)?;
    let mut server = start(options.options()?, environment).await?;
    let (url, open) = (server.url().to_owned(), server.link());
    let mcp = format!("{url}/mcp");
    let workspace = server.state_folder().root().display().to_string();
    let program = std::env::current_exe().context("this program's own path")?;
    let called = crate::connect::called(&program, &environment.variables);
    print(&if options.json {
        json!({"url": url, "open": open, "mcp": mcp, "token": server.token(), "workspace": workspace}).to_string()
    } else {
        format!(
            "OpenSpace serves {workspace}\n\n  open    {open}\n  mcp     {mcp}\n  token   {}\n  agent   {called} connect opencode   (also claude, codex, gemini, cursor, vscode, zed)\n\nThe link works once; `{called} link` prints a new one. Stop with Ctrl-C.",
            server.state_folder().token_file().display()
        )
    })?;
    let ended = server.until_stopped().await;
    server.stop().await;
    ended?;
    Ok(ExitCode::SUCCESS)
}

/// Start a server. One that only stands in for it makes way.
async fn start(options: ServeOptions, environment: &Environment) -> Result<Server> {
    let give_up = Instant::now() + MADE_WAY_WITHIN;
    let mut asked = false;
    loop {
        let error = match Server::start(options.clone(), environment).await {
            Ok(server) => return Ok(server),
            Err(error) => error,
        };
        match error.downcast_ref::<AlreadyRunning>() {
            Some(AlreadyRunning(Some(running))) if running.stand_in && Instant::now() < give_up => {
                let client = Client::find(environment, &options.root)?;
                let path = crate::http::hand_over::PATH;
                let (method, kind) = (hyper::Method::POST, "application/json");
                // It may be gone by now, and then its place is free.
                match client.send(method, path, kind, String::new()).await {
                    Ok(answer) => {
                        tracing::info!(status = answer.status, "asked {} to make way", running.url);
                    }
                    Err(error) => tracing::debug!(%error, "{} did not hear", running.url),
                }
                asked = true;
            }
            Some(AlreadyRunning(None)) if asked && Instant::now() < give_up => {}
            _ => return Err(error),
        }
    }
}

async fn print_link(find: &Find, environment: &Environment) -> Result<ExitCode> {
    let client = Client::find(environment, &find.workspace)?.as_person()?;
    let answer =
        client.send(hyper::Method::POST, "/api/link", "application/json", String::new()).await?;
    let body: serde_json::Value =
        serde_json::from_slice(&answer.body).context("the server's answer")?;
    print(body["open"].as_str().context("the server gave no link")?)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_alone_is_served() {
        for (given, meant) in [
            ("openspace", "openspace serve"),
            ("openspace app", "openspace serve app"),
            ("openspace --log debug app --port 0", "openspace --log debug serve app --port 0"),
            ("openspace --state-dir=x", "openspace --state-dir=x serve"),
            ("openspace --port 0", "openspace serve --port 0"),
            ("openspace editor open a", "openspace editor open a"),
            ("openspace --help", "openspace --help"),
        ] {
            let words = given.split(' ').map(OsString::from).collect();
            let words: Vec<_> = with_default_verb(words, &clap());
            let meant: Vec<_> = meant.split(' ').map(OsString::from).collect();
            assert_eq!(words, meant);
        }
    }

    #[test]
    fn who_starts_a_server_at_a_terminal_is_asked_for_consent() {
        let ask = ConsentMode::Ask { patience: ConsentMode::PATIENCE };
        assert_eq!([consent(None, true), consent(None, false)], [ask, ConsentMode::Given]);
        for at_a_terminal in [true, false] {
            let said = ["ask", "given"].map(|said| consent(Some(said), at_a_terminal));
            assert_eq!(said, [ask, ConsentMode::Given]);
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        clap().debug_assert();
    }
}

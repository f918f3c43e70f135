//! Wiring: one workspace, its edges, one port; started in order and stopped in order.

use std::{net::IpAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use futures::future::OptionFuture;
use openspace_command::{CallerKind, Limits};
use openspace_git::{Broker, Identity, Source};
use openspace_isolation::{Limits as PlaceLimits, Machine, Provider, Reach};
use openspace_process::reap_marked;
use openspace_secrets::Value as Secret;
use openspace_workspace::{
    Dispatcher, OpenError, Options as WorkspaceOptions,
    agents::settings::AgentSettings,
    areas::approvals::Approvals,
    conversations::{AgentKeys, Attached, ConversationOptions},
    workspaces::{Hosting, Walls, WorkspaceRecord},
};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    agents_file::UserAgents,
    auth::{Gate, GateOptions},
    connect::{self, Target},
    connections::{self, Patience},
    environment::{Environment, clock, keep_descriptors_private, raise_open_files},
    http::{self, approve::Codes, health::Metrics},
    languages_file, mcp,
    state_folder::{Running, ServerLock, StateFolder, random_word},
    user_data::UserData,
    web::Web,
};

mod choices;
mod port;

pub use choices::{AgentsChoice, PermissionChoice};

/// How long open requests may take to end after the server was asked to stop.
const STOP_WITHIN: Duration = Duration::from_secs(3);
/// How often the lock is tried for, and the pause between two tries.
const LOCK_TRIES: u32 = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// How a server is offered.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The folder.
    pub root: PathBuf,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 for any; `None` for 3000 or the next free one.
    pub port: Option<u16>,
    /// Names other than localhost that this server is reached by.
    pub allow_hosts: Vec<String>,
    /// Nobody needs a token.
    pub no_auth: bool,
    /// Whether it makes way for a server that is started on purpose.
    pub stand_in: bool,
    /// How much one caller may do.
    pub limits: Limits,
    /// Streams that bridges may have open at once.
    pub max_bridge_streams: usize,
    /// How long a bridge may take to answer.
    pub bridge_timeout: Duration,
    /// Days that the record of a call is kept.
    pub audit_days: u32,
    /// How agents are looked after.
    pub agents: AgentSettings,
    /// The address of an opencode that somebody else started.
    pub opencode: Option<String>,
    /// Who may do what.
    pub permission: PermissionChoice,
    /// How the MCP edge is offered.
    pub mcp: mcp::Options,
    /// Where the work is done.
    pub hosting: HostingOptions,
}

/// Where the work is done and in whose name.
#[derive(Clone, Debug)]
pub struct HostingOptions {
    /// Where programs of the workspace run.
    pub provider: Provider,
    /// Whether programs in a sandbox may use the network.
    pub network: bool,
    /// What they may use at most.
    pub limits: PlaceLimits,
    /// The runner program.
    pub runner: Option<PathBuf>,
    /// Where agents' programs run.
    pub agents: AgentsChoice,
    /// In whose name commits are made.
    pub identity: Identity,
    /// Who is named in commits beside it.
    pub co_author: Option<Identity>,
    /// Where credentials for git come from.
    pub credentials: Source,
}

impl HostingOptions {
    /// Whether programs in the agents' place reach this server's port.
    fn reaches_loopback(&self) -> bool {
        self.provider != Provider::Sandbox
            && self.agents.confined
            && self.agents.reach == Reach::Machine
    }
}

/// A running server.
pub struct Server {
    state_folder: StateFolder,
    url: String,
    gate: Arc<Gate>,
    dispatcher: Dispatcher,
    mcp: Arc<mcp::Edge>,
    stop: CancellationToken,
    given_away: CancellationToken,
    serving: JoinHandle<()>,
    signals: Signals,
    _lock: ServerLock,
}

/// Another server already serves the workspace.
#[derive(Debug)]
pub struct AlreadyRunning(pub Option<Running>);

impl std::fmt::Display for AlreadyRunning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(running) => write!(
                f,
                "this workspace is already served at {} (process {})\n  hint: `openspace link` prints a link to it; stop it to serve with other options",
                running.url, running.pid
            ),
            None => f.write_str("this workspace is already being served by another process that is just starting or stopping\n  hint: try again in a moment"),
        }
    }
}

impl std::error::Error for AlreadyRunning {}

impl Server {
    /// Open the workspace and start serving it.
    pub async fn start(options: ServeOptions, environment: &Environment) -> Result<Self> {
        if options.no_auth && !options.host.is_loopback() {
            bail!(
                "--no-auth is only possible on loopback, not on {}\n  hint: leave --no-auth out, or listen on 127.0.0.1",
                options.host
            );
        }
        if options.no_auth && options.hosting.network {
            bail!(
                "--no-auth and --network: programs in the sandbox could call this server as anybody\n  hint: leave one of the two out"
            );
        }
        if options.no_auth && options.hosting.reaches_loopback() {
            bail!(
                "--no-auth: programs of agents could call this server as anybody, past their confinement\n  hint: leave --no-auth out, or add `--agents-network off` or `--agents-place shared`"
            );
        }
        // Who runs as the first process of a container is not ended by a signal that it does not take.
        let mut signals = Signals::take()?;
        tokio::select! {
            started = Self::open(options, environment) => started,
            signal = signals.next() => bail!("asked to stop ({signal}) before it was ready"),
        }
    }

    async fn open(options: ServeOptions, environment: &Environment) -> Result<Self> {
        keep_descriptors_private();
        let open_files = raise_open_files();
        let state_folder = StateFolder::of(&environment.state, &options.root)?;
        state_folder.create()?;
        let lock = take_lock(&state_folder).await?;
        let (token, keys) = (state_folder.token()?, state_folder.keys()?);
        end_left_behind(&keys.instance).await;
        let listener = port::bind(options.host, options.port)?;
        let address = listener.local_addr().context("the address")?;
        let (twin, url) = (port::twin(address), port::url_of(address));

        let now = clock();
        let agent_keys = AgentKeys::new(random_word);
        let conversations = ConversationOptions {
            url: Some(url.clone()),
            keys: agent_keys.clone(),
            file: Arc::new(UserAgents::of(&environment.config)),
            attached: options.opencode.map(|url| Attached {
                url,
                user: None,
                password: environment.opencode_password.clone(),
            }),
            password: environment.opencode_password.clone(),
        };
        let machine = Machine::default().with_open_files(open_files);
        let insiders = machine.insiders();
        let dispatcher = openspace_workspace::open(WorkspaceOptions {
            main: main_workspace(&state_folder, &options.hosting, now()),
            hosting: Hosting {
                machine,
                ..hosting(&state_folder, &options.hosting, &keys.instance, environment)?
            },
            credentials: Broker::new(
                options.hosting.credentials.clone(),
                environment.variables_outside(&options.root),
            ),
            secrets: vec![
                Secret::new("token of this server", &token),
                Secret::new("cookie of this server", &keys.cookie),
                Secret::new("key of this server's pages", &keys.page),
                Secret::new("person's key of this server", &keys.person),
                Secret::new("instructions key of this server", &keys.instructions),
            ],
            database: state_folder.database(),
            boot: random_word(8),
            limits: options.limits,
            permission: options.permission.with_file_of(environment),
            max_bridge_streams: options.max_bridge_streams,
            bridge_timeout: options.bridge_timeout,
            audit_days: options.audit_days,
            agents: options.agents,
            conversations,
            languages: languages_file::options(&environment.config),
            now,
        })
        .await
        .map_err(with_hint)?;
        if let Walls::Missing { reason, .. } = dispatcher.state().workspaces().walls()
            && options.hosting.agents.confined
            && options.hosting.provider != Provider::Sandbox
        {
            tracing::warn!(
                reason,
                "agents' programs are not confined; `openspace doctor` says more"
            );
        }
        let gate = Arc::new(Gate::new(GateOptions {
            token,
            cookie: keys.cookie,
            page_key: keys.page,
            instructions_key: keys.instructions,
            person_key: keys.person,
            agent_keys,
            instance: keys.instance,
            hosts: options.allow_hosts,
            no_auth: options.no_auth,
        }));
        let (stop, given_away) = (CancellationToken::new(), CancellationToken::new());
        let mcp = mcp::Edge::new(dispatcher.clone(), options.mcp, stop.clone());
        let user_data =
            Arc::new(UserData::new(environment.config.clone(), state_folder.ui_state()));
        http::user_data::follow(&user_data, dispatcher.state(), stop.clone());
        let router = http::router(http::Edge {
            dispatcher: dispatcher.clone(),
            gate: Arc::clone(&gate),
            mcp: Arc::clone(&mcp),
            metrics: Arc::new(Metrics::start()),
            web: Arc::new(Web::find(environment.web.as_deref())),
            user_data,
            codes: Codes::default(),
            url: url.clone(),
            listens_on: address,
            connect: Arc::new(connectable(&state_folder, environment)?),
            hand_over: options.stand_in.then(|| given_away.clone()),
            stop: stop.clone(),
        });
        let patience = Patience::default();
        let twin = twin.map(|twin| {
            let (router, insiders) = (router.clone(), insiders.clone());
            tokio::spawn(connections::serve(twin, router, patience, insiders, stop.clone()))
        });
        let serving = connections::serve(listener, router, patience, insiders, stop.clone());
        let serving = tokio::spawn(async move {
            serving.await;
            if let Some(Err(error)) = OptionFuture::from(twin).await {
                tracing::error!(%error, "serving on the other loopback address failed");
            }
        });
        let signals = Signals::take()?;
        let running = Running {
            url: url.clone(),
            pid: std::process::id(),
            workspace: state_folder.root().to_owned(),
            stand_in: options.stand_in,
        };
        state_folder.announce(&running)?;
        tracing::info!(url, workspace = %state_folder.root().display(), "serving");
        Ok(Self {
            state_folder,
            url,
            gate,
            dispatcher,
            mcp,
            stop,
            given_away,
            serving,
            signals,
            _lock: lock,
        })
    }

    /// Where it is reached.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The token that opens every endpoint.
    pub fn token(&self) -> &str {
        self.gate.token()
    }

    /// Where the workspace's state lives.
    pub fn state_folder(&self) -> &StateFolder {
        &self.state_folder
    }

    /// A link that lets one browser in.
    pub fn link(&self) -> String {
        format!("{}/open?code={}", self.url, self.gate.new_link())
    }

    /// What runs commands.
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// The MCP edge.
    pub fn mcp(&self) -> &Arc<mcp::Edge> {
        &self.mcp
    }

    /// Serve until the process is asked to stop, or serving fails.
    pub async fn until_stopped(&mut self) -> Result<()> {
        tokio::select! {
            signal = self.signals.next() => tracing::info!(signal, "stopping"),
            ended = &mut self.serving => ended.context("serving failed")?,
        }
        Ok(())
    }

    /// Until another process wants to serve the workspace; only for one that stands in.
    pub async fn given_away(&self) {
        self.given_away.cancelled().await;
    }

    /// End streams, requests, terminals and the store, in this order.
    pub async fn stop(mut self) {
        self.state_folder.withdraw();
        // Before calls are cut off: a question must not be taken back because the server stops.
        self.dispatcher.state().service::<Approvals>().let_go().await;
        self.dispatcher.state().agents().server_stops();
        self.stop.cancel();
        if !self.serving.is_finished()
            && tokio::time::timeout(STOP_WITHIN, &mut self.serving).await.is_err()
        {
            tracing::warn!("some requests did not end in time");
            self.serving.abort();
        }
        self.dispatcher.state().shut_down().await;
    }
}

/// What the welcome page connects agents to: this program, without a secret.
fn connectable(state_folder: &StateFolder, environment: &Environment) -> Result<Target> {
    let usual = environment.home.as_ref().map(|home| home.join(".local/state/openspace"));
    let state = &environment.state;
    let program = std::env::current_exe().context("this program's own path")?;
    Ok(Target {
        called: connect::called(&program, &environment.variables),
        program,
        root: state_folder.root().to_owned(),
        url: None,
        asks_for_token: false,
        instructions_url: None,
        home: environment.home.clone(),
        state_dir: (usual.as_ref() != Some(state)).then(|| state.clone()),
    })
}

/// The record of the workspace that is served.
fn main_workspace(
    state_folder: &StateFolder,
    options: &HostingOptions,
    now: u64,
) -> WorkspaceRecord {
    WorkspaceRecord {
        name: None,
        root: state_folder.root().to_owned(),
        owns_root: false,
        provider: options.provider,
        network: options.network || options.provider != Provider::Sandbox,
        limits: options.limits.clone(),
        git_url: None,
        created_by: "server".to_owned(),
        created_as: Some(CallerKind::Script),
        created_at: now,
    }
}

fn hosting(
    state_folder: &StateFolder,
    options: &HostingOptions,
    instance: &str,
    environment: &Environment,
) -> Result<Hosting> {
    Ok(Hosting {
        state: state_folder.private_folder("hosting")?,
        runner: options.runner.clone(),
        shell: environment.shell.clone(),
        environment: environment.variables.clone(),
        instance: instance.to_owned(),
        identity: options.identity.clone(),
        co_author: options.co_author.clone(),
        machine: Machine::default(),
        agents: options.agents.places(state_folder, environment)?,
    })
}

/// Who looks whether a server runs holds the lock for a moment too, so one try is not enough.
async fn take_lock(state_folder: &StateFolder) -> Result<ServerLock> {
    let mut holder = None;
    for _ in 0..LOCK_TRIES {
        match state_folder.lock()? {
            Ok(lock) => return Ok(lock),
            Err(running) => holder = running,
        }
        tokio::time::sleep(LOCK_PAUSE).await;
    }
    Err(AlreadyRunning(holder).into())
}

/// End what a server that died left in any of its workspaces: each workspace looks only after its
/// own, and only when it is used again.
async fn end_left_behind(instance: &str) {
    let marker = format!("{instance}-");
    match tokio::task::spawn_blocking(move || reap_marked(&marker)).await {
        Ok(Ok(0)) => {}
        Ok(Ok(count)) => tracing::info!(count, "ended what an earlier run left behind"),
        Ok(Err(error)) => tracing::error!(%error, "an earlier run left programs that go on"),
        Err(error) => tracing::error!(%error, "nobody looked for what an earlier run left"),
    }
}

/// A place says what to try next apart from what went wrong.
fn with_hint(error: OpenError) -> anyhow::Error {
    let hint = match &error {
        OpenError::Isolation(error) => error.hint(),
        _ => None,
    };
    match hint {
        Some(hint) => anyhow::anyhow!("{error}\n  hint: {hint}"),
        None => error.into(),
    }
}

/// The ways in which a process is asked to stop. Taken before the server says that it is ready:
/// who has read that line may ask at once.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    pub(crate) fn take() -> Result<Self> {
        let take = |kind| signal(kind).context("signals cannot be awaited");
        Ok(Self {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
            hangup: take(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "interrupt",
            _ = self.terminate.recv() => "terminate",
            _ = self.hangup.recv() => "hangup",
        }
    }
}

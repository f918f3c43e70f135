//! The running product: the main workspace, its live space, and everything that commands work on.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use openspace_buffers::{Buffers, follow::Follower};
use openspace_command::{Dispatcher, Limits, Now, Record, Recorder, Result};
use openspace_files::rules::RulesError;
use openspace_git::Broker;
use openspace_host::{BoxFuture, Host, HostError, operation::Operation};
use openspace_isolation::IsolationError;
use openspace_protocol::{Event, RelPath};
use openspace_secrets::Value;
use openspace_space::{Space, Store, store::StoreError};

use crate::{
    Cx, Registry,
    agents::{Agents, brought, cleanup, settings::AgentSettings},
    areas::{
        AREAS,
        bridge::Bridges,
        chat::reviews,
        code::{self, LanguageOptions},
        editor::make_tabs_true,
        tabs::mark_what_is_gone,
    },
    audit,
    config::{CONFIG_PATH, ConfigError},
    content::seen::Seen,
    conversations::{ConversationOptions, Conversations},
    doings::Doings,
    metrics::Counts,
    permission::{Permission, PermissionOptions, PolicyError},
    places::Place,
    refusal::refused,
    secrets::Secrets,
    services::{Base, Service, Services},
    tree::TreeFollower,
    workspaces::{Hosting, WorkspaceRecord, Workspaces},
};

/// What the product is opened with.
pub struct Options {
    /// The workspace of the space.
    pub main: WorkspaceRecord,
    /// How places are made.
    pub hosting: Hosting,
    /// Where credentials for git come from.
    pub credentials: Broker,
    /// What opens the server, which agents must not see.
    pub secrets: Vec<Value>,
    /// The database that keeps its space.
    pub database: PathBuf,
    /// Names this run of the server; no other run has the same.
    pub boot: String,
    /// How much one caller may do.
    pub limits: Limits,
    /// Who may do what.
    pub permission: PermissionOptions,
    /// Streams of calls that bridges may have open at once.
    pub max_bridge_streams: usize,
    /// How long a bridge may take to answer.
    pub bridge_timeout: Duration,
    /// Days that the record of a call is kept.
    pub audit_days: u32,
    /// How agents are looked after.
    pub agents: AgentSettings,
    /// How agents are talked to.
    pub conversations: ConversationOptions,
    /// What the person chose about language servers.
    pub languages: LanguageOptions,
    /// The time.
    pub now: Now,
}

/// Why it cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The place cannot be used.
    #[error(transparent)]
    Place(#[from] HostError),
    /// The place cannot be had.
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    /// The configuration cannot be understood.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A pattern in the configuration cannot be used.
    #[error("{CONFIG_PATH}: {0}")]
    Rules(#[from] RulesError),
    /// A policy file cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// What is remembered of the workspace cannot be read.
    #[error("{0}")]
    Note(openspace_command::Error),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What every command works on.
pub struct OpenSpace {
    place: Arc<Place>,
    workspaces: Workspaces,
    credentials: Broker,
    secrets: Arc<Secrets>,
    seen: Seen,
    space: Arc<Space>,
    store: Arc<Store>,
    services: Services,
    bridges: Arc<Bridges>,
    agents: Arc<Agents>,
    conversations: Arc<Conversations>,
    counts: Arc<Counts>,
    doings: Arc<Doings>,
    buffers: Buffers,
    permission: Arc<Permission>,
    now: Now,
}

impl OpenSpace {
    /// The folder as programs in its place see it.
    pub fn root(&self) -> &Path {
        &self.place.facts().root
    }

    /// The folder as the person knows it, on this machine.
    pub fn folder(&self) -> &Path {
        self.workspaces.folder()
    }

    /// Where its work is done.
    pub fn place(&self) -> &Arc<Place> {
        &self.place
    }

    /// All workspaces of this server.
    pub fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    /// Where credentials for git come from.
    pub fn credentials(&self) -> &Broker {
        &self.credentials
    }

    /// What agents must not see.
    pub fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    /// What callers have seen of files.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Its live space.
    pub fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// Its store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// What an area keeps running, by its type.
    pub fn service<S: Service>(&self) -> Arc<S> {
        self.services.get()
    }

    /// The outside programs that add commands.
    pub fn bridges(&self) -> &Arc<Bridges> {
        &self.bridges
    }

    /// What keeps highlights on their lines.
    pub fn follower(&self) -> &Arc<Follower> {
        self.buffers.follower()
    }

    /// Files with unsaved text.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The agents that are connected.
    pub fn agents(&self) -> &Arc<Agents> {
        &self.agents
    }

    /// Conversations with agents.
    pub fn conversations(&self) -> &Arc<Conversations> {
        &self.conversations
    }

    /// Numbers about what happened.
    pub fn counts(&self) -> &Arc<Counts> {
        &self.counts
    }

    /// What people do, for agents.
    pub fn doings(&self) -> &Arc<Doings> {
        &self.doings
    }

    /// Who may do what.
    pub fn permission(&self) -> &Arc<Permission> {
        &self.permission
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        (self.now)()
    }

    /// A path as a caller typed it.
    pub fn path(&self, text: &str) -> Result<RelPath> {
        self.place.facts().resolve(text).map_err(refused)
    }

    /// End every process of all workspaces and write what is left to write.
    pub async fn shut_down(&self) {
        self.conversations.stop_all().await;
        self.secrets.stop();
        self.services.stop().await;
        self.buffers.stop();
        self.workspaces.close_all().await;
        let store = Arc::clone(&self.store);
        if tokio::task::spawn_blocking(move || store.close()).await.is_err() {
            tracing::error!("the store did not close");
        }
    }
}

/// Do one operation in the place of the space.
pub(crate) async fn ask<O: Operation>(cx: &Cx, operation: O) -> Result<O::Output, HostError> {
    cx.state.place().ask(operation).await
}

/// Sends the record of each call to the store and to the views, and says what agents run.
struct Journal {
    store: Arc<Store>,
    space: Arc<Space>,
    agents: Arc<Agents>,
    counts: Arc<Counts>,
    doings: Arc<Doings>,
}

impl Recorder for Journal {
    fn started(&self, call: u64, record: &Record) {
        self.agents.started(call, record);
    }

    fn ended(&self, call: u64) {
        self.agents.ended(call);
    }

    fn record(&self, record: Record) {
        self.counts.call(&record);
        self.doings.called(&record);
        self.space.tell(Event::CallEnded { record: record.clone() });
        self.store.record(record);
    }

    fn kept(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.store.flush().settled())
    }

    fn warning(&self) -> Option<String> {
        let failure = self.store.health().failure?;
        Some(format!(
            "OpenSpace cannot save its own state now ({failure}): what was changed is lost if the server stops before that is mended"
        ))
    }
}

/// Open the main workspace and everything in it, and give back the way to run commands in it.
pub async fn open(options: Options) -> Result<crate::Dispatcher, OpenError> {
    let Options {
        main,
        hosting,
        credentials,
        secrets,
        database,
        boot,
        limits,
        permission,
        max_bridge_streams,
        bridge_timeout,
        audit_days,
        agents: settings,
        conversations,
        languages,
        now,
    } = options;
    let store = Arc::new(Store::open(&database)?);
    audit::keep_for(audit_days, &store, &now);
    let (environment, public) = surroundings(&hosting, &main);
    let rules = AREAS.iter().flat_map(|area| area.rules).copied().collect();
    let space = Arc::new(Space::restore(Arc::clone(&store), boot, &crate::parts(), rules)?);
    let (workspaces, place) = Workspaces::open(hosting, main, Arc::clone(&space)).await?;
    let permission = Arc::new(Permission::open(permission, &*place).await?);
    let registry = Arc::new(crate::registry());
    let bridges = Arc::new(Bridges::new(&registry, max_bridge_streams, bridge_timeout));
    let files: Arc<dyn Host> = Arc::clone(&place) as _;
    let buffers = Buffers::start(files, &space, Arc::clone(&store), refused).await;
    // Saved tabs may say of themselves what is not true any more.
    let true_tabs = space.change_now(|state| {
        mark_what_is_gone(state)?;
        brought::forget_what_ended(state);
        make_tabs_true(state)
    });
    if let Err(error) = true_tabs {
        tracing::error!(%error, "tabs may be marked wrongly");
    }
    let doings = Doings::new();
    buffers.tell_typing(Arc::clone(&doings) as _);
    let base = Base {
        place: Arc::clone(&place),
        space: Arc::clone(&space),
        store: Arc::clone(&store),
        doings: Arc::clone(&doings),
        now: Arc::clone(&now),
    };
    let services = Services::new(base);
    for starter in AREAS.iter().flat_map(|area| area.services) {
        starter.start(&services);
    }
    let follower = services.get::<TreeFollower>();
    let secrets = Secrets::start(secrets, &environment, public, Arc::clone(&place), follower);
    announce_catalogue(&registry, &space);
    let counts = Arc::new(Counts::new(&registry));
    let agents = Agents::new(&space, Arc::clone(&now), settings, Arc::clone(&counts));
    let journal = Arc::new(Journal {
        store: Arc::clone(&store),
        space: Arc::clone(&space),
        agents: Arc::clone(&agents),
        counts: Arc::clone(&counts),
        doings: Arc::clone(&doings),
    });
    let open_space = OpenSpace {
        place,
        workspaces,
        credentials,
        secrets: Arc::clone(&secrets),
        seen: Seen::default(),
        space,
        store,
        services,
        bridges,
        agents: Arc::clone(&agents),
        conversations: Conversations::new(conversations),
        counts,
        doings: Arc::clone(&doings),
        buffers,
        permission: Arc::clone(&permission),
        now: Arc::clone(&now),
    };
    let open_space = Arc::new(open_space);
    let dispatcher =
        Dispatcher::new(open_space, registry, limits, permission, journal, secrets, now);
    dispatcher.look_after_callers(agents);
    dispatcher.tell_meanwhile(doings);
    cleanup::start(&dispatcher);
    reviews::start(&dispatcher);
    code::servers::begin(&dispatcher, languages);
    dispatcher.state().conversations().begin(&dispatcher);
    Ok(dispatcher)
}

/// The variables of the server as text, and what in its surroundings everybody may see.
fn surroundings(hosting: &Hosting, main: &WorkspaceRecord) -> (Vec<(String, String)>, Vec<String>) {
    let text = |text: &OsString| text.to_str().map(str::to_owned);
    let variables = hosting.environment.iter();
    let variables: Vec<(String, String)> =
        variables.filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let mut public = vec![main.root.to_string_lossy().into_owned()];
    for name in ["HOME", "HOSTNAME", "LOGNAME", "USER"] {
        public.extend(
            variables.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone()),
        );
    }
    (variables, public)
}

/// Tell views whenever commands come or go.
fn announce_catalogue(registry: &Arc<Registry>, space: &Arc<Space>) {
    let mut version = registry.version();
    let space = Arc::downgrade(space);
    tokio::spawn(async move {
        while version.changed().await.is_ok() {
            let version = *version.borrow_and_update();
            let Some(space) = space.upgrade() else { return };
            space.tell(Event::CatalogueChanged { version });
        }
    });
}

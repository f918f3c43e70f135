//! Workspaces: the one of the space, and others beside it, each on a host of its own.
//!
//! The space keeps a record of each, so they are told to views and survive a restart. Their hosts do
//! not: a workspace is opened again when it is next used. A folder that was made for a workspace
//! goes with it; a folder that was given stays.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use openspace_command::{Caller, CallerKind, Error, ErrorKind, Result};
use openspace_files::FileError;
use openspace_git::Identity;
use openspace_host::{
    BoxFuture, Host, HostError, LocalHost, RemoteHost, local::Settings, operation::EndAll,
};
use openspace_isolation::{
    IsolationError, Limits, Machine, Provider, Spec, Statement, writing_only,
};
use openspace_space::{Counter, Declared, Entries, Part, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    areas::Area,
    open_space::OpenError,
    places::{Opener, Place},
    refusal::refused,
};

mod adopt;
mod agents_place;
mod among_packages;
pub mod commands;
mod languages_place;
mod listening;
mod notes;
mod own_place;
mod reach;
mod repository;
mod seen_secrets;
mod stillness;

pub use agents_place::{AgentsPlaces, Confining, Walls};
use agents_place::{OpenForAgents, Whose, is_walled};
pub use seen_secrets::{Seen, SeenSecret, SeenSecrets};

/// What this area brings.
pub const AREA: Area = Area {
    commands: commands::COMMANDS,
    parts: &[
        Declared::of::<WorkspacesPart>(),
        Declared::of::<WorkspaceCounter>(),
        Declared::of::<SeenSecrets>(),
    ],
    ..Area::EMPTY
};

/// The id of the workspace of the space.
pub const MAIN: &str = "main";
/// Workspaces that may exist at once, beside the one of the space.
pub const MAX_WORKSPACES: usize = 500;
/// Those that one agent created, in all of its sessions: sessions are begun at will.
pub const MAX_OF_AN_AGENT: usize = 16;

/// How long a place may take to end what runs in it when the server stops. What does not end by itself
/// is ended with its process.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Variables that a sandbox may know, besides those that begin with `LC_`.
const HARMLESS: &[&str] = &["COLORTERM", "LANG", "LANGUAGE", "PATH", "TERM", "TZ"];

/// Records by id.
pub type WorkspaceRecords = Entries<WorkspaceRecord>;

/// Workspaces beside the one of the space.
pub struct WorkspacesPart;

impl Part for WorkspacesPart {
    const NAME: &'static str = "workspaces";
    type Content = WorkspaceRecords;
}

/// The last workspace's number.
pub struct WorkspaceCounter;

impl Part for WorkspaceCounter {
    const NAME: &'static str = "workspace-counter";
    const PUBLISHED: bool = false;
    type Content = Counter;
}

/// What the space knows about a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceRecord {
    /// A name for people.
    pub name: Option<String>,
    /// Its folder on this machine.
    pub root: PathBuf,
    /// Whether the folder was made for it, and goes with it.
    pub owns_root: bool,
    /// What kind of place its programs run in.
    pub provider: Provider,
    /// Whether they may use the network.
    pub network: bool,
    /// What they may use at most.
    pub limits: Limits,
    /// The repository it was cloned from.
    pub git_url: Option<String>,
    /// Who created it.
    pub created_by: String,
    /// What kind of caller that was; of workspaces of older servers that is not known.
    #[serde(default)]
    pub created_as: Option<CallerKind>,
    /// When, in milliseconds since 1970.
    pub created_at: u64,
}

/// How places are made on this machine.
pub struct Hosting {
    /// A private folder for full outputs, temporary files and folders of workspaces.
    pub state: PathBuf,
    /// The runner program, if there is one.
    pub runner: Option<PathBuf>,
    /// The shell to start when none is asked for.
    pub shell: PathBuf,
    /// The environment that programs start with.
    pub environment: Vec<(OsString, OsString)>,
    /// Names this server's workspaces for ever; marks the processes they start.
    pub instance: String,
    /// In whose name commits are made.
    pub identity: Identity,
    /// Who is named in commits beside it.
    pub co_author: Option<Identity>,
    /// Makes places.
    pub machine: Machine,
    /// Where agents' programs run.
    pub agents: AgentsPlaces,
}

impl Hosting {
    /// The folder for full outputs and temporary files of one workspace.
    fn private(&self, id: &str) -> PathBuf {
        self.state.join("places").join(id)
    }
}

/// Opens the place of one workspace.
struct Making {
    hosting: Arc<Hosting>,
    id: String,
    record: WorkspaceRecord,
    statement: Arc<Mutex<Option<Statement>>>,
    /// Whether agents' programs have a place of their own beside it.
    agents_are_confined: bool,
}

impl Making {
    /// What the host is told; paths as they are where it runs.
    fn settings(&self, root: PathBuf, private: &Path) -> Settings {
        let hosting = &self.hosting;
        Settings {
            root,
            output: private.join("output"),
            scratch: private.join("scratch"),
            shell: Some(hosting.shell.clone()),
            environment: Some(hosting.environment.clone()),
            marker: format!("{}-{}", hosting.instance, self.id),
            identity: hosting.identity.clone(),
            co_author: hosting.co_author.clone(),
            git_behind: Vec::new(),
        }
    }

    /// What the server's own git is started with: agents can change the repository, and what they write
    /// into it must not lead that git to write where they cannot.
    fn git_behind(&self) -> Result<Vec<OsString>, OpenError> {
        let (AgentsPlaces::Confined(confining), Some(runner), true) =
            (&self.hosting.agents, &self.hosting.runner, self.agents_are_confined)
        else {
            return Ok(Vec::new());
        };
        let root = &self.record.root;
        let root = root.canonicalize().unwrap_or_else(|_| root.clone());
        let scratch = self.private().join("scratch");
        let home = confining.home.as_deref();
        Ok(writing_only(runner, &[root, scratch], home, &confining.hidden)?)
    }

    /// What of the server's environment programs may know: in a sandbox nothing that could be a
    /// secret.
    fn environment(&self) -> Vec<(OsString, OsString)> {
        let harmless = |name: &OsString| {
            let name = name.to_string_lossy();
            HARMLESS.contains(&&*name) || name.starts_with("LC_")
        };
        let mut environment = self.hosting.environment.clone();
        if self.record.provider == Provider::Sandbox {
            environment.retain(|(name, _)| harmless(name));
        }
        environment
    }

    fn private(&self) -> PathBuf {
        self.hosting.private(&self.id)
    }

    /// A place with a runner in it; `suffix` ends its name.
    fn spec(&self, suffix: &str) -> Result<Spec, IsolationError> {
        let missing = || IsolationError::RunnerMissing { path: "openspace-runner".into() };
        let runner = self.hosting.runner.clone().ok_or_else(missing)?;
        let name = format!("{}-{}{suffix}", self.hosting.instance, self.id);
        Ok(Spec {
            network: self.record.network,
            limits: self.record.limits.clone(),
            environment: self.environment(),
            ..Spec::new(name, &self.record.root, runner)
        })
    }

    fn note(&self, statement: Statement) {
        *self.statement.lock().unwrap_or_else(PoisonError::into_inner) = Some(statement);
    }

    async fn start(&self) -> Result<Arc<dyn Host>, OpenError> {
        let record = &self.record;
        if record.provider == Provider::Local {
            if record.limits != Limits::default() {
                return Err(IsolationError::Unlimited(Provider::Local).into());
            }
            let settings = Settings {
                git_behind: self.git_behind()?,
                ..self.settings(record.root.clone(), &self.private())
            };
            let host = LocalHost::open(settings)?;
            self.note(Statement::local(record.root.clone()));
            return Ok(Arc::new(host));
        }
        let started = self.hosting.machine.start(&self.spec("")?, record.provider).await?;
        let inside = &started.statement;
        let private = inside.output_inside.clone().unwrap_or_else(|| self.private());
        // The place has an environment of its own, made for it.
        let git_behind = match record.provider {
            Provider::Runner => self.git_behind()?,
            _ => Vec::new(),
        };
        let settings = Settings {
            environment: None,
            shell: None,
            git_behind,
            ..self.settings(inside.root_inside.clone(), &private)
        };
        let stream = tokio::io::join(started.stdout, started.stdin);
        let host = RemoteHost::connect(stream, &settings, started.process).await?;
        self.note(started.statement);
        Ok(Arc::new(host))
    }
}

impl Opener for Making {
    fn open(&self) -> BoxFuture<'_, Result<Arc<dyn Host>, OpenError>> {
        Box::pin(self.start())
    }
}

struct Open {
    place: Arc<Place>,
    statement: Arc<Mutex<Option<Statement>>>,
}

/// All workspaces of a server.
pub struct Workspaces {
    hosting: Arc<Hosting>,
    space: Arc<Space>,
    main: WorkspaceRecord,
    open: Mutex<BTreeMap<String, Open>>,
    open_for_agents: Mutex<BTreeMap<Whose, OpenForAgents>>,
    walls: Walls,
    guards: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// See [`Workspaces::stillness`].
    still: Mutex<BTreeMap<String, Arc<tokio::sync::RwLock<()>>>>,
}

impl Workspaces {
    /// Open the workspace of the space; others are opened when they are used.
    pub async fn open(
        hosting: Hosting,
        main: WorkspaceRecord,
        space: Arc<Space>,
    ) -> Result<(Self, Arc<Place>), OpenError> {
        let walls = Walls::find(&hosting, &main).await;
        let workspaces = Self {
            hosting: Arc::new(hosting),
            space,
            main,
            open: Mutex::default(),
            open_for_agents: Mutex::default(),
            walls,
            guards: Mutex::default(),
            still: Mutex::default(),
        };
        let place = workspaces.start(MAIN, workspaces.main.clone()).await?;
        Ok((workspaces, place))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn start(&self, id: &str, record: WorkspaceRecord) -> Result<Arc<Place>, OpenError> {
        let statement = Arc::<Mutex<Option<Statement>>>::default();
        let making = Making {
            hosting: Arc::clone(&self.hosting),
            id: id.to_owned(),
            record,
            statement: Arc::clone(&statement),
            agents_are_confined: self.are_confined(),
        };
        let place = Arc::new(Place::open(id.to_owned(), making).await?);
        self.lock().insert(id.to_owned(), Open { place: Arc::clone(&place), statement });
        Ok(place)
    }

    /// A place in this process for a folder that is about to become a workspace.
    pub(crate) async fn for_a_moment(&self, id: &str, root: &Path) -> Result<Place, OpenError> {
        let record = WorkspaceRecord {
            root: root.to_owned(),
            provider: Provider::Local,
            limits: Limits::default(),
            ..self.main.clone()
        };
        let making = Making {
            hosting: Arc::clone(&self.hosting),
            id: new_id(id),
            record,
            statement: Arc::default(),
            agents_are_confined: self.are_confined(),
        };
        Place::open(making.id.clone(), making).await
    }

    /// An agent in a sandbox may not use a workspace that is less isolated than its own.
    pub fn check_reach(&self, caller: &Caller, record: &WorkspaceRecord) -> Result<()> {
        let main = &self.main;
        let freer = record.provider != Provider::Sandbox || (record.network && !main.network);
        if caller.kind == CallerKind::Agent && main.provider == Provider::Sandbox && freer {
            return Err(Error::denied("this workspace is less isolated than the agent's own")
                .hint("workspace_list shows how each is isolated"));
        }
        Ok(())
    }

    /// The record of a workspace.
    pub fn record(&self, id: &str) -> Result<WorkspaceRecord> {
        if id == MAIN {
            return Ok(self.main.clone());
        }
        let state = self.space.state();
        let records = state.part::<WorkspacesPart>();
        records.get(id).cloned().ok_or_else(|| {
            let known: Vec<&str> =
                [MAIN].into_iter().chain(records.keys().map(|id| &**id)).take(50).collect();
            let shown: String = id.chars().take(100).collect();
            Error::not_found(format!("there is no workspace `{shown}`"))
                .hint(format!("workspaces: {}", known.join(", ")))
        })
    }

    /// The place of a workspace; that of the space when none is named.
    pub async fn place(&self, id: Option<&str>) -> Result<Arc<Place>> {
        let id = id.unwrap_or(MAIN);
        let known = |open: &BTreeMap<String, Open>| open.get(id).map(|o| Arc::clone(&o.place));
        if let Some(place) = known(&self.lock()) {
            return Ok(place);
        }
        self.record(id)?;
        let _alone = self.guard(id).lock_owned().await;
        if let Some(place) = known(&self.lock()) {
            return Ok(place);
        }
        // Looked up again: it may have been destroyed meanwhile.
        let record = self.record(id)?;
        let root = record.root.clone();
        self.start(id, record).await.map_err(|error| unopened(error, &root))
    }

    /// Who opens or destroys a workspace does so alone.
    pub(crate) fn guard(&self, id: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut guards = self.guards.lock().unwrap_or_else(PoisonError::into_inner);
        // One that nobody holds is needed no longer.
        guards.retain(|_, guard| Arc::strong_count(guard) > 1);
        Arc::clone(guards.entry(id.to_owned()).or_default())
    }

    /// What holds in a workspace that was opened in this run of the server.
    pub fn statement(&self, id: &str) -> Option<Statement> {
        let open = self.lock();
        let statement = open.get(id)?.statement.lock().unwrap_or_else(PoisonError::into_inner);
        statement.clone()
    }

    /// Whether its host is open now.
    pub fn is_open(&self, id: &str) -> bool {
        self.lock().get(id).is_some_and(|open| open.place.opened().is_some())
    }

    /// Folders that the server itself made for a workspace and that hold nothing of the person's.
    pub(crate) fn private_folders(&self, id: &str) -> [PathBuf; 2] {
        [self.hosting.private(id), self.hosting.private(&new_id(id))]
    }

    /// Whether the workspace of the space is in a place of this kind.
    pub(crate) fn is_main_in(&self, provider: Provider) -> bool {
        self.main.provider == provider
    }

    /// The folder of the workspace of the space, on this machine.
    pub fn folder(&self) -> &Path {
        &self.main.root
    }

    /// How places are made.
    pub fn hosting(&self) -> &Hosting {
        &self.hosting
    }

    /// End everything in a workspace and let go of its host.
    pub async fn close(&self, id: &str) -> Result<()> {
        self.close_for_agents(id).await?;
        let Some(open) = self.lock().remove(id) else { return Ok(()) };
        let ended = open.place.end().await;
        match ended {
            Ok(()) | Err(HostError::Lost(_)) => Ok(()),
            Err(error) => {
                // What cannot be ended stays known, so that it can be tried again.
                self.lock().insert(id.to_owned(), open);
                Err(refused(error))
            }
        }
    }

    /// End everything in the agents' places of a workspace. They are opened again when they are used.
    async fn close_for_agents(&self, id: &str) -> Result<()> {
        let all: Vec<Whose> = {
            let open = self.lock_for_agents();
            open.keys().filter(|whose| whose.workspace == id).cloned().collect()
        };
        for whose in all {
            self.close_place_of(&whose).await?;
        }
        Ok(())
    }

    async fn close_place_of(&self, whose: &Whose) -> Result<()> {
        let open = self.lock_for_agents().remove(whose);
        let Some(open) = open else { return Ok(()) };
        match open.end().await {
            Ok(()) | Err(HostError::Lost(_)) => Ok(()),
            Err(error) => {
                self.lock_for_agents().insert(whose.clone(), open);
                Err(refused(error))
            }
        }
    }

    /// Let go of all hosts: the server stops.
    pub async fn close_all(&self) {
        let open = std::mem::take(&mut *self.lock());
        let for_agents = std::mem::take(&mut *self.lock_for_agents());
        let mut ends = tokio::task::JoinSet::new();
        for (id, open) in open {
            ends.spawn(async move { (id, in_time(open.place.end()).await) });
        }
        for (whose, open) in for_agents {
            ends.spawn(async move { (whose.workspace, in_time(open.end()).await) });
        }
        while let Some(ended) = ends.join_next().await {
            match ended {
                Ok((_, Ok(()))) => {}
                Ok((id, Err(error))) => {
                    tracing::error!(id, %error, "not everything in a workspace could be ended");
                }
                Err(error) => tracing::error!(%error, "a workspace was not ended"),
            }
        }
    }
}

/// What came of an ending, unless it takes too long.
async fn in_time(ending: impl Future<Output = Result<(), HostError>>) -> Result<(), HostError> {
    let ended = tokio::time::timeout(END_WITHIN, ending).await;
    ended.unwrap_or_else(|_| Err(HostError::Lost("it did not answer in time".into())))
}

/// The name of the place in which a workspace is prepared.
fn new_id(id: &str) -> String {
    format!("{id}-new")
}

impl Place {
    /// End everything that runs there and let go of the host.
    pub async fn end(&self) -> Result<(), HostError> {
        let Some(host) = self.opened() else { return Ok(()) };
        let ended = host.ask(EndAll {}).await;
        if ended.is_ok() {
            self.forget(&host);
        }
        ended
    }
}

/// Why a workspace cannot be opened, in words for a caller.
pub(crate) fn unopened(error: OpenError, root: &Path) -> Error {
    match error {
        OpenError::Place(HostError::File(error @ FileError::Root { .. })) => {
            let message = format!("the folder {} cannot be opened", root.display());
            Error::not_found(message).hint("it must be a folder that exists").because(error)
        }
        OpenError::Place(error) => refused(error),
        OpenError::Note(error) => error,
        OpenError::Isolation(error) => {
            let kind = match &error {
                IsolationError::ProviderUnknown(_)
                | IsolationError::Name(_)
                | IsolationError::Root { .. }
                | IsolationError::Readable { .. }
                | IsolationError::Environment(_) => ErrorKind::InvalidArgs,
                IsolationError::System { .. } | IsolationError::Silent { .. } => {
                    ErrorKind::Internal
                }
                _ => ErrorKind::Unsupported,
            };
            let hint = error.hint();
            let refusal = Error::new(kind, error.to_string()).because(error);
            match hint {
                Some(hint) => refusal.hint(hint),
                None => refusal,
            }
        }
        other => Error::conflict(other.to_string()),
    }
}

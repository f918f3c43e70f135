//! The agents' place: where what an agent starts runs, beside the place of a workspace.
//!
//! Beside a workspace without walls it is a confined place over the same folder, with the same paths; whether this
//! machine can make one is found out when the server starts, and where it cannot, that is said and asked about.
//! Beside a sandbox it is another such sandbox, in which a keeper keeps the same as in a confined place. Nothing
//! here does with less. A place that cannot be opened later is an error of the call that needs it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use openspace_command::{Caller, CallerKind, Error, Result, Site};
use openspace_git::GitError;
use openspace_host::{
    AnyConversation, BoxFuture, Facts, Host, HostError, RemoteHost,
    local::Settings,
    operation::{self, Reply, Request},
};
use openspace_isolation::{
    Caches, ConfinedSpec, IsolationError, Keeper, KeeperLost, OwnHome, Provider, Reach, Spec,
    Started, Statement,
};
use openspace_space::Space;
use tokio::sync::RwLock;

use super::{
    Hosting, MAIN, Making, WorkspaceRecord, Workspaces,
    among_packages::AmongPackages,
    listening::{Exposed, Keeping, Listener},
    seen_secrets::{self, Seen},
    unopened,
};
use crate::{
    config,
    open_space::OpenError,
    places::{Opener, Place},
};

/// How long git may look through the history for secrets.
const LOOKING_AT_HISTORY_MS: u64 = 60_000;
/// Committed secrets that are named in the log.
const MOST_NAMED: usize = 20;

/// Where agents' programs run in workspaces that have no walls of their own.
#[derive(Clone, Debug, Default)]
pub enum AgentsPlaces {
    /// Where everybody's do.
    #[default]
    Shared,
    /// In a confined place beside the workspace.
    Confined(Confining),
}

/// What confined places show and reach besides what they always do.
#[derive(Clone, Debug)]
pub struct Confining {
    /// How much network there is.
    pub reach: Reach,
    /// The person's home, in which the tools are.
    pub home: Option<PathBuf>,
    /// Further folders and files that can be read.
    pub readable: Vec<PathBuf>,
    /// Further folders and files that can be changed.
    pub writable: Vec<PathBuf>,
    /// What tools keep for themselves.
    pub caches: Caches,
    /// What must never be seen.
    pub hidden: Vec<PathBuf>,
}

/// What holds agents' programs in workspaces that have no walls of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walls {
    /// A confined place, in which this holds.
    Confined(Box<Statement>),
    /// Nothing.
    Missing {
        /// Why.
        reason: String,
        /// What can be done about it.
        hint: Option<String>,
    },
}

impl Walls {
    /// Find out what this machine can do, by making a place over an empty folder.
    pub(super) async fn find(hosting: &Hosting, main: &WorkspaceRecord) -> Self {
        let AgentsPlaces::Confined(confining) = &hosting.agents else {
            return Self::Missing {
                reason: "the server was started with `--agents-place shared`".into(),
                hint: Some("start it without that".into()),
            };
        };
        let found = async {
            let spec = spec(hosting, confining, "probe-agents", main, Vec::new())?;
            hosting.machine.probe_confined(&spec).await
        };
        match found.await {
            Ok(statement) => Self::Confined(Box::new(statement)),
            Err(error) => {
                let hint = error.hint().map(ToString::to_string);
                Self::Missing { reason: error.to_string(), hint }
            }
        }
    }
}

fn spec(
    hosting: &Hosting,
    confining: &Confining,
    name: &str,
    record: &WorkspaceRecord,
    secret: Vec<String>,
) -> Result<ConfinedSpec, IsolationError> {
    let missing = || IsolationError::RunnerMissing { path: "openspace-runner".into() };
    let runner = hosting.runner.clone().ok_or_else(missing)?;
    let name = format!("{}-{name}", hosting.instance);
    Ok(ConfinedSpec {
        place: Spec {
            limits: record.limits.clone(),
            environment: hosting.environment.clone(),
            readable: confining.readable.clone(),
            secrets: Some(secret),
            ..Spec::new(name, &record.root, runner)
        },
        reach: confining.reach,
        home: confining.home.clone(),
        writable: confining.writable.clone(),
        caches: confining.caches.clone(),
        hidden: confining.hidden.clone(),
        own: OwnHome::default(),
    })
}

/// Secrets that were ever committed; known a while after the place was opened.
type Committed = Arc<OnceLock<Vec<String>>>;

/// Whose a place of agents is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Whose {
    pub(super) workspace: String,
    /// The one agent that it is for; all others share one.
    pub(super) agent: Option<String>,
}

impl Whose {
    /// Of all agents in a workspace that have none of their own.
    pub(super) fn shared(workspace: &str) -> Self {
        Self { workspace: workspace.to_owned(), agent: None }
    }
}

/// The agents' place of a workspace.
pub(super) struct OpenForAgents {
    pub(super) place: Arc<Place>,
    statement: Arc<Mutex<Option<Statement>>>,
    exposed: Exposed,
    committed: Committed,
    pub(super) keeping: Keeping,
}

impl OpenForAgents {
    /// Ends everything in the place, and waits until what its keeper told at the end is remembered.
    pub(super) async fn end(&self) -> Result<(), HostError> {
        let ended = self.place.end().await;
        if matches!(ended, Ok(()) | Err(HostError::Lost(_))) {
            self.keeping.end().await.map_err(|error| HostError::Internal(error.to_string()))?;
        }
        ended
    }
}

impl Workspaces {
    /// What holds agents' programs in workspaces that have no walls of their own.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Whether agents' programs have a place of their own beside a workspace without walls.
    pub(super) fn are_confined(&self) -> bool {
        matches!(self.walls, Walls::Confined(_))
    }

    /// Where programs run that a caller starts in a workspace; `outside` when it asks to leave its place.
    pub fn site(&self, caller: &Caller, record: &WorkspaceRecord, outside: bool) -> Site {
        let is_agent = caller.kind == CallerKind::Agent;
        let is_confined = is_agent && self.are_confined();
        match is_walled(record.provider) || is_confined {
            true if outside => Site::Outside,
            true => Site::Confined,
            false => Site::Unconfined,
        }
    }

    /// The place in which a caller's programs run in a workspace.
    pub async fn place_for(
        &self,
        caller: &Caller,
        id: Option<&str>,
        outside: bool,
    ) -> Result<Arc<Place>> {
        if !outside && self.is_beside(caller, id)? {
            return self.agents_place(id).await;
        }
        self.place(id).await
    }

    /// Whether a caller's programs run in a place beside the workspace's own.
    pub fn is_beside(&self, caller: &Caller, id: Option<&str>) -> Result<bool> {
        let record = self.record(id.unwrap_or(MAIN))?;
        Ok(caller.kind == CallerKind::Agent && self.site(caller, &record, false) == Site::Confined)
    }

    /// The agents' place of a workspace.
    pub async fn agents_place(&self, id: Option<&str>) -> Result<Arc<Place>> {
        let id = id.unwrap_or(MAIN);
        self.open_for(&Whose::shared(id), &OwnHome::default()).await
    }

    /// A place of agents; `own` of the home is shown in it if it is the place of one.
    pub(super) async fn open_for(&self, whose: &Whose, own: &OwnHome) -> Result<Arc<Place>> {
        let id = whose.workspace.as_str();
        let known = || self.lock_for_agents().get(whose).map(|open| Arc::clone(&open.place));
        if let Some(place) = known() {
            return Ok(place);
        }
        let beside = self.place(Some(id)).await?;
        let _alone = self.guard(id).lock_owned().await;
        if let Some(place) = known() {
            return Ok(place);
        }
        let record = self.record(id)?;
        let kind = match (record.provider, self.hosting.agents.clone()) {
            (Provider::Sandbox, _) => Kind::Sandbox,
            (_, AgentsPlaces::Confined(confining)) => Kind::Confined(confining),
            (_, AgentsPlaces::Shared) => {
                return Err(Error::internal("agents have no place of their own on this server"));
            }
        };
        let (root, statement, exposed) = (record.root.clone(), Arc::default(), Exposed::default());
        let making = Making {
            hosting: Arc::clone(&self.hosting),
            id: id.to_owned(),
            record,
            statement: Arc::clone(&statement),
            agents_are_confined: true,
        };
        let keeping = Keeping::default();
        let opener = Beside {
            making,
            kind,
            beside: Arc::clone(&beside),
            exposed: Arc::clone(&exposed),
            keeping: keeping.clone(),
            space: self.space_of(id),
            stillness: self.stillness(id),
            agent: whose.agent.clone(),
            own: own.clone(),
        };
        let place = Place::open(id.to_owned(), opener).await;
        let place = Arc::new(place.map_err(|error| unopened(error, &root))?);
        let committed = Arc::default();
        if whose.agent.is_none() {
            tokio::spawn(look_for_committed(beside, Arc::clone(&committed), self.space_of(id)));
        }
        let open =
            OpenForAgents { place: Arc::clone(&place), statement, exposed, committed, keeping };
        self.lock_for_agents().insert(whose.clone(), open);
        Ok(place)
    }

    /// The space whose views are told of a workspace, if it is the one they show.
    fn space_of(&self, id: &str) -> Option<Arc<Space>> {
        (id == MAIN).then(|| Arc::clone(&self.space))
    }

    /// The agents' place of a workspace, if this path is a long output that it keeps.
    pub fn keeps_output(&self, id: Option<&str>, path: &str) -> Option<Arc<Place>> {
        let open = self.lock_for_agents();
        let place = &open.get(&Whose::shared(id.unwrap_or(MAIN)))?.place;
        is_output(place, path).then(|| Arc::clone(place))
    }

    /// What holds in the agents' place of a workspace, once it was opened.
    pub fn agents_statement(&self, id: &str) -> Option<Statement> {
        let open = self.lock_for_agents();
        open.get(&Whose::shared(id))?
            .statement
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Secrets that may have been read in the agents' place of a workspace, and secrets that were ever
    /// committed, which can be read there.
    pub fn agents_secrets(&self, id: &str) -> (Vec<String>, Vec<String>) {
        let open = self.lock_for_agents();
        let (mut seen, mut ever) = (Vec::new(), Vec::new());
        for (whose, OpenForAgents { exposed, committed, .. }) in open.iter() {
            if whose.workspace == id {
                let exposed = exposed.lock().unwrap_or_else(PoisonError::into_inner);
                let new = exposed.iter().filter(|path| !seen.contains(*path)).cloned();
                let new: Vec<String> = new.collect();
                seen.extend(new);
                ever.extend(committed.get().cloned().unwrap_or_default());
            }
        }
        (seen, ever)
    }

    pub(super) fn lock_for_agents(&self) -> MutexGuard<'_, BTreeMap<Whose, OpenForAgents>> {
        self.open_for_agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the agents' place of a workspace is.
enum Kind {
    /// Confined, with the paths of this machine.
    Confined(Confining),
    /// A sandbox like the workspace's own.
    Sandbox,
}

/// Opens the agents' place of one workspace.
struct Beside {
    making: Making,
    kind: Kind,
    /// The workspace's own place.
    beside: Arc<Place>,
    exposed: Exposed,
    keeping: Keeping,
    space: Option<Arc<Space>>,
    /// Held by who needs that no program of an agent runs.
    stillness: Arc<RwLock<()>>,
    /// The one agent that it is for.
    agent: Option<String>,
    /// What of the home is that agent's.
    own: OwnHome,
}

impl Beside {
    /// Makes the place, with secrets hidden by the rules of the workspace and those that are remembered.
    async fn make(&self, remembered: &[String]) -> Result<Started, OpenError> {
        let Making { hosting, id, record, .. } = &self.making;
        let secret = config::read(&*self.beside).await?.files.secret;
        let also_secret = remembered.iter().map(PathBuf::from).collect();
        Ok(match &self.kind {
            Kind::Confined(confining) => {
                let name = match &self.agent {
                    Some(agent) => format!("{id}-o-{agent}"),
                    None => format!("{id}-agents"),
                };
                let mut spec = spec(hosting, confining, &name, record, secret)?;
                spec.place.also_secret = also_secret;
                spec.own.clone_from(&self.own);
                hosting.machine.start_confined(&spec).await?
            }
            Kind::Sandbox => {
                let spec = self.making.spec("-agents")?;
                let spec = Spec { secrets: Some(secret), also_secret, ..spec };
                hosting.machine.start(&spec, record.provider).await?
            }
        })
    }

    /// The private folder in which it is remembered what the keeper of this place told. Two keepers write no one note.
    fn remembers(&self) -> PathBuf {
        let private = self.making.private();
        match &self.agent {
            Some(agent) => private.join("agents").join(agent),
            None => private,
        }
    }

    async fn start(&self) -> Result<Arc<dyn Host>, OpenError> {
        let id = &self.making.id;
        // What the last keeper told at its end must be known before the next one begins.
        self.keeping.end().await?;
        let _moving = self.stillness.write().await;
        let remembers = self.remembers();
        let among_packages = AmongPackages::read(&remembers).map_err(OpenError::Note)?;
        let mut remembered = among_packages.all();
        if self.agent.is_some() {
            let of_all = AmongPackages::read(&self.making.private()).map_err(OpenError::Note)?;
            remembered.extend(of_all.all());
        }
        let started = self.make(&remembered).await?;
        let inside = &started.statement;
        let private = inside.output_inside.clone().unwrap_or_else(|| self.making.private());
        // The place has an environment of its own, made for it.
        let settings = Settings {
            environment: None,
            shell: None,
            // Whoever opens the workspace's own place ends what an earlier run left there, and nothing here.
            marker: match &self.agent {
                Some(agent) => format!("{}-agent-{agent}-{id}", self.making.hosting.instance),
                None => format!("{}-agents-{id}", self.making.hosting.instance),
            },
            ..self.making.settings(inside.root_inside.clone(), &private)
        };
        let keeper = started.keeper.ok_or(IsolationError::KeeperFailed {
            reason: "the place was made without one".into(),
        })?;
        let listener = Listener {
            workspace: id.clone(),
            root: self.making.record.root.clone(),
            private: self.making.private(),
            exposed: Arc::clone(&self.exposed),
            among_packages,
            space: self.space.clone(),
        };
        let keeper = Arc::new(keeper);
        self.keeping.begin(&keeper, listener).await;
        let stream = tokio::io::join(started.stdout, started.stdin);
        let host = RemoteHost::connect(stream, &settings, started.process).await?;
        self.making.note(started.statement);
        Ok(Arc::new(Kept { host, keeper }))
    }
}

impl Opener for Beside {
    fn open(&self) -> BoxFuture<'_, Result<Arc<dyn Host>, OpenError>> {
        Box::pin(self.start())
    }
}

/// A host in a place with a keeper. Before anything begins in it, all that became secret is hidden.
struct Kept {
    host: RemoteHost,
    keeper: Arc<Keeper>,
}

impl Host for Kept {
    fn facts(&self) -> &Facts {
        self.host.facts()
    }

    fn perform(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> BoxFuture<'_, Result<Reply, HostError>> {
        Box::pin(async move {
            if begins_something(&request) {
                let lost = |lost: KeeperLost| HostError::Lost(lost.to_string());
                self.keeper.drain().await.map_err(lost)?;
            }
            self.host.perform(request, conversation).await
        })
    }

    fn lost(&self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            tokio::select! {
                reason = self.host.lost() => reason,
                lost = self.keeper.lost() => lost.to_string(),
            }
        })
    }
}

/// Whether a program may begin because of it.
fn begins_something(request: &Request) -> bool {
    match request {
        Request::Git(_)
        | Request::GitContent(_)
        | Request::GitIgnored(_)
        | Request::GitCommittedSecrets(_)
        | Request::Run(_)
        | Request::StartRun(_)
        | Request::Pipe(_)
        | Request::OpenTerminal(_)
        | Request::RunInTerminal(_) => true,
        // A shell starts nothing before its line is complete, and each key is a request.
        Request::WriteTerminal(typed) => {
            typed.bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'))
        }
        _ => false,
    }
}

/// Find the secrets that were ever committed: nothing hides them in git's objects.
async fn look_for_committed(place: Arc<Place>, committed: Committed, space: Option<Arc<Space>>) {
    let asked = operation::GitCommittedSecrets { timeout_ms: LOOKING_AT_HISTORY_MS };
    match place.ask(asked).await {
        Ok(found) => {
            if found.total > 0 {
                tracing::warn!(
                    workspace = place.id(),
                    files = found
                        .entries
                        .iter()
                        .take(MOST_NAMED)
                        .cloned()
                        .collect::<Vec<_>>()
                        .join(", "),
                    total = found.total,
                    "git's history has secrets that agents can read there: take them for known, and make new ones"
                );
            }
            if let Some(space) = &space {
                seen_secrets::tell(space, Seen::Committed, &found.entries);
            }
            // The place is opened once, so nobody was here before.
            drop(committed.set(found.entries));
        }
        Err(HostError::Git(GitError::NotARepository | GitError::NoCommitYet)) => {}
        Err(error) => {
            tracing::warn!(workspace = place.id(), %error, "nobody knows whether git's history has secrets");
        }
    }
}

/// Whether a path lies where a place keeps long outputs.
fn is_output(place: &Place, path: &str) -> bool {
    Path::new(path).starts_with(&place.facts().output)
}

/// Whether programs of a workspace have walls of their own.
pub(super) fn is_walled(provider: Provider) -> bool {
    matches!(provider, Provider::Sandbox | Provider::Confined)
}

//! The agents' place: where what an agent starts runs, beside a workspace that has no walls of its own.
//!
//! It is a confined place over the same folder, with the same paths. Whether this machine can make one is
//! found out when the server starts; where it cannot, that is said and asked about, and nothing here does
//! with less. A place that cannot be opened later is an error of the call that needs it.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use openspace_command::{Caller, CallerKind, Error, Result, Site};
use openspace_host::{
    AnyConversation, BoxFuture, Facts, Host, HostError, RemoteHost,
    local::Settings,
    operation::{Reply, Request},
};
use openspace_isolation::{
    Caches, ConfinedSpec, IsolationError, Keeper, KeeperLost, Provider, Reach, Spec, Statement,
};
use openspace_protocol::keeping::{News, Opened};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{
    Hosting, MAIN, Making, WorkspaceRecord, Workspaces, among_packages::AmongPackages, unopened,
};
use crate::{
    config,
    open_space::OpenError,
    places::{Opener, Place},
};

/// Secrets of which it is remembered that they may have been read.
const MOST_EXPOSED: usize = 100;

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
            let spec = spec(hosting, confining, "probe", main, Vec::new())?;
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
    id: &str,
    record: &WorkspaceRecord,
    secret: Vec<String>,
) -> Result<ConfinedSpec, IsolationError> {
    let missing = || IsolationError::RunnerMissing { path: "openspace-runner".into() };
    let runner = hosting.runner.clone().ok_or_else(missing)?;
    let name = format!("{}-{id}-agents", hosting.instance);
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
    })
}

/// Secrets that a program of an agent may have read in the moment before they were hidden.
type Exposed = Arc<Mutex<VecDeque<String>>>;

/// The keeper of a place, which is made anew with the place and ends with it.
type KeeperOfPlace = Arc<Mutex<Weak<Keeper>>>;

/// The agents' place of a workspace.
pub(super) struct OpenForAgents {
    pub(super) place: Arc<Place>,
    statement: Arc<Mutex<Option<Statement>>>,
    exposed: Exposed,
    keeper: KeeperOfPlace,
}

impl OpenForAgents {
    /// Who keeps the place, while it is there.
    pub(super) fn keeper(&self) -> Option<Arc<Keeper>> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
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
        let is_confined = self.site(caller, &record, false) == Site::Confined;
        Ok(is_confined && !is_walled(record.provider))
    }

    /// The agents' place of a workspace that has no walls of its own.
    pub async fn agents_place(&self, id: Option<&str>) -> Result<Arc<Place>> {
        let id = id.unwrap_or(MAIN);
        let known = || self.lock_for_agents().get(id).map(|open| Arc::clone(&open.place));
        if let Some(place) = known() {
            return Ok(place);
        }
        let beside = self.place(Some(id)).await?;
        let _alone = self.guard(id).lock_owned().await;
        if let Some(place) = known() {
            return Ok(place);
        }
        let record = self.record(id)?;
        let AgentsPlaces::Confined(confining) = self.hosting.agents.clone() else {
            return Err(Error::internal("agents have no place of their own on this server"));
        };
        let (root, statement, exposed) = (record.root.clone(), Arc::default(), Exposed::default());
        let making = Making {
            hosting: Arc::clone(&self.hosting),
            id: id.to_owned(),
            record,
            statement: Arc::clone(&statement),
            agents_are_confined: true,
        };
        let keeper = KeeperOfPlace::default();
        let opener = Confined {
            making,
            confining,
            beside,
            exposed: Arc::clone(&exposed),
            keeper: Arc::clone(&keeper),
        };
        let place = Place::open(id.to_owned(), opener).await;
        let place = Arc::new(place.map_err(|error| unopened(error, &root))?);
        let open = OpenForAgents { place: Arc::clone(&place), statement, exposed, keeper };
        self.lock_for_agents().insert(id.to_owned(), open);
        Ok(place)
    }

    /// The agents' place of a workspace, if this path is a long output that it keeps.
    pub fn keeps_output(&self, id: Option<&str>, path: &str) -> Option<Arc<Place>> {
        let open = self.lock_for_agents();
        let place = &open.get(id.unwrap_or(MAIN))?.place;
        is_output(place, path).then(|| Arc::clone(place))
    }

    /// What holds in the agents' place of a workspace, once it was opened, and the secrets that may have
    /// been read in it.
    pub fn agents_statement(&self, id: &str) -> Option<(Statement, Vec<String>)> {
        let open = self.lock_for_agents();
        let OpenForAgents { statement, exposed, .. } = open.get(id)?;
        let statement = statement.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let exposed = exposed.lock().unwrap_or_else(PoisonError::into_inner);
        Some((statement, exposed.iter().cloned().collect()))
    }

    pub(super) fn lock_for_agents(&self) -> MutexGuard<'_, BTreeMap<String, OpenForAgents>> {
        self.open_for_agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the agents' place of one workspace.
struct Confined {
    making: Making,
    confining: Confining,
    /// The workspace's own place.
    beside: Arc<Place>,
    exposed: Exposed,
    keeper: KeeperOfPlace,
}

impl Confined {
    async fn start(&self) -> Result<Arc<dyn Host>, OpenError> {
        let Making { hosting, id, record, .. } = &self.making;
        let secret = config::read(&*self.beside).await?.files.secret;
        let among_packages =
            AmongPackages::read(&self.making.private()).map_err(OpenError::Note)?;
        let mut spec = spec(hosting, &self.confining, id, record, secret)?;
        spec.hidden.extend(among_packages.all().iter().map(|path| record.root.join(path)));
        let started = hosting.machine.start_confined(&spec).await?;
        let inside = &started.statement;
        let private = inside.output_inside.clone().unwrap_or_else(|| self.making.private());
        // The place has an environment of its own, made for it.
        let settings = Settings {
            environment: None,
            shell: None,
            ..self.making.settings(inside.root_inside.clone(), &private)
        };
        let keeper = started.keeper.ok_or(IsolationError::KeeperFailed {
            reason: "the place was made without one".into(),
        })?;
        let exposed = Arc::clone(&self.exposed);
        tokio::spawn(follow(keeper.news(), id.clone(), exposed, among_packages));
        let stream = tokio::io::join(started.stdout, started.stdin);
        let host = RemoteHost::connect(stream, &settings, started.process).await?;
        self.making.note(started.statement);
        let keeper = Arc::new(keeper);
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&keeper);
        Ok(Arc::new(Kept { host, keeper }))
    }
}

impl Opener for Confined {
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
        | Request::Run(_)
        | Request::StartRun(_)
        | Request::OpenTerminal(_)
        | Request::RunInTerminal(_) => true,
        // A shell starts nothing before its line is complete, and each key is a request.
        Request::WriteTerminal(typed) => {
            typed.bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'))
        }
        _ => false,
    }
}

/// Remember which secrets may have been read and where secrets lie, for as long as the place is there.
async fn follow(
    mut news: broadcast::Receiver<News>,
    workspace: String,
    exposed: Exposed,
    among_packages: AmongPackages,
) {
    loop {
        let told = news.recv().await;
        if let Ok(News::Hidden { path, .. }) = &told
            && let Err(error) = among_packages.hid(path)
        {
            tracing::error!(workspace, path, %error, "where a secret was moved cannot be remembered");
        }
        match told {
            Ok(News::Hidden { path, opened: Opened::Seen }) => {
                tracing::warn!(
                    workspace,
                    path,
                    "a secret was opened while it was being replaced: a program of an agent may have read it"
                );
                let mut exposed = exposed.lock().unwrap_or_else(PoisonError::into_inner);
                if !exposed.contains(&path) {
                    exposed.push_back(path);
                }
                while exposed.len() > MOST_EXPOSED {
                    exposed.pop_front();
                }
            }
            Ok(News::Unprotected { path, reason }) => {
                tracing::warn!(
                    workspace,
                    path,
                    reason,
                    "agents can change what should be protected"
                );
            }
            Ok(News::Shown { path, reason }) => {
                tracing::warn!(workspace, path, reason, "agents can read what holds a credential");
            }
            Ok(News::Unwatched { folders, reason }) => {
                tracing::warn!(workspace, folders, reason, "folders are not watched for secrets");
            }
            Ok(_) => {}
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(workspace, missed, "news about hidden secrets were missed");
            }
            Err(RecvError::Closed) => return,
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

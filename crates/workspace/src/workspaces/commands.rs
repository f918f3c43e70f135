//! `workspace.create`, `workspace.list`, `workspace.get`, `workspace.destroy`; `workspace.adopt_repository` beside.

use std::path::PathBuf;

use openspace_command::{
    Caller, CallerKind, Command, Error, ErrorKind, Intent, Meta, Result, Set, Shown,
};
use openspace_git::{CloneRequest, GitRequest};
use openspace_isolation::{Limits, Provider, Statement, folder};
use openspace_protocol::Access;
use openspace_space::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AgentsPlaces, MAIN, MAX_OF_AN_AGENT, MAX_WORKSPACES, Walls, WorkspaceRecord,
    adopt::AdoptRepository, is_walled, reach::Wanted,
};
use crate::{
    Cx, Entry, OpenSpace,
    areas::tools::{
        git::{address, clone_into},
        runs::Runs,
    },
    bounds::check_bounds,
    workspaces::{WorkspaceCounter, WorkspacesPart},
};

/// The commands of this area.
pub const COMMANDS: &[Entry] = &[
    Entry::of::<Create>(),
    Entry::of::<List>(),
    Entry::of::<Get>(),
    Entry::of::<Destroy>(),
    Entry::of::<AdoptRepository>(),
];

/// How long a clone may take.
const CLONE_TIMEOUT_MS: u64 = 1_800_000;
const MAX_NAME: usize = 100;

/// A workspace.
#[derive(Serialize, JsonSchema)]
pub struct WorkspaceInfo {
    /// Its id, for the `workspace_id` of the tools and in `/api/v1/workspaces/{id}`.
    id: String,
    /// What is known about it.
    #[serde(flatten)]
    record: WorkspaceRecord,
    /// Whether its host is open now; it is opened when it is used.
    open: bool,
    /// Where its folder is for programs that run in it; known once it was opened.
    root_inside: Option<PathBuf>,
    /// What it isolates and which limits hold; known once it was opened.
    isolation: Option<Statement>,
    /// Where agents' programs run.
    agents: AgentsPrograms,
}

/// Where agents' programs run in a workspace.
#[derive(Serialize, JsonSchema)]
pub struct AgentsPrograms {
    /// Whether they have walls around them.
    confined: bool,
    /// Why they have none.
    why_not: Option<String>,
    /// What can be done about it.
    hint: Option<String>,
    /// What holds in their own place, where they have one beside the workspace's.
    isolation: Option<Statement>,
    /// Secret files that were opened in the moment before they were hidden: take them for read.
    exposed: Vec<String>,
    /// Secret files that were ever committed: git's objects have them, and nothing hides them there.
    committed: Vec<String>,
}

impl AgentsPrograms {
    fn of(cx: &Cx, id: &str, record: &WorkspaceRecord) -> Self {
        let workspaces = cx.state.workspaces();
        let (exposed, committed) = workspaces.agents_secrets(id);
        let mut programs =
            Self { confined: true, why_not: None, hint: None, isolation: None, exposed, committed };
        if is_walled(record.provider) {
            programs.isolation = workspaces.agents_statement(id);
            return programs;
        }
        match workspaces.walls() {
            Walls::Confined(statement) => {
                // Until it is opened, what holds is what was found out for another folder.
                let alike =
                    || Statement { root_inside: record.root.clone(), ..(**statement).clone() };
                programs.isolation = Some(workspaces.agents_statement(id).unwrap_or_else(alike));
            }
            Walls::Missing { reason, hint } => {
                programs.confined = false;
                programs.why_not = Some(reason.clone());
                programs.hint.clone_from(hint);
            }
        }
        programs
    }
}

impl WorkspaceInfo {
    /// It in one line.
    fn line(&self) -> String {
        let WorkspaceRecord { name, root, provider, network, git_url, created_by, .. } =
            &self.record;
        let name = name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        let source = git_url.as_ref().map(|url| format!(", from {url}")).unwrap_or_default();
        let network = if *network { "" } else { ", no network" };
        let open = if self.open { ", open" } else { "" };
        let root = root.display();
        format!("{}{name}: {provider}{network}{open}, {root}{source}, by {created_by}", self.id)
    }
}

fn info(cx: &Cx, id: &str, record: WorkspaceRecord) -> WorkspaceInfo {
    let isolation = cx.state.workspaces().statement(id);
    WorkspaceInfo {
        id: id.to_owned(),
        agents: AgentsPrograms::of(cx, id, &record),
        record,
        open: cx.state.workspaces().is_open(id),
        root_inside: isolation.as_ref().map(|statement| statement.root_inside.clone()),
        isolation,
    }
}

/// Create a workspace beside the one of the IDE.
///
/// Its folder is `root`, or a new one, into which `git_url` is cloned if given. `provider` says
/// where its programs run: `local` in the server itself, `runner` in a process of their own,
/// `sandbox` isolated with a read-only system, no network unless allowed, and only the folder to
/// write to. What cannot be had is an error: nothing is made less isolated than asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Absolute path of an existing folder on this machine.
    root: Option<PathBuf>,
    /// A repository to clone into a new folder: `https://…`, `file://…`.
    #[serde(alias = "git", alias = "url", alias = "gitUrl")]
    git_url: Option<String>,
    /// The branch to check out.
    branch: Option<String>,
    /// Only so many of the newest commits.
    #[schemars(range(min = 1))]
    depth: Option<u32>,
    /// Where its programs run; as the workspace of the IDE when left out.
    provider: Option<Provider>,
    /// Whether programs in a sandbox may use the network; false when left out.
    #[serde(default)]
    network: bool,
    /// What its programs may use at most.
    #[serde(default)]
    limits: Limits,
    /// A name for people.
    name: Option<String>,
}

impl Command<OpenSpace> for Create {
    const META: Meta = Meta::new("workspace.create", "Workspace: Create", Access::Execute)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = WorkspaceInfo;

    fn summary(&self) -> String {
        let root = self.root.as_ref().map(|root| root.display().to_string());
        let source = self.git_url.clone().or(root).unwrap_or_else(|| "a new folder".into());
        let provider = self.provider.map(|provider| format!(" ({provider})")).unwrap_or_default();
        format!("create workspace from {source}{provider}")
    }

    fn intent(&self, _state: &OpenSpace, _caller: &Caller) -> Intent {
        Intent {
            access: self.git_url.as_ref().map(|_| Access::Reach),
            about: self.git_url.as_deref().map(address::sentence),
            ..Intent::default()
        }
    }

    fn check(&self) -> Result<()> {
        if self.root.is_some() && self.git_url.is_some() {
            return Err(Error::invalid("arguments `root` and `git_url`: give one or the other"));
        }
        if self.root.as_ref().is_some_and(|root| !root.is_absolute()) {
            return Err(Error::invalid("argument `root`: is not an absolute path"));
        }
        if self.git_url.is_none() && (self.branch.is_some() || self.depth.is_some()) {
            return Err(Error::invalid("arguments `branch` and `depth`: go with `git_url`"));
        }
        check_bounds("depth", self.depth, 1..=u32::MAX)?;
        check_limits(&self.limits)?;
        match &self.name {
            Some(name)
                if name.trim().is_empty()
                    || name.chars().count() > MAX_NAME
                    || name.chars().any(char::is_control) =>
            {
                Err(Error::invalid(format!(
                    "argument `name`: must be 1 to {MAX_NAME} printable characters"
                )))
            }
            _ => Ok(()),
        }
    }

    async fn run(self, cx: Cx) -> Result<WorkspaceInfo> {
        let workspaces = cx.state.workspaces();
        let provider = match self.provider {
            Some(provider) => provider,
            None => workspaces.record(MAIN)?.provider,
        };
        if cx.caller.kind == CallerKind::Agent {
            let Self { root, git_url, network, limits, .. } = &self;
            let wanted = Wanted {
                root: root.as_deref(),
                git_url: git_url.as_deref(),
                provider,
                network: *network,
                limits,
            };
            let reach = match &workspaces.hosting().agents {
                AgentsPlaces::Confined(confining) => Some(confining.reach),
                AgentsPlaces::Shared => None,
            };
            wanted.check(&workspaces.record(MAIN)?, reach)?;
        }
        if provider != Provider::Sandbox && self.network {
            return Err(Error::invalid(format!(
                "argument `network`: programs of provider `{provider}` always have the network"
            ))
            .hint("leave `network` out, or use provider `sandbox`"));
        }
        if provider == Provider::Local && self.limits != Limits::default() {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "argument `limits`: nothing limits programs of provider `local`",
            )
            .hint("use provider `runner` or `sandbox`"));
        }
        let id = next_id(&cx)?;
        let owns_root = self.root.is_none();
        let root = match self.root {
            Some(root) => root,
            None => workspaces.hosting().state.join("workspaces").join(&id),
        };
        let record = WorkspaceRecord {
            name: self.name,
            root,
            owns_root,
            provider,
            network: self.network || provider != Provider::Sandbox,
            limits: self.limits,
            git_url: self.git_url,
            created_by: cx.caller.id.clone(),
            created_as: Some(cx.caller.kind),
            created_at: cx.state.now(),
        };
        let source = GitSource { branch: self.branch, depth: self.depth };
        // A task of its own: a call that is taken back is dropped, and has to be cleared away too.
        let making = tokio::spawn(make_or_clear(cx, id, record, source));
        making.await.map_err(|join| Error::internal("the workspace was not made").because(join))?
    }
}

async fn make_or_clear(
    cx: Cx,
    id: String,
    record: WorkspaceRecord,
    source: GitSource,
) -> Result<WorkspaceInfo> {
    let made = tokio::select! {
        made = make(&cx, &id, &record, source) => made,
        () = cx.cancelled.cancelled() => {
            Err(Error::new(ErrorKind::Cancelled, "the caller took the call back"))
        }
    };
    let Err(error) = made else { return Ok(info(&cx, &id, record)) };
    // Nothing half-made stays behind.
    cx.state.workspaces().close(&id).await?;
    forget(&cx, &id).await?;
    remove_folders(&cx, &id, &record).await?;
    Err(error)
}

/// What less of would be of no use at all; a provider may need more.
fn check_limits(limits: &Limits) -> Result<()> {
    let least = [
        ("limits.memory_bytes", limits.memory_bytes, Limits::LEAST_MEMORY),
        ("limits.processes", limits.processes, 1),
        ("limits.cpu_percent", limits.cpu_percent.map(u64::from), 1),
        ("limits.file_size_bytes", limits.file_size_bytes, 1),
        ("limits.open_files", limits.open_files, Limits::LEAST_OPEN_FILES),
        ("limits.temporary_bytes", limits.temporary_bytes, Limits::LEAST_TEMPORARY),
    ];
    least.into_iter().try_for_each(|(name, number, least)| {
        if number.is_some_and(|number| number < least) {
            return Err(Error::invalid(format!("argument `{name}`: must be at least {least}")));
        }
        Ok(())
    })
}

struct GitSource {
    branch: Option<String>,
    depth: Option<u32>,
}

/// Whether there may be one workspace more, of this caller.
fn check_room(state: &State, caller: &Caller) -> Result<()> {
    let workspaces = state.part::<WorkspacesPart>();
    let error = if workspaces.len() >= MAX_WORKSPACES {
        Error::conflict(format!("there are {MAX_WORKSPACES} workspaces already"))
    } else {
        let is_of_it = |one: &WorkspaceRecord| {
            one.created_as == Some(CallerKind::Agent) && one.created_by == caller.id
        };
        let is_agent = caller.kind == CallerKind::Agent;
        if !is_agent || workspaces.values().filter(|one| is_of_it(one)).count() < MAX_OF_AN_AGENT {
            return Ok(());
        }
        Error::new(
            ErrorKind::Limit,
            format!(
                "an agent may have {MAX_OF_AN_AGENT} workspaces at once, and `{}` has them",
                caller.id
            ),
        )
    };
    Err(error.hint("remove some with workspace_destroy"))
}

fn next_id(cx: &Cx) -> Result<String> {
    let (number, _) = cx.state.space().change_now(|state| {
        check_room(state, &cx.caller)?;
        Ok(state.part_mut::<WorkspaceCounter>().advance())
    })?;
    Ok(format!("w{number}"))
}

async fn make(cx: &Cx, id: &str, record: &WorkspaceRecord, source: GitSource) -> Result<()> {
    if record.owns_root {
        let root = record.root.clone();
        let made = tokio::task::spawn_blocking(move || folder::create(&root)).await;
        made.map_err(|join| Error::internal("the folder was not created").because(join))?
            .map_err(|error| Error::internal("the folder cannot be created").because(error))?;
    }
    if let Some(url) = &record.git_url {
        let GitSource { branch, depth } = source;
        let request = GitRequest::Clone(CloneRequest { url: url.clone(), branch, depth });
        clone_into(cx, id, &record.root, request, CLONE_TIMEOUT_MS).await?;
        remove(cx.state.workspaces().private_folders(id).to_vec()).await?;
    }
    let insert = |state: &mut State| {
        // Others may have come while this one was made.
        check_room(state, &cx.caller)?;
        state.part_mut::<WorkspacesPart>().insert(id.to_owned(), record.clone());
        Ok(())
    };
    let remove = |state: &mut State| {
        state.part_mut::<WorkspacesPart>().remove(id);
        Ok(())
    };
    cx.state.space().change_for_good(insert, remove).await?;
    // Opened at once, so that what cannot be had is told now.
    cx.state.workspaces().place(Some(id)).await.map(drop)
}

async fn forget(cx: &Cx, id: &str) -> Result<()> {
    cx.state
        .space()
        .change(|state| {
            state.part_mut::<WorkspacesPart>().remove(id);
            Ok(())
        })
        .await
}

/// Remove what was made for a workspace. A folder that was given stays.
async fn remove_folders(cx: &Cx, id: &str, record: &WorkspaceRecord) -> Result<()> {
    let mut folders = cx.state.workspaces().private_folders(id).to_vec();
    if record.owns_root {
        folders.push(record.root.clone());
    }
    remove(folders).await
}

async fn remove(folders: Vec<PathBuf>) -> Result<()> {
    let remove = move || folders.iter().try_for_each(|folder| folder::remove(folder));
    let removed = tokio::task::spawn_blocking(remove).await;
    removed
        .map_err(|join| Error::internal("the folder was not removed").because(join))?
        .map_err(|error| Error::internal("the folder cannot be removed").because(error))
}

/// Workspaces.
#[derive(Serialize, JsonSchema)]
pub struct AllWorkspaces {
    /// That of the IDE first.
    workspaces: Vec<WorkspaceInfo>,
}

/// List the workspaces.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {}

impl Command<OpenSpace> for List {
    const META: Meta = Meta::new("workspace.list", "Workspace: List", Access::Read)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = AllWorkspaces;

    fn summary(&self) -> String {
        "list workspaces".into()
    }

    async fn run(self, cx: Cx) -> Result<AllWorkspaces> {
        let mut workspaces = vec![info(&cx, MAIN, cx.state.workspaces().record(MAIN)?)];
        let state = cx.state.space().state();
        let records = state.part::<WorkspacesPart>();
        workspaces.extend(records.iter().map(|(id, record)| info(&cx, id, record.clone())));
        Ok(AllWorkspaces { workspaces })
    }

    fn text(all: &AllWorkspaces) -> Option<String> {
        let mut lines: Vec<String> = all.workspaces.iter().map(WorkspaceInfo::line).collect();
        lines.push("(workspace_get shows what one isolates and which limits hold)".into());
        Some(lines.join("\n"))
    }
}

/// Show one workspace: where it is, what it isolates, which limits hold.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// Its id.
    #[serde(alias = "workspaceId", alias = "workspace", alias = "id")]
    workspace_id: String,
}

impl Command<OpenSpace> for Get {
    const META: Meta = Meta::new("workspace.get", "Workspace: Show", Access::Read)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = WorkspaceInfo;

    fn summary(&self) -> String {
        format!("show workspace {}", self.workspace_id)
    }

    fn workspace(&self) -> Option<&str> {
        Some(&self.workspace_id)
    }

    async fn run(self, cx: Cx) -> Result<WorkspaceInfo> {
        let record = cx.state.workspaces().record(&self.workspace_id)?;
        Ok(info(&cx, &self.workspace_id, record))
    }
}

/// A workspace that is gone.
#[derive(Serialize, JsonSchema)]
pub struct Destroyed {
    /// Its id.
    id: String,
    /// Its folder, if it is still there.
    kept_root: Option<PathBuf>,
}

/// Destroy a workspace: end everything in it and forget it.
///
/// A folder that was made for it is removed with all files; a folder that was given stays. The
/// workspace of the IDE cannot be destroyed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Destroy {
    /// Its id.
    #[serde(alias = "workspaceId", alias = "workspace", alias = "id")]
    workspace_id: String,
}

impl Command<OpenSpace> for Destroy {
    const META: Meta = Meta::new("workspace.destroy", "Workspace: Destroy", Access::Destroy)
        .set(Set::Workspace)
        .shown(Shown::Searchable);
    type Output = Destroyed;

    fn summary(&self) -> String {
        format!("destroy workspace {}", self.workspace_id)
    }

    fn workspace(&self) -> Option<&str> {
        Some(&self.workspace_id)
    }

    async fn run(self, cx: Cx) -> Result<Destroyed> {
        let id = self.workspace_id;
        if id == MAIN {
            return Err(Error::conflict("the workspace of the IDE cannot be destroyed")
                .hint("stop the server instead"));
        }
        let workspaces = cx.state.workspaces();
        let record = workspaces.record(&id)?;
        workspaces.check_reach(&cx.caller, &record)?;
        let _alone = workspaces.guard(&id).lock_owned().await;
        cx.state.service::<Runs>().end(&id).await?;
        workspaces.close(&id).await?;
        // The folder goes first: what cannot be removed stays known.
        remove_folders(&cx, &id, &record).await?;
        forget(&cx, &id).await?;
        let kept_root = (!record.owns_root).then_some(record.root);
        Ok(Destroyed { id, kept_root })
    }
}

//! Background runs: `workspace.run_output`, `workspace.run_kill`, `workspace.run_list`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use openspace_command::{Caller, CallerKind, Command, Error, ErrorKind, Meta, Result, Set, Shown};
use openspace_host::{
    Host, HostError,
    operation::{KillRun, Program, ReadRun, StartRun, WaitRun},
};
use openspace_process::State;
use openspace_protocol::Access;
use openspace_space::Space;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

pub use self::status::RunStatus;
use crate::{
    Cx, OpenSpace,
    agents::brought::{self, Bringing, CameAndWent, RUN},
    bounds::check_bounds,
    places::Place,
    refusal::refused,
    services::{Base, Service},
    workspaces::MAIN,
};

mod status;

/// Runs that are known at once; the oldest are forgotten first, and a forgotten one that still runs
/// goes on until its workspace is closed.
const MAX_RUNS: usize = 200;
/// Runs of one agent that go on at once, in all of its sessions: sessions are begun at will.
pub const MAX_OF_AN_AGENT: usize = 32;
/// The longest wait for a run.
const MAX_WAIT_MS: u64 = 600_000;

/// A run that was started.
pub struct Started {
    /// Its handle.
    pub run_id: String,
    /// Its process.
    pub pid: u32,
}

#[derive(Clone)]
struct Known {
    host: Arc<dyn Host>,
    workspace: String,
    command: String,
    started_by: String,
    started_at: u64,
}

#[derive(Default)]
struct Table {
    last: u64,
    known: BTreeMap<u64, Known>,
    /// Which agents' runs start or go on.
    of_agents: BTreeMap<u64, String>,
}

impl Table {
    /// The number of a new run, if its caller may have one more.
    fn reserve(&mut self, caller: &Caller) -> Result<u64> {
        let is_agent = caller.kind == CallerKind::Agent;
        let of_it = self.of_agents.values().filter(|agent| **agent == caller.id).count();
        if is_agent && of_it >= MAX_OF_AN_AGENT {
            return Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "an agent may have {MAX_OF_AN_AGENT} background runs at once, and `{}` has them",
                    caller.id
                ),
            )
            .hint("end some with workspace_run_kill, or wait for them with workspace_run_output"));
        }
        self.last += 1;
        if is_agent {
            self.of_agents.insert(self.last, caller.id.clone());
        }
        Ok(self.last)
    }
}

/// A run of an agent that starts or goes on, counted until dropped.
struct Counted {
    runs: Weak<Mutex<Table>>,
    run: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(table) = self.runs.upgrade() {
            table.lock().unwrap_or_else(PoisonError::into_inner).of_agents.remove(&self.run);
        }
    }
}

/// The background runs of all workspaces.
pub struct Runs {
    table: Arc<Mutex<Table>>,
    space: Arc<Space>,
}

/// They end with their places.
impl Service for Runs {
    fn start(base: &Base) -> Self {
        Self { table: Arc::default(), space: Arc::clone(&base.space) }
    }
}

/// Runs go with the agent that started them.
pub(super) const RUNS: Bringing = Bringing {
    kind: RUN,
    between: |_, _| CameAndWent::default(),
    stays: |_, _, _| None,
    end: |state, name| {
        Box::pin(async move { state.service::<Runs>().end_one(name).await.map(|()| None) })
    },
    stop: Some(|state, name| Box::pin(async move { state.service::<Runs>().end_one(name).await })),
};

impl Runs {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Start a program in the background.
    pub async fn start_program(&self, cx: &Cx, place: &Place, program: Program) -> Result<Started> {
        let host = place.host().await.map_err(refused)?;
        let run = self.lock().reserve(&cx.caller)?;
        let counted = Counted { runs: Arc::downgrade(&self.table), run };
        let command = program.command.clone();
        let pid = host.ask(StartRun { run, program }).await.map_err(refused)?;
        let known = Known {
            host: Arc::clone(&host),
            workspace: place.id().to_owned(),
            command,
            started_by: cx.caller.id.clone(),
            started_at: cx.state.now(),
        };
        {
            let mut table = self.lock();
            table.known.insert(run, known);
            while table.known.len() > MAX_RUNS {
                table.known.pop_first();
            }
        }
        let run_id = format!("r{run}");
        if cx.caller.kind == CallerKind::Agent {
            self.space.change_now(|state| {
                brought::note(state, &cx.caller, cx.state.now(), RUN, &run_id);
                Ok(())
            })?;
            tokio::spawn(forget_when_ended(host, counted, Arc::downgrade(&self.space)));
        }
        Ok(Started { run_id, pid })
    }

    /// End a run, if it is still known and runs.
    async fn end_one(&self, name: &str) -> Result<()> {
        let Ok((run, known)) = self.find(name, None) else { return Ok(()) };
        match known.host.ask(KillRun { run }).await {
            Ok(_) | Err(HostError::Lost(_) | HostError::Unknown { .. }) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }

    fn find(&self, name: &str, workspace: Option<&str>) -> Result<(u64, Known)> {
        let table = self.lock();
        let number = name.strip_prefix('r').and_then(|digits| digits.parse().ok());
        let meant = |known: &Known| workspace.is_none_or(|id| known.workspace == id);
        if let Some((run, known)) = number.and_then(|run| table.known.get_key_value(&run))
            && meant(known)
        {
            return Ok((*run, known.clone()));
        }
        let others = table.known.iter().rev().filter(|(_, known)| meant(known));
        let names: Vec<String> = others.take(20).map(|(run, _)| format!("r{run}")).collect();
        let names = if names.is_empty() { "there are none".into() } else { names.join(", ") };
        let shown: String = name.chars().take(100).collect();
        Err(Error::not_found(format!("there is no background run `{shown}`"))
            .hint(format!("runs: {names}; they do not outlive the server")))
    }

    /// End the runs of a workspace that goes, and forget them.
    pub async fn end(&self, workspace: &str) -> Result<()> {
        let mut ends = JoinSet::new();
        for (run, known) in &self.lock().known {
            if known.workspace == workspace {
                let (run, host) = (*run, Arc::clone(&known.host));
                ends.spawn(async move { host.ask(KillRun { run }).await });
            }
        }
        while let Some(ended) = ends.join_next().await {
            match ended {
                Ok(Ok(_) | Err(HostError::Lost(_) | HostError::Unknown { .. })) => {}
                // What cannot be ended stays known, so that it can be tried again.
                Ok(Err(error)) => return Err(refused(error)),
                Err(join) => return Err(Error::internal("a run was not ended").because(join)),
            }
        }
        self.lock().known.retain(|_, known| known.workspace != workspace);
        Ok(())
    }
}

/// A run that has ended was brought by nobody any more.
async fn forget_when_ended(host: Arc<dyn Host>, counted: Counted, space: Weak<Space>) {
    let run = counted.run;
    loop {
        match host.ask(WaitRun { run, patience_ms: MAX_WAIT_MS }).await {
            Ok(status) if matches!(status.state, State::Running { .. }) => {}
            _ => break,
        }
    }
    drop(counted);
    let Some(space) = space.upgrade() else { return };
    let forgotten = space.change_now(|state| {
        brought::forget(state, RUN, &format!("r{run}"));
        Ok(())
    });
    if let Err(error) = forgotten {
        tracing::error!(run, %error, "the end of a run could not be noted");
    }
}

/// The run a caller means, if it may reach its workspace.
fn find(cx: &Cx, name: &str, workspace: Option<&str>) -> Result<(u64, Known)> {
    let found = cx.state.service::<Runs>().find(name, workspace)?;
    let workspaces = cx.state.workspaces();
    if found.1.workspace != MAIN {
        workspaces.check_reach(&cx.caller, &workspaces.record(&found.1.workspace)?)?;
    }
    Ok(found)
}

/// Output of a background run.
#[derive(Serialize, JsonSchema)]
pub struct RunOutput {
    /// What it printed after `since`, both streams in the order of arrival; at most 50 KB.
    output: String,
    /// Pass it as `since` to get only what comes after.
    cursor: u64,
    /// Whether more is there to be read at once.
    more: bool,
    /// How many bytes after `since` are lost.
    dropped: u64,
    /// How it is.
    #[serde(flatten)]
    status: RunStatus,
}

/// Read what a background run has printed, and how it is.
///
/// With `since` only what came after an earlier read.
///
/// With `wait_ms` the answer waits for the run to end, but not longer than that.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The handle that `workspace.bash` gave.
    #[serde(alias = "runId", alias = "id", alias = "bash_id", alias = "shell_id")]
    run_id: String,
    /// The `cursor` of an earlier read.
    ///
    /// From the beginning when left out.
    #[serde(default, alias = "cursor")]
    since: u64,
    /// Milliseconds to wait for its end.
    #[schemars(range(max = MAX_WAIT_MS))]
    #[serde(default, alias = "waitMs", alias = "timeout_ms", alias = "timeout")]
    wait_ms: u64,
    /// Which workspace.
    ///
    /// It must belong to this one.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for Output {
    const META: Meta =
        Meta::new("workspace.run_output", "Workspace: Read Background Run", Access::Read)
            .set(Set::Workspace);
    type Output = RunOutput;

    fn summary(&self) -> String {
        format!("read run {}", self.run_id)
    }

    fn workspace(&self) -> Option<&str> {
        self.workspace_id.as_deref()
    }

    fn check(&self) -> Result<()> {
        check_bounds("wait_ms", Some(self.wait_ms), 0..=MAX_WAIT_MS)
    }

    async fn run(self, cx: Cx) -> Result<RunOutput> {
        let (run, known) = find(&cx, &self.run_id, self.workspace_id.as_deref())?;
        let wait = WaitRun { run, patience_ms: self.wait_ms };
        let status = known.host.ask(wait).await.map_err(refused)?;
        let chunk = known.host.ask(ReadRun { run, since: self.since }).await.map_err(refused)?;
        Ok(RunOutput {
            output: chunk.text,
            cursor: chunk.cursor,
            more: chunk.more,
            dropped: chunk.dropped,
            status: RunStatus::of(run, status),
        })
    }

    fn text(read: &RunOutput) -> Option<String> {
        let mut text = read.output.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if read.dropped > 0 {
            let _ = writeln!(text, "({} bytes are lost)", read.dropped);
        }
        let more = if read.more { "; there is more now" } else { "" };
        let _ = write!(text, "(cursor={}{more}; {})", read.cursor, read.status.describe());
        Some(text)
    }
}

/// End a background run and everything it started.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kill {
    /// The handle that `workspace.bash` gave.
    #[serde(alias = "runId", alias = "id", alias = "bash_id", alias = "shell_id")]
    run_id: String,
    /// Which workspace.
    ///
    /// It must belong to this one.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for Kill {
    const META: Meta =
        Meta::new("workspace.run_kill", "Workspace: End Background Run", Access::Execute)
            .set(Set::Workspace)
            .parallel()
            .idempotent();
    type Output = RunStatus;

    fn summary(&self) -> String {
        format!("end run {}", self.run_id)
    }

    fn workspace(&self) -> Option<&str> {
        self.workspace_id.as_deref()
    }

    async fn run(self, cx: Cx) -> Result<RunStatus> {
        let (run, known) = find(&cx, &self.run_id, self.workspace_id.as_deref())?;
        let status = known.host.ask(KillRun { run }).await.map_err(refused)?;
        Ok(RunStatus::of(run, status))
    }

    fn text(status: &RunStatus) -> Option<String> {
        Some(status.describe())
    }
}

/// A background run in the list.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// The workspace it runs in.
    workspace: String,
    /// The command line.
    command: String,
    /// Who started it.
    started_by: String,
    /// When, in milliseconds since 1970.
    started_at: u64,
    /// How it is.
    #[serde(flatten)]
    status: RunStatus,
}

/// Background runs.
#[derive(Serialize, JsonSchema)]
pub struct AllRuns {
    /// The newest last.
    runs: Vec<Listed>,
}

/// List the background runs.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only those of this workspace; all when left out.
    #[serde(alias = "workspaceId", alias = "workspace")]
    workspace_id: Option<String>,
}

impl Command<OpenSpace> for List {
    const META: Meta =
        Meta::new("workspace.run_list", "Workspace: List Background Runs", Access::Read)
            .set(Set::Workspace)
            .shown(Shown::Searchable);
    type Output = AllRuns;

    fn summary(&self) -> String {
        "list background runs".into()
    }

    fn workspace(&self) -> Option<&str> {
        self.workspace_id.as_deref()
    }

    async fn run(self, cx: Cx) -> Result<AllRuns> {
        let mut known = cx.state.service::<Runs>().lock().known.clone();
        if let Some(id) = &self.workspace_id {
            cx.state.workspaces().record(id)?;
            known.retain(|_, known| known.workspace == *id);
        }
        let mut runs = Vec::with_capacity(known.len());
        for (run, known) in known {
            let status = match known.host.ask(WaitRun { run, patience_ms: 0 }).await {
                Ok(status) => RunStatus::of(run, status),
                // Its place is gone, or has forgotten it to make room for others.
                Err(HostError::Lost(_) | HostError::Unknown { .. }) => RunStatus::lost(run),
                Err(error) => return Err(refused(error)),
            };
            runs.push(Listed {
                workspace: known.workspace,
                command: known.command,
                started_by: known.started_by,
                started_at: known.started_at,
                status,
            });
        }
        Ok(AllRuns { runs })
    }

    fn text(all: &AllRuns) -> Option<String> {
        if all.runs.is_empty() {
            return Some("No background runs.".into());
        }
        let line = |run: &Listed| {
            let Listed { workspace, command, started_by, status, .. } = run;
            format!("{}, in {workspace} for {started_by}: {command}", status.describe())
        };
        Some(all.runs.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

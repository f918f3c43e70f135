//! The machine on which places are made.

use std::path::{Path, PathBuf};
use std::time::Duration;

use openspace_protocol::confinement::{ConfinementReport, LONGEST_REPORT};
use rustix::fs::{Gid, Mode, OFlags, Uid};
use rustix::process::Resource;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::OnceCell;

use crate::cgroups::{Groups, Tree};
use crate::launch::{self, Launch};
use crate::sandbox;
use crate::statement::{HeldLimit, Isolated};
use crate::{Insiders, IsolationError, Keeper, Limits, Provider, RunnerProcess, Spec, Statement};

#[cfg(test)]
mod tests;
mod walled;

/// How long a sandbox may take until its runner has confined itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// The machine as it is found. Keep one: what it has looked up once it does not look up again.
#[derive(Debug)]
pub struct Machine {
    bubblewrap: PathBuf,
    usable: OnceCell<PathBuf>,
    cgroups: Tree,
    open_files: Option<u64>,
    insiders: Insiders,
}

impl Default for Machine {
    fn default() -> Self {
        Self::with("bwrap", "/sys/fs/cgroup")
    }
}

/// A place that runs: the stream to its runner, and what holds in it.
#[derive(Debug)]
pub struct Started {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub statement: Statement,
    pub process: RunnerProcess,
    /// Hides secrets in the place, if that was asked for. Dropping it ends the place.
    pub keeper: Option<Keeper>,
}

impl Machine {
    /// A machine whose bubblewrap and cgroups are elsewhere.
    pub fn with(bubblewrap: impl Into<PathBuf>, cgroups: impl Into<PathBuf>) -> Self {
        let cgroups = Tree { root: cgroups.into(), own: "/proc/self/cgroup".into() };
        Self {
            bubblewrap: bubblewrap.into(),
            usable: OnceCell::new(),
            cgroups,
            open_files: None,
            insiders: Insiders::default(),
        }
    }

    /// The same, where places may have so many files open unless they ask for more: this process may
    /// have taken more for itself.
    #[must_use]
    pub fn with_open_files(self, soft: Option<u64>) -> Self {
        Self { open_files: soft, ..self }
    }

    /// The programs in the walled places that are made here.
    pub fn insiders(&self) -> Insiders {
        self.insiders.clone()
    }

    /// Makes a place and starts the runner in it. The provider `local` has no stream.
    pub async fn start(&self, spec: &Spec, provider: Provider) -> Result<Started, IsolationError> {
        match provider {
            Provider::Local => Err(IsolationError::InProcess(provider)),
            Provider::Runner => self.start_runner(spec).await,
            Provider::Sandbox => {
                let folder = sandbox::open_folder(&spec.root)?;
                self.start_sandbox(spec, Some(folder)).await
            }
            Provider::Confined => Err(IsolationError::NotByItself(provider)),
        }
    }

    /// What a place of this kind would hold, found out by making one and ending it at once. The
    /// folder of the spec is not touched.
    pub async fn probe(
        &self,
        spec: &Spec,
        provider: Provider,
    ) -> Result<Statement, IsolationError> {
        let started = match provider {
            Provider::Local if spec.limits == Limits::default() => {
                return Ok(Statement::local(spec.root.clone()));
            }
            Provider::Local => return Err(IsolationError::Unlimited(provider)),
            Provider::Runner => self.start_runner(spec).await?,
            Provider::Sandbox => self.start_sandbox(spec, None).await?,
            Provider::Confined => return Err(IsolationError::NotByItself(provider)),
        };
        started.process.end().await;
        Ok(started.statement)
    }

    async fn start_runner(&self, spec: &Spec) -> Result<Started, IsolationError> {
        if spec.secrets.is_some() {
            return Err(IsolationError::SecretsShown);
        }
        if spec.limits.temporary_bytes.is_some() {
            return Err(limit(
                "temporary_bytes",
                "only a sandbox has temporary folders of its own",
            ));
        }
        if !spec.root.is_absolute() || !spec.root.is_dir() {
            let reason = "it is no absolute path of a folder".to_owned();
            return Err(IsolationError::Root { path: spec.root.clone(), reason });
        }
        check(spec, 1)?;
        open_program(&spec.runner)?;
        let (resources, mut held) = resources(&spec.limits)?;
        let groups = self.groups(spec, &mut held).await?;
        let launch = Launch {
            program: spec.runner.clone(),
            arguments: spec.arguments.clone(),
            environment: spec.environment.clone(),
            folder: spec.root.clone(),
            kept: Vec::new(),
            joined: groups.as_ref().map_or_else(|| Ok(Vec::new()), Groups::joining)?,
            limits: resources,
            open_files: self.open_files,
            identity: None,
        };
        let mut caveats = Statement::local(spec.root.clone()).caveats;
        if groups.is_none() {
            caveats.push("programs that leave the runner's session may outlive it".to_owned());
        }
        let statement = Statement {
            caveats,
            provider: Provider::Runner,
            isolates: vec![Isolated::Crashes],
            layers: vec!["process".to_owned()],
            limits: held,
            ..Statement::local(spec.root.clone())
        };
        let (stdin, stdout, process) = started(launch, groups).await?;
        Ok(Started { stdin, stdout, statement, process, keeper: None })
    }

    /// Making a group can wait for the kernel, so it is done off the runtime's threads.
    async fn groups(
        &self,
        spec: &Spec,
        held: &mut Vec<HeldLimit>,
    ) -> Result<Option<Groups>, IsolationError> {
        let (tree, name, limits) = (self.cgroups.clone(), spec.name.clone(), spec.limits.clone());
        let made = tokio::task::spawn_blocking(move || Groups::make(&tree, &name, &limits)).await;
        let failed = |error| IsolationError::system("make a cgroup")(std::io::Error::other(error));
        let Some((groups, limits)) = made.map_err(failed)?? else { return Ok(None) };
        held.splice(0..0, limits);
        Ok(Some(groups))
    }
}

fn limit(limit: &'static str, reason: impl Into<String>) -> IsolationError {
    IsolationError::LimitUnavailable { limit, reason: reason.into() }
}

fn check(spec: &Spec, fewest_processes: u64) -> Result<(), IsolationError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !(1..=64).contains(&spec.name.len()) || !spec.name.bytes().all(is_plain) {
        return Err(IsolationError::Name(spec.name.clone()));
    }
    let limits = &spec.limits;
    let smallest = [
        ("memory_bytes", limits.memory_bytes, Limits::LEAST_MEMORY),
        ("processes", limits.processes, fewest_processes),
        ("cpu_percent", limits.cpu_percent.map(u64::from), 1),
        ("file_size_bytes", limits.file_size_bytes, 1),
        ("open_files", limits.open_files, Limits::LEAST_OPEN_FILES),
        ("temporary_bytes", limits.temporary_bytes, Limits::LEAST_TEMPORARY),
    ];
    let found = smallest.into_iter().find(|(_, value, least)| value.is_some_and(|it| it < *least));
    found.map_or(Ok(()), |(name, _, least)| Err(limit(name, format!("the least is {least}"))))
}

type Resources = Vec<(Resource, u64)>;

/// What the kernel holds for each process by itself.
fn resources(limits: &Limits) -> Result<(Resources, Vec<HeldLimit>), IsolationError> {
    let wanted = [
        ("file_size_bytes", limits.file_size_bytes, Resource::Fsize, "rlimit fsize"),
        ("open_files", limits.open_files, Resource::Nofile, "rlimit nofile"),
    ];
    let (mut resources, mut held) = (Vec::new(), Vec::new());
    for (name, value, resource, by) in wanted {
        let Some(value) = value else { continue };
        if let Some(most) = rustix::process::getrlimit(resource).maximum.filter(|it| *it < value) {
            return Err(limit(name, format!("the server itself may have no more than {most}")));
        }
        resources.push((resource, value));
        held.push(HeldLimit { name: name.to_owned(), value, by: by.to_owned() });
    }
    Ok((resources, held))
}

fn open_program(path: &Path) -> Result<std::os::fd::OwnedFd, IsolationError> {
    let missing = || IsolationError::RunnerMissing { path: path.to_path_buf() };
    let is_program = path.is_absolute()
        && path.is_file()
        && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    if !is_program {
        return Err(missing());
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|_| missing())
}

/// Whom a server that is root becomes: the owner of the folder, so that files made inside belong
/// to the one to whom the others belong, and that one's rights are all there are.
fn owner(folder: &std::os::fd::OwnedFd) -> Result<Option<(Uid, Gid)>, IsolationError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let failed =
        |error: rustix::io::Errno| IsolationError::system("look at the folder")(error.into());
    let status = rustix::fs::fstat(folder).map_err(failed)?;
    let owner = (Uid::from_raw(status.st_uid), Gid::from_raw(status.st_gid));
    Ok((!owner.0.is_root()).then_some(owner))
}

async fn started(
    launch: Launch,
    groups: Option<Groups>,
) -> Result<(ChildStdin, ChildStdout, RunnerProcess), IsolationError> {
    let doing = format!("start {}", launch.program.display());
    let mut child = launch::start(launch).await.map_err(IsolationError::system(doing.clone()))?;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let process = RunnerProcess::new(child, streams.2, groups);
    let (Some(stdin), Some(stdout)) = (streams.0, streams.1) else {
        return Err(IsolationError::system(doing)(std::io::Error::other("it has no streams")));
    };
    Ok((stdin, stdout, process))
}

/// The first line, byte by byte, because what follows it is not ours to read.
async fn report(stdout: &mut (impl AsyncRead + Unpin)) -> Result<ConfinementReport, String> {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        if line.len() == LONGEST_REPORT {
            return Err("the first line of the runner is too long".to_owned());
        }
        match stdout.read_u8().await {
            Ok(byte) => line.push(byte),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err("it ended before it said anything".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    serde_json::from_slice(&line).map_err(|error| {
        format!("its first line is no report ({error}): {}", String::from_utf8_lossy(&line).trim())
    })
}

async fn failure(process: RunnerProcess, reason: String) -> IsolationError {
    // Its own words come with its end; if it does not end, it is ended.
    let grace = Duration::from_secs(1);
    drop(tokio::time::timeout(grace, process.ended()).await);
    let ending = process.end().await;
    // Bubblewrap tells what went wrong in no other way.
    let told = ending.stderr.lines().find_map(|line| line.strip_prefix("bwrap: "));
    match told {
        Some(told) if told.starts_with("execvp") => {
            IsolationError::RunnerFailed { reason: told.to_owned() }
        }
        Some(told) => IsolationError::Refused { reason: told.to_owned() },
        None => IsolationError::RunnerFailed { reason: format!("{reason}; {ending}") },
    }
}

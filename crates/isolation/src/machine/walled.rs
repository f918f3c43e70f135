//! Starting a walled place: bubblewrap with the runner in it, and the keeper beside it.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use openspace_protocol::confinement::ConfinementReport;
use openspace_protocol::keeping::{self, Keep};
use rustix::fs::{Gid, Uid};
use rustix::process::Resource;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use super::{Machine, PATIENCE, Started, check, failure, open_program, report, resources, started};
use crate::bubblewrap::{MASKS, OUTPUT, Prepared};
use crate::cgroups::Groups;
use crate::keeper::Starting;
use crate::launch::{self, Launch};
use crate::sandbox::{self, program};
use crate::statement::{HeldLimit, Isolated, Network};
use crate::{
    ConfinedSpec, IsolationError, Provider, Reach, Spec, Statement, confined, own_network,
};

/// The longest that bubblewrap says about who is inside.
const LONGEST_INFORMATION: u64 = 4096;

/// The first interface of Landlock that keeps abstract sockets apart.
const SCOPES: u32 = 6;

/// What differs between the kinds of walled places.
struct Wall<'a> {
    spec: &'a Spec,
    provider: Provider,
    root_inside: PathBuf,
    network: Network,
    identity: Option<(Uid, Gid)>,
    prepared: Prepared,
    keep: Option<(Keep, Option<OwnedFd>)>,
    caveats: Vec<String>,
}

impl Machine {
    pub(super) async fn start_sandbox(
        &self,
        spec: &Spec,
        folder: Option<OwnedFd>,
    ) -> Result<Started, IsolationError> {
        check(spec, 3)?;
        let runner = open_program(&spec.runner)?;
        let identity = folder.as_ref().map(super::owner).transpose()?.flatten();
        let keep = match &spec.secrets {
            Some(_) => {
                Some((keep(spec, sandbox::WORKSPACE.into(), Vec::new()), another(folder.as_ref())?))
            }
            None => None,
        };
        let caveats = if keep.is_some() {
            about_work().into_iter().chain(about_secrets()).collect()
        } else {
            let all = "all of the workspace can be changed from inside, `.git` and its hooks included: do \
                       not run what is in it outside";
            vec![all.to_owned()]
        };
        let wall = Wall {
            spec,
            provider: Provider::Sandbox,
            root_inside: sandbox::WORKSPACE.into(),
            network: if spec.network { Network::Machine } else { Network::None },
            identity,
            prepared: sandbox::prepare(spec, folder, runner)?,
            keep,
            caveats,
        };
        self.start_walled(wall).await
    }

    /// Makes the agents' place over a folder. It always has a keeper.
    pub async fn start_confined(&self, spec: &ConfinedSpec) -> Result<Started, IsolationError> {
        let folder = sandbox::open_folder(&spec.place.root)?;
        self.start_confined_with(spec, Some(folder)).await
    }

    /// What such a place would hold, found out by making one over an empty folder and ending it at
    /// once. The folder of the spec is not touched.
    pub async fn probe_confined(&self, spec: &ConfinedSpec) -> Result<Statement, IsolationError> {
        let started = self.start_confined_with(spec, None).await?;
        started.process.end().await;
        Ok(started.statement)
    }

    async fn start_confined_with(
        &self,
        spec: &ConfinedSpec,
        folder: Option<OwnedFd>,
    ) -> Result<Started, IsolationError> {
        check(&spec.place, 3)?;
        let runner = open_program(&spec.place.runner)?;
        let identity = folder.as_ref().map(super::owner).transpose()?.flatten();
        let outside = another(folder.as_ref())?;
        let place = confined::prepare(spec, folder, runner, identity)?;
        let root = spec.place.root.clone();
        let keep = keep(&spec.place, root.clone(), place.hidden);
        let mut caveats = vec![
            "what this user may read in the folders of the system, such as `/usr` and `/opt`, can be read \
             inside, except for what in `/etc` not everybody may read"
                .to_owned(),
        ];
        caveats.extend(about_work());
        if place.shares_caches {
            caveats.push(
                "caches of tools, and what you allowed to be changed, are shared with this machine: \
                 what is put there inside is used outside"
                    .to_owned(),
            );
        }
        if root.join(".git").is_file() {
            caveats.push(
                "`.git` is a file that names a repository elsewhere: one outside the workspace is not \
                 shown, and git does not work inside"
                    .to_owned(),
            );
        }
        caveats.extend(about_secrets());
        let wall = Wall {
            spec: &spec.place,
            provider: Provider::Confined,
            root_inside: root,
            network: match spec.reach {
                Reach::None => Network::None,
                Reach::Machine => Network::Machine,
                Reach::Own => Network::Own,
            },
            identity,
            prepared: place.prepared,
            keep: Some((keep, outside)),
            caveats,
        };
        self.start_walled(wall).await
    }

    async fn start_walled(&self, wall: Wall<'_>) -> Result<Started, IsolationError> {
        let bubblewrap = self.usable.get_or_try_init(|| program::find(&self.bubblewrap)).await?;
        let (mut resources, mut held) = resources(&wall.spec.limits)?;
        resources.push((Resource::Core, 0));
        let groups = self.groups(wall.spec, &mut held).await?;
        held.push(HeldLimit {
            name: "temporary_bytes".to_owned(),
            value: wall.spec.limits.temporary_size(),
            by: "size of each tmpfs".to_owned(),
        });
        let Prepared { arguments, files, told } = wall.prepared;
        let launch = Launch {
            program: bubblewrap.clone(),
            arguments,
            // Bubblewrap runs outside: a variable for the inside must not reach it.
            environment: Vec::new(),
            folder: "/".into(),
            kept: files,
            joined: groups.as_ref().map_or_else(|| Ok(Vec::new()), Groups::joining)?,
            limits: resources,
            open_files: self.open_files,
            identity: wall.identity,
        };
        // It looks through the workspace while the place is being made.
        let keeper = match wall.keep {
            Some((keep, folder)) => {
                Some(start_keeper(&wall.spec.runner, keep, folder, wall.identity).await?)
            }
            None => None,
        };
        let (stdin, mut stdout, process) = started(launch, groups).await?;
        let (told, said) =
            tokio::join!(inside(told), tokio::time::timeout(PATIENCE, report(&mut stdout)));
        let user = wall.identity.map_or_else(rustix::process::geteuid, |(user, _)| user);
        if let Ok(pid) = &told {
            process.has_inside(*pid);
            self.insiders
                .add(*pid, user.as_raw())
                .map_err(IsolationError::system("follow who is in the place"))?;
        }
        let report = match said {
            Ok(Ok(report)) => report,
            Ok(Err(reason)) => return Err(failure(process, reason).await),
            Err(_) => return Err(IsolationError::Silent { after: PATIENCE }),
        };
        // Who is not known to be inside would be taken for somebody outside.
        let pid = told?;
        if wall.network == Network::Own {
            let carrier =
                own_network::give(&wall.spec.runner, pid, wall.identity, &process).await?;
            self.insiders
                .add_carrier(carrier, user.as_raw())
                .map_err(IsolationError::system("follow what carries the network"))?;
        }
        let is_root = wall.identity.is_none() && rustix::process::geteuid().is_root();
        let keeper = match keeper {
            Some(keeper) => Some(keeper.join(pid, &process).await?),
            None => None,
        };
        let mut statement = Statement {
            provider: wall.provider,
            root_inside: wall.root_inside,
            caveats: wall.caveats,
            limits: held,
            ..statement(wall.network, &report)?
        };
        if let Some(keeper) = &keeper {
            statement.layers.push("secrets hidden by a keeper".to_owned());
            statement.caveats.extend(about_kept(&keeper.kept()));
        }
        let common = common_caveats(wall.network, &report, is_root);
        statement.caveats.splice(0..0, common);
        Ok(Started { stdin, stdout, statement, process, keeper })
    }
}

/// What the keeper of a place keeps; `hidden` are paths inside.
fn keep(spec: &Spec, inside: PathBuf, mut hidden: Vec<PathBuf>) -> Keep {
    hidden.extend(spec.also_secret.iter().map(|path| inside.join(path)));
    let real = spec.root.canonicalize().ok();
    Keep {
        folder: None,
        outside: [spec.root.clone()].into_iter().chain(real).collect(),
        inside,
        masks: MASKS.into(),
        secret: spec.secrets.clone().unwrap_or_default(),
        hidden,
    }
}

/// The folder once more, for another process.
fn another(folder: Option<&OwnedFd>) -> Result<Option<OwnedFd>, IsolationError> {
    let again = folder.map(OwnedFd::try_clone).transpose();
    again.map_err(IsolationError::system("keep the folder open"))
}

async fn start_keeper(
    runner: &Path,
    mut keep: Keep,
    folder: Option<OwnedFd>,
    identity: Option<(Uid, Gid)>,
) -> Result<Starting, IsolationError> {
    keep.folder = folder.as_ref().map(AsRawFd::as_raw_fd);
    let keep = serde_json::to_string(&keep).map_err(|error| IsolationError::System {
        doing: "write what to keep".to_owned(),
        source: error.into(),
    })?;
    // Whoever it runs as may not be allowed to go where the program lies.
    let opened = open_program(runner)?;
    let program = match identity {
        Some(_) => format!("/proc/self/fd/{}", opened.as_raw_fd()).into(),
        None => runner.to_path_buf(),
    };
    let launch = Launch {
        program,
        arguments: vec![keeping::FLAG.into(), keep.into()],
        environment: Vec::new(),
        folder: "/".into(),
        kept: folder.into_iter().chain([opened]).collect(),
        joined: Vec::new(),
        limits: vec![(Resource::Core, 0)],
        open_files: None,
        identity,
    };
    let child = launch::start(launch).await;
    Starting::new(child.map_err(IsolationError::system("start the keeper of the place"))?)
}

/// The first process inside, as this machine counts.
async fn inside(told: OwnedFd) -> Result<u32, IsolationError> {
    let failed = |reason: String| IsolationError::KeeperFailed { reason };
    let receiver =
        pipe::Receiver::from_owned_fd(told).map_err(|error| failed(error.to_string()))?;
    let mut text = String::new();
    let mut receiver = receiver.take(LONGEST_INFORMATION);
    let reading = receiver.read_to_string(&mut text);
    match tokio::time::timeout(PATIENCE, reading).await {
        Ok(read) => read.map_err(|error| failed(error.to_string()))?,
        Err(_) => return Err(IsolationError::Silent { after: PATIENCE }),
    };
    let told: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let pid = told["child-pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    pid.ok_or_else(|| failed("bubblewrap does not say who is inside".to_owned()))
}

fn statement(network: Network, report: &ConfinementReport) -> Result<Statement, IsolationError> {
    let mut layers: Vec<String> = ["user", "mount", "pid", "ipc", "uts", "cgroup"]
        .iter()
        .map(|name| format!("{name} namespace"))
        .collect();
    let mut isolates = vec![
        Isolated::Crashes,
        Isolated::Files,
        Isolated::Processes,
        Isolated::Ipc,
        Isolated::Privileges,
    ];
    if network != Network::Machine {
        layers.push("network namespace".to_owned());
        isolates.push(Isolated::Network);
    }
    layers.extend(["no capabilities", "no_new_privs"].map(str::to_owned));
    match report {
        ConfinementReport::Confined { abi, .. } => layers.push(format!("landlock abi {abi}")),
        ConfinementReport::Unconfined { .. } => {}
        ConfinementReport::Refused { reason } => {
            return Err(IsolationError::LandlockMissing { reason: reason.clone() });
        }
    }
    Ok(Statement {
        provider: Provider::Sandbox,
        isolates,
        kernel_shared: true,
        network,
        root_inside: PathBuf::new(),
        output_inside: Some(OUTPUT.into()),
        layers,
        limits: Vec::new(),
        caveats: Vec::new(),
    })
}

/// What is not protected in any walled place.
fn common_caveats(network: Network, report: &ConfinementReport, is_root: bool) -> Vec<String> {
    let mut caveats = vec![
        "the kernel is shared with this machine, and its system calls are not filtered".to_owned(),
    ];
    let scoped = matches!(report, ConfinementReport::Confined { abi, .. } if *abi >= SCOPES);
    let is_shared = network == Network::Machine;
    if is_shared && !scoped {
        caveats.push(
            "without Landlock abi 6 (Linux 6.12), programs inside reach the abstract sockets of this \
             machine: its X server, and on older systems its D-Bus, may let them do anything"
                .to_owned(),
        );
    }
    if is_shared {
        caveats.push("servers on this machine's loopback can be reached".to_owned());
    }
    match report {
        ConfinementReport::Confined { abi, full: false } => caveats.push(format!(
            "Landlock abi {abi} of this kernel does not know all rights that were asked for"
        )),
        ConfinementReport::Unconfined { reason } => {
            caveats.push(format!("without Landlock as the second layer: {reason}"));
        }
        _ => {}
    }
    if is_root {
        caveats.push(
            "the folder belongs to root, so programs run as this machine's root user, though \
             without any of its capabilities"
                .to_owned(),
        );
    }
    caveats
}

/// What programs in a place with a keeper can change all the same.
fn about_work() -> [String; 3] {
    [
        "files of the workspace that tools run, such as build scripts and settings of editors, can be \
         changed: look at them before you run them outside"
            .to_owned(),
        "a repository that is made inside has the configuration and hooks of its maker".to_owned(),
        "programs inside can stop or end the runner of their place, and so the place itself".to_owned(),
    ]
}

fn about_secrets() -> [String; 3] {
    [
        "a program that is running while a secret file is replaced or made can open it before it is \
         hidden; it is told when that may have happened"
            .to_owned(),
        "secrets that were ever committed can be read in git's objects".to_owned(),
        "in folders of published packages, such as `node_modules`, the built-in names of secrets do \
         not count"
            .to_owned(),
    ]
}

/// What the keeper could not do.
fn about_kept(kept: &crate::Kept) -> Vec<String> {
    let unprotected = kept.unprotected.iter().take(20);
    let mut caveats: Vec<String> = unprotected
        .map(|(path, reason)| format!("`{path}` can be changed inside: {reason}"))
        .collect();
    let shown = kept.shown.iter().take(20);
    caveats.extend(shown.map(|(path, reason)| format!("`{path}` can be read inside: {reason}")));
    if let Some((folders, reason)) = &kept.unwatched {
        caveats.push(format!("{folders} folders are not watched: {reason}"));
    }
    caveats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_does_not_keep_abstract_sockets_apart_is_told() {
        let told = |network, report| {
            let caveats = common_caveats(network, &report, false);
            caveats.iter().any(|caveat| caveat.contains("abstract sockets"))
        };
        let confined = |abi| ConfinementReport::Confined { abi, full: abi > 5 };
        let without = ConfinementReport::Unconfined { reason: "none".to_owned() };
        let (shared, none) = (Network::Machine, Network::None);
        assert!(told(shared, confined(5)) && told(shared, without.clone()));
        assert!(!told(shared, confined(6)) && !told(Network::Own, confined(5)));
        assert!(!told(none, confined(5)) && !told(none, without));
    }
}

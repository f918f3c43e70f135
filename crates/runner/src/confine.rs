//! The inner wall: the runner takes rights away from itself and from all it will ever start.
//!
//! It uses Landlock, which needs no privilege and cannot be undone. It is no replacement for
//! namespaces: what is granted is granted with everything beneath it, and what it does not know
//! (UDP, most of what is not a file) stays allowed.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _,
    RulesetStatus, Scope,
};
use openspace_protocol::confinement::{Confinement, ConfinementReport};
use rustix::process::DumpableBehavior;

use crate::kernel;

/// The newest interface whose rights are asked for. An older kernel enforces those it knows.
const WANTED: ABI = ABI::V6;

#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("the confinement is not understood: {0}")]
    Argument(#[source] serde_json::Error),
    #[error("the path {0} is not absolute")]
    PathRelative(PathBuf),
    #[error("cannot grant {path}: {source}")]
    Path { path: PathBuf, source: landlock::PathFdError },
    #[error("cannot look at {path}: {source}")]
    Look { path: PathBuf, source: std::io::Error },
    #[error("{0} threads run already; a thread that is not the first would stay unconfined")]
    Threads(usize),
    #[error("the kernel refuses the rules: {0}")]
    Rules(#[from] landlock::RulesetError),
    #[error("cannot {0}: {1}")]
    Alone(&'static str, #[source] std::io::Error),
    #[error("{0}")]
    Unsupported(&'static str),
    #[error("the report cannot be written: {0}")]
    Report(#[source] std::io::Error),
}

/// Confines this process as the argument says and tells the outcome in one line on standard
/// output, unless it is to be quiet. Must run before any thread is started; after an error the process must end.
pub fn begin(argument: &str) -> Result<(), ConfineError> {
    let wanted: Result<Confinement, _> = serde_json::from_str(argument);
    let is_quiet = wanted.as_ref().is_ok_and(|wanted| wanted.quiet);
    let outcome = wanted.map_err(ConfineError::Argument).and_then(|wanted| apply(&wanted));
    let report = match &outcome {
        _ if is_quiet => return outcome.map(|_| ()),
        Ok(report) => report.clone(),
        Err(error) => ConfinementReport::Refused { reason: error.to_string() },
    };
    let told = tell(&report);
    outcome.map(|_| ())?;
    told.map_err(ConfineError::Report)
}

fn tell(report: &ConfinementReport) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// Confines the calling thread, which must be the only one.
pub fn apply(wanted: &Confinement) -> Result<ConfinementReport, ConfineError> {
    let threads = threads()?;
    if threads != 1 {
        return Err(ConfineError::Threads(threads));
    }
    stand_alone()?;
    let all = AccessFs::from_all(WANTED);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::AbstractUnixSocket)?
        .scope(Scope::Signal)?;
    if !wanted.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(WANTED))?;
    }
    let device = AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::IoctlDev;
    let mut created = ruleset.create()?;
    created = grant_reading(created, wanted)?;
    created = grant(created, &wanted.devices, device)?;
    // A writable folder may hold no devices: what a device can do is not the folder's to give.
    let writing = all & !BitFlags::from(AccessFs::IoctlDev);
    created = grant(created, &wanted.writable, writing)?;
    let there: Vec<PathBuf> =
        wanted.writable_if_there.iter().filter(|path| path.exists()).cloned().collect();
    created = grant(created, &there, writing)?;
    let status = created.restrict_self()?;
    let missing = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => {
            let full = status.ruleset == RulesetStatus::FullyEnforced;
            if status.ruleset != RulesetStatus::NotEnforced {
                return Ok(ConfinementReport::Confined { abi: effective_abi as u32, full });
            }
            "the kernel enforces none of Landlock's rules"
        }
        LandlockStatus::NotEnabled => "Landlock is switched off in this kernel (see `lsm=`)",
        LandlockStatus::NotImplemented => "this kernel has no Landlock (it needs Linux 5.13)",
    };
    if wanted.required {
        return Err(ConfineError::Unsupported(missing));
    }
    Ok(ConfinementReport::Unconfined { reason: missing.to_owned() })
}

/// Programs that this process will start run as the same user, so two more things are needed: that they
/// cannot look into this process or take it over, and that they have none of the keys of the login from
/// which it was started.
fn stand_alone() -> Result<(), ConfineError> {
    let behaviour = DumpableBehavior::NotDumpable;
    rustix::process::set_dumpable_behavior(behaviour)
        .map_err(|error| ConfineError::Alone("keep others from tracing it", error.into()))?;
    kernel::leave_keyring().map_err(|error| ConfineError::Alone("leave the keyring", error))
}

fn threads() -> Result<usize, ConfineError> {
    let path = PathBuf::from("/proc/self/task");
    match std::fs::read_dir(&path) {
        Ok(entries) => Ok(entries.count()),
        Err(source) => Err(ConfineError::Look { path, source }),
    }
}

/// What may be read, without what may not: rights hold for all that is beneath, so what lies beside the way to
/// something unreadable is granted one by one.
fn grant_reading(
    mut created: RulesetCreated,
    wanted: &Confinement,
) -> Result<RulesetCreated, ConfineError> {
    let unreadable: Vec<PathBuf> =
        wanted.unreadable.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_above = |path: &Path| unreadable.iter().any(|hidden| hidden.starts_with(path));
    let mut waiting = wanted.readable.clone();
    while let Some(path) = waiting.pop() {
        if unreadable.iter().any(|hidden| path.starts_with(hidden)) {
            continue;
        }
        if !is_above(&path) {
            let is_named = wanted.readable.contains(&path);
            // What is found in a folder may be gone again, or nobody's to look at.
            if is_named || path.exists() {
                created = grant(created, &[path], AccessFs::from_read(WANTED))?;
            }
            continue;
        }
        created = grant(created, std::slice::from_ref(&path), AccessFs::ReadDir.into())?;
        let Ok(entries) = std::fs::read_dir(&path) else {
            // A folder of homes that nobody may list: what is known to be in it is the way.
            let way = unreadable.iter().filter_map(|hidden| hidden.strip_prefix(&path).ok());
            waiting.extend(way.filter_map(|way| Some(path.join(way.components().next()?))));
            continue;
        };
        // A link leads to what is granted where it lies, or to what is not.
        let is_link = |path: &PathBuf| path.is_symlink();
        waiting.extend(entries.flatten().map(|entry| entry.path()).filter(|path| !is_link(path)));
    }
    Ok(created)
}

fn grant(
    mut created: RulesetCreated,
    paths: &[PathBuf],
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, ConfineError> {
    for path in paths {
        if !path.is_absolute() {
            return Err(ConfineError::PathRelative(path.clone()));
        }
        let look = |source| ConfineError::Look { path: path.clone(), source };
        let is_folder = std::fs::metadata(path).map_err(look)?.is_dir();
        // The kernel refuses rights of folders on what is none.
        let rights = if is_folder { rights } else { rights & AccessFs::from_file(WANTED) };
        let opened = PathFd::new(path)
            .map_err(|source| ConfineError::Path { path: path.clone(), source })?;
        created = created.add_rule(PathBeneath::new(opened, rights))?;
    }
    Ok(created)
}

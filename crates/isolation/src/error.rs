//! Why a place cannot be had.

use std::path::PathBuf;
use std::time::Duration;

use crate::Provider;

#[derive(Debug, thiserror::Error)]
pub enum IsolationError {
    #[error("there is no provider `{0}`; there are local, runner and sandbox")]
    ProviderUnknown(String),
    #[error("the provider `{0}` runs in the server's own process, so there is no stream to it")]
    InProcess(Provider),
    #[error("a place of the provider `{0}` stands beside a workspace and is none itself")]
    NotByItself(Provider),
    #[error("secrets cannot be hidden from programs in a place without walls")]
    SecretsShown,
    #[error("the provider `{0}` runs in the server's own process, which nothing limits")]
    Unlimited(Provider),
    #[error("the program `{program}` is not on this machine")]
    Missing { program: PathBuf, hint: &'static str },
    #[error("`{program}` is too old: it does not know {missing}", program = program.display())]
    TooOld { program: PathBuf, missing: String },
    #[error("this machine does not allow the place: {reason}")]
    Refused { reason: String },
    #[error("Landlock cannot be used: {reason}")]
    LandlockMissing { reason: String },
    #[error("the limit `{limit}` cannot hold: {reason}")]
    LimitUnavailable { limit: &'static str, reason: String },
    #[error("the runner {path} is not there, or is no program", path = path.display())]
    RunnerMissing { path: PathBuf },
    #[error("the runner did not start: {reason}")]
    RunnerFailed { reason: String },
    #[error("secrets cannot be hidden in the place: {reason}")]
    KeeperFailed { reason: String },
    #[error("the folder for caches {path} cannot be used: {source}", path = path.display())]
    Caches { path: PathBuf, source: std::io::Error },
    #[error("a network of its own, without this machine's loopback, cannot be had: {reason}")]
    OwnNetwork { reason: String },
    #[error("the runner said nothing for {} seconds", after.as_secs())]
    Silent { after: Duration },
    #[error("the workspace folder {path} cannot be used: {reason}", path = path.display())]
    Root { path: PathBuf, reason: String },
    #[error("{path} cannot be shown in the sandbox: {reason}", path = path.display())]
    Readable { path: PathBuf, reason: String },
    #[error("`{0}` is no name for a place: one to 64 letters, digits, `-` or `_`")]
    Name(String),
    #[error("the environment variable `{0}` cannot be set")]
    Environment(String),
    #[error("cannot {doing}: {source}")]
    System { doing: String, source: std::io::Error },
}

impl IsolationError {
    pub(crate) fn system(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        |source| Self::System { doing, source }
    }

    /// What to try next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { hint, .. } => Some(hint),
            Self::TooOld { .. } => Some("install bubblewrap 0.10 or newer"),
            Self::Refused { .. } => Some(
                "unprivileged user namespaces may be switched off here (`sysctl \
                 kernel.apparmor_restrict_unprivileged_userns`, or the rules of an outer \
                 container); allow them for bwrap, or choose another provider",
            ),
            Self::LandlockMissing { .. } => Some(
                "use a kernel with Landlock (5.13 or newer, `landlock` in `lsm=`), or allow the \
                 sandbox to go without it",
            ),
            Self::LimitUnavailable { .. } => {
                Some("ask for no such limit, or run where the cgroup can be written")
            }
            Self::Unlimited(_) => Some("use the provider `runner` or `sandbox`"),
            Self::RunnerMissing { .. } => Some("install `openspace-runner` beside `openspace`"),
            Self::KeeperFailed { .. } => Some(
                "it needs Linux 5.12 and the right to join a user namespace of one's own; \
                 containers may refuse it",
            ),
            Self::OwnNetwork { .. } => Some(
                "it needs `pasta` (Debian: `apt-get install passt`) and a machine with a way out; or choose the \
                 machine's network, or none",
            ),
            Self::ProviderUnknown(_)
            | Self::Caches { .. }
            | Self::InProcess(_)
            | Self::NotByItself(_)
            | Self::SecretsShown
            | Self::RunnerFailed { .. }
            | Self::Silent { .. }
            | Self::Root { .. }
            | Self::Readable { .. }
            | Self::Name(_)
            | Self::Environment(_)
            | Self::System { .. } => None,
        }
    }
}

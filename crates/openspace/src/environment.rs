//! The process's surroundings, read once at the start and handed on as values.

use std::{
    ffi::OsString,
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, anyhow, bail};
use openspace_command::Now;
use openspace_process::search_path;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the process was started with.
#[derive(Clone)]
pub struct Environment {
    /// Where state is kept: tokens, databases, runtime files.
    pub state: PathBuf,
    /// Where what the person sets is kept, for every workspace: settings, keys, snippets.
    pub config: PathBuf,
    /// The folder that `OPENSPACE_WEB` names: a web app to serve in place of the program's own.
    pub web: Option<PathBuf>,
    /// The person's home, where other programs keep their configuration.
    pub home: Option<PathBuf>,
    /// The person's shell.
    pub shell: PathBuf,
    /// The password of the opencode that `--opencode` or `agents.toml` names, from `OPENSPACE_OPENCODE_PASSWORD`.
    pub opencode_password: Option<String>,
    /// Everything a shell inherits.
    pub variables: Vec<(OsString, OsString)>,
}

/// With fewer open files than this a server with many pages and agents may have none left.
const FEW_OPEN_FILES: u64 = 4096;

/// Variables of ours that no shell and no agent in it should see.
const OWN_PREFIX: &str = "OPENSPACE_";

impl Environment {
    /// Read it. `state` overrides where state is kept.
    pub fn read(state: Option<&Path>) -> Result<Self> {
        // Falls back to the user database when HOME is not set.
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let state = match (state, absolute("XDG_STATE_HOME"), &home) {
            (Some(given), ..) => std::path::absolute(given).context("the state folder")?,
            (None, Some(xdg), _) => xdg.join("openspace"),
            (None, None, Some(home)) => home.join(".local/state/openspace"),
            (None, None, None) => {
                bail!(
                    "there is no home folder to keep state in\n  hint: set HOME or pass --state-dir FOLDER"
                )
            }
        };
        // Without a home there is no place for them but where the state was told to be.
        let config = match (absolute("XDG_CONFIG_HOME"), &home) {
            (Some(xdg), _) => xdg.join("openspace"),
            (None, Some(home)) => home.join(".config/openspace"),
            (None, None) => state.join("user"),
        };
        let web = variable("OPENSPACE_WEB").map(std::path::absolute).transpose();
        let web = web.context("the folder in OPENSPACE_WEB")?;
        let variables = std::env::vars_os()
            .filter(|(name, _)| !name.to_string_lossy().starts_with(OWN_PREFIX))
            .collect();
        let opencode_password = variable("OPENSPACE_OPENCODE_PASSWORD");
        let opencode_password = opencode_password
            .map(|password| password.into_string().map_err(|_| anyhow!("it is not Unicode")))
            .transpose()
            .context("OPENSPACE_OPENCODE_PASSWORD")?;
        Ok(Self { state, config, web, home, shell: shell(), opencode_password, variables })
    }

    /// The variables for what this program starts beside a workspace: none of its programs is found in there.
    pub fn variables_outside(&self, root: &Path) -> Vec<(OsString, OsString)> {
        let mut variables = self.variables.clone();
        search_path::outside_in(&mut variables, root);
        variables
    }
}

fn variable(name: &str) -> Option<OsString> {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn absolute(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// `SHELL` if it is there, else the first of the usual ones that is.
fn shell() -> PathBuf {
    let usual = ["/bin/bash", "/bin/zsh", "/bin/sh"].map(PathBuf::from);
    let mut known = absolute("SHELL").into_iter().chain(usual).filter(|path| path.is_file());
    known.next().unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// Descriptors that this process was started with must not reach the shells it starts: whoever
/// waits for one of them to close would wait for as long as a terminal lives.
pub fn keep_descriptors_private() {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
    for descriptor in open.filter_map(|entry| number(entry.ok()?)).filter(|number| *number > 2) {
        #[expect(
            unsafe_code,
            reason = "a number from our own table; a closed one is an error, no harm"
        )]
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        if let Err(error) = rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC) {
            tracing::debug!(%error, "a descriptor was already closed");
        }
    }
}

/// Every view, program and connection holds files open, so this process takes as many as it may have.
/// Programs that it starts get back what they would have had without it: some look through all numbers
/// that are possible. How many that is, unless nothing was raised.
pub fn raise_open_files() -> Option<u64> {
    let found = getrlimit(Resource::Nofile);
    if found.maximum.is_some_and(|most| most < FEW_OPEN_FILES) {
        let most = found.maximum;
        tracing::warn!(most, "few files may be open at once; `ulimit -Hn` raises that");
    }
    if found.current == found.maximum {
        return None;
    }
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: found.maximum, ..found }) {
        tracing::warn!(%error, soft = found.current, "no more files may be open at once");
        return None;
    }
    openspace_process::give_back_open_files(found.current?);
    found.current
}

/// The machine's clock.
pub fn clock() -> Now {
    Arc::new(|| {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
    })
}

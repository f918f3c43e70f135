//! The credential broker: what a person configured once, asked for one host at a time.
//!
//! It runs beside the server, never in a workspace, and hands a credential only to the git that
//! asked. It keeps nothing, logs no secret, and has no answer for hosts it does not know.

use std::{
    ffi::OsString,
    fmt::Write as _,
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::Command,
};

use super::{Credential, CredentialRequest};

#[cfg(test)]
mod tests;

/// How long a command may take to answer.
const PATIENCE: Duration = Duration::from_mins(1);
/// The most that an answer or a file may hold.
const LARGEST: u64 = 64 * 1024;

/// Where credentials come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// From nowhere.
    #[default]
    Nobody,
    /// A shell command that speaks git's credential protocol: the wanted attributes on its
    /// standard input, `username=` and `password=` on its standard output.
    Command(String),
    /// A file with one address per line: `https://user:token@host`, with or without a path.
    File(PathBuf),
}

/// Answers for whom a remote may be asked.
#[derive(Clone, Debug, Default)]
pub struct Broker {
    source: Source,
    environment: Vec<(OsString, OsString)>,
}

#[derive(Debug, thiserror::Error)]
enum BrokerError {
    #[error("the file of tokens cannot be read")]
    Read(#[source] io::Error),
    #[error("others may read the file of tokens; `chmod 600` it")]
    Open,
    #[error("the file of tokens is too large")]
    TooLarge,
    #[error("the credential command cannot be run")]
    Run(#[source] io::Error),
    #[error("the credential command failed with {0}")]
    Failed(std::process::ExitStatus),
    #[error("the credential command did not answer within {} seconds", PATIENCE.as_secs())]
    Silent,
}

impl Broker {
    /// A broker with a source. A command gets this environment.
    pub fn new(source: Source, environment: Vec<(OsString, OsString)>) -> Self {
        Self { source, environment }
    }

    /// The credential for a host, if there is one.
    pub async fn find(&self, wanted: &CredentialRequest) -> Option<Credential> {
        let found = match &self.source {
            Source::Nobody => return None,
            Source::Command(command) => self.run(command, wanted).await,
            Source::File(path) => read(path).map(|text| look_up(&text, wanted)),
        };
        found.unwrap_or_else(|error| {
            tracing::error!(host = wanted.host, ?error, "the credential broker failed: {error}");
            None
        })
    }

    async fn run(
        &self,
        command: &str,
        wanted: &CredentialRequest,
    ) -> Result<Option<Credential>, BrokerError> {
        let mut child = shell(command)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(BrokerError::Run)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let talk = async {
            if let Some(mut stdin) = stdin {
                // A command that does not read what is wanted answers for every host alike.
                drop(stdin.write_all(question(wanted).as_bytes()).await);
            }
            let mut answer = String::new();
            if let Some(stdout) = stdout {
                stdout.take(LARGEST).read_to_string(&mut answer).await.map_err(BrokerError::Run)?;
            }
            let status = child.wait().await.map_err(BrokerError::Run)?;
            if !status.success() {
                return Err(BrokerError::Failed(status));
            }
            Ok(answer_of(&answer))
        };
        tokio::time::timeout(PATIENCE, talk).await.map_err(|_| BrokerError::Silent)?
    }
}

#[expect(clippy::disallowed_methods, reason = "the person's own command, beside the server")]
#[expect(unsafe_code, reason = "there is no other way to act between fork and exec")]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    // SAFETY: between fork and exec only these system calls are made.
    unsafe { shell.pre_exec(openspace_process::take_back_open_files) };
    shell
}

fn question(wanted: &CredentialRequest) -> String {
    let CredentialRequest { protocol, host, path, username } = wanted;
    let mut text = format!("protocol={protocol}\nhost={host}\npath={path}\n");
    if let Some(username) = username {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "username={username}");
    }
    text + "\n"
}

fn answer_of(text: &str) -> Option<Credential> {
    let value = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    };
    Some(Credential { username: value("username")?, password: value("password")? })
}

#[expect(clippy::disallowed_methods, reason = "the person's own file, in no workspace")]
fn read(path: &Path) -> Result<String, BrokerError> {
    let metadata = std::fs::metadata(path).map_err(BrokerError::Read)?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(BrokerError::Open);
    }
    if metadata.len() > LARGEST {
        return Err(BrokerError::TooLarge);
    }
    std::fs::read_to_string(path).map_err(BrokerError::Read)
}

/// The first line that is for this protocol, host, path and user.
fn look_up(text: &str, wanted: &CredentialRequest) -> Option<Credential> {
    text.lines().map(str::trim).filter(|line| !line.starts_with('#')).find_map(|line| {
        let (protocol, rest) = line.split_once("://")?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = authority.rsplit_once('@')?;
        let (username, password) = user.split_once(':')?;
        let (username, password) = (decode(username)?, decode(password)?);
        let path = path.trim_end_matches('/');
        let beneath = wanted.path == path
            || path.is_empty()
            || wanted.path.strip_prefix(path).is_some_and(|tail| tail.starts_with('/'));
        let same_user = wanted.username.as_ref().is_none_or(|wanted| *wanted == username);
        let fits = protocol == wanted.protocol && host == wanted.host && beneath && same_user;
        fits.then_some(Credential { username, password })
    })
}

/// Read `%40` as `@`; `None` when what follows a percent sign is no number.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

//! Running git: its environment, its time, what is kept of its output.
//!
//! Git gets a session of its own, no terminal and no variable that would let it ask a person or run
//! a pager. Variables of git in the given environment are dropped: they would choose another
//! repository or configuration. Hooks and filters of the repository do run, as they would for a
//! person, but never in a process that can reach a credential.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::{GitError, classify, mask};
use super::{Git, GitSettings, Identity, credentials::Credentials, names::Prefix};
use openspace_files::Files;
use openspace_process::Stream;
use openspace_process::{Cause, Sink, Started, follow, search_path};

/// The most of an answer that is kept whole.
const LARGEST_ANSWER: usize = 4 * 1024 * 1024;
/// The most that is kept of each end of the complaints.
const COMPLAINT: usize = 16 * 1024;

const ENVIRONMENT: [(&str, &str); 16] = [
    ("LC_ALL", "C"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Empty, not absent: git would look for `core.askPass` and `SSH_ASKPASS` then.
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
    ("GIT_ALLOW_PROTOCOL", "file:http:https:ssh"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    // What is missing in a repository is not fetched behind the back of who looks at it.
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// What must not depend on the configuration of a person or a repository.
const SETTINGS: [&str; 12] = [
    "color.ui=false",
    "core.quotePath=false",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "diff.suppressBlankEmpty=false",
    "rebase.autoStash=false",
    "merge.autoStash=false",
    // Looking into another repository runs what that repository is set to run.
    "diff.ignoreSubmodules=dirty",
    "submodule.recurse=false",
];

/// What says in whose name a commit is made.
const IDENTITY: [&str; 4] =
    ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];

/// One run of git.
pub(super) struct Call {
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    /// It changes nothing, not even the index's own notes.
    pub(super) reads: bool,
    pub(super) input: Stdio,
    /// It runs in a repository of our own, with nobody else's configuration.
    pub(super) private: bool,
}

impl Call {
    pub(super) fn new<Words>(words: Words) -> Self
    where
        Words: IntoIterator,
        Words::Item: AsRef<OsStr>,
    {
        Self {
            args: words.into_iter().map(|word| word.as_ref().to_owned()).collect(),
            env: Vec::new(),
            reads: false,
            input: Stdio::null(),
            private: false,
        }
    }

    pub(super) fn reading(mut self) -> Self {
        self.reads = true;
        self
    }

    pub(super) fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.args.push(word.as_ref().to_owned());
        self
    }

    pub(super) fn args<Words>(mut self, words: Words) -> Self
    where
        Words: IntoIterator,
        Words::Item: AsRef<OsStr>,
    {
        self.args.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.into(), value.as_ref().to_owned()));
        self
    }
}

/// What came of a run.
pub(super) struct Done {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    /// Without credentials.
    pub(super) stderr: String,
}

impl Done {
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// The answer as one line of text.
    pub(super) fn line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches('\n').to_owned()
    }
}

/// One request and what it needs.
pub(super) struct Session<'run> {
    pub(super) git: &'run Git,
    pub(super) files: &'run Files,
    pub(super) action: &'static str,
    pub(super) timeout: Duration,
    pub(super) deadline: Instant,
    pub(super) cancel: &'run CancellationToken,
    pub(super) credentials: &'run dyn Credentials,
    pub(super) prefix: Prefix,
    /// The folder of the repository's own data, and the one that all its work trees share.
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
}

impl Session<'_> {
    /// Runs git and takes any exit code.
    pub(super) async fn run(&self, call: Call) -> Result<Done, GitError> {
        let mut keep = Keep { stdout: Vec::new(), feed: None, complaint: Complaint::default() };
        self.start(call, &mut keep).await
    }

    /// Runs git, which must succeed.
    pub(super) async fn must(&self, call: Call) -> Result<Done, GitError> {
        let done = self.run(call).await?;
        if done.is_success() { Ok(done) } else { Err(classify(self.action, &done)) }
    }

    /// Runs git, which must succeed; `feed` sees its answer, of any length, in pieces.
    pub(super) async fn stream(&self, call: Call, feed: Feed<'_>) -> Result<(), GitError> {
        let mut keep =
            Keep { stdout: Vec::new(), feed: Some(feed), complaint: Complaint::default() };
        let done = self.start(call, &mut keep).await?;
        if done.is_success() { Ok(()) } else { Err(classify(self.action, &done)) }
    }

    async fn start(&self, call: Call, keep: &mut Keep<'_>) -> Result<Done, GitError> {
        let behind = if self.is_behind() { self.git.settings.behind.as_slice() } else { &[] };
        let mut command = self.git.command(&call, behind);
        command
            .current_dir(&self.git.settings.root)
            .stdin(call.input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let spawned = Started::spawn(&mut command, &self.git.marker());
        // The command holds the other end of the input.
        drop(command);
        let started = spawned.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if self.git.settings.root.is_dir() => GitError::GitMissing,
            _ => GitError::io(self.action, "git could not be started", &error),
        })?;
        self.follow(started, keep).await
    }

    /// Whether git works on a repository that others can change, behind a wall.
    pub(super) fn is_behind(&self) -> bool {
        let GitSettings { root, behind, .. } = &self.git.settings;
        !behind.is_empty() && self.git_dir.starts_with(root)
    }

    /// Makes programs of others that can change the repository stand still until all of this is done.
    pub(super) async fn stand_still(&self) -> Result<(), GitError> {
        if self.git.settings.behind.is_empty() {
            return Ok(());
        }
        let stillness = self.credentials.stand_still().await;
        stillness.map_err(|reason| GitError::NotStill { reason })
    }

    /// The same after others could change the repository for a while: it is looked at anew.
    pub(super) async fn stand_still_after_exchange(&self) -> Result<(), GitError> {
        self.stand_still().await?;
        if self.is_behind() { self.check_own_files() } else { Ok(()) }
    }

    async fn follow(&self, started: Started, keep: &mut Keep<'_>) -> Result<Done, GitError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let patience = self.git.patience;
        let ending = follow(started, Some(left), patience, self.cancel, keep).await;
        let ending = ending.map_err(|error| {
            GitError::io(self.action, "git was lost", &std::io::Error::other(error))
        })?;
        let stderr = mask(&keep.complaint.text());
        match ending.cause {
            Cause::Cancelled => Err(GitError::Cancelled { action: self.action.to_owned() }),
            Cause::TimedOut => Err(GitError::TimedOut {
                action: self.action.to_owned(),
                seconds: self.timeout.as_secs(),
                output: stderr,
                survivors: ending.survivors,
            }),
            Cause::Exited if keep.stdout.len() > LARGEST_ANSWER => {
                Err(GitError::TooMuchOutput { action: self.action.to_owned() })
            }
            Cause::Exited => Ok(Done {
                code: ending.status.and_then(|status| status.code()),
                stdout: std::mem::take(&mut keep.stdout),
                stderr,
            }),
        }
    }
}

impl Git {
    pub(super) fn marker(&self) -> String {
        // What one run leaves behind is ended by its marker, so two runs never share one.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        format!("{}-git-{}", self.settings.marker, COUNT.fetch_add(1, Ordering::Relaxed))
    }

    /// Git itself, or a shell that moves its input out of the way and becomes git: then the input
    /// is what the credential helper talks over.
    #[expect(clippy::disallowed_methods, reason = "this is where git starts")]
    fn command(&self, call: &Call, behind: &[OsString]) -> Command {
        let mut command;
        if call.private {
            command = Command::new("/bin/sh");
            command.args(["-c", "exec 3<&0 </dev/null; exec git \"$@\"", "sh"]);
        } else {
            let git = OsString::from("git");
            let mut words = behind.iter().chain([&git]);
            command = Command::new(words.next().unwrap_or(&git));
            command.args(words).arg("--no-pager");
            command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
            if self.person {
                // A name made up from the machine's would be in the history for ever.
                command.args(["-c", "user.useConfigOnly=true"]);
            }
            if !self.hooks {
                command.args(["-c", "core.hooksPath=/dev/null"]);
            }
        }
        let kept = |name: &OsString| is_kept(name) || (self.person && is_identity(name));
        let base = self.settings.base_env.iter().filter(|(name, _)| kept(name));
        let mut environment: Vec<_> = base.cloned().collect();
        // Git, its helpers and what hooks call are looked for by their names.
        search_path::outside_in(&mut environment, &self.settings.root);
        command.args(&call.args).env_clear().envs(environment).envs(ENVIRONMENT);
        if !self.person {
            let Identity { name, email } = &self.settings.identity;
            command.envs(IDENTITY.into_iter().zip([name, email, name, email]));
        }
        if call.reads {
            command.env("GIT_OPTIONAL_LOCKS", "0");
        }
        if call.private {
            command
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_NO_LAZY_FETCH", "1");
        }
        command.envs(call.env.iter().cloned());
        command
    }
}

/// Not for git, and not the shell's own way to run something first.
fn is_kept(name: &OsString) -> bool {
    let bytes = name.as_encoded_bytes();
    !bytes.starts_with(b"GIT_") && bytes != b"ENV" && bytes != b"BASH_ENV"
}

/// A person may say in the server's environment who they are.
fn is_identity(name: &OsString) -> bool {
    IDENTITY.iter().any(|known| name == known)
}

/// Who reads an answer of any length.
type Feed<'feed> = &'feed mut (dyn FnMut(&[u8]) + Send);

struct Keep<'feed> {
    stdout: Vec<u8>,
    feed: Option<Feed<'feed>>,
    complaint: Complaint,
}

impl Sink for Keep<'_> {
    fn take(&mut self, stream: Stream, piece: &[u8]) {
        match (stream, &mut self.feed) {
            (Stream::Stderr, _) => self.complaint.push(piece),
            (Stream::Stdout, Some(feed)) => feed(piece),
            (Stream::Stdout, None) => {
                // One byte too many tells that the answer is not whole.
                let room = (LARGEST_ANSWER + 1).saturating_sub(self.stdout.len());
                self.stdout.extend_from_slice(&piece[..piece.len().min(room)]);
            }
        }
    }

    async fn room(&mut self) {}
}

/// The beginning and the end of what was printed.
#[derive(Default)]
struct Complaint {
    head: Vec<u8>,
    tail: Vec<u8>,
    cut: bool,
}

impl Complaint {
    fn push(&mut self, piece: &[u8]) {
        let fits = piece.len().min(COMPLAINT - self.head.len());
        self.head.extend_from_slice(&piece[..fits]);
        self.tail.extend_from_slice(&piece[fits..]);
        if self.tail.len() > 2 * COMPLAINT {
            self.tail.drain(..self.tail.len() - COMPLAINT);
            self.cut = true;
        }
    }

    fn text(&self) -> String {
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&self.tail);
        format!("{head}{}{tail}", if self.cut { "\n[…]\n" } else { "" })
    }
}

/// A path shown to a caller: relative to the root where it is beneath it.
pub(super) fn relative(root: &Path, path: &str) -> String {
    Path::new(path)
        .strip_prefix(root)
        .map_or_else(|_| path.to_owned(), |inside| inside.display().to_string())
}

//! Git for callers that want facts: status, changes, history, branches, commits, remotes.
//!
//! Every action is one [`GitRequest`] with one [`GitReply`] or a [`GitError`] that says what to try
//! next. Git runs where the files are, is bounded in time and output, and waits for no person.
//! Content of files that the workspace calls secret is never shown.
//!
//! Nothing here decides whether a caller may do something, stores a credential, deletes another
//! program's lock or resolves a conflict. The hooks of the repository run for local actions only:
//! what speaks to a remote runs in a repository of its own (see `transport`), so that nothing an
//! agent wrote into the workspace comes near a credential.

mod along;
mod blame;
mod branch;
mod broker;
mod change;
mod child;
mod commit;
mod committed;
mod content;
mod credentials;
mod diff;
mod discard;
mod error;
mod history;
mod ignored;
mod index;
mod joining;
mod lines;
mod names;
mod own_files;
mod part;
mod reply;
mod request;
mod scratch;
mod stash;
mod status;
mod tag;
mod transport;
mod unfinished;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::child::{Call, Session};
use self::joining::Way;
use self::names::Prefix;
use self::unfinished::Step;
use openspace_files::Files;
use openspace_process::Patience;

pub use self::blame::{BlameReply, BlamedCommit, BlamedLines};
pub use self::broker::{Broker, Source};
pub use self::content::{MAX_CONTENT, StoredContent};
pub use self::credentials::{
    Answer, Credential, CredentialRequest, Credentials, GitAnswer, GitQuestion, NoCredentials,
    Stillness,
};
pub use self::diff::MAX_CONTEXT;
pub use self::discard::{DiscardReply, Trashed};
pub use self::error::GitError;
pub use self::history::MOST_COMMITS;
pub use self::joining::{JoinReply, UndoReply};
pub use self::reply::*;
pub use self::request::*;
pub use self::tag::{TagInfo, TagReply};
pub use self::transport::{RemoteInfo, RemoteReply};
pub use self::unfinished::StepReply;

/// The most text of changes, or of one file, in a reply.
pub const BUDGET: usize = 50 * 1024;

/// Who writes a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: String,
}

impl Default for Identity {
    fn default() -> Self {
        Self { name: "OpenSpace Agent".to_owned(), email: "agent@openspace.invalid".to_owned() }
    }
}

/// How git is run.
#[derive(Clone, Debug)]
pub struct GitSettings {
    /// The workspace root, absolute.
    pub root: PathBuf,
    /// The whole environment, but for git's own variables.
    pub base_env: Vec<(OsString, OsString)>,
    /// Begins the value of `OPENSPACE_TERMINAL`, by which processes are found again.
    pub marker: String,
    /// Author and committer of every commit that an agent makes.
    pub identity: Identity,
    /// Named in a `Co-authored-by` line of each of them.
    pub co_author: Option<Identity>,
    /// An existing folder that only this program uses, outside the workspace.
    pub scratch: PathBuf,
    /// A program and its arguments that stand before git where the repository lies in the workspace: it
    /// puts a wall around itself and becomes git. None when empty.
    pub behind: Vec<OsString>,
}

/// Git in one workspace.
#[derive(Clone, Debug)]
pub struct Git {
    settings: GitSettings,
    patience: Patience,
    /// Whether commits are a person's own, in the name that git finds for them.
    person: bool,
    /// Whether hooks of the repository run.
    hooks: bool,
}

impl Git {
    pub fn new(settings: GitSettings) -> Self {
        Self { settings, patience: Patience::default(), person: false, hooks: true }
    }

    /// The same git in the hands of a person: commits are in the name that git itself finds, and nobody
    /// is named beside it.
    #[must_use]
    pub fn for_a_person(&self) -> Self {
        Self { person: true, ..self.clone() }
    }

    /// The same git without the hooks of the repository, which may be somebody's who must not run programs
    /// here.
    #[must_use]
    pub fn without_hooks(&self) -> Self {
        Self { hooks: false, ..self.clone() }
    }

    /// Does one thing. `files` says what is secret; its root is the one of the settings.
    ///
    /// Dropping the future ends every process of it.
    pub async fn run(
        &self,
        files: &Files,
        request: GitRequest,
        timeout: Duration,
        credentials: &dyn Credentials,
        cancel: &CancellationToken,
    ) -> Result<GitReply, GitError> {
        let mut session = self.session(files, request.action(), timeout, credentials, cancel);
        self.check()?;
        // Before anything is looked at: what was seen must be what git then meets.
        if request.changes_at_once() {
            session.stand_still().await?;
        }
        let outcome = match request {
            GitRequest::Clone(request) => transport::clone(&mut session, &request).await,
            GitRequest::Init(request) => session.init(&request).await.map(GitReply::Init),
            request => match session.locate().await {
                Ok(()) => session.act(&request).await,
                Err(error) => Err(error),
            },
        };
        outcome.map_err(|error| self.shown(error))
    }

    fn session<'run>(
        &'run self,
        files: &'run Files,
        action: &'static str,
        timeout: Duration,
        credentials: &'run dyn Credentials,
        cancel: &'run CancellationToken,
    ) -> Session<'run> {
        let now = Instant::now();
        Session {
            git: self,
            files,
            action,
            timeout,
            deadline: now.checked_add(timeout).unwrap_or(now + Duration::from_hours(24)),
            cancel,
            credentials,
            prefix: Prefix::default(),
            git_dir: PathBuf::new(),
            common_dir: PathBuf::new(),
        }
    }

    fn check(&self) -> Result<(), GitError> {
        let identities = [Some(&self.settings.identity), self.settings.co_author.as_ref()];
        let broken = |text: &str| {
            text.trim().is_empty() || text.contains(['<', '>']) || text.contains(char::is_control)
        };
        if identities.into_iter().flatten().any(|who| broken(&who.name) || broken(&who.email)) {
            return Err(GitError::invalid("an identity needs a name and an address"));
        }
        if self.settings.marker.is_empty() || !self.settings.root.is_absolute() {
            return Err(GitError::invalid("git needs a marker and an absolute root"));
        }
        Ok(())
    }

    /// Places are told relative to the workspace.
    fn shown(&self, error: GitError) -> GitError {
        match error {
            GitError::Locked { file } => {
                GitError::Locked { file: child::relative(&self.settings.root, &file) }
            }
            other => other,
        }
    }
}

impl Session<'_> {
    /// Finds the repository that the workspace is in.
    async fn locate(&mut self) -> Result<(), GitError> {
        const BETWEEN: &[u8] = b"\ntrue\n";
        // What lies in the workspace is looked at before git is, which would wait for a pipe at once.
        let own = self.git.settings.root.join(".git");
        let is_there = own.symlink_metadata();
        if is_there.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            self.git_dir.clone_from(&own);
            self.check_own_files()?;
        }
        let asked = Call::new(["rev-parse", "--show-prefix", "--is-inside-work-tree"])
            .args(["--absolute-git-dir", "--is-inside-work-tree", "--git-common-dir"])
            .reading();
        let done = match self.must(asked).await {
            Err(GitError::NotARepository) if is_there.is_ok() => {
                return Err(GitError::Unusable);
            }
            done => done?,
        };
        let told = done.stdout.strip_suffix(b"\n").unwrap_or(&done.stdout);
        let mut parts = Vec::new();
        let mut rest = told;
        while let Some(at) = rest.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
            parts.push(&rest[..at]);
            rest = &rest[at + BETWEEN.len()..];
        }
        let &[prefix, git_dir] = parts.as_slice() else { return Err(GitError::NotARepository) };
        let place = |bytes: &[u8]| {
            self.git.settings.root.join(PathBuf::from(OsString::from_vec(bytes.to_vec())))
        };
        let (git_dir, common_dir) = (place(git_dir), place(rest));
        self.prefix = Prefix(prefix.to_vec());
        self.git_dir = git_dir;
        self.common_dir = common_dir;
        let is_elsewhere = self.git_dir != own && self.git_dir.starts_with(&self.git.settings.root);
        if is_elsewhere { self.check_own_files() } else { Ok(()) }
    }

    async fn act(&self, request: &GitRequest) -> Result<GitReply, GitError> {
        if self.is_behind() && request.may_write_files() {
            self.check_index().await?;
        }
        match request {
            GitRequest::Status(request) => self.status(&request.paths).await.map(GitReply::Status),
            GitRequest::Diff(request) => self.diff(request).await.map(GitReply::Diff),
            GitRequest::Log(request) => self.log(request).await.map(GitReply::Log),
            GitRequest::Show(request) => self.show(request).await,
            GitRequest::Blame(request) => self.blame(request).await.map(GitReply::Blame),
            GitRequest::Branch(request) => self.branch(request).await.map(GitReply::Branch),
            GitRequest::Tag(request) => self.tag(request).await.map(GitReply::Tag),
            GitRequest::Checkout(request) => self.checkout(request).await.map(GitReply::Checkout),
            GitRequest::Add(request) => self.add(request).await.map(GitReply::Add),
            GitRequest::Restore(request) => self.restore(request).await.map(GitReply::Restore),
            GitRequest::Discard(request) => self.discard(request).await.map(GitReply::Discard),
            GitRequest::Stash(request) => self.stash(request).await.map(GitReply::Stash),
            GitRequest::Commit(request) => self.commit(request).await.map(GitReply::Commit),
            GitRequest::Merge(JoinRequest { revision }) => {
                self.bring(Way::Merge, revision).await.map(GitReply::Merge)
            }
            GitRequest::Rebase(JoinRequest { revision }) => {
                self.bring(Way::Rebase, revision).await.map(GitReply::Rebase)
            }
            GitRequest::CherryPick(JoinRequest { revision }) => {
                self.bring(Way::CherryPick, revision).await.map(GitReply::CherryPick)
            }
            GitRequest::Revert(JoinRequest { revision }) => {
                self.bring(Way::Revert, revision).await.map(GitReply::Revert)
            }
            GitRequest::Undo(_) => self.undo().await.map(GitReply::Undo),
            GitRequest::Continue(_) => self.step(Step::Continue).await.map(GitReply::Continue),
            GitRequest::Skip(_) => self.step(Step::Skip).await.map(GitReply::Skip),
            GitRequest::Abort(_) => self.step(Step::Abort).await.map(GitReply::Abort),
            GitRequest::Remote(request) => {
                transport::remote(self, request).await.map(GitReply::Remote)
            }
            GitRequest::Push(request) => transport::push(self, request).await.map(GitReply::Push),
            GitRequest::Pull(request) => transport::pull(self, request).await.map(GitReply::Pull),
            GitRequest::Fetch(request) => {
                let fetched = transport::fetch(self, request.remote.as_deref(), request.prune);
                fetched.await.map(GitReply::Fetch)
            }
            GitRequest::Clone(_) | GitRequest::Init(_) => {
                Err(GitError::invalid("this action needs no repository"))
            }
        }
    }

    async fn init(&self, request: &InitRequest) -> Result<InitReply, GitError> {
        let branch = names::ref_name(request.branch.as_deref().unwrap_or("main"))?;
        if self.git.settings.root.join(".git").symlink_metadata().is_ok() {
            return Err(GitError::invalid("the workspace is a repository already"));
        }
        let call = Call::new(["init", "--quiet", "--initial-branch"]).args([branch, "--", "."]);
        self.must(call).await?;
        Ok(InitReply { branch: branch.to_owned() })
    }
}

#[cfg(test)]
mod tests;

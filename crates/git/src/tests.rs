//! Git as callers use it, with the real program.

mod along;
mod behind;
mod blames;
mod branches;
mod changes;
mod commits;
mod committed;
mod contents;
mod discards;
mod endings;
mod http;
mod ignored;
mod joining;
mod parts;
mod remotes;
mod server;
mod stashes;
mod states;
mod tags;
mod unfinished;
mod wire;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use openspace_protocol::RelPath;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use openspace_files::rules::Rules;

/// Longer than anything here may take on a busy machine.
const FAR: Duration = Duration::from_mins(2);

/// Nobody who has credentials; and nobody else is there to change anything.
struct Quiet;

impl Credentials for Quiet {
    fn ask(&self, request: CredentialRequest) -> Answer<'_> {
        NoCredentials.ask(request)
    }

    fn stand_still(&self) -> Stillness<'_> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A workspace, a private folder beside it, and what else a test puts there.
struct Stage {
    folder: PathBuf,
    files: Files,
    git: Git,
    _kept: TempDir,
}

impl Stage {
    /// An empty workspace.
    fn empty() -> Self {
        Self::at("root")
    }

    /// A workspace in some folder beneath the test's own.
    fn at(root: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let kept = tempfile::tempdir().unwrap();
        let folder = kept.path().canonicalize().unwrap();
        for name in [root, "scratch", "home"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        let files = Files::open(&folder.join(root), Rules::new(&[], &[]).unwrap()).unwrap();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut git = Git::new(GitSettings {
            root: folder.join(root),
            base_env: environment(&folder),
            marker: format!("test-git-{}-{number}", std::process::id()),
            identity: Identity::default(),
            co_author: None,
            scratch: folder.join("scratch"),
            behind: Vec::new(),
        });
        git.patience.term_grace = Duration::from_millis(200);
        Self { folder, files, git, _kept: kept }
    }

    /// A repository on `main` with one commit of `a.txt`.
    fn with_commit() -> Self {
        let stage = Self::empty();
        stage.sh("git init -q -b main && printf 'one\\ntwo\\n' > a.txt && git add . && git commit -qm first");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.git.settings.root.join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "a test prepares what the code must meet")]
    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn content(&self, name: &str) -> String {
        content(&self.path(name))
    }

    /// Runs a script in the workspace and gives what it printed, without the last line end.
    fn sh(&self, script: &str) -> String {
        let output = shell(&self.folder, &self.git.settings.root, script);
        assert!(output.status.success(), "{script}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
    }

    /// Runs a script that may fail.
    fn try_sh(&self, script: &str) {
        shell(&self.folder, &self.git.settings.root, script);
    }

    /// An executable hook.
    fn hook(&self, name: &str, script: &str) {
        self.put(&format!(".git/hooks/{name}"), format!("#!/bin/sh\n{script}\n"));
        self.sh(&format!("chmod +x .git/hooks/{name}"));
    }

    async fn run(&self, request: GitRequest) -> Result<GitReply, GitError> {
        self.run_with(request, &Quiet).await
    }

    async fn run_with(
        &self,
        request: GitRequest,
        credentials: &dyn Credentials,
    ) -> Result<GitReply, GitError> {
        let cancel = CancellationToken::new();
        self.git.run(&self.files, request, FAR, credentials, &cancel).await
    }

    async fn status(&self) -> StatusReply {
        match self.run(GitRequest::Status(StatusRequest::default())).await.unwrap() {
            GitReply::Status(status) => status,
            other => panic!("{other:?}"),
        }
    }

    async fn diff(&self, request: DiffRequest) -> DiffReply {
        match self.run(GitRequest::Diff(request)).await.unwrap() {
            GitReply::Diff(diff) => diff,
            other => panic!("{other:?}"),
        }
    }

    async fn commit(&self, request: CommitRequest) -> Result<CommitReply, GitError> {
        match self.run(GitRequest::Commit(request)).await? {
            GitReply::Commit(commit) => Ok(commit),
            other => panic!("{other:?}"),
        }
    }

    async fn checkout(&self, request: CheckoutRequest) -> Result<CheckoutReply, GitError> {
        match self.run(GitRequest::Checkout(request)).await? {
            GitReply::Checkout(checkout) => Ok(checkout),
            other => panic!("{other:?}"),
        }
    }

    /// Nothing of an exchange is left.
    fn scratch_is_empty(&self) -> bool {
        self.git.settings.scratch.read_dir().unwrap().next().is_none()
    }
}

fn environment(folder: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
        ("HOME".into(), folder.join("home").into()),
    ]
}

#[expect(clippy::disallowed_methods, reason = "a test prepares what the code must meet")]
fn shell(folder: &Path, cwd: &Path, script: &str) -> Output {
    std::process::Command::new("/bin/sh")
        .args(["-ec", script])
        .current_dir(cwd)
        .env_clear()
        .envs(environment(folder))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "Person"), ("GIT_AUTHOR_EMAIL", "person@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Person"), ("GIT_COMMITTER_EMAIL", "person@example.org")])
        .output()
        .unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
fn content(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

fn rel(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn rels(texts: &[&str]) -> Vec<RelPath> {
    texts.iter().map(|text| rel(text)).collect()
}

fn named(path: &str) -> Name {
    Name { path: path.to_owned(), lossy: false }
}

fn change(path: &str, change: ChangeKind) -> Change {
    Change { name: named(path), change, old_path: None }
}

fn all<T>(entries: Vec<T>) -> Bounded<T> {
    Bounded { total: entries.len() as u64, entries }
}

fn commit(message: &str, files: &[&str]) -> CommitRequest {
    CommitRequest {
        message: Some(message.to_owned()),
        files: rels(files),
        ..CommitRequest::default()
    }
}

fn branch(name: &str) -> CheckoutRequest {
    CheckoutRequest { branch: Some(name.to_owned()), ..CheckoutRequest::default() }
}

#[tokio::test]
async fn without_a_repository_every_action_but_two_says_so() {
    let stage = Stage::empty();
    for request in [
        GitRequest::Status(StatusRequest::default()),
        GitRequest::Diff(DiffRequest::default()),
        GitRequest::Commit(commit("x", &[])),
        GitRequest::Push(PushRequest::default()),
    ] {
        assert_eq!(stage.run(request).await, Err(GitError::NotARepository));
    }
    let init = GitRequest::Init(InitRequest::default());
    let made = Ok(GitReply::Init(InitReply { branch: "main".to_owned() }));
    assert_eq!(stage.run(init.clone()).await, made);
    assert_eq!(stage.status().await.branch, Some("main".to_owned()));
    assert!(matches!(stage.run(init).await, Err(GitError::InvalidRequest { .. })));
}

#[tokio::test]
async fn a_machine_without_git_says_so() {
    let mut stage = Stage::with_commit();
    stage.git.settings.base_env = vec![("PATH".into(), stage.folder.join("home").into())];
    let status = stage.run(GitRequest::Status(StatusRequest::default())).await;
    assert_eq!(status, Err(GitError::GitMissing));
}

#[tokio::test]
async fn variables_of_git_in_the_environment_do_not_count() {
    let mut stage = Stage::with_commit();
    stage.git.settings.base_env.push(("GIT_DIR".into(), "/nowhere".into()));
    assert_eq!(stage.status().await.branch, Some("main".to_owned()));
}

#[tokio::test]
async fn names_that_could_be_options_are_refused() {
    let stage = Stage::with_commit();
    let bad = "--output=x";
    for request in [
        GitRequest::Diff(DiffRequest { revision: Some(bad.to_owned()), ..DiffRequest::default() }),
        GitRequest::Log(LogRequest { revision: Some(bad.to_owned()), ..LogRequest::default() }),
        GitRequest::Show(ShowRequest { revision: Some(bad.to_owned()), ..ShowRequest::default() }),
        GitRequest::Checkout(branch(bad)),
        GitRequest::Checkout(CheckoutRequest {
            start_point: Some(bad.to_owned()),
            ..branch("fine")
        }),
    ] {
        let error = stage.run(request.clone()).await.unwrap_err();
        let expected =
            matches!(error, GitError::NoSuchRevision { .. } | GitError::InvalidRequest { .. });
        assert!(expected, "{request:?}: {error:?}");
    }
    assert_eq!(stage.sh("ls"), "a.txt");
}

#[test]
fn passwords_in_addresses_are_masked() {
    let cases = [
        ("fatal: 'https://me:pw@host/x' failed", "fatal: 'https://***@host/x' failed"),
        ("https://a:b@one https://c:d@two/", "https://***@one https://***@two/"),
        ("ssh://git@host/x and //host", "ssh://git@host/x and //host"),
        ("https://me:p@w@host/", "https://***@host/"),
    ];
    for (text, masked) in cases {
        assert_eq!(error::mask(text), masked);
    }
}

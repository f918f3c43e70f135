//! Programs of a local host: runs to the end, runs in the background, and git.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use openspace_files::{FileError, Kind};
use openspace_git::{
    Bounded, Credential, CredentialRequest, Credentials, GitAnswer, GitQuestion, GitReply, Name,
    StoredContent,
};
use openspace_process::{
    self as process, Background, Finished, Patience, Run, State, Status, Stream,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{LocalHost, lock};
use crate::{
    conversation::HostConversation,
    host::{BoxFuture, HostError},
    operation::{
        self, Git, GitCommittedSecrets, GitContent, GitIgnored, LookAround, LookInto, Output,
        Program, StartRun, WaitRun,
    },
};

/// Background runs that are known at once. The oldest one that has ended makes room.
const MAX_RUNS: usize = 100;
/// Pieces of output that may wait for a listener; more are not told. The answer has them all.
const WAITING_PIECES: usize = 64;

/// Background runs by the caller's name for them.
#[derive(Default)]
pub(super) struct Runs(Mutex<BTreeMap<u64, Background>>);

impl Runs {
    pub(super) fn get(&self, run: u64) -> Result<Background, HostError> {
        lock(&self.0)
            .get(&run)
            .cloned()
            .ok_or_else(|| HostError::Unknown { what: "run".into(), name: run.to_string() })
    }

    pub(super) fn take_all(&self) -> BTreeMap<u64, Background> {
        std::mem::take(&mut *lock(&self.0))
    }

    fn make_room(&self, wanted: u64) -> Result<(), HostError> {
        let mut runs = lock(&self.0);
        if runs.contains_key(&wanted) {
            return Err(HostError::Internal(format!("there is a run {wanted} already")));
        }
        if runs.len() < MAX_RUNS {
            return Ok(());
        }
        let ended = runs
            .iter()
            .find(|(_, run)| !matches!(run.status().state, State::Running { .. }))
            .map(|(name, _)| *name);
        match ended {
            Some(name) => runs.remove(&name),
            None => {
                return Err(HostError::TooMany { what: "background runs".into(), count: MAX_RUNS });
            }
        };
        Ok(())
    }
}

impl LocalHost {
    /// What programs may do with paths, asked on a thread that may block.
    pub(super) async fn look_around(
        &self,
        LookAround { paths }: LookAround,
        cancel: &CancellationToken,
    ) -> Result<Vec<process::wall::Reach>, HostError> {
        let look = move |_: &openspace_files::Files, _: &dyn Fn() -> bool| {
            let paths = paths.iter().take(process::wall::MOST_PATHS);
            Ok::<_, HostError>(paths.map(|path| process::wall::Reach::of(path)).collect())
        };
        self.blocking(cancel, look).await
    }

    /// What is in files, read on a thread that may block.
    pub(super) async fn look_into(
        &self,
        LookInto { paths }: LookInto,
        cancel: &CancellationToken,
    ) -> Result<Vec<process::content::Content>, HostError> {
        let look = move |_: &openspace_files::Files, is_over: &dyn Fn() -> bool| {
            let paths = paths.iter().take(process::content::MOST_FILES);
            let looked = paths.map(|path| process::content::Content::of(path, is_over));
            Ok::<_, HostError>(looked.collect())
        };
        self.blocking(cancel, look).await
    }

    /// The run of a program in this place.
    fn program(&self, program: Program) -> Result<Run, HostError> {
        let Program { command, folder, timeout_ms, environment } = program;
        let files = self.files();
        if files.stat(&folder)?.kind != Kind::Folder {
            return Err(FileError::NotAFolder { path: folder }.into());
        }
        let mut base_env = self.environment.clone();
        base_env.extend(environment.into_iter().map(|(name, value)| (name.into(), value.into())));
        Ok(Run {
            command,
            cwd: files.real_path(&folder)?,
            shell: self.command_shell.clone(),
            base_env,
            timeout: timeout_ms.map(Duration::from_millis),
            marker: self.new_marker("run"),
            spill: self.outputs.folder().to_owned(),
            patience: Patience::default(),
        })
    }

    pub(super) async fn run(
        &self,
        wanted: operation::Run,
        conversation: &HostConversation<operation::Run>,
    ) -> Result<Finished, HostError> {
        self.cleared().await;
        let run = self.program(wanted.program)?;
        let (pieces, forward) = forward(conversation);
        let output = move |stream: Stream, bytes: &[u8]| {
            if let Some(pieces) = &pieces
                && pieces.try_send(Output { stream, bytes: bytes.to_owned() }).is_err()
            {
                tracing::trace!("a piece of output found no free listener");
            }
        };
        let (finished, ()) =
            tokio::join!(process::run(&run, output, conversation.cancel()), forward);
        let finished = finished?;
        if finished.full.is_some() {
            self.outputs.tidy();
        }
        Ok(finished)
    }

    pub(super) async fn start_run(&self, wanted: StartRun) -> Result<u32, HostError> {
        self.cleared().await;
        self.runs.make_room(wanted.run)?;
        let background = Background::start(self.program(wanted.program)?)?;
        self.outputs.tidy();
        let pid = match background.status().state {
            State::Running { pid } => pid,
            State::Ended(_) | State::Lost { .. } => 0,
        };
        lock(&self.runs.0).insert(wanted.run, background);
        Ok(pid)
    }

    pub(super) async fn wait_run(
        &self,
        wanted: &WaitRun,
        cancel: &CancellationToken,
    ) -> Result<Status, HostError> {
        let run = self.runs.get(wanted.run)?;
        tokio::select! {
            status = run.wait(Duration::from_millis(wanted.patience_ms)) => Ok(status),
            () = cancel.cancelled() => Err(HostError::Cancelled),
        }
    }

    pub(super) async fn git(
        &self,
        wanted: Git,
        conversation: HostConversation<Git>,
    ) -> Result<GitReply, HostError> {
        self.cleared().await;
        let Git { request, person, hooks, timeout_ms } = wanted;
        let mut git = self.git.clone();
        if person {
            git = git.for_a_person();
        }
        if !hooks {
            git = git.without_hooks();
        }
        let cancel = conversation.cancel().clone();
        let broker = Broker(tokio::sync::Mutex::new(conversation));
        let timeout = Duration::from_millis(timeout_ms);
        Ok(git.run(&self.files(), request, timeout, &broker, &cancel).await?)
    }
}

impl LocalHost {
    pub(super) async fn git_content(
        &self,
        wanted: GitContent,
        cancel: &CancellationToken,
    ) -> Result<StoredContent, HostError> {
        self.cleared().await;
        let GitContent { path, revision, person, timeout_ms } = wanted;
        let files = if person { Arc::new(self.files().for_a_person()) } else { self.files() };
        let timeout = Duration::from_millis(timeout_ms);
        let content = self.git.content(&files, &path, revision.as_deref(), timeout, cancel);
        Ok(content.await?)
    }

    pub(super) async fn git_ignored(
        &self,
        GitIgnored { timeout_ms }: GitIgnored,
        cancel: &CancellationToken,
    ) -> Result<Bounded<Name>, HostError> {
        self.cleared().await;
        let timeout = Duration::from_millis(timeout_ms);
        Ok(self.git.ignored(&self.files(), timeout, cancel).await?)
    }

    pub(super) async fn git_committed_secrets(
        &self,
        GitCommittedSecrets { timeout_ms }: GitCommittedSecrets,
        cancel: &CancellationToken,
    ) -> Result<Bounded<String>, HostError> {
        self.cleared().await;
        let timeout = Duration::from_millis(timeout_ms);
        Ok(self.git.committed_secrets(&self.files(), timeout, cancel).await?)
    }
}

/// A way for output to reach the listener without holding up the program.
fn forward(
    conversation: &HostConversation<operation::Run>,
) -> (Option<mpsc::Sender<Output>>, impl Future<Output = ()>) {
    let (sender, mut receiver) = mpsc::channel(WAITING_PIECES);
    let sender = conversation.is_listened_to().then_some(sender);
    let forward = async move {
        while let Some(piece) = receiver.recv().await {
            if !conversation.tell(piece).await {
                return;
            }
        }
    };
    (sender, forward)
}

/// Asks the caller what git needs.
struct Broker(tokio::sync::Mutex<HostConversation<Git>>);

impl Credentials for Broker {
    fn ask(&self, wanted: CredentialRequest) -> BoxFuture<'_, Option<Credential>> {
        Box::pin(async move {
            match self.question(GitQuestion::Credential(wanted)).await? {
                GitAnswer::Credential(credential) => credential,
                GitAnswer::StandStill(_) => None,
            }
        })
    }

    fn stand_still(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            match self.question(GitQuestion::StandStill).await {
                Some(GitAnswer::StandStill(None)) => Ok(()),
                Some(GitAnswer::StandStill(Some(reason))) => Err(reason),
                Some(GitAnswer::Credential(_)) | None => Err("nobody answers".to_owned()),
            }
        })
    }
}

impl Broker {
    async fn question(&self, question: GitQuestion) -> Option<GitAnswer> {
        // One question at a time, so that the answer is to this one.
        let mut conversation = self.0.lock().await;
        if !conversation.tell(question).await {
            return None;
        }
        conversation.input().await
    }
}

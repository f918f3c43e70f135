//! The host in this process: operations are function calls.
//!
//! It also runs inside `openspace-runner`, which makes every other place behave alike. It decides
//! nothing about who may do what; it keeps what runs, and ends it when it is dropped.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use openspace_files::{
    FileError, Files,
    change::Changes,
    rules::Rules,
    view::LineIndex,
    watch::{Watcher, tree::Tree},
};
use openspace_git::{Git, GitSettings, Identity};
use openspace_process::reap_marked;
use openspace_protocol::TerminalId;
use openspace_terminal::Terminal;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::{outputs::Outputs, pipes::Pipes, programs::Runs};
use crate::{
    build::BUILD,
    conversation::AnyConversation,
    host::{BoxFuture, Facts, Host, HostError},
    operation::{Configure, Reply, Request},
};

mod file_changes;
mod outputs;
mod pipes;
mod programs;
mod searching;
mod terminals;
mod texts;
mod watching;

#[cfg(test)]
pub(crate) mod tests;

/// What a local host is opened with: all that a place has to be told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The workspace's root.
    pub root: PathBuf,
    /// A private folder for full outputs; created when it is missing.
    pub output: PathBuf,
    /// A private folder for what is needed only for a moment; created when it is missing.
    pub scratch: PathBuf,
    /// The shell that is used when none is asked for; the one of the environment when left out.
    pub shell: Option<PathBuf>,
    /// The whole environment that programs start with; that of the process when left out.
    pub environment: Option<Vec<(OsString, OsString)>>,
    /// Names this workspace for ever, and no other; marks the processes it starts.
    pub marker: String,
    /// In whose name commits are made.
    pub identity: Identity,
    /// Who is named in commits beside it.
    pub co_author: Option<Identity>,
    /// What git is started with, if others can change the repository who must not change more.
    pub git_behind: Vec<OsString>,
}

/// The host in this process.
pub struct LocalHost {
    facts: Facts,
    settings: Settings,
    environment: Vec<(OsString, OsString)>,
    /// What commands are written for, whatever shell the person prefers.
    command_shell: PathBuf,
    files: RwLock<Arc<Files>>,
    outputs: Outputs,
    lines: Arc<LineIndex>,
    changes: Arc<Changes>,
    runs: Runs,
    pipes: Arc<Pipes>,
    terminals: Mutex<BTreeMap<TerminalId, Terminal>>,
    watcher: Mutex<Option<Arc<Watcher>>>,
    tree: Mutex<Option<Arc<Tree>>>,
    git: Git,
    /// Whether processes of an earlier life are ended. New ones carry the same mark, so they wait.
    cleared: Arc<watch::Sender<bool>>,
    started: AtomicU64,
}

impl LocalHost {
    /// Open a place. Must be called in a tokio runtime.
    pub fn open(settings: Settings) -> Result<Self, HostError> {
        let environment = settings.environment.clone().unwrap_or_else(own_environment);
        let shell = settings.shell.clone().unwrap_or_else(|| default_shell(&environment));
        for folder in [&settings.output, &settings.scratch] {
            create_private(folder).map_err(|source| FileError::Root { source })?;
        }
        create_private(&notes(&settings)).map_err(|source| FileError::Root { source })?;
        let files = open_files(&settings, &[], &[])?;
        if let Err(error) = files.sweep() {
            tracing::warn!(%error, "nobody looked for what an earlier run left half made");
        }
        let outputs = Outputs::open(&settings.output)?;
        let system = rustix::system::uname();
        let facts = Facts {
            root: files.root().to_owned(),
            given: std::path::absolute(&settings.root)
                .map_err(|source| FileError::Root { source })?,
            output: outputs.folder().to_owned(),
            shell: shell.clone(),
            system: format!(
                "{} {}",
                system.sysname().to_string_lossy(),
                system.release().to_string_lossy()
            ),
            build: BUILD.to_owned(),
        };
        let git = Git::new(GitSettings {
            root: facts.root.clone(),
            base_env: environment.clone(),
            marker: format!("{}:git", settings.marker),
            identity: settings.identity.clone(),
            co_author: settings.co_author.clone(),
            scratch: settings.scratch.clone(),
            behind: settings.git_behind.clone(),
        });
        let cleared = Arc::new(watch::Sender::new(false));
        clear(format!("{}:", settings.marker), Arc::clone(&cleared));
        Ok(Self {
            facts,
            settings,
            environment,
            command_shell: command_shell(),
            files: RwLock::new(Arc::new(files)),
            outputs,
            lines: Arc::default(),
            changes: Arc::default(),
            runs: Runs::default(),
            pipes: Arc::default(),
            terminals: Mutex::default(),
            watcher: Mutex::default(),
            tree: Mutex::default(),
            git,
            cleared,
            started: AtomicU64::new(0),
        })
    }

    fn files(&self) -> Arc<Files> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A mark for a new process, like no other's.
    fn new_marker(&self, what: &str) -> String {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        format!("{}:{what}{number}", self.settings.marker)
    }

    /// Wait until nothing of an earlier life is left.
    async fn cleared(&self) {
        // The sender is ours, so waiting can only end with the wanted value.
        drop(self.cleared.subscribe().wait_for(|cleared| *cleared).await);
    }

    fn configure(&self, rules: &Configure) -> Result<(), HostError> {
        let files = open_files(&self.settings, &rules.secret, &rules.protected)?;
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
        Ok(())
    }

    /// Do file work on a thread that may block. It is told when the caller takes the call back, and
    /// when the future is dropped.
    async fn blocking<T: Send + 'static, E: Into<HostError> + Send + 'static>(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce(&Files, &dyn Fn() -> bool) -> Result<T, E> + Send + 'static,
    ) -> Result<T, HostError> {
        let files = self.files();
        let stop = cancel.child_token();
        let seen = stop.clone();
        let _stop = stop.drop_guard();
        let done = tokio::task::spawn_blocking(move || work(&files, &|| seen.is_cancelled())).await;
        match done {
            Ok(result) => result.map_err(Into::into),
            Err(join) => Err(HostError::Internal(join.to_string())),
        }
    }

    /// Every operation has its line, so that the compiler names the one that nobody does.
    async fn answer(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> Result<Reply, HostError> {
        let cancel = conversation.cancel.clone();
        Ok(match request {
            Request::Configure(wanted) => Reply::Configure(self.configure(&wanted)?),
            Request::StatPath(wanted) => Reply::StatPath(self.files().stat(&wanted.path)?),
            Request::MayRead(wanted) => Reply::MayRead(self.may_read(&wanted)?),
            Request::NearNames(wanted) => Reply::NearNames(self.near_names(wanted, &cancel).await?),
            Request::ReadText(wanted) => Reply::ReadText(self.read(wanted, &cancel).await?),
            Request::WriteFile(wanted) => Reply::WriteFile(self.write(wanted, &cancel).await?),
            Request::ListFolder(wanted) => Reply::ListFolder(self.list(wanted, &cancel).await?),
            Request::FindFiles(wanted) => Reply::FindFiles(self.find_files(wanted, &cancel).await?),
            Request::FindNames(wanted) => Reply::FindNames(self.find_names(wanted, &cancel).await?),
            Request::ViewPath(wanted) => Reply::ViewPath(self.view(wanted, &cancel).await?),
            Request::ChangeFile(wanted) => {
                Reply::ChangeFile(self.change_file(wanted, &cancel).await?)
            }
            Request::EditFile(wanted) => Reply::EditFile(self.edit_file(wanted, &cancel).await?),
            Request::InspectPath(wanted) => {
                Reply::InspectPath(self.inspect(wanted, &cancel).await?)
            }
            Request::ListNames(wanted) => Reply::ListNames(self.list_names(wanted, &cancel).await?),
            Request::ReadBytes(wanted) => Reply::ReadBytes(self.read_bytes(wanted, &cancel).await?),
            Request::ReadSecrets(wanted) => {
                Reply::ReadSecrets(self.read_secrets(wanted, &cancel).await?)
            }
            Request::WriteBytes(wanted) => {
                Reply::WriteBytes(self.write_bytes(wanted, &cancel).await?)
            }
            Request::MakeFolder(wanted) => {
                Reply::MakeFolder(self.make_folder(wanted, &cancel).await?)
            }
            Request::MovePath(wanted) => Reply::MovePath(self.move_path(wanted, &cancel).await?),
            Request::CopyPath(wanted) => Reply::CopyPath(self.copy_path(wanted, &cancel).await?),
            Request::DeletePath(wanted) => {
                Reply::DeletePath(self.delete_path(wanted, &cancel).await?)
            }
            Request::RestorePath(wanted) => {
                Reply::RestorePath(self.restore_path(wanted, &cancel).await?)
            }
            Request::ListTrash(wanted) => Reply::ListTrash(self.list_trash(wanted, &cancel).await?),
            Request::Glob(wanted) => Reply::Glob(self.glob(wanted, &cancel).await?),
            Request::Grep(wanted) => Reply::Grep(self.grep(wanted, &conversation.of()).await?),
            Request::Git(wanted) => Reply::Git(self.git(wanted, conversation.of()).await?),
            Request::GitContent(wanted) => {
                Reply::GitContent(self.git_content(wanted, &cancel).await?)
            }
            Request::GitIgnored(wanted) => {
                Reply::GitIgnored(self.git_ignored(wanted, &cancel).await?)
            }
            Request::GitCommittedSecrets(wanted) => {
                Reply::GitCommittedSecrets(self.git_committed_secrets(wanted, &cancel).await?)
            }
            Request::Run(wanted) => Reply::Run(self.run(wanted, &conversation.of()).await?),
            Request::StartRun(wanted) => Reply::StartRun(self.start_run(wanted).await?),
            Request::ReadRun(wanted) => {
                Reply::ReadRun(self.runs.get(wanted.run)?.read(wanted.since).await?)
            }
            Request::WaitRun(wanted) => Reply::WaitRun(self.wait_run(&wanted, &cancel).await?),
            Request::KillRun(wanted) => Reply::KillRun(self.runs.get(wanted.run)?.kill().await?),
            Request::Pipe(wanted) => Reply::Pipe(self.pipe(wanted, conversation.of()).await?),
            Request::PipeMemory(wanted) => {
                Reply::PipeMemory(self.pipe_memory(&wanted, &cancel).await?)
            }
            Request::FindProgram(wanted) => {
                Reply::FindProgram(self.find_program(wanted, &cancel).await?)
            }
            Request::OpenTerminal(wanted) => Reply::OpenTerminal(self.open_terminal(wanted).await?),
            Request::TerminalStatus(wanted) => {
                Reply::TerminalStatus(self.terminal(wanted.id)?.status())
            }
            Request::ReadTerminal(wanted) => {
                Reply::ReadTerminal(self.terminal(wanted.id)?.look(wanted.request)?)
            }
            Request::WriteTerminal(wanted) => {
                Reply::WriteTerminal(self.write_terminal(wanted).await?)
            }
            Request::ResizeTerminal(wanted) => {
                Reply::ResizeTerminal(self.terminal(wanted.id)?.resize(wanted.size)?)
            }
            Request::RunInTerminal(wanted) => {
                Reply::RunInTerminal(self.run_in_terminal(wanted, &conversation.of()).await?)
            }
            Request::InterruptTerminal(wanted) => {
                Reply::InterruptTerminal(self.terminal(wanted.id)?.interrupt().await?)
            }
            Request::FollowTerminal(wanted) => {
                Reply::FollowTerminal(self.follow_terminal(&wanted, &conversation.of()).await?)
            }
            Request::AttachTerminal(wanted) => {
                Reply::AttachTerminal(self.attach_terminal(&wanted, &conversation.of()).await?)
            }
            Request::EndTerminal(wanted) => {
                Reply::EndTerminal(self.terminal(wanted.id)?.kill().await?)
            }
            Request::CloseTerminal(wanted) => {
                Reply::CloseTerminal(self.close_terminal(&wanted).await?)
            }
            Request::FollowFiles(_) => {
                Reply::FollowFiles(self.follow_files(&conversation.of()).await?)
            }
            Request::WatchFile(wanted) => Reply::WatchFile(self.watch_file(wanted, &cancel).await?),
            Request::UnwatchFile(wanted) => {
                Reply::UnwatchFile(self.watcher()?.unwatch(&wanted.path))
            }
            Request::FollowTree(_) => {
                Reply::FollowTree(self.follow_tree(&conversation.of()).await?)
            }
            Request::LookAt(wanted) => Reply::LookAt(self.look_at(wanted).await?),
            Request::LookAround(wanted) => {
                Reply::LookAround(self.look_around(wanted, &cancel).await?)
            }
            Request::LookInto(wanted) => Reply::LookInto(self.look_into(wanted, &cancel).await?),
            Request::EndAll(_) => Reply::EndAll(self.end_all().await?),
        })
    }
}

impl Host for LocalHost {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn perform(
        &self,
        request: Request,
        conversation: AnyConversation,
    ) -> BoxFuture<'_, Result<Reply, HostError>> {
        Box::pin(self.answer(request, conversation))
    }

    fn lost(&self) -> BoxFuture<'_, String> {
        Box::pin(std::future::pending())
    }
}

/// A place that is told no environment has its own.
fn own_environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

fn default_shell(environment: &[(OsString, OsString)]) -> PathBuf {
    let named = environment.iter().find(|(name, _)| name == "SHELL");
    let named = named.map(|(_, path)| PathBuf::from(path)).filter(|path| path.is_file());
    named.unwrap_or_else(command_shell)
}

/// Nobody else may look at what programs printed.
fn create_private(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Bash where there is one, else the system's shell.
fn command_shell() -> PathBuf {
    let shells = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
    let found = shells.into_iter().find(|shell| Path::new(shell).is_file());
    found.unwrap_or("/bin/sh").into()
}

fn open_files(
    settings: &Settings,
    secret: &[String],
    protected: &[String],
) -> Result<Files, FileError> {
    Files::open(&settings.root, Rules::new(secret, protected)?)?.noting(&notes(settings))
}

/// Where temporary files of the workspace are noted.
fn notes(settings: &Settings) -> PathBuf {
    settings.scratch.join("half-made")
}

/// End what an earlier life of this workspace left running.
fn clear(marker: String, cleared: Arc<watch::Sender<bool>>) {
    tokio::task::spawn_blocking(move || {
        match reap_marked(&marker) {
            Ok(0) => {}
            Ok(ended) => tracing::warn!(ended, "processes of an earlier run were ended"),
            Err(error) => tracing::error!(%error, "processes of an earlier run were not ended"),
        }
        cleared.send_replace(true);
    });
}

/// A panic while a lock was held leaves maps that are still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

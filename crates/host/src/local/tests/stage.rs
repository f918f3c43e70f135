//! A workspace on the disk with a host before it, and ways to wait for what should happen.

use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use openspace_git::Identity;
use openspace_link::{self as link, LinkError, Options};
use openspace_protocol::RelPath;
use tempfile::TempDir;
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    Conversation, Host, HostError, LocalHost, RemoteHost, Served,
    local::Settings,
    operation::{Operation, Program},
};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with a workspace and the private folders of its host.
pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["root", "home"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn settings(&self) -> Settings {
        let home = self.path().join("home");
        let environment = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", home.to_str().unwrap()),
            ("SHELL", "/bin/bash"),
        ];
        Settings {
            root: self.path().join("root"),
            output: self.path().join("output"),
            scratch: self.path().join("scratch"),
            shell: None,
            environment: Some(environment.map(|(name, value)| (name.into(), value.into())).into()),
            marker: format!("test{}", self.path().file_name().unwrap().display()),
            identity: Identity { name: "A".to_owned(), email: "a@example.org".to_owned() },
            co_author: None,
            git_behind: Vec::new(),
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.path().join("root").join(path)
    }

    #[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
    pub(crate) fn content(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.at(path)).ok()
    }

    pub(crate) fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }

    /// The number that a program has written to a file, once it has.
    pub(crate) async fn pid(&self, path: &str) -> u32 {
        let number = || self.content(path).and_then(|text| text.strip_suffix('\n')?.parse().ok());
        until(|| number().is_some()).await;
        number().unwrap()
    }
}

/// A host and its folder.
pub(crate) struct Stage {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) folder: Folder,
    /// The end of the runner, for a host behind a stream.
    pub(crate) served: Option<JoinHandle<Result<(), LinkError>>>,
}

impl Stage {
    pub(crate) async fn local() -> Self {
        let folder = Folder::new();
        let host = Arc::new(LocalHost::open(folder.settings()).unwrap());
        std::future::ready(Self { host, folder, served: None }).await
    }

    pub(crate) async fn remote() -> Self {
        let folder = Folder::new();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let serve = async move {
            let served = Arc::new(Served::default());
            let outcome = link::serve(theirs, Arc::clone(&served), Options::default()).await;
            served.end().await;
            outcome
        };
        let served = Some(tokio::spawn(serve));
        let host = RemoteHost::connect(ours, &folder.settings(), ()).await.unwrap();
        Self { host: Arc::new(host), folder, served }
    }

    pub(crate) async fn ask<O: Operation>(&self, operation: O) -> Result<O::Output, HostError> {
        soon(self.host.ask(operation)).await
    }

    /// Do an operation in a task of its own, listened to.
    pub(crate) fn listen<O>(&self, operation: O, waiting: usize) -> Listened<O>
    where
        O: Operation + Send + 'static,
        O::Output: Send + 'static,
    {
        let (sender, items) = mpsc::channel(waiting);
        let cancel = CancellationToken::new();
        let conversation =
            Conversation { items: Some(sender), inputs: None, cancel: cancel.clone() };
        let host = Arc::clone(&self.host);
        let reply = tokio::spawn(async move { host.ask_with(operation, conversation).await });
        Listened { items, cancel, reply }
    }
}

/// An operation under way.
pub(crate) struct Listened<O: Operation> {
    pub(crate) items: mpsc::Receiver<O::Item>,
    pub(crate) cancel: CancellationToken,
    pub(crate) reply: JoinHandle<Result<O::Output, HostError>>,
}

impl<O: Operation> Listened<O> {
    pub(crate) async fn item(&mut self) -> Option<O::Item> {
        soon(self.items.recv()).await
    }

    pub(crate) async fn reply(self) -> Result<O::Output, HostError> {
        soon(self.reply).await.unwrap()
    }
}

pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

pub(crate) fn program(command: &str) -> Program {
    Program {
        command: command.to_owned(),
        folder: RelPath::root(),
        timeout_ms: None,
        environment: Vec::new(),
    }
}

/// What happens in time.
pub(crate) async fn soon<T>(happens: impl Future<Output = T>) -> T {
    timeout(PATIENCE, happens).await.expect("it did not happen in time")
}

pub(crate) async fn until(happened: impl Fn() -> bool) {
    let wait = async {
        while !happened() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(wait).await;
}

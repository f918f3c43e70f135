//! A workspace on the disk, a runner before it, and ways to wait for what should happen.

use std::{
    future::Future,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use openspace_git::Identity;
use openspace_host::{
    Conversation, Host, HostError, RemoteHost,
    local::Settings,
    operation::{Operation, Program},
};
use openspace_link::Heartbeat;
use openspace_protocol::RelPath;
use tempfile::TempDir;
use tokio::{
    io::{DuplexStream, duplex},
    process::{Child, Command},
    sync::mpsc,
    task::JoinHandle,
    time::timeout,
};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with a workspace and the private folders of its host.
pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["root", "home"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.beside("root").join(path)
    }

    pub(crate) fn settings(&self) -> Settings {
        let home = self.beside("home");
        let environment =
            [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", home.to_str().unwrap())];
        Settings {
            root: self.beside("root"),
            output: self.beside("output"),
            scratch: self.beside("scratch"),
            shell: Some("/bin/bash".into()),
            environment: Some(environment.map(|(name, value)| (name.into(), value.into())).into()),
            marker: format!("runner{}", self.folder.path().file_name().unwrap().display()),
            identity: Identity { name: "A".to_owned(), email: "a@example.org".to_owned() },
            co_author: None,
            git_behind: Vec::new(),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn content(&self, path: &str) -> Option<Vec<u8>> {
        read(&self.at(path))
    }

    /// The number that a program has written to a file, once it has.
    pub(crate) async fn pid(&self, path: &str) -> u32 {
        let number = || {
            let text = String::from_utf8(self.content(path)?).ok()?;
            text.strip_suffix('\n')?.parse().ok()
        };
        until(|| number().is_some()).await;
        number().unwrap()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
fn read(path: &Path) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}

/// One that has ended and was not waited for yet is not running.
pub(crate) fn is_running(pid: u32) -> bool {
    let stat = read(Path::new(&format!("/proc/{pid}/stat"))).unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat).into_owned();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// The most memory that a runner ever had, in bytes.
pub(crate) fn peak_memory(runner: &Runner) -> u64 {
    let status = format!("/proc/{}/status", runner.child.id().unwrap());
    let status = String::from_utf8(read(Path::new(&status)).unwrap()).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
}

#[expect(clippy::disallowed_methods, reason = "a test starts the program under test")]
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openspace-runner"));
    command.args(arguments).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A runner and the host that it serves.
pub(crate) struct Runner {
    pub(crate) child: Child,
    pub(crate) host: Arc<dyn Host>,
    /// Carries its standard streams; they close when it is aborted.
    pub(crate) streams: JoinHandle<()>,
}

impl Runner {
    pub(crate) async fn start(stage: &Stage) -> Self {
        Self::start_with(&stage.settings()).await.unwrap()
    }

    pub(crate) async fn start_with(settings: &Settings) -> Result<Self, (Child, HostError)> {
        Self::start_patiently(settings, PATIENCE).await
    }

    /// A runner that is lost when it is silent for this long.
    pub(crate) async fn start_patiently(
        settings: &Settings,
        silence: Duration,
    ) -> Result<Self, (Child, HostError)> {
        let mut child = command(&[]).spawn().unwrap();
        let (ours, theirs) = duplex(64 * 1024);
        let streams = tokio::spawn(carry(&mut child, theirs));
        let heartbeat = Heartbeat { interval: silence / 2, patience: silence / 2 };
        match soon(RemoteHost::connect_with(ours, settings, heartbeat, ())).await {
            Ok(host) => Ok(Self { child, host: Arc::new(host), streams }),
            Err(error) => Err((child, error)),
        }
    }

    pub(crate) async fn ask<O: Operation>(&self, operation: O) -> Result<O::Output, HostError> {
        soon(self.host.ask(operation)).await
    }

    /// Do an operation in a task of its own, listened to.
    pub(crate) fn listen<O>(&self, operation: O) -> Listened<O>
    where
        O: Operation + Send + 'static,
        O::Output: Send + 'static,
    {
        let (sender, items) = mpsc::channel(1000);
        let conversation = Conversation { items: Some(sender), ..Conversation::default() };
        let host = Arc::clone(&self.host);
        let reply = tokio::spawn(async move { host.ask_with(operation, conversation).await });
        Listened { items, reply }
    }

    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }
}

/// An operation under way.
pub(crate) struct Listened<O: Operation> {
    pub(crate) items: mpsc::Receiver<O::Item>,
    pub(crate) reply: JoinHandle<Result<O::Output, HostError>>,
}

fn carry(child: &mut Child, stream: DuplexStream) -> impl Future<Output = ()> + use<> {
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    async move {
        let (mut from, mut to) = tokio::io::split(stream);
        tokio::select! {
            _ = tokio::io::copy(&mut from, &mut input) => {}
            _ = tokio::io::copy(&mut output, &mut to) => {}
        }
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
    timeout(PATIENCE, happens).await.unwrap()
}

pub(crate) async fn until(happened: impl Fn() -> bool) {
    let wait = async {
        while !happened() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(wait).await;
}

//! A workspace of its own for each test, and the binary in an environment of its own.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::Arc,
};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

/// A folder to work in, a folder for state and a home, all gone with this.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    own: Arc<TempDir>,
    /// The folder with the home of whom this belongs to.
    person: Arc<TempDir>,
}

/// How a run of the binary ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Let a file be started.
pub(crate) fn executable(place: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755)).unwrap();
}

impl Space {
    pub(crate) fn new() -> Self {
        let own = Arc::new(tempfile::tempdir().unwrap());
        let space = Self { person: Arc::clone(&own), own };
        std::fs::create_dir(space.folder().join("app")).unwrap();
        std::fs::create_dir(space.home()).unwrap();
        std::fs::create_dir(space.web()).unwrap();
        write(&space.web().join("index.html"), "<!doctype html><title>The web app</title>\n");
        space
    }

    /// Another one of the same person.
    pub(crate) fn beside(&self) -> Self {
        Self { person: Arc::clone(&self.person), ..Self::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.own.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.person.path().join("home")
    }

    /// A stand-in for the web app, so that no test needs the real one to be built.
    pub(crate) fn web(&self) -> PathBuf {
        self.folder().join("web")
    }

    /// The workspace's root, without links.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder().join("app").canonicalize().unwrap()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder().join("state")
    }

    /// The folder of the workspace's own state, once a server has made it.
    pub(crate) fn place(&self) -> PathBuf {
        let mut entries = std::fs::read_dir(self.state()).unwrap();
        let place = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none(), "one workspace has one folder of state");
        place
    }

    /// The word that marks the workspace's processes.
    pub(crate) fn instance(&self) -> String {
        self.key("instance")
    }

    /// A key of the workspace's state.
    pub(crate) fn key(&self, name: &str) -> String {
        let keys: serde_json::Value =
            serde_json::from_str(&read(&self.place().join("keys.json"))).unwrap();
        keys[name].as_str().unwrap().to_owned()
    }

    /// Put a file into the workspace.
    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }

    /// The binary with nothing of this process's surroundings.
    pub(crate) fn bare(&self) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the binary under test starts here only")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_openspace"));
        command.env_clear().current_dir(self.root()).stdin(Stdio::null());
        command
    }

    /// The binary with a home of its own and this space's state.
    pub(crate) fn program(&self) -> Command {
        self.surrounded(self.bare())
    }

    /// The same, started by another program that gets the binary's path as its last argument.
    pub(crate) fn program_by(&self, starter: &str, arguments: &[String]) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the binary under test starts here only")]
        let mut command = Command::new(starter);
        command.env_clear().current_dir(self.root()).stdin(Stdio::null());
        command.args(arguments).arg(env!("CARGO_BIN_EXE_openspace"));
        self.surrounded(command)
    }

    fn surrounded(&self, mut command: Command) -> Command {
        command
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home())
            .env("OPENSPACE_WEB", self.web())
            .env("SHELL", "/bin/sh")
            .env("PS1", "$ ")
            .env("OPENSPACE_RUNNER", runner())
            .arg("--state-dir")
            .arg(self.state());
        command
    }

    /// Run the binary to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Finished {
        let mut command = self.program();
        command.args(arguments);
        finish(command).await
    }
}

/// The runner that `cargo xtask test` built, else the one beside the binary.
#[expect(clippy::disallowed_methods, reason = "the one thing a test is told by its surroundings")]
fn runner() -> PathBuf {
    let beside = || Path::new(env!("CARGO_BIN_EXE_openspace")).with_file_name("openspace-runner");
    std::env::var_os("OPENSPACE_RUNNER").map_or_else(beside, PathBuf::from)
}

/// Run a command to its end.
pub(crate) async fn finish(command: Command) -> Finished {
    let mut command = tokio::process::Command::from(command);
    let running = command.kill_on_drop(true).output();
    let output = super::in_time("the end of the program", running).await.unwrap();
    Finished {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Wait for a child to end.
pub(crate) async fn ended(child: &mut std::process::Child) -> ExitStatus {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        tokio::time::sleep(super::LOOK_EVERY).await;
    }
}

pub(crate) fn send_signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Living processes that a server marked as belonging to any of its workspaces, with their command
/// lines.
pub(crate) fn marked_processes(instance: &str) -> Vec<(u32, String)> {
    let marker = format!("OPENSPACE_TERMINAL={instance}-");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let text = |file: &str| bytes(&entry.path().join(file)).unwrap_or_default();
        let marked = text("environ")
            .split(|byte| *byte == 0)
            .any(|variable| variable.starts_with(marker.as_bytes()));
        if marked {
            let words = String::from_utf8_lossy(&text("cmdline")).replace('\0', " ");
            found.push((pid, words.trim().to_owned()));
        }
    }
    found
}

/// A process as it was seen; its number may be another's later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) pid: u32,
    parent: u32,
    started: String,
    pub(crate) words: String,
}

fn look(pid: u32) -> Option<Seen> {
    let text = |file: &str| {
        let bytes = bytes(Path::new(&format!("/proc/{pid}/{file}")))?;
        Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
    };
    let stat = text("stat")?;
    // The name stands in parentheses and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    if fields[0] == "Z" {
        return None;
    }
    let (parent, started) = (fields[1].parse().ok()?, fields[19].to_owned());
    Some(Seen { pid, parent, started, words: text("cmdline")?.trim().to_owned() })
}

fn all_processes() -> Vec<Seen> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries.filter_map(|entry| look(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Every process that a process started, and those started by these.
pub(crate) fn descendants(pid: u32) -> Vec<Seen> {
    let all = all_processes();
    let mut found: Vec<Seen> = Vec::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        for child in all.iter().filter(|process| process.parent == parent) {
            parents.push(child.pid);
            found.push(child.clone());
        }
    }
    found
}

/// Those of some processes that still live.
pub(crate) fn still_there(seen: &[Seen]) -> Vec<Seen> {
    let same = |one: &&Seen| look(one.pid).is_some_and(|now| now.started == one.started);
    seen.iter().filter(same).cloned().collect()
}

/// A file, if it can be read.
pub(crate) fn bytes(path: &Path) -> Option<Vec<u8>> {
    #[expect(clippy::disallowed_methods, reason = "files of the test itself")]
    std::fs::read(path).ok()
}

pub(crate) fn read(path: &Path) -> String {
    let bytes = bytes(path).unwrap_or_else(|| panic!("{} cannot be read", path.display()));
    String::from_utf8(bytes).unwrap()
}

pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    #[expect(clippy::disallowed_methods, reason = "files of the test itself")]
    std::fs::write(path, text).unwrap();
}

/// A new file to write to.
pub(crate) fn create(path: &Path) -> File {
    #[expect(clippy::disallowed_methods, reason = "files of the test itself")]
    File::create(path).unwrap()
}

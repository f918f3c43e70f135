//! Real places on this machine, with real bubblewrap.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;

use super::*;
use crate::Ending;

mod ending;
mod errors;
mod limits;
mod statements;
mod walls;

/// Stands in for the runner: says that it is confined without being so, which leaves the outer
/// wall alone to hold, and becomes the given program.
const STAND_IN: &str =
    "#!/bin/sh\nshift 2\necho '{\"confined\":{\"abi\":6,\"full\":true}}'\nexec \"$@\"\n";

/// A folder for a workspace, and beside it what must not be seen from inside.
struct Bench {
    folder: TempDir,
    spec: Spec,
}

impl Bench {
    /// A place that runs the script in a shell.
    fn new(script: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let runner = program(folder.path(), "runner", STAND_IN);
        write(&folder.path().join("secret"), "of the machine");
        let mut spec = Spec::new(format!("test-{}-{number}", process::id()), root, runner);
        spec.arguments = ["/bin/sh", "-c", script].map(OsString::from).to_vec();
        Self { folder, spec }
    }

    async fn start(&self) -> Started {
        Machine::default().start(&self.spec, Provider::Sandbox).await.unwrap()
    }

    /// What the script writes and how it ends.
    async fn run(&self) -> (String, Ending) {
        finish(self.start().await).await
    }

    /// What the script writes to standard output, its errors mixed in.
    async fn output(script: &str) -> String {
        Self::new(&format!("exec 2>&1\n{script}")).run().await.0
    }

    fn root(&self) -> &Path {
        &self.spec.root
    }
}

async fn finish(started: Started) -> (String, Ending) {
    let Started { stdin, mut stdout, process, .. } = started;
    drop(stdin);
    let mut output = String::new();
    stdout.read_to_string(&mut output).await.unwrap();
    let ending = process.ended().await;
    assert_eq!(process.end().await, ending);
    (output, ending)
}

#[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a test looks at what the code under test did")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn program(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    write(&path, text);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn ended(code: i32) -> Ending {
    Ending { code: Some(code), signal: None, killed_for_memory: 0, stderr: String::new() }
}

//! Both walls together: the real runner in a real sandbox.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail the test")]

use std::ffi::OsString;

use openspace_isolation::{Machine, Provider, Spec, Started};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;

fn spec(folder: &TempDir, script: &str) -> Spec {
    let name = format!("runner-{}", std::process::id());
    let mut spec = Spec::new(name, folder.path(), env!("CARGO_BIN_EXE_openspace-runner"));
    spec.arguments = ["--exec", "/bin/sh", "-c", script].map(OsString::from).to_vec();
    spec
}

async fn run(spec: &Spec) -> (Vec<String>, String) {
    let started = Machine::default().start(spec, Provider::Sandbox).await.unwrap();
    let Started { stdin, mut stdout, statement, process, keeper: _ } = started;
    drop(stdin);
    let mut output = String::new();
    stdout.read_to_string(&mut output).await.unwrap();
    output.push_str(&process.end().await.stderr);
    (statement.layers, output)
}

#[tokio::test]
async fn landlock_stands_behind_the_namespaces() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo text > file; cat file; ls / 2>/dev/null; ls -d /etc/passwd";
    let (layers, output) = run(&spec(&folder, script)).await;
    assert!(layers.iter().any(|layer| layer.starts_with("landlock abi ")), "{layers:?}");
    assert_eq!(output, "text\n/etc/passwd\n");
}

#[tokio::test]
async fn everyday_tools_work_inside() {
    let folder = tempfile::tempdir().unwrap();
    let script = "set -e\n\
                  git init -q .; git config user.name a; git config user.email a@b\n\
                  echo one > file; git add file; git commit -q -m one; git log --format=%s\n\
                  mktemp > /dev/null; touch ~/here; touch /run/openspace/output/here; id -un\n\
                  (exec 3>/dev/shm/x; echo a | cat > /dev/null; echo b > /dev/stdout)\n\
                  script -qc 'stty size < /dev/tty > /dev/null && echo terminal' /dev/null | tr -d '\\r'";
    let (_, output) = run(&spec(&folder, script)).await;
    assert_eq!(output, "one\nagent\nb\nterminal\n");
}

#[tokio::test]
async fn a_probe_with_the_real_runner_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let statement = Machine::default().probe(&spec(&folder, "true"), Provider::Sandbox).await;
    let text = statement.unwrap().to_string();
    assert!(text.contains("landlock abi "), "{text}");
}

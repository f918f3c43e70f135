//! What is true of a local host alone: its facts, what it waits for, and what ends with it.

use std::{process::Stdio, time::Duration};

use openspace_files::FileError;
use openspace_process::{MARKER_VARIABLE, is_running};
use openspace_terminal::Life;
use tokio::{process::Command, time::timeout};

use super::{
    script::script,
    stage::{Folder, Stage, program, soon, until},
    terminals,
};
use crate::{
    Facts, Host, HostError, LocalHost,
    operation::{Run, StartRun},
};

#[tokio::test]
async fn facts_tell_where_things_are() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("root", folder.path().join("alias")).unwrap();
    let mut settings = folder.settings();
    settings.root = folder.path().join("alias");
    let real = folder.path().canonicalize().unwrap();
    let host = LocalHost::open(settings).unwrap();
    let system = rustix::system::uname();
    let expected = Facts {
        root: real.join("root"),
        given: folder.path().join("alias"),
        output: real.join("output"),
        shell: "/bin/bash".into(),
        system: format!("Linux {}", system.release().to_str().unwrap()),
        build: crate::BUILD.to_owned(),
    };
    assert_eq!(host.facts(), &expected);
    for inner in ["output", "scratch"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join(inner)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[tokio::test]
async fn a_place_without_its_root_does_not_open() {
    let folder = Folder::new();
    let mut settings = folder.settings();
    settings.root = folder.path().join("missing");
    let refused = LocalHost::open(settings).err();
    assert!(matches!(refused, Some(HostError::File(FileError::Root { .. }))), "{refused:?}");
}

/// What was asked and what was answered, whole. A change of it is a change of what callers see.
#[tokio::test]
async fn every_operation_answers_as_it_always_did() {
    let said = script(&Stage::local().await).await;
    let said_before = include_str!("script.txt");
    for (said, said_before) in said.lines().zip(said_before.lines()) {
        assert_eq!(said, said_before);
    }
    assert_eq!(said, said_before);
}

/// A process as an earlier life of the workspace would have left it.
#[expect(clippy::disallowed_methods, reason = "a test makes what the code under test finds")]
fn leftover(marker: &str) -> tokio::process::Child {
    let mut command = Command::new("/bin/sleep");
    command.arg("1000").env(MARKER_VARIABLE, marker).stdin(Stdio::null()).kill_on_drop(true);
    command.spawn().unwrap()
}

#[tokio::test]
async fn processes_of_an_earlier_life_end_before_new_ones_start() {
    let folder = Folder::new();
    let settings = folder.settings();
    let mut old = leftover(&format!("{}:run7", settings.marker));
    let mut other = leftover(&format!("{}-twin:run7", settings.marker));
    let pids = [old.id().unwrap(), other.id().unwrap()];
    let host: &dyn Host = &LocalHost::open(settings).unwrap();
    // A process that has ended and is not waited for yet counts as ended, as it does for us.
    let look = pids.map(|pid| format!("grep -q '^State:.[SR]' /proc/{pid}/status && echo {pid}"));
    let finished = soon(host.ask(Run { program: program(&look.join("; ")) })).await.unwrap();
    assert_eq!(finished.stdout.text, format!("{}\n", pids[1]));
    assert_eq!(soon(old.wait()).await.unwrap().code(), None);
    other.kill().await.unwrap();
}

#[tokio::test]
async fn a_run_given_up_while_it_waits_to_start_never_starts() {
    let folder = Folder::new();
    let local = LocalHost::open(folder.settings()).unwrap();
    soon(local.cleared()).await;
    local.cleared.send_replace(false);
    let host: &dyn Host = &local;
    let touch = || program("touch started");
    assert!(timeout(Duration::ZERO, host.ask(Run { program: touch() })).await.is_err());
    let start = StartRun { run: 1, program: touch() };
    assert!(timeout(Duration::ZERO, host.ask(start)).await.is_err());
    assert!(timeout(Duration::ZERO, host.ask(terminals::open(1))).await.is_err());
    local.cleared.send_replace(true);
    soon(host.ask(Run { program: program("true") })).await.unwrap();
    assert_eq!(folder.content("started"), None);
    assert!(host.ask(terminals::run("true")).await.is_err());
}

#[tokio::test]
async fn what_runs_ends_with_the_host() {
    let Stage { host, folder, served } = Stage::local().await;
    assert!(served.is_none());
    let run = StartRun { run: 1, program: program("echo $$ > pid; sleep 1000") };
    host.ask(run).await.unwrap();
    let pid = folder.pid("pid").await;
    let opened = host.ask(terminals::open(1)).await.unwrap();
    let Life::Running { pid: shell } = opened.life else { panic!("{opened:?}") };
    drop(host);
    until(|| [pid, shell].map(is_running) == [false, false]).await;
}

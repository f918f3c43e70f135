//! The place ends with its keeper, and the keeper with its place.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal};

use crate::stage::Stage;

/// Processes of this user that are called like a keeper and hold this folder open.
fn keepers(folder: &Path) -> Vec<i32> {
    let holds = |pid: &i32| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).ok();
        let command = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        let is_runner = command.is_some_and(|path| path.ends_with("openspace-runner"));
        is_runner
            && open.is_some_and(|open| {
                open.filter_map(Result::ok)
                    .any(|file| std::fs::read_link(file.path()).is_ok_and(|it| it == folder))
            })
    };
    processes().filter(holds).collect()
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Processes that work in this folder.
fn at(folder: &Path) -> Vec<i32> {
    let is_there =
        |pid: &i32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|it| it == folder);
    processes().filter(is_there).collect()
}

#[tokio::test]
async fn a_place_without_its_keeper_is_ended() {
    let stage = Stage::new();
    let place = stage.open().await;
    let keeper = keepers(stage.root())[0];
    rustix::process::kill_process(Pid::from_raw(keeper).unwrap(), Signal::KILL).unwrap();
    let ending = place.process.ended().await;
    assert_eq!(ending.signal, Some(9));
    assert_eq!(place.keeper.lost().await.0, "it has ended");
    place.keeper.drain().await.unwrap_err();
}

#[tokio::test]
async fn a_keeper_ends_with_its_place() {
    let stage = Stage::new();
    let place = stage.open().await;
    assert_eq!(keepers(stage.root()).len(), 1);
    let pid = Pid::from_raw(place.process.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    place.keeper.lost().await;
    place.keeper.drain().await.unwrap_err();
    stage.until(|| keepers(stage.root()).is_empty()).await;
}

#[tokio::test]
async fn dropping_either_ends_both() {
    let stage = Stage::new();
    for drops_keeper in [true, false] {
        let place = stage.open().await;
        if drops_keeper {
            drop(place.keeper);
            place.process.ended().await;
        } else {
            drop(place.process);
            place.keeper.lost().await;
        }
        stage.until(|| keepers(stage.root()).is_empty()).await;
    }
}

/// The keeper is not among the processes inside, and nobody inside can reach it.
#[tokio::test]
async fn nobody_inside_sees_the_keeper() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    assert_eq!(keepers(stage.root()).len(), 1);
    assert_eq!(place.run("cat /proc/[0-9]*/comm | grep -c -e keep -e runner").await, "0");
}

/// Bubblewrap binds the first process inside to its parent only some time after the runner was started.
#[tokio::test]
async fn a_place_that_is_ended_at_once_is_gone() {
    let stage = Stage::new();
    for _ in 0..20 {
        let place = stage.open().await;
        let kept = keepers(stage.root());
        drop(place.keeper);
        place.process.end().await;
        // The keeper may still be there, to leave the workspace as it was found.
        assert!(at(stage.root()).iter().all(|pid| kept.contains(pid)));
        stage.gone(".openspace").await;
    }
}

/// A keeper that hangs holds nobody up for ever, and no program runs in a place that it does not keep.
#[tokio::test]
async fn a_keeper_that_does_not_answer_ends_the_place() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    place.begin("sleep 1000").await;
    let keeper = Pid::from_raw(keepers(stage.root())[0]).unwrap();
    rustix::process::kill_process(keeper, Signal::STOP).unwrap();
    let lost = place.keeper.drain().await.unwrap_err();
    assert_eq!(lost.0, "it does not answer");
    assert_eq!(place.process.ended().await.signal, Some(9));
    rustix::process::kill_process(keeper, Signal::KILL).unwrap();
}

/// Says that this process is the server that gets killed.
const SERVER: &str = "TEST_SERVER_TO_BE_KILLED";

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test starts itself, to be killed")]
async fn a_server_that_is_killed_leaves_nothing_behind() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "ending::a_server_to_be_killed", "--nocapture"]).env(SERVER, "1");
    let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
    let root = told.find_map(|line| line.split_once("root: ").map(|(_, root)| root.to_owned()));
    let root = std::path::PathBuf::from(root.unwrap());
    assert!(root.join(".openspace").is_dir());
    assert_eq!(keepers(&root).len(), 1);
    assert!(at(&root).len() > 1);
    server.kill().unwrap();
    server.wait().unwrap();
    let stage = Stage::new();
    stage.until(|| at(&root).is_empty() && keepers(&root).is_empty()).await;
    assert!(!root.join(".openspace").exists());
    std::fs::remove_dir_all(root.ancestors().nth(3).unwrap()).unwrap();
}

#[tokio::test]
async fn a_server_to_be_killed() {
    if !std::env::vars_os().any(|(name, _)| name == SERVER) {
        return;
    }
    let stage = Stage::new();
    let mut place = stage.open().await;
    place.begin("sleep 1000 & setsid sleep 1000 & touch started; wait").await;
    stage.until(|| stage.root().join("started").exists()).await;
    println!("root: {}", stage.root().display());
    place.end().await;
}

#[tokio::test]
async fn a_file_that_git_includes_and_nobody_wrote_goes_with_the_place() {
    let stage = Stage::new();
    stage.outside(
        "git init -q . && git config include.path ../deep/settings && git config --add include.path ../other",
    );
    let place = stage.open().await;
    stage.outside("test -f deep/settings && test -f other && echo '[alias]' > other");
    drop(place.keeper);
    place.process.end().await;
    stage.gone("deep").await;
    assert_eq!(crate::stage::read(&stage.root().join("other")), "[alias]\n");
}

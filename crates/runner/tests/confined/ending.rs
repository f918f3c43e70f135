//! The place ends with its keeper, and the keeper with its place.

use rustix::process::{Pid, Signal};

use crate::stage::Stage;

/// Processes of this user that are called like a keeper and hold this folder open.
fn keepers(stage: &Stage) -> Vec<i32> {
    let folder = stage.root().to_owned();
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
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
    numbers.filter(holds).collect()
}

#[tokio::test]
async fn a_place_without_its_keeper_is_ended() {
    let stage = Stage::new();
    let place = stage.open().await;
    let keeper = keepers(&stage)[0];
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
    assert_eq!(keepers(&stage).len(), 1);
    let pid = Pid::from_raw(place.process.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    place.keeper.lost().await;
    place.keeper.drain().await.unwrap_err();
    stage.until(|| keepers(&stage).is_empty()).await;
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
        stage.until(|| keepers(&stage).is_empty()).await;
    }
}

/// The keeper is not among the processes inside, and nobody inside can reach it.
#[tokio::test]
async fn nobody_inside_sees_the_keeper() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    assert_eq!(keepers(&stage).len(), 1);
    assert_eq!(place.run("cat /proc/[0-9]*/comm | grep -c -e keep -e runner").await, "0");
}

//! All programs of a place stand still while somebody outside needs them to, and go on afterwards.

use std::path::Path;
use std::time::Duration;

use openspace_isolation::NotHeld;
use rustix::process::{Pid, Signal};

use crate::stage::{Stage, read};

/// Longer than any test takes.
const LONG: Duration = Duration::from_mins(10);

/// Counts as fast as it can, in the way that is given, and tells how far it is.
fn counting(stage: &Stage, script: &str) {
    stage.with("count.sh", script);
}

async fn counts(stage: &Stage) {
    let path = stage.root().join("count");
    let size = || std::fs::metadata(&path).map_or(0, |found| found.len());
    let before = size();
    stage.until(|| size() > before).await;
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

#[tokio::test]
async fn programs_that_run_stand_still_until_they_are_let_go() {
    let ways = [
        ("one that writes", "while :; do echo x >> count; done"),
        ("many that are made and end", "while :; do /bin/echo x >> count; done"),
        // The one that is there has always been made a moment ago.
        ("one that passes itself on", "echo x >> count; exec bash -c '. ./count.sh' & exit"),
        (
            "one that starts others in the way of a library",
            "exec python3 -c 'import subprocess\nwhile True: subprocess.run([\"sh\", \"-c\", \"echo x >> count\"])'",
        ),
    ];
    for (way, script) in ways {
        let stage = Stage::new();
        counting(&stage, script);
        let mut place = stage.open().await;
        place.run("setsid bash ./count.sh > /dev/null 2>&1 &").await;
        counts(&stage).await;
        for _ in 0..3 {
            let held = place.keeper.hold(LONG).await.unwrap();
            let before = size(&stage.root().join("count"));
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(size(&stage.root().join("count")), before, "{way}");
            drop(held);
            counts(&stage).await;
        }
    }
}

/// Each of many lets all others go on, again and again.
#[tokio::test]
async fn programs_that_let_each_other_go_on_are_held_or_it_is_said_that_they_are_not() {
    let stage = Stage::new();
    counting(
        &stage,
        "for i in 1 2 3 4; do perl -e 'while (1) { kill CONT => -1; open F, \">>count\"; print F \"x\"; close F }' & done",
    );
    let mut place = stage.open().await;
    place.run("setsid bash ./count.sh > /dev/null 2>&1 &").await;
    counts(&stage).await;
    let held = match place.keeper.hold(LONG).await {
        Ok(held) => {
            let before = size(&stage.root().join("count"));
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(size(&stage.root().join("count")), before);
            Some(held)
        }
        Err(NotHeld::Moving(_)) => None,
        Err(lost) => panic!("{lost}"),
    };
    drop(held);
    counts(&stage).await;
}

#[tokio::test]
async fn what_stood_still_before_does_so_afterwards() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    let stopped = "sleep 1000 > /dev/null 2>&1 & echo $! > stopped\n\
                   until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!";
    place.run(stopped).await;
    let state = "cut -d' ' -f3 /proc/$(cat stopped)/stat";
    assert_eq!(place.run(state).await, "T");
    drop(place.keeper.hold(LONG).await.unwrap());
    assert_eq!(place.run(state).await, "T");
}

#[tokio::test]
async fn they_go_on_when_the_last_one_lets_go_and_when_the_time_is_over() {
    let stage = Stage::new();
    counting(&stage, "while :; do echo x >> count; done");
    let mut place = stage.open().await;
    place.run("setsid bash ./count.sh > /dev/null 2>&1 &").await;
    counts(&stage).await;
    let first = place.keeper.hold(LONG).await.unwrap();
    let second = place.keeper.hold(LONG).await.unwrap();
    drop(first);
    place.keeper.drain().await.unwrap();
    let before = read(&stage.root().join("count"));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(read(&stage.root().join("count")), before);
    drop(second);
    counts(&stage).await;
    let held = place.keeper.hold(Duration::from_secs(1)).await.unwrap();
    counts(&stage).await;
    drop(held);
}

/// A shell in a terminal would take a program that was stopped for one that was put aside.
#[tokio::test]
async fn a_shell_does_not_see_that_its_program_was_stopped() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    let script = "script -qec \"bash -ic 'touch ready; sleep 2; echo slept $?'\" /dev/null < /dev/null | tr -d '\\r' | tail -1";
    place.begin(script).await;
    stage.until(|| stage.root().join("ready").exists()).await;
    for _ in 0..10 {
        drop(place.keeper.hold(LONG).await.unwrap());
    }
    assert_eq!(place.end().await, "slept 0");
}

#[tokio::test]
async fn a_place_whose_programs_stand_still_ends_with_its_keeper() {
    let stage = Stage::new();
    let mut place = stage.open().await;
    place.run("setsid sleep 1000 > /dev/null 2>&1 &").await;
    let held = place.keeper.hold(LONG).await.unwrap();
    let first = Pid::from_raw(place.process.pid().cast_signed()).unwrap();
    drop(place.keeper);
    assert_eq!(place.process.ended().await.signal, Some(9));
    rustix::process::test_kill_process(first).unwrap_err();
    drop(held);
    // Nothing to do for somebody who comes late.
    let place = stage.open().await;
    rustix::process::kill_process(
        Pid::from_raw(place.process.pid().cast_signed()).unwrap(),
        Signal::KILL,
    )
    .unwrap();
    place.keeper.lost().await;
    assert!(matches!(place.keeper.hold(LONG).await, Err(NotHeld::Lost(_))));
}

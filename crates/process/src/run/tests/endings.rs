//! How runs end, and that nothing stays behind.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::super::{ProcessError, Run};
use super::{CancellationToken, FAR, Stage, captured, eventually, is_running, pids, run};

/// Enough for a shell to print its first lines on a busy machine.
const SOON: Duration = Duration::from_secs(2);

async fn late(stage: &Stage, command: &str) -> super::Finished {
    let run = Run { timeout: Some(SOON), ..stage.command(command) };
    super::run(&run, |_, _| {}, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn a_signal_is_told_as_the_kernel_tells_it() {
    let stage = Stage::new();
    let finished = stage.finish("kill -9 $$").await;
    assert_eq!((finished.exit_code, finished.signal, finished.timed_out), (None, Some(9), false));
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_asked_to_end_and_its_output_is_kept() {
    let stage = Stage::new();
    let finished = late(&stage, "trap 'echo bye; exit 3' TERM; echo hi; sleep 600 & wait").await;
    assert_eq!(finished.stdout, captured("hi\nbye\n"));
    assert_eq!((finished.exit_code, finished.signal, finished.timed_out), (Some(3), None, true));
    assert!(finished.duration >= SOON && finished.duration < FAR);
}

#[tokio::test]
async fn a_run_that_ignores_being_asked_is_ended() {
    let stage = Stage::new();
    let finished =
        late(&stage, "trap '' TERM; echo $$; sleep 600 & echo $!; wait; sleep 600").await;
    assert_eq!((finished.exit_code, finished.signal, finished.timed_out), (None, Some(9), true));
    let pids = pids(&finished.stdout);
    assert_eq!((pids.len(), pids.iter().any(|&pid| is_running(pid))), (2, false));
    assert!(finished.duration < FAR);
}

#[tokio::test]
async fn a_stopped_run_ends_too() {
    let stage = Stage::new();
    let finished = late(&stage, "trap '' HUP; echo hi; kill -STOP $$").await;
    assert_eq!((finished.signal, finished.timed_out), (Some(15), true));
    assert_eq!(finished.stdout, captured("hi\n"));
}

#[tokio::test]
async fn what_a_command_leaves_behind_is_ended_and_its_output_kept() {
    let stage = Stage::new();
    let command = "(trap 'echo bye; exit' TERM; echo ready; sleep 600 & touch ready; wait) &
        until [ -e ready ]; do sleep 0.01; done; setsid sleep 600 & echo $! >&2";
    let finished = stage.finish(command).await;
    assert_eq!((finished.exit_code, finished.timed_out), (Some(0), false));
    assert_eq!(finished.stdout, captured("ready\nbye\n"));
    assert_eq!((finished.left_behind, finished.survivors), (3, Vec::new()));
    let pids = pids(&finished.stderr);
    assert_eq!((pids.len(), is_running(pids[0])), (1, false));
}

#[tokio::test]
async fn what_is_left_behind_and_ignores_being_asked_is_ended() {
    let stage = Stage::new();
    let finished = stage.finish("trap '' TERM; sleep 600 >/dev/null 2>&1 & echo $!; exit 5").await;
    assert_eq!((finished.exit_code, finished.left_behind), (Some(5), 1));
    assert!(!is_running(pids(&finished.stdout)[0]));
}

#[tokio::test]
async fn a_pipe_held_by_a_process_that_cannot_be_found_does_not_hold_the_run() {
    let stage = Stage::new();
    let command = "(env -i setsid sleep 600 & echo $! > pid); pid=$(< pid)
        until [ \"$(< /proc/$pid/comm)\" = sleep ]; do sleep 0.01; done; echo $pid";
    let finished = stage.finish(command).await;
    let hidden = pids(&finished.stdout)[0];
    assert_eq!(finished.exit_code, Some(0));
    assert!(is_running(hidden));
    let pid = Pid::from_raw(hidden.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
}

#[tokio::test]
async fn no_zombie_stays() {
    let stage = Stage::new();
    for command in ["echo $$", "echo $$; kill -9 $$", "echo $$; sleep 600 & exec sleep 0"] {
        let finished = stage.finish(command).await;
        let folder = format!("/proc/{}", pids(&finished.stdout)[0]);
        assert!(!std::path::Path::new(&folder).exists(), "{command}");
    }
}

#[tokio::test]
async fn a_cancelled_run_is_ended_and_leaves_no_file() {
    let stage = Stage::new();
    let cancel = CancellationToken::new();
    let command = "trap '' TERM; setsid sleep 600 & echo $! > child; echo $$ > shell; yes";
    let mut seen = 0;
    let output = |_, piece: &[u8]| {
        seen += piece.len();
        if seen > 1_000_000 {
            cancel.cancel();
        }
    };
    let result = run(&stage.command(command), output, &cancel).await;
    assert!(matches!(result, Err(ProcessError::Cancelled)), "{result:?}");
    for name in ["child", "shell"] {
        let pid = String::from_utf8(super::content(&stage.path(name))).unwrap();
        assert!(!is_running(pid.trim().parse().unwrap()), "{name}");
    }
    assert_eq!(stage.spilled(), 0);
}

#[tokio::test]
async fn dropping_the_future_ends_everything_and_leaves_no_file() {
    let stage = Stage::new();
    let command = "trap '' TERM; setsid sleep 600 & echo $! > child; echo $$ > shell; yes";
    let flooding = AtomicBool::new(false);
    let mut seen = 0;
    let output = |_, piece: &[u8]| {
        seen += piece.len();
        flooding.store(seen > 1_000_000, Ordering::Relaxed);
    };
    let cancel = CancellationToken::new();
    let command = stage.command(command);
    tokio::select! {
        result = run(&command, output, &cancel) => panic!("{result:?}"),
        () = eventually("output comes", || flooding.load(Ordering::Relaxed)) => {}
    }
    for name in ["child", "shell"] {
        let pid = String::from_utf8(super::content(&stage.path(name))).unwrap();
        let pid = pid.trim().parse().unwrap();
        eventually(name, || !is_running(pid)).await;
    }
    let pid = String::from_utf8(super::content(&stage.path("shell"))).unwrap();
    let folder = format!("/proc/{}", pid.trim());
    eventually("the zombie goes", || !std::path::Path::new(&folder).exists()).await;
    assert_eq!(stage.spilled(), 0);
}

#[tokio::test]
async fn a_quick_command_is_not_kept_waiting() {
    let stage = Stage::new();
    let begin = Instant::now();
    let finished = stage.finish("true").await;
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert!(finished.duration <= begin.elapsed());
}

//! Programs with a pipe behind a real runner: all of their bytes pass, none pile up, and nothing of
//! them stays when the runner goes.

use std::{io::ErrorKind, sync::Arc, time::Duration};

use openspace_host::{
    HostError, PipedHandle,
    operation::{PipedProgram, Run},
};
use openspace_process::pipe::Ended;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::stage::{Runner, Stage, is_running, peak_memory, program as shell_program, soon, until};

/// Longer than a test takes.
const FAR: Duration = Duration::from_mins(2);

/// Tells its number and stays, with a child in the background that has left the session.
const STAYS: &str = "setsid sh -c 'echo $$ > child; exec sleep 1000' & echo $$ > pid; sleep 1000";

fn sh(script: &str) -> PipedProgram {
    PipedProgram::new("sh").with(["-c", script])
}

async fn start(runner: &Runner, program: PipedProgram) -> PipedHandle {
    soon(PipedHandle::start(Arc::clone(&runner.host), program)).await.unwrap()
}

fn exited(exit_code: i32) -> Ended {
    Ended {
        exit_code: Some(exit_code),
        signal: None,
        stopped: false,
        left_behind: 0,
        survivors: Vec::new(),
    }
}

/// Bytes that are like no others at another place of them.
fn noise(size: usize) -> Vec<u8> {
    let mut state = size as u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(size).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_pass_both_ways_at_once_and_the_runner_keeps_few_of_them() {
    let stage = Stage::new();
    let runner = Runner::start(&stage).await;
    let before = peak_memory(&runner);
    for size in [1, 65_537, 50_000_000] {
        let bytes = noise(size);
        let PipedHandle { mut stdin, mut stdout, program } =
            start(&runner, PipedProgram::new("cat")).await;
        let mut back = Vec::new();
        let write = async {
            stdin.write_all(&bytes).await.unwrap();
            stdin.shutdown().await.unwrap();
        };
        let both = async { tokio::join!(write, stdout.read_to_end(&mut back)) };
        let ((), read) = tokio::time::timeout(FAR, both).await.unwrap();
        assert_eq!(read.unwrap(), size);
        assert!(back == bytes);
        assert_eq!(soon(program.ended()).await.unwrap(), exited(0));
    }
    // A link keeps what was not acknowledged, and no more than some megabytes of it.
    let grown = peak_memory(&runner) - before;
    assert!(grown < 16_000_000, "{grown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_nobody_reads_wait_and_take_no_memory() {
    let stage = Stage::new();
    let runner = Runner::start(&stage).await;
    let before = peak_memory(&runner);
    let mut handles = Vec::new();
    for number in 0..16 {
        let script = format!(
            "import os\ntotal = 0\nwhile total < 20000000:\n    total += os.write(1, b'x' * 50000)\n    \
             if total == 300000: os.close(os.open('ahead{number}', os.O_CREAT))\n"
        );
        handles.push(start(&runner, PipedProgram::new("python3").with(["-c", &script])).await);
    }
    for number in 0..16 {
        until(|| stage.at(&format!("ahead{number}")).exists()).await;
    }
    let grown = peak_memory(&runner) - before;
    assert!(grown < 16 * 1_000_000, "{grown}");
    for PipedHandle { stdin: _stdin, mut stdout, program } in handles {
        let mut output = Vec::new();
        soon(stdout.read_to_end(&mut output)).await.unwrap();
        assert_eq!((output.len(), soon(program.ended()).await.unwrap()), (20_000_000, exited(0)));
    }
}

#[tokio::test]
async fn what_is_spoken_with_in_a_killed_runner_is_lost() {
    let stage = Stage::new();
    let mut runner = Runner::start(&stage).await;
    let PipedHandle { mut stdin, mut stdout, program } =
        start(&runner, sh(&format!("echo said; {STAYS}"))).await;
    let pids = [stage.pid("pid").await, stage.pid("child").await];
    let mut said = [0; 5];
    soon(stdout.read_exact(&mut said)).await.unwrap();
    assert_eq!(&said, b"said\n");
    runner.kill().await;
    let ended = soon(program.ended()).await;
    assert!(matches!(ended, Err(HostError::Lost(_))), "{ended:?}");
    // That nothing comes any more is no end of the output.
    let broken = soon(stdout.read_to_end(&mut Vec::new())).await.unwrap_err();
    assert_eq!(broken.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(soon(stdin.write_all(b"more")).await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    let late = PipedHandle::start(Arc::clone(&runner.host), sh("true")).await.err();
    assert!(matches!(late, Some(HostError::Lost(_))), "{late:?}");

    // Its processes end before the next runner starts any.
    let next = Runner::start(&stage).await;
    next.ask(Run { program: shell_program("true") }).await.unwrap();
    assert_eq!(pids.map(is_running), [false, false]);
}

#[tokio::test]
async fn when_the_runner_has_to_go_its_programs_end_first() {
    let stage = Stage::new();
    let mut runner = Runner::start(&stage).await;
    let spoken_with = start(&runner, sh(STAYS)).await;
    let flooding = start(&runner, sh("exec cat /dev/zero")).await;
    let pids = [
        stage.pid("pid").await,
        stage.pid("child").await,
        spoken_with.program.pid(),
        flooding.program.pid(),
    ];
    assert_eq!(pids.map(is_running), [true; 4]);
    runner.streams.abort();
    assert_eq!(soon(runner.child.wait()).await.unwrap().code(), Some(0));
    assert_eq!(pids.map(is_running), [false; 4]);
    let ended = soon(flooding.program.ended()).await;
    assert!(matches!(ended, Err(HostError::Lost(_))), "{ended:?}");
}

//! How a runner begins and ends.

use std::process::Stdio;

use openspace_host::{
    HostError, RemoteHost,
    operation::{OpenTerminal, Run, StartRun},
};
use openspace_terminal::{Life, Size};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

use crate::stage::{Runner, Stage, command, is_running, program, rel, soon};

/// Tells its number and stays, with a child in the background that has left the session.
fn stays(name: &str) -> String {
    format!("setsid sh -c 'echo $$ > {name}-child; exec sleep 1000' & echo $$ > {name}; sleep 1000")
}

/// Everything that can run, and the numbers of its processes.
async fn full(stage: &Stage) -> (Runner, Vec<u32>) {
    let runner = Runner::start(stage).await;
    let facts = runner.host.facts();
    assert_eq!(facts.root, stage.beside("root").canonicalize().unwrap());
    let background = StartRun { run: 1, program: program(&stays("background")) };
    let mut pids = vec![runner.ask(background).await.unwrap()];
    drop(runner.listen(Run { program: program(&stays("foreground")) }));
    let open = OpenTerminal {
        id: "t1".parse().unwrap(),
        shell: None,
        folder: rel(""),
        size: Size { rows: 24, cols: 80 },
    };
    let Life::Running { pid } = runner.ask(open).await.unwrap().life else { panic!("ended") };
    pids.push(pid);
    for name in ["background", "background-child", "foreground", "foreground-child"] {
        pids.push(stage.pid(name).await);
    }
    (runner, pids)
}

#[tokio::test]
async fn when_its_input_ends_all_that_runs_inside_ends_and_then_the_runner() {
    let stage = Stage::new();
    let (mut runner, pids) = full(&stage).await;
    assert!(pids.iter().copied().all(is_running));
    runner.streams.abort();
    assert_eq!(soon(runner.child.wait()).await.unwrap().code(), Some(0));
    assert_eq!(pids.iter().filter(|pid| is_running(**pid)).count(), 0);
    assert!(matches!(runner.ask(Run { program: program("true") }).await, Err(HostError::Lost(_))));
}

#[tokio::test]
async fn when_the_caller_says_goodbye_the_same_happens() {
    let stage = Stage::new();
    let mut runner = Runner::start(&stage).await;
    let run = StartRun { run: 1, program: program(&stays("background")) };
    runner.ask(run).await.unwrap();
    let pids = [stage.pid("background").await, stage.pid("background-child").await];
    drop(runner.host);
    assert_eq!(soon(runner.child.wait()).await.unwrap().code(), Some(0));
    assert_eq!(pids.map(is_running), [false, false]);
}

#[tokio::test]
async fn processes_that_a_killed_runner_left_end_before_the_next_one_starts_any() {
    let stage = Stage::new();
    let (mut runner, pids) = full(&stage).await;
    runner.kill().await;
    let next = Runner::start(&stage).await;
    next.ask(Run { program: program("true") }).await.unwrap();
    assert_eq!(pids.iter().filter(|pid| is_running(**pid)).count(), 0);
}

#[tokio::test]
async fn wrong_usage_is_told_and_fails() {
    for arguments in [
        &["--serve"][..],
        &["--socket"],
        &["--socket", "a", "b"],
        &["--exec"],
        &["--confine"],
        &["--keep"],
        &["--network-of", "1"],
        &["--network-of", "x", "true"],
    ] {
        let output = soon(command(arguments).output()).await.unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(125), Vec::new()));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "openspace-runner: usage: openspace-runner [--confine JSON] \
             [--socket PATH | --exec PROGRAM [ARGUMENT …]], or openspace-runner --keep JSON, \
             or openspace-runner --network-of PROCESS PROGRAM [ARGUMENT …]\n"
        );
    }
}

#[tokio::test]
async fn a_place_that_does_not_open_ends_the_runner_with_the_reason() {
    let stage = Stage::new();
    let mut settings = stage.settings();
    settings.root = stage.beside("missing");
    let (child, error) = Runner::start_with(&settings).await.err().unwrap();
    assert!(matches!(error, HostError::Unreachable(_)), "{error:?}");
    let output = soon(child.wait_with_output()).await.unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "openspace-runner: the other side refuses the link: the workspace folder cannot be opened\n"
    );
}

#[tokio::test]
async fn a_runner_whose_output_nobody_takes_ends() {
    let stage = Stage::new();
    let (ours, mut theirs) = duplex(64 * 1024);
    let settings = stage.settings();
    let connecting = tokio::spawn(async move {
        RemoteHost::connect(ours, &settings, ()).await.map(drop).unwrap_err()
    });
    let mut greeting = vec![0; 64 * 1024];
    let size = soon(theirs.read(&mut greeting)).await.unwrap();

    let mut child = command(&[]).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    input.write_all(&greeting[..size]).await.unwrap();
    // Its input stays open: only the answer to the greeting tells it.
    assert_eq!(soon(child.wait()).await.unwrap().code(), Some(125));
    drop((input, theirs));
    assert!(matches!(soon(connecting).await.unwrap(), HostError::Unreachable(_)));
}

#[tokio::test]
async fn garbage_and_streams_that_are_no_pipes_fail() {
    let mut child = command(&[]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let output = soon(child.wait_with_output()).await.unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(125), Vec::new()));
    let output = soon(command(&[]).stdin(Stdio::null()).output()).await.unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(125), Vec::new()));
}

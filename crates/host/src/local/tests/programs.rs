//! Facts about programs of a host.

use openspace_process::{End, ProcessError, State, Stream, is_running};
use openspace_terminal::Life;

use super::stage::{Stage, program, soon, until};
use crate::{
    HostError,
    operation::{EndAll, KillRun, Output, ReadRun, Run, StartRun, TerminalStatus, WaitRun},
};

/// Tells its number and stays, with a child in the background that has left the session.
const STAYS: &str = "setsid sh -c 'echo $$ > child; exec sleep 1000' & echo $$ > pid; sleep 1000";

pub(crate) async fn output_is_told_while_the_program_runs(stage: Stage) {
    let command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two >&2";
    let mut run = stage.listen(Run { program: program(command) }, 1);
    let told = run.item().await.unwrap();
    assert_eq!(told, Output { stream: Stream::Stdout, bytes: b"one\n".to_vec() });
    stage.folder.put("go", "");
    let told = run.item().await.unwrap();
    assert_eq!(told, Output { stream: Stream::Stderr, bytes: b"two\n".to_vec() });
    assert_eq!(run.item().await, None);
    let finished = run.reply().await.unwrap();
    assert_eq!((finished.stdout.text.as_str(), finished.stderr.text.as_str()), ("one\n", "two\n"));
}

pub(crate) async fn a_program_does_not_wait_for_its_listener(stage: Stage) {
    let command = "head -c 5000000 /dev/zero | tr '\\0' x; echo $$ > pid";
    let run = stage.listen(Run { program: program(command) }, 1);
    stage.folder.pid("pid").await;
    let mut told = 0;
    let (mut items, reply) = (run.items, run.reply);
    while let Some(Output { bytes, .. }) = soon(items.recv()).await {
        told += bytes.len();
    }
    let finished = soon(reply).await.unwrap().unwrap();
    assert_eq!(finished.stdout.total_bytes, 5_000_000);
    assert!((1..=5_000_000).contains(&told), "{told}");
}

pub(crate) async fn a_cancelled_run_answers_although_nobody_takes_its_items(stage: Stage) {
    let command = "head -c 5000000 /dev/zero; echo $$ > pid; sleep 1000";
    let run = stage.listen(Run { program: program(command) }, 1);
    let pid = stage.folder.pid("pid").await;
    run.cancel.cancel();
    let outcome = soon(run.reply).await.unwrap();
    assert!(matches!(outcome, Err(HostError::Process(ProcessError::Cancelled))), "{outcome:?}");
    assert!(!is_running(pid));
}

pub(crate) async fn a_listener_that_leaves_does_not_end_the_run(stage: Stage) {
    let command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two";
    let mut run = stage.listen(Run { program: program(command) }, 1);
    assert!(run.item().await.is_some());
    let (items, reply) = (run.items, run.reply);
    drop(items);
    stage.folder.put("go", "");
    assert_eq!(soon(reply).await.unwrap().unwrap().stdout.text, "one\ntwo\n");
}

pub(crate) async fn cancelling_a_run_ends_its_processes(stage: Stage) {
    let run = stage.listen(Run { program: program(STAYS) }, 1);
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    run.cancel.cancel();
    let outcome = run.reply().await;
    assert!(matches!(outcome, Err(HostError::Process(ProcessError::Cancelled))), "{outcome:?}");
    assert_eq!(pids.map(is_running), [false, false]);
}

pub(crate) async fn dropping_a_run_ends_its_processes(stage: Stage) {
    let run = stage.listen(Run { program: program(STAYS) }, 1);
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    run.reply.abort();
    until(|| pids.map(is_running) == [false, false]).await;
}

pub(crate) async fn cancelling_a_wait_leaves_the_run_alone(stage: Stage) {
    stage.ask(StartRun { run: 1, program: program("echo $$ > pid; sleep 1000") }).await.unwrap();
    let pid = stage.folder.pid("pid").await;
    let wait = stage.listen(WaitRun { run: 1, patience_ms: 1_000_000 }, 1);
    wait.cancel.cancel();
    let outcome = wait.reply().await;
    assert!(matches!(outcome, Err(HostError::Cancelled)), "{outcome:?}");
    assert!(is_running(pid));
    let killed = stage.ask(KillRun { run: 1 }).await.unwrap();
    assert!(matches!(killed.state, State::Ended(End { killed: true, .. })), "{killed:?}");
    assert!(!is_running(pid));
}

pub(crate) async fn the_oldest_run_that_has_ended_makes_room(stage: Stage) {
    let start = |run, command: &str| StartRun { run, program: program(command) };
    for run in 0..100 {
        stage.ask(start(run, "exec sleep 1000")).await.unwrap();
    }
    let refused = stage.ask(start(100, "true")).await.unwrap_err();
    assert_eq!(refused.to_string(), "there are 100 background runs already");
    for run in [70, 30] {
        stage.ask(KillRun { run }).await.unwrap();
    }
    stage.ask(start(100, "exec sleep 1000")).await.unwrap();
    let forgotten = stage.ask(ReadRun { run: 30, since: 0 }).await.unwrap_err();
    assert_eq!(forgotten.to_string(), "there is no run 30 here");
    stage.ask(ReadRun { run: 70, since: 0 }).await.unwrap();
    stage.ask(EndAll {}).await.unwrap();
}

pub(crate) async fn a_name_is_used_once(stage: Stage) {
    let pid = stage.ask(StartRun { run: 1, program: program("sleep 1000") }).await.unwrap();
    let again = stage.ask(StartRun { run: 1, program: program("true") }).await.unwrap_err();
    assert_eq!(again.to_string(), "the host failed: there is a run 1 already");
    assert!(is_running(pid));
    stage.ask(EndAll {}).await.unwrap();
}

pub(crate) async fn ending_all_leaves_no_process(stage: Stage) {
    stage.ask(StartRun { run: 1, program: program(STAYS) }).await.unwrap();
    let pids = [stage.folder.pid("pid").await, stage.folder.pid("child").await];
    let id = super::terminals::id(1);
    let opened = stage.ask(super::terminals::open(1)).await.unwrap();
    let Life::Running { pid: shell } = opened.life else { panic!("{opened:?}") };
    stage.ask(EndAll {}).await.unwrap();
    assert_eq!([pids[0], pids[1], shell].map(is_running), [false; 3]);
    let gone = stage.ask(TerminalStatus { id }).await.unwrap_err();
    assert_eq!(gone.to_string(), "there is no terminal t1 here");
    stage.ask(super::terminals::open(1)).await.unwrap();
    stage.ask(EndAll {}).await.unwrap();
}

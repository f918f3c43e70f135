//! A runner that is killed in the middle: whoever asked learns that it is lost, and nothing else.

use std::{fmt::Debug, sync::Arc, time::Duration};

use openspace_files::{LineRange, glob::GlobQuery, grep::GrepQuery, search::Query};
use openspace_git::{CommitRequest, GitRequest, InitRequest};
use openspace_host::{
    HostError, Location,
    operation::{
        AttachTerminal, FileNews, FindFiles, FollowFiles, Git, Glob, Grep, ListFolder,
        OpenTerminal, Operation, ReadText, Run, RunInTerminal, StartRun, ViewPath, WaitRun,
        WriteFile,
    },
};
use openspace_terminal::{RunRequest, Size, Wait};
use tokio::task::JoinHandle;

use crate::stage::{Runner, Stage, program, rel, soon};

/// Longer than a loss takes to be told, shorter than anything would end by itself.
const PROMPTLY: Duration = Duration::from_secs(5);

async fn lost<T: Debug>(reply: JoinHandle<Result<T, HostError>>) {
    let outcome = tokio::time::timeout(PROMPTLY, reply).await.unwrap().unwrap();
    assert!(matches!(outcome, Err(HostError::Lost(_))), "{outcome:?}");
}

fn open() -> OpenTerminal {
    let size = Size { rows: 24, cols: 80 };
    OpenTerminal { id: "t1".parse().unwrap(), shell: None, folder: rel(""), size }
}

fn git(request: GitRequest) -> Git {
    Git { request, person: false, hooks: true, timeout_ms: 100_000 }
}

#[tokio::test]
async fn a_runner_that_a_program_inside_has_halted_is_lost() {
    let stage = Stage::new();
    let started = Runner::start_patiently(&stage.settings(), Duration::from_secs(1)).await;
    let runner = started.map_err(|(_, error)| error).unwrap();
    let halt = runner.listen(Run { program: program("kill -STOP $PPID; sleep 5") });
    lost(halt.reply).await;
    let outcome = runner.ask(Run { program: program("true") }).await;
    assert!(matches!(outcome, Err(HostError::Lost(_))), "{outcome:?}");
}

#[tokio::test]
async fn what_runs_in_a_killed_runner_is_lost() {
    let stage = Stage::new();
    let mut runner = Runner::start(&stage).await;
    runner.ask(git(GitRequest::Init(InitRequest::default()))).await.unwrap();
    stage.put("file", "content\n");
    stage.put(".git/hooks/pre-commit", "#!/bin/sh\necho $$ > hook; sleep 1000\n");
    let hook = "chmod +x .git/hooks/pre-commit";
    runner.ask(Run { program: program(hook) }).await.unwrap();
    runner.ask(open()).await.unwrap();
    let stays = |name| format!("echo $$ > {name}; sleep 1000");
    runner.ask(StartRun { run: 1, program: program(&stays("background")) }).await.unwrap();

    let run = runner.listen(Run { program: program(&stays("run")) });
    let wait = runner.listen(WaitRun { run: 1, patience_ms: 1_000_000 });
    let request = RunRequest {
        command: format!("sh -c '{}'", stays("terminal")),
        wait: Wait::Exit,
        timeout_ms: 1_000_000,
        lines: 10,
    };
    let in_terminal = runner.listen(RunInTerminal { id: open().id, request });
    let mut view = runner.listen(AttachTerminal { id: open().id, view: 1 });
    let mut follower = runner.listen(FollowFiles {});
    let commit = CommitRequest {
        message: Some("never".to_owned()),
        files: vec![rel("file")],
        ..CommitRequest::default()
    };
    let commit = runner.listen(git(GitRequest::Commit(commit)));
    for name in ["run", "background", "terminal", "hook"] {
        stage.pid(name).await;
    }
    assert!(soon(view.items.recv()).await.is_some());
    assert_eq!(soon(follower.items.recv()).await, Some(FileNews::Following));

    runner.kill().await;
    lost(run.reply).await;
    lost(wait.reply).await;
    lost(in_terminal.reply).await;
    lost(view.reply).await;
    lost(follower.reply).await;
    lost(commit.reply).await;
    lost(runner.listen(open()).reply).await;
    assert!(!soon(runner.host.lost()).await.is_empty());

    // What the killed one left ends, and git says what it finds.
    let next = Runner::start(&stage).await;
    let log = next.ask(Run { program: program("git log --oneline 2>&1 | wc -l") }).await.unwrap();
    assert_eq!(log.stdout.text, "1\n");
}

/// Asks again and again until the runner is gone; every answer before is the same.
fn repeat<O>(runner: &Runner, operation: O) -> JoinHandle<usize>
where
    O: Operation + Clone + Send + Sync + 'static,
    O::Output: Debug + Send,
{
    let host = Arc::clone(&runner.host);
    tokio::spawn(async move {
        let (mut first, mut answers) = (None, 0);
        loop {
            match host.ask(operation.clone()).await {
                Ok(answer) => {
                    let answer = format!("{answer:?}");
                    assert_eq!(&answer, first.get_or_insert_with(|| answer.clone()));
                    answers += 1;
                }
                Err(HostError::Lost(_)) => return answers,
                Err(error) => panic!("{error:?}"),
            }
        }
    })
}

#[tokio::test]
async fn searches_and_reads_are_whole_or_lost() {
    let stage = Stage::new();
    for folder in 0..10 {
        for file in 0..40 {
            stage.put(&format!("tree/{folder}/{file}.txt"), format!("needle {file}\n").repeat(99));
        }
    }
    stage.put("large", "a line of a large file\n".repeat(300_000));
    let mut runner = Runner::start(&stage).await;
    let view = |path: &str| ViewPath {
        location: Location::Workspace(rel(path)),
        offset: Some(250_000),
        limit: None,
    };
    let mut asking = Vec::new();
    for _ in 0..2 {
        asking.extend([
            repeat(&runner, Grep { query: GrepQuery::new("needle 3") }),
            repeat(&runner, Glob { query: GlobQuery::new("**/3*.txt") }),
            repeat(&runner, ListFolder { path: rel(""), recursive: true, limit: 1000 }),
            repeat(&runner, FindFiles { query: Query::default() }),
            repeat(&runner, view("large")),
            repeat(
                &runner,
                ReadText { path: rel("large"), range: LineRange::default(), person: false },
            ),
        ]);
    }
    // Some answers first, so that the kill comes in the middle of others.
    for _ in 0..10 {
        runner.ask(Grep { query: GrepQuery::new("needle 1") }).await.unwrap();
    }
    runner.kill().await;
    let mut answers = 0;
    for asking in asking {
        answers += soon(asking).await.unwrap();
    }
    assert!(answers > 0);
    let late = WriteFile { path: rel("late"), content: Vec::new() };
    assert!(matches!(runner.ask(late).await, Err(HostError::Lost(_))));
}

//! Git that hangs, is locked out or is not wanted any more.

use super::*;
use openspace_process::is_running;

async fn pid(stage: &Stage, name: &str) -> u32 {
    let path = stage.path(name);
    let begin = std::time::Instant::now();
    loop {
        assert!(begin.elapsed() < FAR, "the hook did not start");
        if path.exists()
            && let Ok(pid) = stage.content(name).trim().parse()
        {
            return pid;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_with_its_children() {
    let stage = Stage::with_commit();
    stage.hook("pre-commit", "echo asking; trap '' TERM; sleep 1000 & echo $! > child; wait; wait");
    stage.put("b", "");
    let request = GitRequest::Commit(commit("b", &["b"]));
    let cancel = CancellationToken::new();
    let limit = Duration::from_secs(2);
    let outcome = stage.git.run(&stage.files, request, limit, &NoCredentials, &cancel).await;
    let expected = GitError::TimedOut {
        action: "commit".to_owned(),
        seconds: 2,
        output: "asking\n".to_owned(),
        survivors: Vec::new(),
    };
    assert_eq!(outcome, Err(expected));
    assert!(!is_running(pid(&stage, "child").await));
    assert!(stage.scratch_is_empty());
}

#[tokio::test]
async fn cancelling_ends_everything() {
    let stage = Stage::with_commit();
    stage.hook("pre-commit", "sleep 1000 & echo $! > child; wait");
    stage.put("b", "");
    let request = GitRequest::Commit(commit("b", &["b"]));
    let cancel = CancellationToken::new();
    let run = stage.git.run(&stage.files, request, FAR, &NoCredentials, &cancel);
    let stop = async {
        let child = pid(&stage, "child").await;
        cancel.cancel();
        child
    };
    let (outcome, child) = tokio::join!(run, stop);
    assert_eq!(outcome, Err(GitError::Cancelled { action: "commit".to_owned() }));
    assert!(!is_running(child));
}

#[tokio::test]
async fn a_lock_that_was_left_behind_is_named_and_kept() {
    let stage = Stage::with_commit();
    stage.put(".git/index.lock", "");
    stage.put("b", "");
    let error = stage.commit(commit("b", &["b"])).await.unwrap_err();
    assert_eq!(error, GitError::Locked { file: ".git/index.lock".to_owned() });
    assert!(error.hint().unwrap().contains("`.git/index.lock`"));
    assert!(stage.path(".git/index.lock").exists());
    assert_eq!(stage.status().await.untracked, all(vec![named("b")]));
}

#[tokio::test]
async fn two_runs_at_once_do_not_end_each_other() {
    let stage = Stage::with_commit();
    stage.hook(
        "pre-commit",
        "touch started; while ! test -e go; do sleep 0.01; done; rm go started",
    );
    stage.put("b", "");
    let slow = stage.commit(commit("b", &["b"]));
    let quick = async {
        while !stage.path("started").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let status = stage.status().await;
        stage.put("go", "");
        status
    };
    let (slow, quick) = tokio::join!(slow, quick);
    assert_eq!(slow.unwrap().files, all(vec![named("b")]));
    assert_eq!(quick.branch, Some("main".to_owned()));
}
